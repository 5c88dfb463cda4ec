#include "core/estimate/explain.h"

enum { WHOLE = -1, ANY_STAGE = -2 };

enum traffic_dim
explain_dim_of(const struct explain *q, const struct ledger_term *t)
{
	return q->e->traffic.row[t->part - PART_ROW].dim;
}

const struct ledger_term *
explain_next(const struct explain *q, const struct reason *r, size_t *at)
{
	while (*at < q->terms) {
		const struct ledger_term *t = &q->term[(*at)++];

		if (result_has_term(&r->made, t) && (r->stage == ANY_STAGE || t->stage == r->stage) &&
		    (r->dim < 0 || (int)explain_dim_of(q, t) == r->dim))
			return t;
	}
	return NULL;
}

static double
sum_terms(const struct explain *q, const struct reason *r)
{
	double sum = 0;
	size_t at = 0;

	for (const struct ledger_term *t; (t = explain_next(q, r, &at)) != NULL;)
		sum += t->value;
	return sum;
}

static void
sum_reason(const struct explain *q, struct reason *r)
{
	struct reason whole = *r;

	whole.made.part = PART_NONE;
	r->sum = sum_terms(q, r);
	r->whole = sum_terms(q, &whole);
}

static bool
has_terms(const struct explain *q, const struct reason *r, int64_t stage)
{
	struct reason there = *r;
	size_t at = 0;

	there.stage = stage;
	return explain_next(q, &there, &at) != NULL;
}

static int64_t
stage_of(const struct explain *q, const struct reason *r)
{
	if (has_terms(q, r, WHOLE))
		return WHOLE;
	if (q->stage >= 0)
		return q->stage;
	for (int64_t stage = 0; stage < q->e->stages; stage++)
		if (!has_terms(q, r, q->e->peak_stage) && has_terms(q, r, stage))
			return stage;
	return q->e->peak_stage;
}

static int
add_reason(const struct explain *q, enum quantity quantity, int32_t part, struct reason *r)
{
	const struct result *result = &result_table[q->id];

	*r = (struct reason){
		.made = { quantity, part }, .of = result_of_quantity(quantity), .stage = ANY_STAGE,
		.dim = result->scope == SCOPE_DIM ? (int)result->at : -1,
	};
	if (!has_terms(q, r, ANY_STAGE))
		return 0;
	r->stage = stage_of(q, r);
	sum_reason(q, r);
	return 1;
}

/* What the terms of a step are sums of in turn. */
static int
add_parts(const struct explain *q, const struct made_of *made, struct reason *reason)
{
	static const struct made_of step[EXPLAIN_PARTS] = {
		{ QUANTITY_FORWARD, PART_COMPUTE }, { QUANTITY_BACKWARD, PART_COMPUTE },
		{ QUANTITY_RECOMPUTE, PART_RECOMPUTE }, { QUANTITY_EXPOSED, PART_EXPOSED },
	};
	int count = 0;

	for (int i = 0; made->quantity == QUANTITY_STEP && i < EXPLAIN_PARTS; i++)
		if (made->part == PART_NONE || made->part == step[i].part)
			count += add_reason(q, step[i].quantity, PART_NONE, &reason[count]);
	return count;
}

int
explain_reasons(const struct explain *q, struct reason reason[REASONS_MAX])
{
	const struct made_of *const first = result_table[q->id].made, *made;
	int count = 0;
	double value;

	/* what nobody asked for has none, though terms that it shares with others are there */
	if (result_table[q->id].rule == RULE_ASKED && result_value(q->id, q->e, q->stage >= 0 ? q->stage : q->e->peak_stage,
	    &value) && !(value > 0))
		return 0;
	for (made = first; made->quantity != QUANTITY_COUNT; made++)
		count += add_reason(q, made->quantity,
		    q->row >= 0 ? PART_ROW + (int32_t)q->row : made->part, &reason[count]);
	for (made = first; q->parts && made->quantity != QUANTITY_COUNT; made++)
		count += add_parts(q, made, &reason[count]);
	return count;
}

struct reason
explain_dim(const struct explain *q, const struct reason *r, enum traffic_dim dim)
{
	struct reason own = *r;

	own.dim = (int)dim;
	sum_reason(q, &own);
	return own;
}
