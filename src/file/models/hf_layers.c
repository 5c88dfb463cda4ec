/* Which layers attend to everything and which have experts, from any of the ways in which
 * classes say it, as the two counts that a plan has for each. */
#include <string.h>

#include "core/base/text.h"
#include "core/model/params.h"
#include "file/models/hf_read.h"

enum { OFFSETS = 16 }; /* of layers that attend to everything, which are tried */

/* One truth a layer, of the first `count`. */
struct marks {
	int64_t count;
	bool known;
	bool on[HF_LAYERS_MAX];
};

static struct marks
marks_of(const struct hf *h)
{
	struct marks m = { .count = least_of(h->im->plan->model.layers, HF_LAYERS_MAX) };

	return m;
}

static void
mark_every(struct marks *m, int64_t every, int64_t offset)
{
	m->known = every > 0;
	for (int64_t i = 0; i < m->count && every > 0; i++)
		m->on[i] = (i + 1) % every == offset % every;
}

/* How many differ from the model's own rule. */
static int64_t
differing(const struct marks *m, const struct model *model,
    bool (*rule)(const struct model *model, int64_t layer))
{
	int64_t n = 0;

	for (int64_t i = 0; i < m->count; i++)
		n += rule(model, i) != m->on[i];
	return n;
}

/* ---- a list with a word or a number for each layer ---------------------------------- */

/* Whether a word of layer_types is a layer that attends to everything. */
static bool
is_full(const char *word)
{
	return strstr(word, "full") != NULL || strstr(word, "global") != NULL ||
	    text_equal(word, "attention") || text_equal(word, "G");
}

static bool
has_word(struct hf *h, const char *path, const char *part)
{
	size_t count = 0;
	const char *word;

	jsonin_list(&h->json, path, &count);
	for (size_t i = 0; i < count && i < HF_LAYERS_MAX; i++)
		if ((word = jsonin_text(&h->json, TEXT_OF(HF_PATH_SIZE + 24, "%s.%zu", path, i))) != NULL &&
		    strstr(word, part) != NULL)
			return true;
	return false;
}

/* Layers of a list whose number is `on`, or whose word says so. */
static bool
mark_list(struct hf *h, const char *keys, int64_t on, bool (*says)(const char *word),
    struct marks *m)
{
	char path[HF_PATH_SIZE], place[HF_PATH_SIZE + 24];
	size_t count;
	const char *word;
	int64_t v;

	if (!hf_find(h, keys, path) || !jsonin_list(&h->json, path, &count) || count == 0)
		return false;
	for (int64_t i = 0; i < m->count; i++) {
		text_put(place, sizeof place, "%s.%lld", path, (long long)i);
		if ((word = jsonin_text(&h->json, place)) != NULL)
			m->on[i] = says != NULL && says(word);
		else if (says == NULL && jsonin_int(&h->json, place, INT64_MIN, INT64_MAX, &v))
			m->on[i] = v == on;
	}
	return m->known = true;
}

/* ---- attention ---------------------------------------------------------------------- */

/* "LLLG": one letter a layer, over and over. */
static bool
mark_letters(struct hf *h, struct marks *m)
{
	char path[HF_PATH_SIZE];
	const char *letters;

	if (!hf_find(h, "sliding_window_pattern", path) ||
	    (letters = jsonin_text(&h->json, path)) == NULL || *letters == '\0')
		return false;
	for (int64_t i = 0; i < m->count; i++)
		m->on[i] = letters[(size_t)i % strlen(letters)] == 'G';
	return m->known = true;
}

static struct marks
global_layers(struct hf *h)
{
	struct marks m = marks_of(h);
	char path[HF_PATH_SIZE], value[16];
	int64_t every;

	if (mark_list(h, "layer_types", 0, is_full, &m) ||
	    mark_list(h, "hybrid_layer_pattern", 0, NULL, &m) ||
	    mark_list(h, "no_rope_layers", 0, NULL, &m) || mark_letters(h, &m))
		return m;
	if (hf_int(h, "sliding_window_pattern full_attention_interval global_attn_every_n_layers "
	    "_sliding_window_pattern", &every, path) ||
	    (hf_fact(h, "every", '=', value, sizeof value) && text_to_int(value, &every)))
		mark_every(&m, every, 0);
	return m;
}

/* How far a rule is from the marks. How many layers there are of each kind counts most: bytes and time go by
 * that, whichever they are. */
