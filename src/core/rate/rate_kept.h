/*
 * rate_kept.h - runs of the event loop that were made lately, for who asks of many plans: those that
 * differ in another pool, or in names alone, ask for the same ones.
 */
#ifndef CORE_RATE_KEPT_H
#define CORE_RATE_KEPT_H
#include "core/rate/rate_loop.h"

enum { RATE_KEPT = 64 };

struct rate_kept {
	int count, next;      /* 0 and 0: none yet; the one that makes way */
	struct rate_run {
		struct rate_engine engine;
		struct rate_load load;
		double percentile;
		struct rate_served served;
	} run[RATE_KEPT];
};

/* As rate_loop has it. NULL: keep nothing. */
void rate_loop_kept(struct rate_served *out, const struct rate_engine *e, const struct rate_load *l,
    double percentile, struct rate_room *room, struct rate_kept *kept);
#endif
