/* Changes against the saved or pinned plan, two plans side by side, and the history. */
#include <locale.h>

#include "support.h"
#include "core/framework/resolve.h"
#include "ui/list/list.h"
#include "ui/pane/figures.h"
#include "ui/screen/change.h"
#include "ui/state/undo.h"

TEST(test_change)
{
	static const struct {
		enum measure measure;
		double was, is;
		const char *text, *with_unit;
	} cases[] = {
		{ MEASURE_BYTES, 60 * 1073741824.0, 61.4 * 1073741824, "+1.40", "+1.40 GiB" },
		{ MEASURE_BYTES, 61.5 * 1073741824, 61 * 1073741824.0, "-512 MiB", "-512 MiB" },
		{ MEASURE_SECONDS, 2.47, 2.05, "-420 ms", "-420 ms" },
		{ MEASURE_SECONDS, 9, 12.5, "+3.50", "+3.50 s" },
		{ MEASURE_SHARE, 0.429, 0.39, "-3.9 pts", "-3.9 points" },
		{ MEASURE_SHARE, 0.429, 0.4294, "", "" },
		{ MEASURE_SHARE, 0.429, 0.4297, "+0.1 pts", "+0.1 points" },
		{ MEASURE_COUNT, 140000, 127400, "-12.6k", "-12.6k" },
		{ MEASURE_WIRE, 0, 118e9, "+118", "+118 GB" },
		{ MEASURE_WIRE, 118e9, 118e9, "", "" },
		{ MEASURE_WIRE, 0, 0, "", "" },
		{ MEASURE_WIRE, 118e9, 118.001e9, "", "" }, /* not worth a look */
	};
	char buf[CHANGE_SIZE];

	for (size_t i = 0; i < COUNT(cases); i++) {
		bool some = change_put(cases[i].measure, cases[i].was, cases[i].is, buf, sizeof buf);

		assert_string_equal(buf, cases[i].text);
		assert_int_equal(some, cases[i].text[0] != '\0');
		change_put_unit(cases[i].measure, cases[i].was, cases[i].is, buf, sizeof buf);
		assert_string_equal(buf, cases[i].with_unit);
	}
	assert_int_equal(change_role(RESULT_MFU, 1, 2), ROLE_GOOD);
	assert_int_equal(change_role(RESULT_STEP, 1, 2), ROLE_WARNING);
	assert_int_equal(change_role(RESULT_STEP, 2, 1), ROLE_GOOD);
	assert_int_equal(change_role(RESULT_WORLD, 2, 1), ROLE_DIM);
}

/* What the screen says of a change is the difference of two estimates. */
static void
stage_change(const struct session *s, int64_t stage, char *buf, size_t size)
{
	assert_true(change_put(MEASURE_BYTES, s->state.base->stage[stage].memory.total,
	    s->state.estimate->stage[stage].memory.total, buf, size));
}

SESSION_TEST(test_deltas)
{
	struct session *s = session_new(test, 230, 45);
	char text[CHANGE_SIZE], shown[CHANGE_SIZE + 16];

	assert_true(hides(s, "vs start"));
	assert_true(hides(s, "(was "));
	key(s, INPUT_RIGHT);
	assert_true(shows(s, "(was 2)"));
	assert_true(shows(s, "vs start:  memory -")); /* there is no file */
	assert_true(hides(s, "GiB vs start")); /* panes leave it to the head line */
	text_put(s->disk.path, sizeof s->disk.path, "a.cfg");
	assert_true(shows(s, "vs saved:  memory -"));
	s->disk.path[0] = '\0';
	for (int64_t i = 0; i < s->state.estimate->stages; i++) {
		stage_change(s, i, text, sizeof text);
		text_put(shown, sizeof shown, " GiB  %s ", text);
		assert_true(shows(s, shown));
	}
	/* Steps add up against the saved plan, and back there nothing is shown. */
	key(s, INPUT_LEFT);
	assert_true(hides(s, "vs start"));
	assert_true(hides(s, "(was "));
	key(s, INPUT_RIGHT);
	type(s, "sa.cfg\r");
	assert_true(hides(s, "vs start"));
	key(s, INPUT_LEFT);
	assert_true(shows(s, "(was 4)"));
	type(s, "u");
	assert_true(hides(s, "vs start"));
	/* Nothing is known of a plan with errors: nothing became less. */
	type(s, ":set pp 3\r");
	assert_true(hides(s, "vs start"));
}

