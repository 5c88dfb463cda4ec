/*
 * test_timeline.c - the order and the times of forward and backward, by schedule: known
 * sequences of the frameworks, and what every schedule has to keep.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/train/bubble.h"
#include "core/train/schedule.h"
#include "core/train/timeline.h"
#include "../unit.h"

static struct plan p;
static struct placement pl;
static struct timeline t;
static struct chunk_time *times;

static bool
folds(int64_t schedule)
{
	return schedule == SCHEDULE_ZB_V || schedule == SCHEDULE_V_HALF ||
	    schedule == SCHEDULE_V_MIN || schedule == SCHEDULE_DUALPIPEV;
}

static void
release(void)
{
	free(t.op);
	free(t.order);
	free(t.rank);
	free(times);
	t.op = NULL;
	t.order = NULL;
	t.rank = NULL;
	times = NULL;
}

static bool
try_setup(int64_t schedule, int64_t pp, int64_t vpp, int64_t m)
{
	const char *why;

	release();
	memset(&p, 0, sizeof p);
	memset(&pl, 0, sizeof pl);
	p.mode = MODE_TRAIN;
	p.training.schedule = schedule;
	p.training.recompute_layers = 1;
	p.model.layers = pp * vpp;
	p.model.moe_layer_every = 1;
	p.parallel.pp = pl.pp = pp;
	pl.vpp = vpp;
	for (int64_t i = 0; i < pp * vpp; i++)
		pl.chunk[i].count = 1;
	return timeline_init(&t, &p, &pl, m, &why);
}

static void
setup(int64_t schedule, int64_t pp, int64_t vpp, int64_t m)
{
	assert_true(try_setup(schedule, pp, vpp, m));
}

/* Even stages; the times are those of a whole stage. */
static void
run(int64_t drawn, double forward, double input, double weight)
{
	const int64_t n = pl.pp * pl.vpp;
	const double v = (double)pl.vpp;

	free(t.op);
	free(t.order);
	free(t.rank);
	free(times);
	t.op = calloc(timeline_ops(&t, drawn), sizeof *t.op);
	t.order = calloc(timeline_entries(&t, drawn), sizeof *t.order);
	t.rank = calloc((size_t)pl.pp, sizeof *t.rank);
	times = calloc((size_t)n, sizeof *times);
	for (int64_t i = 0; i < n; i++)
		times[i] = (struct chunk_time){ forward / v, (input + weight) / v, weight / v };
	timeline_run(&t, drawn, times);
}

/* "F0 B0": B is backward with the weight gradients, I without; small letters are chunk 1. */
static void
is_order(int64_t rank, const char *want)
{
	char have[1024] = "";

	for (int64_t i = 0; i < t.rank[rank].count; i++) {
		const struct timeline_item item = timeline_at(&t, rank, i);
		const int kind = item.kind == TIMELINE_BACKWARD && !item.whole ? 3 : (int)item.kind;

		snprintf(have + strlen(have), sizeof have - strlen(have), "%s%c%d", i > 0 ? " " : "",
		    (item.chunk % 2 == 0 ? "FBWI" : "fbwi")[kind], (int)item.microbatch);
	}
	if (strcmp(have, want) != 0)
		fail_msg("rank %d: %s\nnot %s", (int)rank, have, want);
}

/* Megatron-LM forward_backward_pipelining_without_interleaving: pp - r - 1 forwards first. */
TEST(test_1f1b)
{
	setup(SCHEDULE_1F1B, 4, 1, 8);
	run(8, 1, 1, 1);
	is_order(0, "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7");
	is_order(1, "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7");
	is_order(2, "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7");
	is_order(3, "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7");
	assert_true(fabs(t.seconds - 33) < 1e-9);
	setup(SCHEDULE_1F1B, 4, 1, 2);
	run(2, 1, 1, 1);
	is_order(0, "F0 F1 B0 B1");
	setup(SCHEDULE_1F1B, 1, 1, 3);
	run(3, 1, 1, 1);
	is_order(0, "F0 B0 F1 B1 F2 B2");
	assert_true(fabs(t.seconds - 9) < 1e-9);
}

