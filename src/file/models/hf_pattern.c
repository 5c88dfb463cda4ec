/* Layers that mix tokens through a state, as the classes that have them say it: the letters of
 * a layer pattern, or linear attention with every n-th layer attending to everything. */
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "core/base/text.h"
#include "core/model/params.h"
#include "core/plan/pattern.h"
#include "file/models/hf_read.h"

/* The mixer of each layer, as a letter. */
struct mixers {
	int64_t count;
	char of[HF_LAYERS_MAX + 1];
};

static void
put_pattern(struct hf *h, const char *pattern, const char *path)
{
	struct plan *p = h->im->plan;

	if (pattern_fault(pattern) != '\0' || pattern_layers(pattern) == 0) {
		import_error(h->im, path, "holds letters that no layer pattern has");
		return;
	}
	if (!import_set(h->im, FIELD_LAYER_PATTERN, pattern, path))
		return;
	field_store_int(FIELD_GLOBAL_LAYER_EVERY, p, 0);
	field_store_int(FIELD_MOE_LAYER_EVERY, p, 1);
	field_store_int(FIELD_DENSE_LAYERS, p, 0);
	pattern_settle(&p->model);
}

/* ---- Mamba --------------------------------------------------------------------------- */

/* Mamba-1, which has no heads: each channel is one, of the rank of its step sizes. */
static bool
take_selective(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	const int64_t rank = (m->hidden_size + 15) / 16; /* "auto" */
	char path[HF_PATH_SIZE], why[HF_PATH_SIZE];
	int64_t expand, v;

	if (!hf_int(h, "mamba_d_state state_size", &v, path) || v < 1)
		return false;
	import_set_int(h->im, FIELD_MAMBA_STATE, v, path);
	if (hf_int(h, "mamba_expand", &expand, why))
		v = product_of(most_of(expand, 1), m->hidden_size);
	else if (!hf_int(h, "intermediate_size", &v, why))
		return false;
	import_set_int(h->im, FIELD_MAMBA_HEADS, v, why);
	import_assume_int(h->im, FIELD_MAMBA_HEAD_DIM, 1, "each channel of Mamba-1 is a head");
	import_assume_int(h->im, FIELD_MAMBA_GROUPS, 1, "Mamba-1 has one");
	if (hf_find(h, "mamba_dt_rank time_step_rank", path) && jsonin_text(&h->json, path) == NULL &&
	    hf_int(h, "mamba_dt_rank time_step_rank", &v, path))
		import_set_int(h->im, FIELD_MAMBA_DT_RANK, v, path);
	else
		import_assume_int(h->im, FIELD_MAMBA_DT_RANK, rank, "hidden size / 16");
	hf_take(h, FIELD_MAMBA_NORM, "");
	if (hf_int(h, "mamba_d_conv conv_kernel", &v, path))
		import_set_int(h->im, FIELD_LINEAR_CONV_KERNEL, v, path);
	return true;
}

/* Its sizes; false where they are not all there. */
static bool
take_mamba(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE];
	int64_t heads, v, expand = 2;

	if (!hf_int(h, "mamba_num_heads mamba_n_heads", &heads, path) || heads < 1)
		return take_selective(h);
	import_set_int(h->im, FIELD_MAMBA_HEADS, heads, path);
	if (hf_int(h, "ssm_state_size mamba_d_state", &v, path))
		import_set_int(h->im, FIELD_MAMBA_STATE, v, path);
	hf_int(h, "mamba_expand expand", &expand, path);
	if (hf_find(h, "mamba_head_dim mamba_d_head", path) && jsonin_text(&h->json, path) == NULL &&
	    hf_int(h, "mamba_head_dim mamba_d_head", &v, path))
		import_set_int(h->im, FIELD_MAMBA_HEAD_DIM, v, path);
	else
		import_assume_int(h->im, FIELD_MAMBA_HEAD_DIM, product_of(most_of(expand, 0), m->hidden_size) / heads,
		    "expansion * hidden size / Mamba heads");
	if (hf_int(h, "n_groups mamba_n_groups", &v, path))
		import_set_int(h->im, FIELD_MAMBA_GROUPS, v, path);
	else
		import_assume_int(h->im, FIELD_MAMBA_GROUPS, 1, "no key for Mamba's groups");
	if (hf_int(h, "conv_kernel mamba_d_conv", &v, path))
		import_set_int(h->im, FIELD_LINEAR_CONV_KERNEL, v, path);
	return true;
}

