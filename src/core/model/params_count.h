/*
 * params_count.h - a counter that walks the terms of a model, each divided by the ranks that share
 * it. For params*.c.
 */
#ifndef CORE_PARAMS_COUNT_H
#define CORE_PARAMS_COUNT_H
#include "core/base/ledger.h"
#include "core/model/params.h"

/* What parameters are, by who shares them and which number formats they take. */
enum part {
	PART_LINEAR,        /* weights of linear layers, divided over TP */
	PART_LINEAR_WHOLE,  /* the same, whole on every TP rank */
	PART_SPLIT,         /* other parameters divided over TP */
	PART_WHOLE,         /* other parameters, whole on every TP rank */
	PART_ROUTER,        /* router weights, whole */
	PART_EXPERT,        /* weights of routed experts */
	PART_EXPERT_BIAS,
	PART_COUNT
};

struct counter {
	const struct model *m;
	struct ledger *ledger;
	enum quantity quantity;
	double tp;            /* ranks that share what TP divides, */
	double attention_tp;  /* the attention, */
	double expert_tp;     /* each routed expert */
	double experts;       /* routed experts of a layer that count here */
	double vocab;
	double sum[PART_COUNT];
};

#define TERM(c, part, name, source, expression, ...) \
	LEDGER_TERM((c)->ledger, (c)->sum[part], (c)->quantity, name, source, expression, __VA_ARGS__)

/* Vectors of one normalisation: weight, and the bias of a LayerNorm. */
static inline double
norm_vectors(const struct model *m)
{
	return m->norm == NORM_LAYER ? 2 : 1;
}

/* Projections, norms and what else mixes tokens in layers of these kinds (params_attention.c). */
void params_count_attention(struct counter *c, const struct layer_kinds *k);
#endif
