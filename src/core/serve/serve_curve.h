/*
 * serve_curve.h - how an engine answers the fewer and the more requests there are at once.
 */
#ifndef CORE_SERVE_CURVE_H
#define CORE_SERVE_CURVE_H
#include <stddef.h>

#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"
#include "core/serve/serve.h"

enum { SERVE_CURVE_MAX = 16 };

struct serve_point {
	int64_t concurrency;
	double ttft_seconds, tpot_seconds;
	double tokens_per_second_per_gpu, tokens_per_second_per_user;
};

/* The times of a plan that is served, as s says, at its own concurrency and at powers of two up
 * to what all its slots hold: from the fewest requests to the most. Returns how many points. */
size_t serve_curve(struct serve_point point[SERVE_CURVE_MAX], const struct plan *p,
    const struct layout *l, const struct placement *pl, const struct serve *s);
#endif