/* forward_backward_pipelining_with_interleaving: 2(pp - r - 1) + (v - 1) * group first. */
TEST(test_interleaved)
{
	setup(SCHEDULE_1F1B, 4, 2, 8);
	run(8, 1, 1, 1);
	is_order(0, "F0 F1 F2 F3 f0 f1 f2 f3 F4 F5 F6 b0 F7 b1 f4 b2 f5 b3 f6 B0 f7 B1 B2 B3 "
	    "b4 b5 b6 b7 B4 B5 B6 B7");
	is_order(3, "F0 F1 F2 F3 f0 b0 f1 b1 f2 b2 f3 b3 F4 B0 F5 B1 F6 B2 F7 B3 f4 b4 f5 b5 "
	    "f6 b6 f7 b7 B4 B5 B6 B7");
	/* A group of five of eight: the last one is shorter. */
	setup(SCHEDULE_1F1B, 2, 2, 8);
	t.group = 5;
	run(8, 1, 1, 1);
	is_order(1, "F0 F1 F2 F3 F4 f0 b0 f1 b1 f2 b2 f3 b3 f4 b4 F5 B0 F6 B1 F7 B2 f5 B3 f6 B4 "
	    "f7 b5 b6 b7 B5 B6 B7");
}

TEST(test_gpipe)
{
	setup(SCHEDULE_GPIPE, 2, 1, 3);
	run(3, 1, 1, 1);
	is_order(0, "F0 F1 F2 B0 B1 B2");
	is_order(1, "F0 F1 F2 B0 B1 B2");
	setup(SCHEDULE_GPIPE, 2, 2, 3); /* PyTorch ScheduleLoopedBFS */
	run(3, 1, 1, 1);
	is_order(0, "F0 F1 F2 f0 f1 f2 b2 b1 b0 B2 B1 B0");
}

/* Qi et al. 2023, figures 2 (ZB-H1) and 3 (ZB-H2); PyTorch's ZB order. */
TEST(test_zero_bubble)
{
	setup(SCHEDULE_ZB_1P, 4, 1, 6);
	run(6, 1, 1, 1);
	is_order(0, "F0 F1 F2 F3 I0 W0 F4 I1 W1 F5 I2 W2 I3 W3 I4 W4 I5 W5");
	is_order(3, "F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 F5 I5 W2 W3 W4 W5");
	setup(SCHEDULE_ZB_2P, 3, 1, 6);
	run(6, 1, 1, 1);
	is_order(0, "F0 F1 F2 F3 F4 I0 W0 F5 I1 W1 I2 W2 I3 W3 I4 W4 I5 W5");
	is_order(2, "F0 I0 F1 I1 F2 I2 F3 I3 F4 I4 W0 F5 I5 W1 W2 W3 W4 W5");
}

/* PyTorch ScheduleZBVZeroBubble and ScheduleDualPipeV. */
TEST(test_folded)
{
	setup(SCHEDULE_ZB_V, 2, 2, 4);
	run(4, 1, 1, 1);
	is_order(0, "F0 F1 F2 f0 i0 w0 f1 i1 w1 F3 I0 W0 f2 i2 w2 I1 W1 f3 i3 w3 I2 W2 I3 W3");
	is_order(1, "F0 f0 F1 f1 i0 w0 F2 I0 W0 f2 i1 w1 F3 I1 W1 f3 i2 w2 I2 i3 I3 W2 w3 W3");
	setup(SCHEDULE_DUALPIPEV, 2, 2, 4);
	run(4, 1, 1, 1);
	is_order(0, "F0 F1 F2 f0 i0 w0 f1 F3 b1 f2 B0 b2 f3 B1 b3 I2 W2 I3 W3");
}

