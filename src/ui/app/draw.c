/* The whole screen as a picture: header, panes, message, footer. */
#include <string.h>

#include "core/base/text.h"
#include "core/plan/field_source.h"
#include "ui/app/event.h"
#include "ui/app/headline.h"
#include "ui/app/hints.h"
#include "ui/app/typing.h"
#include "ui/list/list.h"
#include "ui/pane/frame.h"
#include "ui/pane/panes.h"
#include "ui/state/edit.h"

enum { MOUSE_FROM = 100 }; /* columns of a footer that speaks of the mouse */

static const struct style text_style = { .role = ROLE_TEXT };
static const struct style dim_style = { .role = ROLE_DIM };

/* The one with the focus sets the cursor, the form where none does. */
static void
draw_panes(const struct state *s, struct canvas *c, const struct arrange *a)
{
	for (int i = 0; i < PANE_COUNT; i++)
		if (a->pane[i].h > 0)
			frame_draw(s, c, a, (enum pane)i);
	for (int i = 0; i < PANE_COUNT; i++)
		if (a->inner[i].h > 0)
			pane_type(s, (enum pane)i)->draw(s, c, a->inner[i]);
	for (int i = 0; i < PANE_COUNT; i++)
		if (pane_looks_back(s, (enum pane)i))
			canvas_restyle(c, a->inner[i], dim_style);
}

/* Text and what follows it, of which the text is cut where both have no room. */
static void
draw_tailed(struct canvas *c, struct rect r, struct style style, const char *text,
    struct style tail_style, const char *tail)
{
	int w = canvas_width(c, text), tail_w = canvas_width(c, tail);

	if (tail_w > r.w / 2)
		tail_w = r.w / 2;
	if (w > r.w - tail_w)
		w = r.w - tail_w;
	canvas_text_cut(c, r, r.x, r.y, w, style, text);
	canvas_text_cut(c, r, r.x + w, r.y, r.w - w, tail_style, tail);
}

/* "! 80 layers do not divide by PP 3 (f: PP 4)". */
static void
draw_diag(const struct state *s, struct canvas *c, struct rect r, const struct diag *d)
{
	static const enum role roles[] = { ROLE_ERROR, ROLE_WARNING, ROLE_TEXT };
	const struct style style = { .role = (uint8_t)roles[d->severity] };
	const size_t others = s->estimate->diags.count + s->estimate->diags.dropped - 1;
	char fix[EDIT_FIX_SIZE], tail[EDIT_FIX_SIZE + 32] = "";

	if (d->fix_field != FIELD_NONE) {
		edit_fix_text(d, fix, sizeof fix);
		text_put(tail, sizeof tail, " (f: %s)", fix);
	}
	if (others > 0)
		text_add(tail, sizeof tail, " (e: %zu more)", others);
	canvas_text(c, r, r.x, r.y, style, d->severity == SEVERITY_HINT ? "?" : "!");
	draw_tailed(c, (struct rect){ r.x + 2, r.y, r.w - 2, 1 }, style, d->message,
	    (struct style){ .role = ROLE_KEY }, tail);
}

/* What the selected field means, and its range where it says something and there is room. */
static void
draw_help(const struct state *s, struct canvas *c, struct rect r)
{
	const enum field_id f = s->form.field;
	char text[512], more[192];

	text_put(text, sizeof text, "%s (:%s)", field_table[f].label, field_short(f));
	if (field_source(f, &s->plan).from == FROM_FIELDS) {
		field_source_text(f, &s->plan, more, sizeof more);
		text_add(text, sizeof text, " %s", more);
	}
	text_add(text, sizeof text, ": %s", field_table[f].help);
	edit_range(f, more, sizeof more);
	if (canvas_width(c, text) + canvas_width(c, more) <= r.w)
		text_add(text, sizeof text, "%s", more);
	canvas_text_cut(c, r, r.x, r.y, r.w, dim_style, text);
}

/* What the last command said; else what is wrong, or could be better. A hint about another field
 * leaves the line to who looks around: to what a field means, to what a pane says. */
static void
draw_message(const struct state *s, struct canvas *c, struct rect r)
{
	const bool panes = s->list.kind == LIST_NONE, form = panes && s->focus == PANE_FORM;
	/* Where letters are typed no key of it would do what it says. */
	const struct diag *d = panes || !list_types(s) ? edit_current_diag(s) : NULL;
	char text[512] = "";
	bool looks;

	if (s->message[0] != '\0') {
		canvas_text_cut(c, r, r.x, r.y, r.w, (struct style){ .role = (uint8_t)s->message_role },
		    s->message);
		return;
	}
	if (panes && !form && pane_type(s, s->focus)->line != NULL)
		pane_line(pane_type(s, s->focus), s, text, sizeof text);
	looks = form ? s->form.walked : text[0] != '\0';
	if (d != NULL && !(looks && d->severity == SEVERITY_HINT &&
	    d != diag_of_field(&s->estimate->diags, s->form.field)))
		draw_diag(s, c, r, d);
	else if (form)
		draw_help(s, c, r);
	else
		canvas_text_cut(c, r, r.x, r.y, r.w, dim_style, text);
}

