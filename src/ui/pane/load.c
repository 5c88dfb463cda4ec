/*
 * load.c - times of a serving engine against requests at once or a second, where a plan that trains has its
 * traffic.
 */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/pane/pane.h"

/* ---- two pictures: first and further tokens ------------------------------------------- */

enum { GAP = 2, LABEL = 8, CHART_LINES = 6 }; /* columns between them and of numbers beside one; lines, at least */

/* One picture: the times that are drawn, and where. */
struct chart {
	const struct state *s;
	const char *name;
	bool first;          /* tokens, else further ones */
	double limit, most;  /* seconds; 0: no limit, and of the upper edge */
	struct rect r;       /* of the points alone */
};

static double
time_of(const struct chart *g, const struct serve_point *at)
{
	return g->first ? at->ttft_within : at->tpot_within;
}

/* The last rate that has times. */
static const struct serve_point *
last_known(const struct estimate *e)
{
	size_t n = e->points;

	while (n > 1 && !(e->curve[n - 1].tpot_within > 0))
		n--;
	return &e->curve[n - 1];
}

/* The upper edge: of a curve that goes far beyond its limit no more than three times that. */
static double
upper_edge(const struct chart *g)
{
	const struct estimate *e = state_shown(g->s);
	double most = g->limit * 1.2;

	for (size_t i = 0; i < e->points; i++)
		most = larger(most, time_of(g, &e->curve[i]));
	return g->limit > 0 ? smaller(most, 3 * g->limit) : most;
}

static int
line_of(const struct chart *g, double seconds)
{
	const int up = (int)(seconds / g->most * (g->r.h - 1) + .5);

	return g->r.y + g->r.h - 1 - (up < g->r.h ? up : g->r.h - 1);
}

static int
column_of(const struct chart *g, double rate)
{
	return g->r.x + (int)(rate / last_known(state_shown(g->s))->rate * (g->r.w - 1) + .5);
}

/* Between the points around a rate. */
static double
time_at(const struct chart *g, double rate)
{
	const struct serve_point *p = state_shown(g->s)->curve, *last = last_known(state_shown(g->s));

	while (p < last && p->rate < rate)
		p++;
	if (p == state_shown(g->s)->curve || !(p->rate > p[-1].rate))
		return time_of(g, p);
	return time_of(g, p - 1) + (time_of(g, p) - time_of(g, p - 1)) *
	    (rate - p[-1].rate) / (p->rate - p[-1].rate);
}

static void
draw_column(const struct chart *g, struct canvas *c, double rate, enum role role)
{
	const int x = column_of(g, rate);

	if (rate > last_known(state_shown(g->s))->rate)
		return;
	for (int y = g->r.y; y < g->r.y + g->r.h; y++)
		canvas_put(c, x, y, (struct style){ .role = (uint8_t)role }, c->utf8 ? L'\u2502' : L'|');
}

static void
draw_limit(const struct chart *g, struct canvas *c)
{
	if (!(g->limit > 0))
		return;
	for (int x = g->r.x; x < g->r.x + g->r.w; x++)
		canvas_put(c, x, line_of(g, g->limit), (struct style){ .role = ROLE_WARNING },
		    c->utf8 ? L'\u2500' : L'-');
}

static void
draw_points(const struct chart *g, struct canvas *c)
{
	const double last = last_known(state_shown(g->s))->rate;

	for (int i = 0; i < g->r.w; i++) {
		const double rate = last * i / (g->r.w - 1), seconds = time_at(g, rate);
		const bool out = g->limit > 0 && seconds > g->limit;

		canvas_put(c, g->r.x + i, line_of(g, seconds),
		    (struct style){ .role = out ? ROLE_WARNING : ROLE_KEY }, c->utf8 ? L'\u2022' : L'*');
	}
}

