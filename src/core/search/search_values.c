#include "core/search/search_values.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/framework/framework.h"
#include "core/framework/resolve.h"
#include "core/framework/stage.h"
#include "core/plan/pool.h"
#include "core/rules/step.h"
#include "core/serve/serve_pools.h"

enum {
	RESTS_MOST = 128,    /* worlds with pools beside them whose sizes are looked for */
	PREFILL_WIDEST = 32, /* GPUs of an engine: DeepSeek's own prefill (DeepSeek-AI 2024, arXiv 2412.19437, 3.4.1) */
};

/* Of the field whose values are being found. */
struct finding {
	struct search_space *space;
	struct free_field *field;
	double least, most; /* asked for */
	bool full;          /* no room for another */
	bool every;         /* each whole number of a count, not its steps */
};

/* In order, each once. */
static void
offer_value(struct finding *to, double v)
{
	struct search_space *s = to->space;
	double *value = &s->value[to->field->first];
	int i = to->field->count;

	if (v < to->least || v > to->most)
		return;
	while (i > 0 && value[i - 1] >= v)
		i--;
	if (i < to->field->count && value[i] <= v)
		return;
	if (s->values == SPACE_VALUES_MAX) {
		to->full = true;
		return;
	}
	memmove(&value[i + 1], &value[i], (size_t)(to->field->count - i) * sizeof *value);
	value[i] = v;
	to->field->count++;
	s->values++;
}

static void
offer_divisors(struct finding *to, int64_t n)
{
	for (int64_t d = 1; d * d <= n; d++)
		if (n % d == 0) {
			offer_value(to, (double)d);
			offer_value(to, (double)(n / d));
		}
}

/* The values that a field takes in the space, the i-th; false past the last. */
static bool
value_of(const struct search_space *s, enum field_id f, int i, int64_t *v)
{
	const struct free_field *own = space_field(s, f);
	const enum field_id name = field_entry(f);
	const struct free_field *entry = name != FIELD_NONE && !field_is_set(f, &s->plan) ?
	    space_field(s, name) : NULL;
	struct plan p;

	if (own != NULL) {
		if (i < own->count)
			*v = (int64_t)s->value[own->first + i];
		return i < own->count;
	}
	if (entry == NULL) {
		*v = field_int(f, &s->plan);
		return i == 0;
	}
	if (i >= entry->count)
		return false;
	p = s->plan;
	space_put(s, (int)(entry - s->field), i, &p);
	plan_resolve(&p, s->catalog);
	*v = field_int(f, &p);
	return true;
}

/* Divisors of the GPUs that each pool leaves, where those are not so many that most numbers are. */
static void
offer_rests(struct finding *to, int64_t world)
{
	const struct free_field *nodes = space_field(to->space, FIELD_NODES);
	const struct free_field *pools = space_field(to->space, FIELD_PREFILL_WORKERS);
	struct plan p = to->space->plan;

	if (pools == NULL || (nodes != NULL && nodes->count * pools->count > RESTS_MOST))
		return;
	for (int i = 0; i < pools->count; i++) {
		space_word(pools, to->space->value[pools->first + i], p.serving.prefill_workers, sizeof p.serving.prefill_workers);
		if (pool_gpus(&p) < world)
			offer_divisors(to, world - pool_gpus(&p));
	}
}

/* Divisors of every world of the space. */
static void
offer_sizes(struct finding *to)
{
	int64_t nodes, gpus;

	for (int i = 0; value_of(to->space, FIELD_NODES, i, &nodes); i++)
		for (int k = 0; value_of(to->space, FIELD_GPUS_PER_NODE, k, &gpus); k++)
			if (nodes * gpus <= PLAN_WORLD_MAX) {
				offer_divisors(to, nodes * gpus);
				offer_rests(to, nodes * gpus);
			}
}

/* What decides how layers are placed is free: not only PP and VPP. */
static bool
placement_varies(const struct search_space *s)
{
	for (int i = 0; i < s->outer; i++) {
		const size_t offset = field_table[s->field[i].field].offset;

		if (offset < offsetof(struct plan, cluster) || s->field[i].field == FIELD_SCHEDULE ||
		    split_is_field(s->field[i].field) ||
		    (offset >= offsetof(struct plan, model) && offset < offsetof(struct plan, training)))
			return true;
	}
	return false;
}

/* Some split of the space places layers on the PP and VPP that are in. */
static bool
can_place(const struct search_space *s, const struct plan *p)
{
	const struct free_field *layout = space_field(s, FIELD_PIPELINE_LAYOUT);
	const int splits = layout != NULL && layout->splits ? split_count(&s->plan) : 1;
	struct placement placement;

	for (int i = 0; i < splits; i++) {
		struct plan q = *p;

		if (i > 0)
			split_state((enum split)i, &s->plan, &q);
		if (placement_init(&placement, &q, NULL))
			return true;
	}
	return false;
}

