/*
 * test_accuracy_latency.c - serving estimates against measured latencies: errors may only
 * shrink. When one does, lower the figure here.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "accuracy_latency.h"

static struct latency_errors groups[LATENCY_GROUPS_MAX];
static int count;

static int
measure(void **state)
{
	const char *top = getenv("TOP");

	(void)state;
	count = accuracy_latency_measure(groups, top != NULL ? top : ".", NULL);
	return count > 0 ? 0 : -1;
}

/* Percent in the median and at the 90th percentile. */
static void
hold(const char *name, enum latency what, int rows, double median, double ninth)
{
	int i = 0;

	while (i < count && strcmp(groups[i].name, name) != 0)
		i++;
	assert_true(i < count);
	assert_int_equal(groups[i].count[what], rows);
	if (100 * accuracy_latency_at(&groups[i], what, 0.5) > median ||
	    100 * accuracy_latency_at(&groups[i], what, 0.9) > ninth)
		fail_msg("%s, %s: median %.2f, 90th %.2f", name, what == LATENCY_TPOT ? "TPOT" : "TTFT",
		    100 * accuracy_latency_at(&groups[i], what, 0.5),
		    100 * accuracy_latency_at(&groups[i], what, 0.9));
}

TEST(test_next_tokens)
{
	hold("all", LATENCY_TPOT, 1021, 5.5, 16.4);
	hold("vllm", LATENCY_TPOT, 286, 5.1, 15.5);
	hold("trtllm", LATENCY_TPOT, 521, 5.6, 17);
	hold("sglang", LATENCY_TPOT, 214, 6.6, 17.5);
	hold("more than 64", LATENCY_TPOT, 178, 8, 23.1);
	hold("gpt-oss-120b", LATENCY_TPOT, 143, 5.7, 20.7);
	hold("glm-5", LATENCY_TPOT, 14, 4.8, 13.6);
}

TEST(test_first_tokens)
{
	hold("all", LATENCY_TTFT, 988, 14.6, 47.5);
	hold("vllm", LATENCY_TTFT, 280, 13.1, 33);
	hold("trtllm", LATENCY_TTFT, 506, 15, 48.5);
	hold("sglang", LATENCY_TTFT, 202, 18, 66);
}

int
main(void)
{
	return unit_run(measure, NULL);
}
