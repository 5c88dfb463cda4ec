/* The two quantities that are asked for against one another, memory and time where only one is: each
 * plan a mark. */
#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/search_table.h"

/* Marks, the later ones over those before. */
enum mark { MARK_PLAN, MARK_FRONT, MARK_OWN, MARK_SELECTED, MARKS };

static const struct {
	char ch;
	enum role role;
	const char *name;
} marks[MARKS] = {
	[MARK_PLAN] = { '.', ROLE_TEXT, "found" },
	[MARK_FRONT] = { 'o', ROLE_KEY, "no other is better in both" },
	[MARK_OWN] = { '+', ROLE_GOOD, "the plan" },
	[MARK_SELECTED] = { '#', ROLE_SELECTED, "selected" },
};

/* The area of the points, and what its edges stand for. */
struct axes {
	struct rect r;
	double x[2], y[2];
};

static bool
is_number(const struct search_view *l, struct search_view_column q, enum result_id id)
{
	const struct search_target *t = search_column_target(l, q);

	return t != NULL ? t->kind == TARGET_RESULT && t->id == (int)id : search_view_number(l, q.i) == id;
}

static double
value_of(const struct search_view *l, const struct search_view_row *f, struct search_view_column q)
{
	return q.by == SEARCH_VIEW_OBJECTIVE ? search_view_objective(l, f, q.i) :
	    q.by == SEARCH_VIEW_CONDITION ? f->asked[q.i] : f->number[q.i];
}

/* Not all plans have the same of it. */
static bool
varies(const struct search_view *l, struct search_view_column q)
{
	const double first = value_of(l, &l->found[0], q);

	for (size_t i = 1; i < l->news.kept; i++)
		if (value_of(l, &l->found[i], q) < first || value_of(l, &l->found[i], q) > first)
			return true;
	return false;
}

/* Add one that tells plans apart and is none of those before. */
static void
add_axis(const struct search_view *l, struct search_view_column q[2], int *n, enum search_view_by by, int i)
{
	const struct search_view_column next = { by, i };
	const struct search_target *t = search_column_target(l, next);

	if (*n == 2 || (l->news.kept > 1 && !varies(l, next)))
		return;
	for (int k = 0; k < *n; k++) {
		const struct search_target *other = search_column_target(l, q[k]);

		if (t == NULL ? is_number(l, q[k], search_view_number(l, i)) :
		    other != NULL && target_same(other, t))
			return;
	}
	q[(*n)++] = next;
}

/* Objectives, then conditions, then time against memory, or in serving against tokens of a GPU. */
static bool
choose_axes(const struct search_view *l, struct search_view_column q[2])
{
	int n = 0;

	for (int i = 0; i < l->search.objectives; i++)
		add_axis(l, q, &n, SEARCH_VIEW_OBJECTIVE, i);
	for (int i = 0; i < l->search.conditions; i++)
		add_axis(l, q, &n, SEARCH_VIEW_CONDITION, i);
	add_axis(l, q, &n, SEARCH_VIEW_NUMBER, SEARCH_VIEW_TIME);
	for (int i = 0; i < SEARCH_VIEW_NUMBERS; i++)
		if (search_view_number(l, i) == RESULT_GENERATED_GPU)
			add_axis(l, q, &n, SEARCH_VIEW_NUMBER, i);
	add_axis(l, q, &n, SEARCH_VIEW_NUMBER, SEARCH_VIEW_MEMORY);
	return n == 2;
}

static bool
wants_more(const struct search_view *l, struct search_view_column q)
{
	return q.by == SEARCH_VIEW_OBJECTIVE ? l->search.objective[q.i].more :
	    q.by == SEARCH_VIEW_CONDITION ? l->search.condition[q.i].least :
	    result_table[search_view_number(l, q.i)].better == BETTER_MORE;
}

/* An edge in a unit; exact, where both would read the same. */
static void
put_edges(const struct search_view *l, struct search_view_column q, const double v[2], char low[UNITS_SIZE],
    char high[UNITS_SIZE])
{
	const struct search_target *t = search_column_target(l, q);
	enum measure m = MEASURE_REAL;

	if (t == NULL || t->kind == TARGET_RESULT)
		m = result_table[t != NULL ? (enum result_id)t->id : search_view_number(l, q.i)].measure;
	units_short(low, UNITS_SIZE, m, v[0]);
	units_short(high, UNITS_SIZE, m, v[1]);
	if (!text_equal(low, high))
		return;
	units_exact(low, UNITS_SIZE, m, v[0]);
	units_exact(high, UNITS_SIZE, m, v[1]);
}

static bool
is_known(const struct search_view *l, const struct search_view_row *f, const struct search_view_column q[2])
{
	return isfinite(value_of(l, f, q[0])) && isfinite(value_of(l, f, q[1]));
}

/* No other plan is better in one and no worse in the other. */
static bool
on_front(const struct search_view *l, const struct search_view_row *f, const struct search_view_column q[2])
{
	for (size_t i = 0; i < l->news.kept; i++) {
		double gain[2];

		if (!is_known(l, &l->found[i], q))
			continue;
		for (int k = 0; k < 2; k++)
			gain[k] = (wants_more(l, q[k]) ? 1 : -1) *
			    (value_of(l, &l->found[i], q[k]) - value_of(l, f, q[k]));
		if (gain[0] >= 0 && gain[1] >= 0 && (gain[0] > 0 || gain[1] > 0))
			return false;
	}
	return true;
}

