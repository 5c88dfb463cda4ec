/*
 * job.h - work of a layer as it is being added up: matrix products, memory-bound operations,
 * attention. With a tally each of them is noted as a term.
 */
#ifndef CORE_JOB_H
#define CORE_JOB_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/model/matrix.h"
#include "core/plan/plan.h"
#include "core/train/machine.h"

/* One GPU's part of the work of a layer, head or embedding for one micro-batch. */
struct work {
	double forward;       /* matrix products, attention and memory-bound operations */
	double backward;      /* the same, weight gradients included */
	double weight;        /* of backward: weight gradients */
	double core;          /* of forward: attention without its projections */
	double core_backward; /* of backward: the same */
	double recompute;     /* forward work done again in backward, where it is at all */
};

/* Where the seconds of a part go, for those who ask: how often the stage has the part. */
struct tally {
	struct ledger *ledger;
	const char *unit; /* "MoE layers" */
	double times;     /* parts of the stage */
	double again;     /* those of them that recompute runs again */
};

/* Work that is being added up. */
struct layer_job {
	const struct plan *p;
	const struct machine *g;
	const struct tally *tally; /* NULL: nobody asks */
	bool again;                /* recompute runs what is added now once more */
	bool only_again;           /* and here nothing else counts */
	bool frozen;               /* weights have no gradient */
	struct work w;
};

/* How products of one kind run: `times` of them, all in one kernel; bytes that a cast of
 * their input and of their output's gradient moves. */
struct lot {
	struct rate rate, weight; /* forward and input gradient; weight gradient */
	double times, cast, cast_back;
	double casts;             /* kernels of one such cast */
};

/* m x n x k products, `extra` bytes moved besides the operands of each. */
struct product {
	const struct rate *rate;
	double times, m, n, k, extra;
};

/* A term: its name and source, and its formula for one part, in symbols and in numbers. */
struct remark {
	const char *name, *source, *size;
	char symbols[96], numbers[160];
};

/* Add forward seconds: once more where recompute runs them again. */
void job_forward(struct layer_job *j, double seconds);

/* Seconds of all its products: one launch, see compute.h. */
double job_product_seconds(const struct machine *g, const struct product *x);

/* Note a term of that many seconds for one part. */
void job_note(
    const struct layer_job *j, bool backward, double seconds, const struct remark *r);

/* The same for products and for bytes. */
void job_note_product(const struct layer_job *j, bool backward, const struct product *x,
    const char *name, const char *size);

/* factor: how many times as long as those bytes take. */
void job_note_memory(const struct layer_job *j, bool backward, double factor, double bytes,
    const char *name, const char *size);

/* A linear layer, or one of each expert. Below 16 bits what goes into it is cast before the
 * products, forward its input and backward the gradient of its output. */
void job_linear(struct layer_job *j, const struct operation *op, const struct lot *lot,
    double tokens, double out, double in);

/* A linear layer of the plan's precision. */
void job_dense(
    struct layer_job *j, const struct operation *op, double tokens, double out, double in);

/* A product in 16 bits whatever the precision. */
void job_plain(
    struct layer_job *j, const struct operation *op, double tokens, double out, double in);

/* A memory-bound operation: bytes that it moves forward and backward. */
void job_move(struct layer_job *j, const struct operation *op, double forward, double backward);

/* Memory-bound operations: bytes of the forward pass, fused; backward moves 1.8 times as
 * much. */
void job_vector(struct layer_job *j, const struct operation *op, double bytes);

/* The same of bytes that are moved as they are, fused or not. */
void job_unfused(struct layer_job *j, const struct operation *op, double bytes);
#endif