/* The figures and the traffic, in a wide pane. */
SESSION_TEST(test_delta_values)
{
	struct session *s = session_new(test, 230, 45);
	char text[CHANGE_SIZE], shown[CHANGE_SIZE + 48];
	struct estimate *e = s->state.estimate, *base = s->state.base;

	state_rebase(&s->state);
	e->timed = base->timed = true;
	e->step = base->step = (struct steptime){
		.seconds = 9.81, .mfu = 0.412, .tokens_per_second = 427000 };
	e->traffic.count = base->traffic.count = 2;
	e->traffic.row[0] = e->traffic.row[1] = (struct traffic_row){
		TRAFFIC_TP, "all-gather", { SPAN_NVLINK, 8, 8, 1, 1, 8, { .ring = 0 } }, 128, 118e9, 0.41, 0.2 };
	base->traffic.row[0] = base->traffic.row[1] = e->traffic.row[0];
	assert_true(hides(s, "vs start"));
	base->step.seconds = 6.31;
	base->step.mfu = 0.5;
	assert_true(shows(s, "9.81 s    +3.50"));
	assert_true(shows(s, "41.2 % -8.8 pts"));
	assert_true(shows(s, "vs start:  step +3.50 s"));
	/* The second of two rows of one name is held against the second. */
	base->traffic.row[1].bytes = 100e9;
	assert_true(shows(s, "118 GB    +18.0  410 ms"));
	assert_true(shows(s, "118 GB           410 ms"));
	base->traffic.count = 0;
	assert_true(shows(s, "118 GB      new  410 ms"));
	/* Rates unknown: no change of what is not there. */
	e->step.seconds = 0;
	change_put(MEASURE_SHARE, 0.5, 0.412, text, sizeof text);
	text_put(shown, sizeof shown, "- %s", text);
	assert_true(hides(s, shown));
}

/* They go first where there is no room; the sign is never left to colour. */
SESSION_TEST(test_narrow)
{
	static const struct {
		int columns, rows;
	} sizes[] = { { 80, 24 }, { 100, 30 }, { 72, 20 }, { 60, 18 }, { 40, 12 }, { 20, 5 }, { 16, 3 } };
	struct session *s = session_new(test, 80, 24);

	key(s, INPUT_RIGHT);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		app_resize(&s->state, sizes[i].columns, sizes[i].rows);
		for (int pane = 0; pane < PANE_COUNT; pane++) {
			draw(s);
			type(s, "\t");
		}
	}
	app_resize(&s->state, 100, 24);
	assert_true(shows(s, "vs start:  memory -"));
	app_resize(&s->state, 80, 24);
	assert_true(shows(s, "llama-3.1-8b  2 x 8 h100-sxm-80gb = 16  TP 4 PP 4 DP 1")); /* what it is for */
	assert_true(hides(s, "vs start"));
	type(s, ":set cp 2\r:set ep 2\r:set nodes 4096\r"); /* too long for its line: GPUs in short */
	assert_true(shows(s, "llama-3.1-8b  32768 h100-sxm-80gb  TP 4 CP 2"));
	type(s, "uuu");
	app_resize(&s->state, 130, 24); /* another model is no change of the first */
	type(s, ":set model llama-3.1-70b\r");
	assert_true(hides(s, "vs start"));
	type(s, "u");
	assert_true(shows(s, "vs start"));
	assert_true(shows(s, "(was 2) 4"));
	app_resize(&s->state, 80, 22); /* a head line of one line has no room */
	assert_true(hides(s, "vs start:  memory -"));
	assert_true(shows(s, "memory traffic [step]  -"));
	app_resize(&s->state, 40, 12);
	type(s, "\t\t");
	assert_true(shows(s, "GiB "));
}

