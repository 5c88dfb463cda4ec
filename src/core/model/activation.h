/*
 * activation.h - bytes that one GPU keeps between forward and backward, term by term.
 *
 * Formulas are those of Megatron-LM with Transformer Engine modules, after Korthikanti et
 * al. 2022, "Reducing Activation Recomputation in Large Transformer Models"; each term's
 * source is the code that saves the tensor.
 */
#ifndef CORE_ACTIVATION_H
#define CORE_ACTIVATION_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/model/params.h"
#include "core/plan/plan.h"

/*
 * What one model chunk keeps for one micro-batch, counted in units: layers by kind that
 * keep everything, layers of which only the input is kept (full recompute), MTP heads and
 * embeddings. The same struct holds the bytes of one unit of each (activation_units), so
 * the bytes of a share are a scalar product.
 */
struct share {
	struct layer_kinds kept;
	double input, mtp, embedding;
};
struct share share_add(struct share a, const struct share *b, double times);
double share_bytes(const struct share *count, const struct share *unit);

/* Sizes and switches that every term needs, worked out once a stage. */
struct activation {
	const struct plan *p;
	double a;             /* bytes of an activation */
	double linear;        /* bytes of what a linear layer keeps of its input */
	double core;          /* bytes of what attention over keys and values keeps */
	double tp, cp;
	double etp;           /* ranks that split one expert */
	double tokens, local; /* of one micro-batch on a CP rank; the part that SP leaves */
	double routed;        /* tokens that reach the experts of one rank, copies counted */
	bool selective;       /* recompute by module: */
	bool by_operation;    /* or by operation (struct framework) */
	bool eager;           /* modules of Hugging Face and their like (modules.h) */
	bool fused;           /* with one kernel for a norm, one for the gated activation */
	bool frozen;          /* adapters alone are trained, */
	unsigned adapted;     /* enum adapter_target: of these */
	bool no_core, no_norm, no_up, no_mlp, no_act, no_moe, no_shared;
};
/* How CP's traffic counts in it: by tokens 0, by heads of some ranks 1, of all 2. */
enum { ACTIVATION_EXCHANGES = 3 };
int activation_exchange(const struct plan *p);

struct activation activation_init(const struct plan *p);

/* Bytes of one unit of each. */
struct share activation_units(const struct activation *c);

/* Bytes of a share, each term added to *sum and noted under QUANTITY_ACTIVATIONS. */
void activation_add(const struct activation *c, const struct share *held,
    struct ledger *ledger, double *sum);

/* Bytes of the inputs of recomputed layers that are on their way to host memory or back, two of
 * those of a chunk of so many layers. */
void activation_add_moving(const struct activation *c, int64_t layers, struct ledger *ledger,
    double *sum);

/* Bytes that the modules of a selective recompute fill again in the backward pass of one half
 * of a layer: its attention, or its MLP or experts. */
double activation_refilled(const struct activation *c, const struct layer_kinds *layer,
    bool attention);
#endif
