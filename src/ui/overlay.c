/* Lists over the panes: help, errors, why, catalogue, fields, kinds. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/command.h"
#include "ui/overlay.h"
#include "ui/rows.h"
#include "ui/views.h"
#include "ui/why.h"

enum { FAR = 1 << 20 }; /* more than any list has */

const struct overlay_type overlay_table[OVERLAY_COUNT] = {
	[OVERLAY_HELP] = { .title = "keys and commands", .rows = help_rows },
	[OVERLAY_DIAGS] = { .title = "errors, warnings and hints", .rows = diags_rows,
	    .accept = diags_accept },
	[OVERLAY_MENDS] = { .title = "what would mend the plan", .rows = mends_rows,
	    .accept = mends_accept },
	[OVERLAY_WHY] = { .title = "why: ", .add_title = why_title, .rows = why_rows },
	[OVERLAY_CATALOG] = { .title = "", .add_title = catalog_title, .rows = catalog_rows,
	    .accept = catalog_accept, .types = true },
	[OVERLAY_FIELDS] = { .title = "fields", .rows = fields_rows, .accept = fields_accept,
	    .types = true },
	[OVERLAY_KINDS] = { .title = "colour the map by", .rows = kinds_rows,
	    .accept = kinds_accept },
	[OVERLAY_INSPECT] = { .title = "", .add_title = inspect_title, .rows = inspect_rows,
	    .accept = inspect_accept, .aside = inspect_aside },
	[OVERLAY_COMPARE] = { .title = "compare: ", .add_title = compare_title,
	    .rows = compare_rows, .accept = compare_accept },
	[OVERLAY_HISTORY] = { .title = "changes of this session", .rows = history_rows,
	    .accept = history_accept },
	[OVERLAY_TOPICS] = { .title = "topics", .add_title = topics_title, .rows = topics_rows,
	    .accept = topics_accept, .aside = topics_aside },
	[OVERLAY_OPTIONS] = { .title = "settings", .rows = options_rows,
	    .accept = options_accept, .aside = options_aside },
};

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

bool
overlay_types(const struct state *s)
{
	return overlay_table[s->overlay].types;
}

/* Help, why and mends can be had from other lists: note where to go back to. */
static void
note_below(struct state *s, enum overlay overlay)
{
	const bool over = s->overlay != OVERLAY_NONE && s->overlay != overlay &&
	    (overlay == OVERLAY_HELP || overlay == OVERLAY_WHY || overlay == OVERLAY_MENDS);

	if (over) {
		s->below.item = s->item;
		s->below.first_line = s->first_line;
		text_put(s->below.filter, sizeof s->below.filter, "%s", s->filter);
	}
	s->below.overlay = over ? s->overlay : OVERLAY_NONE;
}

static void
back_to_below(struct state *s)
{
	s->overlay = s->below.overlay;
	if (s->overlay == OVERLAY_NONE)
		return;
	s->item = s->below.item;
	s->first_line = s->below.first_line;
	text_put(s->filter, sizeof s->filter, "%s", s->below.filter);
	s->below.overlay = OVERLAY_NONE;
}

