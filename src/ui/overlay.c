/* Lists over the panes: help, errors, why, catalogue, fields, kinds. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/rows.h"
#include "ui/why.h"

static struct rect
overlay_rect(const struct state *s)
{
	struct arrange a = state_arrange(s);

	return (struct rect){ 0, a.header.h, s->columns,
	    s->rows - a.header.h - a.message.h - a.footer.h };
}

static struct rect
overlay_inner(const struct state *s)
{
	struct rect r = overlay_rect(s);

	if (!state_arrange(s).framed)
		return r;
	return (struct rect){ r.x + 1, r.y + 1, r.w - 2, r.h - 2 };
}

/* What the list is called. */
static const char *
title(const struct state *s)
{
	switch (s->overlay) {
	case OVERLAY_HELP:
		return "keys and commands";
	case OVERLAY_DIAGS:
		return "errors, warnings and hints";
	case OVERLAY_WHY:
		return "why: ";
	case OVERLAY_CATALOG:
		return s->overlay_field == FIELD_PRESET ? "models" : "GPUs";
	case OVERLAY_FIELDS:
		return "fields";
	case OVERLAY_KINDS:
		return "colour the map by";
	case OVERLAY_NONE:
		break;
	}
	return "";
}

bool
overlay_types(const struct state *s)
{
	return s->overlay == OVERLAY_CATALOG || s->overlay == OVERLAY_FIELDS;
}

void
overlay_open(struct state *s, enum overlay overlay)
{
	struct rows rows;
	const char *now;

	s->overlay = overlay;
	s->item = 0;
	s->first_line = 0;
	s->filter[0] = '\0';
	if (overlay != OVERLAY_CATALOG && overlay != OVERLAY_FIELDS)
		return;
	/* Begin at what is chosen now. */
	rows_init(&rows, s, s->columns);
	now = field_text(s->overlay_field, &s->plan);
	for (size_t i = 0; i < rows.count; i++) {
		int target = rows.row[i].target;
		const struct catalog_list *list = s->overlay_field == FIELD_PRESET ?
		    &s->catalog->models : &s->catalog->gpus;

		if (overlay == OVERLAY_FIELDS ? target == (int)s->form.field :
		    text_equal(list->entry[target].id, now))
			s->item = rows.row[i].item;
	}
	rows_free(&rows);
}

unsigned
overlay_help(struct state *s, const char *argument)
{
	(void)argument;
	overlay_open(s, OVERLAY_HELP);
	return 0;
}

unsigned
overlay_diags(struct state *s, const char *argument)
{
	(void)argument;
	/* Errors have their fixes already; those of warnings are searched when asked for. */
	check_fixes(&s->plan, s->catalog, &s->estimate->diags);
	overlay_open(s, OVERLAY_DIAGS);
	return 0;
}

unsigned
overlay_fields(struct state *s, const char *argument)
{
	s->overlay_field = s->form.field;
	overlay_open(s, OVERLAY_FIELDS);
	s->item = 0;
	text_put(s->filter, sizeof s->filter, "%s", argument);
	prompt_start(s, PROMPT_FILTER, s->filter, false);
	return 0;
}

unsigned
overlay_kinds(struct state *s, const char *argument)
{
	(void)argument;
	overlay_open(s, OVERLAY_KINDS);
	return 0;
}

unsigned
overlay_close(struct state *s, const char *argument)
{
	(void)argument;
	/* First the filter, then the list. */
	if (s->filter[0] != '\0' && !overlay_types(s)) {
		s->filter[0] = '\0';
		s->item = 0;
	} else
		s->overlay = OVERLAY_NONE;
	return 0;
}

static void
accept_kind(struct state *s, int target)
{
	const struct layout *l = &s->estimate->layout;
	const char *name[MAP_COLORS_MAX + 1];
	int n = 0;
	bool was = false;

	if (target >= l->kinds) {
		n = rows_preset_kinds(target - l->kinds, l, name);
		if (n > 0)
			state_show_kinds(s, name, n);
		s->overlay = OVERLAY_NONE;
		return;
	}
	for (int i = 0; i < s->map.colors; i++) {
		if (s->map.kind[i] == target)
			was = true;
		else
			name[n++] = l->kind[s->map.kind[i]].name;
	}
	if (!was && n == MAP_COLORS_MAX) {
		state_say(s, ROLE_WARNING, "four kinds at most: switch one off first");
		return;
	}
	if (!was)
		name[n++] = l->kind[target].name;
	if (n == 0) {
		state_say(s, ROLE_DIM, "one kind has to stay");
		return;
	}
	state_show_kinds(s, name, n);
}

static unsigned
accept_entry(struct state *s, int target)
{
	const bool models = s->overlay_field == FIELD_PRESET;
	const struct catalog_list *list = models ? &s->catalog->models : &s->catalog->gpus;
	char err[STATE_MESSAGE_SIZE];
	unsigned flags = 0;

	if (target < 0 || (size_t)target >= list->count)
		return 0;
	s->overlay = OVERLAY_NONE;
	if (!edit_put(s, s->overlay_field, list->entry[target].id, &flags, err, sizeof err))
		state_say(s, ROLE_ERROR, "%s", err);
	return flags;
}

