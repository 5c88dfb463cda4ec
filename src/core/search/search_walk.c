#include "core/search/search_walk.h"

#include <math.h>

#include "core/base/number.h"
#include "core/search/search_rank.h"
#include "core/train/memory.h"
#include "core/train/steptime.h"

/* Lower bounds add up in another order than estimates do: within so much they are as fast. */
#define SLACK (1 + 1e-9)

/* Seconds of a step that GPUs compute at least, with the free fields up to `field`; 0 as long as nobody knows, or for a
 * number that they are nothing to. */
static double
busy_least(const struct walk *w, const struct search_target *t, int field)
{
	struct search_worker *worker = w->worker;

	if (!target_is_energy(t) || field < w->bounds->batch_after || worker->plan.mode != MODE_TRAIN)
		return 0;
	scope_follow(&worker->scope, &worker->plan);
	return steptime_least(scope_batch(&worker->scope, &worker->plan), &worker->plan, false, 0);
}

/* The limits that conditions set, were each of them so many times as wide. */
static struct enough
allowed(const struct walk *w, int field, double wider)
{
	const struct plan *p = &w->worker->plan;
	struct enough enough = { { INFINITY, INFINITY }, INFINITY };

	for (int i = 0; i < w->search->conditions; i++) {
		const struct search_condition *c = &w->search->condition[i];
		const double limit = c->least ? c->limit / wider : c->limit * wider;

		if (c->least != c->target.more)
			continue; /* it asks for a worse one */
		if (target_follows_step(&c->target, p))
			enough.seconds = smaller(enough.seconds, SLACK * target_step_seconds(&c->target, p, limit,
			    busy_least(w, &c->target, field)));
		else if (target_is_memory(&c->target))
			enough.bytes.low = smaller(enough.bytes.low, SLACK * limit);
	}
	return enough;
}

/* The time of a step that as many are as good as as are kept. */
static double
outdone(const struct walk *w, int field)
{
	const struct search_target *t = &w->search->objective[0];
	const double worst = atomic_load_explicit(&w->control->worst, memory_order_relaxed);

	return worst < INFINITY ? SLACK *
	    target_step_seconds(t, &w->worker->plan, t->more ? -worst : worst, busy_least(w, t, field)) : INFINITY;
}

/* Of what does not qualify at first all is worked out and counted; then what may come nearer alone. */
bool
walk_narrows(const struct walk *w)
{
	const struct search_worker *worker = w->worker;

	return w->search->explains == 0 || (worker->has_nearest && worker->steps > w->search->explains &&
	    worker->plan.mode == MODE_TRAIN);
}

/* No nearer plan takes more. */
static struct enough
enough_to_be_nearer(const struct walk *w, int field)
{
	const struct search_key *nearest = &w->worker->nearest;
	const double capacity = memory_capacity(&w->worker->plan);
	const bool room = !(nearest->score[0] > 0);
	struct enough enough = allowed(w, field, room ? nearest->score[1] : INFINITY);

	/* Its range of memory lies above the capacity, or about it, or below. */
	enough.bytes.low = smaller(enough.bytes.low, SLACK * capacity *
	    (nearest->score[0] > 1 ? nearest->score[1] : 1));
	if (room && !w->search->tight)
		enough.bytes.high = capacity;
	return enough;
}

void
walk_roll(const struct walk *w, int field, uint64_t index)
{
	struct search_worker *worker = w->worker;
	const struct rl_least *r;

	if (field < w->space->outer)
		rollouts_find(&worker->rollouts, w->space, &w->search->objective[0], index, &worker->plan);
	r = worker->least = rollouts_least(&worker->rollouts, w->space, field, index);
	if (field >= w->space->rollouts)
		return;
	worker->bound.update = 0;
	worker->bound.state_most = r->holds ? SLACK * memory_capacity(&worker->plan) - r->memory : INFINITY;
}

/* What steps with their rollouts come to of which as many are as good as are kept. */
static double
phases_most(const struct walk *w)
{
	return !w->by_phases ? INFINITY : SLACK * target_phase_most(&w->search->objective[0],
	    atomic_load_explicit(&w->control->worst, memory_order_relaxed));
}

/* Memory of what fits, or is no farther from fitting than the nearest. */
static double
memory_most(const struct walk *w)
{
	return w->search->explains > 0 ? enough_to_be_nearer(w, 0).bytes.low :
	    SLACK * memory_capacity(&w->worker->plan);
}

bool
walk_rolls_out(const struct walk *w, int field)
{
	const struct search_worker *worker = w->worker;
	const double update = field >= w->space->rollouts ? worker->bound.update : 0;

	return !plan_has_rl(&worker->plan) || (worker->least->memory <= memory_most(w) &&
	    !(rl_step_least(worker->least, update) > phases_most(w)));
}

struct enough
walk_enough(const struct walk *w, int field)
{
	const struct search *s = w->search;
	struct enough enough = { { INFINITY, INFINITY }, INFINITY };
	const double capacity = memory_capacity(&w->worker->plan);

	if (s->explains > 0)
		return walk_narrows(w) ? enough_to_be_nearer(w, field) : enough;
	if (!plan_has_rl(&w->worker->plan)) { /* what its phases hold is known after the time of a step */
		enough = allowed(w, field, 1);
		if (!w->times)
			enough.seconds = 0;
		else if (w->by_time)
			enough.seconds = smaller(enough.seconds, outdone(w, field));
	}
	if (s->tight)
		enough.bytes.low = smaller(enough.bytes.low, capacity);
	else
		enough.bytes.high = capacity;
	enough.bytes.low = smaller(enough.bytes.low, SLACK * (capacity - w->worker->least->beside));
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

/* Which time decides where they are as good. */
static bool
ties_by_time(const struct walk *w)
{
	return w->search->objectives == 1 && w->search->explains == 0 && w->worker->plan.mode == MODE_TRAIN &&
	    !plan_has_rl(&w->worker->plan);
}

/* The one that another of that score has to be better than: that of its size, else the last of so many as are kept. NULL
 * where there is none yet. */
static const struct search_key *
tied_with(const struct walk *w, double score)
{
	const struct search_worker *worker = w->worker;

	if (rank_is_of_sizes(w->search))
		return rank_of_size(worker, score);
	return worker->room > 0 && worker->kept == worker->room ? &worker->key[worker->kept - 1] : NULL;
}

double
walk_tied_seconds(const struct walk *w, int field)
{
	const struct search_key *last;
	double score;

	if (!ties_by_time(w) || !walk_known_score(w, field, &score))
		return INFINITY;
	last = tied_with(w, score);
	return last == NULL || score < last->score[0] || !(last->tie[TIE_TIME] > 0) ? INFINITY :
	    SLACK * last->tie[TIE_TIME];
}

struct enough
walk_enough_for_all(const struct walk *w, int field)
{
	struct enough enough = walk_enough(w, field);
	const double tied = walk_tied_seconds(w, field);

	if (plan_has_rl(&w->worker->plan)) /* of an update */
		enough.seconds = rl_update_most(w->worker->least, phases_most(w));
	if (tied < INFINITY)
		enough.seconds = enough.seconds > 0 ? smaller(enough.seconds, tied) : tied;
	if (w->by_memory)
		enough.bytes.low = smaller(enough.bytes.low, SLACK *
		    atomic_load_explicit(&w->control->worst, memory_order_relaxed));
	return enough;
}
