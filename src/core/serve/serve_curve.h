/*
 * serve_curve.h - how an engine answers the fewer and the more requests there are: at once, or, of a
 * plan with a rate, in a second.
 */
#ifndef CORE_SERVE_CURVE_H
#define CORE_SERVE_CURVE_H
#include <stddef.h>

#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"
#include "core/rate/rate_loop.h"
#include "core/serve/serve.h"

enum { SERVE_CURVE_MAX = 18 };

struct serve_point {
	int64_t concurrency;         /* of a closed loop, else 0 */
	double rate;                 /* requests a second of an open one, else 0 */
	bool is_plan;                /* the plan's own */
	bool is_inside;              /* the rate is the largest inside the limits */
	double ttft_seconds, tpot_seconds; /* means; at a rate what the median request has */
	double ttft_within, tpot_within; /* at a rate, at traffic.percentile */
	double in_flight, load;      /* at a rate */
	double tokens_per_second_per_gpu, tokens_per_second_per_user;
};

/* The times of a plan that is served, as s says, from the fewest requests to the most. At once: its
 * own and powers of two up to what all its slots hold. At a rate: its own, the one inside the
 * limits, and tenths of the one that the engines take; times rise from one to the next. Returns how
 * many points. */
size_t serve_curve(struct serve_point point[SERVE_CURVE_MAX], const struct plan *p,
    const struct layout *l, const struct placement *pl, const struct serve *s,
    struct rate_room *room);
#endif