/* A stage holds at least one chunk of layers, embedding or head: of these VPP, those that
 * some PP of the space can place. */
static void
offer_chunks(struct finding *to)
{
	const struct search_space *s = to->space;
	const bool varies = placement_varies(s);
	int64_t most = 1, layers, pp;

	for (int i = 0; value_of(s, FIELD_LAYERS, i, &layers); i++)
		most = layers > most ? layers : most;
	for (int64_t vpp = 1; vpp <= most + 2; vpp++) {
		bool placed = varies;

		for (int i = 0; !placed && value_of(s, FIELD_PP, i, &pp); i++) {
			struct plan p = s->plan;

			field_store_int(FIELD_PP, &p, pp);
			field_store_int(FIELD_VPP, &p, vpp);
			placed = can_place(to->space, &p);
		}
		if (placed)
			offer_value(to, (double)vpp);
	}
}

static void
offer_batches(struct finding *to)
{
	int64_t batch;

	for (int i = 0; value_of(to->space, FIELD_GLOBAL_BATCH_SIZE, i, &batch); i++)
		offer_divisors(to, batch);
}

/* From the least value on by the field's own steps. */
static void
offer_steps(struct finding *to, enum field_id f)
{
	const bool real = field_table[f].type == FIELD_REAL;
	double v = to->least;

	for (int i = 0; i <= SPACE_VALUES_MAX && v <= to->most && !to->full; i++) {
		offer_value(to, v);
		v = to->every ? v + 1 : real ? to->least + (i + 1) * field_table[f].by :
		    (double)step_number(f, (int64_t)v, 1, 0);
	}
}

/* Pools of whole nodes, up to 64 sizes of them; of a single node those of any size. */
static void
offer_pools(struct finding *to)
{
	int64_t nodes, gpus;

	for (int i = 0; value_of(to->space, FIELD_NODES, i, &nodes); i++)
		for (int k = 0; value_of(to->space, FIELD_GPUS_PER_NODE, k, &gpus); k++) {
			/* at most 16777216 nodes of 1024 GPUs */
			const int64_t unit = nodes > 1 ? gpus * ((nodes + 63) / 64) : 1;

			for (int64_t n = unit; n < nodes * gpus && !to->full; n += unit)
				offer_value(to, (double)n);
		}
}

/* Engines of one size: each number of a few, then half more, while a GPU is left to decode. */
static void
add_workers(struct search_space *s, const struct pool *pool, int64_t world)
{
	char word[PLAN_ID_SIZE];

	for (int64_t n = 1; n * pool->size < world; n += n < 4 ? 1 : n / 2) {
		text_put(word, sizeof word, "%lldx%s%lld", (long long)n, pool->dp ? "dp" : "tp", (long long)pool->size);
		if (!text_equal(word, s->plan.serving.prefill_workers))
			text_add(s->pools, sizeof s->pools, ",%s", word);
	}
}

/* One has room for the weights, where these and the GPU are known. */
static bool
pool_has_room(const struct search_space *s, const struct pool *pool)
{
	const struct plan q = pool_plan(&s->plan, pool);

	return space_field(s, FIELD_PRESET) != NULL || space_field(s, FIELD_GPU) != NULL ||
	    space_field(s, FIELD_WEIGHT_DTYPE) != NULL ||
	    serve_pool_weights(&q) <= s->plan.cluster.memory_gib * GIB;
}

/* Pools for prefill where nobody says which: the plan's own, none, and engines of powers of two, within NVLink by TP
 * and beyond it by the ranks of experts. */
static const char *
pool_words(struct search_space *s)
{
	int64_t nodes, gpus, world = 0, reach = s->plan.cluster.nvlink_domain;

	for (int i = 0; value_of(s, FIELD_NODES, i, &nodes); i++)
		for (int k = 0; value_of(s, FIELD_GPUS_PER_NODE, k, &gpus); k++) {
			world = most_of(world, product_of(nodes, gpus));
			reach = most_of(reach, gpus);
		}
	text_put(s->pools, sizeof s->pools, "%s%s", s->plan.serving.prefill_workers,
	    s->plan.serving.prefill_workers[0] != '\0' ? "," : "");
	for (struct pool pool = { .size = 1 }; pool.size <= PREFILL_WIDEST && pool.size < world; pool.size *= 2)
		for (int dp = 0; dp < (pool.size > 1 && plan_has_experts(&s->plan) ? 2 : 1); dp++) {
			pool.dp = dp > 0;
			if ((pool.dp || pool.size <= reach) && pool_has_room(s, &pool))
				add_workers(s, &pool, world);
		}
	return s->pools;
}

