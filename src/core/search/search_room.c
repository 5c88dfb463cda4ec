#include "core/search/search_room.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/model/activation.h"
#include "core/plan/pool.h"
#include "core/rules/check.h"
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

/* Note what the first ranks hold. */
static uint16_t
note_ranks(struct bound_room *room, const struct plan *p, const struct placement *placement)
{
	struct first_ranks *of;

	if (room->noted == PLACED_NOTED)
		return PLACED_UNNOTED;
	of = &room->ranks[room->noted++];
	for (of->count = 0; of->count < FIRST_RANKS && of->count < placement->pp; of->count++)
		of->rank[of->count] = params_rank(p, placement, of->count);
	return (uint16_t)room->noted;
}

/* The first VPP that places the layers on the PP that is in, -1: none; all of them, where there
 * is a map. */
static int
placing_vpp(const struct bounds *b, const struct search_space *s, int pp, struct plan *p,
    struct bound_room *room)
{
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
				room->map[map_place(b, s, pp, i, k)] = note_ranks(room, p, &placement);
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
	const struct layout *layout;
	const struct memory_limit *limit;
	double state_most;
	int64_t microbatches;
	struct memory_setup *setup;
	const struct memory_load *load; /* of some ranks; none: all layers by stages */
	int loads;
	bool stays;              /* state does, on the GPU */
};

static bool
is_full(const struct scale *of, const struct plan *p)
{
	double least;

	memory_setup_plan(of->setup, p, of->layout, NULL, of->microbatches);
	for (int i = 0; i < of->loads; i++)
		if (memory_load_exceeds(of->setup, &of->load[i], of->limit))
			return true;
	least = of->loads > 0 ? 0 : memory_least(of->setup);
	return least > of->state_most || memory_exceeds(least, least, of->limit);
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

/* The PP that is in has no room for state; `stays`: were all of it on the GPU. */
static bool
pp_is_full(const struct bounds *b, const struct search_space *s, struct plan *p,
    const struct bound_room *room, const struct memory_limit *limit, bool stays)
{
	struct memory_setup setup;
	struct layout layout;
	const struct scale of = { .b = b, .s = s, .layout = &layout, .limit = limit,
		.state_most = room->state_most, .setup = &setup, .stays = stays };

	/* Without a layout another VPP may have one. */
	return layout_size(&layout, p, NULL) && shards_are_full(&of, p);
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

bool
room_all_full(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct bound_room *room, const struct memory_limit *limit)
{
	const struct parallel own = p->parallel;
	double seconds[2];
	bool all = true;

	find_placed(b, s, index, p, room);
	find_optimizer(b, s, p, seconds);
	room->optimizer_least = INFINITY;
	for (int i = 0; i < room_values(s, b->pp); i++) {
		if (room->placed[i] >= 0) {
			room_put(s, b->pp, i, p);
			room_put(s, b->vpp, room->placed[i], p);
		}
		room->full[i] = room->placed[i] < 0 || pp_is_full(b, s, p, room, limit, false);
		room->optimizer[i] = INFINITY;
		if (room->full[i])
			continue;
		all = false;
		room->optimizer[i] = seconds[0] < seconds[1] && seconds[1] < INFINITY &&
		    pp_is_full(b, s, p, room, limit, true) ? seconds[1] : smaller(seconds[0], seconds[1]);
		room->optimizer_least = smaller(room->optimizer_least, room->optimizer[i]);
	}
	p->parallel = own;
	return all;
}

bool
room_all_odd(const struct bounds *b, const struct search_space *s, const struct plan *p,
    const struct bound_room *room)
{
	const int64_t ranks = p->parallel.tp * p->parallel.cp, world = pool_rest(p);

	for (int i = 0; i < room_values(s, b->pp); i++) {
		const int64_t size = ranks * (b->pp < 0 ? p->parallel.pp :
		    (int64_t)s->value[s->field[b->pp].first + i]);

		if (!room->full[i] && size > 0 && world % size == 0 &&
		    check_microbatches(p, world / size) > 0)
			return false;
	}
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

/* No split of those has room. */
static bool
splits_are_full(const struct bounds *b, const struct search_space *s, struct splits at, struct plan *p,
    struct scope *scope, const struct bound_room *room, const struct memory_limit *limit)
{
	struct scale of = { .b = b, .s = s, .limit = limit, .state_most = room->state_most };
	struct layout layout;

	scope_follow(scope, p);
	if (!scope->named || !layout_size(&layout, p, NULL))
		return false;
	of.layout = &layout;
	of.setup = scope_sizes(scope, p);
	of.microbatches = check_microbatches(p, layout.dp);
	for (; at.first < at.end; at.first++) {
		const uint16_t place = room->map[at.first];

		if (place == PLACED_UNNOTED ||
		    (place > 0 && !split_is_full(&of, &room->ranks[place - 1], p)))
			return false;
	}
	return true;
}

/* What is kept goes by heads or by tokens, and one chunk more with overlapped experts (schedule.c); of early switches
 * it takes notice of nothing else. */
static int
kept_kind(const struct plan *p)
{
	return 2 * activation_exchange(p) + (p->training.moe_overlap != 0);
}

_Static_assert(2 * 2 * ACTIVATION_EXCHANGES <= 16, "two bits a kind");

/* The note of the PP and VPP that are in, for the sizes that are. */
static uint16_t *
note_of(const struct bounds *b, const struct search_space *s, uint64_t index, struct bound_room *room)
{
	const uint64_t sizes = 1 + index / s->field[b->kernels_after].stride;
	const size_t splits = (size_t)room_values(s, b->split);

	if (room->weighed_sizes != sizes)
		memset(room->weighed, 0, map_place(b, s, room_values(s, b->pp), 0, 0) / splits * sizeof *room->weighed);
	room->weighed_sizes = sizes;
	return &room->weighed[splits_of(b, s, b->chunks_after, index).first / splits];
}

bool
room_stages_full(const struct bounds *b, const struct search_space *s, int field,
    uint64_t index, struct plan *p, struct scope *scope, struct bound_room *room,
    const struct memory_limit *limit)
{
	const int known = 2 * kept_kind(p), full = known + 1;
	struct splits at;
	uint16_t *note;

	if (field != b->chunks_after && field != b->split)
		return false;
	find_placed(b, s, index, p, room);
	if (!room->mapped)
		return false;
	at = splits_of(b, s, field, index);
	if (field == b->split)
		return splits_are_full(b, s, at, p, scope, room, limit);
	note = note_of(b, s, index, room);
	if ((*note >> known & 1) == 0)
		*note = (uint16_t)(*note | 1 << known |
		    splits_are_full(b, s, at, p, scope, room, limit) << full);
	return *note >> full & 1;
}
