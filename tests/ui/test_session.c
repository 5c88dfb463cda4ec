/* Whole sessions, typed into the state and read from the picture. */
#include <locale.h>

#include "support.h"

#include "core/framework/resolve.h"
#include "ui/list/list.h"

SESSION_TEST(test_tune)
{
	struct session *s = session_new(test, 100, 30);

	assert_true(shows(s, "TP 2 PP 4 DP 2"));
	assert_true(shows(s, ">*TP"));
	key(s, INPUT_RIGHT);
	assert_int_equal(s->state.plan.parallel.tp, 4);
	assert_true(shows(s, "TP 4 PP 4 DP 1"));
	assert_true(shows(s, "(new plan) *"));
	assert_true(shows(s, "TP 4: memory "));
	type(s, "h");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	assert_true(hides(s, "(new plan) *"));
	type(s, "jjj");
	assert_int_equal(s->state.form.field, FIELD_PP);
	type(s, "-");
	assert_int_equal(s->state.plan.parallel.pp, 2);
	assert_int_equal(s->state.estimate->stages, 2);
	assert_true(shows(s, "stage 1"));
	assert_true(hides(s, "stage 2"));
}

SESSION_TEST(test_undo)
{
	struct session *s = session_new(test, 100, 30);

	for (int64_t tp = 1; tp <= 3000; tp++) {
		struct plan next = s->state.plan;

		next.parallel.tp = tp;
		field_mark(FIELD_TP, &next, true);
		state_change(&s->state, &next, "TP");
	}
	for (int i = 0; i < UNDO_MOST - 1; i++)
		type(s, "u");
	assert_int_equal(s->state.plan.parallel.tp, 3001 - UNDO_MOST);
	type(s, "u");
	assert_true(shows(s, "nothing to undo"));
	key(s, INPUT_CTRL('R'));
	key(s, INPUT_CTRL('R'));
	assert_int_equal(s->state.plan.parallel.tp, 3003 - UNDO_MOST);
	assert_true(shows(s, "redone: TP"));
	/* A value that is typed as it is changes nothing, so what was undone can be redone. */
	type(s, "u");
	s->state.form.field = FIELD_TP;
	key(s, INPUT_ENTER);
	key(s, INPUT_ENTER);
	key(s, INPUT_CTRL('R'));
	assert_true(shows(s, "redone: TP"));
	/* A change after undo forgets what could be redone. */
	type(s, "u");
	s->state.form.field = FIELD_CP;
	type(s, "2\r");
	key(s, INPUT_CTRL('R'));
	assert_true(shows(s, "nothing to redo"));
}

/* Names are cut between characters, and columns of the history stay columns. */
SESSION_TEST(test_long_names)
{
	struct session *s = session_new(test, 100, 30);
	struct rows rows;

	app_command(&s->state, "name 漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字");
	assert_true(strlen(undo_entry(&s->state.undo, 1)->what) < UNDO_WHAT_SIZE - 1);
	type(s, "U");
	for (int w = 40; w <= 100; w++) {
		list_rows(&rows, &s->state, w);
		assert_int_equal(canvas_width(NULL, rows.row[0].text),
		    canvas_width(NULL, rows.row[1].text));
		rows_free(&rows);
	}
	key(s, INPUT_ESCAPE);
	/* A file's too: it is cut, but there, and so is the mark of what is not saved. */
	for (int i = 0; i < 30; i++)
		text_add(s->disk.path, sizeof s->disk.path, "漢字");
	for (int w = 72; w <= 100; w++) {
		app_resize(&s->state, w, 30);
		assert_true(shows(s, "漢字漢字") && shows(s, ".. *") && shows(s, "TP 2"));
	}
}

