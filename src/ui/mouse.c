#include "ui/mouse.h"

#include "ui/actions.h"
#include "ui/command.h"
#include "ui/figures.h"
#include "ui/flows.h"
#include "ui/bars.h"
#include "ui/hints.h"

enum { WHEEL_LINES = 3 };

static bool
is_inside(struct rect r, struct mouse m)
{
	return m.x >= r.x && m.x < r.x + r.w && m.y >= r.y && m.y < r.y + r.h;
}

/* The pane under the mouse, PANE_COUNT for none. */
static enum pane
pane_at(const struct arrange *a, struct mouse m)
{
	enum pane pane = PANE_FORM;

	while (pane < PANE_COUNT && !is_inside(a->pane[pane], m))
		pane++;
	return pane;
}

/* The pane whose name is under the mouse, in a title that names all that take turns. */
static enum pane
tab_at(const struct state *s, const struct arrange *a, enum pane pane, struct mouse m)
{
	struct tab tab[PANE_COUNT];
	int n, x = m.x - a->pane[pane].x - 2;

	if (!a->framed || m.y != a->pane[pane].y ||
	    !(a->tabs || (a->lower_tabs && pane >= PANE_MEMORY)))
		return pane;
	n = hints_tabs(s, a->tabs ? PANE_FORM : PANE_MEMORY, pane, tab);
	for (int i = 0; i < n; i++)
		if (x >= tab[i].x && x < tab[i].x + tab[i].w)
			return tab[i].pane;
	return pane;
}

static unsigned
click_footer(struct state *s, int x, int w)
{
	struct hint hint[HINTS_MAX];
	int n = overlay_types(s) || s->prompt != PROMPT_NONE ? 0 : hints_footer(s, w, hint);

	for (int i = 0; i < n; i++)
		if (x >= hint[i].x && x < hint[i].x + hint[i].w)
			return app_event(s, hint[i].command, "");
	return 0;
}

static unsigned
click_list(struct state *s, struct mouse m)
{
	int item;

	if (!overlay_at(s, m.x, m.y, &item))
		return 0;
	if (item != s->item) {
		s->item = item;
		return 0;
	}
	s->prompt = PROMPT_NONE; /* of the filter */
	return overlay_accept(s, "");
}

static unsigned
click_form(struct state *s, int line, bool focus)
{
	enum field_id field;

	if (!form_at(&s->form, &s->plan, &s->estimate->diags, line, &field))
		return 0;
	if (focus && field == s->form.field)
		return edit_begin(s, "");
	s->form.field = field;
	return 0;
}

/* The GPU below `rank` in the same cell, -1 where the cell holds one. */
static int64_t
lower_half(const struct state *s, struct rect r, int64_t rank)
{
	struct map_view view = s->map;
	int x, y, lower_x, lower_y;

	view.cursor = rank;
	return map_move(&view, &s->plan, s->estimate, r.w, r.h, 0, 1) &&
	    map_find(&view, &s->plan, s->estimate, r.w, r.h, rank, &x, &y) &&
	    map_find(&view, &s->plan, s->estimate, r.w, r.h, view.cursor, &lower_x, &lower_y) &&
	    x == lower_x && y == lower_y ? view.cursor : -1;
}

/* The terminal names a cell: where that holds two GPUs, another click takes the lower. */
static unsigned
click_map(struct state *s, struct rect r, struct mouse m, bool focus)
{
	int64_t rank, lower;

	if (!s->estimate->laid_out ||
	    !map_at(&s->map, &s->plan, s->estimate, r.w, r.h, m.x - r.x, m.y - r.y, &rank))
		return 0;
	lower = lower_half(s, r, rank);
	if (focus && (s->map.cursor == rank || s->map.cursor == lower)) {
		if (lower < 0 || s->map.cursor == lower)
			return inspect_open(s, "");
		rank = lower;
	}
	s->map.cursor = rank;
	return 0;
}

/* Select the stage; selected already: why it takes the memory that it does. */
static unsigned
click_pipeline(struct state *s, struct rect r, int line, bool focus)
{
	const int64_t stage = pipeline_at(&s->pipeline, &s->plan, s->estimate, r, line);

	if (stage < 0)
		return 0;
	if (focus && stage == s->pipeline.stage)
		return overlay_why(s, "");
	s->pipeline.stage = s->stage = stage;
	return 0;
}

