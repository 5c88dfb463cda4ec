/*
 * host.h - how fast the host launches a layer's kernels, and takes activations and returns them.
 *
 * A layer takes as long as the GPU works on it or as the host launches it, whichever is
 * longer. CUDA graphs launch what they hold at once; the whole step as a graph needs no host.
 */
#ifndef CORE_HOST_H
#define CORE_HOST_H
#include "core/base/ledger.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"

/* Seconds of the host for a layer and micro-batch, forward or backward; kind: LAYER_ bits. */
double host_forward(const struct plan *p, int kind);
double host_backward(const struct plan *p, int kind);

/* Bytes a second between a GPU and its host's memory, each way; 0: not known. */
double host_link(const struct plan *p);

/* Share of the rate of that link that pinned copies one way reach: measured, 54 of 64 GB/s. */
#define HOST_COPY_SHARE 0.84

/*
 * Seconds of a step in which a GPU waits for activations on their way to its host, in the forward
 * pass, and back, in the backward one: by what the copies of a micro-batch take longer than the
 * pass beside which they run. chunk: n of them, of one stage; forward, backward (recompute
 * included): seconds of a micro-batch on it. 0 where none is sent, or nobody knows the rate.
 */
struct host_pass {
	double forward, backward, microbatches;
};
double host_copies(const struct plan *p, const struct chunk *chunk, int64_t n,
    const struct host_pass *pass, struct ledger *ledger);

/* Seconds between two steps. */
#define HOST_STEP 0.02

/* Sources of the numbers of layers and of steps. */
extern const char host_source[], host_step_source[];
#endif