static void
widen_axes(struct axes *a, double x, double y)
{
	a->x[0] = smaller(a->x[0], x);
	a->x[1] = larger(a->x[1], x);
	a->y[0] = smaller(a->y[0], y);
	a->y[1] = larger(a->y[1], y);
}

/* The column or line of a value: from the lower edge on. */
static int
cell_of(double v, const double edge[2], int cells)
{
	return edge[1] > edge[0] ? (int)lround((v - edge[0]) / (edge[1] - edge[0]) * (cells - 1)) : 0;
}

static void
put_mark(struct canvas *c, const struct axes *a, double x, double y, enum mark mark)
{
	if (x < a->x[0] || x > a->x[1] || y < a->y[0] || y > a->y[1])
		return;
	canvas_put(c, a->r.x + cell_of(x, a->x, a->r.w), a->r.y + a->r.h - 1 - cell_of(y, a->y, a->r.h),
	    (struct style){ .role = (uint8_t)marks[mark].role }, (wchar_t)marks[mark].ch);
}

/* What the edges stand for: the first quantity below, the second at the left. */
static void
draw_edges(const struct search_view *l, struct canvas *c, const struct axes *a, struct rect r,
    const struct search_view_column q[2])
{
	const struct style dim = { .role = ROLE_DIM }, frame = { .role = ROLE_FRAME };
	const int bottom = a->r.y + a->r.h;
	char low[UNITS_SIZE], high[UNITS_SIZE], name[2][SEARCH_NAME];
	const char *below = search_column_name(l, q[0], name[0]), *left = search_column_name(l, q[1], name[1]);

	for (int y = a->r.y; y < bottom; y++)
		canvas_put(c, a->r.x - 1, y, frame, canvas_glyph(c, GLYPH_VERTICAL));
	for (int x = a->r.x; x < a->r.x + a->r.w; x++)
		canvas_put(c, x, bottom, frame, canvas_glyph(c, GLYPH_HORIZONTAL));
	canvas_put(c, a->r.x - 1, bottom, frame, canvas_glyph(c, GLYPH_BOTTOM_LEFT));
	put_edges(l, q[1], a->y, low, high);
	canvas_text(c, r, a->r.x - 1 - canvas_width(c, high), a->r.y, dim, high);
	canvas_text(c, r, a->r.x - 1 - canvas_width(c, low), bottom - 1, dim, low);
	if (a->r.h > 4)
		canvas_text_cut(c, r, r.x, a->r.y + 1, a->r.x - 1 - r.x, dim, left);
	put_edges(l, q[0], a->x, low, high);
	canvas_text(c, r, a->r.x + 1, bottom, dim, low);
	canvas_text(c, r, a->r.x + a->r.w - 1 - canvas_width(c, high), bottom, dim, high);
	canvas_text(c, r, a->r.x + (a->r.w - canvas_width(c, below)) / 2, bottom, dim, below);
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

static bool
own_value(const struct state *s, struct search_view_column q, double *v)
{
	const struct search_target *t = search_column_target(s->search, q);

	return t != NULL ? target_value(t, &s->plan, s->estimate, v) :
	    result_value(search_view_number(s->search, q.i), s->estimate, s->estimate->peak_stage, v);
}

/* The plan as it is may be slower than all that is shown: up to twice their range. */
static bool
own_point(const struct state *s, const struct search_view_column q[2], double *x, double *y)
{
	return s->plan.mode == s->search->space->plan.mode && s->estimate->legal &&
	    own_value(s, q[0], x) && own_value(s, q[1], y);
}

void
search_picture(const struct state *s, struct canvas *c, struct rect r, int at)
{
	const struct search_view *l = s->search;
	struct axes a = { { r.x + 10, r.y, r.w - 11, r.h - 2 }, { INFINITY, -INFINITY },
		{ INFINITY, -INFINITY } };
	struct search_view_column q[2];
	double x, y;

	if (!choose_axes(l, q))
		return; /* plans that are alike in all but one number are a list */
	for (size_t i = 0; i < l->news.kept; i++)
		if (is_known(l, &l->found[i], q))
			widen_axes(&a, value_of(l, &l->found[i], q[0]), value_of(l, &l->found[i], q[1]));
	if (!(a.x[0] <= a.x[1]) || a.r.w < 8 || a.r.h < 2)
		return;
	if (own_point(s, q, &x, &y) && x <= a.x[1] + (a.x[1] - a.x[0]))
		widen_axes(&a, x, y);
	draw_edges(l, c, &a, r, q);
	for (enum mark mark = MARK_PLAN; mark <= MARK_FRONT; mark++)
		for (size_t i = 0; i < l->news.kept; i++) {
			const struct search_view_row *f = &l->found[i];

			if (is_known(l, f, q) && (mark == MARK_PLAN || on_front(l, f, q)))
				put_mark(c, &a, value_of(l, f, q[0]), value_of(l, f, q[1]), mark);
		}
	if (own_point(s, q, &x, &y))
		put_mark(c, &a, x, y, MARK_OWN);
	if (at >= 0 && (size_t)at < l->news.kept && is_known(l, &l->found[at], q))
		put_mark(c, &a, value_of(l, &l->found[at], q[0]), value_of(l, &l->found[at], q[1]),
		    MARK_SELECTED);
	draw_legend(c, (struct rect){ r.x + 2, r.y + r.h - 1, r.w - 2, 1 });
}