/* A word of a list of layers; '\0' for none that a pattern has. */
static char
letter_of(const char *word)
{
	static const struct {
		const char *word;
		char letter;
	} words[] = {
		{ "mamba", 'M' }, { "attention", '*' }, { "moe", 'E' }, { "mlp", '-' },
		{ "conv", 'G' }, { "full_attention", '*' },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (text_equal(words[i].word, word))
			return words[i].letter;
	return '\0';
}

/* A list of words, one a layer, into letters; false where one is no such word. */
static bool
read_words(struct hf *h, const char *key, struct mixers *out, char path[HF_PATH_SIZE])
{
	const char *word;
	size_t count = 0;

	out->count = 0;
	if (!hf_find(h, key, path) || !jsonin_list(&h->json, path, &count) || count > HF_LAYERS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		word = jsonin_text(&h->json, TEXT_OF(HF_PATH_SIZE + 24, "%s.%zu", path, i));
		if (word == NULL || (out->of[out->count] = letter_of(word)) == '\0')
			return false;
		out->count++;
	}
	out->of[out->count] = '\0';
	return count > 0;
}

/* Letters as a text or as words, under either key. */
static bool
read_blocks(struct hf *h, const char *letters, const char *words, struct mixers *out,
    char path[HF_PATH_SIZE])
{
	const char *text;

	if (hf_find(h, letters, path) && (text = jsonin_text(&h->json, path)) != NULL) {
		text_put(out->of, sizeof out->of, "%s", text);
		return *text != '\0';
	}
	return read_words(h, words, out, path);
}

/* Nemotron-H: each layer is one block. */
static bool
take_blocks(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE], mtp[HF_PATH_SIZE], pattern[2 * PLAN_PATTERN_SIZE];
	struct mixers blocks, depth;

	if (!read_blocks(h, "hybrid_override_pattern", "layers_block_type", &blocks, path))
		return false;
	if (strchr(blocks.of, 'M') != NULL && !take_mamba(h))
		return false;
	text_put(pattern, sizeof pattern, "%s", blocks.of);
	if (m->mtp_layers > 0 && read_blocks(h, "mtp_hybrid_override_pattern", "mtp_layers_block_type",
	    &depth, mtp))
		for (int64_t i = 0; i < m->mtp_layers; i++)
			text_add(pattern, sizeof pattern, "/%s", depth.of);
	put_pattern(h, pattern, path);
	return true;
}

/* ---- a mixer and an MLP in each layer --------------------------------------------------- */

/* All layers have one letter but those of a list of places, counted from `base`. */
static bool
read_places(struct hf *h, const char *key, int64_t base, char most, char listed, struct mixers *out,
    char path[HF_PATH_SIZE])
{
	size_t count = 0;
	int64_t v;

	if (!hf_find(h, key, path) || !jsonin_list(&h->json, path, &count))
		return false;
	out->count = least_of(h->im->plan->model.layers, HF_LAYERS_MAX);
	memset(out->of, most, (size_t)out->count);
	out->of[out->count] = '\0';
	for (size_t i = 0; i < count && i < HF_LAYERS_MAX; i++)
		if (jsonin_int(&h->json, TEXT_OF(HF_PATH_SIZE + 24, "%s.%zu", path, i), base, HF_LAYERS_MAX, &v) &&
		    v - base < out->count)
			out->of[v - base] = listed;
	return true;
}

/* Behind each mixer its MLP or experts. */
static void
put_layers(struct hf *h, const struct mixers *x, const char *path)
{
	const struct model m = h->im->plan->model;
	char pattern[2 * PLAN_PATTERN_SIZE] = "";

	for (int64_t i = 0; i < x->count && i < PLAN_PATTERN_SIZE; i++)
		text_add(pattern, sizeof pattern, "%c%c", x->of[i], params_is_moe_layer(&m, i) ? 'E' : '-');
	put_pattern(h, pattern, path);
}

