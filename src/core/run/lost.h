/*
 * lost.h - a plan on fewer nodes than it was made for, or some more, with the same model parallel sizes: what of
 * its batch it keeps, how many GPUs are left over, how long a step takes then. And where slow nodes
 * cost least.
 */
#ifndef CORE_RUN_LOST_H
#define CORE_RUN_LOST_H
#include <stdbool.h>
#include <stdint.h>

#include "core/framework/layout.h"
#include "core/plan/plan.h"

/* A way to go on: nodes, DP, copies of the sharded state, micro-batch, sequences of a step, GPUs without work,
 * seconds of a step. */
struct lost_way {
	int64_t nodes, dp, copies, micro_batch, batch, idle;
	double seconds;              /* 0: there is no such way, or the framework refuses it */
};

struct lost_nodes {
	int64_t dp;                  /* that the GPUs left are enough for, 0: for none */
	struct lost_way same;        /* the same batch, in the fewest seconds */
	struct lost_way less;        /* the most data parallel ranks, with the largest batch that they divide */
};

/* Of a legal training plan that loses so many of its nodes. */
struct lost_nodes lost_of(const struct plan *p, int64_t lost);

/* Of a legal training plan one of whose groups lies on an odd number of nodes: the plan's nodes with
 * which it lies on one more, each rank keeping its sequences. 0 seconds: there is no such plan. */
struct lost_way lost_even(const struct plan *p, int64_t group_nodes);

/* Share of the work of a run that one spare node is worth where repairs take so long: what a job
 * of seconds `then` instead of `now` loses while a node is away, for each node of it. */
double lost_share(const struct plan *p, double now, double then);

/* The pipeline stage on whose nodes slow nodes cost least: its seconds of a step, and its first
 * node; false where they are no longer than nodes of a stage, or there is one stage. */
struct slow_place {
	int64_t stage, node;
	double seconds;
};
bool lost_slow_place(struct slow_place *out, const struct plan *p, const struct layout *l);
#endif