static void
draw_numbers(const struct chart *g, struct canvas *c, struct rect r)
{
	const struct style dim = { .role = ROLE_DIM };
	char text[32];

	canvas_text(c, r, g->r.x, r.y, dim, g->name);
	units_short(text, sizeof text, MEASURE_SECONDS, g->most);
	canvas_text(c, r, r.x, g->r.y, dim, text);
	if (g->limit > 0 && line_of(g, g->limit) > g->r.y) {
		units_short(text, sizeof text, MEASURE_SECONDS, g->limit);
		canvas_text(c, r, r.x, line_of(g, g->limit), (struct style){ .role = ROLE_WARNING }, text);
	}
	text_put(text, sizeof text, "%.3g/s", last_known(state_shown(g->s))->rate);
	canvas_text(c, r, r.x + r.w - canvas_width(c, text), r.y + r.h - 1, dim, text);
	canvas_text(c, r, g->r.x, r.y + r.h - 1, dim, "0");
}

/* Below the column of a rate, where no other number stands. */
static void
draw_rate(const struct chart *g, struct canvas *c, struct rect r, double rate, enum role role)
{
	const int y = r.y + r.h - 1;
	struct rect at;
	char text[32];

	text_put(text, sizeof text, "%.3g/s", rate);
	at = (struct rect){ column_of(g, rate) - canvas_width(c, text) / 2, y, canvas_width(c, text), 1 };
	if (at.x + at.w >= r.x + r.w)
		return;
	for (int x = at.x - 1; x <= at.x + at.w; x++)
		if (c->cell[y * c->w + x].ch != L' ')
			return;
	canvas_text(c, r, at.x, y, (struct style){ .role = (uint8_t)role }, text);
}

static void
draw_chart(struct chart *g, struct canvas *c, struct rect r)
{
	const struct estimate *e = state_shown(g->s);

	g->r = (struct rect){ r.x + LABEL, r.y + 1, r.w - LABEL, r.h - 2 };
	g->most = upper_edge(g);
	if (g->r.w < 2 || g->r.h < 2 || !(g->most > 0) || !(last_known(e)->rate > 0))
		return;
	if (e->serve.rate.limited)
		draw_column(g, c, e->serve.rate.inside, ROLE_GOOD);
	if (g->s->load.at < (int64_t)e->points)
		draw_column(g, c, e->curve[g->s->load.at].rate, ROLE_DIM);
	draw_limit(g, c);
	draw_points(g, c);
	draw_numbers(g, c, r);
	if (e->serve.rate.limited)
		draw_rate(g, c, r, e->serve.rate.inside, ROLE_GOOD);
	if (g->s->load.at < (int64_t)e->points)
		draw_rate(g, c, r, e->curve[g->s->load.at].rate, ROLE_DIM);
}

static void
draw_charts(const struct state *s, struct canvas *c, struct rect r)
{
	const struct arrivals *t = &state_shown_plan(s)->traffic;
	const int w = (r.w - 2 - GAP) / 2;
	char first[32], next[32];
	struct chart ttft = { .s = s, .name = first, .first = true, .limit = t->ttft_limit };
	struct chart tpot = { .s = s, .name = next, .limit = t->tpot_limit };

	text_put(first, sizeof first, "TTFT p%.4g", t->percentile);
	text_put(next, sizeof next, "TPOT p%.4g", t->percentile);
	draw_chart(&ttft, c, (struct rect){ r.x + 1, r.y, w, r.h });
	draw_chart(&tpot, c, (struct rect){ r.x + 1 + w + GAP, r.y, w, r.h });
}

/* ---- the table ------------------------------------------------------------------------- */

enum column { REQUESTS, TTFT, TPOT, USER, GPU, COLUMNS };
enum { COLUMN_LEAST = 8, COLUMN_MOST = 12, CELL_SIZE = 24 };

