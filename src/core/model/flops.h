/*
 * flops.h - floating point operations of one token.
 *
 * The convention of NVIDIA/Megatron-LM megatron/training/training.py,
 * num_floating_point_operations: 6 for each weight that a token meets, router not counted;
 * the attention core with the causal half, or whole (llm-foundry, NeMo before 25.09).
 */
#ifndef CORE_FLOPS_H
#define CORE_FLOPS_H
#include <stdbool.h>

#include "core/plan/plan.h"

/* FLOP of one token, forward and backward, without recompute, by part; attention causal, or
 * with the full matrix. */
struct flops {
	double projections, core, mlp, shared, experts, head, mtp;
	double adapters;
	double up; /* of the projections: from MLA's latent vectors to the heads */
};
struct flops flops_of_token(const struct plan *p, bool full_attention);
double flops_sum(struct flops f);

/* FLOP counted with causal attention, as they are with the full matrix. */
struct flops flops_full(const struct plan *p, struct flops causal);

/* FLOP of a weight for one token, forward and backward: 6, or 4 where it is frozen. */
double flops_of_weight(const struct plan *p);

/* The forward pass of one layer alone, whole; kind as in compute_layer. */
double flops_forward_of_layer(const struct plan *p, int kind);
#endif
