/* Linear layers that a quantised checkpoint leaves in 16 bits: those that a list in its quantization_config means, and
 * with groups of compressed-tensors those that no group targets. */
#include <jansson.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/adapters.h"
#include "core/model/matrix.h"
#include "file/models/hf_names.h"
#include "file/models/hf_read.h"

enum { LISTED_MAX = 4096, LAYERS_MAX = 1024, STEPS_MAX = 3000000, PART_SIZE = 40 };

/* What modules are called: parts and their layers, joined by blanks; parts that some pattern names, the first one
 * where none does. Of rows that have one of the blocks, of the
 * targets and all of the traits (0: any), the first that fits. */
#define SHARED "mlp.shared_experts mlp.shared_expert mixer.shared_experts feed_forward.shared_expert block_sparse_moe.shared_experts"
static const struct naming {
	unsigned blocks, targets, traits;
	const char *parts, *layers;
} namings[] = {
	{ MATRIX_BLOCK(MLA), TARGET_Q, MATRIX_UP, "self_attn", "q_b_proj q_proj" },
	{ MATRIX_BLOCK(MLA), TARGET_Q, 0, "self_attn", "q_a_proj fused_qkv_a_proj" },
	{ MATRIX_BLOCK(MLA), TARGET_K, MATRIX_UP, "self_attn", "kv_b_proj" },
	{ MATRIX_BLOCK(MLA), TARGET_K, 0, "self_attn", "kv_a_proj_with_mqa fused_qkv_a_proj" },
	{ MATRIX_BLOCK(INDEXER) | MATRIX_BLOCK(BLOCK_INDEXER), 0, 0, "self_attn.indexer", "wq_b wk weights_proj" },
	{ MATRIX_BLOCK(MAMBA) | MATRIX_BLOCK(SELECTIVE), TARGET_OUT_PROJ, 0, "mixer mamba", "out_proj" },
	{ MATRIX_BLOCK(MAMBA) | MATRIX_BLOCK(SELECTIVE), 0, 0, "mixer mamba", "in_proj" },
	{ MATRIX_BLOCK(CONVOLUTION), TARGET_OUT_PROJ, 0, "conv", "out_proj" },
	{ MATRIX_BLOCK(CONVOLUTION), 0, 0, "conv", "in_proj" },
	{ MATRIX_BLOCK(DELTA), TARGET_IN_QKV, 0, "linear_attn", "in_proj_qkvz in_proj_qkv" },
	{ MATRIX_BLOCK(DELTA), TARGET_IN_Z, 0, "linear_attn", "in_proj_qkvz in_proj_z" },
	{ MATRIX_BLOCK(DELTA), TARGET_IN_B, 0, "linear_attn", "in_proj_ba in_proj_b" },
	{ MATRIX_BLOCK(DELTA), TARGET_IN_A, 0, "linear_attn", "in_proj_ba in_proj_a" },
	{ MATRIX_BLOCK(DELTA), TARGET_OUT_PROJ, 0, "linear_attn", "out_proj" },
	{ MATRIX_BLOCK(MOE), TARGET_NAMELESS, 0, "mlp mixer", "fc1_latent_proj fc2_latent_proj" },
	{ MATRIX_BLOCK(MOE), TARGET_GATE, MATRIX_SHARED, SHARED, "gate_proj gate_up_proj" },
	{ MATRIX_BLOCK(MOE), TARGET_UP, MATRIX_SHARED, SHARED, "up_proj gate_up_proj" },
	{ MATRIX_BLOCK(MOE), TARGET_DOWN, MATRIX_SHARED, SHARED, "down_proj" },
	{ MATRIX_BLOCK(MOE), TARGET_EXPERTS_UP, 0, "mlp.experts.0 mlp.experts mixer.experts.0 feed_forward.experts "
	  "block_sparse_moe.experts.0", "up_proj gate_up_proj w1" },
	{ MATRIX_BLOCK(MOE), TARGET_EXPERTS_DOWN, 0, "mlp.experts.0 mlp.experts mixer.experts.0 feed_forward.experts "
	  "block_sparse_moe.experts.0", "down_proj w2" },
	{ 0, TARGET_Q, 0, "self_attn mixer attention", "q_proj qkv_proj" },
	{ 0, TARGET_K, 0, "self_attn mixer attention", "k_proj qkv_proj" },
	{ 0, TARGET_V, 0, "self_attn mixer attention", "v_proj qkv_proj" },
	{ 0, TARGET_O, 0, "self_attn mixer attention", "o_proj" },
	{ 0, TARGET_GATE, 0, "mlp mixer feed_forward", "gate_proj gate_up_proj w1" },
	{ 0, TARGET_UP, 0, "mlp mixer feed_forward", "up_proj gate_up_proj w3" },
	{ 0, TARGET_DOWN, 0, "mlp mixer feed_forward", "down_proj w2" },
};

