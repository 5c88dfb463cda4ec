/*
 * ledger.h - every estimated quantity is a sum of named terms, written once.
 *
 * The code that computes a quantity adds it up through LEDGER_ADD. With a ledger attached
 * each term is also noted with its formula, filled in with this plan's values, and its
 * source: that is what `explain`, the why view and the tests read. With NULL attached
 * only the addition remains, so a search can run millions of estimates.
 */
#ifndef CORE_LEDGER_H
#define CORE_LEDGER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

/* Quantities that terms belong to; result.h tells more of each. */
enum quantity {
	QUANTITY_PARAMS_TOTAL,   /* params.total */
	QUANTITY_PARAMS_ACTIVE,  /* params.active */
	QUANTITY_PARAMS_TRAINABLE, /* params.trainable */
	QUANTITY_PARAMS_GPU,     /* stages.params: on one GPU of a stage */
	QUANTITY_PARAMETERS,     /* memory.parameters, bytes */
	QUANTITY_GRADIENTS,      /* memory.gradients, bytes */
	QUANTITY_OPTIMIZER,      /* memory.optimizer, bytes */
	QUANTITY_ACTIVATIONS,    /* memory.activations, bytes */
	QUANTITY_LOGITS,         /* memory.logits, bytes */
	QUANTITY_BUFFERS,        /* memory.buffers, bytes */
	QUANTITY_OVERHEAD,       /* memory.overhead, bytes */
	QUANTITY_HOST,           /* memory.host, bytes */
	QUANTITY_DRIVE,          /* memory.nvme, bytes */
	QUANTITY_TRAFFIC,        /* communication.bytes, bytes a step of one GPU */
	QUANTITY_STEP,           /* step.seconds */
	QUANTITY_FLOPS,          /* step.model_flops, FLOP of one step */
	QUANTITY_SERVE_MEMORY,   /* serving.memory_bytes, bytes: weights, non-torch, activations, graphs, pool */
	QUANTITY_KV_TOKEN,       /* serving.kv_bytes_per_token, bytes */
	QUANTITY_DECODE,         /* serving.step_seconds */
	QUANTITY_PREFILL,        /* serving.prefill_seconds */
	QUANTITY_TTFT,           /* serving.ttft_seconds */
	QUANTITY_TPOT,           /* serving.tpot_seconds */
	QUANTITY_FORWARD,        /* step.forward, of one micro-batch on the slowest stage */
	QUANTITY_BACKWARD,       /* step.backward, the same */
	QUANTITY_RECOMPUTE,      /* step.recompute, the same */
	QUANTITY_TRAFFIC_SECONDS, /* communication.seconds, if nothing else ran */
	QUANTITY_EXPOSED,        /* communication.exposed_seconds */
	QUANTITY_RL_STEP,        /* rl.step_seconds */
	QUANTITY_RL_SECONDS,     /* rl.phase_seconds, of all phases */
	QUANTITY_RL_MEMORY,      /* rl.peak_bytes */
	QUANTITY_RL_HOST,        /* rl.host_bytes_per_node */
	QUANTITY_CHECKPOINT,     /* run.checkpoint_bytes */
	QUANTITY_RUN,            /* run.days */
	QUANTITY_ENERGY,         /* run.mwh */
	QUANTITY_COST,           /* run.cost */
	QUANTITY_COUNT
};

/* Which part of its quantity a term belongs to, where results count parts. */
enum ledger_part {
	PART_NONE,
	PART_COMPUTE, PART_RECOMPUTE, PART_EXPOSED, PART_BUBBLE, PART_SLOW, PART_HOST,
	PART_OPTIMIZER, /* STEP */
	PART_WEIGHTS, PART_NON_TORCH, PART_ACTIVATIONS, PART_GRAPHS, PART_POOL,  /* SERVE_MEMORY */
	PART_QUEUE, PART_PROMPTS, /* TTFT, TPOT */
	PART_ROLLOUT, PART_REWARD, PART_OLD_LOGPROB, PART_REF_LOGPROB, PART_CRITIC, PART_TRAIN,
	PART_SYNC,               /* RL_SECONDS */
	PART_ROW,                /* TRAFFIC: and as many on as struct traffic has the row */
};

