/*
 * timeline_search.c - where v-half and v-min put their operations: a pattern that repeats
 * every six slots, whose ends are then drawn together, first with the weight gradients and
 * then without (sail-sg/zero-bubble-pipeline-parallelism
 * megatron/core/pipeline_parallel/zerobubble/scheduler/zbv_greedy.py, schedule_from_pattern).
 */
#include "core/train/timeline_order.h"

/* In the order of a micro-batch: down, up, back down, back up; weight gradients are counted
 * over both chunks, in the order of the backwards. */
enum { DOWN, UP, BACK_DOWN, BACK_UP, WEIGHT, TYPES = 5 };
enum { PERIOD = 6 };

struct search {
	struct timeline *t;
	int64_t n, slots;  /* micro-batches; slots of a rank */
	int32_t most;      /* pairs that a rank may hold */
	bool weights;      /* weight gradients have slots of their own */
};

int64_t
timeline_slots(const struct timeline *t, int64_t drawn)
{
	return PERIOD * drawn + 8 * t->stages + 16;
}

/* ---- tables, behind the entries of all orders ------------------------------------- */

/* Slot of an operation. */
static int32_t *
slot_of(const struct search *s, int64_t rank, int type, int64_t m)
{
	return &s->t->order[(rank * PERIOD + type) * s->n + m];
}

static int32_t *
table(const struct search *s, int64_t rank, int which)
{
	return &s->t->order[s->t->stages * PERIOD * s->n + (3 * rank + which) * s->slots];
}

/* What is in each slot: micro-batch * TYPES + type, or -1. */
static int32_t *
taken(const struct search *s, int64_t rank)
{
	return table(s, rank, 0);
}

/* Pairs alive after each slot. */
static int32_t *
held(const struct search *s, int64_t rank)
{
	return table(s, rank, 1);
}

/* Weight gradients that wait after each slot for a free one. */
static int32_t *
waiting(const struct search *s, int64_t rank)
{
	return table(s, rank, 2);
}

int
timeline_slot(struct timeline *t, int64_t rank, int64_t slot, int64_t *microbatch)
{
	const struct search s = { .t = t, .n = t->width, .slots = timeline_slots(t, t->drawn) };
	const int32_t item = taken(&s, rank)[slot];

	*microbatch = item / TYPES;
	return item < 0 ? -1 : item % TYPES;
}

static void
place_item(const struct search *s, int64_t rank, int32_t item, int64_t from, int64_t to)
{
	int32_t *row = taken(s, rank);

	if (from >= 0)
		row[from] = -1;
	row[to] = item;
	*slot_of(s, rank, item % TYPES, item / TYPES) = (int32_t)to;
}

/* ---- the pattern ------------------------------------------------------------------ */

static void
put_pattern(const struct search *s, int64_t r)
{
	const int64_t p = s->t->stages;
	const bool half = s->t->schedule == SCHEDULE_V_HALF;
	const int64_t pause = half ? (p % 2 == 0 ? 3 : 0) : p % 3 == 0 ? 2 : 0;
	const int64_t thin[] = { r, 2 * p - r - 1, 2 * p + pause + r, 4 * p + pause - r - 1 };
	const int64_t wide[] = { 2 * r, 3 * p - r - 2, 3 * p + pause + 2 * r - 1,
		6 * p + pause - r - 2 };

	for (int64_t i = 0; i < s->slots; i++)
		taken(s, r)[i] = -1;
	for (int type = 0; type < WEIGHT; type++)
		for (int64_t m = 0; m < s->n; m++)
			place_item(s, r, (int32_t)(m * TYPES + type), -1,
			    (half ? wide : thin)[type] + PERIOD * m);
}

/* Weight gradients take the free slots; each is put there, or counted only. */
static void
count_held(struct search *s, int64_t r, bool put)
{
	int32_t *row = taken(s, r), alive = 0, wait = 0, count = 0;

	for (int64_t i = 0; i < s->slots; i++) {
		const int type = row[i] < 0 ? TYPES : row[i] % TYPES;

		alive += type == DOWN || type == UP;
		wait += type == BACK_DOWN || type == BACK_UP;
		if (type == TYPES && wait > 0) {
			alive--;
			wait--;
			if (put)
				place_item(s, r, count++ * TYPES + WEIGHT, -1, i);
		}
		held(s, r)[i] = alive;
		waiting(s, r)[i] = wait;
		s->most = alive > s->most ? alive : s->most;
	}
}

/* ---- earlier ---------------------------------------------------------------------- */

/* The slot that an operation has to come after: its input's and its predecessor's. */
static int32_t
end_after(const struct search *s, int64_t r, int type, int64_t m)
{
	const int64_t from = type == DOWN || type == BACK_DOWN ? r - 1 :
	    type == UP || type == BACK_UP ? r + 1 : -1;
	int32_t last = -1, other;

	if (from >= 0 && from < s->t->stages)
		last = *slot_of(s, from, type, m);
	if (type > DOWN && type < WEIGHT) {
		other = *slot_of(s, r, type - 1, m);
		last = other > last ? other : last;
	}
	if (m > 0) {
		other = *slot_of(s, r, type, m - 1);
		last = other > last ? other : last;
	}
	return last;
}

/* Slot of the backward that a weight gradient, the m-th, belongs to. Both chunks' backwards
 * come in order: merge them, on from where the last call came to. */
