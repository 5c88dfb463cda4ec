#include "ui/list/list.h"

#include <string.h>

#include "core/base/text.h"
#include "ui/pane/panes.h"

enum { INDENT = 4, POPUP_COLUMNS = 60 /* least, of a list over some panes */ };

static const struct list_type *
type_of(const struct state *s)
{
	return s->lists[s->list.kind];
}

/* What its entries are held against: where typing filters, a '/' before it is what begins the filter of
 * every other list, or a path of its own. */
static const char *
list_sought(const struct state *s)
{
	return s->list.filter + (list_types(s) && s->list.filter[0] == '/');
}

/* Lines of all its entries in an area so wide; too many where one would be cut there. */
static int
all_lines(const struct state *s, int width)
{
	struct rows rows = { .width = width, .hang = INDENT, .filter = "", .texts = s->texts };
	int n;

	type_of(s)->rows(&rows, s);
	n = (int)rows.count;
	for (size_t i = 0; i < rows.count && n < PANE_FAR; i++)
		if (canvas_width(NULL, rows.row[i].text) > width)
			n = PANE_FAR;
	rows_free(&rows);
	return n > 0 ? n : 1;
}

/* In place of the form; over the panes beside it, or over all where its lines are long, as high as
 * its entries; or in place of all panes. */
static struct rect
list_rect(const struct state *s)
{
	const struct list_type *type = type_of(s);
	const struct arrange a = panes_arrange(s);
	struct rect r = { 0, a.header.h, s->columns, s->rows - a.header.h - a.message.h - a.footer.h };
	const int beside = a.pane[PANE_FORM].w;

	if (a.tabs || !a.framed)
		return r;
	if (type->preview != NULL)
		r.w = beside;
	else if (type->rows != NULL && type->draw == NULL && s->columns - beside >= POPUP_COLUMNS) {
		const int lines = all_lines(s, s->columns - beside - 4), wide = all_lines(s, s->columns - 4);

		if (!type->wide && lines <= wide + 1 && lines + 2 <= r.h)
			r = (struct rect){ beside, r.y, s->columns - beside, lines + 2 };
		else if (wide + 2 < r.h)
			r.h = wide + 2;
	}
	return r;
}

bool
list_over_panes(const struct state *s)
{
	const struct arrange a = panes_arrange(s);
	const struct rect r = list_rect(s);

	return r.w < s->columns || r.h < s->rows - a.header.h - a.message.h - a.footer.h;
}

void
list_preview(struct state *s)
{
	if (type_of(s)->preview != NULL && list_over_panes(s))
		type_of(s)->preview(s, list_target(s));
}

/* Inside its frame, where there is room for one. */
static struct rect
list_area(const struct state *s)
{
	struct rect r = list_rect(s);

	if (!panes_arrange(s).framed)
		return r;
	return (struct rect){ r.x + 1, r.y + 1, r.w - 2, r.h - 2 };
}

/* Where its entries are. */
static struct rect
list_inner(const struct state *s)
{
	const struct rect r = list_area(s);

	return type_of(s)->part != NULL ? type_of(s)->part(s, r) : r;
}

bool
list_types(const struct state *s)
{
	return type_of(s)->types;
}

void
list_rows(struct rows *rows, const struct state *s, int width)
{
	*rows = (struct rows){ .width = width, .hang = INDENT, .filter = list_sought(s), .texts = s->texts };
	if (type_of(s)->rows != NULL)
		type_of(s)->rows(rows, s);
	if (rows->items == 0 && (type_of(s)->names || type_of(s)->types)) {
		rows_free(rows);
		*rows = (struct rows){ .width = width, .hang = INDENT, .filter = list_sought(s),
			.texts = s->texts, .loose = true };
		type_of(s)->rows(rows, s);
	}
	if (type_of(s)->names)
		rows_rank(rows);
}

void
list_open(struct state *s, enum list_kind kind)
{
	const struct list_type *type = s->lists[kind];

	s->below = s->list.kind != kind && type->over ? s->list : (struct list){ .kind = LIST_NONE };
	s->list = (struct list){ .kind = kind, .fills = s->form.field };
	if (type->renew != NULL)
		type->renew(s);
	if (type->begin != NULL)
		list_select(s, type->begin(s));
}

unsigned
list_show(struct state *s, int kind)
{
	list_open(s, (enum list_kind)kind);
	return 0;
}

void
list_leave(struct state *s)
{
	s->list.kind = LIST_NONE;
}