SESSION_TEST(test_edit)
{
	struct session *s = session_new(test, 100, 30);

	type(s, "8");
	assert_true(shows(s, "TP: 8")); /* it may be any number */
	type(s, "\033:set mode serve\r");
	s->state.form.field = FIELD_PREFILL_WORKERS;
	key(s, INPUT_ENTER); /* what is typed into a text has a form */
	assert_true(shows(s, "prefill pool:") && shows(s, "such as 2xtp4 or 4xdp8"));
	type(s, "\033u");
	s->state.form.field = FIELD_TP;
	type(s, "8");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	type(s, "x\r"); /* 8x: refused in one line, the prompt stays */
	assert_int_equal(s->state.prompt.kind, PROMPT_FIELD);
	assert_true(s->state.prompt.error[0] != '\0');
	assert_true(shows(s, s->state.prompt.error));
	type(s, "\b\r");
	assert_int_equal(s->state.plan.parallel.tp, 8);
	/* Enter shows the value; typing replaces it, editing keeps it. */
	type(s, "\r4\r");
	assert_int_equal(s->state.plan.parallel.tp, 4);
	type(s, "\r");
	key(s, INPUT_HOME);
	type(s, "1\r");
	assert_int_equal(s->state.plan.parallel.tp, 14);
	type(s, "\r9");
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.plan.parallel.tp, 14);
	/* Back to inherited. */
	type(s, "x");
	assert_false(field_is_set(FIELD_TP, &s->state.plan));
	assert_int_equal(s->state.plan.parallel.tp, 1);
	type(s, "x");
	assert_true(shows(s, "no value of your own"));
}

SESSION_TEST(test_toggle)
{
	struct session *s = session_new(test, 100, 30);

	s->state.form.field = FIELD_SEQUENCE_PARALLEL;
	assert_int_equal(s->state.plan.parallel.sequence_parallel, 1);
	type(s, " ");
	assert_int_equal(s->state.plan.parallel.sequence_parallel, 0);
	s->state.form.field = FIELD_PRECISION;
	type(s, " ");
	assert_int_equal(s->state.plan.training.precision, PRECISION_FP8);
	for (int i = PRECISION_FP8; i <= PRECISION_NVFP4; i++)
		type(s, " ");
	assert_int_equal(s->state.plan.training.precision, PRECISION_FP32);
	/* Another mode has other fields. */
	s->state.form.field = FIELD_MODE;
	type(s, " ");
	assert_true(shows(s, "serving"));
	assert_true(hides(s, "training"));
}

SESSION_TEST(test_model)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":set model.layers 24\r");
	assert_int_equal(s->state.plan.model.layers, 24);
	type(s, "/model\r");
	assert_int_equal(s->state.form.field, FIELD_PRESET);
	type(s, "\r");
	assert_int_equal(s->state.list.kind, LIST_CATALOG);
	assert_true(shows(s, "llama-3.1-70b"));
	type(s, "70");
	assert_true(hides(s, "Llama-3.1-8B"));
	type(s, "\r");
	assert_string_equal(s->state.plan.model.preset, "llama-3.1-70b");
	assert_int_equal(s->state.plan.model.layers, 80);
	assert_true(shows(s, "1 override of the old one dropped"));
	type(s, "u");
	assert_int_equal(s->state.plan.model.layers, 24);
	assert_string_equal(s->state.plan.model.preset, "llama-3.1-8b");
}

SESSION_TEST(test_gpu)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":set cluster.memory_gib 50\r:set cluster.gpus_per_node 4\r/GPU\r\r");
	assert_int_equal(s->state.list.kind, LIST_CATALOG);
	key(s, INPUT_DOWN);
	key(s, INPUT_ENTER);
	assert_string_equal(s->state.plan.cluster.gpu, "a100-sxm-40gb");
	assert_true(s->state.plan.cluster.memory_gib < 39.5);
	/* The shape of the cluster is the user's, not the GPU's. */
	assert_int_equal(s->state.plan.cluster.gpus_per_node, 4);
}

