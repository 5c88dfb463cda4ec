#include "core/base/text.h"
#include "core/plan/field_source.h"
#include "ui/pane/pane.h"
#include "ui/state/steps.h"
#include "ui/state/search_view.h"

enum { UNIT_COLUMNS = 10, UNIT_FROM = 36, FORM_ROWS_MAX = FIELD_COUNT + 16 };

struct form_row {
	enum field_id field; /* FIELD_NONE: a heading */
	char heading[48];
};

/* What switches a section on, and is there before it is. */
static bool
is_switch(enum field_id f)
{
	return f == FIELD_FINETUNE || f == FIELD_RL_ALGORITHM;
}

/* Whether a field is among those that most plans need: the ones with a short option, and all of
 * a section that was switched on. */
static bool
is_usual(enum field_id f, const struct plan *p)
{
	return field_table[f].flag != NULL || (!is_switch(f) && field_in_use(f, p) &&
	    (field_same_section(f, FIELD_FINETUNE) ||
	    field_same_section(f, FIELD_RL_ALGORITHM)));
}

/* Besides the usual fields always those that are set to something of their own, wrong or
 * selected. */
static bool
is_wanted(const struct state *s, enum field_id f)
{
	return s->form.all || is_usual(f, &s->plan) || f == s->form.field || field_is_chosen(f, &s->plan) ||
	    diag_of_field(&s->estimate->diags, f) != NULL;
}

static void
put_heading(struct form_row *row, enum field_id f, int hidden)
{
	char section[32];

	field_section(f, section, sizeof section);
	row->field = FIELD_NONE;
	text_put(row->heading, sizeof row->heading, "%s", section[0] != '\0' ? section : "plan");
	if (hidden > 0)
		text_add(row->heading, sizeof row->heading, " (%d more: a)", hidden);
}

/* Headings and fields of the plan's mode; returns how many. */
static int
form_rows(const struct state *s, struct form_row row[FORM_ROWS_MAX])
{
	int n = 0, heading = -1, hidden = 0;
	enum field_id last = FIELD_NONE;

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!field_in_use(f, &s->plan) &&
		    !((is_switch(f) || f == s->form.field) && field_applies(f, &s->plan)))
			continue;
		if (last == FIELD_NONE || !field_same_section(last, f)) {
			if (heading >= 0)
				put_heading(&row[heading], last, hidden);
			hidden = 0;
			heading = n++;
		}
		last = f;
		if (is_wanted(s, f)) {
			row[n].heading[0] = '\0';
			row[n++].field = f;
		} else
			hidden++;
	}
	if (heading >= 0)
		put_heading(&row[heading], last, hidden);
	return n;
}

/* Row of the selected field. When the mode hides it, the nearest one is selected. */
static int
form_selected(struct form *form, const struct form_row row[], int rows)
{
	int best = -1, distance = 0;

	for (int i = 0; i < rows; i++) {
		int d = (int)row[i].field - (int)form->field;

		if (row[i].field == FIELD_NONE)
			continue;
		d = d < 0 ? -d : d;
		if (best < 0 || d < distance) {
			best = i;
			distance = d;
		}
	}
	if (best >= 0)
		form->field = row[best].field;
	return best;
}

static void
form_move(struct state *s, MAYBE struct rect r, int way)
{
	struct form *form = &s->form;
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(s, row), at = form_selected(form, row, n);
	int step = way < 0 ? -1 : 1, left = way < 0 ? -way : way;

	for (int i = at + step; i >= 0 && i < n && left > 0; i += step)
		if (row[i].field != FIELD_NONE) {
			form->field = row[i].field;
			form->walked = true;
			left--;
		}
}

/* With its heading where possible. */
static void
form_follow(struct state *s, struct rect r)
{
	struct form *form = &s->form;
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(s, row), at = form_selected(form, row, n), top = at;
	const int h = r.h, jump = h / 4; /* every line that scrolls is sent anew: several at once */

	if (s->focus == PANE_FORM)
		steps_follow(s);
	if (h <= 0)
		return;
	if (at > 0 && row[at - 1].field == FIELD_NONE && h > 1)
		top = at - 1;
	if (form->first > top)
		form->first = top - jump;
	if (form->first < at - h + 1)
		form->first = at - h + 1 + jump;
	if (form->first > n - h)
		form->first = n - h;
	if (form->first < 0)
		form->first = 0;
}

static int64_t
form_at(const struct state *s, MAYBE struct rect r, MAYBE int x, int y)
{
	struct form_row row[FORM_ROWS_MAX];
	const int n = form_rows(s, row), at = s->form.first + y;

	return at < n && row[at].field != FIELD_NONE ? (int64_t)row[at].field : -1;
}

static bool
form_select(struct state *s, int64_t field)
{
	const bool other = s->form.field != (enum field_id)field;

	s->form.field = (enum field_id)field;
	s->form.walked = true;
	return other;
}

