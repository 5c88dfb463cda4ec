#include "core/rules/values.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/plan/pool.h"

/* Put one in its place. Of equals the first stays in front; what is full lets the farthest go. */
static void
insert_value(struct values *out, const struct value *v)
{
	size_t at = out->count;

	for (size_t i = 0; i < out->count; i++)
		if (text_equal(out->item[i].text, v->text))
			return;
	while (at > 0 && out->item[at - 1].distance > v->distance)
		at--;
	if (at == VALUES_MAX)
		return;
	if (out->count < VALUES_MAX)
		out->count++;
	for (size_t i = out->count - 1; i > at; i--)
		out->item[i] = out->item[i - 1];
	out->item[at] = *v;
}

static void
offer_text(struct values *out, const char *text, double distance)
{
	struct value v = { .distance = distance };

	if (text_copy(v.text, sizeof v.text, text))
		insert_value(out, &v);
}

static void
offer_number(struct values *out, const struct plan *p, enum field_id f, int64_t n)
{
	const int64_t from = field_int(f, p);
	struct value v = { .distance = fabs(log(((double)n + 0.5) / ((double)from + 0.5))),
		.way = n < from ? -1 : 1 };

	/* A size of 0 hides errors behind its own. */
	if (n == from || n < 0 ||
	    (n < 1 && (field_table[f].step == STEP_DIVISOR || f == FIELD_VPP)))
		return;
	text_put(v.text, sizeof v.text, "%lld", (long long)n);
	insert_value(out, &v);
}

/* Multiples of n around the plan's value. */
static void
offer_multiples(struct values *out, const struct plan *p, enum field_id f, int64_t n)
{
	const int64_t v = field_int(f, p);

	if (n < 1 || n > INT64_MAX / 4)
		return;
	offer_number(out, p, f, v / n * n);
	offer_number(out, p, f, (v / n + 1) * n);
}

static void
offer_powers(struct values *out, const struct plan *p, enum field_id f)
{
	for (int64_t power = 1; power <= 65536; power *= 2)
		offer_number(out, p, f, power);
}

static void
offer_divisors(struct values *out, const struct plan *p, enum field_id f)
{
	const int64_t world = pool_rest(p);

	for (int64_t d = 1; d <= 1024 && d <= world; d++)
		if (world % d == 0)
			offer_number(out, p, f, d);
}

static void
offer_neighbours(struct values *out, const struct plan *p, enum field_id f)
{
	for (int64_t d = 1; d <= 8; d++) {
		offer_number(out, p, f, field_int(f, p) - d);
		offer_number(out, p, f, field_int(f, p) + d);
	}
}

/* Layers of an end stage that the others do not have: around what all would have alike. */
static void
offer_layers(struct values *out, const struct plan *p, enum field_id f)
{
	const int64_t alike = p->model.layers / most_of(1, p->parallel.pp);

	for (int64_t n = most_of(1, alike - 8); n <= alike + 8 && n < p->model.layers; n++) {
		struct value v = { .way = n < alike ? -1 : 1,
			.distance = 0.5 + fabs(log(((double)n + 0.5) / ((double)alike + 0.5))) };

		text_put(v.text, sizeof v.text, "%lld", (long long)n);
		if (n != field_int(f, p))
			insert_value(out, &v);
	}
}

static bool
is_end(enum field_id f)
{
	return f == FIELD_FIRST_STAGE_LAYERS || f == FIELD_LAST_STAGE_LAYERS;
}

/* Half and double as often as that goes: a batch of 96 stays one of three times something. */
static void
offer_doublings(struct values *out, const struct plan *p, enum field_id f)
{
	const int64_t v = field_int(f, p);

	for (int64_t n = v; n > 1 && n % 2 == 0; n /= 2)
		offer_number(out, p, f, n / 2);
	for (int64_t n = v, i = 0; i < 8 && n > 0 && n <= INT64_MAX / 2; i++)
		offer_number(out, p, f, n *= 2);
	offer_powers(out, p, f);
}

/* What the rules between fields ask this one to be a multiple of. */
static void
offer_ruled(struct values *out, const struct plan *p, enum field_id f)
{
	const struct parallel *par = &p->parallel;
	const int64_t world = pool_rest(p), model = product_of(product_of(par->tp, par->pp), par->cp);

	if (f == FIELD_GLOBAL_BATCH_SIZE && model > 0 && world % model == 0) {
		const int64_t unit = p->training.micro_batch_size * (world / model);

		offer_multiples(out, p, f, unit);
		offer_multiples(out, p, f, unit * par->pp);
		offer_number(out, p, f, product_of(unit, 2 * par->pp)); /* the fewest that fill DualPipe */
	}
	if (f == FIELD_SEQUENCE_LENGTH) {
		offer_number(out, p, f, p->model.max_position);
		offer_multiples(out, p, f, product_of(2 * par->cp, par->tp));
	}
	if (f == FIELD_NODES && model > 0)
		offer_multiples(out, p, f, (model - 1) / p->cluster.gpus_per_node + 1);
	if (f == FIELD_MAX_POSITION)
		offer_number(out, p, f, p->training.sequence_length);
	if (f == FIELD_CONTEXT_LENGTH)
		offer_number(out, p, f, p->model.max_position);
}