/* The entry of the pane of numbers at a place inside it, -1 without one. */
static int64_t
number_at(const struct state *s, enum pane pane, struct rect r, struct mouse m)
{
	const struct estimate *e = s->estimate;
	const int line = m.y - r.y;
	int64_t i = -1;

	switch (pane) {
	case PANE_MEMORY:
		if (line < bars_rows(r.w, r.h))
			i = s->first_stage + line;
		return i < e->stages ? i : -1;
	case PANE_TRAFFIC:
		if (line >= r.h - flows_rows(r.h)) /* below the heading */
			i = s->first_flow + line - (r.h - flows_rows(r.h));
		return e->timed && i < (int64_t)e->traffic.count ? i : -1;
	case PANE_STEP:
		return figures_under(r.w, figures_count(e), m.x - r.x, s->first_figure + line);
	default:
		return -1;
	}
}

static unsigned
click_numbers(struct state *s, enum pane pane, int64_t i, bool focus)
{
	const int64_t was = pane == PANE_MEMORY ? s->stage : pane == PANE_TRAFFIC ? s->flow :
	    s->figure;

	if (i < 0)
		return 0;
	if (focus && i == was)
		return overlay_why(s, "");
	if (pane == PANE_MEMORY)
		s->stage = i;
	else if (pane == PANE_TRAFFIC)
		s->flow = (int)i;
	else
		s->figure = (int)i;
	return 0;
}

static unsigned
click(struct state *s, const struct arrange *a, struct mouse m)
{
	enum pane pane = pane_at(a, m);
	const bool focus = pane == s->focus;
	struct rect r;

	if (is_inside(a->footer, m))
		return click_footer(s, m.x - a->footer.x, a->footer.w);
	if (s->overlay != OVERLAY_NONE)
		return click_list(s, m);
	if (pane == PANE_COUNT)
		return 0;
	r = a->inner[pane];
	state_focus(s, tab_at(s, a, pane, m));
	if (!is_inside(r, m))
		return 0;
	if (pane == PANE_FORM)
		return click_form(s, m.y - r.y, focus);
	if (pane == PANE_MAP && s->picture == PICTURE_PIPELINE)
		return click_pipeline(s, r, m.y - r.y, focus);
	if (pane == PANE_MAP)
		return click_map(s, r, m, focus);
	return click_numbers(s, pane, number_at(s, pane, r, m), focus);
}

/* Move a window of h on `count` lines; the selection comes along where it would be left
 * behind. */
static void
scroll(int64_t *first, int64_t *selected, int64_t count, int64_t h, int64_t lines)
{
	int64_t most = count > h ? count - h : 0;

	*first += lines;
	*first = *first > most ? most : *first < 0 ? 0 : *first;
	if (*selected < *first)
		*selected = *first;
	if (*selected > *first + h - 1)
		*selected = *first + h - 1;
	if (*selected >= count)
		*selected = count > 0 ? count - 1 : 0;
}

static void
scroll_numbers(struct state *s, enum pane pane, struct rect r, int lines)
{
	const struct estimate *e = s->estimate;
	const int figures = figures_count(e), rows = figures_lines(r.w, figures);
	int64_t first, selected;

	if (pane == PANE_MEMORY) {
		scroll(&s->first_stage, &s->stage, e->stages, bars_rows(r.w, r.h), lines);
	} else if (pane == PANE_TRAFFIC) {
		first = s->first_flow;
		selected = s->flow;
		scroll(&first, &selected, e->timed ? (int64_t)e->traffic.count : 0, flows_rows(r.h),
		    lines);
		s->first_flow = (int)first;
		s->flow = (int)selected;
	} else if (rows > 0) {
		first = s->first_figure;
		selected = s->figure % rows;
		scroll(&first, &selected, rows, r.h, lines);
		s->first_figure = (int)first;
		s->figure += (int)selected - s->figure % rows;
		if (s->figure >= figures)
			s->figure = figures - 1;
	}
}

static unsigned
wheel(struct state *s, const struct arrange *a, struct mouse m)
{
	const int lines = m.action == MOUSE_WHEEL_UP ? -WHEEL_LINES : WHEEL_LINES;
	const enum pane pane = pane_at(a, m);

	if (s->overlay != OVERLAY_NONE)
		overlay_scroll(s, lines);
	else if (pane == PANE_MAP)
		return move_zoom(s, lines < 0 ? 1 : -1);
	else if (pane == PANE_FORM)
		form_scroll(&s->form, &s->plan, &s->estimate->diags, a->inner[pane].h, lines);
	else if (pane != PANE_COUNT)
		scroll_numbers(s, pane, a->inner[pane], lines);
	return 0;
}

unsigned
state_mouse(struct state *s, struct mouse m)
{
	const struct arrange a = state_arrange(s);

	if (s->question != QUESTION_NONE || (s->prompt != PROMPT_NONE && s->prompt != PROMPT_FILTER))
		return 0;
	s->message[0] = '\0';
	return state_act(s, m.action == MOUSE_CLICK ? click(s, &a, m) : wheel(s, &a, m));
}