/* The editor: label, then the part of the text that holds the cursor. */
static void
draw_prompt(const struct state *s, struct canvas *c, struct rect r)
{
	const struct style style = { .role = ROLE_PROMPT };
	char label[320];
	int label_w, at, shift;

	typing_label(s, label, sizeof label);
	label_w = canvas_width(c, label);
	if (label_w > r.w / 2)
		label_w = r.w / 2;
	canvas_fill(c, r, text_style);
	canvas_text_cut(c, r, r.x, r.y, label_w, (struct style){ .role = ROLE_KEY }, label);
	at = canvas_width(c, TEXT_OF(LINE_SIZE, "%.*s", (int)s->prompt.line.cursor, s->prompt.line.text));
	shift = at > r.w - label_w - 1 ? at - (r.w - label_w - 1) : 0;
	canvas_text(c, (struct rect){ r.x + label_w, r.y, r.w - label_w, 1 }, r.x + label_w - shift,
	    r.y, s->prompt.line.fresh ? (struct style){ .role = ROLE_SELECTED } : style, s->prompt.line.text);
	c->cursor_x = r.x + label_w + at - shift;
	c->cursor_y = r.y;
}

/* With a mouse the terminal's own selection takes a key: said at the right, where that has room. */
static int
draw_mouse_hint(const struct state *s, struct canvas *c, struct rect r)
{
	static const char text[] = "Shift: select text";
	const int w = canvas_width(c, text) + 2;

	if (!s->settings.mouse || !s->has_mouse || r.w < MOUSE_FROM)
		return 0;
	canvas_text(c, r, r.x + r.w - w + 2, r.y, dim_style, text);
	return w;
}

static void
draw_footer(const struct state *s, struct canvas *c, struct rect r)
{
	struct hint hint[HINTS_MAX];
	int n;

	r.w -= draw_mouse_hint(s, c, r);

	if (s->list.kind != LIST_NONE && list_types(s))
		canvas_text_cut(c, r, r.x, r.y, r.w, dim_style, HINTS_TYPE);
	n = hints_footer(s, r.w, hint);
	for (int i = 0; i < n; i++) {
		int x = r.x + hint[i].x;

		x += canvas_text(c, r, x, r.y, (struct style){ .role = ROLE_KEY }, hint[i].key) + 1;
		canvas_text(c, r, x, r.y, (struct style){ .role = ROLE_FOOTER }, hint[i].what);
	}
}

/* What a question takes, or why the last key was no answer. */
static void
draw_replies(const struct state *s, struct canvas *c, struct rect r)
{
	int x = r.x;

	if (s->prompt.error[0] != '\0') {
		canvas_text_cut(c, r, r.x, r.y, r.w, (struct style){ .role = ROLE_ERROR }, s->prompt.error);
		return;
	}
	for (const struct reply *a = typing_replies(s); a->key != NULL; a++) {
		x += canvas_text(c, r, x, r.y, (struct style){ .role = ROLE_KEY }, a->key) + 1;
		x += canvas_text(c, r, x, r.y, (struct style){ .role = ROLE_FOOTER }, a->what) + 2;
	}
}

/* What the last command said, which is not said again, goes on in the line of the keys. False where its own
 * line has room for it. */
static bool
draw_long_message(const struct state *s, struct canvas *c, const struct arrange *a)
{
	const struct style style = { .role = (uint8_t)s->message_role };
	const struct rect first = a->message, next = a->footer;
	char said[TEXTS_SIZE];
	const char *text = texts_say(c->texts, s->message, said, sizeof said);
	size_t n;

	if (first.h == 0 || next.h == 0 || canvas_width(NULL, text) <= first.w)
		return false;
	n = canvas_break(text, first.w);
	canvas_value(c, first, first.x, first.y, style, TEXT_OF(CANVAS_BREAK_MOST + 8, "%.*s", (int)n, text));
	text += n;
	canvas_text_cut(c, next, next.x, next.y, next.w, style, text + strspn(text, " "));
	return true;
}

/* Message line and footer, or the prompt or question in their place. */
static void
draw_bottom(const struct state *s, struct canvas *c, const struct arrange *a)
{
	struct rect line = a->message.h > 0 ? a->message : (struct rect){ 0, c->h - 1, c->w, 1 };
	char text[STATE_MESSAGE_SIZE + 64];

	if (s->question.kind != QUESTION_NONE) {
		typing_question(s, text, sizeof text);
		canvas_fill(c, line, text_style);
		canvas_text_cut(c, line, line.x, line.y, line.w, (struct style){ .role = ROLE_WARNING },
		    text);
		c->cursor_x = line.x;
		c->cursor_y = line.y;
		if (a->footer.h > 0)
			draw_replies(s, c, a->footer);
		return;
	}
	if (s->prompt.kind == PROMPT_NONE) {
		if (draw_long_message(s, c, a))
			return;
		if (a->message.h > 0)
			draw_message(s, c, line);
		draw_footer(s, c, a->footer);
		return;
	}
	draw_prompt(s, c, line);
	if (a->footer.h == 0)
		return;
	if (s->prompt.error[0] == '\0')
		typing_hint(s, text, sizeof text);
	canvas_text_cut(c, a->footer, 0, a->footer.y, a->footer.w, s->prompt.error[0] != '\0' ?
	    (struct style){ .role = ROLE_ERROR } : dim_style, s->prompt.error[0] != '\0' ?
	    s->prompt.error : text);
}

void
app_draw(const struct state *s, struct canvas *c)
{
	struct arrange a = panes_arrange(s);

	canvas_clear(c);
	c->texts = s->texts;
	if (c->w <= 0 || c->h <= 0)
		return;
	if (a.header.h > 0)
		headline_draw(s, c, a.header);
	if (s->list.kind == LIST_NONE)
		draw_panes(s, c, &a);
	else {
		struct state preview = *s;

		list_preview(&preview);
		if (list_over_panes(s))
			draw_panes(&preview, c, &a);
		list_draw(s, c);
	}
	draw_bottom(s, c, &a);
	if (c->cursor_x < 0 || c->cursor_x >= c->w)
		c->cursor_x = c->w - 1;
	if (c->cursor_y < 0 || c->cursor_y >= c->h)
		c->cursor_y = c->h - 1;
}
