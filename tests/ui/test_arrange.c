/* Panes at every size: inside the screen, apart from each other, never nothing. */
#include "support.h"
#include "core/base/number.h"
#include "ui/pane/arrange.h"
#include "ui/pane/figures.h"
#include "ui/pane/panes.h"

/* Lines of the panes below the map: bars, rows and figures of the plan that is on. */
static struct shown {
	int stages, flows, figures;
} shown;

static int
lines_of(const struct state *s, enum pane pane, int w)
{
	(void)s;
	if (pane == PANE_STEP)
		return (int)least_of(most_of(1, figures_lines(w, shown.figures)), 8);
	return pane == PANE_MEMORY ? shown.stages + 2 : shown.flows + 1;
}

static struct pane_wishes
wish_of(struct shown what)
{
	shown = what;
	return (struct pane_wishes){ .lines = lines_of, .least = { [PANE_MEMORY] = 6, [PANE_TRAFFIC] = 5 } };
}

static bool
overlap(struct rect a, struct rect b)
{
	struct rect r = rect_clip(a, b);

	return r.w > 0 && r.h > 0;
}

static void
check(int w, int h, const struct pane_wishes *wish)
{
	struct arrange a = arrange_panes(w, h, wish);
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
	assert_true(a.pane[wish->focus].h > 0);
	if (a.tabs)
		return;
	assert_true(a.pane[PANE_FORM].h > 0 && a.pane[PANE_MAP].h > 0);
	n = 0;
	for (int i = PANE_MEMORY; i < PANE_COUNT; i++)
		n += a.pane[i].h > 0;
	assert_int_equal(n, a.lower_tabs ? 1 : PANE_COUNT - PANE_MEMORY);
	/* All of the body is used. */
	n = 0;
	for (int i = 0; i < PANE_COUNT; i++)
		n += a.pane[i].w * a.pane[i].h;
	assert_int_equal(n, w * (h - a.header.h - a.message.h - a.footer.h));
}

/* Below each other, the map keeps a line for the legend of each further colour. */
TEST(test_colors)
{
	struct pane_wishes wish = wish_of((struct shown){ 4, 6, 11 });
	const int one = arrange_panes(100, 30, &wish).pane[PANE_MAP].h;

	for (wish.colors = 2; wish.colors <= 4; wish.colors++) {
		check(100, 30, &wish);
		assert_int_equal(arrange_panes(100, 30, &wish).pane[PANE_MAP].h, one + wish.colors - 1);
	}
}

/* What the map would leave empty goes to panes that have more to show, and no further. */
TEST(test_spare)
{
	struct pane_wishes wish = wish_of((struct shown){ 4, 6, 11 });
	const struct arrange before = arrange_panes(100, 30, &wish);
	struct arrange a;

	wish.spare = 2;
	check(100, 30, &wish);
	a = arrange_panes(100, 30, &wish);
	assert_int_equal(a.pane[PANE_MAP].h, before.pane[PANE_MAP].h - 2);
	assert_int_equal(a.pane[PANE_TRAFFIC].h, before.pane[PANE_TRAFFIC].h + 2);
	shown.flows = shown.stages = 1;
	a = arrange_panes(100, 30, &wish);
	wish.spare = 0;
	assert_int_equal(a.pane[PANE_MAP].h, arrange_panes(100, 30, &wish).pane[PANE_MAP].h);
}

TEST(test_all_sizes)
{
	static const struct shown all[] = {
		{ 0, 1, 0 }, { 1, 5, 11 }, { 8, 24, 11 }, { 64, 7, 11 }, { 1, 9, 20 }, { 64, 1, 13 },
	};

	for (int w = 1; w <= 300; w++)
		for (int h = 1; h <= 100; h++)
			for (size_t i = 0; i < COUNT(all); i++) {
				struct pane_wishes wish = wish_of(all[i]);

				wish.focus = (enum pane)((w + h) % PANE_COUNT);
				wish.lower = (enum pane)(PANE_MEMORY + h % (PANE_COUNT - PANE_MEMORY));
				check(w, h, &wish);
			}
}

