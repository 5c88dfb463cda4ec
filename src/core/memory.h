/*
 * memory.h - bytes on one GPU of each pipeline stage, as the framework's allocator reports
 * them at the fullest moment of a step.
 */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H
#include "core/layout.h"
#include "core/ledger.h"
#include "core/params.h"
#include "core/plan.h"
#include "core/stage.h"

/* Bytes; the names are those of `estimate --json`, stages[].memory. */
struct memory {
	double parameters, gradients, optimizer;
	double activations;  /* kept between forward and backward, over all chunks in flight */
	double logits;       /* LM head and loss on the last stage, where they are the peak */
	double kv_cache;     /* serve mode */
	double buffers;      /* transients, workspaces, communication, weight-gradient scratch */
	double allocated;    /* sum of the above at the peak: PyTorch's max_memory_allocated */
	double overhead;     /* CUDA context, NCCL, fragmentation: what the GPU holds besides */
	double overhead_low, overhead_high; /* range of the overhead */
	double total;        /* allocated + overhead, held against the capacity */
	double in_flight;    /* micro-batches' worth of activations alive at the peak */
};

/* Over how many ranks sharded state of dense and of expert parameters is split: DP x CP,
 * and the ranks that hold the same experts, each less dp_replicate copies. */
struct shards {
	double dense, expert;
};
struct shards memory_shards(const struct plan *p, const struct layout *l);

/* microbatches: of one data parallel rank in a step, 0 where unknown (counts as many).
 * In serve mode parameters are the weights, gradients and optimizer are 0. */
struct memory memory_stage(const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t microbatches, int64_t pp_rank, struct ledger *ledger);

/* Bytes that a plan may use on one GPU: its memory less what is reserved. */
double memory_capacity(const struct plan *p);
#endif
