/* Clicks and the wheel, on what the screen shows. */
#include "ui/app/mouse.h"

#include "ui/pane/panes.h"
#include "../core/share.h"
#include "support.h"

/* Where a text stands on the screen as drawn now; its first column. */
static struct mouse
place(struct session *s, const char *text, enum mouse_action action)
{
	const size_t n = strlen(text);

	draw(s);
	for (int y = 0; y < s->canvas.h; y++)
		for (int x = 0; x + (int)n <= s->canvas.w; x++) {
			const struct cell *cell = &s->canvas.cell[y * s->canvas.w + x];
			size_t i = 0;

			while (i < n && cell[i].ch == (wchar_t)(unsigned char)text[i])
				i++;
			if (i == n)
				return (struct mouse){ x, y, action };
		}
	fail_msg("no \"%s\" on the screen", text);
	return (struct mouse){ 0 };
}

static void
click(struct session *s, const char *text)
{
	s->flags = app_mouse(&s->state, place(s, text, MOUSE_CLICK));
}

SESSION_TEST(test_form)
{
	struct session *s = session_new(test, 120, 40);

	click(s, "global batch");
	assert_int_equal(s->state.form.field, FIELD_GLOBAL_BATCH_SIZE);
	assert_int_equal(s->state.prompt.kind, PROMPT_NONE);
	click(s, "global batch"); /* selected already: edit */
	assert_int_equal(s->state.prompt.kind, PROMPT_FIELD);
	/* While typing, clicks do nothing. */
	click(s, "micro-batch");
	assert_int_equal(s->state.prompt.kind, PROMPT_FIELD);
	assert_int_equal(s->state.form.field, FIELD_GLOBAL_BATCH_SIZE);
	key(s, INPUT_ESCAPE);
	/* Headings are nothing to select. */
	click(s, "training (");
	assert_int_equal(s->state.form.field, FIELD_GLOBAL_BATCH_SIZE);
	/* From another pane, a click on the selected field gives the focus alone. */
	state_focus(&s->state, PANE_STEP);
	click(s, "global batch");
	assert_int_equal(s->state.focus, PANE_FORM);
	assert_int_equal(s->state.prompt.kind, PROMPT_NONE);
}

SESSION_TEST(test_map)
{
	struct session *s = session_new(test, 120, 40);

	app_command(&s->state, "zoom labels");
	click(s, "[12G]");
	assert_int_equal(s->state.focus, PANE_MAP);
	assert_int_equal(s->state.map.cursor, 12);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	click(s, ">12@ <");
	assert_int_equal(s->state.list.kind, LIST_INSPECT);
	key(s, INPUT_ESCAPE);
	/* The wheel zooms, and moves no cursor. */
	s->flags = app_mouse(&s->state, place(s, "node 1", MOUSE_WHEEL_DOWN));
	assert_int_equal(s->state.map.cursor, 12);
	assert_true(hides(s, ">12@ <"));
}

/* Two GPUs in one cell: the first click takes the upper, the next the lower. */
SESSION_TEST(test_halves)
{
	struct session *s = session_new(test, 120, 40);
	const struct rect r = panes_arrange(&s->state).inner[PANE_MAP];
	struct mouse m = { .action = MOUSE_CLICK };
	int x, y;

	app_command(&s->state, "zoom halves");
	assert_true(map_find(&s->state.map,
	    (struct map_area){ &s->state.plan, s->state.estimate, r.w, r.h }, 1, &x, &y));
	m.x = r.x + x;
	m.y = r.y + y;
	app_mouse(&s->state, m);
	assert_int_equal(s->state.map.cursor, 1);
	app_mouse(&s->state, m);
	assert_int_equal(s->state.map.cursor, 5);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	app_mouse(&s->state, m);
	assert_int_equal(s->state.map.cursor, 5);
	assert_int_equal(s->state.list.kind, LIST_INSPECT);
}