static int64_t
load_count(const struct state *s)
{
	return (int64_t)state_shown(s)->points;
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

/* What the mark of a point says. */
static const char *
mark_word(const struct serve_point *at)
{
	return at->is_plan ? "plan" : at->is_inside ? "at limit" : "";
}

/* Columns end alike; as many as there is room for, and a word where there is more. point NULL: the heading. */
static void
draw_line(struct canvas *c, struct rect line, const struct plan *p, const struct serve_point *point,
    struct style style)
{
	const int w = line.w / COLUMNS < COLUMN_LEAST ? COLUMN_LEAST :
	    line.w / COLUMNS > COLUMN_MOST ? COLUMN_MOST : line.w / COLUMNS;
	char cell[CELL_SIZE];
	const struct rect rest = { line.x + COLUMNS * w + 3, line.y, line.w - COLUMNS * w - 3, 1 };

	for (int i = 0; i < COLUMNS && (i + 1) * w + 1 <= line.w; i++) {
		const int end = line.x + 1 + (i + 1) * w;

		if (point == NULL)
			put_heading((enum column)i, p, cell, sizeof cell);
		else
			put_cell((enum column)i, point, cell, sizeof cell);
		canvas_text(c, line, end - canvas_width(c, cell), line.y, style, cell);
	}
	if (point != NULL && canvas_width(c, mark_word(point)) <= rest.w)
		canvas_text(c, rest, rest.x, rest.y, style, mark_word(point));
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
	const bool is_out = misses(state_shown_plan(s), at);
	const struct style style = { .role = is_selected ? ROLE_SELECTED : is_out ? ROLE_WARNING :
	    at->is_inside ? ROLE_GOOD : ROLE_TEXT };

	draw_line(c, line, state_shown_plan(s), at, style);
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
	const int count = (int)state_shown(s)->points, first = (int)s->load.first;
	const bool focus = s->focus == PANE_TRAFFIC;
	const int rows = pane_rows(r.h);
	int y = r.y;

	if (count == 0) {
		pane_nothing(c, r, focus, state_shown(s)->served ?
		    "No times of a GPU whose rates are not known." :
		    "No times to show until the errors are mended (e lists them).");
		return;
	}
	if (rows < r.h)
		draw_line(c, (struct rect){ r.x, y++, r.w, 1 }, state_shown_plan(s), NULL,
		    (struct style){ .role = ROLE_DIM });
	if (state_shown(s)->serve.rate.known && first == 0 && r.h - count - 1 >= CHART_LINES)
		draw_charts(s, c, (struct rect){ r.x, r.y + count + 1, r.w, r.h - count - 1 });
	for (int i = first; i < first + rows && i < count; i++, y++)
		draw_point(s, c, (struct rect){ r.x, y, r.w, 1 }, &state_shown(s)->curve[i],
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
	    "running%s", 100 * at->load, state_shown_plan(s)->traffic.percentile, first, next, at->in_flight,
	    at->is_inside ? "; the most inside the limits" : misses(state_shown_plan(s), at) ?
	    "; beyond the limits" : "");
}

static void
load_line(const struct state *s, char *buf, size_t size)
{
	const struct serve_point *at = &state_shown(s)->curve[s->load.at];
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
	const struct estimate *e = state_shown(s);

	if (e->served)
		serve_estimate(state_shown_plan(s), &e->layout, &e->placement, NULL, ledger);
}

/* Of the plan's own requests at once. */
static void
load_why(MAYBE const struct state *s, struct why *why)
{
	text_put(why->title, sizeof why->title, "times of the plan");
	why->result[why->results++].id = RESULT_TTFT;
	why->result[why->results++].id = RESULT_TPOT;
}

const struct pane_type load_pane = {
	.name = "load", .title = "times and tokens/s by load", .context = CONTEXT_MEMORY,
	.click = "why",
	.draw = load_draw, .line = load_line, .note = load_note, .why = load_why,
	.rows = load_count, .heading = true, .least = TABLE_LEAST, .scrolled = offsetof(struct state, load),
};
