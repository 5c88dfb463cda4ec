/*
 * format.h - number formats of linear layers in training: what a value takes, and what runs.
 *
 * Below 16 bits Transformer Engine (transformer_engine/common/recipe, pytorch/tensor) keeps a
 * quantised copy of each operand for every direction that products read it in. FP8 products of
 * Hopper read one layout only, so a transposed copy stands beside each; with scales along rows
 * (fp8-block, mxfp8, nvfp4) the other direction is quantised anew.
 */
#ifndef CORE_FORMAT_H
#define CORE_FORMAT_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct format {
	bool quantised;   /* linear layers work below 16 bits: with 16 bits or more the rest is
			   * bytes alone */
	bool four;        /* in 4 bits */
	double bytes;     /* of a value that products read, and that is kept for the backward
			   * pass: scales included */
	double weight;    /* of a weight's copy in one direction */
	double second;    /* of the one for the other direction, 0 where it is the same copy */
	bool turns;       /* a weight turned round is that copy: scales of whole tensors or squares */
	double gathered;  /* of a weight that fp8_param_gather gathers */
	double cast;      /* moved to cast one value, in and out */
	double each;      /* kernels of an expert's product besides it, the cast among them; 0: one */
	double each_back; /* for all experts. Backward: of both products */
	double share;     /* of what products in FP8 reach, 4 bits included */
	int64_t multiple; /* of both sizes of a linear layer's weight */
};

/* The format of the plan's precision on its GPU. */
struct format format_of(const struct plan *p);

/* The GPU's generation runs the plan's precision. */
bool format_runs(const struct plan *p);

/* Dense peak in the plan's precision, FLOP/s; of 16 bits where the GPU has no units for it. */
double format_peak(const struct plan *p);
#endif
