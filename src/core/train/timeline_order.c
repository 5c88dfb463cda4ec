/* The order in which a rank runs forward, backward and weight gradients: timeline.h says
 * whose code decides it. */
#include "core/train/timeline_order.h"

#include "core/base/number.h"

/* The operations of a rank as they are put in line. Schedules are written for enough
 * micro-batches to fill the pipeline; those that a step does not have are passed over. */
struct line {
	struct timeline *t;
	struct timeline_rank *rank;
	struct timeline_op *op;
	int32_t *order;
	int64_t r;
	int64_t next[TIMELINE_KINDS][2]; /* two chunks: the micro-batch that comes next */
	int32_t oldest;  /* no backward before it waits for its weight gradients */
	int32_t alive;
};

int64_t
timeline_share(const struct timeline *t, int64_t chunk)
{
	return t->path == TIMELINE_BOTH ? (t->drawn + 1 - chunk) / 2 : t->drawn;
}

/* ---- one operation ----------------------------------------------------------------- */

static void
put_pass(struct line *l, enum timeline_kind kind, int64_t chunk, int64_t m)
{
	const int64_t i = timeline_index(l->t, kind, chunk, m);

	if (m >= timeline_share(l->t, chunk))
		return;
	l->op[i] = (struct timeline_op){ -1, 0 };
	l->order[l->rank->count++] = (int32_t)i;
	if (kind == TIMELINE_FORWARD)
		l->alive++;
	else if (kind == TIMELINE_WEIGHT)
		l->alive--;
	l->rank->held = l->alive > l->rank->held ? l->alive : l->rank->held;
}

static void
order_forward(struct line *l, int64_t chunk, int64_t m)
{
	put_pass(l, TIMELINE_FORWARD, chunk, m);
}

/* Backward with its weight gradients. */
static void
order_whole(struct line *l, int64_t chunk, int64_t m)
{
	if (m >= timeline_share(l->t, chunk))
		return;
	put_pass(l, TIMELINE_BACKWARD, chunk, m);
	l->alive--;
}

/* Backward alone: its weight gradients wait. start marks them until they are put in line. */
static void
split_pass(struct line *l, int64_t chunk, int64_t m)
{
	if (m >= timeline_share(l->t, chunk))
		return;
	put_pass(l, TIMELINE_BACKWARD, chunk, m);
	l->op[timeline_index(l->t, TIMELINE_WEIGHT, chunk, m)].start = -1;
}

/* Weight gradients of the oldest backward that waits for them. False when none does. */
static bool
weight(struct line *l)
{
	const int64_t n = l->t->width * l->t->chunks;

	for (; l->oldest < l->rank->count; l->oldest++) {
		const int64_t i = l->order[l->oldest] & ~TIMELINE_PAIR, of = i + n; /* one kind further on */

		if (i < n || i >= 2 * n || l->op[of].end >= 0 || l->op[of].start >= 0)
			continue;
		put_pass(l, TIMELINE_WEIGHT, i % n / l->t->width, i % l->t->width);
		l->oldest++;
		return true;
	}
	return false;
}

static void
finish_line(struct line *l)
{
	while (weight(l))
		;
}

/* Passes of the micro-batch that comes next, for schedules of two chunks. */
static void
next_forward(struct line *l, int64_t chunk)
{
	order_forward(l, chunk, l->next[TIMELINE_FORWARD][chunk]++);
}

static void
next_whole(struct line *l, int64_t chunk)
{
	order_whole(l, chunk, l->next[TIMELINE_BACKWARD][chunk]++);
}

static void
next_split(struct line *l, int64_t chunk)
{
	split_pass(l, chunk, l->next[TIMELINE_BACKWARD][chunk]++);
}

static void
next_weight(struct line *l, int64_t chunk)
{
	put_pass(l, TIMELINE_WEIGHT, chunk, l->next[TIMELINE_WEIGHT][chunk]++);
}

static void
next_both(struct line *l, int64_t chunk)
{
	next_split(l, chunk);
	next_weight(l, chunk);
}

/* ---- GPipe, 1F1B and its interleaved and split forms ------------------------------- */