/* Every value between least and most that can be legal. */
static void
offer_all(struct finding *to, enum field_id f)
{
	if (field_table[f].step == STEP_DIVISOR)
		offer_sizes(to);
	else if (f == FIELD_ROLLOUT_GPUS)
		offer_pools(to);
	else if (f == FIELD_VPP)
		offer_chunks(to);
	else if (f == FIELD_MICRO_BATCH_SIZE)
		offer_batches(to);
	else
		offer_steps(to, f);
}

/* One value as it is typed. */
static bool
parse_value(struct finding *to, const char *text, double *v, char *err, size_t size)
{
	const enum field_id f = to->field->field;
	const struct catalog_list *list = space_entries(to->space, f);
	const struct catalog_entry *entry;
	struct plan p = to->space->plan;

	if (*text == '\0' && (list != NULL || field_table[f].type != FIELD_TEXT)) {
		text_put(err, size, "%s: a value is missing, write %s=A,B", field_table[f].path,
		    field_table[f].path);
		return false;
	}
	if (list != NULL) {
		if ((entry = catalog_find(list, text)) != NULL) {
			*v = (double)(entry - list->entry);
			return true;
		}
		text_put(err, size, "'%s': the catalogue has no %s", text, field_table[f].label);
		text_add_near(err, size, catalog_near(list, text));
		return false;
	}
	text_put(err, size, "'%s': ", text);
	if (!field_parse(f, &p, text, err + strlen(err), size - strlen(err)))
		return false;
	if (field_table[f].type != FIELD_TEXT) /* a text's value is where it stands */
		*v = field_table[f].type == FIELD_REAL ? field_real(f, &p) : (double)field_int(f, &p);
	return true;
}

/* "1..64", and "1..64:2" in powers of two. Tokens go in their steps in any case: lengths that CP and TP
 * share are multiples. */
static bool
parse_range(struct finding *to, const char *text, const char *dots, char *err, size_t size)
{
	const struct field *row = &field_table[to->field->field];
	const char *powers = strstr(dots, ":2");
	const bool in_powers = powers != NULL && powers[2] == '\0';
	char word[PLAN_LAYOUT_SIZE];

	text_put(word, sizeof word, "%.*s", (int)(dots - text), text);
	if (!parse_value(to, word, &to->least, err, size))
		return false;
	text_put(word, sizeof word, "%.*s", in_powers ? (int)(powers - dots) - 2 : (int)sizeof word,
	    dots + 2);
	if (!parse_value(to, word, &to->most, err, size))
		return false;
	to->every = !in_powers && row->type == FIELD_INT && row->step == STEP_POWER &&
	    !text_equal(row->unit, "tokens");
	offer_all(to, to->field->field);
	return true;
}

/* Models published from a month on: "202411..". */
static bool
parse_since(struct finding *to, const char *text, const struct catalog_list *list, char *err,
    size_t size)
{
	char month[16];
	int64_t since;
	bool any = false;

	text_put(month, sizeof month, "%.*s", (int)strlen(text) - 2, text);
	for (size_t i = 0; text_to_int(month, &since) && i < list->count; i++)
		if (list->entry[i].published >= since) {
			offer_value(to, (double)i);
			any = true;
		}
	if (!any)
		text_put(err, size, "'%s': the catalogue has no model published since", text);
	return any;
}

/* "8,16,32" or a range. */
static bool
parse_values(struct finding *to, const char *text, char *err, size_t size)
{
	const enum field_id f = to->field->field;
	const char *dots = strstr(text, "..");
	double v;

	if (dots != NULL && (field_table[f].type == FIELD_INT || field_table[f].type == FIELD_REAL))
		return parse_range(to, text, dots, err, size);
	if (dots != NULL && dots[2] == '\0' && field_table[f].step == STEP_MODEL &&
	    space_entries(to->space, f) != NULL)
		return parse_since(to, text, space_entries(to->space, f), err, size);
	for (;;) {
		const size_t n = strcspn(text, ",");

		v = to->field->words != NULL ? (double)(text - to->field->words) : 0;
		if (!parse_value(to, TEXT_OF(PLAN_LAYOUT_SIZE, "%.*s", (int)n, text), &v, err, size))
			return false;
		offer_value(to, v);
		if (text[n] == '\0')
			return true;
		text += n + 1;
	}
}

/* What the framework would not build (nanotron_zero), or another name of a plan: DP attention in vLLM is TP 1. */
static bool
is_unbuilt(const struct search_space *s, enum field_id f)
{
	const struct plan *p = &s->plan;

	if (space_field(s, FIELD_LAYOUT) != NULL || space_field(s, FIELD_ENGINE) != NULL ||
	    space_field(s, FIELD_PRESET) != NULL)
		return false;
	if (f == FIELD_ZERO_STAGE)
		return (framework_rules(p) & RULES_NANOTRON) != 0;
	return f == FIELD_DP_ATTENTION && engine_of(p)->experts_over_all;
}

