#include <string.h>

#include "core/text.h"
#include "ui/form.h"

enum { UNIT_COLUMNS = 10, UNIT_FROM = 36 };

/* Whether a field is among those that most plans need: the ones with a short option. */
static bool
is_usual(enum field_id f)
{
	return field_table[f].flag != NULL;
}

static bool
is_wanted(const struct form *form, enum field_id f, const struct plan *p,
    const struct diag_list *diags)
{
	if (!field_in_mode(f, p->mode))
		return false;
	return form->all || is_usual(f) || f == form->field || field_is_chosen(f, p) ||
	    diag_of_field(diags, f) != NULL;
}

static bool
same_section(enum field_id a, enum field_id b)
{
	char x[32], y[32];

	field_section(a, x, sizeof x);
	field_section(b, y, sizeof y);
	return text_equal(x, y);
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

int
form_rows(const struct form *form, const struct plan *p, const struct diag_list *diags,
    struct form_row row[])
{
	int n = 0, heading = -1, hidden = 0;
	enum field_id last = FIELD_NONE;

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!field_in_mode(f, p->mode))
			continue;
		if (last == FIELD_NONE || !same_section(last, f)) {
			if (heading >= 0)
				put_heading(&row[heading], last, hidden);
			hidden = 0;
			heading = n++;
		}
		last = f;
		if (is_wanted(form, f, p, diags)) {
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

void
form_move(struct form *form, const struct plan *p, const struct diag_list *diags, int way)
{
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(form, p, diags, row), at = form_selected(form, row, n);
	int step = way < 0 ? -1 : 1, left = way < 0 ? -way : way;

	for (int i = at + step; i >= 0 && i < n && left > 0; i += step)
		if (row[i].field != FIELD_NONE) {
			form->field = row[i].field;
			left--;
		}
}

void
form_follow(struct form *form, const struct plan *p, const struct diag_list *diags, int h)
{
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(form, p, diags, row), at = form_selected(form, row, n), top = at;
	const int jump = h / 4; /* every line that scrolls is sent anew: several at once */

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

bool
form_at(const struct form *form, const struct plan *p, const struct diag_list *diags, int i,
    enum field_id *field)
{
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(form, p, diags, row), at = form->first + i;

	if (i < 0 || at >= n || row[at].field == FIELD_NONE)
		return false;
	*field = row[at].field;
	return true;
}

void
form_scroll(struct form *form, const struct plan *p, const struct diag_list *diags, int h,
    int lines)
{
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(form, p, diags, row), at = form_selected(form, row, n);
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

void
form_describe(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	char value[PLAN_NOTES_SIZE];

	field_format(f, p, value, sizeof value);
	text_put(buf, size, "%s %s", field_table[f].label, value[0] != '\0' ? value : "(none)");
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
draw_was(struct canvas *c, struct rect r, enum field_id f, const struct plan *base, int x,
    struct style style)
{
	char value[PLAN_NOTES_SIZE], text[PLAN_NOTES_SIZE + 8];
	int w;

	text_put(text, sizeof text, "(was %s)", shown_value(f, base, value, sizeof value));
	w = canvas_width(c, text);
	if (r.x + canvas_width(c, field_table[f].label) + 3 + w < x)
		canvas_text(c, r, x - w - 1, r.y, style, text);
}

static void
draw_field(struct canvas *c, struct rect r, enum field_id f, const struct plan *p,
    const struct plan *base, const struct diag_list *diags, bool selected, bool focus)
{
	const struct diag *diag = diag_of_field(diags, f);
	const enum field_from from = field_source(f, p).from;
	struct style style = { .role = ROLE_TEXT }, unit = { .role = ROLE_DIM };
	char value[PLAN_NOTES_SIZE], mark[3] = "  ";
	const char *text = shown_value(f, p, value, sizeof value);
	int right = r.w >= UNIT_FROM ? r.w - UNIT_COLUMNS : r.w - 1;
	int label = canvas_width(c, field_table[f].label) + 3, width = canvas_width(c, text), x;

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
	canvas_text_cut(c, r, r.x + 2, r.y, r.w - 4, style, field_table[f].label);
	/* A long value may use the place of the unit, and where need be that of the label. */
	if (right - width < label)
		right = r.w - 1 < label + width ? r.w - 1 : label + width;
	x = right - width;
	if (x < label)
		x = label < r.w / 2 ? label : r.w / 2;
	canvas_text(c, r, r.x + x - 1, r.y, style, " ");
	canvas_text_cut(c, r, r.x + x, r.y, r.w - x, style, text);
	if (!field_same(f, p, base))
		draw_was(c, r, f, base, r.x + x, unit);
	if (r.w >= UNIT_FROM && right == r.w - UNIT_COLUMNS)
		canvas_text_cut(c, r, r.x + right + 1, r.y, UNIT_COLUMNS - 1, unit, field_table[f].unit);
}

void
form_draw(struct canvas *c, struct rect r, const struct form *form, const struct plan *p,
    const struct plan *base, const struct diag_list *diags, bool focus)
{
	struct form_row row[FORM_ROWS_MAX];
	int n = form_rows(form, p, diags, row);

	for (int i = 0; i < r.h && form->first + i < n; i++) {
		const struct form_row *at = &row[form->first + i];
		struct rect line = { r.x, r.y + i, r.w, 1 };

		if (at->field == FIELD_NONE) {
			canvas_text_cut(c, line, line.x, line.y, line.w,
			    (struct style){ .role = ROLE_TITLE }, at->heading);
			continue;
		}
		if (at->field == form->field) {
			c->cursor_x = line.x;
			c->cursor_y = line.y;
		}
		draw_field(c, line, at->field, p, base, diags, at->field == form->field, focus);
	}
}
