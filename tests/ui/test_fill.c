/* No pane is more than half empty while it hides some of its detail; the map stays round. */
#include <locale.h>

#include "support.h"
#include "core/base/number.h"
#include "core/estimate/estimate.h"
#include "ui/map/map_grid.h"
#include "ui/pane/panes.h"

/* Cells of an area that nothing was drawn on. Blanks between what is on one line are part of
 * it. */
static int
empty_cells(const struct canvas *c, struct rect r)
{
	int empty = 0;

	for (int y = r.y; y < r.y + r.h; y++) {
		int x = r.x + r.w;

		while (x > r.x && c->cell[y * c->w + x - 1].ch == L' ' &&
		    c->cell[y * c->w + x - 1].style.role != ROLE_GROUP)
			x--;
		empty += r.x + r.w - x;
	}
	return empty;
}

/* Lines that are not shown, or GPUs drawn smaller than a card. */
static bool
hides_detail(const struct session *s, enum pane pane, struct rect r)
{
	const struct part part = pane_part(pane_type(&s->state, pane), &s->state, r);

	return part.shown < part.count || (pane == PANE_MAP && s->state.estimate->laid_out &&
	    map_zoom_for(&s->state.map,
	    (struct map_area){ &s->state.plan, s->state.estimate, r.w, r.h }) > MAP_ZOOM_CARD);
}

static void
check_panes(struct session *s, int w, int h, int64_t nodes)
{
	struct arrange a;

	app_resize(&s->state, w, h);
	draw(s);
	a = panes_arrange(&s->state);
	for (int i = 0; i < PANE_COUNT; i++) {
		const struct rect r = a.inner[i];

		if (a.pane[i].h == 0 || r.w * r.h == 0 || !hides_detail(s, (enum pane)i, r))
			continue;
		if (empty_cells(&s->canvas, r) * 2 > r.w * r.h)
			fail_msg("%lld nodes at %dx%d: %s is %d of %d cells empty\n%s", (long long)nodes, w, h,
			    pane_name(&s->state, (enum pane)i), empty_cells(&s->canvas, r), r.w * r.h, picture(s));
	}
}

SESSION_TEST(test_fill)
{
	static const int64_t nodes[] = { 1, 2, 3, 5, 8, 12, 16, 32, 100, 128, 512, 1000, 2048, 16384 };
	static const char *const colors[] = { "tp", "tp,pp", "tp,pp,dp", "stage", "memory" };

	for (size_t i = 0; i < COUNT(nodes); i++) {
		struct session *s = session_new(test, 80, 24);
		char command[64];

		text_put(command, sizeof command, "set nodes %lld", (long long)nodes[i]);
		app_command(&s->state, command);
		for (size_t k = 0; k < COUNT(colors); k++) {
			text_put(command, sizeof command, "color %s", colors[k]);
			app_command(&s->state, command);
			for (int w = 72; w <= 240; w += 12)
				for (int h = 20; h <= 70; h += 5)
					check_panes(s, w, h, nodes[i]);
			check_panes(s, 80, 24, nodes[i]);
			check_panes(s, 200, 60, nodes[i]);
		}
	}
}

/* Rows of nodes begin with round numbers wherever there is a way to. */
SESSION_TEST(test_round)
{
	static const int size[][2] = { { 40, 12 }, { 80, 24 }, { 100, 30 }, { 120, 40 }, { 200, 60 } };
	struct session *s = session_new(test, 80, 24);
	struct map_grid g;
	char command[64];

	for (int64_t nodes = 2; nodes <= 2048; nodes *= 2) {
		text_put(command, sizeof command, "set nodes %lld", (long long)nodes);
		app_command(&s->state, command);
		for (size_t i = 0; i < COUNT(size); i++) {
			struct rect r;
			int64_t row, round, h;

			app_resize(&s->state, size[i][0], size[i][1]);
			state_focus(&s->state, PANE_MAP);
			draw(s);
			r = panes_arrange(&s->state).inner[PANE_MAP];
			h = r.h - map_legend_lines(&s->state.map, &s->state.plan, s->state.estimate, r.w, r.h);
			map_grid_init(&g, &s->state.map, &s->state.plan, s->state.estimate, r.w, h);
			row = g.across * g.block_cols;
			for (round = 1; 2 * round <= row; round *= 2)
				;
			if (round < row && (g.boxes + round - 1) / round * g.box_h <= h)
				fail_msg("%lld nodes at %dx%d: %lld in a row\n%s", (long long)nodes, size[i][0],
				    size[i][1], (long long)row, picture(s));
		}
	}
}

/* Where a rank stands on the screen. */
static void
find_rank(const struct session *s, int64_t rank, int *x, int *y)
{
	const struct rect r = panes_arrange(&s->state).inner[PANE_MAP];

	assert_true(map_find(&s->state.map, (struct map_area){ &s->state.plan, s->state.estimate, r.w, r.h }, rank,
	    x, y));
	*x += r.x;
	*y += r.y;
}

/* The map that gets the focus shows relations, and another colouring other letters: no GPU goes elsewhere. */
SESSION_TEST(test_still)
{
	static const int size[][2] = { { 80, 24 }, { 100, 30 }, { 120, 40 }, { 160, 45 }, { 200, 60 } };
	struct session *s = session_new(test, 80, 24);

	for (int nodes = 2; nodes <= 128; nodes *= 2)
		for (size_t i = 0; i < COUNT(size); i++) {
			int x[8], y[8], to_x, to_y;

			app_command(&s->state, TEXT_OF(32, "set nodes %d", nodes));
			app_command(&s->state, "auto");
			app_resize(&s->state, size[i][0], size[i][1]);
			state_focus(&s->state, PANE_FORM);
			draw(s);
			for (int k = 0; k < 8; k++)
				find_rank(s, k * nodes, &x[k], &y[k]);
			for (int key = 0; key < 3; key++) {
				type(s, key == 0 ? "\t" : "c");
				for (int k = 0; k < 8; k++) {
					find_rank(s, k * nodes, &to_x, &to_y);
					if (to_x != x[k] || to_y != y[k])
						fail_msg("%d nodes at %dx%d: rank %d at %d,%d, before at %d,%d\n%s", nodes,
						    size[i][0], size[i][1], k * nodes, to_x, to_y, x[k], y[k], picture(s));
				}
			}
			type(s, ":color\r");
		}
}

/* Where the memory ends is marked beside the amounts of a bar's parts. */
SESSION_TEST(test_mark)
{
	struct session *s = session_new(test, 100, 30);
	struct estimate *e = s->state.estimate;
	struct memory *m = &e->stage[0].memory;

	*m = (struct memory){ .parameters = 10 * GIB, .gradients = 9 * GIB, .optimizer = 8 * GIB,
		.activations = 7 * GIB, .buffers = 6 * GIB, .overhead = 9 * GIB, .total = 49 * GIB };
	type(s, "\t\tm");
	for (int most = 11; most < 49; most++) {
		char *text, *line;

		e->capacity = e->stage[0].capacity = most * GIB;
		text = picture(s);
		line = strstr(strstr(text, "stage 0 "), "\u2502") + strlen("\u2502");
		assert_true(*line != '.' && (*line < '0' || *line > '9'));
		free(text);
	}
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
