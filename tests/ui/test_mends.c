/* What is wrong with a plan, where the screen says so, and what mends it. */
#include "support.h"

#include "ui/list/list.h"
#include "ui/pane/panes.h"
#include "ui/state/edit.h"

/* Errors: where no plan before it was possible the panes say so, and stay where they are. */
SESSION_TEST(test_errors)
{
	struct session *s = session_new(test, 100, 30);
	struct arrange before = panes_arrange(&s->state), after;

	open_refused(s);
	assert_true(shows(s, "No traffic to show until the errors are mended"));
	assert_true(shows(s, "No times to show until the errors are mended"));
	after = panes_arrange(&s->state);
	assert_int_equal(before.pane[PANE_STEP].y, after.pane[PANE_STEP].y);
	type(s, "\t\t\t\rq\t\r");
	draw(s);
}

/* The cells of a pane, or of its title, that are not of a role; frames and blanks are of any. */
static int
not_of_role(const struct session *s, struct rect r, enum role role)
{
	int n = 0;

	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++) {
			const struct cell *cell = &s->canvas.cell[y * s->canvas.w + x];

			n += cell->ch != L' ' && cell->style.role != (uint8_t)role;
		}
	return n;
}

/* While a plan is not possible the numbers of the last one that was stay, grey, where they were, and
 * each pane says whose they are. */
SESSION_TEST(test_past)
{
	struct session *s = session_new(test, 100, 30);
	const struct arrange a = panes_arrange(&s->state);

	type(s, "4\r");
	assert_true(shows(s, "MFU "));
	assert_false(s->state.past);
	s->state.form.field = FIELD_PP;
	type(s, "3\r");
	assert_true(!s->state.estimate->legal && s->state.past);
	assert_true(shows(s, "not possible"));
	assert_true(hides(s, "/step"));
	assert_true(shows(s, "map  (last legal plan)"));
	assert_true(shows(s, "memory per GPU, by stage  (last legal plan)"));
	assert_true(shows(s, "traffic per step, one GPU  (last legal plan)"));
	assert_true(shows(s, "step  (last legal plan)"));
	for (int i = PANE_MAP; i < PANE_COUNT; i++) {
		assert_int_equal(panes_arrange(&s->state).pane[i].y, a.pane[i].y);
		assert_int_equal(not_of_role(s, a.inner[i], ROLE_DIM), 0);
	}
	type(s, "\t\t");
	s->state.message[0] = '\0';
	type(s, "jyW");
	assert_non_null(strstr(s->state.yank, ", of the last legal plan"));
	assert_true(shows(s, "why: memory of stage 1, of the last legal plan"));
	assert_true(shows(s, "memory.parameters"));
	type(s, "q");
	app_command(&s->state, "copy table");
	assert_int_equal(strncmp(s->state.yank, "last legal plan", 15), 0);
	assert_non_null(strstr(s->state.yank, "stage 1"));
	type(s, "u");
	assert_true(!s->state.past && hides(s, "last legal plan"));
}

/* Groups that the plan has are its own. Another model, another job or no room to say whose the numbers
 * are: then there are none. */
SESSION_TEST(test_past_where)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":set vpp 3\r");
	assert_true(!s->state.estimate->legal && s->state.estimate->laid_out && s->state.past);
	assert_true(shows(s, "map by tp"));
	assert_int_not_equal(not_of_role(s, panes_arrange(&s->state).inner[PANE_MAP], ROLE_DIM), 0);
	app_resize(&s->state, 60, 24);
	assert_false(s->state.past);
	app_resize(&s->state, 100, 30);
	assert_true(s->state.past);
	type(s, ":set mode serve\r");
	assert_true(!s->state.estimate->legal && !s->state.past);
	type(s, "uu:set model llama-3.1-70b\r:set vpp 3\r");
	assert_true(!s->state.estimate->legal && s->state.past); /* of 70B, which was possible */
	type(s, ":set model llama-3.1-8b\r");
	assert_false(s->state.past);
	open_refused(s);
	assert_false(s->state.past);
}

