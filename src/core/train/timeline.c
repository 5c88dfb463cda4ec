#include "core/train/timeline.h"

#include <math.h>

#include "core/train/timeline_order.h"

/* Interleaved schedules work in groups that fill the pipeline; a shorter last one would make
 * ranks wait for each other. */
static bool
groups_fit(const struct timeline *t)
{
	const int64_t last = t->microbatches % t->group;

	if (t->chunks <= 1 || t->stages <= 1 || t->schedule == SCHEDULE_GPIPE ||
	    t->microbatches <= t->stages)
		return true;
	return t->group >= t->stages && (last == 0 || last >= t->stages);
}

bool
timeline_init(struct timeline *t, const struct plan *p, const struct placement *pl,
    int64_t microbatches, const char **why)
{
	*t = (struct timeline){ .schedule = plan_schedule(p), .stages = pl->pp,
		.chunks = pl->vpp, .microbatches = microbatches };
	*why = NULL;
	if (p->mode != MODE_TRAIN)
		*why = "A serving engine passes tokens from stage to stage; it has no schedule of "
		    "forward and backward.";
	else if (microbatches < 1)
		*why = "The number of micro-batches is not known.";
	else if (placement_folds(t->schedule) && t->chunks != 2)
		*why = "This schedule needs two chunks on each rank, and this split has another "
		    "number.";
	else if (t->schedule == SCHEDULE_DUALPIPE && t->chunks != 1)
		*why = "DualPipe gives each rank one chunk in each direction: VPP must be 1.";
	if (*why != NULL)
		return false;
	t->moe_overlap = p->training.moe_overlap != 0;
	t->group = placement_group(p, t->stages, microbatches);
	if (!placement_folds(t->schedule) && !groups_fit(t)) {
		*why = "The micro-batches do not go into groups of PP or more, as interleaving needs.";
		return false;
	}
	if (placement_folds(t->schedule)) {
		t->path = TIMELINE_FOLD;
	} else if (t->schedule == SCHEDULE_DUALPIPE) {
		t->path = TIMELINE_BOTH;
		t->chunks = 2;
	}
	if (timeline_ops(t, timeline_drawn(t, 0)) == 0)
		*why = "The pipeline has more operations than this picture can hold.";
	return *why == NULL;
}

/* Micro-batches that show the whole pattern. */
static int64_t
enough(const struct timeline *t)
{
	const int64_t p = t->stages;

	switch (t->schedule) {
	case SCHEDULE_ZB_2P:
	case SCHEDULE_ZB_V:
	case SCHEDULE_DUALPIPE:
	case SCHEDULE_DUALPIPEV:
		return 2 * p + 2;
	case SCHEDULE_V_HALF:
	case SCHEDULE_V_MIN:
		return p + 4;
	default:
		if (t->path != TIMELINE_LOOP || t->chunks == 1)
			return p + 2;
		return t->group > t->microbatches / 2 ? t->microbatches : 2 * t->group;
	}
}

int64_t
timeline_drawn(const struct timeline *t, int64_t want)
{
	const int64_t step = t->path == TIMELINE_BOTH ? 2 :
	    t->path == TIMELINE_LOOP && t->chunks > 1 ? t->group : 1;
	const int64_t n = want > enough(t) ? want : enough(t);

	return n >= t->microbatches ? t->microbatches :
	    t->microbatches - (t->microbatches - n) / step * step;
}

size_t
timeline_ops(const struct timeline *t, int64_t drawn)
{
	const int64_t each = TIMELINE_KINDS * t->chunks * t->stages;
	const int64_t width = t->path == TIMELINE_BOTH ? drawn / 2 + drawn % 2 : drawn;

	return each > TIMELINE_OPS_MAX || width > TIMELINE_OPS_MAX / each ? 0 :
	    (size_t)(each * width);
}

static bool
searched(const struct timeline *t)
{
	return t->schedule == SCHEDULE_V_HALF || t->schedule == SCHEDULE_V_MIN;
}

size_t
timeline_entries(const struct timeline *t, int64_t drawn)
{
	const size_t n = timeline_ops(t, drawn);

	return n == 0 || !searched(t) ? n :
	    n + (size_t)(3 * t->stages * timeline_slots(t, drawn));
}

/* ---- what an operation waits for --------------------------------------------------- */

struct place {
	int64_t rank, chunk; /* rank -1: nowhere */
};