void
list_select(struct state *s, int target)
{
	struct rows rows;

	list_rows(&rows, s, list_inner(s).w - 2);
	for (size_t i = rows.count; i-- > 0 && target >= 0;)
		if (rows.row[i].item >= 0 && rows.row[i].target == target)
			s->list.item = rows.row[i].item;
	rows_free(&rows);
}

/* Show all entries again; what was selected stays so. */
static void
drop_filter(struct state *s)
{
	const int w = list_inner(s).w - 2;
	char text[ROW_TEXT_SIZE] = "";
	struct rows rows;
	size_t i = 0;

	list_rows(&rows, s, w);
	while (i < rows.count && rows.row[i].item != s->list.item)
		i++;
	if (i < rows.count)
		text_put(text, sizeof text, "%s", rows.row[i].text);
	rows_free(&rows);
	s->list.filter[0] = '\0';
	s->list.item = 0;
	list_rows(&rows, s, w);
	for (i = 0; i < rows.count && s->list.item == 0; i++)
		if (rows.row[i].item > 0 && text_equal(rows.row[i].text, text))
			s->list.item = rows.row[i].item;
	rows_free(&rows);
}

unsigned
list_close(struct state *s)
{
	/* First the filter, then the list. */
	if (s->list.kind == LIST_NONE)
		state_say(s, ROLE_DIM, "no list is open");
	else if (s->list.filter[0] != '\0' && !list_types(s))
		drop_filter(s);
	else if (type_of(s)->close != NULL)
		type_of(s)->close(s);
	else {
		s->list = s->below;
		s->below.kind = LIST_NONE;
	}
	return 0;
}

int
list_target(const struct state *s)
{
	struct rows rows;
	int target;

	list_rows(&rows, s, s->columns);
	target = rows_target(&rows, s->list.item);
	rows_free(&rows);
	return target;
}

unsigned
list_accept(struct state *s)
{
	const int target = type_of(s)->accept != NULL ? list_target(s) : -1;
	unsigned flags;

	if (s->list.kind == LIST_NONE)
		state_say(s, ROLE_DIM, "no list is open");
	flags = type_of(s)->accept != NULL ? type_of(s)->accept(s, target) : 0;
	if (target < 0 && flags == 0 && s->message[0] == '\0' && s->list.filter[0] != '\0')
		state_say(s, ROLE_DIM, "nothing here has that text; Esc leaves the list");
	return flags;
}

unsigned
list_more(struct state *s)
{
	return type_of(s)->more != NULL ? type_of(s)->more(s, list_target(s)) : list_accept(s);
}

unsigned
list_aside(struct state *s, int way)
{
	return type_of(s)->aside != NULL ? type_of(s)->aside(s, way) : 0;
}

void
list_renew(struct state *s)
{
	const enum list_kind kind[] = { s->list.kind, s->below.kind };

	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
		if (s->lists[kind[i]]->renew != NULL)
			s->lists[kind[i]]->renew(s);
}

void
list_title(const struct state *s, char *buf, size_t size)
{
	text_put(buf, size, "%s", type_of(s)->title);
	if (type_of(s)->add_title != NULL)
		type_of(s)->add_title(s, buf, size);
}

void
list_move(struct state *s, int way)
{
	struct rows rows;

	list_rows(&rows, s, list_inner(s).w - 2);
	s->list.item += way;
	if (s->list.item >= rows.items)
		s->list.item = rows.items - 1;
	if (s->list.item < 0)
		s->list.item = 0;
	rows_free(&rows);
}

void
list_follow(struct state *s)
{
	struct rect r = list_inner(s);
	struct rows rows;
	int first = -1, last = -1, count;

	if (s->list.kind == LIST_NONE)
		return;
	list_rows(&rows, s, r.w - 2);
	if (s->list.item >= rows.items)
		s->list.item = rows.items > 0 ? rows.items - 1 : 0;
	count = (int)rows.count;
	for (int i = 0; i < count; i++)
		if (rows.row[i].item == s->list.item) {
			if (first < 0)
				first = i;
			last = i;
		}
	if (first > 0 && rows.row[first - 1].item < 0 && last - first + 1 < r.h)
		first--; /* its heading too */
	rows_free(&rows);
	if (first < 0) /* nothing is selected */
		first = last = s->list.first_line;
	s->list.first_line = (int)scroll_follow(s->list.first_line, first, last, count, r.h);
	if (type_of(s)->selected != NULL)
		type_of(s)->selected(s, list_target(s), r.w - 2);
}

