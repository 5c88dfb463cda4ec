#include "core/search/search_bound.h"

#include <math.h>
#include <string.h>

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
	/* State takes no notice of these, work by stages of none from the second on, the batch from PP,
	 * the pipeline's work from the ZeRO stage on. */
	static const enum field_id rest[] = { FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE, FIELD_CP_COMM,
		FIELD_MOE_DISPATCHER, FIELD_MOE_OVERLAP, FIELD_PP, FIELD_VPP, FIELD_PIPELINE_LAYOUT,
		FIELD_ZERO_STAGE, FIELD_OFFLOAD, FIELD_PRECISION_AWARE_OPTIMIZER, FIELD_TP_OVERLAP,
		FIELD_CUDA_GRAPH, FIELD_FUSED_EXPERTS, FIELD_OVERLAP_GRAD_REDUCE,
		FIELD_OVERLAP_PARAM_GATHER };
	enum { REST = sizeof rest / sizeof *rest };

	b->shards_after = last_but(s, rest, REST);
	b->split_after = last_but(s, rest + 1, REST - 1);
	b->batch_after = last_but(s, rest + 5, REST - 5);
	b->chunks_after = last_but(s, rest + 7, REST - 7);
	b->pipeline_after = last_but(s, rest + 8, REST - 8);
	b->tail_after = last_but(s, rest + 9, REST - 9);
	for (b->tail = s->outer; b->tail < s->count; b->tail++)
		if (s->field[b->tail].row != NULL && !s->field[b->tail].row->early)
			break;
	b->pp = place_of(s, FIELD_PP);
	b->vpp = place_of(s, FIELD_VPP);
	b->split = place_of(s, FIELD_PIPELINE_LAYOUT);
	if (b->split >= 0 && !s->field[b->split].splits)
		b->split = -1;
	b->zero = place_of(s, FIELD_ZERO_STAGE);
	b->context = place_of(s, FIELD_CP_COMM);
	b->dispatcher = place_of(s, FIELD_MOE_DISPATCHER);
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

/* The place of PP, VPP and split in the map. */
static size_t
map_place(const struct bounds *b, const struct search_space *s, int pp, int vpp, int split)
{
	return ((size_t)pp * (size_t)values_of(s, b->vpp) + (size_t)vpp) *
	    (size_t)values_of(s, b->split) + (size_t)split;
}

/* The first VPP that places the layers on the PP that is in, -1: none; all of them, where there
 * is a map. */
static int
placing_vpp(const struct bounds *b, const struct search_space *s, int pp, struct plan *p,
    struct bound_room *room)
{
	struct placement placement;
	int first = -1;

	for (int i = 0; i < values_of(s, b->vpp) && (room->mapped || first < 0); i++)
		for (int k = 0; k < values_of(s, b->split); k++) {
			const size_t at = map_place(b, s, pp, i, k);

			put_value(s, b->vpp, i, p);
			put_value(s, b->split, k, p);
			if (!placement_init(&placement, p, NULL))
				continue;
			if (first < 0)
				first = i;
			if (room->mapped)
				room->map[at / 64] |= UINT64_C(1) << at % 64;
		}
	return first;
}

/* The outer fields and PP decide that, and no size. */
static void
find_placed(const struct bounds *b, const struct search_space *s, uint64_t index,
    struct plan *p, struct bound_room *room)
{
	const uint64_t outer = 1 + (s->outer > 0 ? index / s->field[s->outer - 1].stride : 0);
	const struct parallel own = p->parallel;
	const size_t all = map_place(b, s, values_of(s, b->pp), 0, 0);

	if (room->outer == outer)
		return;
	room->mapped = all <= PLACED_BITS;
	if (room->mapped)
		memset(room->map, 0, (all + 63) / 64 * sizeof room->map[0]);
	for (int i = 0; i < values_of(s, b->pp); i++) {
		put_value(s, b->pp, i, p);
		room->placed[i] = placing_vpp(b, s, i, p, room);
	}
	p->parallel = own;
	room->outer = outer;
}

