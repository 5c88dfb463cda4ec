#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ui/list/rows.h"

/* How well an entry's first word answers the filter. */
static enum match
first_word(const struct rows *rows, const char *text)
{
	text += strspn(text, " *:");
	return match_name(TEXT_OF(ROW_TEXT_SIZE, "%.*s", (int)strcspn(text, " ,"), text),
	    rows->filter + strspn(rows->filter, " "));
}

static bool
has_words(const struct rows *rows, const char *text)
{
	const char *word = rows->filter;

	while (*(word += strspn(word, " ")) != '\0') {
		size_t n = strcspn(word, " ");

		if (strcasestr(text, TEXT_OF(LINE_SIZE, "%.*s", (int)n, word)) == NULL)
			return false;
		word += n;
	}
	return true;
}

/* Names that a translation has in Latin letters are those of the English. */
static bool
is_ascii(const char *text)
{
	for (; *text != '\0'; text++)
		if (((unsigned char)*text & 0x80) != 0)
			return false;
	return true;
}

/* The filter may be typed in either language. */
bool
rows_passes(const struct rows *rows, const char *text)
{
	char said[TEXTS_SIZE];

	if (rows->loose)
		return first_word(rows, text) < MATCH_NONE;
	return has_words(rows, text) || (rows->texts != NULL && !is_ascii(rows->filter) &&
	    has_words(rows, texts_say(rows->texts, text, said, sizeof said)));
}

bool
rows_finds(const struct rows *rows, const char *const about[])
{
	const bool other = rows->texts != NULL && !is_ascii(rows->filter);
	char all[2 * ROW_TEXT_SIZE] = "", said[TEXTS_SIZE];

	for (; *about != NULL; about++) {
		text_add(all, sizeof all, "%s ", *about);
		if (other && !is_ascii(texts_say(rows->texts, *about, said, sizeof said)))
			text_add(all, sizeof all, "%s ", said);
	}
	return has_words(rows, all);
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
	*row = (struct row){ .item = item, .target = target, .role = role, .rank = rows->rank };
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
	char said[TEXTS_SIZE];
	bool first = true;

	text = texts_say(rows->texts, text, said, sizeof said);
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
	char said[TEXTS_SIZE];

	text = texts_say(rows->texts, text, said, sizeof said);
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
	char said[TEXTS_SIZE];

	text = texts_say(rows->texts, text, said, sizeof said);
	if (rows->filter[0] == '\0')
		add_line(rows, -1, -1, ROLE_TITLE, 0, text, strlen(text));
}

/* How an entry answers the filter: elsewhere in its line that is no name. */
static enum match
answer(const struct rows *rows, const char *text)
{
	const enum match name = first_word(rows, text);
	const enum match line = name > MATCH_WORD && !rows->loose ?
	    match_name(text, rows->filter + strspn(rows->filter, " ")) : MATCH_NONE;

	return line < MATCH_WORD ? MATCH_WORD : line < name ? line : name;
}

void
rows_sort(struct rows *rows)
{
	struct row *sorted = rows->count > 0 ? malloc(rows->count * sizeof *sorted) : NULL;
	size_t n = 0;
	int items = 0;

	for (int rank = 0; sorted != NULL && rank < RANKS; rank++)
		for (size_t i = 0; i < rows->count; i++) {
			if (rows->row[i].rank != rank)
				continue;
			items += i == 0 || rows->row[i].item != rows->row[i - 1].item;
			sorted[n] = rows->row[i];
			sorted[n++].item = items - 1;
		}
	if (sorted == NULL)
		return;
	free(rows->row);
	rows->row = sorted;
	rows->capacity = rows->count;
}

void
rows_rank(struct rows *rows)
{
	if (rows->filter[strspn(rows->filter, " ")] == '\0')
		return;
	for (size_t i = 0; i < rows->count; i++) {
		const bool first = i == 0 || rows->row[i].item != rows->row[i - 1].item;

		rows->row[i].rank = first ? (int)answer(rows, rows->row[i].text) : rows->row[i - 1].rank;
	}
	rows_sort(rows);
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
