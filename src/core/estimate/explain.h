/*
 * explain.h - which terms of a ledger explain a result, and of which pipeline stage.
 *
 * A result is explained by sums of terms: first its own, then those of what it is made of, as
 * its row in result.def has them. `explain` and the why view show the same ones.
 */
#ifndef CORE_EXPLAIN_H
#define CORE_EXPLAIN_H
#include "core/estimate/result.h"

/* The parts of a step that are sums themselves. */
enum { EXPLAIN_PARTS = 4, REASONS_MAX = RESULT_MADE_MAX * (1 + EXPLAIN_PARTS) };

/* A result that is looked into. */
struct explain {
	enum result_id id;
	const struct estimate *e;
	const struct ledger_term *term; /* noted by an estimate of the same plan */
	size_t terms;
	int64_t stage; /* as asked for, -1: the usual one */
	int64_t row;   /* of one row of traffic, -1: of all */
	bool parts;    /* terms of a step are followed by those of its parts */
};

/* A sum of terms. */
struct reason {
	struct made_of made;
	enum result_id of;  /* the result that is the sum of all terms of the quantity */
	int64_t stage;      /* -1: the whole model */
	int dim;            /* enum traffic_dim, -1: of all */
	double sum, whole;  /* of its terms; and of all of the quantity, in the quantity's unit */
};

/* The sums that explain it: their number, 0 where the plan has none of it. A sum is of the whole
 * model where terms are, else of the stage asked for, on which it may be 0; without one of the
 * fullest, or where that has none of it (logits, the stage that sends most) of the first stage
 * that has. */
int explain_reasons(const struct explain *q, struct reason reason[REASONS_MAX]);

/* The next of the terms that a sum is of, from *at on, which is moved past it; NULL after the
 * last one. */
const struct ledger_term *explain_next(const struct explain *q, const struct reason *r, size_t *at);

/* The part of a sum that is traffic of one dimension; and the dimension that a term is of. */
struct reason explain_dim(const struct explain *q, const struct reason *r, enum traffic_dim dim);
enum traffic_dim explain_dim_of(const struct explain *q, const struct ledger_term *t);
#endif
