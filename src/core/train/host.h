/*
 * host.h - how fast the host launches a layer's kernels.
 *
 * A layer takes as long as the GPU works on it or as the host launches it, whichever is
 * longer. CUDA graphs launch what they hold at once; the whole step as a graph needs no host.
 */
#ifndef CORE_HOST_H
#define CORE_HOST_H
#include "core/plan/plan.h"

/* Seconds of the host for a layer and micro-batch, forward or backward; kind: LAYER_ bits. */
double host_forward(const struct plan *p, int kind);
double host_backward(const struct plan *p, int kind);

/* Seconds between two steps. */
#define HOST_STEP 0.02

/* What the numbers of layers and of steps rest on. */
extern const char host_source[], host_step_source[];
#endif
