/*
 * machine.h - what one GPU and the software on it reach, in training.
 */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H
#include <stdbool.h>

#include "core/plan/plan.h"

/* A peak and the part of it that is reached, in FLOP/s or B/s. */
struct rate {
	double reached, peak;
};

/* Rates of the GPU and of the software on it. */
struct machine {
	bool known;            /* the plan says how fast the GPU is; else every time is 0 */
	double peak;           /* dense peak in the plan's precision: what MFU divides by */
	struct rate linear, plain; /* matrix products of linear layers; all others (16 bits) */
	struct rate grouped;       /* products of experts with many tokens for each */
	struct rate recurrent;     /* of which scans of recurrent layers reach a share (model/mixer.h) */
	double faster;             /* products of experts, over those in 16 bits */
	struct rate hbm, vector;   /* memory: matrix products; memory-bound operations */
	double launch;         /* seconds that any matrix product takes at least */
	double kernel;         /* seconds that any memory-bound operation takes at least */
	int power;             /* q of matrix products, see compute.h */
	double scale;          /* of all rates of compute: calibration, clock, rate_scale */
	double moves;          /* bytes that memory-bound operations move, over fused ones */
	double permuting;      /* time of permuting tokens, over that of other moves of as many bytes */
	bool norms_in_parts;   /* RMSNorm is not one kernel */
	double unaligned;      /* time of products whose rows are no multiples of 16 bytes, over that of others */
	double added;          /* bytes that adding up a weight gradient moves; 0: its product does it */
	double cast;           /* bytes that casting a value for a linear layer moves, 0 in 16 bits */
	double width;          /* bytes of a value that linear layers read: 2, or 1 in FP8 */
};
struct machine machine_of(const struct plan *p);

/* torch.compile runs, without which torchao has no FP8 (torchao/float8/README.md). */
bool machine_compiles(const struct plan *p);

/* Seconds of a memory-bound operation that moves so many bytes. */
double machine_memory(const struct machine *g, double bytes);
#endif