static int32_t
backward_of(const struct search *s, int64_t r, int64_t m)
{
	int32_t *const next = waiting(s, r); /* not needed otherwise: down, up */
	int32_t at = -1;

	while (next[0] + next[1] <= m) {
		const int32_t a = next[0] < s->n ? *slot_of(s, r, BACK_DOWN, next[0]) : INT32_MAX;
		const int32_t b = next[1] < s->n ? *slot_of(s, r, BACK_UP, next[1]) : INT32_MAX;

		at = a < b ? a : b;
		next[a >= b]++;
	}
	return at;
}

/* With slots for weight gradients: from `from` to `to` one more, or one less, is held. */
static bool
move_counted(const struct search *s, int64_t r, int type, int64_t from, int64_t to)
{
	const int change = type == WEIGHT ? -1 : type == DOWN || type == UP ? 1 : 0;
	int32_t *alive = held(s, r);

	for (int64_t i = to; i < from && change > 0; i++)
		if (alive[i] + change > s->most)
			return false;
	for (int64_t i = to; i < from; i++)
		alive[i] += change;
	return true;
}

/* Without: weight gradients move to other slots, so count again until all is as before. */
static bool
move_recounted(const struct search *s, int64_t r, int type, int64_t from, int64_t to)
{
	const bool forward = type == DOWN || type == UP;
	const int32_t *row = taken(s, r);
	int32_t *alive = held(s, r), *wait = waiting(s, r);

	for (int round = 0; round < 2; round++) { /* look, then write */
		int32_t a = to > 0 ? alive[to - 1] : 0, w = to > 0 ? wait[to - 1] : 0;

		for (int64_t i = to; i < s->slots; i++) {
			const int here = i == to ? type : i == from || row[i] < 0 ? TYPES : row[i] % TYPES;

			a += i == to ? forward : here == DOWN || here == UP;
			w += here == BACK_DOWN || here == BACK_UP;
			if (here == TYPES && w > 0) {
				a--;
				w--;
			}
			if (a > s->most)
				return false;
			if (i > from && a == alive[i] && w == wait[i])
				break;
			if (round == 1) {
				alive[i] = a;
				wait[i] = w;
			}
		}
	}
	return true;
}

/* The first free slot in which an operation has its input and its rank the memory. */
static void
move(const struct search *s, int64_t r, int32_t item, int64_t from)
{
	const int type = item % TYPES;
	int64_t to = end_after(s, r, type, item / TYPES) + 1;

	if (type == WEIGHT) {
		const int64_t input = backward_of(s, r, item / TYPES) + 1;

		to = input > to ? input : to;
	}
	for (; to < from; to++) {
		if (taken(s, r)[to] >= 0)
			continue;
		if (s->weights ? move_counted(s, r, type, from, to) :
		    move_recounted(s, r, type, from, to)) {
			place_item(s, r, item, from, to);
			return;
		}
	}
}

/* Draw the ends together: what lies between the first micro-batch's return and the last
 * one's start stays. */
static void
shorten_line(const struct search *s)
{
	enum { BEFORE, BETWEEN, BEHIND } phase = BEFORE;
	const int32_t last = *slot_of(s, 0, DOWN, s->n - 1);

	for (int64_t i = 0; i < s->slots; i++) {
		if (phase == BETWEEN && i < last)
			i = last;
		for (int64_t r = 0; r < s->t->stages; r++) {
			const int32_t item = taken(s, r)[i];
			const int type = item % TYPES;

			if (item < 0)
				continue;
			if (phase == BEFORE && type == BACK_UP && r == 0)
				phase = BETWEEN;
			if (phase == BETWEEN && type == DOWN && item / TYPES == s->n - 1)
				phase = BEHIND;
			else if (phase == BEHIND || (phase == BEFORE && s->weights))
				move(s, r, item, i);
		}
	}
}

/* Start everything as soon as its input is there and its rank is free. Weight gradients
 * take their time, and leave their slots to whatever will use them. */
static void
squeeze_line(const struct search *s)
{
	for (int64_t r = 0; r < s->t->stages; r++)
		held(s, r)[0] = 0; /* the next free slot */
	for (int64_t i = 0; i < s->slots; i++)
		for (int64_t r = 0; r < s->t->stages; r++) {
			const int32_t item = taken(s, r)[i];
			int32_t to;

			if (item < 0)
				continue;
			to = end_after(s, r, item % TYPES, item / TYPES) + 1;
			to = to > held(s, r)[0] ? to : held(s, r)[0];
			place_item(s, r, item, i, to);
			if (item % TYPES == WEIGHT)
				taken(s, r)[to] = -1;
			held(s, r)[0] = to + 1;
		}
}

void
timeline_search(struct timeline *t)
{
	struct search s = { .t = t, .n = t->width, .slots = timeline_slots(t, t->drawn),
		.weights = true };

	for (int64_t r = 0; r < t->stages; r++) {
		put_pattern(&s, r);
		count_held(&s, r, true);
		waiting(&s, r)[0] = waiting(&s, r)[1] = 0; /* see backward_of */
	}
	shorten_line(&s);
	squeeze_line(&s);
	s.weights = false;
	s.most = 0;
	for (int64_t r = 0; r < t->stages; r++)
		count_held(&s, r, false);
	shorten_line(&s);
	for (int64_t r = 0; r < t->stages; r++)
		count_held(&s, r, true);
	squeeze_line(&s);
}