/* The digit of a field that may not be free. */
static int
digit_of(const struct search_space *s, int field, uint64_t index)
{
	return field >= 0 ? space_digit(s, field, index) : 0;
}

bool
bounds_unplaced(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct bound_room *room)
{
	const int pp = digit_of(s, b->pp, index), vpp = digit_of(s, b->vpp, index);
	size_t at;

	if (p->mode != MODE_TRAIN || (field != b->pp && field != b->vpp && field != b->split))
		return false;
	find_placed(b, s, index, p, room);
	if (field == b->pp)
		return room->placed[pp] < 0;
	if (!room->mapped)
		return false;
	for (int k = field == b->split ? digit_of(s, b->split, index) : 0;
	    k < values_of(s, b->split); k++) {
		at = map_place(b, s, pp, vpp, k);
		if ((room->map[at / 64] >> at % 64 & 1) != 0)
			return false;
		if (field == b->split)
			break;
	}
	return true;
}

/* ---- memory -------------------------------------------------------------------------- */

/* Values of the switches from free field i on that leave most memory, but of those of which each
 * has to be looked at: the first of these, s->count for none. */
static int
put_lightest(const struct search_space *s, int i, struct plan *p)
{
	int open = s->count;

	for (int k = s->count - 1; k >= i; k--) {
		const struct switch_row *row = s->field[k].row;

		if (row->memory == MEMORY_NOBODY_KNOWS)
			open = k;
		else if (row->memory != MEMORY_ANY)
			space_step(s, k, row->most == (row->memory == MEMORY_FASTEST) ?
			    s->field[k].count - 1 : 0, p);
	}
	return open;
}

/* No value of the switches from free field i on has room for state, with what is in. */
static bool
state_is_full(const struct search_space *s, int i, struct plan *p, const struct layout *layout,
    const struct memory_limit *limit)
{
	const int open = put_lightest(s, i, p);
	struct memory_setup setup;
	double least;

	if (open == s->count) {
		memory_setup_plan(&setup, p, layout, NULL, 0);
		least = memory_least(&setup);
		return memory_exceeds(least, least, limit);
	}
	for (int digit = 0; digit < s->field[open].count; digit++) {
		space_step(s, open, digit, p);
		if (!state_is_full(s, open + 1, p, layout, limit))
			return false;
	}
	return true;
}

/* No ZeRO stage has room, with the PP that is in. */
static bool
pp_is_full(const struct bounds *b, const struct search_space *s, struct plan *p,
    const struct memory_limit *limit)
{
	const struct parallel parallel = p->parallel;
	const struct training training = p->training;
	struct layout layout;
	bool full = true;

	if (!layout_size(&layout, p, NULL))
		return false; /* which other VPP may not be */
	for (int i = 0; full && i < values_of(s, b->zero); i++) {
		put_value(s, b->zero, i, p);
		full = state_is_full(s, b->tail, p, &layout, limit);
	}
	p->parallel = parallel;
	p->training = training;
	return full;
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
	return steptime_least(scope_batch(scope, p), p, false) > limit;
}

static bool
chunks_are_slow(const struct plan *p, struct scope *scope, double limit)
{
	struct step_setup *flows;

	scope_follow(scope, p);
	flows = scope_flows(scope, p);
	return flows != NULL && steptime_least(flows, p, true) > limit;
}

/* The same with any recompute, of which none adds nothing, and any value of the early switches
 * that change what is computed (kernel.c, compute_experts.c). */
static bool
split_is_slow(const struct bounds *b, const struct search_space *s, struct plan *p,
    struct scope *scope, double limit)
{
	const struct parallel parallel = p->parallel;
	const int64_t recompute = p->training.recompute;
	bool slow = true;