/* sail-sg/zero-bubble-pipeline-parallelism zbv_greedy.py, schedule_from_pattern. */
TEST(test_patterns)
{
	setup(SCHEDULE_V_HALF, 4, 2, 4);
	run(4, 1, 1, 1);
	is_order(0, "F0 F1 F2 F3 f0 i0 w0 f1 i1 w1 f2 I0 i2 w2 f3 W0 I1 i3 w3 W1 I2 W2 I3 W3");
	is_order(1, "F0 F1 F2 F3 f0 f1 i0 w0 f2 i1 w1 I0 W0 f3 i2 w2 I1 W1 i3 w3 I2 W2 I3 W3");
	is_order(2, "F0 F1 F2 f0 f1 f2 i0 w0 F3 i1 I0 w1 W0 f3 I1 i2 w2 W1 I2 i3 w3 W2 I3 W3");
	is_order(3, "F0 f0 F1 f1 F2 f2 i0 w0 I0 W0 F3 f3 i1 w1 I1 W1 i2 w2 I2 W2 i3 w3 I3 W3");
	setup(SCHEDULE_V_MIN, 3, 2, 3);
	run(3, 1, 1, 1);
	is_order(0, "F0 F1 F2 f0 i0 w0 f1 i1 w1 I0 W0 f2 I1 i2 w2 W1 I2 W2");
	is_order(1, "F0 F1 f0 f1 i0 w0 I0 W0 i1 F2 w1 f2 I1 W1 i2 w2 I2 W2");
	is_order(2, "F0 f0 F1 f1 i0 I0 w0 W0 i1 F2 f2 I1 w1 W1 i2 I2 w2 W2");
}

/* deepseek-ai/DualPipe DualPipe.step, two ranks, two micro-batches each way. */
TEST(test_dualpipe)
{
	setup(SCHEDULE_DUALPIPE, 2, 1, 4);
	run(4, 1, 1, 1);
	is_order(0, "F0 f2 F1 b2 f3 B0 b3 I1 W1");
	is_order(1, "f2 F0 f3 B0 F1 b2 B1 i3 w3");
}

/* ---- what every schedule keeps ----------------------------------------------------- */

struct seen {
	double start[TIMELINE_KINDS][64][3], end[TIMELINE_KINDS][64][3]; /* micro-batch, chunk */
};

static struct seen seen[16];

static void
look(void)
{
	memset(seen, 0, sizeof seen);
	for (int64_t r = 0; r < t.stages; r++) {
		double free_at = 0;
		int64_t work = 0;

		for (int64_t i = 0; i < t.rank[r].count; i++) {
			const struct timeline_item item = timeline_at(&t, r, i);
			double *start = &seen[r].start[item.kind][item.microbatch][item.chunk];
			double *end = &seen[r].end[item.kind][item.microbatch][item.chunk];

			assert_true(*end <= 0); /* once */
			assert_true(item.end > item.start);
			if (item.start < free_at - 1e-9)
				fail_msg("schedule %d, %d x %d, %d micro-batches: rank %d starts %d too early",
				    (int)t.schedule, (int)t.stages, (int)t.chunks, (int)t.drawn, (int)r, (int)i);
			free_at = *end = item.end;
			*start = item.start;
			work += item.whole ? 3 : item.kind == TIMELINE_FORWARD ? 1 :
			    item.kind == TIMELINE_WEIGHT ? 1 : 2;
		}
		/* F 1, B 3, or I 2 and W 1: four for each pair of chunk and micro-batch */
		assert_int_equal(work, 4 * t.drawn * (t.path == TIMELINE_BOTH ? 1 : t.chunks));
		assert_int_equal(t.rank[r].done, t.rank[r].count);
	}
}

/* Stage s in the order of the layers of one micro-batch: its rank and chunk. */
static void
stage_at(int64_t s, int64_t m, int64_t *rank, int64_t *chunk)
{
	*rank = s % t.stages;
	*chunk = s / t.stages;
	if (t.path == TIMELINE_FOLD && *chunk == 1)
		*rank = t.stages - 1 - *rank;
	if (t.path == TIMELINE_BOTH) {
		*chunk = m >= (t.microbatches + 1) / 2;
		if (*chunk == 1)
			*rank = t.stages - 1 - *rank;
	}
}