/* A page of a list is what is shown, wherever its selection is. */
SESSION_TEST(test_pages)
{
	struct session *s = session_new(test, 100, 30);
	int lines, last;

	type(s, "?");
	key(s, INPUT_PAGE_DOWN);
	lines = s->state.list.first_line;
	assert_int_equal(s->state.list.kind, LIST_HELP);
	assert_in_range(lines, 20, 29);
	key(s, INPUT_PAGE_DOWN);
	assert_int_equal(s->state.list.first_line, 2 * lines);
	key(s, INPUT_PAGE_UP);
	key(s, INPUT_PAGE_UP);
	assert_int_equal(s->state.list.first_line, 0);
	key(s, INPUT_PAGE_UP);
	assert_int_equal(s->state.list.item, 0);
	key(s, INPUT_END);
	last = s->state.list.item;
	key(s, INPUT_HOME);
	for (int i = 0; i < 20; i++)
		key(s, INPUT_PAGE_DOWN);
	assert_int_equal(s->state.list.item, last);
	/* On a screen of any size it goes on. */
	for (int rows = 1; rows < 12; rows++) {
		app_resize(&s->state, 20, rows);
		key(s, INPUT_HOME);
		for (int i = 0; i < 2000 && s->state.list.item != last; i++)
			key(s, INPUT_PAGE_DOWN);
		assert_int_equal(s->state.list.item, last);
	}
}

SESSION_TEST(test_save)
{
	struct session *s = session_new(test, 100, 30);

	type(s, "+s");
	assert_int_equal(s->state.prompt.kind, PROMPT_SAVE);
	type(s, "a.cfg\r");
	assert_int_equal(s->disk.saves, 1);
	assert_string_equal(s->disk.path, "a.cfg");
	assert_true(shows(s, "saved a.cfg"));
	assert_true(hides(s, "a.cfg *"));
	assert_int_equal(s->disk.plan.parallel.tp, 4);
	type(s, "-");
	assert_true(shows(s, "a.cfg *"));
	type(s, "u"); /* back to what was saved */
	assert_true(hides(s, "a.cfg *"));
	type(s, "-s");
	assert_int_equal(s->disk.saves, 2);

	/* Another name: typing replaces the one that is offered, moving keeps it. */
	type(s, "wb.cfg\r");
	assert_string_equal(s->disk.path, "b.cfg");
	type(s, "w");
	key(s, INPUT_HOME);
	type(s, "a\r");
	assert_string_equal(s->disk.path, "ab.cfg");
	s->disk.saves = 2;

	s->disk.changed = true;
	type(s, "+s");
	assert_int_equal(s->disk.saves, 2);
	assert_true(shows(s, "changed on disk: y overwrite"));
	/* Whatever else is said meanwhile, it is what is asked. */
	key(s, 'x' | INPUT_PASTED);
	state_say(&s->state, ROLE_WARNING, "unsaved work could not be kept");
	assert_true(shows(s, "changed on disk: y overwrite"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->disk.saves, 2);
	type(s, "sy");
	assert_int_equal(s->disk.saves, 3);

	s->disk.exists = true;
	type(s, "+w");
	key(s, INPUT_CTRL('U'));
	type(s, "b.cfg\r");
	assert_true(shows(s, "b.cfg exists: y overwrite"));
	type(s, "y");
	assert_string_equal(s->disk.path, "b.cfg");

	s->disk.fails = true;
	type(s, "-s");
	assert_true(shows(s, "disk full"));
	assert_true(shows(s, "b.cfg *"));
}

/* Names have the columns that the others leave, and lose first the end that all of them have. */
SESSION_TEST(test_listed_names)
{
	struct session *s = session_new(test, 80, 24);

	plan_builtin(&s->disk.plan);
	type(s, "o");
	while (app_busy(&s->state))
		app_idle(&s->state);
	free(s->state.found.plan[0].path);
	s->state.found.plan[0].path = strdup("long-context-llama-3.1-70b-adapt.cfg");
	type(s, "a\b");
	assert_true(shows(s, "> long-context-llama-3.1-70b-adapt  16 x h100-sxm-80gb  "));
}

SESSION_TEST(test_open)
{
	struct session *s = session_new(test, 100, 30);

	plan_builtin(&s->disk.plan);
	s->disk.plan.parallel.pp = 1;
	s->disk.plan.cluster.nodes = 4;
	field_mark(FIELD_NODES, &s->disk.plan, true);
	/* The plans that there are, read while no key waits. */
	type(s, "o");
	assert_int_equal(s->state.list.kind, LIST_PLANS);
	assert_true(shows(s, "alpha.cfg") && shows(s, "Examples") && hides(s, "32 x"));
	assert_true(app_busy(&s->state));
	while (app_busy(&s->state))
		app_idle(&s->state);
	assert_true(shows(s, "llama-3.1-8b        32 x h100-sxm-80gb  fits: "));
	assert_true(shows(s, "missing.cfg") && shows(s, "is no plan"));
	assert_true(shows(s, "  beta.cfg") && hides(s, "share/plans"));
	type(s, "beta\r");
	assert_string_equal(s->state.file.path, "share/plans/beta.cfg");
	type(s, "o/beta"); /* as other lists are filtered */
	assert_true(shows(s, "> beta.cfg") && hides(s, "alpha.cfg"));
	type(s, "\033\033o/other/where.cfg\r"); /* what nothing here is called is a path */
	assert_string_equal(s->state.file.path, "/other/where.cfg");
	type(s, "oal\r");
	assert_string_equal(s->state.file.path, "alpha.cfg");
	assert_int_equal(s->disk.opens, 3);
	assert_int_equal(s->state.plan.parallel.pp, 1);
	assert_true(shows(s, "alpha.cfg"));
	/* What is no plan yet is among them too. */
	type(s, "oimport\r");
	assert_int_equal(s->state.prompt.kind, PROMPT_COMMAND);
	assert_string_equal(s->state.prompt.line.text, "import ");
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->disk.opens, 3);
	type(s, "u"); /* never back to a plan of another file: saving would put it into this one */
	assert_int_equal(s->state.plan.parallel.pp, 1);
	type(s, "+:e missing.cfg\r");
	assert_true(shows(s, "unsaved changes"));
	type(s, "d");
	assert_true(shows(s, "No such file"));
	assert_int_equal(s->state.plan.parallel.pp, 1);
	/* Where a name is typed to save as, the plan that it would replace is marked. */
	type(s, "w");
	key(s, INPUT_CTRL('U'));
	type(s, "alph");
	assert_true(hides(s, "would be written over"));
	type(s, "a.cfg");
	assert_true(shows(s, "> alpha.cfg") && shows(s, "would be written over"));
	assert_true(hides(s, "Examples"));
	app_resize(&s->state, 60, 24); /* of all that is told of it this is the last to go */
	assert_true(shows(s, "would be written over"));
	app_resize(&s->state, 100, 30);
	key(s, INPUT_DOWN);
	assert_string_equal(s->state.prompt.line.text, "missing.cfg");
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	/* A new plan is one without a path. */
	type(s, ":new\r");
	assert_int_equal(s->state.question.kind, QUESTION_OPEN);
	type(s, "d");
	assert_string_equal(s->state.file.path, "");
}

