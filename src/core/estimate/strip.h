/*
 * strip.h - the run of a plan on other numbers of nodes, with the same model parallel sizes and
 * the same batch: as many data parallel ranks as divide it.
 */
#ifndef CORE_STRIP_H
#define CORE_STRIP_H
#include <stdbool.h>
#include <stdint.h>

#include "core/estimate/estimate.h"

struct scope;

enum { STRIP_MAX = 24 };

struct strip_point {
	int64_t nodes;
	bool own, fits;                   /* own: the plan's */
	double days, days_low, days_high;
	double cost, goodput;             /* cost 0: not known */
};

struct node_strip {
	int count;
	struct strip_point point[STRIP_MAX]; /* by nodes; those next to the plan's */
};

/* Of a plan with a token budget; none where it has no run. work and scope are the caller's. */
void strip_of(struct node_strip *out, const struct plan *p, const struct catalog *catalog,
    struct scope *scope, struct estimate *work);
#endif
