#include "core/rate/rate_within.h"

#include "core/rate/rate_formula.h"

enum { BISECTIONS = 8 };

struct rate_range
rate_within(const struct rate_engine *e, const struct rate_load *l, const struct rate_limits *limits,
    double enough, struct rate_room *room)
{
	struct rate_range r = { 0, rate_means(e, l, NULL).saturation };
	struct rate_load at = *l;
	struct rate_served s;
	int left = BISECTIONS;

	at.requests = 0;
	for (; left > 0 && r.most > enough; left--) {
		at.rate = (r.least + r.most) / 2;
		rate_loop_until(&s, e, &at, limits->percentile, limits, room);
		if (s.whole && s.ttft.asked <= limits->ttft && s.tpot.asked <= limits->tpot)
			r.least = at.rate;
		else
			r.most = at.rate;
	}
	if (left == 0)
		r.most = r.least;
	return r;
}
