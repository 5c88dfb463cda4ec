/*
 * rate_kept.h - runs of the event loop that were made lately, for who asks of many plans: those that
 * differ in another pool, or in names alone, ask for the same ones.
 */
#ifndef CORE_RATE_KEPT_H
#define CORE_RATE_KEPT_H
#include <stddef.h>

#include "core/rate/rate_within.h"

enum { RATE_KEPT = 64, RATE_KEPT_INSIDE = 4096 };

struct rate_kept {
	int count, next;      /* 0 and 0: none yet; the one that makes way */
	struct rate_run {
		struct rate_engine engine;
		struct rate_load load;
		double percentile;
		struct rate_served served;
	} run[RATE_KEPT];
	struct rate_found {   /* rates inside limits, by a number of all that they follow from */
		uint64_t of;
		struct rate_range rate;
	} inside[RATE_KEPT_INSIDE];
};

/* A number of all that is in them but for the load's rate, and of one before. */
uint64_t rate_kept_engine(uint64_t of, const struct rate_engine *e);
uint64_t rate_kept_load(uint64_t of, const struct rate_load *l);
uint64_t rate_kept_numbers(uint64_t of, const double *x, size_t count);

/* As rate_loop_until has it. NULL: keep nothing. */
void rate_loop_kept(struct rate_served *out, const struct rate_engine *e, const struct rate_load *l,
    double percentile, const struct rate_limits *until, struct rate_room *room, struct rate_kept *kept);
#endif
