#include "core/search/search_walk.h"

#include <math.h>

#include "core/base/number.h"
#include "core/estimate/result.h"
#include "core/train/memory.h"

/* Lower bounds add up in another order than estimates do: within so much they are as fast. */
#define SLACK (1 + 1e-9)

/* Seconds that a condition allows the steps of the run; INFINITY where it asks of something else. Of
 * a run in stages of another batch the step of the plan's own does not tell. */
static double
run_seconds(const struct search_condition *c, const struct plan *p)
{
	switch (c->target.id) {
	case RESULT_RUN:
		return c->limit;
	case RESULT_DAYS:
	case RESULT_NET_DAYS:
		return p->run.batch_schedule[0] == '\0' ? 86400 * c->limit : INFINITY;
	default:
		return INFINITY;
	}
}

/* The time of a step that conditions allow. */
static double
allowed(const struct walk *w)
{
	const struct plan *p = &w->worker->plan;
	const double budget = p->training.token_budget * 1e9;
	const double tokens = (double)p->training.global_batch_size *
	    (double)p->training.sequence_length;
	double seconds = w->seconds;

	for (int i = 0; i < w->search->conditions && budget > 0; i++) {
		const struct search_condition *c = &w->search->condition[i];

		if (c->target.kind == TARGET_RESULT && !c->least)
			seconds = smaller(seconds, run_seconds(c, p) / budget * tokens * SLACK);
	}
	return seconds;
}

/* The time of a step that as many are as good as as are kept. */
static double
outdone(const struct walk *w)
{
	const struct search_target *t = &w->search->objective[0];
	const double worst = atomic_load_explicit(&w->control->worst, memory_order_relaxed);

	return worst < INFINITY ? SLACK *
	    target_step_seconds(t, &w->worker->plan, t->more ? -worst : worst) : INFINITY;
}

struct enough
walk_enough(const struct walk *w)
{
	const struct search *s = w->search;
	struct enough enough = { { INFINITY, INFINITY }, INFINITY };
	double *const end = s->tight ? &enough.bytes.low : &enough.bytes.high;

	if (s->explains)
		return enough;
	*end = memory_capacity(&w->worker->plan);
	if (plan_has_rl(&w->worker->plan))
		return enough; /* what its phases hold is known after the time of a step */
	enough.seconds = w->times ? allowed(w) : 0;
	if (w->by_time)
		enough.seconds = smaller(enough.seconds, outdone(w));
	return enough;
}

bool
walk_known_score(const struct walk *w, int field, double *score)
{
	const struct search_target *t = &w->search->objective[0];
	double v;

	if (w->known < 0 || field < w->known || !target_of_plan(t, &w->worker->plan, &v))
		return false;
	*score = t->more ? -v : v;
	return true;
}

/* So many are kept that one more has to be better than the last of them, which time decides where they
 * are as good. */
static bool
ties_by_time(const struct walk *w)
{
	const struct search_worker *worker = w->worker;

	return w->search->objectives == 1 && !w->search->explains && worker->room > 0 &&
	    worker->kept == worker->room && worker->plan.mode == MODE_TRAIN &&
	    !plan_has_rl(&worker->plan);
}

double
walk_tied_seconds(const struct walk *w, int field)
{
	const struct search_key *last;
	double score;

	if (!ties_by_time(w) || !walk_known_score(w, field, &score))
		return INFINITY;
	last = &w->worker->key[w->worker->kept - 1];
	return score < last->score[0] || !(last->tie[TIE_TIME] > 0) ? INFINITY :
	    SLACK * last->tie[TIE_TIME];
}

struct enough
walk_enough_for_all(const struct walk *w, int field)
{
	struct enough enough = walk_enough(w);
	const double tied = walk_tied_seconds(w, field);

	if (tied < INFINITY)
		enough.seconds = enough.seconds > 0 ? smaller(enough.seconds, tied) : tied;
	if (w->by_memory)
		enough.bytes.low = smaller(enough.bytes.low, SLACK *
		    atomic_load_explicit(&w->control->worst, memory_order_relaxed));
	return enough;
}
