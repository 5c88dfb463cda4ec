/*
 * recipe.h - how many bytes each parameter takes in each role in training, and over which
 * ranks a role is sharded.
 *
 *   bf16, fp32 gradients, Adam   2 + 4 + 12/D    Megatron-LM dist_optimizer.md
 *   bf16 or fp16 gradients       2 + 2 + 12/D    and 4/D in the step: an fp32 copy
 *   DeepSpeed                    2 + 2 + 12/D    gradients in the plan's precision
 *   fp32                         4 + 4 + 8/D
 *   torchtitan (FSDP2)           16/D            fp32 shards, no master copy; in 16 bits 8/D
 *
 * with D the ranks of a shard, 1 for ZeRO stage 0.
 */
#ifndef CORE_FRAMEWORK_RECIPE_H
#define CORE_FRAMEWORK_RECIPE_H
#include <stdbool.h>

#include "core/plan/plan.h"

/* Bytes a parameter. "Matrices" are weights of linear layers, experts' included. */
struct recipe {
	double weight, linear;         /* weights; those of linear layers */
	double copy;                   /* second form of linear weights (FP8, transposed) */
	double gathered;               /* whole weights beside sharded ones */
	double gradient;
	double master;                 /* fp32 weights of the optimizer */
	double gradient_copy;          /* fp32 gradients of the optimizer */
	double step_copy;              /* and what is fp32 while the optimizer runs alone */
	double moments, matrix_moments;
	bool shard_weights, shard_gradients, shard_optimizer;
	bool experts_plain;            /* routed experts as other weights: not quantised */
	double experts;                /* bytes of a weight of theirs, 0: as of linear layers */
	bool whole_rest;               /* optimizer state beside matrices is not sharded */
	const char *weight_source, *gradient_source, *optimizer_source;
};

/* Where the three parts of the state come from. */
struct recipe_sources {
	const char *weight, *gradient, *optimizer;
};

/* Mixed precision with an fp32 master copy. */
void recipe_mixed(struct recipe *r, const struct plan *p, const struct recipe_sources *from);

/* Moments of the optimizer, by parameter. */
void recipe_moments(struct recipe *r, const struct plan *p);

/* Where parallel.offload keeps the optimizer in host memory its state is 0 here, and so are
 * gradients and weights that move with it. */
void recipe_offload(struct recipe *r, const struct plan *p, bool gradients, bool weights);
#endif
