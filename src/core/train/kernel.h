/*
 * kernel.h - attention kernels: which one runs, and what it reaches.
 *
 * rate = peak * R * s/(s + s0) * w/(w + w0) * head * window: R is the share of the dense peak
 * in 16 bits, or FP8's, at long sequences on a full GPU, s the sequence that one kernel sees, w how many
 * waves of query tiles fill the multiprocessors. FLOP count causal work by half, and of a
 * window its keys alone.
 */
#ifndef CORE_KERNEL_H
#define CORE_KERNEL_H
#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/train/machine.h"

/* The kernel that runs: where the plan says auto, what the framework's release takes on this GPU. Never
 * KERNEL_AUTO. */
enum attention_kernel kernel_of(const struct plan *p);

/* The kernel takes FP8, and what it takes is cast before; where no table tells its rates it counts as in 16 bits. */
bool kernel_in_fp8(const struct plan *p);

/* One pass of the kernel over a micro-batch. */
struct kernel_rate {
	double reached, peak;   /* FLOP/s */
	double share;           /* R, the machine's scale included */
	double sequence, waves; /* s, w */
	double s0, w0;
	double head, window; /* factors */
};

/* local: of a layer with a window or chunks. */
struct kernel_rate kernel_rate(
    const struct plan *p, const struct machine *g, bool backward, bool local);
#endif
