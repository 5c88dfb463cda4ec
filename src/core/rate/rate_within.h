/*
 * rate_within.h - the largest rate of an engine whose requests stay inside limits, by bisection over
 * runs of the event loop.
 */
#ifndef CORE_RATE_WITHIN_H
#define CORE_RATE_WITHIN_H
#include "core/rate/rate_loop.h"

/* Between two that are the same where it was found in full. */
struct rate_range {
	double least, most;
};

/* Largest rate that keeps both limits, 0: none does. Where it is no more than `enough` that may be all that is found:
 * most plans of a search are asked whether they are better than those it has. */
struct rate_range rate_within(const struct rate_engine *e, const struct rate_load *l,
    const struct rate_limits *limits, double enough, struct rate_room *room);
#endif