/* Jamba: one layer of each period attends. */
static bool
read_period(struct hf *h, struct mixers *out, char path[HF_PATH_SIZE])
{
	int64_t period, offset = 0;

	if (!hf_int(h, "attn_layer_period", &period, path) || period < 1)
		return false;
	hf_int(h, "attn_layer_offset", &offset, path);
	out->count = least_of(h->im->plan->model.layers, HF_LAYERS_MAX);
	for (int64_t i = 0; i < out->count; i++)
		out->of[i] = i % period == offset ? '*' : 'M';
	out->of[out->count] = '\0';
	return true;
}

/* Granite 4, Bamba, Jamba: Mamba in most layers. */
static bool
take_mamba_layers(struct hf *h)
{
	char path[HF_PATH_SIZE];
	struct mixers x;

	if (!read_words(h, "layer_types", &x, path) &&
	    !read_places(h, "attn_layer_indices", 0, 'M', '*', &x, path) && !read_period(h, &x, path))
		return false;
	if (strchr(x.of, 'M') == NULL || !take_mamba(h))
		return false;
	put_layers(h, &x, path);
	return true;
}

/* Classes of Mamba alone: no attention, and no MLP. */
static bool
take_mamba_alone(struct hf *h)
{
	const int64_t layers = h->im->plan->model.layers;
	char pattern[PLAN_PATTERN_SIZE] = "", value[8];

	if (!hf_fact(h, "mamba", '=', value, sizeof value) || layers >= PLAN_PATTERN_SIZE || !take_selective(h))
		return false;
	memset(pattern, 'M', (size_t)layers);
	put_pattern(h, pattern, "num_hidden_layers");
	return true;
}

/* ---- layers of their own shape -------------------------------------------------------------- */

static const char *
block_part(char *buf, size_t size, size_t i, const char *part)
{
	text_put(buf, size, "block_configs.%zu.%s", i, part);
	return buf;
}

static bool
is_true(const struct hf *h, size_t i, const char *part)
{
	char path[HF_PATH_SIZE];
	bool yes = false;

	return jsonin_bool(&h->json, block_part(path, sizeof path, i, part), &yes) && yes;
}

/* Nemotron-NAS: two thirds of so many hidden sizes, in multiples of 256 (vLLM
 * vllm/model_executor/models/nemotron_nas.py). */
static double
block_width(const struct hf *h, size_t i, double hidden)
{
	char path[HF_PATH_SIZE];
	double times = 0;

	if (is_true(h, i, "ffn.no_op") ||
	    !jsonin_real(&h->json, block_part(path, sizeof path, i, "ffn.ffn_mult"), 0, 1024, &times))
		return 0;
	return 256 * ceil(floor(2 * times * hidden / 3) / 256);
}

/* Query heads of a KV head, the same in all blocks that attend; 0 where they differ, or where a block
 * has a linear layer in place of a part. */
static int64_t
block_group(const struct hf *h, size_t count)
{
	char path[HF_PATH_SIZE];
	int64_t group = 0, v;

	for (size_t i = 0; i < count; i++) {
		if (is_true(h, i, "attention.replace_with_linear") || is_true(h, i, "ffn.replace_with_linear"))
			return 0;
		block_part(path, sizeof path, i, "attention.n_heads_in_group");
		if (!jsonin_has(&h->json, path))
			continue;
		if (!jsonin_int(&h->json, path, 1, 4096, &v) || (group != 0 && group != v))
			return 0;
		group = v;
	}
	return group;
}

/* The mean width of those that have an MLP, in multiples of 64; 0 without any. */
static double
blocks_width(struct hf *h, size_t count)
{
	double sum = 0, least = INFINITY, most = 0, wide = 0;

	for (size_t i = 0; i < count; i++) {
		const double width = block_width(h, i, (double)h->im->plan->model.hidden_size);

		if (!(width > 0))
			continue;
		sum += width;
		wide++;
		most = larger(most, width);
		least = smaller(least, width);
	}
	if (most > least)
		notes_add(&h->im->assumed, "block_configs: MLPs of %.0f to %.0f each count as the mean: parameters "
		    "and times of the whole are right, of one layer not", least, most);
	return wide > 0 ? 64 * round(sum / wide / 64) : 0;
}