/* The range of what can be legal and means something: not longer than the model takes, not 0 of
 * a size. */
static void
set_range(struct finding *to)
{
	const struct search_space *s = to->space;
	const enum field_id f = to->field->field;
	const struct field *row = &field_table[f];
	const struct catalog_list *list = space_entries(s, f);
	char name[PLAN_ID_SIZE];
	int64_t longest;

	to->least = row->step == STEP_DIVISOR || f == FIELD_VPP ? 1 : row->least;
	to->most = row->most;
	if (row->type == FIELD_CHOICE)
		for (to->most = 0; field_choice(f, (int64_t)to->most + 1, name, sizeof name);)
			to->most++;
	if (row->type == FIELD_TEXT) /* a place in the catalogue, or among the words */
		to->most = list != NULL ? (double)list->count - 1 : HUGE_VAL;
	if (is_unbuilt(s, f))
		to->most = f == FIELD_ZERO_STAGE;
	if (f != FIELD_SEQUENCE_LENGTH && f != FIELD_CONTEXT_LENGTH)
		return;
	for (int i = 0; value_of(s, FIELD_MAX_POSITION, i, &longest); i++)
		if (i == 0 || (double)longest > to->most)
			to->most = (double)longest;
}

/* Where the plan's own text stands among them. */
static bool
own_word(const struct search_space *s, const struct free_field *f, double *v)
{
	char word[PLAN_LAYOUT_SIZE];

	for (int i = 0; i < f->count; i++) {
		*v = s->value[f->first + i];
		space_word(f, *v, word, sizeof word);
		if (text_equal(word, field_text(f->field, &s->plan)))
			return true;
	}
	return false;
}

/* The plan's own value, a number as in space.value; false for a name that nobody knows. */
static bool
own_value(const struct search_space *s, const struct free_field *field, double *v)
{
	const enum field_id f = field->field;
	const struct catalog_list *list = space_entries(s, f);
	const struct catalog_entry *entry;

	if (field->words != NULL)
		return own_word(s, field, v);
	if (list == NULL) {
		*v = field_table[f].type == FIELD_REAL ? field_real(f, &s->plan) :
		    (double)field_int(f, &s->plan);
		return true;
	}
	entry = catalog_find(list, field_text(f, &s->plan));
	if (entry != NULL)
		*v = (double)(entry - list->entry);
	return entry != NULL;
}

/* The plan's own split, and those that its framework can say, if that is not free itself. */
static void
offer_splits(struct finding *to)
{
	struct search_space *s = to->space;
	const int count = space_field(s, FIELD_LAYOUT) != NULL ? 1 : split_count(&s->plan);
	bool says = false;

	for (int i = 0; i < SPLIT_FIELDS; i++)
		says |= field_is_set(split_fields[i], &s->plan);
	to->field->splits = true;
	to->field->first = s->values;
	to->most = count - 1;
	for (int i = 0; i < count; i++)
		if (i != SPLIT_EVEN || says)
			offer_value(to, i);
}

bool
space_find_values(struct search_space *s, struct free_field *field, const char *values, char *err,
    size_t size)
{
	struct finding to = { .space = s, .field = field };
	const struct field *row = &field_table[field->field];
	double own;

	if (field->splits) {
		offer_splits(&to);
		return true;
	}
	if (row->type == FIELD_TEXT && space_entries(s, field->field) == NULL) {
		if (values == NULL && field->field == FIELD_PREFILL_WORKERS)
			values = pool_words(s);
		field->words = values;
		if (values == NULL) {
			text_put(err, size, "%s: say which values of this text, %s=A,B", row->path, row->path);
			return false;
		}
	}
	field->first = s->values;
	set_range(&to);
	if (values != NULL) {
		if (!parse_values(&to, values, err, size))
			return false;
	} else {
		offer_all(&to, field->field);
		if (own_value(s, field, &own))
			offer_value(&to, own);
	}
	if (to.full) {
		text_put(err, size, "too many values: say which, %s=A,B, or powers of two, %s=A..B:2", row->path,
		    row->path);
		return false;
	}
	if (field->count == 0) {
		text_put(err, size, "'%s': no value of %s is in its steps", values, row->path);
		return false;
	}
	for (int i = 0; i < field->count && field->row != NULL; i++)
		if ((int64_t)s->value[field->first + i] == field->row->idle)
			field->idle = i;
	field->own = -1;
	for (int i = 0; i < field->count && own_value(s, field, &own); i++)
		if (s->value[field->first + i] >= own && s->value[field->first + i] <= own)
			field->own = i;
	return true;
}
