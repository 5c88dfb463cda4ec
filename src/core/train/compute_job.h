/*
 * compute_job.h - the work of a layer while it is added up. Private to core.
 */
#ifndef CORE_COMPUTE_JOB_H
#define CORE_COMPUTE_JOB_H
#include <stdbool.h>

#include "core/train/compute.h"

/* What the ledger calls a product of a layer, forward and backward, or a memory-bound
 * operation; and in symbols its sizes m x n x k, or the bytes that it moves. */
struct part {
	const char *name, *size, *input, *weight, *cast, *cast_back;
};

#define PRODUCT(name, size) { name, size, name ": input gradient", \
	name ": weight gradient", name ": cast of the input", name ": cast of the gradient" }

/* Work that is being added up. */
struct job {
	const struct plan *p;
	const struct machine *g;
	const struct tally *tally; /* NULL: nobody asks */
	bool again;                /* recompute runs what is added now once more */
	bool only_again;           /* and here nothing else counts */
	bool frozen;               /* weights have no gradient */
	struct work w;
};

/* The three products of a linear layer. */
void job_products(struct job *j, const struct part *part, double tokens, double out, double in);

/* A memory-bound operation that moves as much backward as forward. */
void job_move(struct job *j, const struct part *part, double bytes);

/* Tokens that reach the experts of one GPU. */
double job_routed(const struct job *j);

/* A layer without its adapters; as compute_layer. */
struct work job_layer(const struct plan *p, const struct machine *g, int kind,
    const struct tally *tally);
#endif
