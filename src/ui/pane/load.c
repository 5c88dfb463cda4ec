/*
 * load.c - times of a serving engine against requests at once or a second, where a plan that trains has its
 * traffic.
 */
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/pane/load_chart.h"
#include "ui/pane/pane.h"

enum column { REQUESTS, TTFT, TPOT, USER, GPU, COLUMNS };
enum { COLUMN_LEAST = 8, COLUMN_MOST = 12, CELL_SIZE = 24 };

static int64_t
load_count(const struct state *s)
{
	return (int64_t)s->estimate->points;
}

/* Of a queue near saturation the least is known. */
static void
put_first(const struct serve_point *p, double seconds, char *buf, size_t size)
{
	text_put(buf, size, "%s", p->load > SERVE_LOAD_KNOWN && p->load < 1 ? ">" : "");
	units_short(buf + strlen(buf), size - strlen(buf), MEASURE_SECONDS, seconds);
}

static void
put_cell(enum column column, const struct serve_point *p, char *buf, size_t size)
{
	const bool open = p->rate > 0;

	if (column != REQUESTS && column != GPU && !(p->tpot_seconds > 0)) {
		text_put(buf, size, "-"); /* the rate is not taken */
		return;
	}
	switch (column) {
	case REQUESTS:
		if (open)
			text_put(buf, size, "%.3g/s", p->rate);
		else
			text_put(buf, size, "%lld", (long long)p->concurrency);
		break;
	case TTFT:
		put_first(p, open ? p->ttft_within : p->ttft_seconds, buf, size);
		break;
	case TPOT:
		units_short(buf, size, MEASURE_SECONDS, open ? p->tpot_within : p->tpot_seconds);
		break;
	case USER:
		units_short(buf, size, MEASURE_REAL, open ? p->in_flight : p->tokens_per_second_per_user);
		break;
	case GPU:
		units_short(buf, size, MEASURE_REAL, p->tokens_per_second_per_gpu);
		break;
	case COLUMNS:
		break;
	}
}

static void
put_heading(enum column column, const struct plan *p, char *buf, size_t size)
{
	static const char *const closed[COLUMNS] = { "requests", "TTFT", "TPOT", "per user", "per GPU" };
	static const char *const open[COLUMNS] = { "rate", "TTFT", "TPOT", "running", "per GPU" };

	text_put(buf, size, "%s", p->traffic.rate > 0 ? open[column] : closed[column]);
	if (p->traffic.rate > 0 && (column == TTFT || column == TPOT))
		text_add(buf, size, " p%.3g", p->traffic.percentile);
}

/* Columns end alike; as many as there is room for. point NULL: the heading. */
static void
draw_line(struct canvas *c, struct rect line, const struct plan *p, const struct serve_point *point,
    struct style style)
{
	const int w = line.w / COLUMNS < COLUMN_LEAST ? COLUMN_LEAST :
	    line.w / COLUMNS > COLUMN_MOST ? COLUMN_MOST : line.w / COLUMNS;
	char cell[CELL_SIZE];

	for (int i = 0; i < COLUMNS && (i + 1) * w + 1 <= line.w; i++) {
		const int end = line.x + 1 + (i + 1) * w;

		if (point == NULL)
			put_heading((enum column)i, p, cell, sizeof cell);
		else
			put_cell((enum column)i, point, cell, sizeof cell);
		canvas_text(c, line, end - canvas_width(c, cell), line.y, style, cell);
	}
}

/* Beyond the limits; those inside are as any text. */
static bool
misses(const struct plan *p, const struct serve_point *at)
{
	const struct arrivals *t = &p->traffic;

	return at->rate > 0 && ((t->ttft_limit > 0 && at->ttft_within > t->ttft_limit) ||
	    (t->tpot_limit > 0 && at->tpot_within > t->tpot_limit) || !(at->tpot_seconds > 0));
}

static void
draw_point(const struct state *s, struct canvas *c, struct rect line, const struct serve_point *at,
    bool is_selected)
{
	const bool is_out = misses(&s->plan, at);
	const struct style style = { .role = is_selected ? ROLE_SELECTED : is_out ? ROLE_WARNING :
	    at->is_inside ? ROLE_GOOD : ROLE_TEXT };

	draw_line(c, line, &s->plan, at, style);
	if (at->is_plan || at->is_inside)
		canvas_put(c, line.x, line.y, style, at->is_plan ? L'*' : L'=');
	if (!is_selected)
		return;
	canvas_mark(c, line);
	canvas_restyle(c, line, style);
}

static void
load_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const int count = (int)s->estimate->points, first = (int)s->load.first;
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
		draw_line(c, (struct rect){ r.x, y++, r.w, 1 }, &s->plan, NULL,
		    (struct style){ .role = ROLE_DIM });
	if (s->estimate->serve.rate.known && first == 0 && r.h - count - 1 >= LOAD_CHART_LINES)
		load_chart_draw(s, c, (struct rect){ r.x, r.y + count + 1, r.w, r.h - count - 1 });
	for (int i = first; i < first + rows && i < count; i++, y++)
		draw_point(s, c, (struct rect){ r.x, y, r.w, 1 }, &s->estimate->curve[i],
		    focus && i == s->load.at);
}

static void
open_line(const struct state *s, const struct serve_point *at, char *buf, size_t size)
{
	char first[CELL_SIZE], next[CELL_SIZE];

	put_cell(TTFT, at, first, sizeof first);
	put_cell(TPOT, at, next, sizeof next);
	text_put(buf, size, "%.4g requests a second", at->rate);
	if (!(at->tpot_seconds > 0)) {
		text_add(buf, size, ": more than the engines take, the queue grows without end");
		return;
	}
	text_add(buf, size, ", load %.0f %%: %.4g %% of first tokens within %s, of further ones %s; %.3g "
	    "running%s", 100 * at->load, s->plan.traffic.percentile, first, next, at->in_flight,
	    at->is_inside ? "; the most inside the limits" : misses(&s->plan, at) ?
	    "; beyond the limits" : "");
}

static void
load_line(const struct state *s, char *buf, size_t size)
{
	const struct serve_point *at = &s->estimate->curve[s->load.at];
	char cell[COLUMNS][CELL_SIZE];

	if (s->load.at >= load_count(s))
		return;
	if (at->rate > 0) {
		open_line(s, at, buf, size);
		return;
	}
	for (int i = 0; i < COLUMNS; i++)
		put_cell((enum column)i, at, cell[i], sizeof cell[i]);
	text_put(buf, size, "%s request%s at once: first token %s, each further one %s; %s tokens a "
	    "second for each, %s of a GPU", cell[REQUESTS], TEXT_S(at->concurrency), cell[TTFT],
	    cell[TPOT], cell[USER], cell[GPU]);
}

static void
load_note(const struct state *s, struct ledger *ledger)
{
	const struct estimate *e = s->estimate;

	if (e->served)
		serve_estimate(&s->plan, &e->layout, &e->placement, NULL, ledger);
}

/* Of the plan's own requests at once. */
static void
load_why(const struct state *s, struct why *why)
{
	(void)s;
	text_put(why->title, sizeof why->title, "times of the plan");
	why->result[why->results++].id = RESULT_TTFT;
	why->result[why->results++].id = RESULT_TPOT;
}

const struct pane_type load_pane = {
	.name = "load", .title = "times and tokens/s by requests", .context = CONTEXT_MEMORY,
	.click = "why",
	.draw = load_draw, .line = load_line, .note = load_note, .why = load_why,
	.rows = load_count, .heading = true, .least = TABLE_LEAST, .scrolled = offsetof(struct state, load),
};
