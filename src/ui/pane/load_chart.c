#include "ui/pane/load_chart.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"

enum { GAP = 2, LABEL = 8 }; /* columns between the pictures, and of numbers beside one */

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
	const struct estimate *e = g->s->estimate;
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
	return g->r.x + (int)(rate / last_known(g->s->estimate)->rate * (g->r.w - 1) + .5);
}

/* Between the points around a rate. */
static double
time_at(const struct chart *g, double rate)
{
	const struct serve_point *p = g->s->estimate->curve, *last = last_known(g->s->estimate);

	while (p < last && p->rate < rate)
		p++;
	if (p == g->s->estimate->curve || !(p->rate > p[-1].rate))
		return time_of(g, p);
	return time_of(g, p - 1) + (time_of(g, p) - time_of(g, p - 1)) *
	    (rate - p[-1].rate) / (p->rate - p[-1].rate);
}

static void
draw_column(const struct chart *g, struct canvas *c, double rate, enum role role)
{
	const int x = column_of(g, rate);

	if (rate > last_known(g->s->estimate)->rate)
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
	const double last = last_known(g->s->estimate)->rate;

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
	text_put(text, sizeof text, "%.3g/s", last_known(g->s->estimate)->rate);
	canvas_text(c, r, r.x + r.w - canvas_width(c, text), r.y + r.h - 1, dim, text);
	canvas_text(c, r, g->r.x, r.y + r.h - 1, dim, "0");
}

static void
draw_chart(struct chart *g, struct canvas *c, struct rect r)
{
	const struct estimate *e = g->s->estimate;

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
}

void
load_chart_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct arrivals *t = &s->plan.traffic;
	const int w = (r.w - 2 - GAP) / 2;
	char first[32], next[32];
	struct chart ttft = { .s = s, .name = first, .first = true, .limit = t->ttft_limit };
	struct chart tpot = { .s = s, .name = next, .limit = t->tpot_limit };

	text_put(first, sizeof first, "TTFT p%.4g", t->percentile);
	text_put(next, sizeof next, "TPOT p%.4g", t->percentile);
	draw_chart(&ttft, c, (struct rect){ r.x + 1, r.y, w, r.h });
	draw_chart(&tpot, c, (struct rect){ r.x + 1 + w + GAP, r.y, w, r.h });
}