/* A pin is the plan to hold changes against until it is taken away. */
SESSION_TEST(test_pin)
{
	struct session *s = session_new(test, 160, 40);

	type(s, ":set pp 1\rP");
	s->state.form.field = FIELD_TP;
	assert_true(s->state.has_pin);
	assert_true(shows(s, "pinned: "));
	assert_true(shows(s, "(pin)"));
	key(s, INPUT_RIGHT);
	assert_true(shows(s, "vs pinned"));
	type(s, "P+P"); /* unpinned, then the plan with TP 8 */
	assert_int_equal(s->state.pinned.parallel.tp, 8);
	assert_true(hides(s, "vs "));
	type(s, "sa.cfg\r"); /* saving leaves the pin */
	type(s, "-");
	assert_true(shows(s, "(was 8)"));
	assert_true(shows(s, "vs pinned"));
	type(s, "-P");
	assert_true(hides(s, "(pin)"));
	assert_true(shows(s, "no pin: "));
	assert_true(shows(s, "vs saved"));
	/* A plan that serves has nothing in common with one that trains. */
	type(s, ":set mode serve\r");
	assert_int_equal(s->state.estimate->microbatches, 0); /* an engine has none */
	assert_null(state_base_estimate(&s->state));
	assert_true(hides(s, "vs saved"));
}

/* Its columns stay columns, whatever stands in them. */
SESSION_TEST(test_wide_values)
{
	struct session *s = session_new(test, 100, 60);
	struct rows rows;

	text_put(s->state.saved.name, sizeof s->state.saved.name, "漢字");
	app_command(&s->state, "name 漢字漢");
	app_command(&s->state, "tp 4");
	type(s, "D");
	list_rows(&rows, &s->state, 98);
	for (size_t i = 0; i + 1 < rows.count; i++) /* name, TP */
		if (strncmp(rows.row[i].text, "name ", 5) == 0)
			assert_int_equal(canvas_width(NULL, rows.row[i].text),
			    canvas_width(NULL, rows.row[i + 1].text));
	rows_free(&rows);
}

SESSION_TEST(test_compare)
{
	struct session *s = session_new(test, 100, 60);

	type(s, "D");
	assert_int_equal(s->state.list.kind, LIST_COMPARE);
	assert_true(shows(s, "compare: start plan and this plan"));
	assert_true(shows(s, "no field differs"));
	assert_true(shows(s, "memory of the fullest GPU"));
	assert_true(hides(s, "its memory: parameters")); /* the same in both: one entry stands for all */
	type(s, "G\r");
	assert_true(shows(s, "its memory: parameters"));
	assert_true(shows(s, "same"));
	type(s, "q:set pp 2\r+D"); /* PP 4 */
	type(s, "q:set tp 4\r");
	type(s, ":compare\r");
	assert_true(shows(s, "fields that differ"));
	assert_true(shows(s, "parallel.tp "));
	assert_true(shows(s, "%"));
	/* Enter takes the saved value; what it was can be had again. */
	type(s, "/parallel.tp\r\r");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	assert_true(shows(s, "from start plan: TP 2"));
	assert_int_equal(s->state.list.kind, LIST_COMPARE);
	type(s, "qq");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	type(s, "u");
	assert_int_equal(s->state.plan.parallel.tp, 4);
	/* On an estimate it does nothing. */
	type(s, "D/fullest\r");
	assert_true(shows(s, "memory of the fullest GPU"));
	assert_true(hides(s, "parallel.tp"));
	type(s, "\r");
	assert_int_equal(s->state.plan.parallel.tp, 4);
	assert_true(shows(s, "estimates follow from the fields"));
}

/* Every number of the step and the serving pane is compared. */
SESSION_TEST(test_every_figure)
{
	struct session *s = session_new(test, 100, 60);
	struct estimate *e = s->state.estimate;
	struct change c;

	for (int serve = 0; serve < 2; serve++) {
		e->timed = serve == 0;
		e->served = serve == 1;
		e->serve.state_bytes_per_request = e->serve.transfer_seconds = 1;
		e->serve.ttft_seconds = e->serve.tpot_seconds = 1;
		e->serve.step_seconds = e->serve.prefill_seconds = 1;
		e->step.seconds = e->step.training_seconds = 1;
		assert_true(figures_count(e) >= 12);
		for (int i = 0; i < figures_count(e); i++) {
			const enum result_id id = figures_at(e, i);
			double value;

			assert_true(result_value(id, e, 0, &value));
			if (value > 0 && !change_of_result(id, e, e, &c))
				fail_msg("%s is not compared", result_table[id].path);
		}
	}
}