static int
selected_target(const struct state *s)
{
	struct rows rows;
	int target;

	rows_init(&rows, s, s->columns);
	target = rows_target(&rows, s->item);
	rows_free(&rows);
	return target;
}

unsigned
overlay_accept(struct state *s, const char *argument)
{
	int target = selected_target(s);
	const struct diag_list *diags = &s->estimate->diags;
	const struct diag *d;

	(void)argument;
	switch (s->overlay) {
	case OVERLAY_DIAGS:
		if (target < 0 || (size_t)target >= diags->count)
			return 0;
		d = &diags->item[target];
		s->overlay = OVERLAY_NONE;
		if (d->fix_field != FIELD_NONE)
			return edit_take_fix(s, d);
		if (d->field != FIELD_NONE && field_in_mode(d->field, s->plan.mode))
			s->form.field = d->field;
		return edit_take_fix(s, d);
	case OVERLAY_CATALOG:
		return accept_entry(s, target);
	case OVERLAY_FIELDS:
		if (target < 0)
			return 0;
		s->form.field = (enum field_id)target;
		state_focus(s, PANE_FORM);
		if (field_table[target].flag == NULL)
			s->form.all = true;
		s->overlay = OVERLAY_NONE;
		return 0;
	case OVERLAY_KINDS:
		if (target >= 0)
			accept_kind(s, target);
		return 0;
	case OVERLAY_NONE:
	case OVERLAY_HELP:
	case OVERLAY_WHY:
		break;
	}
	return 0;
}

void
overlay_move(struct state *s, int way)
{
	struct rows rows;

	rows_init(&rows, s, overlay_inner(s).w - 2);
	s->item += way;
	if (s->item >= rows.items)
		s->item = rows.items - 1;
	if (s->item < 0)
		s->item = 0;
	rows_free(&rows);
}

int
overlay_page(const struct state *s)
{
	struct rows rows;
	struct rect r = overlay_inner(s);
	int n;

	rows_init(&rows, s, r.w - 2);
	n = rows.count > 0 ? (int)((int64_t)r.h * rows.items / (int64_t)rows.count) - 1 : 1;
	rows_free(&rows);
	return n > 1 ? n : 1;
}

void
overlay_follow(struct state *s)
{
	struct rect r = overlay_inner(s);
	struct rows rows;
	int first = -1, last = -1, count;

	if (s->overlay == OVERLAY_NONE)
		return;
	rows_init(&rows, s, r.w - 2);
	if (s->item >= rows.items)
		s->item = rows.items > 0 ? rows.items - 1 : 0;
	count = (int)rows.count;
	for (int i = 0; i < count; i++)
		if (rows.row[i].item == s->item) {
			if (first < 0)
				first = i;
			last = i;
		}
	if (first > 0 && rows.row[first - 1].item < 0)
		first--; /* its heading too */
	rows_free(&rows);
	if (s->first_line < last - r.h + 1)
		s->first_line = last - r.h + 1;
	if (first >= 0 && s->first_line > first)
		s->first_line = first;
	if (s->first_line > count - r.h)
		s->first_line = count - r.h;
	if (s->first_line < 0)
		s->first_line = 0;
}

static void
draw_row(const struct state *s, struct canvas *c, struct rect line, const struct row *row,
    bool first)
{
	struct style style = { .role = (uint8_t)row->role };

	if (row->item == s->item && row->item >= 0) {
		if (first) {
			style.role = ROLE_SELECTED;
			canvas_fill(c, line, style);
			canvas_put(c, line.x, line.y, style, L'>');
			c->cursor_x = line.x;
			c->cursor_y = line.y;
		}
	}
	canvas_text_cut(c, line, line.x + (row->item < 0 ? 0 : 2), line.y, line.w - 2, style,
	    row->text);
}

void
overlay_draw(const struct state *s, struct canvas *c)
{
	struct rect r = overlay_rect(s), inner = overlay_inner(s);
	struct rows rows;
	char text[256];

	canvas_fill(c, r, (struct style){ .role = ROLE_TEXT });
	text_put(text, sizeof text, "%s", title(s));
	if (s->overlay == OVERLAY_WHY)
		why_title(s, text + strlen(text), sizeof text - strlen(text));
	if (s->filter[0] != '\0')
		text_add(text, sizeof text, "  with \"%.100s\"", s->filter);
	if (inner.h < r.h)
		canvas_frame(c, r, (struct style){ .role = ROLE_FRAME },
		    (struct style){ .role = ROLE_TITLE }, text);
	rows_init(&rows, s, inner.w - 2);
	for (int i = 0; i < inner.h && s->first_line + i < (int)rows.count; i++) {
		const struct row *row = &rows.row[s->first_line + i];
		bool first = s->first_line + i == 0 || row[-1].item != row->item;

		draw_row(s, c, (struct rect){ inner.x, inner.y + i, inner.w, 1 }, row, first);
	}
	if (rows.items == 0)
		canvas_text(c, inner, inner.x + 2, inner.y, (struct style){ .role = ROLE_DIM },
		    "nothing with that text");
	rows_free(&rows);
}