/* A warning stands where errors stand, with its fix, whatever is selected; a hint only until one
 * looks around. */
SESSION_TEST(test_warnings)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":set model llama-3.1-70b\r:set tp 1\r");
	assert_true(s->state.estimate->legal && !s->state.estimate->fits);
	s->state.form.field = FIELD_CP;
	s->state.message[0] = '\0';
	assert_true(shows(s, "! stage 0 takes "));
	assert_true(shows(s, " (f: "));
	type(s, "j");
	assert_true(shows(s, "! stage 0 takes "));
	type(s, "\t");
	assert_true(shows(s, "! stage 0 takes "));
	/* Where nothing mends it, the list of what is wrong stays, and f does not say that all
	 * is well. */
	type(s, ":set pp 1\r:set nodes 1\r:set gpus_per_node 1\r"
	    ":set hidden_size 262144\r:set layers 4096\r"
	    ":set bf16_tflops 989\r:set hbm_gbps 3350\r");
	assert_true(s->state.estimate->legal && !s->state.estimate->fits);
	type(s, "f");
	assert_true(shows(s, "no change of one or two fields mends what is wrong (e lists it)"));
	assert_int_equal(s->state.list.kind, LIST_MENDS);
	assert_true(shows(s, "search    the best of all plans on these GPUs"));
	s->state.list.kind = LIST_DIAGS;
	type(s, "\r");
	assert_true(shows(s, "no single change mends this"));
	assert_int_equal(s->state.list.kind, LIST_DIAGS);
}

SESSION_TEST(test_hint_line)
{
	struct session *s = session_new(test, 100, 30);
	const struct diag *d;

	type(s, ":set bf16_tflops 989\r:set hbm_gbps 3350\r:set nodes 1\r:set pp 1\r:set tp 8\r");
	s->state.message[0] = '\0';
	d = edit_current_diag(&s->state);
	assert_non_null(d);
	assert_int_equal(d->severity, SEVERITY_HINT);
	assert_true(shows(s, "? "));
	assert_true(shows(s, " (f: "));
	s->state.form.field = FIELD_NODES;
	type(s, "j");
	assert_true(shows(s, "(:gpus_per_node) follows GPU: GPUs in each node"));
	type(s, ":set vpp 1\r:set micro_batch_size 2\ru");
	s->state.message[0] = '\0';
	assert_true(shows(s, " (f: "));
}

/* Advice waits for the keys that were typed: the first picture does without. */
SESSION_TEST(test_advice_waits)
{
	struct session *s = session_new(test, 100, 30);

	s->state.form.field = FIELD_PP;
	app_key(&s->state, '3');
	app_key(&s->state, '\r');
	assert_false(s->state.estimate->legal);
	assert_true(app_busy(&s->state));
	assert_true(hides(s, "(f: "));
	app_idle(&s->state);
	assert_false(app_busy(&s->state));
	assert_true(shows(s, "(f: "));
	app_key(&s->state, '5');
	app_key(&s->state, '\r');
	app_key(&s->state, 'f'); /* which needs it */
	assert_int_equal(s->state.list.kind, LIST_MENDS);
}

SESSION_TEST(test_fix)
{
	struct session *s = session_new(test, 100, 30);

	s->state.form.field = FIELD_PP;
	type(s, "3\r");
	assert_false(s->state.estimate->legal);
	assert_true(shows(s, "! "));
	assert_true(shows(s, "(f: "));
	assert_true(shows(s, "error"));
	type(s, "f");
	assert_int_equal(s->state.list.kind, LIST_MENDS);
	assert_true(shows(s, "what would mend the plan"));
	assert_true(shows(s, "What you changed last")); /* nothing but another PP does */
	type(s, "f");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(s->state.estimate->legal);
	assert_true(shows(s, "fixed: "));
	type(s, "u");
	assert_false(s->state.estimate->legal);
	type(s, "e");
	assert_int_equal(s->state.list.kind, LIST_DIAGS);
	assert_true(shows(s, "error: "));
	type(s, "\r");
	assert_true(s->state.estimate->legal);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	type(s, "f");
}

