/* The whole run on the screen: its numbers, why they are so, and other numbers of nodes. */
#include <locale.h>

#include "core/estimate/strip.h"
#include "support.h"
#include "ui/list/list.h"

static void
set(struct session *s, const char *line)
{
	type(s, ":");
	type(s, line);
	key(s, INPUT_ENTER);
}

SESSION_TEST(test_numbers)
{
	struct session *s = session_new(test, 110, 50);

	set(s, "set bf16_tflops=989 hbm_gbps=3350 nvlink_gbps=450 tdp_watts=700 generation=hopper");
	set(s, "set mode=serve");
	type(s, "V");
	assert_true(shows(s, "A plan that serves has no end") && hides(s, "How long"));
	key(s, INPUT_ESCAPE);
	set(s, "set mode=train");
	type(s, "V");
	assert_true(shows(s, "How long is the run?"));
	key(s, INPUT_ENTER);
	assert_true(shows(s, ":token_budget"));
	type(s, "50\rV");
	assert_int_equal(s->state.list.kind, LIST_RUN);
	assert_true(shows(s, "goodput"));
	key(s, INPUT_ESCAPE);
	set(s, "set token_budget=100 gpu_hour_price=2 run.deadline_days=10");
	type(s, "V");
	assert_int_equal(s->state.list.kind, LIST_RUN);
	assert_true(shows(s, "goodput"));
	assert_true(shows(s, "a checkpoint"));
	assert_true(hides(s, "epochs of the data"));
	assert_true(shows(s, "deadline 10 days"));
	/* the number of days, and where it comes from; Escape leads back */
	assert_int_equal(list_target(&s->state), RESULT_DAYS);
	key(s, INPUT_ENTER);
	assert_true(shows(s, "waiting for saves"));
	assert_true(shows(s, "Daly 2006"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_RUN);
}

SESSION_TEST(test_nodes)
{
	struct session *s = session_new(test, 110, 50);
	const struct node_strip *strip = &s->state.whole.strip;
	int own = -1;

	set(s, "set bf16_tflops=989 hbm_gbps=3350 nvlink_gbps=450 token_budget=100");
	type(s, "V");
	assert_true(strip->count > 3);
	for (int i = 0; i < strip->count; i++) {
		own = strip->point[i].own ? i : own;
		assert_true(i == 0 || strip->point[i].nodes > strip->point[i - 1].nodes);
		assert_true(i == 0 || strip->point[i].days < strip->point[i - 1].days);
	}
	assert_true(own >= 0);
	assert_int_equal(strip->point[own].nodes, s->state.plan.cluster.nodes);
	assert_true(strip->point[own].days >= s->state.estimate->run.days &&
	    strip->point[own].days <= s->state.estimate->run.days);
	key(s, INPUT_END);
	key(s, INPUT_ENTER);
	assert_int_equal(s->state.plan.cluster.nodes, strip->point[strip->count - 1].nodes);
	assert_int_equal(s->state.list.kind, LIST_RUN);
	key(s, INPUT_ESCAPE);
	type(s, "u");
	assert_int_equal(s->state.plan.cluster.nodes, 2);
}

/* Nothing breaks where there is no room, no run, or no plan that is legal. */
SESSION_TEST(test_odd)
{
	struct session *s = session_new(test, 20, 6);

	set(s, "set bf16_tflops=989 hbm_gbps=3350 nvlink_gbps=450 token_budget=100");
	type(s, "V");
	key(s, INPUT_END);
	key(s, INPUT_ESCAPE);
	set(s, "set tp=3");
	type(s, "V");
	assert_true(s->state.whole.strip.count == 0 || !s->state.whole.strip.point[0].own);
	key(s, INPUT_ENTER);
	assert_int_equal(s->state.list.kind, LIST_RUN);
}

/* At 80 columns a point has its bar with the deadline's line, its cost and what is wrong with it, whole. */
SESSION_TEST(test_narrow)
{
	struct session *s = session_new(test, 80, 24);

	set(s, "set bf16_tflops=989 hbm_gbps=3350 nvlink_gbps=450 token_budget=100 gpu_hour_price=2");
	set(s, "set run.deadline_days=0.01 memory_gib=2");
	type(s, "V");
	key(s, INPUT_END);
	assert_true(s->state.whole.strip.count > 3);
	assert_false(s->state.whole.strip.point[0].fits);
	assert_true(shows(s, " no room"));
	assert_true(shows(s, "│█"));
	set(s, "set memory_gib=2000");
	type(s, "V");
	key(s, INPUT_END);
	assert_true(shows(s, "k late"));
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
