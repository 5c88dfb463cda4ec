#include "ui/pane/frame.h"

#include "core/base/text.h"
#include "ui/pane/panes.h"
#include "ui/state/summary.h"

enum { PART_COLUMNS = 14, EDGE_STEP = 64 };

int
frame_tabs(const struct state *s, enum pane first, enum pane shown, struct tab tab[PANE_COUNT])
{
	char said[TEXTS_SIZE];
	int n = 0, x = 0;

	for (enum pane i = first; i < PANE_COUNT; i++) {
		tab[n] = (struct tab){ .pane = i, .x = x };
		text_put(tab[n].text, sizeof tab[n].text, i == shown ? "[%s]" : "%s",
		    texts_say(s->texts, pane_name(s, i), said, sizeof said));
		tab[n].w = canvas_width(NULL, tab[n].text);
		x += tab[n++].w + 1;
	}
	return n;
}

/* Where panes take turns, the title names all of them: "[memory] traffic step". */
static void
put_tabs(const struct state *s, enum pane first, enum pane shown, char *buf, size_t size)
{
	struct tab tab[PANE_COUNT];
	int n = frame_tabs(s, first, shown, tab);

	buf[0] = '\0';
	for (int i = 0; i < n; i++)
		text_add(buf, size, i > 0 ? " %s" : "%s", tab[i].text);
}

/* How the numbers changed, where neither the head line has room for that nor all panes are seen:
 * "  +190 ms vs saved", as much of it as has room; the last words give way to `part` columns. */
static void
add_changes(const struct state *s, int room, int part, char *buf, size_t size)
{
	const unsigned told = 1U << SUMMARY_MEMORY | 1U << SUMMARY_STEP | 1U << SUMMARY_TPOT;
	const struct estimate *base = state_base_estimate(s);
	const struct summary now = summary_of(s->estimate);
	struct summary was;
	char change[64];
	enum role role;
	int n = 0;

	if (base == NULL)
		return;
	was = summary_of(base);
	for (enum summary_part i = 0; i < SUMMARY_PARTS; i++)
		if ((told & 1U << i) != 0 &&
		    summary_change(&was, &now, i, false, change, sizeof change, &role) &&
		    canvas_width(NULL, buf) + canvas_width(NULL, change) + 2 <= room)
			text_add(buf, size, n++ > 0 ? ", %s" : "  %s", change);
	text_put(change, sizeof change, " vs %s", state_base_name(s));
	if (n > 0 && canvas_width(NULL, buf) + canvas_width(NULL, change) + part <= room)
		text_add(buf, size, "%s", change);
}

/* Whose numbers they are, which is never cut. */
static void
add_past(const struct state *s, enum pane pane, int room, char *buf, size_t size)
{
	text_add(buf, size, "  (%s)", PANE_PAST);
	if (canvas_width(NULL, buf) > room)
		text_put(buf, size, "%s  %s", PANE_PAST, pane_name(s, pane));
}

static void
put_title(const struct state *s, const struct arrange *a, enum pane pane, bool whole,
    char *buf, size_t size)
{
	const struct pane_type *type = pane_type(s, pane);
	const bool turns = a->tabs || (a->lower_tabs && pane >= PANE_MEMORY);
	const int room = a->pane[pane].w - 4;

	if (turns)
		put_tabs(s, a->tabs ? PANE_FORM : PANE_MEMORY, pane, buf, size);
	else
		text_put(buf, size, "%s", pane_title(s, pane));
	if (type->add_title != NULL)
		type->add_title(s, a->tabs, whole ? room : room - PART_COLUMNS, buf, size);
	if (pane_looks_back(s, pane))
		add_past(s, pane, room, buf, size);
	if (turns && pane >= PANE_MEMORY && a->header.h < 2)
		add_changes(s, room, whole ? 0 : PART_COLUMNS, buf, size);
}

/* Blanks follow, so that a longer or a shorter text leaves the line behind it: that takes three bytes a cell. */
static void
put_edge(struct canvas *c, struct rect edge, const char *text)
{
	const struct style style = { .role = ROLE_TEXT };
	const int w = (canvas_width(c, text) + EDGE_STEP - 1) / EDGE_STEP * EDGE_STEP;

	canvas_fill(c, (struct rect){ edge.x, edge.y, w < edge.w ? w : edge.w, 1 }, style);
	canvas_text_cut(c, edge, edge.x, edge.y, edge.w, style, text);
}

static enum role
title_role(const struct state *s, enum pane pane)
{
	return pane_looks_back(s, pane) ? ROLE_WARNING : s->focus == pane ? ROLE_TITLE : ROLE_DIM;
}

void
frame_draw(const struct state *s, struct canvas *c, const struct arrange *a, enum pane pane)
{
	struct rect r = a->pane[pane];
	bool focus = s->focus == pane;
	/* The corner and the title tell of the focus: an edge would cost a line or two at each change of it. */
	const struct style corner = { .role = focus ? ROLE_TEXT : ROLE_FRAME };
	const struct pane_type *type = pane_type(s, pane);
	const struct part part = pane_part(type, s, a->inner[pane]);
	char buf[512];

	if (!a->framed)
		return;
	put_title(s, a, pane, part.shown >= part.count, buf, sizeof buf);
	if (a->open[pane])
		r.h++; /* the next pane draws over that edge */
	canvas_frame(c, r, (struct style){ .role = ROLE_FRAME }, corner,
	    (struct style){ .role = (uint8_t)title_role(s, pane) }, buf);
	canvas_frame_part(c, r, (struct style){ .role = ROLE_DIM }, buf, part);
	for (int i = 0; i < (int)pane; i++)
		if (a->open[i] && a->pane[i].y + a->pane[i].h == r.y) {
			canvas_put(c, r.x, r.y, corner, canvas_glyph(c, GLYPH_TEE_RIGHT));
			canvas_put(c, r.x + r.w - 1, r.y, (struct style){ .role = ROLE_FRAME },
			    canvas_glyph(c, GLYPH_TEE_LEFT));
		}
	if (focus && type->edge != NULL && r.w > 20) {
		char text[520];

		buf[0] = '\0';
		type->edge(s, r.w - 6, buf, sizeof buf);
		text_put(text, sizeof text, " %s ", buf);
		if (buf[0] != '\0')
			put_edge(c, (struct rect){ r.x + 2, r.y + r.h - 1, r.w - 4, 1 }, text);
	}
}
