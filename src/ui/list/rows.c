#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ui/list/rows.h"

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

void
rows_column(const char *text, int w, char *buf, size_t size)
{
	const bool whole = canvas_width(NULL, text) <= w;
	const size_t n = text_put(buf, size, "%.*s%s", (int)canvas_fit(text, whole ? w : w - 2), text,
	    whole ? "" : "..");

	text_put(buf + n, size - n, "%*s", w - canvas_width(NULL, buf), "");
}

void
rows_wrapped(struct rows *rows, int item, int target, enum role role, int indent, const char *text)
{
	bool first = true;

	do {
		int in = first ? indent : indent + rows->hang;
		size_t n = canvas_break(text, rows->width - in);

		add_line(rows, item, target, role, in, text, n);
		text += n;
		text += strspn(text, " ");
		first = false;
	} while (*text != '\0');
}

void
rows_item(struct rows *rows, int target, enum role role, const char *fmt, ...)
{
	char text[2 * PLAN_NOTES_SIZE + 256]; /* two plans' notes are the longest */
	va_list args;

	va_start(args, fmt);
	text_vput(text, sizeof text, fmt, args);
	va_end(args);
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

/* How near a text is to what was typed, 0 the nearest: it is its first word, it begins with it, a
 * word begins with it, it is somewhere. */
static int
distance(const char *text, const char *typed)
{
	const size_t n = strlen(typed);

	text += strspn(text, " ");
	if (strncasecmp(text, typed, n) == 0)
		return text[n] != '\0' && strchr(" ,", text[n]) == NULL;
	for (const char *at = text; (at = strcasestr(at, typed)) != NULL; at++)
		if (!isalnum((unsigned char)at[-1]))
			return 2;
	return 3;
}

void
rows_rank(struct rows *rows)
{
	const char *typed = rows->filter + strspn(rows->filter, " ");
	struct row *ranked = *typed != '\0' && rows->count > 0 ? malloc(rows->count * sizeof *ranked) : NULL;
	size_t n = 0;
	int items = 0;

	if (ranked == NULL)
		return;
	for (int rank = 0; rank <= 3; rank++) {
		bool taken = false;

		for (size_t i = 0; i < rows->count; i++) {
			const bool first = i == 0 || rows->row[i].item != rows->row[i - 1].item;

			if (first)
				taken = distance(rows->row[i].text, typed) == rank;
			if (!taken)
				continue;
			items += first;
			ranked[n] = rows->row[i];
			ranked[n++].item = items - 1;
		}
	}
	free(rows->row);
	rows->row = ranked;
	rows->capacity = rows->count;
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
