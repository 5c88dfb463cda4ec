/*
 * compute.h - how long a GPU takes for matrix products, attention and memory-bound work.
 *
 * Matrix products: t = t0 + ((flop/(e*peak))^q + (bytes/(b*HBM))^q)^(1/q), with e, b, q and
 * t0 fitted per GPU generation on the GEMM tables of ai-dynamo/aiconfigurator (systems/data,
 * bf16): half of the points held out, median error 3 to 6 %, 90th percentile 10 to 18 %.
 * Everything here is of one micro-batch on one GPU, in seconds, without communication.
 */
#ifndef CORE_COMPUTE_H
#define CORE_COMPUTE_H
#include <stdbool.h>
#include <stdint.h>

#include "core/model/params.h"
#include "core/plan/plan.h"

/* What the GPU and the software on it reach; rates in FLOP/s and B/s of one GPU. */
struct machine {
	bool known;            /* the plan says how fast the GPU is; else every time is 0 */
	double peak;           /* dense peak in the plan's precision: what MFU divides by */
	double linear, plain;  /* matrix products of linear layers; all others (16 bits) */
	double grouped;        /* products of experts, each over its own tokens */
	double hbm, vector;    /* memory: matrix products; memory-bound operations */
	double launch;         /* seconds that any matrix product takes at least */
	double kernel;         /* seconds that any memory-bound operation takes at least */
	int power;             /* q above */
	double attention, attention_backward;  /* flash attention, causal work counted by half */
	double cast;           /* bytes that casting a value for a linear layer moves, 0 in 16 bits */
	double width;          /* bytes of a value that linear layers read: 2, or 1 in FP8 */
	double error;          /* documented relative error of a step time */
};
struct machine machine_of(const struct plan *p);

/* One GPU's part of the work of a layer, head or embedding for one micro-batch. */
struct work {
	double forward;         /* matrix products, attention and memory-bound operations */
	double backward;        /* the same, weight gradients included */
	double weight;          /* of backward: weight gradients */
	double core;            /* of forward: attention without its projections */
	double core_backward;   /* of backward: the same */
	double recompute;       /* forward work done again in backward, where it is at all */
};

/* One transformer layer; kind is a set of LAYER_ bits (params.h). */
struct work compute_layer(const struct plan *p, const struct machine *g, int kind);
struct work compute_embedding(const struct plan *p, const struct machine *g);
struct work compute_head(const struct plan *p, const struct machine *g); /* LM head and loss */
struct work compute_mtp(const struct plan *p, const struct machine *g);  /* its projection */

/* Seconds of a memory-bound operation that moves so many bytes. */
double compute_memory(const struct machine *g, double bytes);
#endif
