#include "core/train/bubble.h"

#include <math.h>

#include "core/plan/plan.h"

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
bubble_dualpipe(double n, const struct passes *t)
{
	const double f = t->f, i = t->i, w = t->w;

	return most(n * 2 * f, n * (2 * f + i - w), n * (f + 2 * i - fmin(w, i)) - f);
}

/*
 * Orders that repeat a pattern made for F = I = W: where they differ, ranks wait in every
 * micro-batch (each), and the longer of that and of the ends counts. Linear forms of what
 * timeline.c finds: within 1 % of the step for v-half and 2 % for v-min, from 4 stages on,
 * for I of 0.9 to 1.6 F and W of 0.6 to 1 F.
 */
static double
v_half_ends(double p, const struct passes *t)
{
	const double longer = fmax(t->f, t->i), shorter = fmin(t->f, t->i), odd = fmod(p, 2);

	return fmax(t->f / 2, 1.5 * (p - 1) * longer + (p / 2 - 1.5 + odd) * shorter -
	    (p + 1 - odd) / 2 * t->w);
}

static double
v_half_each(double p, double m, const struct passes *t)
{
	const double longer = fmax(t->f, t->i), shorter = fmin(t->f, t->i), odd = fmod(p, 2);

	return m * (longer - shorter - t->w / 2) + (p - 3 + odd) * longer + p * shorter -
	    p / 4 * t->w;
}

static double
v_min_ends(double p, const struct passes *t)
{
	const double longer = fmax(t->f, t->i), shorter = fmin(t->f, t->i);
	const double paused = fmod(p, 3) > 0 ? 0 : 1;

	return fmax(0, p * longer + (1.25 * p - 2.5 - paused) * shorter - p / 4 * t->w);
}

static double
v_min_each(double p, double m, const struct passes *t)
{
	const double longer = fmax(t->f, t->i), shorter = fmin(t->f, t->i);
	const double paused = fmod(p, 3) > 0 ? 0 : 1, part = p > 2 ? 1 : 0.5;

	return part * m * (2 * longer - shorter - t->w) + (p - 3 - paused) * longer +
	    p * shorter + t->w / 2;
}

/*
 * The same orders with fewer micro-batches than fill them: the ways lead through the first of
 * them, down and back up, and a later one takes what is left of the ranks' time meanwhile.
 * Forms of what timeline.c finds from one micro-batch on.
 */
static double
zero_bubble_1p(double n, double p, double m, double chunks, const struct passes *t)
{
	const double f = t->f, i = t->i, w = t->w, rest = 1 - 1 / chunks;
	const double filled = n * (i + fmax(0, f - w)) / chunks;
	const double alone = n * (f + i) - rest * w;

	return most(filled, alone - (m - 1) * (rest * (f + i) + w),
	    filled + (p - m) * (rest * f + fmin(f, w) / chunks));
}

/* From `start` at one micro-batch over `middle` at as many as ranks to `end` at 2 PP - 1. */
static double
over_micro_batches(double p, double m, double start, double middle, double end)
{
	if (m >= 2 * p - 1)
		return end;
	return m >= p ? middle + (end - middle) * (m - p) / (p - 1) :
	    start + (middle - start) * (m - 1) / (p - 1);
}

double
bubble_late(double stages, double chunks, double microbatches)
{
	return chunks > 1 ? fmax(0, (stages - microbatches) / (stages - 1)) : 0;
}

double
bubble_seconds(int64_t schedule, const struct pipeline_times *t)
{
	const double p = (double)t->stages, slowest = t->slowest;
	/* What the other ranks add while the pipeline fills: (p - 1)(F + B) for equal ranks. */
	const double fill = fmax(0, t->sum - slowest);
	const double n = fill / fmax(slowest, 1e-300);
	const double even = n / fmax(p - 1, 1); /* others to slowest */
	const struct passes all = { t->forward, slowest - t->forward - t->weight, t->weight };
	const struct passes others = { even * all.f, even * all.i, even * all.w };
	/* By what the others are quicker the slowest waits less for them. */
	const double m = t->microbatches, ahead = m * slowest * (1 - even);
	const struct passes half = { all.f / 2, all.i / 2, all.w / 2 };
	const double chunks = (double)(t->chunks > 1 ? t->chunks : 1);
	/* One micro-batch alone, and what each of the first others takes of it in a V. */
	const double alone = n * (all.f + all.i), turn = fmin(all.f, (all.f + all.i) / 2);

	if (t->stages <= 1)
		return 0;
	switch (schedule) {
	case SCHEDULE_ZB_1P:
		return zero_bubble_1p(n, p, m, chunks, &all);
	case SCHEDULE_ZB_2P:
		return most(alone - (m - 1) * all.w, n * (all.i - all.f),
		    n * fmax(0, all.f + all.i - 2 * all.w));
	case SCHEDULE_ZB_V:
		return over_micro_batches(p, m, alone, alone - n * turn, zero_bubble_v(n, &all));
	case SCHEDULE_V_HALF:
		return most(even * v_half_ends(p, &all), v_half_each(p, m, &others) - ahead,
		    alone - (m - 1) * turn);
	case SCHEDULE_V_MIN:
		return fmax(even * v_min_ends(p, &all), v_min_each(p, m, &others) - ahead);
	case SCHEDULE_DUALPIPE:
		return even * fmax(0, bubble_dualpipe(p / 2 - 1, &all));
	case SCHEDULE_DUALPIPEV:
		/* 2 p stages on p ranks: half of a rank's time each */
		return even * bubble_dualpipe(p - 1, &half);
	default:
		return fill / chunks * (1 + (chunks - 1) * bubble_late(p, chunks, m));
	}
}
