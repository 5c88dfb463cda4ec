#include "core/bubble.h"

#include <math.h>

#include "core/plan.h"

double
bubble_seconds(int64_t schedule, const struct pipeline_times *t)
{
	const double p = (double)t->stages, slowest = t->slowest;
	/* What the other ranks add while the pipeline fills: (p - 1)(F + B) for equal ranks. */
	const double fill = fmax(0, t->sum - slowest);
	const double backward = slowest - t->forward;

	if (t->stages <= 1 || slowest <= 0)
		return 0;
	switch (schedule) {
	case SCHEDULE_ZB_1P:
		return fill * fmax(0, slowest - 2 * t->weight) / slowest;
	case SCHEDULE_ZB_2P:
	case SCHEDULE_ZB_V:
		/* none when forward, data and weight gradient take the same time */
		return fill * fmax(0, slowest - 3 * t->weight) / slowest;
	case SCHEDULE_V_HALF:
		return fill / 2;
	case SCHEDULE_V_MIN:
		return fill * 2 / 3;
	case SCHEDULE_DUALPIPE:
		return fmax(0, p / 2 - 1) * fmax(0, slowest + backward - 3 * t->weight);
	case SCHEDULE_DUALPIPEV:
		/* 2 p stages on p ranks: half of a rank's time each */
		return (p - 1) * fmax(0, slowest + backward - 3 * t->weight) / 2;
	default:
		return fill / (double)(t->chunks > 1 ? t->chunks : 1);
	}
}
