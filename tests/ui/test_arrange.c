/* Panes at every size: inside the screen, apart from each other, never nothing. */
#include "support.h"
#include "ui/arrange.h"

static bool
overlap(struct rect a, struct rect b)
{
	struct rect r = rect_clip(a, b);

	return r.w > 0 && r.h > 0;
}

static void
check(int w, int h, enum pane focus, int stages)
{
	struct arrange a = arrange_panes(w, h, focus, stages);
	struct rect all[3 + PANE_COUNT];
	int n = 0;

	all[n++] = a.header;
	all[n++] = a.message;
	all[n++] = a.footer;
	for (int i = 0; i < PANE_COUNT; i++) {
		all[n++] = a.pane[i];
		if (a.pane[i].h == 0)
			continue;
		assert_true(a.inner[i].w > 0 && a.inner[i].h > 0);
		assert_true(rect_clip(a.inner[i], a.pane[i]).w == a.inner[i].w);
		assert_true(rect_clip(a.inner[i], a.pane[i]).h == a.inner[i].h);
	}
	for (int i = 0; i < n; i++) {
		if (all[i].h == 0)
			continue;
		assert_true(all[i].x >= 0 && all[i].y >= 0 && all[i].w > 0 && all[i].h > 0);
		assert_true(all[i].x + all[i].w <= w && all[i].y + all[i].h <= h);
		for (int j = i + 1; j < n; j++)
			assert_false(overlap(all[i], all[j]));
	}
	assert_true(a.pane[focus].h > 0);
	if (!a.tabs)
		for (int i = 0; i < PANE_COUNT; i++)
			assert_true(a.pane[i].h > 0);
}

static void
test_all_sizes(void **unused)
{
	static const int stages[] = { 0, 1, 8, 64 };

	(void)unused;
	for (int w = 1; w <= 300; w++)
		for (int h = 1; h <= 100; h++)
			for (size_t i = 0; i < COUNT(stages); i++)
				check(w, h, (enum pane)((w + h) % PANE_COUNT), stages[i]);
	check(500, 200, PANE_FORM, 4);
}

/* Whatever the size, the row of the selected field is on the screen. */
static void
test_selected_shown(void **unused)
{
	struct session *s = session_new(80, 24);

	(void)unused;
	for (int w = 8; w <= 130; w += 3)
		for (int h = 1; h <= 50; h++) {
			int x;

			state_resize(&s->state, w, h);
			draw(s);
			x = s->canvas.cursor_x;
			assert_int_equal(s->canvas.cell[s->canvas.cursor_y * w + x].ch, L'>');
		}
	session_free(s);
}

/* No size, however odd, draws outside or crashes, in any pane or list. */
static void
test_every_screen(void **unused)
{
	static const char *const keys[] = { "", "\t", "\t\t", "?", "e", "d", "W", "/", ":", "a", "g" };
	static const int w[] = { 0, 1, 2, 5, 15, 16, 40, 71, 72, 80, 500 };
	static const int h[] = { 0, 1, 2, 3, 4, 5, 6, 7, 12, 19, 20, 24, 200 };

	(void)unused;
	for (size_t k = 0; k < COUNT(keys); k++) {
		struct session *s = session_new(80, 24);

		type(s, keys[k]);
		for (size_t i = 0; i < COUNT(w); i++)
			for (size_t j = 0; j < COUNT(h); j++) {
				state_resize(&s->state, w[i], h[j]);
				draw(s);
				key(s, INPUT_DOWN);
				draw(s);
			}
		session_free(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sizes),
		cmocka_unit_test(test_selected_shown),
		cmocka_unit_test(test_every_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
