/*
 * stage.h - which layers, embedding, loss and MTP layers each pipeline stage holds.
 *
 * Layer ids count from 0. Chunk v of pipeline rank p is global stage v*pp + p (looping
 * schedules) or, for V-shaped schedules, its mirror image. Sources: Megatron-LM
 * transformer_block.py (get_num_layers_to_build), transformer_layer.py
 * (get_transformer_layer_offset), pipeline_parallel_layer_layout.py; torchtitan
 * distributed/pipeline_parallel.py; DeepSpeed runtime/utils.py (partition_uniform).
 */
#ifndef CORE_STAGE_H
#define CORE_STAGE_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/diag.h"
#include "core/plan/plan.h"

/* pp x vpp, and twice pp; more is refused as too_many_stages. */
enum { STAGE_CHUNKS_MAX = 4096 };

struct chunk {
	int32_t first;  /* id of the first layer (the offset even when count is 0) */
	int32_t count;  /* layers */
	int32_t mtp;    /* multi-token-prediction layers */
	bool embedding, loss;
};

struct placement {
	int64_t pp, vpp;
	struct chunk chunk[STAGE_CHUNKS_MAX]; /* chunk of (p, v) at [p*vpp + v] */
};

/*
 * Place the layers as the plan's framework does, or refuse as it would: false, with the
 * error appended to diags (may be NULL). p must be resolved.
 */
bool placement_init(struct placement *out, const struct plan *p, struct diag_list *diags);

/* True for schedules that send a micro-batch down the ranks and back up: two chunks a rank,
 * the second one mirrored (Qi et al. 2024, arXiv 2405.15362; deepseek-ai/DualPipe). */
bool placement_folds(int64_t schedule);

static inline const struct chunk *
placement_chunk(const struct placement *pl, int64_t pp_rank, int64_t v)
{
	return &pl->chunk[pp_rank * pl->vpp + v];
}

/* The layers that every framework places, in one chunk: all but MTP layers, which some leave out. */
struct chunk stage_all_layers(const struct plan *p);

/* Layers of all chunks of a pipeline rank. */
int64_t placement_layers(const struct placement *pl, int64_t pp_rank);

/* The stage besides its own of which a rank holds a copy, itself in the middle of an odd PP; -1 for
 * all schedules but DualPipe, whose ranks keep one model chunk for each direction
 * (deepseek-ai/DualPipe dualpipe/dualpipe.py). */
static inline int64_t
placement_mirror(const struct placement *pl, const struct plan *p, int64_t pp_rank)
{
	const bool both = p->mode == MODE_TRAIN && p->training.schedule == SCHEDULE_DUALPIPE;

	return both && pl->pp > 1 ? pl->pp - 1 - pp_rank : -1;
}

/* Micro-batches that an interleaved schedule runs in a row on a chunk, of so many. PyTorch
 * makes as many rounds as PP goes into them, all of one length
 * (torch/distributed/pipelining/schedules.py). */
int64_t placement_group(const struct plan *p, int64_t pp, int64_t microbatches);
#endif