static void
check_inputs(void)
{
	const int64_t n = t.path == TIMELINE_BOTH ? t.stages : t.stages * t.chunks;

	for (int64_t m = 0; m < t.microbatches; m++)
		for (int64_t s = 0; s < n; s++) {
			int64_t r, v, above, w;
			const struct seen *here;

			stage_at(s, m, &r, &v);
			here = &seen[r];
			assert_true(here->end[0][m][v] > 0 && here->end[1][m][v] > 0);
			assert_true(here->start[1][m][v] >= here->end[0][m][v] - 1e-9);
			if (here->end[2][m][v] > 0)
				assert_true(here->start[2][m][v] >= here->end[1][m][v] - 1e-9);
			if (s == 0)
				continue;
			stage_at(s - 1, m, &above, &w);
			assert_true(here->start[0][m][v] >= seen[above].end[0][m][w] - 1e-9);
			assert_true(seen[above].start[1][m][w] >= here->end[1][m][v] - 1e-9);
		}
}

TEST(test_every_schedule)
{
	static const double cost[][3] = { { 1, 1, 1 }, { 1, 1.4, .7 }, { 2, 1, 3 } };

	for (int64_t schedule = 0; schedule <= SCHEDULE_DUALPIPEV; schedule++)
		for (int64_t pp = 1; pp <= 9; pp++)
			for (int64_t vpp = 1; vpp <= 3; vpp++)
				for (int64_t m = 1; m <= 37; m += 6)
					for (int c = 0; c < 3; c++) {
						if ((folds(schedule) && pp > 1 && vpp != 2) ||
						    (schedule == SCHEDULE_DUALPIPE && pp > 1 && vpp != 1))
							continue;
						if (!try_setup(schedule, pp, vpp, m)) {
							/* a last group shorter than PP */
							assert_true(vpp > 1 && m > pp && m % pp != 0);
							continue;
						}
						run(m, cost[c][0], cost[c][1], cost[c][2]);
						look();
						check_inputs();
					}
}

/* ---- against the formulas of the estimate ------------------------------------------- */

static double
bubble(int64_t schedule, int64_t pp, int64_t vpp, int64_t m, double forward, double input,
    double weight)
{
	setup(schedule, pp, vpp, m);
	run(m, forward, input, weight);
	return t.seconds - (double)m * (forward + input + weight);
}

static double
formula(int64_t schedule, int64_t pp, int64_t vpp, double m, double forward, double input,
    double weight)
{
	const double all = forward + input + weight;
	const struct pipeline_times pt = { pp, vpp, all, all * (double)pp, forward, weight, m };

	return bubble_seconds(schedule, &pt);
}

/* Formula and timeline differ by no more than this share of the step. */
static void
near_bubble(int64_t schedule, int64_t pp, int64_t vpp, int64_t m, const double cost[3],
    double most)
{
	const double f = cost[0], i = cost[1], w = cost[2];
	const double have = bubble(schedule, pp, vpp, m, f, i, w);
	const double want = formula(schedule, pp, vpp, (double)m, f, i, w);

	if (!(fabs(have - want) <= most * t.seconds))
		fail_msg("schedule %d, %d x %d, %d micro-batches, %g %g %g: bubble %g, not %g of %g",
		    (int)schedule, (int)pp, (int)vpp, (int)m, f, i, w, want, have, t.seconds);
}

static void
same_bubble(int64_t schedule, int64_t pp, int64_t vpp, double forward, double input,
    double weight)
{
	const double want = formula(schedule, pp, vpp, 4 * (double)pp, forward, input, weight);

	near_bubble(schedule, pp, vpp, 4 * pp, (double[]){ forward, input, weight }, 1e-9);
	for (int64_t r = 0; r < pp; r++)
		assert_true(fabs(timeline_idle(&t, r) - want / t.seconds) < 1e-9);
}