enum { NAMINGS = sizeof namings / sizeof *namings, NAMINGS_PARTS = 128 };

struct listed {
	const char *pattern;
	int64_t layer; /* -1: any */
};

/* Patterns of layers, of which `first` ones are left out and the others name what is quantised. */
struct lists {
	struct listed of[LISTED_MAX];
	size_t count, left_out;
	bool by_number; /* some pattern tells layers apart without naming one */
	char parts[NAMINGS][NAMINGS_PARTS];
	struct hf_look look;
};

/* Linear layers outside of routed experts, and in them: all, and left in 16 bits. */
struct tally {
	double dense, dense_kept, expert, expert_kept;
};

static const struct naming *
naming_of(const struct matrix *x)
{
	const struct matrix_row *r = x->row;

	for (size_t i = 0; i < NAMINGS; i++) {
		const struct naming *n = &namings[i];

		if ((n->blocks == 0 || (n->blocks & 1U << x->block)) && (n->targets == 0 || (n->targets & r->target)) &&
		    (n->traits & r->traits) == n->traits)
			return n;
	}
	return NULL;
}

static bool
any_means(struct lists *l, size_t from, size_t to, int64_t layer, const char *name)
{
	for (size_t i = from; i < to; i++)
		if ((l->of[i].layer < 0 || l->of[i].layer == layer) && hf_name_meant(&l->look, l->of[i].pattern, name))
			return true;
	return false;
}

static bool
is_named(const struct lists *l, const char *part, size_t length)
{
	char name[PART_SIZE];

	text_put(name, sizeof name, "%.*s", (int)length, part);
	for (size_t i = 0; i < l->count; i++)
		if (strstr(l->of[i].pattern, name) != NULL)
			return true;
	return false;
}

/* The words of a naming that count, once for all layers. */
static void
choose_parts(const struct lists *l, const struct naming *n, char parts[NAMINGS_PARTS])
{
	size_t end = 0;

	parts[0] = '\0';
	for (const char *part = n->parts; *part != '\0'; part += strspn(part, " ")) {
		const size_t length = strcspn(part, " ");

		if (is_named(l, part, length))
			end = text_add(parts, NAMINGS_PARTS, "%s%.*s", end > 0 ? " " : "", (int)length, part);
		part += length;
	}
	if (end == 0)
		text_put(parts, NAMINGS_PARTS, "%.*s", (int)strcspn(n->parts, " "), n->parts);
}

static bool
is_kept(struct lists *l, const struct naming *n, int64_t layer)
{
	bool quantised = l->left_out == l->count, left_out = false;
	char name[128];

	for (const char *part = l->parts[n - namings]; *part != '\0'; part += strspn(part, " ")) {
		const size_t length = strcspn(part, " ");

		for (const char *at = n->layers; *at != '\0'; at += strspn(at, " ")) {
			text_put(name, sizeof name, "layers.%lld.%.*s.%.*s", (long long)layer, (int)length, part,
			    (int)strcspn(at, " "), at);
			left_out = left_out || any_means(l, 0, l->left_out, layer, name);
			quantised = quantised || any_means(l, l->left_out, l->count, layer, name);
			at += strcspn(at, " ");
		}
		part += length;
	}
	return left_out || !quantised;
}

static struct tally
tally_layer(struct lists *l, const struct matrix_of *of, int64_t layer)
{
	struct matrix row[MATRIX_MAX];
	const int rows = matrix_list(of, MATRIX_LAYERS | MATRIX_NO_VECTORS, row);
	struct tally t = { 0 };

	for (int i = 0; i < rows; i++) {
		const struct naming *n = naming_of(&row[i]);
		const double kept = n != NULL && is_kept(l, n, layer) ? row[i].all : 0;

		if (row[i].row->traits & MATRIX_ROUTER)
			continue;
		if (row[i].row->traits & MATRIX_EXPERT) {
			t.expert += row[i].all;
			t.expert_kept += kept;
		} else {
			t.dense += row[i].all;
			t.dense_kept += kept;
		}
	}
	return t;
}

static bool
names_layer(const struct lists *l, int64_t layer)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->of[i].layer == layer)
			return true;
	return false;
}

