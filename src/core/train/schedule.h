/*
 * schedule.h - how many micro-batches a pipeline stage holds at its fullest moment.
 *
 * Sources: Megatron-LM megatron/core/pipeline_parallel/schedules.py (1F1B and
 * interleaved); Huang et al. 2019 (GPipe); Qi et al. 2023 (zero bubble) and 2024 (V
 * schedules); the DeepSeek-V3 report (DualPipe) and its repository (DualPipeV).
 */
#ifndef CORE_SCHEDULE_H
#define CORE_SCHEDULE_H
#include <stdbool.h>
#include <stdint.h>

#include "core/framework/stage.h"
#include "core/model/activation.h"
#include "core/plan/plan.h"

/* The share that one chunk keeps for one micro-batch. */
struct share schedule_share(const struct plan *p, const struct chunk *chunk);

struct flight {
	double chunks;        /* (chunk, micro-batch) pairs alive at the peak */
	double microbatches;  /* the same in micro-batches: chunks over chunks of the rank */
	struct share held;    /* what all of them keep */
	bool loss_apart;      /* the loss has moments of its own, at the fullest of which so much is held: */
	double loss_microbatches;
	struct share loss_held;
	const char *source;
	const char *rule;     /* how `chunks` follows: of m, PP, VPP, group and stage r */
};

/*
 * The moment at which stage pp_rank holds most bytes, `unit` saying what a unit takes.
 * microbatches: of one step, 0 where unknown (counts as many).
 */
struct flight schedule_flight(const struct plan *p, const struct placement *pl,
    int64_t microbatches, int64_t pp_rank, const struct share *unit);

/* The least that a rank keeps at that moment, whose layers these are: at some time the first
 * micro-batches are all on every chunk of it, as many as there are stages from it on and as a chunk
 * runs in a row, and the moment that counts has no fewer bytes. Nothing of schedules that fold
 * back, of layers that leave for the host, and of the ends. */
struct flight schedule_flight_least(const struct plan *p, const struct rank_layers *r,
    int64_t microbatches);

/* True where stage pp_rank can not hold more than the one before it: it has the same chunks, all
 * alike, and micro-batches come by in one direction. */
bool schedule_wanes(const struct plan *p, const struct placement *pl, int64_t pp_rank);
#endif