/* All forwards, then all backwards; with several chunks a rank, chunk after chunk. */
static void
gpipe(struct line *l)
{
	const int64_t n = l->t->chunks, all = l->t->drawn;

	for (int64_t v = 0; v < n; v++)
		for (int64_t m = 0; m < all; m++)
			order_forward(l, v, m);
	for (int64_t v = n - 1; v >= 0; v--)
		for (int64_t m = 0; m < all; m++)
			order_whole(l, v, n > 1 ? all - 1 - m : m);
}

/* Chunk and micro-batch of the q-th forward: groups of micro-batches go through all chunks
 * before the next group starts. Backward takes the chunks the other way round. */
static void
visit(const struct timeline *t, int64_t q, int64_t *chunk, int64_t *m)
{
	const int64_t round = q / (t->group * t->chunks);
	const int64_t size = least_of(t->group, t->drawn - round * t->group);

	q -= round * t->group * t->chunks;
	*chunk = q / size;
	*m = round * t->group + q % size;
}

static void
visit_forward(struct line *l, int64_t q)
{
	int64_t chunk, m;

	visit(l->t, q, &chunk, &m);
	order_forward(l, chunk, m);
}

/* wait: backwards that come before the weight gradients of the first; -1: not split. */
static void
visit_backward(struct line *l, int64_t q, int64_t wait)
{
	int64_t chunk, m;

	visit(l->t, q, &chunk, &m);
	chunk = l->t->chunks - 1 - chunk;
	if (wait < 0) {
		order_whole(l, chunk, m);
		return;
	}
	split_pass(l, chunk, m);
	if (q >= wait)
		weight(l);
}

static void
one_forward_one_backward(struct line *l)
{
	const struct timeline *t = l->t;
	const int64_t all = t->drawn * t->chunks, left = t->stages - 1 - l->r;
	int64_t warmup = (t->chunks - 1) * t->group, wait = -1;

	if (t->schedule == SCHEDULE_ZB_1P) {
		warmup += left;
		wait = l->r;
	} else if (t->schedule == SCHEDULE_ZB_2P) {
		warmup += 2 * left;
		wait = 2 * l->r;
	} else {
		warmup += t->chunks > 1 ? 2 * left + t->moe_overlap : left;
	}
	warmup = least_of(warmup, all);
	for (int64_t q = 0; q < warmup; q++)
		visit_forward(l, q);
	for (int64_t q = 0; q < all; q++) {
		if (q + warmup < all)
			visit_forward(l, q + warmup);
		visit_backward(l, q, wait);
	}
	finish_line(l);
}

/* ---- V schedules ------------------------------------------------------------------- */

static void
zero_bubble_v(struct line *l)
{
	const int64_t p = l->t->stages, all = most_of(2 * p - 1, l->t->drawn);
	int64_t *const next = l->next[TIMELINE_FORWARD];

	for (int64_t i = 0; i < 2 * (p - l->r) - 1; i++)
		next_forward(l, 0);
	for (int64_t i = 0; i < l->r; i++) {
		next_forward(l, 1);
		next_forward(l, 0);
	}
	for (int64_t i = 0; i < p - l->r; i++) {
		next_forward(l, 1);
		next_both(l, 1);
	}
	while (next[1] < next[0] || next[0] < all) {
		if (next[0] < all)
			next_forward(l, 0);
		next_both(l, 0);
		next_forward(l, 1);
		next_both(l, 1);
	}
	for (int64_t i = 0; i < l->r; i++) {
		next_split(l, 0);
		next_split(l, 1);
	}
	for (int64_t i = 0; i < p - l->r; i++)
		next_both(l, 0);
	for (int64_t i = 0; i < l->r; i++)
		next_weight(l, 1);
	for (int64_t i = 0; i < l->r; i++)
		next_weight(l, 0);
}