static struct tally
tally_model(struct lists *l, const struct model *m)
{
	struct layer_kinds before = { 0 };
	struct tally sum = { 0 }, alike = { 0 };

	for (int64_t i = 0; i < m->layers && l->look.steps > 0; i++) {
		const struct layer_kinds kinds = params_kinds(m, i, 1);
		const struct matrix_of of = { .m = m, .kinds = &kinds, .vocab = (double)m->vocab_size };
		const bool own = l->by_number || names_layer(l, i);
		struct tally t = alike;

		if (own || memcmp(&kinds, &before, sizeof kinds) != 0)
			t = tally_layer(l, &of, i);
		if (!own) {
			before = kinds;
			alike = t;
		}
		sum.dense += t.dense;
		sum.dense_kept += t.dense_kept;
		sum.expert += t.expert;
		sum.expert_kept += t.expert_kept;
	}
	return sum;
}

/* ---- lists ------------------------------------------------------------------------- */

static void
add_pattern(struct lists *l, const char *pattern)
{
	if (l->count >= LISTED_MAX) {
		l->look.steps = 0;
		return;
	}
	l->of[l->count] = (struct listed){ pattern, hf_name_layer(pattern) };
	l->by_number = l->by_number || (l->of[l->count].layer < 0 && strpbrk(pattern, "0123456789") != NULL);
	l->count++;
}

static void
add_list(const struct hf *h, struct lists *l, const char *path)
{
	const char *pattern;
	size_t count = 0;

	if (jsonin_list(&h->json, path, &count))
		for (size_t i = 0; i < count && l->count < LISTED_MAX; i++)
			if ((pattern = jsonin_text(&h->json, TEXT_OF(2 * HF_PATH_SIZE, "%s.%zu", path, i))) != NULL)
				add_pattern(l, pattern);
}

/* What is left out; returns the path of the list, "" without one. */
static void
add_left_out(const struct hf *h, struct lists *l, const char *part, char path[2 * HF_PATH_SIZE])
{
	static const char *const keys[] = { "ignore", "modules_to_not_convert", "exclude_modules", "exclude",
		"ignored_layers", "llm_int8_skip_modules" };
	char at[2 * HF_PATH_SIZE];
	const char *name;
	size_t count;

	path[0] = '\0';
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		text_put(at, sizeof at, "%s.%s", part, keys[i]);
		if (jsonin_list(&h->json, at, &count)) {
			text_put(path, 2 * HF_PATH_SIZE, "%s", at);
			add_list(h, l, at);
		}
	}
	text_put(at, sizeof at, "%s.dynamic", part); /* GPTQModel: "-:" before an expression leaves it out */
	for (size_t i = 0; (name = jsonin_name(&h->json, at, i)) != NULL && i < LISTED_MAX; i++)
		if (strncmp(name, "-:", 2) == 0) {
			text_put(path, 2 * HF_PATH_SIZE, "%s", at);
			add_pattern(l, name);
		}
}

/* Names of classes, such as Linear, mean all. */
static void
add_targets(const struct hf *h, struct lists *l, const char *part)
{
	char groups[2 * HF_PATH_SIZE];
	const char *name;

	text_put(groups, sizeof groups, "%s.config_groups", part);
	for (size_t i = 0; (name = jsonin_name(&h->json, groups, i)) != NULL && i < LISTED_MAX; i++)
		add_list(h, l, TEXT_OF(3 * HF_PATH_SIZE, "%s.%s.targets", groups, name));
	for (size_t i = l->left_out; i < l->count; i++)
		if (strchr(l->of[i].pattern, '.') == NULL && strncmp(l->of[i].pattern, "re:", 3) != 0)
			l->count = l->left_out;
}

void
hf_kept(struct hf *h, const char *part, const char *format)
{
	const struct model *m = &h->im->plan->model;
	struct lists l = { .look = { STEPS_MAX } };
	char path[2 * HF_PATH_SIZE];
	struct tally t;

	add_left_out(h, &l, part, path);
	l.left_out = l.count;
	add_targets(h, &l, part);
	for (size_t i = 0; i < NAMINGS; i++)
		choose_parts(&l, &namings[i], l.parts[i]);
	if (m->layers <= LAYERS_MAX)
		t = tally_model(&l, m);
	if (m->layers > LAYERS_MAX || l.look.steps <= 0) {
		notes_add(&h->im->assumed, "%s: which layers it means is not understood; serving.kept_params and "
		    "serving.dense_dtype stay", path[0] != '\0' ? path : part);
		return;
	}
	if (t.expert_kept > 0)
		notes_add(&h->im->assumed, "%s: %.1f billion parameters of routed experts that it leaves in 16 bits count as "
		    "quantised", path, t.expert_kept / 1e9);
	if (path[0] == '\0')
		text_put(path, sizeof path, "%s", part);
	if (t.dense > 0 && t.dense_kept >= t.dense) {
		import_set(h->im, FIELD_DENSE_DTYPE, "bf16", path);
		return;
	}
	if (t.expert > 0 && strchr(format, '4') != NULL) /* of 4 bits, others are 16 bits outside of experts */
		import_set(h->im, FIELD_DENSE_DTYPE, format, path);
	if (t.dense_kept >= 1e3)
		import_set(h->im, FIELD_KEPT_PARAMS, TEXT_OF(32, "%.6g", t.dense_kept / 1e6), path);
}

