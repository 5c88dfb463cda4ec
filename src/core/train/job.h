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
	double again;              /* share of what is added now that recompute runs once more */
	bool by_operation;         /* of products that share is each one's own (saved.h) */
	int products;              /* and as many were before */
	bool only_again;           /* and here nothing else counts */
	bool frozen;               /* weights have no gradient */
	enum kernel_kind kind;     /* of what is added now; KERNELS_NONE: as it is noted */
	struct work w;
};

/* How products of one kind run: `times` of them, all in one kernel; bytes that a cast of
 * their input and of their output's gradient moves. */
struct lot {
	struct rate rate, weight; /* forward and input gradient; weight gradient */
	double times, cast, cast_back;
	double casts, casts_back; /* kernels of such a cast, and what goes with it */
};

/* m x n x k products, `extra` bytes moved besides the operands of each. */
struct product {
	const struct rate *rate;
	double times, m, n, k, extra;
};

/* A term: its name and source, and its formula for one part, in symbols and in numbers. */
struct remark {
	const char *name, *source, *size;
	enum kernel_kind kind;
	char symbols[96], numbers[160];
};

/* Add forward seconds: once more where recompute runs them again. */
void job_forward(struct layer_job *j, double seconds);

/* Seconds of all its products: one launch, see compute.h. */
double job_product_seconds(const struct machine *g, const struct product *x);

/* Note a term of that many seconds for one part. */
void job_note(
    const struct layer_job *j, bool backward, double seconds, const struct remark *r);

/* Note the seconds of a product; and those of bytes that are moved. */
void job_note_product(const struct layer_job *j, bool backward, const struct product *x,
    const char *name, const char *size);

/* Bytes that an operation moves: the C expression that they are, its names, and what it takes
 * times. */
struct moved {
	const char *name, *code;
	const struct ledger_symbol *symbols;
	double bytes, times;
};

/* factor: how many times as long as those bytes take. */
void job_note_memory(const struct layer_job *j, bool backward, double factor,
    const struct moved *moved);

/* A linear layer, or one of each expert. Below 16 bits what goes into it is cast before the
 * products, forward its input and backward the gradient of its output. */
void job_linear(struct layer_job *j, const struct operation *op, const struct lot *lot,
    double tokens, double out, double in);

/* A product in 16 bits whatever the precision; its sizes are expressions of the names that follow. */
void job_plain_sized(struct layer_job *j, const struct operation *op, const double mnk[3],
    const char *const code[3], const struct ledger_symbol *symbols);
#define JOB_PLAIN(j, op, tokens, out, in, ...) \
	job_plain_sized(j, op, (const double[]){ tokens, out, in }, \
	    (const char *const[]){ #tokens, #out, #in }, LEDGER_SYMBOLS(__VA_ARGS__))

/* A memory-bound operation: bytes that it moves forward and backward, expressions of the names that
 * follow. */
void job_move(struct layer_job *j, const struct moved *forward, const struct moved *backward);
#define JOB_MOVE(j, name, forward, backward, ...) \
	job_move(j, &(struct moved){ name, #forward, LEDGER_SYMBOLS(__VA_ARGS__), forward, 1 }, \
	    &(struct moved){ name, #backward, LEDGER_SYMBOLS(__VA_ARGS__), backward, 1 })

/* Memory-bound operations: bytes of the forward pass; backward moves 1.8 times as much. UNFUSED: as
 * they are, VECTOR: fused, else more of them. */
void job_unfused(struct layer_job *j, const struct moved *moved);
#define JOB_UNFUSED(j, name, bytes, ...) \
	job_unfused(j, &(struct moved){ name, #bytes, LEDGER_SYMBOLS(__VA_ARGS__), bytes, 1 })
#define JOB_VECTOR(j, name, bytes, ...) \
	job_unfused(j, &(struct moved){ name, #bytes, LEDGER_SYMBOLS(__VA_ARGS__), bytes, \
	    (j)->g->moves })
#endif
