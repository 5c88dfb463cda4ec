#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "ui/overlay.h"
#include "ui/rows.h"

enum { INDENT = 4 };

bool
rows_passes(const struct rows *rows, const char *text)
{
	const char *word = rows->filter;
	char one[LINE_SIZE];

	while (*(word += strspn(word, " ")) != '\0') {
		size_t n = strcspn(word, " ");

		text_put(one, sizeof one, "%.*s", (int)n, word);
		if (strcasestr(text, one) == NULL)
			return false;
		word += n;
	}
	return true;
}

static void
add_line(struct rows *rows, int item, int target, enum role role, int indent, const char *text,
    size_t n)
{
	struct row *row;

	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity * 2 + 64;

		row = realloc(rows->row, capacity * sizeof *row);
		if (row == NULL)
			return;
		rows->row = row;
		rows->capacity = capacity;
	}
	row = &rows->row[rows->count++];
	*row = (struct row){ .item = item, .target = target, .role = role };
	text_put(row->text, sizeof row->text, "%*s%.*s", indent, "", (int)n, text);
}

/* Punctuation that must not begin a line of Chinese. */
static bool
clings(const char *text)
{
	static const char *const mark[] = { "，", "。", "、", "；", "：", "？", "！", "）", "”", "》", "」" };

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
		if (strncmp(text, mark[i], strlen(mark[i])) == 0)
			return true;
	return false;
}

size_t
rows_break(const char *text, int w)
{
	const int most = w > 8 ? w : 8;
	size_t fits = 0, at = 0;
	int columns = 0, n, last = 0;

	while (text[at] != '\0' && at < ROW_TEXT_SIZE - INDENT - 4) {
		const size_t bytes = (size_t)canvas_step(text + at, &n);

		if (at > 0 && (text[at] == ' ' || ((n == 2 || last == 2) && !clings(text + at))))
			fits = at;
		if (columns + n > most)
			return fits > 0 ? fits : at;
		columns += n;
		at += bytes;
		if (n > 0)
			last = n;
	}
	return at;
}

void
rows_column(const char *text, int w, char *buf, size_t size)
{
	size_t bytes = 0, cut = 0;
	int columns = 0, before = 0, n;

	while (text[bytes] != '\0') {
		const size_t step = (size_t)canvas_step(text + bytes, &n);

		if (columns + n > w) {
			text_put(buf, size, "%.*s..%*s", (int)cut, text, w - before - 2, "");
			return;
		}
		columns += n;
		bytes += step;
		if (columns <= w - 2) {
			cut = bytes;
			before = columns;
		}
	}
	text_put(buf, size, "%s%*s", text, w - columns, "");
}

void
rows_wrapped(struct rows *rows, int item, int target, enum role role, int indent, const char *text)
{
	bool first = true;

	do {
		int in = first ? indent : indent + rows->hang;
		size_t n = rows_break(text, rows->width - in);

		add_line(rows, item, target, role, in, text, n);
		text += n;
		text += strspn(text, " ");
		first = false;
	} while (*text != '\0');
}

void
rows_item(struct rows *rows, int target, enum role role, const char *text)
{
	if (rows_passes(rows, text))
		rows_wrapped(rows, rows->items++, target, role, 0, text);
}

void
rows_shown(struct rows *rows, int target, enum role role, const char *text)
{
	add_line(rows, rows->items++, target, role, 0, text, strlen(text));
}

void
rows_line(struct rows *rows, int target, enum role role, const char *text)
{
	if (rows_passes(rows, text))
		rows_shown(rows, target, role, text);
}

void
rows_heading(struct rows *rows, const char *text)
{
	if (rows->filter[0] == '\0')
		add_line(rows, -1, -1, ROLE_TITLE, 0, text, strlen(text));
}

void
rows_init(struct rows *rows, const struct state *s, int width)
{
	*rows = (struct rows){ .width = width, .hang = INDENT, .filter = s->filter };
	if (s->overlay != OVERLAY_NONE)
		overlay_table[s->overlay].rows(rows, s);
}

void
rows_free(struct rows *rows)
{
	free(rows->row);
	*rows = (struct rows){ 0 };
}

int
rows_target(const struct rows *rows, int item)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].item == item)
			return rows->row[i].target;
	return -1;
}
