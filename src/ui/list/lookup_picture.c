/* Memory against time: each plan a mark. */
#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/lookup.h"

/* Marks, the later ones over those before. */
enum mark { MARK_PLAN, MARK_FRONT, MARK_OWN, MARK_SELECTED, MARKS };

static const struct {
	char ch;
	enum role role;
	const char *name;
} marks[MARKS] = {
	[MARK_PLAN] = { '.', ROLE_TEXT, "found" },
	[MARK_FRONT] = { 'o', ROLE_KEY, "no other takes less of both" },
	[MARK_OWN] = { '+', ROLE_GOOD, "the plan" },
	[MARK_SELECTED] = { '#', ROLE_SELECTED, "selected" },
};

/* The area of the points, and what its edges stand for. */
struct axes {
	struct rect r;
	double x[2], y[2];
};

static bool
is_known(const struct lookup_row *f)
{
	return !isnan(f->number[LOOKUP_TIME]) && !isnan(f->number[LOOKUP_MEMORY]);
}

/* No other plan takes less time and no more memory, or the other way round. */
static bool
on_front(const struct lookup *l, const struct lookup_row *f)
{
	for (size_t i = 0; i < l->news.kept; i++) {
		const double *a = l->found[i].number, *b = f->number;

		if (is_known(&l->found[i]) && a[LOOKUP_TIME] <= b[LOOKUP_TIME] &&
		    a[LOOKUP_MEMORY] <= b[LOOKUP_MEMORY] &&
		    (a[LOOKUP_TIME] < b[LOOKUP_TIME] || a[LOOKUP_MEMORY] < b[LOOKUP_MEMORY]))
			return false;
	}
	return true;
}

static void
widen(struct axes *a, double x, double y)
{
	a->x[0] = smaller(a->x[0], x);
	a->x[1] = larger(a->x[1], x);
	a->y[0] = smaller(a->y[0], y);
	a->y[1] = larger(a->y[1], y);
}

/* The column or line of a value: from the lower edge on. */
static int
place(double v, const double edge[2], int cells)
{
	return edge[1] > edge[0] ? (int)lround((v - edge[0]) / (edge[1] - edge[0]) * (cells - 1)) : 0;
}

static void
put_mark(struct canvas *c, const struct axes *a, double x, double y, enum mark mark)
{
	if (x < a->x[0] || x > a->x[1] || y < a->y[0] || y > a->y[1])
		return;
	canvas_put(c, a->r.x + place(x, a->x, a->r.w), a->r.y + a->r.h - 1 - place(y, a->y, a->r.h),
	    (struct style){ .role = (uint8_t)marks[mark].role }, (wchar_t)marks[mark].ch);
}

/* What the edges stand for: memory at the left, time below. */
static void
draw_edges(const struct lookup *l, struct canvas *c, const struct axes *a, struct rect r)
{
	const struct style dim = { .role = ROLE_DIM }, frame = { .role = ROLE_FRAME };
	const int bottom = a->r.y + a->r.h;
	const char *low = UNITS_SHORT(BYTES, a->y[0]), *high = UNITS_SHORT(BYTES, a->y[1]);
	const char *time = result_table[lookup_number(l, LOOKUP_TIME)].brief;

	for (int y = a->r.y; y < bottom; y++)
		canvas_put(c, a->r.x - 1, y, frame, canvas_glyph(c, GLYPH_VERTICAL));
	for (int x = a->r.x; x < a->r.x + a->r.w; x++)
		canvas_put(c, x, bottom, frame, canvas_glyph(c, GLYPH_HORIZONTAL));
	canvas_put(c, a->r.x - 1, bottom, frame, canvas_glyph(c, GLYPH_BOTTOM_LEFT));
	canvas_text(c, r, a->r.x - 1 - canvas_width(c, high), a->r.y, dim, high);
	canvas_text(c, r, a->r.x - 1 - canvas_width(c, low), bottom - 1, dim, low);
	low = UNITS_SHORT(SECONDS, a->x[0]);
	high = UNITS_SHORT(SECONDS, a->x[1]);
	canvas_text(c, r, a->r.x + 1, bottom, dim, low);
	canvas_text(c, r, a->r.x + a->r.w - 1 - canvas_width(c, high), bottom, dim, high);
	canvas_text(c, r, a->r.x + (a->r.w - canvas_width(c, time)) / 2, bottom, dim, time);
}

/* What the marks mean, the first ones where there is no room for all. */
static void
draw_legend(struct canvas *c, struct rect r)
{
	int x = r.x;

	for (int i = MARKS - 1; i >= 0; i--) {
		char text[48];

		text_put(text, sizeof text, "%c %s", marks[i].ch, marks[i].name);
		if (x + canvas_width(c, text) > r.x + r.w)
			text_put(text, sizeof text, i == MARK_FRONT ? "%c best" : "%c", marks[i].ch);
		if (x + canvas_width(c, text) > r.x + r.w)
			return;
		x += 2 + canvas_text(c, r, x, r.y, (struct style){ .role = ROLE_DIM }, text);
	}
}

/* The plan as it is may be slower than all that is shown: up to twice their range. */
static bool
own_point(const struct state *s, double *x, double *y)
{
	const struct lookup *l = s->lookup;
	const struct estimate *e = s->estimate;

	return s->plan.mode == l->space->plan.mode && e->legal &&
	    result_value(lookup_number(l, LOOKUP_TIME), e, e->peak_stage, x) &&
	    result_value(lookup_number(l, LOOKUP_MEMORY), e, e->peak_stage, y);
}

void
lookup_picture(const struct state *s, struct canvas *c, struct rect r, int at)
{
	const struct lookup *l = s->lookup;
	struct axes a = { { r.x + 10, r.y, r.w - 11, r.h - 2 }, { INFINITY, 0 }, { INFINITY, 0 } };
	double x, y;

	for (size_t i = 0; i < l->news.kept; i++)
		if (is_known(&l->found[i]))
			widen(&a, l->found[i].number[LOOKUP_TIME], l->found[i].number[LOOKUP_MEMORY]);
	if (!(a.x[0] <= a.x[1]) || a.r.w < 8 || a.r.h < 2)
		return;
	if (own_point(s, &x, &y) && x <= a.x[1] + (a.x[1] - a.x[0]))
		widen(&a, x, y);
	draw_edges(l, c, &a, r);
	for (enum mark mark = MARK_PLAN; mark <= MARK_FRONT; mark++)
		for (size_t i = 0; i < l->news.kept; i++) {
			const struct lookup_row *f = &l->found[i];

			if (is_known(f) && (mark == MARK_PLAN || on_front(l, f)))
				put_mark(c, &a, f->number[LOOKUP_TIME], f->number[LOOKUP_MEMORY], mark);
		}
	if (own_point(s, &x, &y))
		put_mark(c, &a, x, y, MARK_OWN);
	if (at >= 0 && (size_t)at < l->news.kept && is_known(&l->found[at]))
		put_mark(c, &a, l->found[at].number[LOOKUP_TIME], l->found[at].number[LOOKUP_MEMORY],
		    MARK_SELECTED);
	draw_legend(c, (struct rect){ r.x + 2, r.y + r.h - 1, r.w - 2, 1 });
}
