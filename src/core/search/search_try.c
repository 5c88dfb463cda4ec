#include "core/search/search_try.h"

#include <math.h>

#include "core/base/number.h"

/* Beyond this the plan that is estimated to be faster was nearly always faster (ahead.def). */
static const double may_be_wrong = 0.2;

/* Fields whose values make another kind of plan. */
static const enum field_id kinds[] = {
	FIELD_GPU, FIELD_TP, FIELD_CP, FIELD_PP, FIELD_EP, FIELD_DP_ATTENTION, FIELD_DCP,
	FIELD_PREFILL_WORKERS, FIELD_FFN_GPUS, FIELD_ROLLOUT_GPUS, FIELD_ROLLOUT_TP,
};

bool
search_same_kind(const struct plan *p, const struct plan *q)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!field_same(kinds[i], p, q))
			return false;
	return (p->parallel.zero_stage == 3) == (q->parallel.zero_stage == 3) &&
	    (p->training.recompute == RECOMPUTE_FULL) == (q->training.recompute == RECOMPUTE_FULL);
}

static bool
is_near(double a, double b)
{
	return fabs(a - b) <= may_be_wrong * smaller(fabs(a), fabs(b));
}

/* Another plan of its kind is there, or one that takes the very same time: a measurement of both
 * decides nothing. */
static bool
is_tried(const struct search *s, const struct search_key *key, const size_t *at, size_t n, size_t i)
{
	struct plan p, q;

	space_plan(s->space, key[i].index, &p);
	for (size_t k = 0; k < n; k++) {
		const double apart = fabs(key[at[k]].tie[TIE_TIME] - key[i].tie[TIE_TIME]);

		space_plan(s->space, key[at[k]].index, &q);
		if (!(apart > 0) || search_same_kind(&p, &q))
			return true;
	}
	return false;
}

size_t
search_try(const struct search *s, const struct search_key *key, size_t count,
    size_t at[TRIES_MAX])
{
	size_t n = 0;

	if (count == 0 || s->front || !(key[0].tie[TIE_TIME] > 0))
		return 0;
	for (size_t i = 0; i < count && n < TRIES_MAX; i++) {
		if (!is_near(key[0].score[0], key[i].score[0]) ||
		    !is_near(key[0].tie[TIE_TIME], key[i].tie[TIE_TIME]))
			continue;
		if (!is_tried(s, key, at, n, i))
			at[n++] = i;
	}
	return n > 1 ? n : 0;
}