static int64_t
marks_apart(const struct marks *m, const struct model *model,
    bool (*rule)(const struct model *model, int64_t layer))
{
	int64_t more = 0;

	for (int64_t i = 0; i < m->count; i++)
		more += rule(model, i) - m->on[i];
	return (more < 0 ? -more : more) * HF_LAYERS_MAX + differing(m, model, rule);
}

static void
put_global(struct hf *h, const struct marks *m)
{
	struct model try = h->im->plan->model;
	int64_t least = INT64_MAX, every = 0, offset = 0;
	bool first = false;

	/* first without an offset; with one only what is less far off */
	for (int64_t i = 0; i <= OFFSETS * m->count && least > 0; i++)
		for (int64_t f = 0; f < 2; f++) {
			int64_t far;

			try.global_layer_offset = i / (m->count + 1);
			try.global_layer_every = i % (m->count + 1);
			try.global_first_layer = f;
			if ((far = marks_apart(m, &try, params_is_global_layer)) >= least)
				continue;
			least = far;
			every = try.global_layer_every;
			offset = try.global_layer_offset;
			first = f != 0;
		}
	if (least >= HF_LAYERS_MAX)
		notes_add(&h->im->assumed, "%lld layers attend as others do: no rule of a plan says which "
		    "layers attend to everything", (long long)(least / HF_LAYERS_MAX));
	else if (least > 0)
		notes_add(&h->im->assumed, "as many layers attend to everything, at other places: no rule of "
		    "a plan says which");
	import_assume_int(h->im, FIELD_GLOBAL_LAYER_EVERY, every, "the layers that attend to everything");
	if (offset > 0)
		import_assume_int(h->im, FIELD_GLOBAL_LAYER_OFFSET, offset, "the first of them");
	if (first)
		import_assume_int(h->im, FIELD_GLOBAL_FIRST_LAYER, 1, "the first layer attends to everything");
}

/* Gated delta networks in place of the local layers. */
static bool
take_linear(struct hf *h)
{
	static const struct {
		enum field_id field;
		const char *key;
	} sizes[] = {
		{ FIELD_LINEAR_KEY_HEADS, "linear_num_key_heads" },
		{ FIELD_LINEAR_VALUE_HEADS, "linear_num_value_heads" },
		{ FIELD_LINEAR_KEY_HEAD_DIM, "linear_key_head_dim" },
		{ FIELD_LINEAR_VALUE_HEAD_DIM, "linear_value_head_dim" },
		{ FIELD_LINEAR_CONV_KERNEL, "linear_conv_kernel_dim" },
	};
	char path[HF_PATH_SIZE], value[16];
	int64_t v;
	bool any = hf_fact(h, field_key(FIELD_LINEAR_KEY_HEADS), '=', value, sizeof value) ||
	    hf_find(h, "linear_num_value_heads", path);

	if (hf_find(h, "layer_types", path))
		any = any && has_word(h, path, "linear");
	if (!any)
		return false;
	import_assume_int(h->im, FIELD_LINEAR_ATTENTION, 1, "linear attention");
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (hf_int(h, sizes[i].key, &v, path))
			import_set_int(h->im, sizes[i].field, v, path);
		else if (hf_fact(h, field_key(sizes[i].field), '=', value, sizeof value))
			import_assume(h->im, sizes[i].field, value, h->name);
	}
	return true;
}

/* The window of the local layers, 0 without. */
static bool
take_window(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE], value[16];
	bool used = !hf_fact(h, "window", '=', value, sizeof value);
	int64_t v;

	hf_bool(h, "use_sliding_window", &used);
	if (!used)
		return false;
	if (hf_int(h, "attention_chunk_size", &v, path) && v > 0)
		import_set_int(h->im, FIELD_ATTENTION_CHUNK, v, path);
	else if (hf_fact(h, field_key(FIELD_ATTENTION_CHUNK), '=', value, sizeof value))
		import_assume(h->im, FIELD_ATTENTION_CHUNK, value, h->name);
	else if (hf_int(h, "sliding_window sliding_window_size window_size", &v, path)) {
		if (v <= 0 || v >= m->max_position)
			return false; /* every position lies within it */
		import_set_int(h->im, FIELD_SLIDING_WINDOW, v, path);
	} else if (hf_fact(h, field_key(FIELD_SLIDING_WINDOW), '=', value, sizeof value) &&
	    !hf_find(h, "hidden_size", path))
		import_assume(h->im, FIELD_SLIDING_WINDOW, value, h->name);
	return m->attention_chunk > 0 || m->sliding_window > 0;
}

