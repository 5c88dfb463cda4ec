/*
 * fix.c - the nearest plan without an error: check_fixes of check.h.
 */
#include <math.h>

#include "core/check.h"
#include "core/framework/resolve.h"
#include "core/layout_build.h"
#include "core/text.h"

enum { CANDIDATES_MAX = 160 };

struct candidates {
	int count;
	int64_t value[CANDIDATES_MAX];
};

static void
offer(struct candidates *c, int64_t v)
{
	if (c->count < CANDIDATES_MAX && v >= 0)
		c->value[c->count++] = v;
}

/* Multiples of n around v. */
static void
offer_multiples(struct candidates *c, int64_t v, int64_t n)
{
	if (n < 1 || n > INT64_MAX / 4)
		return;
	offer(c, v / n * n);
	offer(c, (v / n + 1) * n);
}

/* Values worth a try for a whole number: neighbours, divisors of the world, powers of two,
 * and for batch and sequence what the rules ask them to be a multiple of. */
static void
offer_numbers(struct candidates *c, const struct plan *p, enum field_id f)
{
	const struct parallel *par = &p->parallel;
	const int64_t v = field_int(f, p), world = plan_world(p);
	const int64_t model = product(product(par->tp, par->pp), par->cp);

	for (int64_t d = 1; d <= 8; d++) {
		offer(c, v - d);
		offer(c, v + d);
	}
	for (int64_t power = 1; power <= 65536; power *= 2)
		offer(c, power);
	for (int64_t d = 1; d <= 1024 && d <= world && field_table[f].step == STEP_DIVISOR; d++)
		if (world % d == 0)
			offer(c, d);
	if (f == FIELD_GLOBAL_BATCH_SIZE && model > 0 && world % model == 0) {
		const int64_t unit = p->training.micro_batch_size * (world / model);

		offer_multiples(c, v, unit);
		offer_multiples(c, v, unit * par->pp);
		offer(c, product(unit, 2 * par->pp)); /* the fewest that fill DualPipe */
	}
	if (f == FIELD_SEQUENCE_LENGTH) {
		offer(c, p->model.max_position);
		offer_multiples(c, v, product(2 * par->cp, par->tp));
	}
	if (f == FIELD_NODES && model > 0)
		offer_multiples(c, v, (model - 1) / p->cluster.gpus_per_node + 1);
	if (f == FIELD_MAX_POSITION)
		offer(c, p->training.sequence_length);
}

/* How good a changed plan is: fewer errors first, then the smaller change. */
struct outcome {
	size_t errors;
	double distance;
	char value[DIAG_FIX_SIZE];
};

static bool
better(const struct outcome *a, const struct outcome *b)
{
	return a->errors < b->errors || (a->errors == b->errors && a->distance < b->distance);
}

/* What is to be mended, and how thoroughly. */
struct complaint {
	const struct plan *plan;
	const struct catalog *catalog;
	const char *reason;
	bool wholly; /* take legal plans alone: found out much faster */
};

/* Judge a changed plan; false when what is complained of is still there. */
static bool
judge(const struct complaint *c, struct plan *p, size_t *errors)
{
	struct diag_list diags;

	plan_resolve(p, c->catalog);
	*errors = 0;
	if (c->wholly)
		return plan_is_legal(p, c->catalog);
	diag_clear(&diags);
	plan_check(p, c->catalog, &diags);
	*errors = diag_count(&diags, SEVERITY_ERROR);
	return !diag_has(&diags, c->reason);
}

/* Try one value as it would be typed; keep it in *best when it is better. */
static void
try_value(const struct complaint *complaint, enum field_id f, const char *value, double distance,
    struct outcome *best)
{
	struct plan changed = *complaint->plan;
	struct outcome o = { .distance = distance };
	char err[256];

	if (best->errors == 0 && distance >= best->distance)
		return; /* a nearer one mends all */
	if (!field_parse(f, &changed, value, err, sizeof err) ||
	    !judge(complaint, &changed, &o.errors))
		return;
	text_put(o.value, sizeof o.value, "%s", value);
	if (better(&o, best))
		*best = o;
}