/* A stage of the pipeline, by any of its lines; again: its memory. */
SESSION_TEST(test_pipeline)
{
	static const int sizes[][2] = { { 120, 40 }, { 80, 24 }, { 80, 18 }, { 40, 12 } };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct session *s = session_new(test, sizes[i][0], sizes[i][1]);
		struct rect r;
		bool seen[4] = { false };

		type(s, "p");
		state_focus(&s->state, PANE_MAP);
		app_follow(&s->state);
		r = panes_arrange(&s->state).inner[PANE_MAP];
		for (int y = 0; y < r.h; y++) {
			int64_t at;

			s->state.pipeline.stage = 3;
			at = pipeline_at(&s->state.pipeline, &s->state.plan, s->state.estimate, r, y);
			if (at < 0 || at == 3)
				continue;
			seen[at] = true;
			app_mouse(&s->state, (struct mouse){ r.x + 2, r.y + y, MOUSE_CLICK });
			assert_int_equal(s->state.pipeline.stage, at);
			assert_int_equal(s->state.stage.at, at);
			draw(s); /* the marker is on that stage's first line */
			assert_true(s->canvas.cursor_y <= r.y + y && s->canvas.cursor_y >= r.y + y - 2);
		}
		assert_true(seen[1] && seen[2]);
		draw(s);
		app_mouse(&s->state, (struct mouse){ r.x, s->canvas.cursor_y, MOUSE_CLICK });
		assert_int_equal(s->state.list.kind, LIST_WHY);
	}
}

SESSION_TEST(test_numbers)
{
	struct session *s = session_new(test, 120, 40);

	click(s, "stage 2");
	assert_int_equal(s->state.focus, PANE_MEMORY);
	assert_int_equal(s->state.stage.at, 2);
	click(s, "stage 2");
	assert_int_equal(s->state.list.kind, LIST_WHY);
	key(s, INPUT_ESCAPE);
	click(s, "pp   send");
	assert_int_equal(s->state.focus, PANE_TRAFFIC);
	assert_int_equal(s->state.estimate->traffic.row[s->state.flow.at].dim, TRAFFIC_PP);
	click(s, "dim  collective"); /* the heading */
	assert_int_equal(s->state.estimate->traffic.row[s->state.flow.at].dim, TRAFFIC_PP);
	click(s, "bubble");
	assert_int_equal(s->state.focus, PANE_STEP);
	assert_true(shows(s, ">bubble"));
	click(s, ">bubble");
	assert_int_equal(s->state.list.kind, LIST_WHY);
	assert_true(shows(s, "why: bubble"));
}

/* Entries of lists; the footer's hints are commands. */
SESSION_TEST(test_lists)
{
	struct session *s = session_new(test, 120, 40);
	struct mouse below = { 60, 35, MOUSE_CLICK };

	click(s, "d dimensions");
	assert_int_equal(s->state.list.kind, LIST_KINDS);
	click(s, "[ ] pp ");
	assert_true(shows(s, "> [ ] pp"));
	assert_true(shows(s, "map by pp")); /* what it would take */
	assert_true(shows(s, "[1] tp"));
	click(s, "[ ] pp ");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(shows(s, "map by pp"));
	click(s, "d dimensions");
	s->flags = app_mouse(&s->state, below); /* no entry there, or another one: no harm */
	click(s, "Esc close");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	/* A list that is filtered while it is open. */
	key(s, '/');
	type(s, "batch");
	click(s, "global batch");
	assert_int_equal(s->state.list.kind, LIST_FIELDS);
	click(s, "global batch");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_int_equal(s->state.prompt.kind, PROMPT_NONE);
	assert_int_equal(s->state.form.field, FIELD_GLOBAL_BATCH_SIZE);
	click(s, "? help");
	assert_int_equal(s->state.list.kind, LIST_HELP);
	s->flags = app_mouse(&s->state, (struct mouse){ 5, 10, MOUSE_WHEEL_DOWN });
	assert_int_equal(s->state.list.first_line, 3);
	assert_true(s->state.list.item >= 1);
	s->flags = app_mouse(&s->state, (struct mouse){ 5, 10, MOUSE_WHEEL_UP });
	assert_int_equal(s->state.list.first_line, 0);
	/* No hints stand in the last line while the filter is typed. */
	type(s, "x");
	s->flags = app_mouse(&s->state, (struct mouse){ 14, 39, MOUSE_CLICK });
	assert_int_equal(s->state.list.kind, LIST_HELP);
	assert_int_equal(s->state.prompt.kind, PROMPT_FILTER);
	key(s, INPUT_ESCAPE);
	key(s, INPUT_ESCAPE);
	click(s, "q quit");
	assert_int_equal(s->flags & EVENT_QUIT, EVENT_QUIT);
}