void
hf_attention_pattern(struct hf *h)
{
	char path[HF_PATH_SIZE];
	struct marks m;
	bool local;

	if (hf_find(h, "layer_types", path) &&
	    (has_word(h, path, "mamba") || has_word(h, path, "conv") || has_word(h, path, "recurrent")))
		notes_add(&h->im->assumed, "%s: layers that are no attention count as attention: "
		    "parameters and KV cache are not right", path);
	local = take_linear(h) || take_window(h);
	m = global_layers(h);
	if (local && m.known)
		put_global(h, &m);
}

/* ---- experts ------------------------------------------------------------------------- */

static bool
is_sparse(const char *word)
{
	return text_equal(word, "sparse") || strstr(word, "moe") != NULL;
}

/* "3,4,5": the layers themselves. */
static bool
mark_named(struct hf *h, struct marks *m)
{
	char path[HF_PATH_SIZE], number[24];
	const char *list;

	if (!hf_find(h, "moe_layers_enum", path) || (list = jsonin_text(&h->json, path)) == NULL)
		return false;
	for (int64_t i = 0; i < m->count; i++) {
		const int n = (int)text_put(number, sizeof number, "%lld", (long long)i);

		m->on[i] = text_index(list, number, (size_t)n) >= 0;
	}
	return m->known = true;
}

/* Layers of a list of places are dense. */
static void
unmark_places(struct hf *h, const char *keys, struct marks *m)
{
	char path[HF_PATH_SIZE], place[HF_PATH_SIZE + 24];
	size_t count = 0;
	int64_t v;

	if (!hf_find(h, keys, path) || !jsonin_list(&h->json, path, &count))
		return;
	for (size_t i = 0; i < count && i < HF_LAYERS_MAX; i++) {
		text_put(place, sizeof place, "%s.%zu", path, i);
		if (jsonin_int(&h->json, place, 0, HF_LAYERS_MAX - 1, &v) && v < m->count)
			m->on[v] = false;
	}
}

/* Steps: every n-th layer, in the three ways of counting; then a first and a last one. */
static void
mark_steps(struct hf *h, struct marks *m)
{
	char path[HF_PATH_SIZE];
	int64_t n, offset = 0, least = 0, most = m->count - 1;
	size_t list;

	mark_every(m, 1, 0);
	if (hf_int(h, "decoder_sparse_step interleave_moe_layer_step moe_layer_frequency "
	    "moe_layer_interval", &n, path) && n > 0)
		mark_every(m, n, 0);
	else if (hf_int(h, "expert_layer_period", &n, path) && n > 0) {
		hf_int(h, "expert_layer_offset", &offset, path);
		mark_every(m, n, offset % n + 1);
	} else if (hf_find(h, "moe_layer_freq", path) && !jsonin_list(&h->json, path, &list) &&
	    hf_int(h, "moe_layer_freq", &n, path) && n > 0)
		mark_every(m, n, 1);
	hf_int(h, "first_k_dense_replace num_dense_layers moe_layer_start_index", &least, path);
	hf_int(h, "moe_layer_end_index", &most, path);
	for (int64_t i = 0; i < m->count; i++)
		m->on[i] = m->on[i] && i >= least && (i <= most || most < 0);
	unmark_places(h, "mlp_only_layers", m);
}

static struct marks
expert_layers(struct hf *h)
{
	struct marks m = marks_of(h);

	if (!mark_list(h, "moe_layer_freq", 1, NULL, &m) &&
	    !mark_list(h, "mlp_layer_types", 0, is_sparse, &m) && !mark_named(h, &m))
		mark_steps(h, &m);
	return m;
}

void
hf_expert_pattern(struct hf *h)
{
	const struct marks m = expert_layers(h);
	struct model try = h->im->plan->model;
	int64_t least = INT64_MAX, dense = 0, every = 1, sparse = 0;

	/* Leading dense layers go on to the first one with experts. */
	while (dense < m.count - 1 && !m.on[dense])
		dense++;
	try.dense_layers = dense;
	for (int64_t n = 1; n <= m.count && least > 0; n++) {
		int64_t differ;

		try.moe_layer_every = n;
		if ((differ = differing(&m, &try, params_is_moe_layer)) >= least)
			continue;
		least = differ;
		every = n;
	}
	for (int64_t i = 0; i < m.count; i++)
		sparse += m.on[i];
	if (least > 0) {
		notes_add(&h->im->assumed, "as many layers have experts, at other places: no rule of a plan "
		    "says which");
		dense = m.count - sparse;
		every = 1;
	}
	import_assume_int(h->im, FIELD_DENSE_LAYERS, dense, "leading layers without experts");
	import_assume_int(h->im, FIELD_MOE_LAYER_EVERY, every, "which layers have experts");
}
