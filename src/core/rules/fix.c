/*
 * fix.c - the nearest plan without an error: check_fixes of check.h.
 */
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "core/rules/values.h"

/* How good a changed plan is: fewer errors first, then the smaller change. */
struct outcome {
	size_t errors;
	double distance;
	char value[DIAG_FIX_SIZE];
};

static bool
is_better_outcome(const struct outcome *a, const struct outcome *b)
{
	return a->errors < b->errors || (a->errors == b->errors && a->distance < b->distance);
}

/* What is to be mended, and how thoroughly. */
struct complaint {
	const struct plan *plan;
	const struct catalog *catalog;
	const struct field_set *asked; /* fields that give way last; may be NULL */
	const char *reason;
	bool wholly; /* take legal plans alone: found out much faster */
	double most; /* how far a value may be from the plan's, 0: any */
};

/* Judge a plan of which field f was changed; false when what is complained of is still there. */
static bool
judge_value(const struct complaint *c, struct plan *p, enum field_id f, size_t *errors)
{
	struct diag_list diags;

	plan_resolve_field(p, f, c->catalog);
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
	if (complaint->most > 0 && distance > complaint->most)
		return;
	if (!field_parse(f, &changed, value, err, sizeof err) ||
	    !judge_value(complaint, &changed, f, &o.errors))
		return;
	text_put(o.value, sizeof o.value, "%s", value);
	if (is_better_outcome(&o, best))
		*best = o;
}

/* Try what the field could be instead. */
static void
try_field(const struct complaint *complaint, enum field_id f, struct outcome *best)
{
	struct values values;

	values_near(&values, complaint->plan, f);
	for (size_t i = 0; i < values.count; i++)
		try_value(complaint, f, values.item[i].text, values.item[i].distance, best);
}

static void
take_outcome(struct diag *d, enum field_id field, const struct outcome *o)
{
	d->fix_field = field;
	text_put(d->fix_value, sizeof d->fix_value, "%s", o->value);
}

/* The next field, where what was tried so far does not mend all. */
static void
try_next(const struct complaint *complaint, enum field_id f, enum field_id *field,
    struct outcome *best)
{
	struct outcome other = { .errors = best->errors, .distance = 0 };

	if (best->errors == 0)
		return;
	try_field(complaint, f, &other);
	if (other.errors >= best->errors)
		return;
	*best = other;
	*field = f;
}

/* The field of the error, then the sizes that users tune, in the order in which they would
 * give way; the first that leaves fewest errors. What was just asked for gives way a little,
 * but for the number of nodes, and more where nothing else mends it, and then the model.
 * Returns the field. */
static enum field_id
search_fields(const struct complaint *complaint, enum field_id own, struct outcome *best)
{
	static const enum field_id others[] = {
		FIELD_TP, FIELD_PP, FIELD_CP, FIELD_EP, FIELD_VPP, FIELD_ETP, FIELD_DP_REPLICATE,
		FIELD_GLOBAL_BATCH_SIZE, FIELD_MICRO_BATCH_SIZE, FIELD_SEQUENCE_LENGTH,
		FIELD_SEQUENCE_PARALLEL, FIELD_ZERO_STAGE, FIELD_PRECISION,
		FIELD_PRECISION_AWARE_OPTIMIZER, FIELD_NODES
	};
	static const enum field_id model[] = { FIELD_MAX_POSITION, FIELD_LAYERS };
	enum { OTHERS = sizeof others / sizeof *others };
	const size_t errors = best->errors;
	struct complaint about = *complaint;
	enum field_id field = own;

	about.most = VALUES_ABOUT;
	if (own != FIELD_NONE && own != FIELD_NODES && field_set_has(complaint->asked, own))
		try_next(&about, own, &field, best);
	for (size_t i = 0; i < OTHERS; i++)
		if (others[i] != FIELD_NODES && field_set_has(complaint->asked, others[i]))
			try_next(&about, others[i], &field, best);
	for (int asked = 0; asked <= 1 && best->errors == errors; asked++) {
		if (own != FIELD_NONE && field_set_has(complaint->asked, own) == asked)
			try_next(complaint, own, &field, best);
		for (size_t i = 0; i < OTHERS; i++)
			if (others[i] != own && field_set_has(complaint->asked, others[i]) == asked)
				try_next(complaint, others[i], &field, best);
	}
	for (size_t i = 0; i < 2 && best->errors == errors; i++)
		try_next(complaint, model[i], &field, best);
	return field;
}

static void
fix_error(const struct plan *p, const struct catalog *catalog, const struct field_set *asked,
    size_t errors, struct diag *d)
{
	struct complaint complaint = { p, catalog, asked, d->reason, .wholly = true };
	struct outcome best = { .errors = errors, .distance = 0 };
	enum field_id field = search_fields(&complaint, d->field, &best);

	if (best.errors > 0) { /* no single change makes it legal */
		complaint.wholly = false;
		best = (struct outcome){ .errors = errors, .distance = 0 };
		field = search_fields(&complaint, d->field, &best);
	}
	if (best.errors < errors)
		take_outcome(d, field, &best);
}

/* A warning is mended in its own field, a hint where that is a switch: other hints tell of
 * what is, not of what should be changed. */
static void
fix_advice(const struct plan *p, const struct catalog *catalog, size_t errors, struct diag *d)
{
	const struct complaint complaint = { p, catalog, NULL, d->reason, .wholly = false };
	struct outcome best = { .errors = errors + 1, .distance = 0 };

	if (d->field == FIELD_NONE ||
	    (d->severity == SEVERITY_HINT && field_table[d->field].type != FIELD_BOOL))
		return;
	try_field(&complaint, d->field, &best);
	if (best.errors <= errors)
		take_outcome(d, d->field, &best);
}

/* A list of nodes says how many there are, and how large the largest is, whatever else is wrong then. */
static bool
fix_listed(const struct plan *p, struct diag *d)
{
	struct node_counts c;

	if (!text_equal(d->reason, "node_gpus_of_others") && !text_equal(d->reason, "node_gpus_larger"))
		return false;
	plan_nodes_counted(p, &c);
	d->fix_field = d->field;
	text_put(d->fix_value, sizeof d->fix_value, "%lld", (long long)(d->field == FIELD_NODES ? c.nodes : c.most));
	return true;
}

void
check_fixes(const struct plan *p, const struct catalog *catalog, const struct field_set *asked,
    struct diag_list *diags)
{
	struct diag_list now;
	size_t errors;

	/* What plan_check finds, which may be less than what the caller collected. */
	diag_clear(&now);
	plan_check(p, catalog, &now);
	errors = diag_count(&now, SEVERITY_ERROR);
	for (size_t i = 0; i < diags->count; i++) {
		struct diag *d = &diags->item[i];

		/* Of what plan_check does not look for it can not say that it is mended. */
		if (d->fix_field != FIELD_NONE || !diag_has(&now, d->reason) || fix_listed(p, d))
			continue;
		if (d->severity == SEVERITY_ERROR)
			fix_error(p, catalog, asked, errors, d);
		else
			fix_advice(p, catalog, errors, d);
	}
}
