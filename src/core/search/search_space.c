#include "core/search/search_space.h"

#include <math.h>
#include <string.h>

#include "core/engine/engine.h"
#include "core/framework/framework.h"
#include "core/framework/resolve.h"
#include "core/plan/override.h"
#include "core/framework/stage.h"
#include "core/rules/step.h"
#include "core/base/text.h"

/* The fields that a walk changes most often, in its order: what an estimate shares most
 * between neighbours comes last. All others stand before them, as in the table of fields. */
static const enum field_id inner_fields[] = {
	FIELD_TP, FIELD_CP, FIELD_EP, FIELD_ETP, FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE,
	FIELD_CP_COMM, FIELD_MOE_DISPATCHER, FIELD_MOE_OVERLAP, FIELD_REPLICAS, FIELD_DP_ATTENTION, FIELD_DCP, FIELD_PP, FIELD_VPP, FIELD_PIPELINE_LAYOUT,
	FIELD_ZERO_STAGE, FIELD_OFFLOAD, FIELD_PRECISION_AWARE_OPTIMIZER, FIELD_TP_OVERLAP,
	FIELD_CUDA_GRAPH, FIELD_FUSED_EXPERTS, FIELD_OVERLAP_GRAD_REDUCE, FIELD_OVERLAP_PARAM_GATHER
};
enum { INNER = sizeof inner_fields / sizeof *inner_fields };

/* Its place among them, -1 for an outer field. */
static int
inner_place(enum field_id f)
{
	for (int i = 0; i < INNER; i++)
		if (inner_fields[i] == f)
			return i;
	return -1;
}

/* ---- values ---------------------------------------------------------------------- */

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
offer(struct finding *to, double v)
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
			offer(to, (double)d);
			offer(to, (double)(n / d));
		}
}

static const struct free_field *
free_field_of(const struct search_space *s, enum field_id f)
{
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == f)
			return &s->field[i];
	return NULL;
}

