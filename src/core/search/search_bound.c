#include "core/search/search_bound.h"

#include <math.h>

#include "core/framework/framework.h"
#include "core/framework/resolve.h"
#include "core/plan/pool.h"
#include "core/rules/check.h"

static bool
is_one_of(enum field_id f, const enum field_id *set, int count)
{
	for (int i = 0; i < count; i++)
		if (set[i] == f)
			return true;
	return false;
}

/* The last free field that is none of these, or the last outer one. */
static int
last_but(const struct search_space *s, const enum field_id *set, int count)
{
	int last = s->outer - 1;

	for (int i = s->outer; i < s->count; i++)
		if (!is_one_of(s->field[i].field, set, count))
			last = i;
	return last > 0 ? last : 0;
}

static int
place_of(const struct search_space *s, enum field_id f)
{
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == f)
			return i;
	return -1;
}

void
bounds_plan(struct bounds *b, const struct search_space *s)
{
	/* State takes no notice of the first two; the pipeline's work does of all but the last. */
	static const enum field_id rest[] = { FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE, FIELD_PP,
		FIELD_VPP, FIELD_ZERO_STAGE };

	b->shards_after = last_but(s, rest, 5);
	b->split_after = last_but(s, rest + 1, 4);
	b->batch_after = last_but(s, rest + 2, 3);
	b->pipeline_after = last_but(s, rest + 4, 1);
	b->pp = place_of(s, FIELD_PP);
	b->vpp = place_of(s, FIELD_VPP);
	b->zero = place_of(s, FIELD_ZERO_STAGE);
}

/* ---- stages -------------------------------------------------------------------------- */

/* Put a value of a free field in, or leave the plan's where it is not free. */
static void
put_value(const struct search_space *s, int field, int digit, struct plan *p)
{
	if (field >= 0)
		space_step(s, field, digit, p);
}

static int
values_of(const struct search_space *s, int field)
{
	return field >= 0 ? s->field[field].count : 1;
}

/* The first VPP that places the layers on the PP that is in, -1: none. */
static int
placing_vpp(const struct bounds *b, const struct search_space *s, struct plan *p)
{
	struct placement placement;

	for (int i = 0; i < values_of(s, b->vpp); i++) {
		put_value(s, b->vpp, i, p);
		if (placement_init(&placement, p, NULL))
			return i;
	}
	return -1;
}

/* The outer fields and PP decide that, and no size. */
static void
find_placed(const struct bounds *b, const struct search_space *s, uint64_t index,
    struct plan *p, struct bound_room *room)
{
	const uint64_t outer = 1 + (s->outer > 0 ? index / s->field[s->outer - 1].stride : 0);

	if (room->outer == outer)
		return;
	for (int i = 0; i < values_of(s, b->pp); i++) {
		put_value(s, b->pp, i, p);
		room->placed[i] = placing_vpp(b, s, p);
	}
	room->outer = outer;
}

/* ---- memory -------------------------------------------------------------------------- */

/* No ZeRO stage has room, with the PP that is in. */
static bool
pp_is_full(const struct bounds *b, const struct search_space *s, struct plan *p,
    const struct memory_limit *limit)
{
	struct layout layout;
	struct memory_setup setup;

	if (!layout_size(&layout, p, NULL))
		return false; /* which other VPP may not be */
	for (int i = 0; i < values_of(s, b->zero); i++) {
		double least;

		put_value(s, b->zero, i, p);
		memory_setup_plan(&setup, p, &layout, NULL, 0);
		least = memory_least(&setup);
		if (!memory_exceeds(least, least, limit))
			return false;
	}
	return true;
}

/* No PP has room; which of them have is left in room. */
static bool
all_full(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct bound_room *room, const struct memory_limit *limit)
{
	const struct parallel own = p->parallel;
	bool all = true;

	find_placed(b, s, index, p, room);
	for (int i = 0; i < values_of(s, b->pp); i++) {
		if (room->placed[i] >= 0) {
			put_value(s, b->pp, i, p);
			put_value(s, b->vpp, room->placed[i], p);
		}
		room->full[i] = room->placed[i] < 0 || pp_is_full(b, s, p, limit);
		all &= room->full[i];
	}
	p->parallel = own;
	return all;
}

/* No PP that has room leaves a DP that divides the batch into micro-batches. */
static bool
all_odd(const struct bounds *b, const struct search_space *s, const struct plan *p,
    const struct bound_room *room)
{
	const int64_t ranks = p->parallel.tp * p->parallel.cp, world = pool_rest(p);

	for (int i = 0; i < values_of(s, b->pp); i++) {
		const int64_t size = ranks * (b->pp < 0 ? p->parallel.pp :
		    (int64_t)s->value[s->field[b->pp].first + i]);

		if (!room->full[i] && size > 0 && world % size == 0 &&
		    check_microbatches(p, world / size) > 0)
			return false;
	}
	return true;
}

/* ---- time ---------------------------------------------------------------------------- */

static bool
batch_is_slow(const struct plan *p, struct scope *scope, double limit)
{
	scope_follow(scope, p);
	return steptime_least(scope_batch(scope, p), p) > limit;
}

/* The same with any recompute: none adds nothing. */
static bool
split_is_slow(struct plan *p, struct scope *scope, double limit)
{
	const int64_t own = p->training.recompute;
	bool slow;

	p->training.recompute = RECOMPUTE_NONE;
	slow = batch_is_slow(p, scope, limit);
	p->training.recompute = own;
	return slow;
}

static bool
pipeline_is_slow(const struct plan *p, struct scope *scope, double limit)
{
	scope_follow(scope, p);
	return scope_place(scope, p) && scope_step(scope, p)->least > limit;
}

bool
bounds_all(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, struct bound_room *room, const struct enough *enough)
{
	/* Engines, which have another DP, do not train. */
	if (p->mode != MODE_TRAIN || (framework_rules(p) & RULES_VLLM) != 0)
		return false;
	if (field == b->shards_after && all_full(b, s, index, p, room, &enough->bytes))
		return true;
	if (field == b->pp && room->full[space_digit(s, b->pp, index)])
		return true;
	if (field == b->split_after && all_odd(b, s, p, room))
		return true;
	if (!(enough->seconds > 0) || enough->seconds >= INFINITY)
		return false;
	return (field == b->split_after && split_is_slow(p, scope, enough->seconds)) ||
	    (field == b->batch_after && batch_is_slow(p, scope, enough->seconds)) ||
	    (field == b->pipeline_after && pipeline_is_slow(p, scope, enough->seconds));
}
