/*
 * pool.h - prefill workers of their own, as serving.prefill_workers names them: "2xtp4" are two
 * engines of 4 GPUs each with TP 4, "4xdp8" four of 8 with data parallel attention. And the
 * pool of rollouts, where a training plan has one.
 */
#ifndef CORE_POOL_H
#define CORE_POOL_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct pool {
	int64_t workers, size; /* engines, GPUs of each; 0 without a pool */
	bool dp;               /* its attention runs data parallel */
};

/* False for a text that names no pool; an empty one is that of no workers. */
bool pool_parse(struct pool *out, const char *text);

/* GPUs of the prefill workers, 0 where the text names no pool, and of engines' MLPs that have some of
 * their own; in training those that only generate. */
int64_t pool_gpus(const struct plan *p);

/* The GPUs that the layout has: all others. Below 1 where none is left. */
int64_t pool_rest(const struct plan *p);

/* The prefill workers' own plan: engines of one stage on the same GPUs. */
struct plan pool_plan(const struct plan *p, const struct pool *pool);

/* The plan of an engine's GPUs that have MLPs and experts alone: as wide in TP as those that attend. */
struct plan pool_ffn_plan(const struct plan *p);

/* Data parallel ranks of one serving engine, at least 1; DP attention, within TP, not counted. */
double pool_engine_dp(const struct plan *p);
#endif
