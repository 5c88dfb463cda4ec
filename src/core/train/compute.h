/*
 * compute.h - how long a GPU takes for matrix products, attention and memory-bound work.
 *
 * Matrix products: t = t0 + ((flop/(e*peak))^q + (bytes/(b*HBM))^q)^(1/q), with e, b, q and
 * t0 fitted per GPU generation on the GEMM tables of ai-dynamo/aiconfigurator (systems/data,
 * bf16): half of the points held out, median error 3 to 6 %, 90th percentile 10 to 18 %.
 * Everything here is of one micro-batch on one GPU, in seconds, without communication. With a
 * tally the code that adds up the work of a part also notes every product, attention and
 * memory-bound operation of it as a term of step.forward, step.backward and step.recompute.
 */
#ifndef CORE_COMPUTE_H
#define CORE_COMPUTE_H
#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/train/job.h"
#include "core/train/machine.h"

/* Full recompute leaves out the last product of a layer and the collective after it. */
bool compute_stops_early(const struct plan *p);

/*
 * How often half of a layer gathers its input over TP, and reduces the gradient of it: once, or
 * with parallel.tp_apart for each projection (13B of 40 layers, eager: 12 gathers and 8 scatters
 * a layer, KempnerInstitute/KempnerForge benchmarks/profiling/13b_24gpu_profiling.md). Gathers
 * of one input are one where torch.compile joins equal operations (PyTorch
 * torch/_functorch/compile_utils.py, fx_graph_cse).
 */
struct tensor_calls {
	double gathers, reductions;
};
struct tensor_calls compute_tensor_calls(const struct plan *p);

/* Ranks of TP gather normed queries and keys, and rotate them all. */
bool compute_gathers_heads(const struct plan *p);

/* One transformer layer; kind is a set of LAYER_ bits (params.h). tally may be NULL. */
struct work compute_layer(const struct plan *p, const struct machine *g, int kind,
    const struct tally *tally);
struct work compute_embedding(const struct plan *p, const struct machine *g,
    const struct tally *tally);
/* LM head and loss. */
struct work compute_head(const struct plan *p, const struct machine *g,
    const struct tally *tally);
/* The projection of multi-token prediction. */
struct work compute_mtp(const struct plan *p, const struct machine *g,
    const struct tally *tally);
#endif
