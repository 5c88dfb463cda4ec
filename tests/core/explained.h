/* explained.h - whether the results of an estimate are numbers, and the sums of what explains them. */
#ifndef TESTS_CORE_EXPLAINED_H
#define TESTS_CORE_EXPLAINED_H
#include <math.h>

#include "core/base/text.h"
#include "core/estimate/explain.h"

static inline bool
explained_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

/* What is wrong with one result on a stage, NULL: nothing. Without a formula it is the sum of its
 * first terms; or there is none of it. Traffic of all dimensions comes to the whole. */
static inline const char *
explained_result(const struct plan *p, const struct explain *asked, double value)
{
	const struct result *r = &result_table[asked->id];
	struct reason reason[REASONS_MAX];
	char formula[2048];
	double sum = 0;

	result_formula(asked->id, p, asked->e, asked->stage >= 0 ? asked->stage : 0, formula, sizeof formula);
	if (formula[0] != '\0' || r->made->quantity == QUANTITY_COUNT || !(value > 0))
		return NULL;
	if (explain_reasons(asked, reason) == 0)
		return "has nothing that explains it";
	/* an engine notes the terms of its fullest stage alone */
	if (!explained_near(reason->sum, value) && !(asked->e->served && r->scope == SCOPE_STAGE))
		return "is not the sum of its terms";
	if (r->scope != SCOPE_FLOW)
		return NULL;
	for (int d = 0; d < TRAFFIC_DIMS; d++)
		sum += explain_dim(asked, reason, (enum traffic_dim)d).sum;
	return explained_near(sum, value) ? NULL : "is not the sum of all dimensions";
}

/* All results of an estimate, whose terms are in the ledger; false with the first one that is
 * wrong in why. */
static inline bool
explained_all(const struct plan *p, const struct estimate *e, const struct ledger *l, char *why,
    size_t size)
{
	for (int id = 0; id < RESULT_COUNT; id++) {
		const bool by_stage = result_table[id].scope == SCOPE_STAGE;

		for (int64_t stage = 0; stage == 0 || (by_stage && stage < e->stages); stage++) {
			const struct explain asked = { .id = (enum result_id)id, .e = e, .term = l->term,
				.terms = l->count, .stage = by_stage ? stage : -1, .row = -1 };
			const char *wrong = NULL;
			double value;

			if (!result_value(asked.id, e, stage, &value))
				continue;
			if (!isfinite(value) || value < 0)
				wrong = "is no number from 0 on";
			else if (l->count <= l->capacity)
				wrong = explained_result(p, &asked, value);
			if (wrong == NULL)
				continue;
			text_put(why, size, "%s, stage %d, which is %.17g, %s", result_table[id].path, (int)stage,
			    value, wrong);
			return false;
		}
	}
	return true;
}
#endif