/* What all blocks share goes where other classes have it. */
void
hf_blocks(struct hf *h)
{
	char path[HF_PATH_SIZE];
	size_t count = 0;
	int64_t group;
	double width;

	if (!hf_find(h, "block_configs", path))
		return;
	if (!jsonin_has(&h->json, "block_configs.0.attention") || !jsonin_list(&h->json, path, &count)) {
		notes_add(&h->im->assumed, "block_configs: what it tells of layers is not known: not exact");
		return;
	}
	group = block_group(h, count);
	if (group == 0 || !((width = blocks_width(h, count)) > 0)) {
		import_error(h->im, path, "its layers have shapes of their own, which a plan has no "
		    "fields for (fix: --model with the nearest of the catalogue, or --set model.*)");
		return;
	}
	json_object_set_new(h->json.root, "num_key_value_heads",
	    json_integer(h->im->plan->model.attention_heads / group));
	json_object_set_new(h->json.root, "intermediate_size", json_integer((json_int_t)width));
}

/* Layers without attention, or without an MLP. */
static bool
take_block_shapes(struct hf *h)
{
	char pattern[2 * PLAN_PATTERN_SIZE] = "";
	size_t count = 0;

	if (!jsonin_has(&h->json, "block_configs.0.attention") ||
	    !jsonin_list(&h->json, "block_configs", &count))
		return false;
	for (size_t i = 0; i < count && i < PLAN_PATTERN_SIZE; i++)
		text_add(pattern, sizeof pattern, "%s%s", is_true(h, i, "attention.no_op") ? "" : "*",
		    is_true(h, i, "ffn.no_op") ? "" : "-");
	put_pattern(h, pattern, "block_configs");
	return true;
}

/* ---- linear attention ------------------------------------------------------------------- */

static void
put_linear(struct hf *h, const char *kind, int64_t heads, int64_t size, const char *path)
{
	import_assume(h->im, FIELD_LINEAR_KIND, kind, path);
	import_set_int(h->im, FIELD_LINEAR_ATTENTION, 1, path);
	import_set_int(h->im, FIELD_LINEAR_KEY_HEADS, heads, path);
	import_set_int(h->im, FIELD_LINEAR_VALUE_HEADS, heads, path);
	import_set_int(h->im, FIELD_LINEAR_KEY_HEAD_DIM, size, path);
	import_set_int(h->im, FIELD_LINEAR_VALUE_HEAD_DIM, size, path);
}

/* The step at which layers attend to everything, 0 where they do not keep one. */
static int64_t
step_of(const struct mixers *x)
{
	const char *first = strchr(x->of, '*');
	const int64_t every = first != NULL ? first - x->of + 1 : 0;

	for (int64_t i = 0; i < x->count && every > 0; i++)
		if (((i + 1) % every == 0) != (x->of[i] == '*'))
			return 0;
	return every;
}

/* Every n-th layer where that holds, else a pattern. */
static void
put_linear_layers(struct hf *h, struct mixers *x, const char *path)
{
	const int64_t every = step_of(x);

	if (every > 0 && h->im->plan->model.mtp_layers == 0) {
		import_set_int(h->im, FIELD_GLOBAL_LAYER_EVERY, every, path);
		return;
	}
	for (int64_t i = 0; i < x->count; i++)
		if (x->of[i] == '*' && h->im->plan->model.attention == ATTENTION_MLA)
			x->of[i] = '+';
	put_layers(h, x, path);
}

/* Kimi-Linear: layers are counted from 1. */
static bool
take_kimi(struct hf *h)
{
	char path[HF_PATH_SIZE], list[HF_PATH_SIZE];
	int64_t heads, size, taps = 4;
	bool wide = false;
	struct mixers x;

	if (!read_places(h, "linear_attn_config.full_attn_layers", 1, 'G', '*', &x, list) ||
	    !hf_int(h, "linear_attn_config.num_heads", &heads, path) ||
	    !hf_int(h, "linear_attn_config.head_dim", &size, path))
		return false;
	put_linear(h, "kda", heads, size, path);
	if (hf_bool(h, "linear_attn_config.use_full_rank_gate", &wide))
		import_set_int(h->im, FIELD_LINEAR_WIDE_GATE, wide, "linear_attn_config.use_full_rank_gate");
	hf_int(h, "linear_attn_config.short_conv_kernel_size", &taps, path);
	import_set_int(h->im, FIELD_LINEAR_CONV_KERNEL, taps, path);
	put_linear_layers(h, &x, list);
	return true;
}

