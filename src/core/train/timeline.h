/*
 * timeline.h - which operation each pipeline rank runs when: one training step in time.
 *
 * Orders: Megatron-LM megatron/core/pipeline_parallel/schedules.py (1F1B, interleaved
 * 1F1B); PyTorch torch/distributed/pipelining/schedules.py (GPipe, looped GPipe, zb-1p as
 * ScheduleInterleavedZeroBubble, zb-v, dualpipev); Qi et al. 2023, arXiv 2401.10241 (zb-2p
 * as ZB-H2); sail-sg/zero-bubble-pipeline-parallelism zbv_greedy.py (v-half, v-min);
 * deepseek-ai/DualPipe dualpipe/dualpipe.py. Start times follow from the order: an operation
 * starts when its rank is free and its input is there. Sending takes no time here.
 *
 * A long step is run with fewer micro-batches: those in the middle of the steady state, each
 * like the one before, are left out, and the totals count them again.
 */
#ifndef CORE_TIMELINE_H
#define CORE_TIMELINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/framework/stage.h"
#include "core/plan/plan.h"
#include "core/train/steptime.h"

/* Backward holds the weight gradients too, except where they run on their own. */
enum timeline_kind { TIMELINE_FORWARD, TIMELINE_BACKWARD, TIMELINE_WEIGHT, TIMELINE_KINDS };

/* How a micro-batch goes through the ranks. */
enum timeline_path {
	TIMELINE_LOOP,  /* down, and from the last rank to the next chunk of the first */
	TIMELINE_FOLD,  /* down in the first chunk, back up in the second */
	TIMELINE_BOTH,  /* half of them down, half of them up: a chunk for each direction */
};

enum { TIMELINE_OPS_MAX = 1 << 17 };

struct timeline_op {
	double start, end; /* seconds; end < 0: not an operation of its own */
};

struct timeline_rank {
	int32_t count;     /* operations */
	int32_t done;      /* of them, while they get their times */
	int32_t held;      /* (chunk, micro-batch) pairs alive at the peak */
	double start, end; /* of its first and its last operation */
	double busy;       /* seconds of work, those left out included */
};

struct timeline {
	int64_t schedule;     /* enum schedule */
	enum timeline_path path;
	int64_t stages, chunks;  /* pipeline ranks, and chunks on each */
	int64_t group;        /* micro-batches that a chunk runs in a row; interleaved only */
	int64_t microbatches; /* of the step */
	int64_t drawn;        /* of them in the timeline */
	bool moe_overlap;
	double seconds;       /* of the step: first to last operation of the rank that takes
	                       * longest, what was left out included */
	int64_t width;        /* entries of op for one kind and chunk of a rank */
	/* Memory of the caller: see timeline_run. */
	struct timeline_op *op;
	int32_t *order;
	struct timeline_rank *rank;
};

/* One operation as shown. */
struct timeline_item {
	enum timeline_kind kind;
	bool whole;           /* backward with weight gradients */
	int64_t chunk, microbatch;
	double start, end;
};

/* The pipeline of a training plan. Where there is no such picture: false, and words that
 * say why. microbatches: of one step. */
bool timeline_init(struct timeline *t, const struct plan *p, const struct placement *pl,
    int64_t microbatches, const char **why);

/* How many micro-batches to run where `want` would do: no fewer than show warm-up, steady
 * state and cool-down as the whole step has them, no more than there are. */
int64_t timeline_drawn(const struct timeline *t, int64_t want);

/* Entries of op that so many micro-batches need; 0 when that is more than
 * TIMELINE_OPS_MAX. rank needs as many entries as there are stages. */
size_t timeline_ops(const struct timeline *t, int64_t drawn);

/* Entries of order: as many, and more where the order is searched for. */
size_t timeline_entries(const struct timeline *t, int64_t drawn);

/* Run so many micro-batches. op, order and rank are set by the caller; time holds a row for
 * each chunk, in the order of struct placement. */
void timeline_run(struct timeline *t, int64_t drawn, const struct chunk_time *time);

/* The i-th operation of a rank. */
struct timeline_item timeline_at(const struct timeline *t, int64_t rank, int64_t i);

/* Micro-batches that were left out are counted from here on (in each chunk). */
int64_t timeline_gap(const struct timeline *t);

/* Its difference from how the framework would run the plan, or NULL. */
const char *timeline_note(const struct timeline *t);

/* Pairs alive at the peak of the whole step. */
int64_t timeline_held(const struct timeline *t, int64_t rank);

/* Share of the step that a rank does nothing in. */
double timeline_idle(const struct timeline *t, int64_t rank);
#endif