TEST(test_bubble)
{
	/* forward, input, weight: each way through an order that can be the longest */
	static const double cost[][3] = { { 1, 1, 1 }, { 1, 1.3, .7 }, { 1, 2.3, .8 }, { 1, .6, .9 },
		{ 1, .7, 1.3 }, { 1, 1.2, 1.4 }, { 1, .5, .3 }, { 1, .4, .8 }, { 1, 1.05, .4 } };

	for (int64_t pp = 2; pp <= 16; pp++) {
		for (int64_t vpp = 1; vpp <= 4; vpp++) {
			same_bubble(SCHEDULE_1F1B, pp, vpp, 1, 1, 1);
			same_bubble(SCHEDULE_1F1B, pp, vpp, 1, 1.3, .8);
			same_bubble(SCHEDULE_GPIPE, pp, vpp, 1, 1.3, .8);
		}
		for (size_t i = 0; i < sizeof cost / sizeof *cost; i++) {
			const double f = cost[i][0], in = cost[i][1], w = cost[i][2];

			same_bubble(SCHEDULE_ZB_1P, pp, 1, f, in, w);
			same_bubble(SCHEDULE_ZB_1P, pp, 3, f, in, w); /* ScheduleInterleavedZeroBubble */
			same_bubble(SCHEDULE_ZB_2P, pp, 1, f, in, w);
			same_bubble(SCHEDULE_ZB_V, pp, 2, f, in, w);
			same_bubble(SCHEDULE_DUALPIPEV, pp, 2, f, in, w);
			if (pp % 2 == 0)
				same_bubble(SCHEDULE_DUALPIPE, pp, 1, f, in, w);
		}
	}
	/* Where all take the same time, the published ones. */
	assert_true(formula(SCHEDULE_ZB_V, 8, 2, 32, 1, 1, 1) < 1e-9);
	assert_true(fabs(formula(SCHEDULE_DUALPIPE, 8, 1, 32, 1, 1, 1) - 3 * (3 + 2 - 3)) < 1e-9);
	assert_true(fabs(bubble(SCHEDULE_ZB_1P, 4, 3, 16, 1, 1, 1) - 1) < 1e-9);
	assert_true(fabs(bubble(SCHEDULE_ZB_V, 8, 2, 32, 1, 1.3, .7) - 4.2) < 1e-9);
}

/* Fewer micro-batches than fill the pipeline. */
TEST(test_few_micro_batches)
{
	static const struct {
		int64_t schedule, vpp;
		double most;
	} of[] = { { SCHEDULE_GPIPE, 1, 1e-9 }, { SCHEDULE_GPIPE, 3, 1e-9 }, { SCHEDULE_1F1B, 1, 1e-9 },
		{ SCHEDULE_1F1B, 2, 1e-9 }, { SCHEDULE_1F1B, 4, 1e-9 }, { SCHEDULE_ZB_1P, 1, 1e-9 },
		{ SCHEDULE_ZB_1P, 2, .015 }, { SCHEDULE_ZB_1P, 4, .015 }, { SCHEDULE_ZB_2P, 1, .05 },
		{ SCHEDULE_ZB_V, 2, .005 }, { SCHEDULE_V_HALF, 2, .16 }, { SCHEDULE_V_MIN, 2, .12 } };
	static const double cost[][3] = { { 1, 1, 1 }, { 1, 1.6, .4 }, { 1, .8, .9 }, { 1, 1.5, 1.2 } };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (int64_t pp = 2; pp <= 12; pp += 2)
			for (int64_t m = 1; m <= 2 * pp; m++)
				for (size_t c = 0; c < sizeof cost / sizeof *cost; c++)
					if (try_setup(of[i].schedule, pp, of[i].vpp, m)) /* whole groups */
						near_bubble(of[i].schedule, pp, of[i].vpp, m, cost[c], of[i].most);
}

static void
near_patterns(int64_t schedule, double most)
{
	for (int64_t pp = 4; pp <= 16; pp++)
		for (double input = .9; input < 1.65; input += .1)
			for (double weight = .6; weight < 1.05; weight += .1)
				near_bubble(schedule, pp, 2, 4 * pp, (double[]){ 1, input, weight }, most);
}