/* Where a micro-batch comes from (way -1) or goes next (1). */
static struct place
step_to(const struct timeline *t, struct place at, int way)
{
	const bool up = t->path != TIMELINE_LOOP && at.chunk == 1;
	const int64_t last = t->stages - 1, rank = at.rank + (up ? -way : way);
	const struct place nowhere = { -1, 0 };

	if (rank >= 0 && rank <= last)
		return (struct place){ rank, at.chunk };
	switch (t->path) {
	case TIMELINE_LOOP:
		at.chunk += way;
		if (at.chunk < 0 || at.chunk >= t->chunks)
			return nowhere;
		return (struct place){ last - at.rank, at.chunk };
	case TIMELINE_FOLD: /* the last rank hands it to itself */
		return at.rank == last ? (struct place){ last, 1 - at.chunk } : nowhere;
	case TIMELINE_BOTH:
		break;
	}
	return nowhere;
}

static int64_t
stride_of(const struct timeline *t)
{
	return timeline_index(t, TIMELINE_KINDS, 0, 0);
}

static const struct timeline_op *
op_at(const struct timeline *t, struct place at, enum timeline_kind kind, int64_t m)
{
	return &t->op[at.rank * stride_of(t) + timeline_index(t, kind, at.chunk, m)];
}

static struct timeline_item
item_of(const struct timeline *t, int64_t rank, int64_t index)
{
	/* 32 bits suffice, and divide in half the time. */
	const uint32_t at = (uint32_t)index, width = (uint32_t)t->width;
	const uint32_t row = at / width, chunks = (uint32_t)t->chunks;
	const struct timeline_op *op = &t->op[rank * stride_of(t) + index];
	struct timeline_item item = { .kind = (enum timeline_kind)(row / chunks),
		.chunk = row % chunks, .microbatch = at - row * width, .start = op->start,
		.end = op->end };

	item.whole = item.kind == TIMELINE_BACKWARD && op[t->chunks * t->width].end < 0;
	return item;
}

/* When the input of an operation is there; below 0: not yet known. Weight gradients follow
 * their backward on the same rank. */
static double
ready(const struct timeline *t, int64_t rank, const struct timeline_item *item)
{
	const struct place at = { rank, item->chunk };
	struct place from;
	const struct timeline_op *op;

	if (item->kind == TIMELINE_WEIGHT)
		return 0;
	from = step_to(t, at, item->kind == TIMELINE_FORWARD ? -1 : 1);
	if (from.rank < 0)
		return 0;
	op = op_at(t, from, item->kind, item->microbatch);
	return op->start < 0 ? -1 : op->end;
}

/* ---- times ------------------------------------------------------------------------- */

static const struct chunk_time *
time_of(const struct timeline *t, const struct chunk_time *time, int64_t rank, int64_t chunk)
{
	if (t->path == TIMELINE_BOTH)
		return &time[chunk == 0 ? rank : t->stages - 1 - rank];
	return &time[rank * t->chunks + chunk];
}

static double
seconds_of(const struct chunk_time *time, const struct timeline_item *item)
{
	switch (item->kind) {
	case TIMELINE_FORWARD:
		return time->forward;
	case TIMELINE_BACKWARD:
		return item->whole ? time->backward : time->backward - time->weight;
	default:
		return time->weight;
	}
}

/* Give the operation at k->done its times, or return false while its input is not there.
 * until: when the rank's last one ended, or its partner's input came. */
static bool
run_next(struct timeline *t, int64_t rank, const struct chunk_time *time, double until)
{
	struct timeline_rank *k = &t->rank[rank];
	const int32_t index = t->order[rank * stride_of(t) + k->done] & ~TIMELINE_PAIR;
	const struct timeline_item item = item_of(t, rank, index);
	const double seconds = seconds_of(time_of(t, time, rank, item.chunk), &item);
	const double input = ready(t, rank, &item);
	struct timeline_op *op = &t->op[rank * stride_of(t) + index];

	if (input < 0)
		return false;
	op->start = input > until ? input : until;
	op->end = k->end = op->start + seconds;
	if (k->done == 0)
		k->start = op->start;
	k->busy += seconds;
	k->done++;
	return true;
}

/* Run two chunks as one: the output of the first is there when the second ends. */
static bool
run_pair(struct timeline *t, int64_t rank, const struct chunk_time *time)
{
	struct timeline_rank *k = &t->rank[rank];
	const int32_t *order = t->order + rank * stride_of(t) + k->done;
	const int32_t first = order[0] & ~TIMELINE_PAIR;
	const struct timeline_item second = item_of(t, rank, order[1]);
	const double input = ready(t, rank, &second);

	if (input < 0 || !run_next(t, rank, time, input > k->end ? input : k->end))
		return false;
	run_next(t, rank, time, k->end);
	t->op[rank * stride_of(t) + first].end = k->end;
	return true;
}