/* Shares change by points, amounts by percent of what they were. */
SESSION_TEST(test_points)
{
	struct session *s = session_new(test, 100, 60);
	struct estimate *was = s->state.base, *is = s->state.estimate;
	struct change c;

	state_rebase(&s->state);
	was->timed = is->timed = true;
	was->step = (struct steptime){ .seconds = 2, .mfu = 0.4 };
	is->step = (struct steptime){ .seconds = 3, .mfu = 0.412 };
	assert_true(change_of_result(RESULT_MFU, was, is, &c) && c.differs);
	assert_string_equal(c.was, "40.0 %");
	assert_string_equal(c.change, "+1.2 points");
	assert_string_equal(c.percent, "");
	assert_true(change_of_result(RESULT_STEP, was, is, &c) && c.differs);
	assert_string_equal(c.change, "+1.000 s");
	assert_string_equal(c.percent, "+50.0%");
	assert_true(change_of_result(RESULT_LEGAL, was, is, &c) && !c.differs);
	assert_string_equal(c.change, "same");
	assert_false(change_of_result(RESULT_TTFT, was, is, &c)); /* of the other mode */
	assert_false(change_of_result(RESULT_SENT_CP, was, is, &c)); /* there is none */
}

/* Values that nobody set are said outright where they would not follow by themselves. */
SESSION_TEST(test_derived)
{
	struct session *s = session_new(test, 100, 60);

	type(s, ":set preset llama-3.1-70b\rD/model.layers\r\r");
	assert_int_equal(s->state.plan.model.layers, 32);
	assert_true(field_is_set(FIELD_LAYERS, &s->state.plan));
	assert_string_equal(s->state.plan.model.preset, "llama-3.1-70b");
	/* And a value that the other plan has not of its own goes. */
	type(s, "qq:set vpp 2\rD/vpp\r\r");
	assert_int_equal(s->state.plan.parallel.vpp, 1);
}

SESSION_TEST(test_compare_file)
{
	struct session *s = session_new(test, 100, 40);

	plan_builtin(&s->disk.plan);
	s->disk.plan.parallel.cp = 2;
	field_mark(FIELD_CP, &s->disk.plan, true);
	type(s, ":compare dir/beta.cfg\r");
	assert_true(shows(s, "compare: beta.cfg and this plan"));
	assert_true(shows(s, "parallel.cp "));
	assert_int_equal(s->disk.opens, 0);
	type(s, "\r");
	assert_int_equal(s->state.plan.parallel.cp, 2);
	assert_true(shows(s, "from beta.cfg: CP 2"));
	key(s, INPUT_ESCAPE);
	app_resize(&s->state, 140, 40); /* room for its name above its column */
	type(s, ":compare llama-3.1-70b-64xh100.cfg\r");
	assert_true(shows(s, "  llama-3.1-70b-64xh100.cfg  "));
	app_resize(&s->state, 100, 40);
	assert_int_equal(s->state.saved.parallel.cp, 1);
	type(s, "q:compare missing.cfg\r");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(shows(s, "No such file"));
	/* Pinned comes before saved. */
	type(s, "PD");
	assert_true(shows(s, "compare: pinned plan and this plan"));
	assert_true(shows(s, "no field differs"));
}

/* Every size has the entries; narrow ones as sentences. */
SESSION_TEST(test_compare_sizes)
{
	static const int columns[] = { 200, 100, 80, 60, 40, 20, 10 };
	struct session *s = session_new(test, 80, 24);

	key(s, INPUT_RIGHT);
	type(s, ":set notes a text that is far longer than any column of a table could be\rD");
	for (size_t i = 0; i < COUNT(columns); i++) {
		app_resize(&s->state, columns[i], 24);
		key(s, INPUT_END);
		draw(s);
		key(s, INPUT_HOME);
		draw(s);
	}
	app_resize(&s->state, 60, 24);
	assert_true(shows(s, "parallel.tp: 2 -> 4"));
	app_resize(&s->state, 80, 24);
	assert_true(shows(s, "parallel.tp    "));
	assert_true(shows(s, "percent"));
	assert_true(shows(s, "notes: - -> a text"));
	assert_true(hides(s, "parameters on a GPU:"));
	/* A plan that is not legal has fewer estimates. */
	type(s, "q:set pp 3\rD");
	assert_true(shows(s, "changed"));
}

