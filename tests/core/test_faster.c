/*
 * test_faster.c - a faster machine is no slower, and an overlap that is on costs nothing: time of
 * random legal plans, trained and served, with each rate of the machine twice what it was.
 */
#include <stdlib.h>

#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "settings.h"
#include "../torture/random.h"

static struct estimate *estimate;
static struct dice dice;

/* Estimated; false where it is not legal. */
static bool
is_legal(struct plan *p)
{
	plan_resolve(p, defaults_catalog());
	estimate_run(estimate, p, NULL, NULL);
	return estimate->legal;
}

/* Of one generation and fabric, whose measured rows it keeps. */
static struct plan
machine_plan(void)
{
	struct plan p = random_plan(&dice);

	settings_int(&p, FIELD_GENERATION, GENERATION_HOPPER);
	settings_set(&p, "cluster.fabric", "nvlink4");
	return p;
}

/* The next legal one that trains, every third with adapters where it can have them. */
static struct plan
next_trained(void)
{
	for (;;) {
		struct plan p = machine_plan();

		settings_int(&p, FIELD_OVERLAP_GRAD_REDUCE, dice_below(&dice, 2));
		settings_int(&p, FIELD_OVERLAP_PARAM_GATHER, dice_below(&dice, 2));
		settings_int(&p, FIELD_MOE_OVERLAP, dice_below(&dice, 2));
		if (dice_rarely(&dice, 3))
			random_tuning(&dice, &p);
		if (is_legal(&p))
			return p;
	}
}

/* The next legal one that serves. */
static struct plan
next_served(void)
{
	for (;;) {
		struct plan p = machine_plan();

		settings_int(&p, FIELD_MODE, MODE_SERVE);
		settings_int(&p, FIELD_ENGINE, dice_below(&dice, 3));
		settings_set(&p, "parallel.layout", "vllm");
		settings_int(&p, FIELD_PP, 1 << dice_below(&dice, 2));
		settings_int(&p, FIELD_CP, 1);
		settings_int(&p, FIELD_CONCURRENCY, 1 << dice_below(&dice, 9));
		if (is_legal(&p) && estimate->serve.tpot_seconds > 0)
			return p;
	}
}

/* Rates, all per second or the like: more of each is faster. */
static const enum field_id rates[] = {
	FIELD_BF16_TFLOPS, FIELD_FP8_TFLOPS, FIELD_FP4_TFLOPS, FIELD_FP32_TFLOPS, FIELD_HBM_GBPS,
	FIELD_NVLINK_GBPS, FIELD_PCIE_GBPS, FIELD_NIC_GBPS,
};

static void
speed_up(struct plan *p, enum field_id f, double by)
{
	char err[256];

	if (!field_put_real(f, p, field_real(f, p) * by, err, sizeof err))
		fail_msg("%s: %s", field_table[f].path, err);
}

/*
 * What a time may grow. Orders of schedules without a bubble are found by looking, and what is
 * found for other times of its parts may be a worse one; where GPUs wait for launches, what hides
 * traffic is the work without the waiting.
 */
static double
slack(const struct plan *p, double waited)
{
	return p->training.schedule > SCHEDULE_1F1B && p->parallel.pp > 1 ? 0.1 :
	    estimate->step.host_seconds != waited ? 0.05 : 1e-12;
}

static void
no_more(const char *what, const struct plan *p, double before, double after, double most)
{
	if (after > before * (1 + most))
		fail_msg("%s: %.10g s grow to %.10g s: mode %d layout %d tp %d cp %d pp %d vpp %d ep %d zero %d "
		    "schedule %d precision %d offload %d experts %d", what, before, after, (int)p->mode,
		    (int)p->parallel.layout, (int)p->parallel.tp, (int)p->parallel.cp, (int)p->parallel.pp,
		    (int)p->parallel.vpp, (int)p->parallel.ep, (int)p->parallel.zero_stage,
		    (int)p->training.schedule, (int)p->training.precision, (int)p->parallel.offload,
		    (int)p->model.experts);
}

TEST(steps_fall_with_rates)
{
	dice.state = 21;
	for (int i = 0; i < 1500; i++) {
		const struct plan p = next_trained();
		const double before = estimate->step.seconds, waited = estimate->step.host_seconds;

		for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
			struct plan q = p;

			speed_up(&q, rates[r], 2);
			assert_true(is_legal(&q));
			no_more(field_table[rates[r]].path, &q, before, estimate->step.seconds, slack(&q, waited));
		}
	}
}

/* From a request's slot to its last token: where tokens come faster prompts come more often, so that
 * the first token alone may wait longer. */
TEST(requests_fall_with_rates)
{
	dice.state = 22;
	for (int i = 0; i < 1500; i++) {
		const struct plan p = next_served();
		const double before = estimate->serve.cycle_seconds;

		for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
			struct plan q = p;

			speed_up(&q, rates[r], 2);
			assert_true(is_legal(&q));
			no_more(field_table[rates[r]].path, &q, before, estimate->serve.cycle_seconds, 1e-12);
		}
	}
}

/* Of plans that wait for launches no more with it: what overlaps is launched in pieces. */
TEST(steps_fall_with_overlap)
{
	static const enum field_id overlaps[] = { FIELD_OVERLAP_GRAD_REDUCE, FIELD_OVERLAP_PARAM_GATHER,
		FIELD_TP_OVERLAP, FIELD_MOE_OVERLAP };
	int tried[4] = { 0 };

	dice.state = 23;
	for (int i = 0; i < 3000; i++) {
		const struct plan p = next_trained();
		const double before = estimate->step.seconds, waited = estimate->step.host_seconds;

		for (size_t k = 0; k < sizeof overlaps / sizeof *overlaps; k++) {
			struct plan q = p;

			if (field_int(overlaps[k], &p) != 0)
				continue;
			settings_int(&q, overlaps[k], 1);
			if (!is_legal(&q))
				continue;
			if (estimate->step.host_seconds > waited)
				continue;
			no_more(field_table[overlaps[k]].path, &q, before, estimate->step.seconds, slack(&q, waited));
			tried[k]++;
		}
	}
	for (size_t k = 0; k < sizeof overlaps / sizeof *overlaps; k++)
		assert_true(tried[k] > 20);
}

static int
allocate(void **state)
{
	(void)state;
	estimate = calloc(1, sizeof *estimate);
	return estimate == NULL ? -1 : 0;
}

static int
release(void **state)
{
	(void)state;
	free(estimate);
	return 0;
}

int
main(void)
{
	return unit_run(allocate, release);
}
