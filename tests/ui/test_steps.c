/* What a step would do is what it does. */
#include <locale.h>
#include <math.h>

#include "support.h"
#include "ui/list/list.h"
#include "ui/state/steps.h"
#include "ui/state/edit.h"

/* What was foretold of a step of the selected field against the plan after it. */
static void
holds(struct session *s, const struct next_step *step, int way)
{
	const struct plan before = s->state.plan;
	const enum field_id f = s->state.form.field;
	char value[VALUE_SIZE];

	app_act(&s->state, edit_step(&s->state, way));
	if (!step->exists) {
		assert_true(state_same(&s->state.plan, &before));
		return;
	}
	field_format(f, &s->state.plan, value, sizeof value);
	assert_string_equal(value, step->value);
	assert_int_equal(s->state.estimate->legal, step->legal);
	if (step->legal) {
		assert_true(fabs(s->state.estimate->peak_total - step->outlook.memory) <= 0);
		assert_int_equal(s->state.estimate->fits, step->outlook.fits);
	} else {
		assert_true(step->why[0] != '\0');
	}
	if (!state_same(&s->state.plan, &before))
		type(s, "u");
	assert_true(state_same(&s->state.plan, &before));
}

SESSION_TEST(test_every_step)
{
	static const char *const plans[] = { "set tp 2", "set tp 3", "set pp 8", "set mode serve" };
	struct session *s = session_new(test, 100, 30);

	for (size_t p = 0; p < COUNT(plans); p++) {
		app_command(&s->state, plans[p]);
		for (enum field_id f = 0; f < FIELD_COUNT; f++) {
			struct next_step next[2];

			if (!field_in_use(f, &s->state.plan))
				continue;
			s->state.form.field = f;
			app_follow(&s->state);
			assert_true(s->state.steps->known && s->state.steps->field == f);
			memcpy(next, s->state.steps->next, sizeof next);
			holds(s, &next[0], -1);
			holds(s, &next[1], 1);
		}
	}
}

SESSION_TEST(test_strip)
{
	struct session *s = session_new(test, 80, 24);

	assert_int_equal(s->state.form.field, FIELD_TP);
	assert_true(shows(s, "<1 "));
	assert_true(shows(s, " 4> "));
	type(s, "+");
	assert_true(shows(s, "<2 23.6 GiB"));
	key(s, INPUT_TAB);
	assert_true(hides(s, "<2 23.6 GiB")); /* of the form alone */
}

SESSION_TEST(test_list)
{
	struct session *s = session_new(test, 100, 40);
	const struct plan before = s->state.plan;

	type(s, "v");
	assert_int_equal(s->state.list.kind, LIST_STEPS);
	assert_int_equal(s->state.steps->listed[list_target(&s->state) / 2], FIELD_TP);
	assert_true(shows(s, "TP                2 -> 1"));
	assert_true(shows(s, "sequence parallel true -> false"));
	assert_true(hides(s, "VPP               1 -> 0")); /* which is none */
	assert_true(shows(s, "not legal: "));
	/* Then from the plan that the step has led to. */
	key(s, INPUT_ENTER);
	assert_int_equal(s->state.plan.parallel.tp, 1);
	assert_int_equal(s->state.list.kind, LIST_STEPS);
	assert_true(shows(s, "TP                1 -> 2"));
	key(s, INPUT_ESCAPE);
	type(s, "u");
	assert_true(state_same(&s->state.plan, &before));
}

/* The time is there on a narrow screen as well, and a reason is told to its end. */
SESSION_TEST(test_narrow)
{
	struct session *s = session_new(test, 60, 50);

	type(s, ":set bf16_tflops 989\r:set hbm_gbps 3350\rv");
	assert_true(shows(s, "nodes             2 -> 1           30.0 GiB     3."));
	assert_true(shows(s, "not legal: EP 2 needs a"));
	assert_true(shows(s, "     model with experts"));
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