SESSION_TEST(test_quit)
{
	struct session *s = session_new(test, 100, 30);

	type(s, "q");
	assert_int_equal(s->flags, EVENT_QUIT);
	type(s, "+q");
	assert_int_equal(s->flags, 0);
	assert_true(shows(s, "unsaved changes: s save, d discard, Esc stay"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->flags, 0);
	type(s, "qd");
	assert_int_equal(s->flags, EVENT_QUIT);
	/* Save has to ask for a name first, then quits. */
	type(s, "qs");
	assert_int_equal(s->state.prompt.kind, PROMPT_SAVE);
	type(s, "c.cfg\r");
	assert_int_equal(s->flags, EVENT_QUIT);
	assert_int_equal(s->disk.saves, 1);
	type(s, "+:q!\r");
	assert_int_equal(s->flags, EVENT_QUIT);
	type(s, ":wq\r");
	assert_int_equal(s->flags, EVENT_QUIT);
	assert_int_equal(s->disk.saves, 2);
	/* What can not be saved does not quit. */
	s->disk.fails = true;
	type(s, "-qs");
	assert_int_equal(s->flags, 0);
	assert_true(shows(s, "disk full"));
}

SESSION_TEST(test_map)
{
	struct session *s = session_new(test, 100, 30);

	type(s, "\t");
	assert_true(shows(s, "rank 0: node 0, GPU 0"));
	type(s, "l");
	assert_int_equal(s->state.map.cursor, 1);
	type(s, "n");
	assert_int_equal(s->state.map.cursor, 0);
	type(s, "g13\r");
	assert_true(shows(s, "rank 13: node 1, GPU 5  t1d0p3"));
	assert_true(shows(s, "tp 6: 12 13"));
	type(s, "3");
	assert_int_equal(s->state.map.colors, 3);
	assert_true(shows(s, "map by tp+dp+pp"));
	assert_true(shows(s, "pp 1: 1 5 9 13"));
	app_resize(&s->state, 80, 24); /* just enough for all of them */
	assert_true(shows(s, "tp 6: 12 13  dp "));
	assert_true(shows(s, ": 13 15  pp 1: 1 5 9 13"));
	app_resize(&s->state, 100, 30);
	key(s, INPUT_F12);
	assert_true(shows(s, "F12 means nothing here"));
	key(s, 0xe9);
	assert_true(shows(s, "é means nothing here"));
	type(s, "1c");
	assert_int_equal(s->state.map.colors, 1);
	assert_true(shows(s, "map by pp"));
	type(s, "C");
	assert_true(shows(s, "map by tp"));
	type(s, "G");
	assert_int_equal(s->state.map.cursor, 15);
	key(s, INPUT_HOME);
	assert_int_equal(s->state.map.cursor, 0);
	type(s, ":color pp,tp\r");
	assert_true(shows(s, "map by pp+tp"));
	type(s, ":color xx\r");
	assert_true(shows(s, "no groups xx"));
	type(s, ":zoom cells\r");
	assert_int_equal(s->state.map.zoom, MAP_ZOOM_CELL);
	type(s, ":zoom auto\r");
	type(s, "4");
	assert_true(shows(s, "map by pp+tp+dp+cp"));
	for (int i = 0; i < 6; i++) {
		type(s, "z");
		draw(s);
	}
	assert_int_equal(s->state.map.zoom, MAP_ZOOM_AUTO);
}

SESSION_TEST(test_kinds)
{
	struct session *s = session_new(test, 100, 40);

	type(s, "d");
	assert_true(shows(s, "[1] tp"));
	type(s, "jj "); /* pp too */
	assert_true(shows(s, "[2] pp"));
	type(s, "kk ");
	assert_true(shows(s, "[1] pp"));
	type(s, "/DP+TP+PP\r");
	key(s, INPUT_ENTER);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(shows(s, "map by dp+tp+pp"));
	/* The choice outlives a framework without these kinds. */
	type(s, ":set layout deepspeed\r:set layout megatron\r");
	assert_true(shows(s, "map by dp+tp+pp"));
}

/* Where letters are typed no line promises what a letter does elsewhere, and Enter on nothing says so. */
SESSION_TEST(test_typed_list)
{
	struct session *s = session_new(test, 100, 40);

	s->state.form.field = FIELD_PRESET;
	type(s, "\r");
	assert_true(shows(s, "models") && hides(s, "(f: "));
	type(s, "\t");
	assert_true(shows(s, "Tab means nothing here; Esc closes the list"));
	type(s, "zzz");
	assert_true(shows(s, "nothing with that text"));
	type(s, "\r");
	assert_true(shows(s, "nothing here has that text; Esc leaves the list"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_NONE);
}

/* What paints all GPUs alike is not what one sees first. */
SESSION_TEST(test_first_color)
{
	struct session *s = session_new(test, 100, 40);

	assert_true(shows(s, "map by tp"));
	type(s, ":set tp 1\r");
	assert_true(shows(s, "map by pp"));
	type(s, ":set pp 1\r");
	assert_true(shows(s, "map by memory"));
	type(s, ":set pp 16\r");
	assert_true(shows(s, "map by stage"));
}

SESSION_TEST(test_why)
{
	struct session *s = session_new(test, 100, 40);

	type(s, "\t\tj\r");
	assert_int_equal(s->state.list.kind, LIST_WHY);
	assert_true(shows(s, "why: memory of stage 1"));
	assert_true(shows(s, "memory.optimizer"));
	assert_true(shows(s, "source: "));
	type(s, "q");
	assert_int_equal(s->state.list.kind, LIST_NONE);
}

SESSION_TEST(test_all_fields)
{
	struct session *s = session_new(test, 100, 30);

	/* Each field of the mode can be reached by Down alone, and what switches on a section. */
	type(s, "ag");
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const bool is_switch = f == FIELD_FINETUNE || f == FIELD_RL_ALGORITHM;

		if (!field_in_use(f, &s->state.plan) && !is_switch)
			continue;
		assert_int_equal(s->state.form.field, f);
		type(s, "j");
	}
	/* Those of fine-tuning are there once it is switched on, and gone without it. */
	type(s, ":finetune.method lora\r");
	assert_int_equal(s->state.form.field, FIELD_FINETUNE);
	assert_true(shows(s, "trained copies"));
	type(s, "j");
	assert_int_equal(s->state.form.field, FIELD_TUNER);
	type(s, "u");
	assert_true(hides(s, "trained copies"));
	/* And found by its path. */
	type(s, "a/training.moe_imbalance\r");
	assert_int_equal(s->state.form.field, FIELD_MOE_IMBALANCE);
	assert_true(shows(s, "MoE imbalance"));
	type(s, "/seq\r"); /* the short name first, then what begins so */
	assert_int_equal(s->state.form.field, FIELD_SEQUENCE_LENGTH);
	type(s, "/micro\r");
	assert_int_equal(s->state.form.field, FIELD_MICRO_BATCH_SIZE);
	type(s, "/expert\r");
	assert_int_equal(s->state.form.field, FIELD_EXPERTS);
	type(s, "/pp\r");
	assert_int_equal(s->state.form.field, FIELD_PP);
}

/* On a screen that has room for it, a line is not cut. */
SESSION_TEST(test_long_rows)
{
	struct session *s = session_new(test, 600, 60);
	struct rows rows;

	type(s, "/");
	list_rows(&rows, &s->state, 596);
	for (size_t i = 0; i < rows.count; i++)
		assert_non_null(strstr(rows.row[i].text, field_table[rows.row[i].target].help));
	rows_free(&rows);
}

/* One-line editing with characters of several bytes. */
TEST(test_line)
{
	struct line line;

	line_start(&line, "", false);
	line_key(&line, 'a');
	line_key(&line, 0xe9);
	line_key(&line, 0x6f22);
	line_key(&line, 0x1f600);
	assert_string_equal(line.text, "a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80");
	line_key(&line, INPUT_LEFT);
	line_key(&line, INPUT_BACKSPACE);
	assert_string_equal(line.text, "a\xc3\xa9\xf0\x9f\x98\x80");
	line_key(&line, INPUT_DELETE);
	line_key(&line, INPUT_DELETE);
	assert_string_equal(line.text, "a\xc3\xa9");
	line_key(&line, INPUT_HOME);
	line_key(&line, INPUT_BACKSPACE);
	line_key(&line, INPUT_LEFT);
	line_key(&line, INPUT_CTRL('K'));
	assert_string_equal(line.text, "");
	line_start(&line, "dir/one two", false);
	line_key(&line, INPUT_CTRL('W'));
	assert_string_equal(line.text, "dir/one ");
	line_key(&line, INPUT_CTRL('W'));
	assert_string_equal(line.text, "dir/");
	line_key(&line, INPUT_CTRL('A'));
	line_key(&line, 'x');
	assert_string_equal(line.text, "xdir/");
	line_key(&line, INPUT_CTRL('U'));
	assert_string_equal(line.text, "dir/");
	assert_false(line_key(&line, INPUT_UP));
	assert_false(line.full);
	for (int i = 0; i < 3000; i++)
		line_key(&line, 0x6f22);
	assert_true(line.full);
	line_key(&line, INPUT_BACKSPACE);
	assert_false(line.full);
	line_key(&line, 0x6f22);
	assert_true(strlen(line.text) < LINE_SIZE);
}

/* What a command said is read to its end: it goes on where the keys stand, until the next of them. */
SESSION_TEST(test_long_message)
{
	struct session *s = session_new(test, 80, 24);

	state_say(&s->state, ROLE_GOOD, "wrote a-launch-file.yaml; data, template, learning rate and what else no plan says are "
	    "to be set there");
	assert_true(shows(s, "what else no") && shows(s, "to be set there") && hides(s, "q quit"));
	app_resize(&s->state, 140, 24);
	assert_true(shows(s, "are to be set there") && shows(s, "q quit"));
	app_resize(&s->state, 80, 24);
	key(s, 'j');
	assert_true(hides(s, "to be set there") && shows(s, "q quit"));
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
