#include "core/search/search_room.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/model/activation.h"
#include "core/plan/pool.h"
#include "core/rules/check.h"
#include "core/search/search_cut.h"
#include "core/train/update.h"

void
room_put(const struct search_space *s, int field, int digit, struct plan *p)
{
	if (field >= 0)
		space_step(s, field, digit, p);
}

int
room_values(const struct search_space *s, int field)
{
	return field >= 0 ? s->field[field].count : 1;
}

/* ---- what places the layers ------------------------------------------------------------ */

/* The place of PP, VPP and split in the map. */
static size_t
map_place(const struct bounds *b, const struct search_space *s, int pp, int vpp, int split)
{
	return ((size_t)pp * (size_t)room_values(s, b->vpp) + (size_t)vpp) *
	    (size_t)room_values(s, b->split) + (size_t)split;
}

static bool
same_layers(const struct rank_layers *a, const struct rank_layers *b)
{
	return a->rank == b->rank && a->longest == b->longest && a->mtp == b->mtp && a->embedding == b->embedding &&
	    a->loss == b->loss && a->pipelined == b->pipelined && memcmp(&a->kinds, &b->kinds, sizeof a->kinds) == 0;
}

static bool
same_ranks(const struct first_ranks *a, const struct first_ranks *b)
{
	for (int i = 0; i < a->count; i++)
		if (!same_layers(&a->rank[i], &b->rank[i]))
			return false;
	return true;
}

/* Note what the first ranks hold, once of those from `first` on, which are of one PP. */
static uint16_t
note_ranks(struct bound_room *room, int first, const struct plan *p, const struct placement *placement)
{
	struct first_ranks of = { .count = 0 };

	for (; of.count < FIRST_RANKS && of.count < placement->pp; of.count++)
		of.rank[of.count] = params_rank(p, placement, of.count);
	while (first < room->noted && !same_ranks(&room->ranks[first], &of))
		first++;
	if (first == room->noted && room->noted < PLACED_NOTED)
		room->ranks[room->noted++] = of;
	return (uint16_t)(first + 1);
}

/* No more layers, of which none is of a special kind that the other lacks: each of the rest adds bytes. */
static bool
holds_no_more(const struct rank_layers *a, const struct rank_layers *b)
{
	const struct layer_kinds *k = &a->kinds, *l = &b->kinds;

	return a->longest <= b->longest && a->mtp == b->mtp && a->embedding <= b->embedding && a->loss <= b->loss &&
	    k->all <= l->all && k->global <= l->global && k->local <= l->local && k->mamba <= l->mamba &&
	    k->moe <= l->moe && k->dense <= l->dense && memcmp(&k->sparse, &l->sparse, LAYER_SPECIAL_SIZE) == 0;
}

/* Of the ranks that were noted from `first` on those of which others, or the same before them, hold no more say nothing
 * that these do not. */
static void
find_least(struct bound_room *room, int first)
{
	for (int i = first; i < room->noted; i++) {
		struct first_ranks *of = &room->ranks[i];

		of->least = true;
		for (int k = first; of->least && k < room->noted; k++) {
			const struct first_ranks *other = &room->ranks[k];
			bool less = k != i && other->count == of->count;

			for (int r = 0; less && r < of->count; r++)
				less = holds_no_more(&other->rank[r], &of->rank[r]);
			of->least = !less;
		}
	}
}

/* The first VPP that places the layers on the PP that is in, -1: none; all of them, where there
 * is a map. */
static int
placing_vpp(const struct bounds *b, const struct search_space *s, int pp, struct plan *p,
    struct bound_room *room)
{
	const int noted = room->noted;
	struct placement placement;
	int first = -1;

	for (int i = 0; i < room_values(s, b->vpp) && (room->mapped || first < 0); i++)
		for (int k = 0; k < room_values(s, b->split); k++) {
			room_put(s, b->vpp, i, p);
			room_put(s, b->split, k, p);
			if (!placement_init(&placement, p, NULL))
				continue;
			if (first < 0)
				first = i;
			if (room->mapped)
				room->map[map_place(b, s, pp, i, k)] = note_ranks(room, noted, p, &placement);
		}
	return first;
}

/* The outer fields that are in, but for those of the cluster: how many GPUs there are, and of what kind, is
 * nothing to layers. */