SESSION_TEST(test_history)
{
	struct session *s = session_new(test, 100, 30);
	char row[80];

	type(s, "+");
	type(s, ":set pp 2\r:set cp 2\rU");
	assert_int_equal(s->state.list.kind, LIST_HISTORY);
	assert_true(shows(s, "   0  the plan at the start"));
	assert_true(shows(s, "   1  TP 4"));
	assert_true(shows(s, "   2  PP 2"));
	assert_true(shows(s, ">    3* CP 2"));
	assert_true(shows(s, " GiB"));
	type(s, "kk\r");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_int_equal(s->state.plan.parallel.tp, 4);
	assert_int_equal(s->state.plan.parallel.pp, 4);
	assert_true(shows(s, "undone 2 changes"));
	/* What comes after can be redone. */
	type(s, "U");
	assert_true(shows(s, ">    1* TP 4"));
	assert_true(shows(s, "   3  CP 2"));
	type(s, "G\r");
	assert_int_equal(s->state.plan.parallel.cp, 2);
	assert_true(shows(s, "redone 2 changes"));
	type(s, "u");
	assert_int_equal(s->state.plan.parallel.cp, 1);
	key(s, INPUT_CTRL('R'));
	assert_int_equal(s->state.plan.parallel.cp, 2);
	/* The one that is shown, a filter, an illegal plan, a narrow screen. */
	type(s, "U\r");
	assert_true(shows(s, "the plan as it is"));
	type(s, ":set pp 3\rU");
	text_put(row, sizeof row, "4* %-34s%12s", "PP 3", "errors");
	assert_true(shows(s, row));
	type(s, "/TP\r");
	assert_true(hides(s, "   3  CP 2"));
	type(s, "\r");
	assert_int_equal(s->state.plan.parallel.pp, 4);
	type(s, "U");
	for (int w = 100; w > 8; w -= 9) {
		app_resize(&s->state, w, 12);
		draw(s);
	}
}

/* The history is bounded, and the bound keeps order and numbers. */
TEST(test_undo_bound)
{
	struct undo u = { 0 };
	struct plan plan;

	plan_builtin(&plan);
	for (int64_t i = 0; i < 2 * UNDO_MOST + 7; i++) {
		char name[UNDO_WHAT_SIZE];

		plan.parallel.tp = i;
		text_put(name, sizeof name, "TP %d", (int)i);
		assert_true(undo_push(&u, &plan, name));
		assert_int_equal(undo_entry(&u, u.now)->plan.parallel.tp, i);
	}
	assert_true(u.capacity * sizeof *u.entry < 11 * 1048576);
	assert_int_equal(u.count, UNDO_MOST);
	assert_int_equal(u.dropped, UNDO_MOST + 7);
	for (size_t i = 0; i < u.count; i++)
		assert_int_equal(undo_entry(&u, i)->plan.parallel.tp, u.dropped + i);
	for (size_t i = u.count - 1; i > 0; i--) {
		const struct plan *p = undo_to(&u, u.now - 1);

		assert_non_null(p);
		assert_int_equal(p->parallel.tp, u.dropped + i - 1);
	}
	assert_null(undo_to(&u, u.now - 1));
	assert_int_equal(undo_to(&u, u.now + 1)->parallel.tp, u.dropped + 1);
	assert_string_equal(undo_entry(&u, u.now)->what, "TP 1008");
	assert_int_equal(undo_to(&u, 500)->parallel.tp, u.dropped + 500);
	assert_null(undo_to(&u, u.count));
	/* A change in the middle forgets what came after, and drops nothing. */
	assert_true(undo_push(&u, &plan, "new"));
	assert_int_equal(u.count, 502);
	assert_int_equal(u.dropped, UNDO_MOST + 7);
	assert_null(undo_to(&u, u.now + 1));
	undo_free(&u);
}

/* A title leaves out a change rather than cut it. */
SESSION_TEST(test_title_room)
{
	struct session *s = session_new(test, 80, 22);

	type(s, ":set pp 1\r");
	assert_true(shows(s, "[memory] traffic step  +"));
	for (int w = 72; w <= 110; w++) {
		char *all, *line;

		app_resize(&s->state, w, 22);
		all = picture(s);
		line = strstr(all, "[memory]");
		if (line != NULL) {
			*strchr(line, '\n') = '\0';
			assert_null(strstr(line, "\u2026"));
		}
		free(all);
	}
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
