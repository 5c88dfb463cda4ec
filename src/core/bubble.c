#include "core/bubble.h"

#include <math.h>

#include "core/plan.h"

/* Forward F, backward without weight gradients I, and weight gradients W of a micro-batch. */
struct passes {
	double f, i, w;
};

static double
most(double a, double b, double c)
{
	return fmax(a, fmax(b, c));
}

/*
 * The longest ways through the order of ScheduleZBVZeroBubble, n = PP - 1: those in the
 * first line lead through the first backwards of the lower ranks, those in the second
 * through the forwards between them. All are 0 where F = I = W.
 */
static double
zero_bubble_v(double n, const struct passes *t)
{
	const double f = t->f, i = t->i, w = t->w;
	const double first = most(n * (i - w), n * (f - (i + w) / 2),
	    n * (f - w) + fmax((i - f) / 2, -w / 2));
	const double between = most(n / 2 * (i - f), (n - 1) / 2 * (f - i),
	    (n - 1) / 2 * (w - f) + fmax(0, (i - f) / 2));

	return most(0, first, between);
}

/*
 * DualPipe.step and its folded form: n ranks before the middle one, a chunk's passes.
 * Where F = I = W it is DeepSeek's n*(F&B + B - 3*W), with F&B = F + B.
 */
static double
dualpipe(double n, const struct passes *t)
{
	const double f = t->f, i = t->i, w = t->w;

	return most(n * 2 * f, n * (2 * f + i - w), n * (f + 2 * i - fmin(w, i)) - f);
}

double
bubble_seconds(int64_t schedule, const struct pipeline_times *t)
{
	const double p = (double)t->stages, slowest = t->slowest;
	/* What the other ranks add while the pipeline fills: (p - 1)(F + B) for equal ranks. */
	const double fill = fmax(0, t->sum - slowest);
	const double n = fill / fmax(slowest, 1e-300), even = n / fmax(p - 1, 1);
	const struct passes all = { t->forward, slowest - t->forward - t->weight, t->weight };
	const struct passes half = { all.f / 2, all.i / 2, all.w / 2 };
	const double chunks = (double)(t->chunks > 1 ? t->chunks : 1);

	if (t->stages <= 1 || slowest <= 0)
		return 0;
	switch (schedule) {
	case SCHEDULE_ZB_1P:
		return n * (all.i + fmax(0, all.f - all.w)) / chunks;
	case SCHEDULE_ZB_2P:
		return n * most(0, all.f + all.i - 2 * all.w, all.i - all.f);
	case SCHEDULE_ZB_V:
		return zero_bubble_v(n, &all);
	case SCHEDULE_V_HALF:
		return fill / 2;
	case SCHEDULE_V_MIN:
		return fill * 2 / 3;
	case SCHEDULE_DUALPIPE:
		return even * fmax(0, dualpipe(p / 2 - 1, &all));
	case SCHEDULE_DUALPIPEV:
		/* 2 p stages on p ranks: half of a rank's time each */
		return even * dualpipe(p - 1, &half);
	default:
		return fill / chunks;
	}
}