/* The usual screens: everything at once from 100x30 on, in turns at 80x24, tabs below. */
TEST(test_usual_sizes)
{
	struct pane_wishes wish = wish_of((struct shown){ 4, 5, 11 });
	struct arrange a = arrange_panes(100, 30, &wish);

	wish.lower = PANE_STEP;
	assert_false(a.tabs || a.lower_tabs);
	assert_int_equal(a.pane[PANE_MEMORY].x, a.pane[PANE_STEP].x);
	assert_true(a.inner[PANE_STEP].h >= figures_lines(a.inner[PANE_STEP].w, 11));
	a = arrange_panes(160, 45, &wish);
	assert_false(a.tabs || a.lower_tabs);
	assert_int_equal(a.pane[PANE_MEMORY].y, a.pane[PANE_TRAFFIC].y); /* side by side */
	assert_int_equal(a.pane[PANE_TRAFFIC].x, a.pane[PANE_STEP].x);
	a = arrange_panes(80, 24, &wish);
	assert_true(a.lower_tabs && a.pane[PANE_STEP].h > 0);
	wish.focus = PANE_TRAFFIC;
	a = arrange_panes(80, 24, &wish);
	assert_true(a.pane[PANE_TRAFFIC].h > 0 && a.pane[PANE_STEP].h == 0);
	a = arrange_panes(40, 12, &wish);
	assert_true(a.tabs && a.inner[PANE_TRAFFIC].h >= 6);
}

/* Whatever the size, the row of the selected field is on the screen. */
SESSION_TEST(test_selected_shown)
{
	struct session *s = session_new(test, 80, 24);

	for (int w = 8; w <= 130; w += 3)
		for (int h = 1; h <= 50; h++) {
			int x;

			app_resize(&s->state, w, h);
			draw(s);
			x = s->canvas.cursor_x;
			assert_int_equal(s->canvas.cell[s->canvas.cursor_y * w + x].ch, L'>');
		}
}

/* No size, however odd, draws outside or crashes, in any pane or list. */
SESSION_TEST(test_every_screen)
{
	static const char *const keys[] = { "", "\t", "\t\t", "\t\t\t", "\t\t\t\t",
		"\t\t\t\r", "\t\t\t\t\r", "?", "e", "d", "W", "/", ":", "a", "g" };
	static const int w[] = { 0, 1, 2, 5, 15, 16, 40, 71, 72, 80, 500 };
	static const int h[] = { 0, 1, 2, 3, 4, 5, 6, 7, 12, 19, 20, 24, 200 };

	for (size_t k = 0; k < COUNT(keys); k++) {
		struct session *s = session_new(test, 80, 24);

		type(s, keys[k]);
		for (size_t i = 0; i < COUNT(w); i++)
			for (size_t j = 0; j < COUNT(h); j++) {
				app_resize(&s->state, w[i], h[j]);
				draw(s);
				key(s, INPUT_DOWN);
				draw(s);
			}
	}
}

/* One pane over the whole screen and back, at any size; Tab goes on to the next one. */
SESSION_TEST(test_maximize)
{
	struct session *s = session_new(test, 160, 45);
	int whole;

	type(s, "\tm");
	draw(s);
	assert_true(shows(s, "plan [map] memory traffic step"));
	assert_true(shows(s, "m all panes"));
	assert_int_equal(panes_arrange(&s->state).pane[PANE_MAP].w, 160);
	assert_int_equal(panes_arrange(&s->state).pane[PANE_FORM].h, 0);
	whole = panes_arrange(&s->state).pane[PANE_MAP].h;
	type(s, "\t");
	assert_int_equal(panes_arrange(&s->state).pane[PANE_MEMORY].h, whole);
	type(s, "m");
	assert_true(panes_arrange(&s->state).pane[PANE_FORM].h > 0);
	assert_true(shows(s, "m maximize"));
	app_resize(&s->state, 60, 20);
	type(s, "m"); /* it has all the room there is */
	assert_true(shows(s, "room for one pane alone"));
	assert_false(s->state.alone);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