/* The values that a field takes in the space, the i-th; false past the last. */
static bool
value_of(const struct search_space *s, enum field_id f, int i, int64_t *v)
{
	const struct free_field *own = free_field_of(s, f);
	const enum field_id name = field_entry(f);
	const struct free_field *entry = name != FIELD_NONE && !field_is_set(f, &s->plan) ?
	    free_field_of(s, name) : NULL;
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

/* Divisors of every world of the space. */
static void
offer_sizes(struct finding *to)
{
	int64_t nodes, gpus;

	for (int i = 0; value_of(to->space, FIELD_NODES, i, &nodes); i++)
		for (int k = 0; value_of(to->space, FIELD_GPUS_PER_NODE, k, &gpus); k++)
			if (nodes * gpus <= PLAN_WORLD_MAX)
				offer_divisors(to, nodes * gpus);
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
	const struct free_field *layout = free_field_of(s, FIELD_PIPELINE_LAYOUT);
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
			offer(to, (double)vpp);
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
		offer(to, v);
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
				offer(to, (double)n);
		}
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

static const struct catalog_list *
entries_of(const struct search_space *s, enum field_id f)
{
	const enum field_step step = field_table[f].step;

	if (s->catalog == NULL || (step != STEP_GPU && step != STEP_MODEL))
		return NULL;
	return step == STEP_GPU ? &s->catalog->gpus : &s->catalog->models;
}

/* One value as it is typed. */
static bool
parse_value(struct finding *to, const char *text, double *v, char *err, size_t size)
{
	const enum field_id f = to->field->field;
	const struct catalog_list *list = entries_of(to->space, f);
	const struct catalog_entry *entry;
	struct plan p = to->space->plan;
	const char *near;

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
		near = catalog_near(list, text);
		text_put(err, size, "'%s': the catalogue has no %s%s%s%s", text, field_table[f].label,
		    near != NULL ? " (did you mean " : "", near != NULL ? near : "",
		    near != NULL ? "?)" : "");
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

/* "8,16,32" or a range. */
static bool
parse_values(struct finding *to, const char *text, char *err, size_t size)
{
	const enum field_id f = to->field->field;
	const char *dots = strstr(text, "..");
	char word[PLAN_LAYOUT_SIZE];
	double v;

	if (dots != NULL && (field_table[f].type == FIELD_INT || field_table[f].type == FIELD_REAL))
		return parse_range(to, text, dots, err, size);
	for (;;) {
		const size_t n = strcspn(text, ",");

		v = to->field->words != NULL ? (double)(text - to->field->words) : 0;
		text_put(word, sizeof word, "%.*s", (int)n, text);
		if (!parse_value(to, word, &v, err, size))
			return false;
		offer(to, v);
		if (text[n] == '\0')
			return true;
		text += n + 1;
	}
}

/* What the framework would not build: nanotron_zero, dp_attention_without_experts. */
static bool
is_unbuilt(const struct search_space *s, enum field_id f)
{
	const struct plan *p = &s->plan;

	if (free_field_of(s, FIELD_LAYOUT) != NULL || free_field_of(s, FIELD_ENGINE) != NULL ||
	    free_field_of(s, FIELD_PRESET) != NULL)
		return false;
	if (f == FIELD_ZERO_STAGE)
		return (framework_rules(p) & RULES_NANOTRON) != 0;
	return f == FIELD_DP_ATTENTION && engine_of(p)->dp_is_whole && !plan_has_experts(p);
}

/* The range of what can be legal and means something: not longer than the model takes, not 0 of
 * a size. */
static void
set_range(struct finding *to)
{
	const struct search_space *s = to->space;
	const enum field_id f = to->field->field;
	const struct field *row = &field_table[f];
	const struct catalog_list *list = entries_of(s, f);
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

/* The word of a free text that stands at a place among its values. */
static void
copy_word(const struct free_field *f, double at, char *buf, size_t size)
{
	const char *word = f->words + (size_t)at;

	text_put(buf, size, "%.*s", (int)strcspn(word, ","), word);
}

/* Where the plan's own text stands among them. */
static bool
own_word(const struct search_space *s, const struct free_field *f, double *v)
{
	char word[PLAN_LAYOUT_SIZE];

	for (int i = 0; i < f->count; i++) {
		*v = s->value[f->first + i];
		copy_word(f, *v, word, sizeof word);
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
	const struct catalog_list *list = entries_of(s, f);
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
	const int count = free_field_of(s, FIELD_LAYOUT) != NULL ? 1 : split_count(&s->plan);
	bool says = false;

	for (int i = 0; i < SPLIT_FIELDS; i++)
		says |= field_is_set(split_fields[i], &s->plan);
	to->field->splits = true;
	to->field->first = s->values;
	to->most = count - 1;
	for (int i = 0; i < count; i++)
		if (i != SPLIT_EVEN || says)
			offer(to, i);
}

static bool
find_values(struct search_space *s, struct free_field *field, const char *values, char *err,
    size_t size)
{
	struct finding to = { .space = s, .field = field };
	const struct field *row = &field_table[field->field];
	double own;

	if (field->splits) {
		offer_splits(&to);
		return true;
	}
	if (row->type == FIELD_TEXT && entries_of(s, field->field) == NULL) {
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
			offer(&to, own);
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

/* ---- the space --------------------------------------------------------------------- */

/* Outer fields as in the table of fields, then the inner ones. */
static void
sort_fields(struct search_space *s, const struct wishes *w, const char *values[])
{
	s->count = 0;
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (inner_place(f) < 0 && wishes_find(w, f) < w->count)
			s->field[s->count++].field = f;
	s->outer = s->count;
	for (int i = 0; i < INNER; i++)
		if (wishes_find(w, inner_fields[i]) < w->count)
			s->field[s->count++].field = inner_fields[i];
	for (int i = 0; i < s->count; i++) {
		values[i] = w->item[wishes_find(w, s->field[i].field)].values;
		s->field[i].row = switch_of(s->field[i].field);
		s->field[i].splits = s->field[i].field == FIELD_PIPELINE_LAYOUT && values[i] == NULL;
	}
}

bool
space_make(struct search_space *s, const struct plan *p, const struct catalog *catalog,
    const struct wishes *w, char *err, size_t size)
{
	const char *values[SPACE_FIELDS_MAX];

	memset(s, 0, sizeof *s);
	s->plan = *p;
	s->catalog = catalog;
	s->size = 1;
	sort_fields(s, w, values);
	for (int i = 0; i < s->count; i++)
		if (!find_values(s, &s->field[i], values[i], err, size))
			return false;
	for (int i = s->count - 1; i >= 0; i--) {
		const uint64_t count = (uint64_t)s->field[i].count;

		if (s->size > (UINT64_C(1) << 62) / count) {
			text_put(err, size, "more than 2^62 combinations: fix some fields");
			return false;
		}
		s->field[i].stride = s->size;
		s->field[i].followed = plan_is_followed(s->field[i].field);
		s->size *= count;
	}
	return true;
}

void
space_put(const struct search_space *s, int i, int digit, struct plan *p)
{
	const enum field_id f = s->field[i].field;
	const struct catalog_list *list = entries_of(s, f);
	const double v = s->value[s->field[i].first + digit];
	char err[64], word[PLAN_LAYOUT_SIZE];

	if (s->field[i].splits) {
		if (free_field_of(s, FIELD_VPP) == NULL)
			p->parallel.vpp = s->plan.parallel.vpp; /* a layout took its place */
		split_state((enum split)v, &s->plan, p);
	} else if (s->field[i].words != NULL) {
		copy_word(&s->field[i], v, word, sizeof word);
		field_put_text(f, p, word, err, sizeof err);
	} else if (list != NULL)
		field_put_text(f, p, list->entry[(size_t)v].id, err, sizeof err);
	else if (field_table[f].type == FIELD_REAL)
		field_put_real(f, p, v, err, sizeof err);
	else
		field_store_int(f, p, (int64_t)v);
}

void
space_step(const struct search_space *s, int i, int digit, struct plan *p)
{
	space_put(s, i, digit, p);
	if (s->field[i].followed)
		plan_follow(p);
}

/* The first `fields` of them. */
static void
put_fields(const struct search_space *s, int fields, uint64_t index, struct plan *p)
{
	struct overrides dropped;

	*p = s->plan;
	for (int i = 0; i < fields; i++) {
		/* A split is one of the layers of the model that is in by then. */
		if (s->field[i].splits && free_field_of(s, FIELD_PRESET) != NULL)
			plan_resolve(p, s->catalog);
		space_put(s, i, space_digit(s, i, index), p);
	}
	overrides_drop(&s->plan, p, &dropped);
}

void
space_plan(const struct search_space *s, uint64_t index, struct plan *p)
{
	put_fields(s, s->count, index, p);
	plan_resolve(p, s->catalog);
}

void
space_outer(const struct search_space *s, uint64_t index, struct plan *p)
{
	put_fields(s, s->outer, index, p);
	for (int i = s->outer; i < s->count; i++)
		field_mark(s->field[i].field, p, true);
	plan_resolve(p, s->catalog);
}

bool
space_idles(const struct search_space *s, int i, int digit, const struct plan *p)
{
	const struct switch_row *row = s->field[i].row;

	return row != NULL && row->matters != NULL && !row->matters(p) && digit != s->field[i].idle;
}

bool
space_repeats(const struct search_space *s, uint64_t index, const struct plan *p)
{
	const struct free_field *f = p->parallel.pp <= 1 ?
	    free_field_of(s, FIELD_SCHEDULE) : NULL;
	int first = 0;

	for (int i = s->outer; i < s->count; i++)
		if (space_idles(s, i, space_digit(s, i, index), p))
			return true;
	if (f == NULL)
		return false;
	for (int i = 0; i < f->count; i++)
		if ((int64_t)s->value[f->first + i] == SCHEDULE_1F1B)
			first = i;
	return space_digit(s, (int)(f - s->field), index) != first;
}

int
space_fields(const struct search_space *s, int i, const enum field_id **fields)
{
	*fields = s->field[i].splits ? split_fields : &s->field[i].field;
	return s->field[i].splits ? SPLIT_FIELDS : 1;
}

int
space_place(const struct search_space *s, enum field_id f)
{
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == f || (s->field[i].splits && split_is_field(f)))
			return i;
	return -1;
}

size_t
space_format(const struct search_space *s, int i, uint64_t index, char *buf, size_t size)
{
	struct plan p = s->plan;

	if (s->field[i].splits) {
		space_plan(s, index, &p);
		return split_format(&p, buf, size);
	}
	space_put(s, i, space_digit(s, i, index), &p);
	return field_format(s->field[i].field, &p, buf, size);
}

int
space_sizes(const struct search_space *s, uint64_t index)
{
	int n = 0;

	for (int i = 0; i < s->count; i++) {
		const enum field_id f = s->field[i].field;

		if (field_table[f].step == STEP_DIVISOR || f == FIELD_VPP)
			n += s->value[s->field[i].first + space_digit(s, i, index)] > 1;
	}
	return n;
}