void
overlay_open(struct state *s, enum overlay overlay)
{
	struct rows rows;
	const char *now;

	note_below(s, overlay);
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

static void
select_target(struct state *s, int target)
{
	struct rows rows;

	rows_init(&rows, s, overlay_inner(s).w - 2);
	for (size_t i = rows.count; i-- > 0;)
		if (rows.row[i].item >= 0 && rows.row[i].target == target)
			s->item = rows.row[i].item;
	rows_free(&rows);
}

/* With a name: to that command, else what is known of the field, else all that has it. */
unsigned
overlay_help(struct state *s, const char *argument)
{
	const struct command *command = command_find(argument + strspn(argument, ":"));
	const enum field_id f = command == NULL ? field_find(argument) : FIELD_NONE;
	char range[160];

	if (f != FIELD_NONE) {
		field_range(f, range, sizeof range);
		s->overlay = OVERLAY_NONE;
		if (field_in_mode(f, s->plan.mode)) {
			s->form.field = f;
			state_focus(s, PANE_FORM);
		}
		state_say(s, ROLE_DIM, "%s: %s%s%s%s%s", field_table[f].path, field_table[f].help,
		    range[0] != '\0' ? "; " : "", range, range[0] != '\0' ? " " : "",
		    field_table[f].unit);
		return 0;
	}
	overlay_open(s, OVERLAY_HELP);
	if (command != NULL)
		select_target(s, (int)(command - command_table));
	else
		text_put(s->filter, sizeof s->filter, "%s", argument);
	return 0;
}

unsigned
overlay_diags(struct state *s, const char *argument)
{
	(void)argument;
	/* Errors have their fixes already; the rest is looked for when asked for. */
	mends_note(s);
	check_fixes(&s->plan, s->catalog, NULL, &s->estimate->diags);
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
	if (s->estimate->laid_out)
		select_target(s, map_color_index(&s->estimate->layout, s->map.color[0]));
	return 0;
}

/* Show all entries again; what was selected stays so. */
static void
drop_filter(struct state *s)
{
	const int w = overlay_inner(s).w - 2;
	char text[ROW_TEXT_SIZE] = "";
	struct rows rows;
	size_t i = 0;

	rows_init(&rows, s, w);
	while (i < rows.count && rows.row[i].item != s->item)
		i++;
	if (i < rows.count)
		text_put(text, sizeof text, "%s", rows.row[i].text);
	rows_free(&rows);
	s->filter[0] = '\0';
	s->item = 0;
	rows_init(&rows, s, w);
	for (i = 0; i < rows.count && s->item == 0; i++)
		if (rows.row[i].item > 0 && text_equal(rows.row[i].text, text))
			s->item = rows.row[i].item;
	rows_free(&rows);
}

unsigned
overlay_close(struct state *s, const char *argument)
{
	(void)argument;
	/* First the filter, then the list. */
	if (s->overlay == OVERLAY_NONE)
		state_say(s, ROLE_DIM, "no list is open");
	else if (s->filter[0] != '\0' && !overlay_types(s))
		drop_filter(s);
	else if (s->overlay != OVERLAY_TOPICS || !topics_close(s))
		back_to_below(s);
	return 0;
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
	const struct overlay_type *type = &overlay_table[s->overlay];

	(void)argument;
	if (s->overlay == OVERLAY_NONE)
		state_say(s, ROLE_DIM, "no list is open");
	return type->accept != NULL ? type->accept(s, selected_target(s)) : 0;
}

unsigned
overlay_aside(struct state *s, int way)
{
	const struct overlay_type *type = &overlay_table[s->overlay];

	return type->aside != NULL ? type->aside(s, way) : 0;
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
	if (first > 0 && rows.row[first - 1].item < 0 && last - first + 1 < r.h)
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

bool
overlay_at(const struct state *s, int x, int y, int *item)
{
	struct rect r = overlay_inner(s);
	struct rows rows;
	int line = s->first_line + y - r.y;

	*item = -1;
	if (x < r.x || x >= r.x + r.w || y < r.y || y >= r.y + r.h)
		return false;
	rows_init(&rows, s, r.w - 2);
	if (line >= 0 && line < (int)rows.count)
		*item = rows.row[line].item;
	rows_free(&rows);
	return *item >= 0;
}

void
overlay_scroll(struct state *s, int lines)
{
	struct rect r = overlay_inner(s);
	struct rows rows;
	int most, first = -1, last = -1, to = s->first_line + lines;

	rows_init(&rows, s, r.w - 2);
	most = (int)rows.count > r.h ? (int)rows.count - r.h : 0;
	to = to > most ? most : to < 0 ? 0 : to;
	/* Entries that begin on a line shown, without the one that is shown for its heading. */
	for (int i = to; i < to + r.h && i < (int)rows.count; i++) {
		bool begins = rows.row[i].item >= 0 && (i == 0 || rows.row[i - 1].item !=
		    rows.row[i].item) && (i > to || to == 0 || rows.row[i - 1].item >= 0);

		if (begins && first < 0)
			first = rows.row[i].item;
		if (begins && (i + 1 == (int)rows.count || i + 1 < to + r.h ||
		    rows.row[i + 1].item != rows.row[i].item))
			last = rows.row[i].item;
	}
	rows_free(&rows);
	if (first >= 0 && s->item < first)
		s->item = first;
	if (first >= 0 && last >= first && s->item > last)
		s->item = last;
	s->first_line = to;
}

void
overlay_turn(struct state *s, int way)
{
	const int was = s->first_line, lines = overlay_inner(s).h - 1;

	overlay_scroll(s, way * (lines > 1 ? lines : 1));
	if (s->first_line == was)
		overlay_move(s, way * FAR);
	overlay_follow(s);
	if (s->first_line == was) /* an entry that is longer than a page */
		overlay_move(s, way);
}

/* Show again, brighter, what the words of the filter found. */
static void
draw_matches(const struct state *s, struct canvas *c, struct rect line, const char *text)
{
	const struct style style = { .role = ROLE_KEY };
	char part[ROW_TEXT_SIZE], found[ROW_TEXT_SIZE];
	size_t n;

	for (const char *word = s->filter; *(word += strspn(word, " ")) != '\0'; word += n) {
		const char *at = text;

		n = strcspn(word, " ");
		text_put(part, sizeof part, "%.*s", (int)n, word);
		while ((at = strcasestr(at, part)) != NULL) {
			int x;

			text_put(found, sizeof found, "%.*s", (int)(at - text), text);
			x = canvas_width(c, found);
			text_put(found, sizeof found, "%.*s", (int)n, at);
			if (x + canvas_width(c, found) < line.w - 2)
				canvas_text(c, line, line.x + x, line.y, style, found);
			at += n;
		}
	}
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
	if (row->item < 0)
		canvas_text_cut(c, line, line.x, line.y, line.w, style, row->text);
	else
		canvas_text_cut(c, line, line.x + 2, line.y, line.w - 2, style, row->text);
	if (style.role != ROLE_SELECTED && row->item >= 0)
		draw_matches(s, c, (struct rect){ line.x + 2, line.y, line.w - 2, 1 }, row->text);
}

void
overlay_draw(const struct state *s, struct canvas *c)
{
	const struct style frame = { .role = ROLE_FRAME };
	struct rect r = overlay_rect(s), inner = overlay_inner(s);
	struct rows rows;
	char text[256];

	canvas_fill(c, r, (struct style){ .role = ROLE_TEXT });
	text_put(text, sizeof text, "%s", overlay_table[s->overlay].title);
	if (overlay_table[s->overlay].add_title != NULL)
		overlay_table[s->overlay].add_title(s, text, sizeof text);
	if (s->filter[0] != '\0')
		text_add(text, sizeof text, "  with \"%.100s\"", s->filter);
	rows_init(&rows, s, inner.w - 2);
	if (inner.h < r.h) {
		canvas_frame(c, r, frame, frame, (struct style){ .role = ROLE_TITLE }, text);
		canvas_frame_part(c, r, (struct style){ .role = ROLE_DIM }, text,
		    (struct part){ s->first_line, inner.h, (int64_t)rows.count });
	}
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
