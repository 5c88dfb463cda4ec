/*
 * load.c - times of a serving engine against requests at once, where a plan that trains has its
 * traffic.
 */
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/serve/serve_curve.h"
#include "ui/pane/pane.h"

enum column { REQUESTS, TTFT, TPOT, USER, GPU, COLUMNS };
enum { COLUMN_LEAST = 8, COLUMN_MOST = 12, CELL_SIZE = 24 };

/* The curve; no points where nothing is served, or no times are known. */
static size_t
load_points(const struct state *s, struct serve_point point[SERVE_CURVE_MAX])
{
	const struct estimate *e = s->estimate;

	if (!e->served || !e->placed || !(e->serve.tpot_seconds > 0))
		return 0;
	return serve_curve(point, &s->plan, &e->layout, &e->placement, &e->serve);
}

static int64_t
load_count(const struct state *s)
{
	struct serve_point point[SERVE_CURVE_MAX];

	return (int64_t)load_points(s, point);
}

static void
put_cell(enum column column, const struct serve_point *p, char *buf, size_t size)
{
	switch (column) {
	case REQUESTS:
		text_put(buf, size, "%lld", (long long)p->concurrency);
		break;
	case TTFT:
		units_short(buf, size, MEASURE_SECONDS, p->ttft_seconds);
		break;
	case TPOT:
		units_short(buf, size, MEASURE_SECONDS, p->tpot_seconds);
		break;
	case USER:
		units_short(buf, size, MEASURE_REAL, p->tokens_per_second_per_user);
		break;
	case GPU:
		units_short(buf, size, MEASURE_REAL, p->tokens_per_second_per_gpu);
		break;
	case COLUMNS:
		break;
	}
}

/* Columns end alike; as many as there is room for. point NULL: the heading. */
static void
draw_line(struct canvas *c, struct rect line, const struct serve_point *point, struct style style)
{
	static const char *const heading[COLUMNS] = { "requests", "TTFT", "TPOT", "per user",
		"per GPU" };
	const int w = line.w / COLUMNS < COLUMN_LEAST ? COLUMN_LEAST :
	    line.w / COLUMNS > COLUMN_MOST ? COLUMN_MOST : line.w / COLUMNS;
	char cell[CELL_SIZE];

	for (int i = 0; i < COLUMNS && (i + 1) * w + 1 <= line.w; i++) {
		const int end = line.x + 1 + (i + 1) * w;

		if (point == NULL)
			text_put(cell, sizeof cell, "%s", heading[i]);
		else
			put_cell((enum column)i, point, cell, sizeof cell);
		canvas_text(c, line, end - canvas_width(c, cell), line.y, style, cell);
	}
}

static void
load_draw(const struct state *s, struct canvas *c, struct rect r)
{
	struct serve_point point[SERVE_CURVE_MAX];
	const int count = (int)load_points(s, point), first = (int)s->flow.first;
	const bool focus = s->focus == PANE_TRAFFIC;
	const int rows = pane_rows(r.h);
	int y = r.y;

	if (count == 0) {
		pane_nothing(c, r, focus, s->estimate->served ?
		    "No times of a GPU whose rates are not known." :
		    "No times to show until the errors are mended (e lists them).");
		return;
	}
	if (rows < r.h)
		draw_line(c, (struct rect){ r.x, y++, r.w, 1 }, NULL,
		    (struct style){ .role = ROLE_DIM });
	for (int i = first; i < first + rows && i < count; i++, y++) {
		const struct rect line = { r.x, y, r.w, 1 };
		const bool is_selected = focus && i == s->flow.at;
		const bool is_plan = point[i].concurrency == s->plan.serving.concurrency;
		const struct style style = { .role = is_selected ? ROLE_SELECTED : ROLE_TEXT };

		draw_line(c, line, &point[i], style);
		if (is_plan)
			canvas_put(c, r.x, y, style, L'*');
		if (!is_selected)
			continue;
		canvas_mark(c, line);
		canvas_restyle(c, line, style);
	}
}

static void
load_line(const struct state *s, char *buf, size_t size)
{
	struct serve_point point[SERVE_CURVE_MAX];
	const int64_t count = (int64_t)load_points(s, point);
	char cell[COLUMNS][CELL_SIZE];

	if (s->flow.at >= count)
		return;
	for (int i = 0; i < COLUMNS; i++)
		put_cell((enum column)i, &point[s->flow.at], cell[i], sizeof cell[i]);
	text_put(buf, size, "%s request%s at once: first token %s, each further one %s; %s tokens a "
	    "second for each, %s of a GPU", cell[REQUESTS], TEXT_S(point[s->flow.at].concurrency), cell[TTFT], cell[TPOT], cell[USER],
	    cell[GPU]);
}

const struct pane_type load_pane = {
	.name = "load", .title = "times and tokens/s by requests at once", .context = CONTEXT_MEMORY,
	.click = "why",
	.draw = load_draw, .line = load_line, .rows = load_count, .heading = true,
};