/* A repeating pattern: linear forms are near it, and exact where all take the same time. */
TEST(test_pattern_bubble)
{
	near_patterns(SCHEDULE_V_HALF, .01);
	near_patterns(SCHEDULE_V_MIN, .02);
	for (int64_t pp = 4; pp <= 16; pp++)
		for (double weight = 1.2; weight < 1.5; weight += .2) /* the longest: ends count alone */
			near_bubble(SCHEDULE_V_MIN, pp, 2, 4 * pp, (double[]){ 1, .9, weight }, .005);
	for (int64_t pp = 3; pp <= 16; pp++) {
		const double p1 = (double)pp;

		assert_true(fabs(bubble(SCHEDULE_V_HALF, pp, 2, 3 * pp, 1, 1, 1) -
		    (1.5 * p1 - (pp % 2 == 0 ? 3.5 : 2))) < 1e-9);
		assert_true(fabs(bubble(SCHEDULE_V_MIN, pp, 2, 3 * pp, 1, 1, 1) -
		    (2 * p1 - (pp % 3 == 0 ? 3.5 : 2.5))) < 1e-9);
	}
}

/* Pairs in flight less those that schedule_flight has, on a rank. */
static double
flight_off(int64_t schedule, int64_t pp, int64_t vpp, int64_t m, int64_t rank)
{
	const struct share unit = { .kept = { .all = 1 }, .input = 1, .mtp = 1, .embedding = 1 };

	setup(schedule, pp, vpp, m);
	run(m, 1, 1, 1);
	return (double)timeline_held(&t, rank) - schedule_flight(&p, &pl, m, rank, &unit).chunks;
}

TEST(test_in_flight)
{
	for (int64_t pp = 2; pp <= 12; pp++)
		for (int64_t r = 0; r < pp; r++)
			for (int64_t m = 1; m <= 4 * pp; m += m < pp ? 1 : pp / 2) {
				/* The second chunk of a V is never short of the first. */
				assert_true(fabs(flight_off(SCHEDULE_ZB_V, pp, 2, m, r)) < 1e-9);
				/* Whole pairs below a formula that has fractions. */
				assert_in_range((int)(4 + flight_off(SCHEDULE_V_HALF, pp, 2, m, r)), 3, 4);
				assert_in_range((int)(4 + flight_off(SCHEDULE_V_MIN, pp, 2, m, r)), 2, 4);
				if (m < pp || m % pp != 0)
					continue;
				for (int64_t vpp = 1; vpp <= 3; vpp++) {
					assert_true(fabs(flight_off(SCHEDULE_1F1B, pp, vpp, m, r)) < 1e-9);
					assert_true(fabs(flight_off(SCHEDULE_GPIPE, pp, vpp, m, r)) < 1e-9);
					assert_true(fabs(flight_off(SCHEDULE_ZB_1P, pp, vpp, m, r)) < 1e-9);
				}
				if (m < 2 * pp)
					continue;
				/* ZB-H2 keeps one less than the limit of the searched schedule. */
				assert_true(fabs(flight_off(SCHEDULE_ZB_2P, pp, 1, m, r) + 1) < 1e-9);
				assert_true(fabs(flight_off(SCHEDULE_DUALPIPEV, pp, 2, m, r)) < 1e-9);
				if (pp % 2 == 0)
					assert_true(fabs(flight_off(SCHEDULE_DUALPIPE, pp, 1, m, r)) < 1e-9);
			}
	/* DeepSeek's table: PP + 1 of PP stages, two of which sit on a rank. */
	for (int64_t r = 0; r < 6; r++) {
		flight_off(SCHEDULE_DUALPIPEV, 6, 2, 24, r);
		assert_int_equal(timeline_held(&t, r), 13);
	}
}

