#include "ui/app/mouse.h"

#include "ui/app/actions.h"
#include "ui/app/event.h"
#include "ui/app/hints.h"
#include "ui/pane/frame.h"
#include "ui/pane/panes.h"
#include "ui/state/prompt.h"

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
	n = frame_tabs(s, a->tabs ? PANE_FORM : PANE_MEMORY, pane, tab);
	for (int i = 0; i < n; i++)
		if (x >= tab[i].x && x < tab[i].x + tab[i].w)
			return tab[i].pane;
	return pane;
}

static unsigned
click_footer(struct state *s, int x, int w)
{
	struct hint hint[HINTS_MAX];
	int n = s->prompt.kind != PROMPT_NONE ? 0 : hints_footer(s, w, hint);

	for (int i = 0; i < n; i++)
		if (x >= hint[i].x && x < hint[i].x + hint[i].w)
			return app_event(s, hint[i].command, "");
	return 0;
}

static unsigned
click_list(struct state *s, struct mouse m)
{
	int item;

	if (!list_at(s, m.x, m.y, &item))
		return 0;
	if (item != s->list.item) {
		s->list.item = item;
		return 0;
	}
	prompt_end(s); /* of the filter */
	return list_accept(s);
}

/* Select what is there; what was selected already does what Enter does. */
static unsigned
click_pane(struct state *s, const struct arrange *a, enum pane pane, struct mouse m)
{
	const struct pane_type *type = pane_type(s, pane);
	const struct rect r = a->inner[pane];
	const bool focus = pane == s->focus;
	const int64_t entry = is_inside(r, m) ? pane_entry(type, s, r, m.x - r.x, m.y - r.y) : -1;

	state_focus(s, tab_at(s, a, pane, m));
	if (entry >= 0 && !pane_select(type, s, entry) && focus)
		return app_event(s, command_find(type->click), "");
	return 0;
}

static unsigned
click(struct state *s, const struct arrange *a, struct mouse m)
{
	const enum pane pane = pane_at(a, m);

	if (is_inside(a->footer, m))
		return click_footer(s, m.x - a->footer.x, a->footer.w);
	if (s->list.kind != LIST_NONE)
		return click_list(s, m);
	if (pane == PANE_COUNT)
		return 0;
	return click_pane(s, a, pane, m);
}

static unsigned
wheel(struct state *s, const struct arrange *a, struct mouse m)
{
	const int lines = m.action == MOUSE_WHEEL_UP ? -WHEEL_LINES : WHEEL_LINES;
	const enum pane pane = pane_at(a, m);

	if (s->list.kind != LIST_NONE)
		list_scroll(s, lines);
	else if (pane != PANE_COUNT && !pane_scroll(pane_type(s, pane), s, a->inner[pane], lines))
		return move_zoom(s, lines < 0 ? 1 : -1);
	return 0;
}

unsigned
app_mouse(struct state *s, struct mouse m)
{
	const struct arrange a = panes_arrange(s);

	if (s->question.kind != QUESTION_NONE || (s->prompt.kind != PROMPT_NONE && s->prompt.kind != PROMPT_FILTER))
		return 0;
	s->message[0] = '\0';
	return app_act(s, m.action == MOUSE_CLICK ? click(s, &a, m) : wheel(s, &a, m));
}