/* Panes that take turns are chosen by their names. */
SESSION_TEST(test_tabs)
{
	struct session *s = session_new(test, 80, 24);

	click(s, "traffic step");
	assert_int_equal(s->state.focus, PANE_TRAFFIC);
	assert_true(shows(s, "memory [traffic] step"));
	click(s, "memory [traffic]");
	assert_int_equal(s->state.focus, PANE_MEMORY);
	app_resize(&s->state, 40, 12);
	click(s, "map [memory]");
	assert_int_equal(s->state.focus, PANE_MAP);
	click(s, "step");
	assert_int_equal(s->state.focus, PANE_STEP);
}

/* The wheel over a pane that has not the focus scrolls it all the same. */
SESSION_TEST(test_wheel)
{
	struct session *s = session_new(test, 100, 24);

	key(s, 'a'); /* more fields than rows */
	state_focus(&s->state, PANE_STEP);
	for (int i = 0; i < 120; i++)
		s->flags = app_mouse(&s->state, (struct mouse){ 5, 5, MOUSE_WHEEL_DOWN });
	assert_int_equal(s->state.focus, PANE_STEP);
	assert_true(shows(s, "calibration"));
	for (int i = 0; i < 120; i++)
		s->flags = app_mouse(&s->state, (struct mouse){ 5, 5, MOUSE_WHEEL_UP });
	assert_int_equal(s->state.form.first, 0);
	assert_true(shows(s, "plan"));
	/* figures of the step, more than there are rows: to the last and back */
	app_resize(&s->state, 60, 16);
	state_focus(&s->state, PANE_STEP);
	for (int y = 0; y < 16; y++)
		app_mouse(&s->state, (struct mouse){ 30, y, MOUSE_WHEEL_DOWN });
	app_mouse(&s->state, (struct mouse){ 30, 12, MOUSE_WHEEL_DOWN });
	assert_int_equal(s->state.focus, PANE_STEP);
	for (int i = 0; i < 60; i++)
		app_mouse(&s->state, (struct mouse){ 30, 12, MOUSE_WHEEL_UP });
	assert_int_equal(s->state.figure.first, 0);
}

/* Everywhere, at every size, in every state: nothing breaks, no plan changes by a wheel. */
SESSION_TEST(test_everywhere)
{
	static const int size[][2] = { { 1, 1 }, { 20, 3 }, { 40, 12 }, { 80, 24 }, { 130, 40 } };
	static const int32_t opener[] = { INPUT_NONE, 'd', '?', 'e', '/', ':', 'i', 'p', 'O' };

	for (size_t i = 0; i < COUNT(size); i++)
		for (size_t k = 0; k < COUNT(opener); k++) {
			const int w = size[i][0], h = size[i][1];
			struct session *s;

			if (!in_share(i + k))
				continue;
			s = session_new(test, w, h);

			for (int y = 0; y < h; y += 1 + h / 12)
				for (int x = 0; x < w; x += 1 + w / 12)
					for (int action = MOUSE_WHEEL_DOWN; action >= MOUSE_CLICK; action--) {
						struct plan was = s->state.plan;

						if (opener[k] != INPUT_NONE && s->state.list.kind == LIST_NONE &&
						    s->state.prompt.kind == PROMPT_NONE && s->state.question.kind == QUESTION_NONE)
							key(s, opener[k]);
						app_mouse(&s->state, (struct mouse){ x, y, (enum mouse_action)action });
						if (action != MOUSE_CLICK)
							for (enum field_id f = 0; f < FIELD_COUNT; f++)
								assert_true(field_same(f, &was, &s->state.plan));
						draw(s);
					}
		}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
