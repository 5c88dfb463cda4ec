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
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"

/* What a term belongs to; result.h tells more of each. */
enum quantity {
	QUANTITY_PARAMS_TOTAL,   /* params.total */
	QUANTITY_PARAMS_ACTIVE,  /* params.active */
	QUANTITY_PARAMS_GPU,     /* stages.params: on one GPU of a stage */
	QUANTITY_PARAMETERS,     /* memory.parameters, bytes */
	QUANTITY_GRADIENTS,      /* memory.gradients, bytes */
	QUANTITY_OPTIMIZER,      /* memory.optimizer, bytes */
	QUANTITY_ACTIVATIONS,    /* memory.activations, bytes */
	QUANTITY_LOGITS,         /* memory.logits, bytes */
	QUANTITY_BUFFERS,        /* memory.buffers, bytes */
	QUANTITY_OVERHEAD,       /* memory.overhead, bytes */
	QUANTITY_TRAFFIC,        /* communication.bytes, bytes a step of one GPU */
	QUANTITY_STEP,           /* step.seconds */
	QUANTITY_FLOPS,          /* step.model_flops, FLOP of one step */
	QUANTITY_SERVE_MEMORY,   /* serving.memory_bytes, bytes: weights, non-torch, activations, graphs, pool */
	QUANTITY_KV_TOKEN,       /* serving.kv_bytes_per_token, bytes */
	QUANTITY_TTFT,           /* serving.ttft_seconds */
	QUANTITY_TPOT,           /* serving.tpot_seconds */
	QUANTITY_COUNT
};

/* Which part of its quantity a term belongs to, where results count parts. */
enum ledger_part {
	PART_NONE,
	PART_COMPUTE, PART_RECOMPUTE, PART_EXPOSED, PART_BUBBLE, PART_OPTIMIZER, /* STEP */
	PART_WEIGHTS, PART_NON_TORCH, PART_ACTIVATIONS, PART_GRAPHS, PART_POOL,  /* SERVE_MEMORY */
	PART_ROW,                /* TRAFFIC: and as many on as struct traffic has the row */
};

struct ledger_term {
	enum quantity quantity;
	int32_t part;            /* enum ledger_part */
	int32_t stage;           /* pipeline stage, -1 for the whole model */
	double value;            /* in the quantity's unit */
	const char *name;        /* "attention projections" */
	const char *source;      /* public paper, or repository and file */
	char formula[192];       /* "h*(n+2k)*d + n*d*h = 4096*(32+2*8)*128 + ..." */
};

struct ledger {
	struct ledger_term *term; /* owned by the caller */
	size_t count, capacity;   /* terms past the capacity are counted, not kept */
	int32_t part, stage;      /* stamped on the terms that follow */
};

void ledger_init(struct ledger *l, struct ledger_term *term, size_t capacity);
void ledger_note(struct ledger *l, enum quantity q, double value, const char *name,
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

/* The same for a part of a quantity. */
#define LEDGER_PART(ledger, sum, quantity, of, value, name, source, ...) \
	do { \
		if ((ledger) != NULL) \
			(ledger)->part = of; \
		LEDGER_ADD(ledger, sum, quantity, value, name, source, __VA_ARGS__); \
		if ((ledger) != NULL) \
			(ledger)->part = PART_NONE; \
	} while (0)
#endif
