/*
 * test_accuracy_rate.c - times at a rate against measured ones: errors may only shrink. When one
 * does, lower the figure here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "accuracy_effects.h"
#include "accuracy_rate.h"

static struct rate_errors plain[OPEN_QUANTITIES], fitted[OPEN_QUANTITIES];
static int judged;

static int
measure(void **state)
{
	const char *top = getenv("TOP");

	(void)state;
	judged = accuracy_rate_measure(plain, fitted, top != NULL ? top : ".", NULL);
	return judged > 0 ? 0 : -1;
}

/* Percent in the median and at the 90th percentile. */
static void
hold(const struct rate_errors *e, int rows, double median, double ninth)
{
	if (e->count < rows || 100 * accuracy_rate_at(e, .5) > median ||
	    100 * accuracy_rate_at(e, .9) > ninth)
		fail_msg("%d rows: median %.2f, 90th %.2f", e->count, 100 * accuracy_rate_at(e, .5),
		    100 * accuracy_rate_at(e, .9));
}

TEST(test_nothing_measured)
{
	/* TTFT: eleven rows are of Llama-3.1-8B on B200, whose hosts have queues of their own */
	assert_true(judged >= 85);
	hold(&plain[OPEN_TTFT_P50], 80, 13.5, 62);
	hold(&plain[OPEN_TTFT_P99], 85, 20, 92);
	hold(&plain[OPEN_TPOT], 85, 11.2, 37);
	hold(&plain[OPEN_LIFE], 85, 12, 30);
}

/* Of overloaded runs, and of MLPerf's limits. */
TEST(test_capacity)
{
	hold(&plain[OPEN_REACHED], 35, 8, 36);
	hold(&plain[OPEN_INSIDE], 19, 9.5, 20);
}

TEST(test_one_row_measured)
{
	hold(&fitted[OPEN_TTFT_P50], 35, 4.2, 26);
	hold(&fitted[OPEN_TTFT_P99], 40, 12.6, 59);
	hold(&fitted[OPEN_TPOT], 40, 9.3, 38);
}

/* What mechanisms do: each kind in the median, of so many rows. */
TEST(test_effects)
{
	static struct effect_kind kind[EFFECT_KINDS_MAX];
	static const struct {
		const char *name;
		int rows;
		double median;
	} held[] = {
		{ "spec_accept", 42, .045 }, { "lora", 5, .04 }, { "eplb", 5, .10 }, { "prefix_cache", 4, .24 }, { "pd_ratio", 5, .42 }, { "pd_split", 8, .23 }, { "energy", 32, .115 },
	};
	const char *top = getenv("TOP");
	const int kinds = accuracy_effects_measure(kind, top != NULL ? top : ".", NULL);

	for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
		int k = 0;

		while (k < kinds && strcmp(kind[k].name, held[i].name) != 0)
			k++;
		assert_true(k < kinds && kind[k].judged >= held[i].rows);
		if (fabs(kind[k].error[(kind[k].judged - 1) / 2]) > held[i].median)
			fail_msg("%s: median %.3f", kind[k].name, kind[k].error[(kind[k].judged - 1) / 2]);
	}
}

int
main(void)
{
	return unit_run(measure, NULL);
}