/* ---- a format for each layer ------------------------------------------------------------- */

/* Bytes of a weight with its scales, and parameters outside of routed experts and in them. */
static const struct share {
	const char *format;
	double bytes;
} shares[] = { { "bf16", 2 }, { "fp8", 1 }, { "int8", 1 }, { "nvfp4", .5625 }, { "mxfp4", .53125 }, { "int4", .5 } };

enum { SHARES = sizeof shares / sizeof *shares };

struct mix {
	const json_t *layers;   /* by their names, which begin so up to "layers." */
	char begin[64];
	const char *(*format_of)(const char *algorithm);
	double dense[SHARES], expert[SHARES];
};

/* Of the first name that is there; 16 bits without one. */
static size_t
share_of(const struct mix *x, const struct naming *n, int64_t layer)
{
	for (const char *part = n->parts; *part != '\0'; part += strspn(part, " ")) {
		const size_t length = strcspn(part, " ");

		for (const char *at = n->layers;; at += strspn(at, " ")) {
			const json_t *found;

			found = json_object_get(x->layers, TEXT_OF(192, "%slayers.%lld.%.*s%s%.*s", x->begin,
			    (long long)layer, (int)length, part, *at != '\0' ? "." : "", (int)strcspn(at, " "), at));
			for (size_t i = 0; found != NULL && i < SHARES; i++)
				if (strcmp(shares[i].format, x->format_of(json_string_value(json_object_get(found, "quant_algo")))) == 0)
					return i;
			if (*at == '\0')
				break;
			at += strcspn(at, " ");
		}
		part += length;
	}
	return 0;
}

static void
mix_model(struct mix *x, const struct model *m)
{
	for (int64_t i = 0; i < m->layers && i < LAYERS_MAX; i++) {
		const struct layer_kinds kinds = params_kinds(m, i, 1);
		const struct matrix_of of = { .m = m, .kinds = &kinds, .vocab = (double)m->vocab_size };
		struct matrix row[MATRIX_MAX];
		const int rows = matrix_list(&of, MATRIX_LAYERS | MATRIX_NO_VECTORS, row);

		for (int k = 0; k < rows; k++) {
			const struct naming *n = naming_of(&row[k]);

			if (n != NULL && !(row[k].row->traits & MATRIX_ROUTER))
				(row[k].row->traits & MATRIX_EXPERT ? x->expert : x->dense)[share_of(x, n, i)] += row[k].all;
		}
	}
}

/* The format of most of them, and what the others have more bytes of, as parameters that it leaves in 16 bits. */
static size_t
most_of_mix(const double params[SHARES], double *kept)
{
	size_t most = 0;
	double more = 0;

	for (size_t i = 1; i < SHARES; i++)
		most = params[i] > params[most] ? i : most;
	for (size_t i = 0; i < SHARES; i++)
		more += params[i] * (shares[i].bytes - shares[most].bytes);
	*kept = most > 0 && more > 0 ? more / (2 - shares[most].bytes) : 0;
	return most;
}

bool
hf_mixed(struct hf *h, const char *part, const char *(*format_of)(const char *algorithm))
{
	struct mix x = { .format_of = format_of };
	char path[2 * HF_PATH_SIZE], millions[32];
	const char *name, *layers;
	double kept, of_experts;
	size_t dense, expert;

	text_put(path, sizeof path, "%s.quantized_layers", part);
	if ((name = jsonin_name(&h->json, path, 0)) == NULL || (layers = strstr(name, "layers.")) == NULL)
		return false;
	x.layers = json_object_get(json_object_get(h->json.root, part), "quantized_layers");
	text_put(x.begin, sizeof x.begin, "%.*s", (int)(layers - name), name);
	mix_model(&x, &h->im->plan->model);
	dense = most_of_mix(x.dense, &kept);
	expert = most_of_mix(x.expert, &of_experts);
	if (dense + expert == 0)
		return false;
	import_set(h->im, FIELD_WEIGHT_DTYPE, shares[expert > 0 ? expert : dense].format, path);
	if (expert > 0)
		import_set(h->im, FIELD_DENSE_DTYPE, shares[dense].format, path);
	text_put(millions, sizeof millions, "%.6g", kept / 1e6);
	if (kept >= 1e3)
		import_assume(h->im, FIELD_KEPT_PARAMS, millions, "layers in more bytes than most count as so many in 16 bits");
	return true;
}