/* What does not fit: the list has memory and time of each way out, the first of which leaves
 * the last change alone; undo takes the chosen one back. */
SESSION_TEST(test_mends)
{
	struct session *s = session_new(test, 100, 30);
	struct plan bad;

	type(s, ":set model llama-3.1-70b\r:set bf16_tflops 989\r:set hbm_gbps 3350\r:set nodes 8\r"
	    ":set tp 8\r:set sequence_length 8192\r:set micro_batch_size 4\r");
	assert_true(s->state.estimate->legal && !s->state.estimate->fits);
	bad = s->state.plan;
	type(s, "f");
	assert_int_equal(s->state.list.kind, LIST_MENDS);
	assert_true(shows(s, "The same work"));
	assert_true(shows(s, "recompute full"));
	assert_true(shows(s, " GiB of 79.2 GiB, ") && shows(s, " s a step"));
	assert_true(shows(s, "What you changed last"));
	for (size_t i = 0; i < s->state.mends.count; i++) {
		s->state.list.item = (int)i;
		type(s, "\r");
		assert_int_equal(s->state.list.kind, LIST_NONE);
		assert_true(s->state.estimate->legal && s->state.estimate->fits);
		assert_true(shows(s, "fixed: "));
		assert_true(i > 0 || s->state.plan.training.micro_batch_size == 4);
		type(s, "u");
		assert_memory_equal(&s->state.plan, &bad, sizeof bad);
		type(s, "f");
	}
	type(s, ":set micro_batch_size 1\rf");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(shows(s, "nothing to fix"));
}

/* The list of what is wrong has the fix of what does not fit, and hints, once. */
SESSION_TEST(test_hints)
{
	struct session *s = session_new(test, 100, 30);
	size_t count;

	type(s, ":set bf16_tflops 989\r:set hbm_gbps 3350\r:set nodes 1\r:set pp 1\r:set tp 8\re");
	assert_int_equal(s->state.list.kind, LIST_DIAGS);
	assert_true(shows(s, "hint: micro-batch ") && shows(s, "leave small matrix products"));
	count = s->state.estimate->diags.count;
	type(s, "qe");
	assert_int_equal(s->state.estimate->diags.count, count);
	type(s, "q:set model llama-3.1-70b\r:set micro_batch_size 8\re");
	assert_false(s->state.estimate->fits);
	assert_true(shows(s, "warning: stage 0 takes "));
	assert_true(shows(s, "Enter: "));
	type(s, "\r");
	assert_true(shows(s, "fixed: "));
	assert_true(s->state.estimate->fits);
	assert_int_equal(s->state.plan.training.micro_batch_size, 8);
}

/* A fix of two fields is told and taken whole. */
SESSION_TEST(test_pair)
{
	struct session *s = session_new(test, 100, 30);
	struct diag *d;

	type(s, ":set tp 3\re");
	d = &s->state.estimate->diags.item[0];
	d->fix_field = FIELD_TP;
	d->also_field = FIELD_PP;
	text_put(d->fix_value, sizeof d->fix_value, "4");
	text_put(d->also_value, sizeof d->also_value, "2");
	assert_true(shows(s, "Enter: TP 4, PP 2"));
	type(s, "\r");
	assert_true(shows(s, "fixed: TP 4, PP 2"));
	assert_int_equal(s->state.plan.parallel.tp, 4);
	assert_int_equal(s->state.plan.parallel.pp, 2);
	type(s, "u");
	assert_int_equal(s->state.plan.parallel.tp, 3);
}

/* Where the layout refuses the plan, the map says why instead. */
SESSION_TEST(test_refused)
{
	struct session *s = session_new(test, 100, 30);

	open_refused(s);
	assert_true(shows(s, "No groups: the layout refuses this plan."));
	assert_true(shows(s, "not divisible"));
	type(s, "\tjkhlnNzZcCd1234\r");
	type(s, "q");
	draw(s);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