/* MiniMax-01 and M1: 0 a layer of lightning attention, 1 one of softmax attention. */
static bool
take_lightning(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE];
	struct mixers x = { .count = 0 };
	size_t count = 0;
	int64_t v;

	if (!hf_find(h, "attn_type_list", path) || !jsonin_list(&h->json, path, &count) ||
	    count > HF_LAYERS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!jsonin_int(&h->json, TEXT_OF(HF_PATH_SIZE + 24, "%s.%zu", path, i), 0, 1, &v))
			return false;
		x.of[x.count++] = v != 0 ? '*' : 'G';
	}
	x.of[x.count] = '\0';
	if (strchr(x.of, 'G') == NULL)
		return false;
	put_linear(h, "lightning", m->attention_heads, m->head_dim, path);
	put_linear_layers(h, &x, path);
	return true;
}

/* LFM2: gated short convolutions as wide as the model, but where layers attend. */
static bool
take_convolutions(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE], taps[HF_PATH_SIZE];
	struct mixers x;
	int64_t v;

	if (!hf_int(h, "conv_L_cache", &v, taps) || (!read_words(h, "layer_types", &x, path) &&
	    !read_places(h, "full_attn_idxs", 0, 'G', '*', &x, path)) || strchr(x.of, 'G') == NULL)
		return false;
	put_linear(h, "shortconv", m->attention_heads, m->hidden_size / m->attention_heads, path);
	import_set_int(h->im, FIELD_LINEAR_CONV_KERNEL, v, taps);
	put_linear_layers(h, &x, path);
	return true;
}

/* LongCat Flash: a layer has two attentions, each with its MLP, and experts that work beside all
 * but the first attention, on what the first MLP gets. */
static bool
take_shortcut(struct hf *h)
{
	const struct model m = h->im->plan->model;
	char pattern[2 * PLAN_PATTERN_SIZE] = "", value[4];

	if (!hf_fact(h, "shortcut", '=', value, sizeof value))
		return false;
	for (int64_t i = 0; i < m.layers && i < PLAN_PATTERN_SIZE; i++)
		text_add(pattern, sizeof pattern, "+S-+-");
	put_pattern(h, pattern, "num_layers");
	return true;
}

/* DeepSeek-V4: how many tokens an entry of each layer's cache stands for, 0 or 1 where a layer has
 * its window alone; behind the layers those of the MTP layers. */
static bool
take_ratios(struct hf *h)
{
	const struct model m = h->im->plan->model;
	char path[HF_PATH_SIZE], place[HF_PATH_SIZE + 24], pattern[2 * PLAN_PATTERN_SIZE] = "";
	int64_t least = INT64_MAX, most = 0, v;
	size_t count = 0;

	if (!hf_find(h, "compress_ratios", path) || !jsonin_list(&h->json, path, &count))
		return false;
	for (int pass = 0; pass < 2; pass++)
		for (int64_t i = 0; i < m.layers + m.mtp_layers && i < PLAN_PATTERN_SIZE; i++) {
			text_put(place, sizeof place, "%s.%lld", path, (long long)i);
			if (!jsonin_int(&h->json, place, 0, 65536, &v))
				v = 0;
			if (pass == 0) {
				least = v > 1 ? least_of(least, v) : least;
				most = most_of(most, v);
				continue;
			}
			text_add(pattern, sizeof pattern, "%s%cE", i >= m.layers ? "/" : "",
			    v <= 1 ? 'W' : v == least ? 'C' : 'H');
		}
	if (most > 1) {
		import_set_int(h->im, FIELD_COMPRESS_RATIO, least, path);
		import_set_int(h->im, FIELD_HEAVY_COMPRESS_RATIO, most, path);
	}
	put_pattern(h, pattern, path);
	return true;
}

bool
hf_pattern(struct hf *h)
{
	return take_ratios(h) || take_shortcut(h) || take_blocks(h) || take_mamba_layers(h) ||
	    take_mamba_alone(h) || take_block_shapes(h) || take_convolutions(h) || take_kimi(h) ||
	    take_lightning(h);
}