static uint64_t
layers_of(const struct search_space *s, uint64_t index)
{
	uint64_t of = 1;

	for (int i = 0; i < s->outer; i++)
		if (!field_same_section(s->field[i].field, FIELD_NODES))
			of += (uint64_t)space_digit(s, i, index) * s->field[i].stride;
	return of;
}

/* The outer fields and PP decide that, and no size. */
static void
find_placed(const struct bounds *b, const struct search_space *s, uint64_t index,
    struct plan *p, struct bound_room *room)
{
	const uint64_t outer = layers_of(s, index);
	const size_t all = map_place(b, s, room_values(s, b->pp), 0, 0);
	struct parallel own;

	if (room->outer == outer)
		return;
	own = p->parallel;
	room->mapped = all <= PLACED_MOST;
	room->noted = 0;
	if (room->mapped)
		memset(room->map, 0, all * sizeof room->map[0]);
	for (int i = 0; i < room_values(s, b->pp); i++) {
		room_put(s, b->pp, i, p);
		room->placed[i] = placing_vpp(b, s, i, p, room);
		find_least(room, i > 0 ? room->noted_to[i - 1] : 0);
		room->noted_to[i] = (uint16_t)room->noted;
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

/* The splits to look at when `field` is in: the one that is, or each. */
struct splits {
	size_t first, end; /* in the map */
};

static struct splits
splits_of(const struct bounds *b, const struct search_space *s, int field, uint64_t index)
{
	const int pp = digit_of(s, b->pp, index), vpp = digit_of(s, b->vpp, index);
	const size_t first = map_place(b, s, pp, vpp, 0);
	const size_t split = field == b->split ? (size_t)digit_of(s, b->split, index) : 0;
	const size_t count = field == b->split ? 1 : (size_t)room_values(s, b->split);

	return (struct splits){ first + split, first + split + count };
}

bool
room_unplaced(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct bound_room *room)
{
	struct splits at;

	if (p->mode != MODE_TRAIN || (field != b->pp && field != b->vpp && field != b->split))
		return false;
	find_placed(b, s, index, p, room);
	if (field == b->pp)
		return room->placed[digit_of(s, b->pp, index)] < 0;
	if (!room->mapped)
		return false;
	at = splits_of(b, s, field, index);
	while (at.first < at.end && room->map[at.first] == 0)
		at.first++;
	return at.first == at.end;
}

int
room_last_vpp(const struct bounds *b, const struct search_space *s, uint64_t index,
    const struct bound_room *room)
{
	const int pp = digit_of(s, b->pp, index), last = room_values(s, b->vpp) - 1;
	size_t at = map_place(b, s, pp + 1, 0, 0);
	const size_t first = map_place(b, s, pp, 0, 0);

	while (room->mapped && at > first && room->map[at - 1] == 0)
		at--;
	return room->mapped && at > first ?
	    (int)((at - 1 - first) / (size_t)room_values(s, b->split)) : last;
}

/* ---- room ------------------------------------------------------------------------------ */

int
room_put_lightest(const struct search_space *s, int i, struct plan *p)
{
	int open = s->rollouts;

	for (int k = s->rollouts - 1; k >= i; k--) {
		const struct switch_row *row = s->field[k].row;

		if (row->memory == MEMORY_NOBODY_KNOWS)
			open = k;
		else if (row->memory != MEMORY_ANY)
			space_step(s, k, row->most == (row->memory == MEMORY_FASTEST) ?
			    s->field[k].count - 1 : 0, p);
	}
	return open;
}

/* What is weighed, with any way to shard state that is free. */
struct scale {
	const struct bounds *b;
	const struct search_space *s;
	struct layout layout;
	const struct memory_limit *limit;
	double state_most;
	int64_t microbatches;
	struct memory_setup *setup;    /* NULL: not yet */
	const struct memory_load *load; /* of some ranks; none: all layers by stages */
	int loads;
	bool stays;              /* state does, on the GPU */
	uint32_t *states;        /* a pair of bits for each way to shard and move it: known, full; or NULL */
};

/* The state of all layers by stages is. */
static bool
state_is_full(const struct scale *of)
{
	const double least = memory_least(of->setup);

	return least > of->state_most || memory_exceeds(least, least, of->limit);
}

static bool
is_full(const struct scale *of, const struct plan *p)
{
	const int64_t known = 2 * (p->parallel.zero_stage * OFFLOADS + p->parallel.offload), full = known + 1;
	uint32_t *states = of->states;

	if (states != NULL && (*states >> full & 1) != 0)
		return true;
	memory_setup_plan(of->setup, p, &of->layout, NULL, of->microbatches);
	if (of->loads == 0 || (states != NULL && (*states >> known & 1) == 0)) {
		const bool too_much = state_is_full(of);

		if (states != NULL)
			*states |= UINT32_C(1) << known | (uint32_t)too_much << full;
		if (too_much || of->loads == 0)
			return too_much;
	}
	for (int i = 0; i < of->loads; i++)
		if (memory_load_exceeds(of->setup, &of->load[i], of->limit))
			return true;
	return false;
}

/* No value of the switches from free field i on has room, with what is in. */
static bool
switches_are_full(const struct scale *of, int i, struct plan *p)
{
	const struct search_space *s = of->s;
	const int open = room_put_lightest(s, i, p);

	if (open == s->rollouts)
		return is_full(of, p);
	for (int digit = 0; digit < s->field[open].count; digit++) {
		space_step(s, open, digit, p);
		if (of->stays && p->parallel.offload != OFFLOAD_NONE)
			continue;
		if (!switches_are_full(of, open + 1, p))
			return false;
	}
	return true;
}

/* No ZeRO stage has, with the fewest copies; the highest ones, which hold least of the state, are
 * tried first. p is put back. */
static bool
shards_are_full(const struct scale *of, struct plan *p)
{
	const struct parallel parallel = p->parallel;
	const struct training training = p->training;
	bool full = true;

	room_put(of->s, of->b->copies, 0, p);
	for (int i = room_values(of->s, of->b->zero) - 1; full && i >= 0; i--) {
		room_put(of->s, of->b->zero, i, p);
		full = switches_are_full(of, of->b->tail, p);
	}
	p->parallel = parallel;
	p->training = training;
	return full;
}

/* What is known of the state of a PP; beside engines too little is. */
static uint32_t *
states_of(struct bound_room *room, int pp)
{
	return room->state_most < INFINITY ? NULL : &room->states[pp];
}

/* The PP that is in has no room for state; `stays`: were all of it on the GPU. */
static bool
pp_is_full(const struct bounds *b, const struct search_space *s, int pp, struct plan *p,
    struct bound_room *room, const struct memory_limit *limit, bool stays)
{
	struct memory_setup setup;
	struct scale of = { .b = b, .s = s, .limit = limit, .state_most = room->state_most, .setup = &setup,
		.stays = stays, .states = states_of(room, pp) };

	/* Without a layout another VPP may have one. */
	return layout_size(&of.layout, p, NULL) && shards_are_full(&of, p);
}

/* Seconds of the optimizer at least, [1]: with the state away from the GPU; INFINITY: nobody asks for that. */
static void
find_optimizer(const struct bounds *b, const struct search_space *s, struct plan *p, double seconds[2])
{
	const int64_t own = p->parallel.offload;

	seconds[0] = seconds[1] = INFINITY;
	for (int i = 0; i < room_values(s, b->offload); i++) {
		room_put(s, b->offload, i, p);
		double *of = &seconds[p->parallel.offload != OFFLOAD_NONE];

		*of = smaller(*of, update_least(p));
	}
	p->parallel.offload = own;
}

uint64_t
room_shards(const struct bounds *b, const struct search_space *s, uint64_t index)
{
	return 1 + index / s->field[b->shards_after].stride;
}

bool
room_all_full(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct bound_room *room, const struct memory_limit *limit)
{
	const struct parallel own = p->parallel;
	double seconds[2];
	bool all = true;

	find_placed(b, s, index, p, room);
	find_optimizer(b, s, p, seconds);
	room->shards = room_shards(b, s, index);
	room->moved = seconds[1];
	for (int i = 0; i < room_values(s, b->pp); i++) {
		if (room->placed[i] >= 0) {
			room_put(s, b->pp, i, p);
			room_put(s, b->vpp, room->placed[i], p);
		}
		room->states[i] = 0;
		room->full[i] = room->placed[i] < 0 || cuts_sizes(p) || pp_is_full(b, s, i, p, room, limit, false);
		room->optimizer[i] = INFINITY;
		if (room->full[i])
			continue;
		all = false;
		room->optimizer[i] = seconds[0] < seconds[1] && seconds[1] < INFINITY &&
		    pp_is_full(b, s, i, p, room, limit, true) ? seconds[1] : smaller(seconds[0], seconds[1]);
	}
	p->parallel = own;
	return all;
}

/* The PP leaves no DP that divides the batch into micro-batches. */
static bool
is_odd(const struct bounds *b, const struct search_space *s, int pp, const struct plan *p)
{
	const int64_t world = pool_rest(p), size = p->parallel.tp * p->parallel.cp * (b->pp < 0 ? p->parallel.pp :
	    (int64_t)s->value[s->field[b->pp].first + pp]);

	return size <= 0 || world % size != 0 || check_microbatches(p, world / size) == 0;
}

bool
room_all_odd(const struct bounds *b, const struct search_space *s, const struct plan *p,
    const struct bound_room *room)
{
	for (int i = 0; i < room_values(s, b->pp); i++)
		if (!room->full[i] && !is_odd(b, s, i, p))
			return false;
	return true;
}

/* All that one split may be is too full, by what the first ranks hold of it. */
static bool
split_is_full(struct scale *of, const struct first_ranks *ranks, struct plan *p)
{
	struct memory_load load[FIRST_RANKS];

	of->load = load;
	of->loads = ranks->count;
	for (int i = 0; i < ranks->count; i++)
		load[i] = (struct memory_load){ .stage = i, .layers = ranks->rank[i],
			.held = params_held(p, &ranks->rank[i], NULL),
			.flight = schedule_flight_least(p, &ranks->rank[i], of->microbatches) };
	return shards_are_full(of, p);
}

/* What is kept goes by heads or by tokens, and one chunk more with overlapped experts (schedule.c); of early switches
 * it takes notice of nothing else. */
static int
kept_kind(const struct plan *p)
{
	return 2 * activation_exchange(p) + (p->training.moe_overlap != 0);
}

enum { WEIGHED_KINDS = 2 * 2 * ACTIVATION_EXCHANGES };
_Static_assert(2 * WEIGHED_KINDS <= 32, "two bits a kind, with state on the host or not");

/* What is weighed has a layout, with which it is of the sizes that are in. */
static bool
is_laid_out(struct scale *of, const struct plan *p, struct scope *scope)
{
	if (of->setup != NULL)
		return true;
	scope_follow(scope, p);
	if (!scope->named || !layout_size(&of->layout, p, NULL))
		return false;
	of->setup = scope_sizes(scope, p);
	of->microbatches = check_microbatches(p, of->layout.dp);
	return true;
}

/* The ranks that were noted there have no room, which is worked out once for the sizes that are in. */
static bool
ranks_are_full(struct scale *of, struct bound_room *room, int place, struct plan *p, struct scope *scope)
{
	const int known = 2 * kept_kind(p) + (of->stays ? WEIGHED_KINDS : 0), full = known + 1;
	uint32_t *note = &room->weighed[place];

	if ((*note >> known & 1) == 0) {
		if (!is_laid_out(of, p, scope))
			return false;
		*note |= UINT32_C(1) << known | (uint32_t)split_is_full(of, &room->ranks[place], p) << full;
	}
	return *note >> full & 1;
}

/* 1 + values of the sizes before the early switches. */
static uint64_t
sizes_of(const struct bounds *b, const struct search_space *s, uint64_t index)
{
	return 1 + index / s->field[b->kernels_after].stride;
}

double
room_optimizer(const struct bounds *b, const struct search_space *s, int pp, uint64_t index, const struct bound_room *room)
{
	return room->moves[pp] && room->optimizer[pp] < room->moved && room->weighed_sizes == sizes_of(b, s, index) ?
	    room->moved : room->optimizer[pp];
}

bool
room_is_full(const struct bounds *b, const struct search_space *s, int pp, uint64_t index, const struct bound_room *room)
{
	return room->full[pp] || (room->crowded[pp] && room->weighed_sizes == sizes_of(b, s, index));
}

/* Forget what was worked out for other sizes. */
static void
weigh_anew(const struct bounds *b, const struct search_space *s, uint64_t index, struct bound_room *room)
{
	const uint64_t sizes = sizes_of(b, s, index);

	if (room->weighed_sizes == sizes)
		return;
	memset(room->weighed, 0, (size_t)room->noted * sizeof *room->weighed);
	memset(room->crowded, 0, (size_t)room_values(s, b->pp) * sizeof *room->crowded);
	memset(room->moves, 0, (size_t)room_values(s, b->pp) * sizeof *room->moves);
	room->weighed_sizes = sizes;
}

/* No ranks of the PP have room, however its layers are placed. */
static bool
is_crowded(struct scale *of, int pp, struct plan *p, struct scope *scope, struct bound_room *room)
{
	bool full = true;

	for (int i = pp > 0 ? room->noted_to[pp - 1] : 0; full && i < room->noted_to[pp]; i++)
		full = !room->ranks[i].least || ranks_are_full(of, room, i, p, scope);
	return full;
}

/* The same, were all state on the GPU, where it may be and the optimizer would be faster. */
static bool
has_to_move(const struct scale *of, int pp, struct plan *p, struct scope *scope, struct bound_room *room)
{
	struct scale stays = *of;

	stays.stays = true;
	return room->optimizer[pp] < room->moved && room->moved < INFINITY && is_crowded(&stays, pp, p, scope, room);
}

/* The PPs of which none has, with the traffic of CP that is in, or none unless state leaves for the host. */
static void
find_crowded(const struct bounds *b, const struct search_space *s, bool first, struct plan *p, struct scope *scope,
    struct bound_room *room, const struct memory_limit *limit)
{
	for (int i = 0; i < room_values(s, b->pp); i++) {
		struct scale of = { .b = b, .s = s, .limit = limit, .state_most = room->state_most,
			.states = states_of(room, i) };

		if (room->full[i] || (!first && !room->moves[i]))
			continue;
		room_put(s, b->pp, i, p);
		room_put(s, b->vpp, room->placed[i], p);
		room->crowded[i] = (first || room->crowded[i]) && (is_odd(b, s, i, p) || is_crowded(&of, i, p, scope, room));
		room->moves[i] = room->crowded[i] || has_to_move(&of, i, p, scope, room);
	}
}

bool
room_all_crowded(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct scope *scope, struct bound_room *room, const struct memory_limit *limit)
{
	const struct parallel parallel = p->parallel;
	const struct training training = p->training;
	bool all = true, first = true;

	find_placed(b, s, index, p, room);
	if (!room->mapped || room->noted == PLACED_NOTED || room->shards != room_shards(b, s, index))
		return false;
	weigh_anew(b, s, index, room);
	room_put(s, b->overlap, 0, p);
	for (int i = 0; i < room_values(s, b->context); i++) {
		if (b->context >= 0 && space_idles(s, b->context, i, p))
			continue;
		room_put(s, b->context, i, p);
		find_crowded(b, s, first, p, scope, room, limit);
		first = false;
	}
	p->parallel = parallel;
	p->training = training;
	for (int i = 0; all && i < room_values(s, b->pp); i++)
		all = room_is_full(b, s, i, index, room);
	return all;
}

bool
room_stages_full(const struct bounds *b, const struct search_space *s, int field,
    uint64_t index, struct plan *p, struct scope *scope, struct bound_room *room,
    const struct memory_limit *limit)
{
	struct scale of = { .b = b, .s = s, .limit = limit, .state_most = room->state_most };
	bool full = true;

	if (field != b->pp && field != b->chunks_after && field != b->split)
		return false;
	find_placed(b, s, index, p, room);
	if (!room->mapped || room->noted == PLACED_NOTED)
		return false;
	weigh_anew(b, s, index, room);
	if (field == b->pp && field < b->chunks_after)
		return is_crowded(&of, digit_of(s, b->pp, index), p, scope, room);
	for (struct splits at = splits_of(b, s, field, index); full && at.first < at.end; at.first++)
		full = room->map[at.first] == 0 || ranks_are_full(&of, room, room->map[at.first] - 1, p, scope);
	return full;
}