bool
list_at(const struct state *s, int x, int y, int *item)
{
	struct rect r = list_inner(s);
	struct rows rows;
	int line = s->list.first_line + y - r.y;

	*item = -1;
	if (x < r.x || x >= r.x + r.w || y < r.y || y >= r.y + r.h)
		return false;
	list_rows(&rows, s, r.w - 2);
	if (line >= 0 && line < (int)rows.count)
		*item = rows.row[line].item;
	rows_free(&rows);
	return *item >= 0;
}

void
list_scroll(struct state *s, int lines)
{
	struct rect r = list_inner(s);
	struct rows rows;
	int most, first = -1, last = -1, to = s->list.first_line + lines;

	list_rows(&rows, s, r.w - 2);
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
	if (first >= 0 && s->list.item < first)
		s->list.item = first;
	if (first >= 0 && last >= first && s->list.item > last)
		s->list.item = last;
	s->list.first_line = to;
}

void
list_turn(struct state *s, int way)
{
	const int was = s->list.first_line, lines = list_inner(s).h - 1;

	list_scroll(s, way * (lines > 1 ? lines : 1));
	if (s->list.first_line == was)
		list_move(s, way * PANE_FAR);
	list_follow(s);
	if (s->list.first_line == was) /* an entry that is longer than a page */
		list_move(s, way);
}

/* Show again, brighter, what the words of the filter found. */
static void
draw_matches(const struct state *s, struct canvas *c, struct rect line, const char *text)
{
	const struct style style = { .role = ROLE_KEY };
	char part[ROW_TEXT_SIZE], found[ROW_TEXT_SIZE];
	size_t n;

	for (const char *word = list_sought(s); *(word += strspn(word, " ")) != '\0'; word += n) {
		const char *at = text;

		n = strcspn(word, " ");
		text_put(part, sizeof part, "%.*s", (int)n, word);
		while ((at = strcasestr(at, part)) != NULL) {
			int x;

			text_put(found, sizeof found, "%.*s", (int)(at - text), text);
			x = canvas_width(NULL, found);
			text_put(found, sizeof found, "%.*s", (int)n, at);
			if (x + canvas_width(NULL, found) < line.w - 2)
				canvas_value(c, line, line.x + x, line.y, style, found);
			at += n;
		}
	}
}

static void
draw_row(const struct state *s, struct canvas *c, struct rect line, const struct row *row,
    bool first)
{
	struct style style = { .role = (uint8_t)row->role };

	if (row->item == s->list.item && row->item >= 0 && first) {
		style.role = ROLE_SELECTED;
		canvas_fill(c, line, style);
		canvas_mark(c, line);
	}
	if (row->item < 0)
		canvas_value_cut(c, line, line.x, line.y, line.w, style, row->text);
	else
		canvas_value_cut(c, line, line.x + 2, line.y, line.w - 2, style, row->text);
	if (style.role != ROLE_SELECTED && row->item >= 0)
		draw_matches(s, c, (struct rect){ line.x + 2, line.y, line.w - 2, 1 }, row->text);
}

void
list_draw(const struct state *s, struct canvas *c)
{
	const struct style frame = { .role = ROLE_FRAME };
	struct rect r = list_rect(s), area = list_area(s), inner = list_inner(s);
	struct rows rows;
	char text[256];

	canvas_fill(c, r, (struct style){ .role = ROLE_TEXT });
	list_title(s, text, sizeof text);
	if (s->list.filter[0] != '\0')
		text_add(text, sizeof text, "  with \"%.*s\"", (int)canvas_fit(s->list.filter, 50),
		    s->list.filter);
	list_rows(&rows, s, inner.w - 2);
	if (area.h < r.h) {
		canvas_frame(c, r, frame, frame, (struct style){ .role = ROLE_TITLE }, text);
		canvas_frame_part(c, r, (struct style){ .role = ROLE_DIM }, text,
		    (struct part){ s->list.first_line, inner.h, (int64_t)rows.count });
	}
	for (int i = 0; i < inner.h && s->list.first_line + i < (int)rows.count; i++) {
		const struct row *row = &rows.row[s->list.first_line + i];
		bool first = s->list.first_line + i == 0 || row[-1].item != row->item;

		draw_row(s, c, (struct rect){ inner.x, inner.y + i, inner.w, 1 }, row, first);
	}
	if (rows.items == 0) /* below the headings */
		canvas_text(c, inner, inner.x + 2, inner.y + (int)rows.count, (struct style){ .role = ROLE_DIM },
		    s->list.filter[0] != '\0' ? "nothing with that text" : "nothing");
	if (type_of(s)->draw != NULL)
		type_of(s)->draw(s, c, area, rows_target(&rows, s->list.item));
	rows_free(&rows);
}