/* A few micro-batches stand for many: the same step, the same peaks, the last numbers. */
TEST(test_left_out)
{
	static const int64_t vpp[] = { 1, 1, 1, 1, 2, 2, 2, 1, 2 };

	for (int64_t schedule = 0; schedule <= SCHEDULE_DUALPIPEV; schedule++)
		for (int64_t v = vpp[schedule]; v <= 3; v += schedule == SCHEDULE_1F1B ? 1 : 3) {
			double seconds;
			int64_t held[4], few;

			setup(schedule, 4, v, 60);
			run(60, 1, 1, 1);
			seconds = t.seconds;
			for (int64_t r = 0; r < 4; r++)
				held[r] = timeline_held(&t, r);
			few = timeline_drawn(&t, 0);
			assert_in_range(few, 4, 12);
			run(few, 1, 1, 1);
			assert_true(fabs(t.seconds - seconds) < 1e-6);
			for (int64_t r = 0; r < 4; r++)
				assert_int_equal(timeline_held(&t, r), held[r]);
			/* where V-Min waits in every micro-batch */
			run(60, 1, 1.3, .7);
			seconds = t.seconds;
			run(few, 1, 1.3, .7);
			assert_true(fabs(t.seconds - seconds) < 1e-6);
			for (int64_t i = t.rank[0].count - 1;; i--)
				if (timeline_at(&t, 0, i).kind == TIMELINE_BACKWARD) {
					assert_int_equal(timeline_at(&t, 0, i).microbatch, 59 -
					    (schedule == SCHEDULE_DUALPIPE ? 30 : 0));
					break;
				}
			/* those left out are in the middle: the first ones keep their numbers */
			assert_int_equal(timeline_at(&t, 0, 0).microbatch, 0);
			assert_int_equal(timeline_at(&t, 0, 1).microbatch, timeline_at(&t, 0, 1).chunk == 0 ? 1 :
			    schedule == SCHEDULE_DUALPIPE ? 30 : 0);
		}
}

/* torchtitan's own groups: as many rounds as PP goes into the micro-batches. */
TEST(test_rounds)
{
	const char *why;

	setup(SCHEDULE_1F1B, 4, 2, 8);
	assert_false(timeline_init(&t, &p, &pl, 6, &why));
	p.parallel.layout = LAYOUT_TORCHTITAN;
	assert_true(timeline_init(&t, &p, &pl, 6, &why));
	assert_int_equal(t.group, 6);
	assert_true(timeline_init(&t, &p, &pl, 10, &why));
	assert_int_equal(t.group, 5);
	for (int64_t m = 8; m <= 20; m++) {
		const struct share unit = { .kept = { .all = 1 } };

		release();
		if (!timeline_init(&t, &p, &pl, m, &why))
			continue;
		run(m, 1, 1, 1);
		for (int64_t r = 0; r < 4; r++)
			assert_int_equal(timeline_held(&t, r),
			    (int)schedule_flight(&p, &pl, m, r, &unit).chunks);
	}
}

TEST(test_refused)
{
	const char *why;

	setup(SCHEDULE_1F1B, 4, 1, 8);
	p.mode = MODE_SERVE;
	assert_false(timeline_init(&t, &p, &pl, 8, &why));
	p.mode = MODE_TRAIN;
	assert_false(timeline_init(&t, &p, &pl, 0, &why));
	p.training.schedule = SCHEDULE_ZB_V;
	assert_false(timeline_init(&t, &p, &pl, 8, &why));
	p.training.schedule = SCHEDULE_GPIPE;
	p.parallel.pp = pl.pp = 2048;
	assert_false(timeline_init(&t, &p, &pl, INT64_C(1) << 40, &why));
	assert_non_null(why);
	p.parallel.pp = pl.pp = 128;
	assert_true(timeline_init(&t, &p, &pl, INT64_C(1) << 40, &why));
	assert_int_equal(timeline_ops(&t, INT64_C(1) << 40), 0);
	assert_int_equal(timeline_ops(&t, INT64_MAX), 0);
}

static int
free_all(void **state)
{
	(void)state;
	release();
	return 0;
}

int
main(void)
{
	return unit_run(NULL, free_all);
}