/* Try what the field could be instead. */
static void
try_field(const struct complaint *complaint, enum field_id f, struct outcome *best)
{
	const struct plan *p = complaint->plan;
	const struct field *row = &field_table[f];
	struct candidates c = { 0 };
	char value[PLAN_ID_SIZE];

	if (row->origin == ORIGIN_OPTIONAL && field_is_set(f, p))
		try_value(complaint, f, "", 0.5, best);
	switch (row->type) {
	case FIELD_INT:
		offer_numbers(&c, p, f);
		for (int i = 0; i < c.count; i++) {
			const double from = (double)field_int(f, p) + 0.5, to = (double)c.value[i] + 0.5;

			/* A size of 0 hides errors behind its own. */
			if (c.value[i] < 1 && (row->step == STEP_DIVISOR || f == FIELD_VPP))
				continue;
			text_put(value, sizeof value, "%lld", (long long)c.value[i]);
			try_value(complaint, f, value, fabs(log(to / from)), best);
		}
		break;
	case FIELD_BOOL:
	case FIELD_CHOICE:
		for (int64_t i = 0; field_choice(f, i, value, sizeof value); i++)
			if (i != field_int(f, p))
				try_value(complaint, f, value, 1 + (double)i / 100, best);
		break;
	case FIELD_TEXT:
		if (row->step == STEP_NONE || row->step == STEP_ORDER)
			try_value(complaint, f, row->default_text, 1, best);
		break;
	case FIELD_REAL:
		break;
	}
}

static void
take(struct diag *d, enum field_id field, const struct outcome *o)
{
	d->fix_field = field;
	text_put(d->fix_value, sizeof d->fix_value, "%s", o->value);
}

/* The field of the error, else the sizes that users tune, in the order in which they would
 * give way; the first that leaves fewest errors. Returns the field. */
static enum field_id
search_fields(const struct complaint *complaint, enum field_id own, struct outcome *best)
{
	static const enum field_id others[] = {
		FIELD_TP, FIELD_PP, FIELD_CP, FIELD_EP, FIELD_VPP, FIELD_ETP, FIELD_DP_REPLICATE,
		FIELD_GLOBAL_BATCH_SIZE, FIELD_MICRO_BATCH_SIZE, FIELD_SEQUENCE_LENGTH,
		FIELD_SEQUENCE_PARALLEL, FIELD_ZERO_STAGE, FIELD_PRECISION,
		FIELD_PRECISION_AWARE_OPTIMIZER, FIELD_MAX_POSITION, FIELD_LAYERS, FIELD_NODES
	};
	enum field_id field = own;

	if (own != FIELD_NONE)
		try_field(complaint, own, best);
	for (size_t i = 0; i < sizeof others / sizeof *others && best->errors > 0; i++) {
		struct outcome other = { .errors = best->errors, .distance = 0 };

		if (others[i] == own)
			continue;
		try_field(complaint, others[i], &other);
		if (other.errors < best->errors) {
			*best = other;
			field = others[i];
		}
	}
	return field;
}

static void
fix_error(const struct plan *p, const struct catalog *catalog, size_t errors, struct diag *d)
{
	struct complaint complaint = { p, catalog, d->reason, .wholly = true };
	struct outcome best = { .errors = errors, .distance = 0 };
	enum field_id field = search_fields(&complaint, d->field, &best);

	if (best.errors > 0) { /* no single change makes it legal */
		complaint.wholly = false;
		best = (struct outcome){ .errors = errors, .distance = 0 };
		field = search_fields(&complaint, d->field, &best);
	}
	if (best.errors < errors)
		take(d, field, &best);
}

/* A warning is mended in its own field, a hint where that is a switch: other hints tell of
 * what is, not of what should be changed. */
static void
fix_advice(const struct plan *p, const struct catalog *catalog, size_t errors, struct diag *d)
{
	const struct complaint complaint = { p, catalog, d->reason, .wholly = false };
	struct outcome best = { .errors = errors + 1, .distance = 0 };

	if (d->field == FIELD_NONE ||
	    (d->severity == SEVERITY_HINT && field_table[d->field].type != FIELD_BOOL))
		return;
	try_field(&complaint, d->field, &best);
	if (best.errors <= errors)
		take(d, d->field, &best);
}

void
check_fixes(const struct plan *p, const struct catalog *catalog, struct diag_list *diags)
{
	struct diag_list now;
	size_t errors;

	/* What plan_check finds, which may be less than what the caller collected. */
	diag_clear(&now);
	plan_check(p, catalog, &now);
	errors = diag_count(&now, SEVERITY_ERROR);
	for (size_t i = 0; i < diags->count; i++) {
		struct diag *d = &diags->item[i];

		if (d->fix_field != FIELD_NONE)
			continue;
		if (d->severity == SEVERITY_ERROR)
			fix_error(p, catalog, errors, d);
		else
			fix_advice(p, catalog, errors, d);
	}
}
