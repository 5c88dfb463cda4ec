#include "core/search/search_score.h"

#include <math.h>

#include "core/base/number.h"

bool
score_has_room(const struct search *s, const struct estimate *e)
{
	return s->tight ? e->fits : estimate_has_room(e);
}

double
score_memory_miss(const struct plan *p, const struct estimate *e)
{
	const double asked = (double)p->serving.concurrency;

	if (e->peak_high > e->capacity || !e->served)
		return e->peak_high / e->capacity;
	return e->serve.max_concurrency < asked ? asked / e->serve.max_concurrency : 1;
}

double
score_conditions_miss(const struct search *s, const struct plan *p, const struct estimate *e,
    struct search_counts *counts)
{
	double most = 0;

	for (int i = 0; i < s->conditions; i++) {
		const double miss = condition_miss(&s->condition[i], p, e);

		if (miss > 0 && !(most > 0))
			counts->failed[i]++;
		most = larger(most, miss);
	}
	return most;
}

/* A number that has a name in any mode, 0 where it is not known. */
static double
named(const char *name, const struct plan *p, const struct estimate *e)
{
	struct search_target t;
	char err[128];
	double v;

	return target_find(&t, name, p, err, sizeof err) && target_value(&t, p, e, &v) && !isnan(v) ?
	    v : 0;
}

static void
put_ties(struct search_key *key, const struct plan *p, const struct estimate *e)
{
	key->tie[TIE_TIME] = e->timed || e->served ? named("time", p, e) : 0;
	key->tie[TIE_TOKENS] = e->timed || e->served ? -named("tokens", p, e) : 0;
	key->tie[TIE_MEMORY] = e->peak_total;
}

bool
score_plan(const struct search *s, const struct plan *p, const struct estimate *e,
    struct search_key *key)
{
	for (int i = 0; i < s->objectives; i++) {
		double v;

		if (!target_value(&s->objective[i], p, e, &v) || isnan(v))
			return false;
		key->score[i] = s->objective[i].more ? -v : v;
	}
	put_ties(key, p, e);
	return true;
}

void
score_least(const struct search *s, const struct plan *p, const struct estimate *e, struct search_key *key)
{
	for (int i = 0; i < s->objectives; i++)
		key->score[i] = target_least_score(&s->objective[i], p, e);
	put_ties(key, p, e);
}

enum follow
search_depth(const struct search *s)
{
	enum follow depth = FOLLOW_MEANS;

	for (int i = 0; i < s->objectives; i++)
		depth = (enum follow)most_of(depth, s->objective[i].events);
	for (int i = 0; i < s->conditions; i++)
		depth = (enum follow)most_of(depth, s->condition[i].target.events);
	return depth;
}

void
search_look(const struct search *s, uint64_t index, struct plan *p, struct estimate *e)
{
	space_plan(s->space, index, p);
	estimate_run_to(e, p, s->space->catalog, search_depth(s), NULL);
}

bool
score_verdict(const struct search *s, const struct plan *p, const struct estimate *e,
    struct search_key *key)
{
	struct search_counts counts = { .decided = 0 };

	return e->legal && score_has_room(s, e) && !(score_conditions_miss(s, p, e, &counts) > 0) &&
	    score_plan(s, p, e, key);
}
