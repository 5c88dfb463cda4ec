/*
 * memory.h - bytes on one GPU of each pipeline stage.
 *
 * So far the static part: parameters, gradients and optimizer state, as the framework of
 * the plan allocates them, for each ZeRO stage, precision and optimizer.
 *
 * Not counted: what a framework gathers for a moment (ZeRO-3 layers in use, buckets),
 * padding of buffers to whole shards, and state kept in host memory (offload).
 */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H
#include "core/layout.h"
#include "core/ledger.h"
#include "core/params.h"
#include "core/plan.h"
#include "core/stage.h"

struct memory {
	double parameters, gradients, optimizer; /* bytes */
	double total;
};

/* Over how many ranks sharded state of dense and of expert parameters is split: DP x CP,
 * and the ranks that hold the same experts, each less dp_replicate copies. */
struct shards {
	double dense, expert;
};
struct shards memory_shards(const struct plan *p, const struct layout *l);

/* In serve mode parameters are the weights, gradients and optimizer are 0. */
struct memory memory_stage(const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t pp_rank, struct ledger *ledger);

/* Bytes that a plan may use on one GPU: its memory less what is reserved. */
double memory_capacity(const struct plan *p);
#endif