/* Run what a rank can, in its order. */
static bool
advance(struct timeline *t, int64_t rank, const struct chunk_time *time)
{
	struct timeline_rank *k = &t->rank[rank];
	const int32_t *order = t->order + rank * stride_of(t);
	const int32_t before = k->done;
	bool more = true;

	while (more && k->done < k->count)
		more = order[k->done] & TIMELINE_PAIR ? run_pair(t, rank, time) :
		    run_next(t, rank, time, k->end);
	return k->done > before;
}

/* First to last operation of the rank that takes longest. */
static double
span_of(const struct timeline *t)
{
	double span = 0;

	for (int64_t r = 0; r < t->stages; r++)
		span = fmax(span, t->rank[r].end - t->rank[r].start);
	return span;
}

/* What the micro-batches left out would take; period: one of them at least. */
static void
count_rest(struct timeline *t, const struct chunk_time *time, double period)
{
	const double rest = (double)(t->microbatches - t->drawn);

	for (int64_t r = 0; r < t->stages; r++) {
		struct timeline_rank *k = &t->rank[r];
		double each = 0;

		for (int64_t v = 0; v < t->chunks; v++) {
			const struct chunk_time *c = time_of(t, time, r, v);

			each += c->forward + c->backward;
		}
		if (t->path == TIMELINE_BOTH)
			each /= 2;
		k->busy += rest * each;
		period = fmax(period, each);
	}
	t->seconds = span_of(t) + rest * period;
}

static void
run_all(struct timeline *t, int64_t drawn, const struct chunk_time *time)
{
	bool moved = true;

	t->drawn = drawn;
	t->width = t->path == TIMELINE_BOTH ? drawn / 2 + drawn % 2 : drawn;
	if (searched(t))
		timeline_search(t);
	for (int64_t r = 0; r < t->stages; r++)
		timeline_order(t, r);
	/* Forwards come down the ranks, backwards come up: take turns. */
	while (moved) {
		moved = false;
		for (int64_t r = 0; r < t->stages; r++)
			moved |= advance(t, r, time);
		for (int64_t r = t->stages - 1; r >= 0; r--)
			moved |= advance(t, r, time);
	}
}

void
timeline_run(struct timeline *t, int64_t drawn, const struct chunk_time *time)
{
	double before = 0;

	/* Patterns may wait in every micro-batch: what does one more take? */
	if (searched(t) && drawn < t->microbatches) {
		run_all(t, drawn - 1, time);
		before = span_of(t);
	}
	run_all(t, drawn, time);
	count_rest(t, time, before > 0 ? span_of(t) - before : 0);
}

/* ---- what to show ------------------------------------------------------------------ */

int64_t
timeline_gap(const struct timeline *t)
{
	const int64_t middle = timeline_share(t, 0) / 2;

	return t->path == TIMELINE_LOOP && t->chunks > 1 ? middle / t->group * t->group : middle;
}

struct timeline_item
timeline_at(const struct timeline *t, int64_t rank, int64_t i)
{
	const int32_t *order = t->order + rank * stride_of(t) + i;
	struct timeline_item item = item_of(t, rank, order[0] & ~TIMELINE_PAIR);
	const int64_t rest = t->microbatches - t->drawn;

	if (order[0] & TIMELINE_PAIR) /* drawn one after the other */
		item.end = t->op[rank * stride_of(t) + order[1]].start;

	if (rest > 0 && item.microbatch >= timeline_gap(t))
		item.microbatch += t->path == TIMELINE_BOTH ? rest / 2 : rest;
	if (t->path == TIMELINE_BOTH && item.chunk == 1)
		item.microbatch += (t->microbatches + 1) / 2;
	return item;
}

int64_t
timeline_held(const struct timeline *t, int64_t rank)
{
	const bool all = t->schedule == SCHEDULE_GPIPE;

	return t->rank[rank].held + (all ? (t->microbatches - t->drawn) * t->chunks : 0);
}

double
timeline_idle(const struct timeline *t, int64_t rank)
{
	const double share = t->seconds > 0 ? 1 - t->rank[rank].busy / t->seconds : 0;

	return share > 0 ? share : 0;
}

const char *
timeline_note(const struct timeline *t)
{
	const int64_t p = t->stages, m = t->microbatches;

	if (p <= 1)
		return NULL;
	if (t->schedule == SCHEDULE_DUALPIPE && (p % 2 != 0 || m % 2 != 0 || m < 2 * p))
		return "DualPipe wants an even PP and an even number of micro-batches, 2 x PP or more";
	if (t->schedule == SCHEDULE_DUALPIPEV && m < 2 * p)
		return "DualPipeV wants 2 x PP micro-batches or more";
	if (t->schedule == SCHEDULE_ZB_2P)
		return "drawn as ZB-H2: the search of zb-2p may hold one micro-batch more";
	return NULL;
}
