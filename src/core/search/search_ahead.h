/*
 * search_ahead.h - how likely the plan that is estimated to be better is better.
 */
#ifndef CORE_SEARCH_AHEAD_H
#define CORE_SEARCH_AHEAD_H
#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/search/search_target.h"

/* Measured pairs that were estimated to differ as much. */
struct ahead {
	double share;     /* of them the one estimated to be better was better in so many */
	int pairs;
	double from, to;  /* what they differ by, as a share of the smaller number */
};

/*
 * Of two values of a number of plans like p. False where they are the same or chance alone decides, and for what no sweep
 * has measured: anything but times and rates of training steps and of tokens that an engine
 * generates, and steps of reinforcement learning.
 */
bool search_ahead(const struct search_target *t, const struct plan *p, double a, double b,
    struct ahead *out);
#endif