int64_t
values_batch_unit(const struct plan *p)
{
	int64_t odd = pool_rest(p);

	while (odd > 1 && odd % 2 == 0)
		odd /= 2;
	return product_of(odd, most_of(1, p->training.micro_batch_size));
}

/* Batches that an uneven number of nodes can share, where this one is none: of 7 nodes 63 and 70. */
static void
offer_shared(struct values *out, const struct plan *p)
{
	const int64_t unit = values_batch_unit(p);

	if (unit > 1 && p->training.global_batch_size % unit != 0)
		offer_multiples(out, p, FIELD_GLOBAL_BATCH_SIZE, unit);
}

static void
offer_choices(struct values *out, const struct plan *p, enum field_id f)
{
	const bool serves = p->mode == MODE_SERVE;
	char value[PLAN_ID_SIZE];

	for (int64_t i = 0; field_choice(f, i, value, sizeof value); i++)
		if (i != field_int(f, p) && (f != FIELD_LAYOUT || framework_rows[i]->serves == serves))
			offer_text(out, value, 1 + (double)i / 100);
}

static void
offer_reals(struct values *out, const struct plan *p, enum field_id f)
{
	const struct field *row = &field_table[f];

	for (int i = -5; i <= 5; i++) {
		/* Rounded to what is typed: 0.9 and 0.01 make 0.91. */
		const double n = round((field_real(f, p) + i * row->by) * 1e6) / 1e6;
		struct value v = { .distance = fabs((double)i) / 10, .way = i < 0 ? -1 : 1 };

		if (i == 0 || row->step != STEP_BY || n < row->least || n > row->most)
			continue;
		text_real(v.text, sizeof v.text, n);
		insert_value(out, &v);
	}
}

static void
offer_default(struct values *out, const struct plan *p, enum field_id f)
{
	if (!text_equal(field_text(f, p), field_table[f].default_text))
		offer_text(out, field_table[f].default_text, 1);
}

/* Prefill workers of the same size, fewer or more. */
static void
offer_workers(struct values *out, const struct plan *p)
{
	struct pool pool;

	if (!pool_parse(&pool, p->serving.prefill_workers))
		return;
	for (int64_t n = 1; n <= 2 * pool.workers + 8 && n * pool.size < plan_world(p); n++) {
		struct value v = { .way = n < pool.workers ? -1 : 1,
			.distance = fabs(log(((double)n + 0.5) / ((double)pool.workers + 0.5))) };

		text_put(v.text, sizeof v.text, "%lldx%s%lld", (long long)n, pool.dp ? "dp" : "tp",
		    (long long)pool.size);
		if (n != pool.workers)
			insert_value(out, &v);
	}
}

void
values_steps(struct values *out, const struct plan *p, enum field_id f)
{
	const struct field *row = &field_table[f];

	out->count = 0;
	switch (row->type) {
	case FIELD_INT:
		if (is_end(f))
			offer_layers(out, p, f);
		else if (row->step == STEP_DIVISOR)
			offer_divisors(out, p, f);
		else if (row->step == STEP_POWER)
			offer_doublings(out, p, f);
		else
			offer_neighbours(out, p, f);
		if (f == FIELD_MAX_POSITION)
			offer_ruled(out, p, f);
		if (f == FIELD_GLOBAL_BATCH_SIZE)
			offer_shared(out, p);
		break;
	case FIELD_BOOL:
	case FIELD_CHOICE:
		offer_choices(out, p, f);
		break;
	case FIELD_REAL:
		offer_reals(out, p, f);
		break;
	case FIELD_TEXT:
		if (row->step == STEP_ORDER)
			offer_default(out, p, f);
		if (f == FIELD_PREFILL_WORKERS)
			offer_workers(out, p);
		break;
	}
}

void
values_near(struct values *out, const struct plan *p, enum field_id f)
{
	const struct field *row = &field_table[f];
	char longer[PLAN_LIST_SIZE];

	out->count = 0;
	if (row->origin == ORIGIN_OPTIONAL && field_is_set(f, p))
		offer_text(out, "", 0.5);
	switch (row->type) {
	case FIELD_INT:
		if (is_end(f)) {
			offer_layers(out, p, f);
			break;
		}
		offer_neighbours(out, p, f);
		offer_powers(out, p, f);
		if (row->step == STEP_DIVISOR)
			offer_divisors(out, p, f);
		offer_ruled(out, p, f);
		break;
	case FIELD_BOOL:
	case FIELD_CHOICE:
		offer_choices(out, p, f);
		break;
	case FIELD_TEXT:
		if (row->step == STEP_NONE || row->step == STEP_ORDER)
			offer_default(out, p, f);
		if (f == FIELD_ADAPTER_TARGET && text_put(longer, sizeof longer, "%s+experts",
		    p->finetune.target) < sizeof longer)
			offer_text(out, longer, 0.5);
		if (f == FIELD_ADAPTER_TARGET && p->model.layer_pattern[0] != '\0')
			offer_text(out, "q+k+v+o+gate+up+down+in_proj", 1);
		break;
	case FIELD_REAL:
		break;
	}
}