/* Where that leaves the selected field behind, one that is shown is selected. */
static void
form_scroll(struct state *s, struct rect r, int lines)
{
	const int h = r.h;
	struct form *form = &s->form;
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(s, row), at = form_selected(form, row, n);
	int most = n > h ? n - h : 0, first = form->first + lines;

	first = first > most ? most : first < 0 ? 0 : first;
	form->first = first;
	if (at < 0 || h <= 0)
		return;
	if (at >= first + h)
		at = first + h - 1;
	/* A heading is never selected, nor the row that has a heading above the first row. */
	if (at < first || (at == first && first > 0 && row[at - 1].field == FIELD_NONE))
		at = first > 0 && row[first - 1].field == FIELD_NONE ? first + 1 : first;
	while (at + 1 < n && row[at].field == FIELD_NONE)
		at++;
	while (at > first && (at >= first + h || row[at].field == FIELD_NONE))
		at--;
	if (row[at].field != FIELD_NONE)
		form->field = row[at].field;
}

/* Texts without a value, and what is unset and means nothing. */
static const char *
shown_value(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	if (field_format(f, p, buf, size) > 0)
		return buf;
	return "-";
}

/* "(was 4)" between label and value, which begins at x. */
static void
draw_was(struct canvas *c, struct rect r, const char *label, enum field_id f,
    const struct plan *base, int x, struct style style)
{
	char value[PLAN_NOTES_SIZE], text[PLAN_NOTES_SIZE + 8];
	int w;

	text_put(text, sizeof text, "(was %s)", shown_value(f, base, value, sizeof value));
	w = canvas_width(c, text);
	if (r.x + canvas_width(c, label) + 3 + w < x)
		canvas_text(c, r, x - w - 1, r.y, style, text);
}

static void
draw_field(const struct state *s, struct canvas *c, struct rect r, enum field_id f, bool is_free)
{
	const struct plan *p = &s->plan, *base = state_base(s);
	const bool selected = f == s->form.field, focus = s->focus == PANE_FORM;
	const struct diag *diag = diag_of_field(&s->estimate->diags, f);
	const enum field_from from = field_source(f, p).from;
	struct style style = { .role = ROLE_TEXT }, unit = { .role = ROLE_DIM };
	char value[PLAN_NOTES_SIZE], mark[3] = "  ", label[64];
	const char *text = shown_value(f, p, value, sizeof value);
	int right = r.w >= UNIT_FROM ? r.w - UNIT_COLUMNS : r.w - 1;
	int least, width = canvas_width(NULL, text), x;

	if (from == FROM_USER)
		style.role = ROLE_CHANGED;
	if (diag != NULL)
		style.role = diag->severity == SEVERITY_ERROR ? ROLE_ERROR : ROLE_WARNING;
	if (selected && focus)
		style.role = unit.role = ROLE_SELECTED;
	mark[0] = selected ? '>' : ' ';
	mark[1] = diag != NULL ? '!' : from == FROM_USER ? '*' : from == FROM_FIELDS ? '~' : ' ';
	if (selected && focus)
		canvas_fill(c, r, style);
	canvas_text(c, r, r.x, r.y, style, mark);
	text_put(label, sizeof label, "%s%s", field_table[f].label, is_free ? " ?" : "");
	least = canvas_width(c, label) + 3;
	canvas_text_cut(c, r, r.x + 2, r.y, r.w - 4, style, label);
	/* A long value may use the place of the unit, and where need be that of the label. */
	if (right - width < least)
		right = r.w - 1 < least + width ? r.w - 1 : least + width;
	x = right - width;
	if (x < least)
		x = least < r.w / 2 ? least : r.w / 2;
	canvas_text(c, r, r.x + x - 1, r.y, style, " ");
	canvas_value_cut(c, r, r.x + x, r.y, r.w - x, style, text);
	if (!field_same(f, p, base))
		draw_was(c, r, label, f, base, r.x + x, unit);
	if (r.w >= UNIT_FROM && right == r.w - UNIT_COLUMNS) {
		field_unit(f, p, value, sizeof value);
		canvas_text_cut(c, r, r.x + right + 1, r.y, UNIT_COLUMNS - 1, unit, value);
	}
}

/* The canvas' cursor goes to the selected row. Beside a value that differs from that of the
 * base stands "(was 4)", where there is room; "?" after the label of what a search chooses. */
static void
form_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct field_set is_free = search_view_free_fields(s);
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(s, row);

	for (int i = 0; i < r.h && s->form.first + i < n; i++) {
		const struct form_row *at = &row[s->form.first + i];
		struct rect line = { r.x, r.y + i, r.w, 1 };

		if (at->field == FIELD_NONE) {
			canvas_text_cut(c, line, line.x, line.y, line.w,
			    (struct style){ .role = ROLE_TITLE }, at->heading);
			continue;
		}
		if (at->field == s->form.field) {
			c->cursor_x = line.x;
			c->cursor_y = line.y;
		}
		draw_field(s, c, line, at->field, field_set_has(&is_free, at->field));
	}
}

static struct part
form_part(const struct state *s, struct rect r)
{
	struct form_row row[FORM_ROWS_MAX];

	return (struct part){ s->form.first, r.h, form_rows(s, row) };
}

/* What the next steps of the selected field would do. */
static void
form_edge(const struct state *s, int w, char *buf, size_t size)
{
	steps_strip(s, w, buf, size);
}

static void
form_subject(const struct state *s, char *buf, size_t size)
{
	text_put(buf, size, "%s", field_key(s->form.field));
}

const struct pane_type form_pane = {
	.name = "plan", .title = "plan", .context = CONTEXT_FORM, .click = "edit",
	.draw = form_draw, .edge = form_edge, .part = form_part, .subject = form_subject, .move = form_move,
	.follow = form_follow, .scroll = form_scroll, .at = form_at, .select = form_select,
};