/* Weight gradients take the free slots, those of the second chunk first. */
static void
pattern(struct line *l)
{
	const int64_t *const back = l->next[TIMELINE_BACKWARD];
	const int64_t *const done = l->next[TIMELINE_WEIGHT];
	int64_t m;

	for (int64_t i = 0; i < timeline_slots(l->t, l->t->drawn); i++) {
		const int way = timeline_slot(l->t, l->r, i, &m);

		if (way >= 2)
			next_split(l, 3 - way);
		else if (way >= 0)
			next_forward(l, way);
		else if (done[1] < back[1])
			next_weight(l, 1);
		else if (done[0] < back[0])
			next_weight(l, 0);
	}
}

/* ---- DualPipe ---------------------------------------------------------------------- */

/* Forward and backward of two micro-batches at once: they get their input together and pass
 * on their output together. */
static void
pair(struct line *l, int64_t ahead, int64_t back)
{
	const int64_t count = l->rank->count;

	next_forward(l, ahead);
	next_whole(l, back);
	if (l->rank->count == count + 2)
		l->order[count] |= TIMELINE_PAIR;
}

/*
 * Both forms: near is the chunk that starts on this half of the ranks, or the first of the
 * two; `before` of the ranks lie further out, `after` of them further in. all: micro-batches
 * of one chunk.
 */
static void
dual(struct line *l, int64_t near, int64_t before, int64_t after, int64_t all)
{
	const int64_t far = 1 - near, both = before + 1, main = all - 2 * (before + after + 1) + both;
	bool apart = false;

	for (int64_t i = 0; i < 2 * after; i++)
		next_forward(l, near);
	for (int64_t i = 0; i < both; i++) {
		next_forward(l, near);
		next_forward(l, far);
	}
	for (int64_t i = 0; i < after; i++) {
		next_split(l, far);
		weight(l);
		next_forward(l, far);
	}
	for (int64_t i = 0; i < main; i++) {
		if (i == 0 && after == 0) { /* the middle does not overlap the first two */
			next_forward(l, near);
			next_whole(l, far);
		} else {
			pair(l, near, far);
		}
		pair(l, far, near);
	}
	for (int64_t i = 0; i < after; i++) {
		next_whole(l, far);
		pair(l, far, near);
	}
	for (int64_t i = 0; i < both; i++) {
		apart |= i == both / 2 && before % 2 == 1;
		(apart ? next_split : next_whole)(l, far);
		apart |= i == both / 2 && before % 2 == 0;
		(apart ? next_split : next_whole)(l, near);
	}
	for (int64_t i = 0; i < after; i++) {
		weight(l);
		next_split(l, near);
	}
	finish_line(l);
}

static void
order_dualpipe(struct line *l)
{
	const int64_t p = l->t->stages, mirror = p - 1 - l->r, half = (p + 1) / 2;
	const int64_t outer = least_of(l->r, mirror), all = most_of(p, (l->t->drawn + 1) / 2);

	dual(l, l->r > mirror ? 1 : 0, outer, half - 1 - outer, all);
}

static void
dualpipe_v(struct line *l)
{
	const int64_t p = l->t->stages;

	dual(l, 0, l->r, p - 1 - l->r, most_of(2 * p, l->t->drawn));
}

/* ---- which ------------------------------------------------------------------------- */

void
timeline_order(struct timeline *t, int64_t rank)
{
	const int64_t stride = TIMELINE_KINDS * t->chunks * t->width;
	struct line l = { .t = t, .rank = &t->rank[rank], .op = t->op + rank * stride,
		.order = t->order + rank * stride, .r = rank };

	for (int64_t i = 0; i < stride; i++)
		l.op[i] = (struct timeline_op){ 0, -1 };
	*l.rank = (struct timeline_rank){ .count = 0 };
	switch (t->schedule) {
	case SCHEDULE_GPIPE:
		gpipe(&l);
		break;
	case SCHEDULE_ZB_V:
		zero_bubble_v(&l);
		break;
	case SCHEDULE_V_HALF:
	case SCHEDULE_V_MIN:
		pattern(&l);
		break;
	case SCHEDULE_DUALPIPE:
		order_dualpipe(&l);
		break;
	case SCHEDULE_DUALPIPEV:
		dualpipe_v(&l);
		break;
	default:
		one_forward_one_backward(&l);
		break;
	}
}