struct ledger_term {
	enum quantity quantity;
	int32_t part;            /* enum ledger_part */
	int32_t stage;           /* pipeline stage, -1 for the whole model */
	double value;            /* in the quantity's unit */
	const char *name;        /* "attention projections" */
	const char *source;      /* public paper, or repository and file */
	char formula[448];       /* "h*(n+2k)*d + n*d*h = 4096*(32+2*8)*128 + ..." */
};

/* Kernels of a micro-batch by what they do, where a term is of such. */
enum kernel_kind { KERNELS_NONE, KERNELS_PRODUCT, KERNELS_EXPERTS, KERNELS_ATTENTION, KERNELS_NORM,
	KERNELS_OTHER, KERNEL_KINDS };

struct ledger {
	struct ledger_term *term; /* owned by the caller */
	size_t count, capacity;   /* terms past the capacity are counted, not kept */
	int32_t part, stage;      /* stamped on the terms that follow */
	enum kernel_kind kind;    /* of the terms that follow, */
	double by_kind[KERNEL_KINDS]; /* and the sums of all so far, kept or not */
};

/* Of functions that only those who ask run: the compiler keeps it out of the way of the sums. */
#if defined __GNUC__
#define LEDGER_ASKED __attribute__((cold))
#else
#define LEDGER_ASKED
#endif

void ledger_init(struct ledger *l, struct ledger_term *term, size_t capacity);

/* Terms that follow are of a part, up to PART_NONE. Nothing without a ledger. */
void ledger_part(struct ledger *l, int32_t part);
LEDGER_ASKED void ledger_note(struct ledger *l, enum quantity q, double value, const char *name,
    const char *source, const char *fmt, ...) TEXT_FORMAT(6, 7);

/* Add a term to a sum (a double), and to the ledger when there is one. The formula is
 * formatted only then, after the sum has changed: the sum is not for its arguments. */
#define LEDGER_ADD(ledger, sum, quantity, value, name, source, ...) \
	do { \
		const double ledger_value = (value); \
		(sum) += ledger_value; \
		if ((ledger) != NULL) \
			ledger_note(ledger, quantity, ledger_value, name, source, __VA_ARGS__); \
	} while (0)

/* A formula's name for one of the values in its C expression: AS("TP", c->tp), or IS(h)
 * under its own name. One text for both, which is less to carry round where nobody asks. */
struct ledger_symbol {
	const char *names; /* "c->tp=TP" */
	double value;
};
#define AS(symbol, x) { #x "=" symbol, x }
#define IS(x) { #x "=" #x, x }

/* ledger_note with a formula made of a C expression, once in symbols and once in numbers;
 * symbols: of every value in it, ended by one without names. */
LEDGER_ASKED void ledger_explain(struct ledger *l, enum quantity q, double value, const char *name,
    const char *source, const char *expression, const struct ledger_symbol *symbols);

/* A C expression in symbols or in numbers; returns its length. */
LEDGER_ASKED size_t ledger_write(char *buf, size_t size, const char *code,
    const struct ledger_symbol *symbols, bool numbers);

/* Values of an expression for the two above, as many as there are. */
#define LEDGER_SYMBOLS(...) (const struct ledger_symbol[]){ __VA_ARGS__, { NULL, 0 } }

/* LEDGER_ADD of an expression that is its own formula: what computes and what explains can
 * not disagree. The values that follow it are in AS or IS. */
#define LEDGER_TERM(ledger, sum, quantity, name, source, expression, ...) \
	do { \
		const double ledger_value = (expression); \
		(sum) += ledger_value; \
		if ((ledger) != NULL) \
			ledger_explain(ledger, quantity, ledger_value, name, source, #expression, \
			    LEDGER_SYMBOLS(__VA_ARGS__)); \
	} while (0)
#endif