	p->training.recompute = RECOMPUTE_NONE;
	for (int i = 0; slow && i < values_of(s, b->context); i++)
		for (int k = values_of(s, b->dispatcher) - 1; slow && k >= 0; k--) {
			put_value(s, b->context, i, p);
			put_value(s, b->dispatcher, k, p);
			slow = batch_is_slow(p, scope, limit);
		}
	p->training.recompute = recompute;
	p->parallel = parallel;
	return slow;
}

static bool
pipeline_is_slow(const struct plan *p, struct scope *scope, double limit)
{
	scope_follow(scope, p);
	return scope_place(scope, p) && scope_step(scope, p)->least > limit;
}

/* ---- switches ------------------------------------------------------------------------ */

/* The fastest value among those that are free. */
static int
fastest(const struct free_field *f)
{
	return f->row->most ? f->count - 1 : 0;
}

void
bounds_rest(const struct bounds *b, const struct search_space *s, int i, struct plan *p)
{
	for (i = i > b->tail ? i : b->tail; i < s->count; i++)
		space_step(s, i, fastest(&s->field[i]), p);
}

/* With the fastest values of the switches that follow. */
static bool
step_is_slow(const struct plan *p, struct scope *scope, struct traffic *traffic, double limit)
{
	scope_follow(scope, p);
	return scope_place(scope, p) && steptime_within(scope_step(scope, p), limit, p,
	    &scope->pipeline.placement, traffic, NULL).seconds > limit;
}

static bool
plan_is_full(const struct plan *p, struct scope *scope, const struct memory_limit *limit)
{
	const struct memory_setup *memory;
	struct memory_peak peak;

	scope_follow(scope, p);
	if (!scope_place(scope, p))
		return false;
	memory = scope_memory(scope, p);
	memory_peak(memory, scope_loads(scope), limit, &peak);
	return memory_exceeds(peak.low, peak.high, limit);
}

/* No values of the switches from free field i on make room. */
static bool
stages_are_full(const struct search_space *s, int i, struct plan *p, struct scope *scope,
    const struct memory_limit *limit)
{
	const int open = put_lightest(s, i, p);

	if (open == s->count)
		return plan_is_full(p, scope, limit);
	for (int digit = 0; digit < s->field[open].count; digit++) {
		space_step(s, open, digit, p);
		if (!stages_are_full(s, open + 1, p, scope, limit))
			return false;
	}
	return true;
}

/* After all sizes, or a switch of the tail. */
static bool
tail_is_cut(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, struct bound_room *room, const struct enough *enough)
{
	const struct free_field *f = field >= b->tail ? &s->field[field] : NULL;
	const bool slower = f == NULL || space_digit(s, field, index) != fastest(f);
	bool full = false;

	if (b->tail == s->count || field < b->tail_after || plan_has_rl(p))
		return false;
	if (slower && enough->seconds > 0 && enough->seconds < INFINITY &&
	    step_is_slow(p, scope, &room->traffic, enough->seconds))
		return true;
	/* Those that are in do it mostly, and what is worked out for them stands. */
	if ((f == NULL || f->row->memory != MEMORY_ANY) && plan_is_full(p, scope, &enough->bytes)) {
		full = stages_are_full(s, field < b->tail ? b->tail : field + 1, p, scope, &enough->bytes);
		bounds_rest(b, s, field + 1, p);
	}
	return full;
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
	if (tail_is_cut(b, s, field, index, p, scope, room, enough))
		return true;
	if (!(enough->seconds > 0) || enough->seconds >= INFINITY)
		return false;
	return (field == b->split_after && split_is_slow(b, s, p, scope, enough->seconds)) ||
	    (field == b->batch_after && batch_is_slow(p, scope, enough->seconds)) ||
	    (field == b->chunks_after && chunks_are_slow(p, scope, enough->seconds)) ||
	    (field == b->pipeline_after && pipeline_is_slow(p, scope, enough->seconds));
}
