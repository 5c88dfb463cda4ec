/*
 * serve_setup.h - what a serving plan leaves to the engine, decided as the engine does:
 * limits of a batch, share of the memory, ranks of data parallel attention.
 */
#ifndef CORE_SERVE_SETUP_H
#define CORE_SERVE_SETUP_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct serve_setup {
	int64_t version;      /* 100*major + minor: 19 for 0.19; unknown counts as newest */
	int64_t patch;        /* 6 for 0.5.6, of an unknown version as large as there is */
	double total;         /* bytes that a program sees on one GPU */
	double share;         /* of the memory, the engine's own meaning */
	double pool_share;    /* of a byte more of memory, what the KV pool gets */
	double seqs, tokens;  /* most sequences in a batch, tokens in a forward pass */
	double tp, pp;
	double dp;            /* ranks of an engine that hold requests of their own */
	double engines;       /* replicas */
	bool ray;             /* runs them, as it does engines of rollouts */
};

struct serve_setup serve_setup_of(const struct plan *p);

/* 100*major + minor of "0.19", "v0.6.3", "V0" (0); INT32_MAX without a number, as then the
 * patch is. */
int64_t serve_version(const char *text, int64_t *patch);
#endif
