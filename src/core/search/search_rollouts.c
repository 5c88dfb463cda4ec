#include "core/search/search_rollouts.h"

#include <math.h>

#include "core/base/number.h"

/* What stands for rollouts of which nothing is known, and for a plan without any. */
static const struct rl_least nothing;

/* How many they are with all values of the fields from `field` on. */
static uint64_t
rollouts_from(const struct search_space *s, int field)
{
	return field > 0 ? s->field[field - 1].stride : s->size;
}

/* Sleep and offload alone leave the engine as it is. */
static bool
changes_engine(const struct search_space *s, int field)
{
	return s->field[field].field != FIELD_ENGINE_SLEEP && s->field[field].field != FIELD_RL_OFFLOAD;
}

/* Put the values of combination i in; true when its engine is another than that of the one before. */
static bool
put_rollouts(const struct search_space *s, uint64_t i, struct plan *p)
{
	bool other = i == 0;

	for (int f = s->rollouts; f < s->count; f++) {
		space_step(s, f, space_digit(s, f, i), p);
		other |= changes_engine(s, f) && i > 0 && space_digit(s, f, i) != space_digit(s, f, i - 1);
	}
	return other;
}

static void
find_all(struct rollouts *r, const struct search_space *s, const struct search_target *t,
    uint64_t count, struct plan *p)
{
	struct rl_least *least = &r->least[r->first[s->count - s->rollouts]];

	for (uint64_t i = 0; i < count; i++) {
		double weight;

		if (put_rollouts(s, i, p))
			r->runs[i] = plan_has_rollouts(p) && rl_engine_of(&r->engine[i], p, NULL);
		else {
			r->engine[i] = r->engine[i - 1];
			r->runs[i] = r->runs[i - 1];
		}
		least[i] = rl_least_of(p, r->runs[i] ? &r->engine[i] : NULL);
		weight = target_phase_weight(t, p);
		least[i].seconds *= weight;
		least[i].before *= weight;
		least[i].updates *= weight;
	}
}

/* The least of so many, of which some are legal. */
static struct rl_least
least_of_all(const struct rl_least *of, int count)
{
	struct rl_least all = { .beside = INFINITY, .memory = INFINITY, .holds = true,
		.seconds = INFINITY, .before = INFINITY, .updates = INFINITY };

	for (int i = 0; i < count; i++) {
		if (of[i].memory >= INFINITY)
			continue;
		all.beside = smaller(all.beside, of[i].beside);
		all.memory = smaller(all.memory, of[i].memory);
		all.holds &= of[i].holds;
		all.seconds = smaller(all.seconds, of[i].seconds);
		all.before = smaller(all.before, of[i].before);
		all.updates = smaller(all.updates, of[i].updates);
	}
	return all;
}

/* Where those with so many fields in are; false when there is no room for all. */
static bool
find_places(struct rollouts *r, const struct search_space *s)
{
	uint64_t at = 0, count = 1;

	for (int in = 0; in <= s->count - s->rollouts; in++) {
		r->first[in] = (size_t)at;
		at += count;
		if (at > ROLLOUTS_MOST)
			return false;
		if (s->rollouts + in < s->count)
			count *= (uint64_t)s->field[s->rollouts + in].count;
	}
	return true;
}

void
rollouts_find(struct rollouts *r, const struct search_space *s, const struct search_target *t,
    uint64_t index, const struct plan *p)
{
	const uint64_t outer = 1 + (s->outer > 0 ? index / s->field[s->outer - 1].stride : 0);
	struct plan q;

	if (r->outer == outer || !plan_has_rl(p)) {
		r->known &= plan_has_rl(p);
		return;
	}
	q = *p;
	r->outer = outer;
	r->known = find_places(r, s);
	if (!r->known)
		return;
	find_all(r, s, t, rollouts_from(s, s->rollouts), &q);
	for (int in = s->count - s->rollouts - 1; in >= 0; in--) {
		const int count = s->field[s->rollouts + in].count;

		for (size_t i = r->first[in]; i < r->first[in + 1]; i++)
			r->least[i] = least_of_all(&r->least[r->first[in + 1] +
			    (i - r->first[in]) * (size_t)count], count);
	}
}

const struct rl_least *
rollouts_least(const struct rollouts *r, const struct search_space *s, int field, uint64_t index)
{
	const int in = field < s->rollouts ? 0 : field - s->rollouts + 1;

	if (!r->known)
		return &nothing;
	return &r->least[r->first[in] + (in == 0 ? 0 :
	    (size_t)(index % rollouts_from(s, s->rollouts) / s->field[field].stride))];
}

const struct rl_engine *
rollouts_engine(const struct rollouts *r, const struct search_space *s, uint64_t index)
{
	const uint64_t i = r->known ? index % rollouts_from(s, s->rollouts) : 0;

	return r->known && r->runs[i] ? &r->engine[i] : NULL;
}
