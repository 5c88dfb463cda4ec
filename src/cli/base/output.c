#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/options.h"
#include "cli/base/output.h"
#include "core/base/show.h"
#include "out/out.h"

/* ---- streams ---------------------------------------------------------------- */

void
stream_flush(struct stream *s)
{
	out_bytes(stdout, s->buf, s->used);
	s->used = 0;
}

void
stream_char(struct stream *s, char c)
{
	if (s->used == sizeof s->buf)
		stream_flush(s);
	s->buf[s->used++] = c;
}

void
stream_text(struct stream *s, const char *text)
{
	while (*text != '\0')
		stream_char(s, *text++);
}

void
stream_number(struct stream *s, int64_t n)
{
	enum { DIGITS = 20 };
	char digits[DIGITS];
	size_t at = DIGITS;

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	if (sizeof s->buf - s->used < DIGITS)
		stream_flush(s);
	memcpy(s->buf + s->used, digits + at, DIGITS - at);
	s->used += DIGITS - at;
}

/* ---- tables ----------------------------------------------------------------- */

void
table_init(struct table *t, size_t columns)
{
	*t = (struct table){ .columns = columns };
}

void
table_cell(struct table *t, const char *text)
{
	const char *cell = *text == '\0' ? "-" : text_equal(text, " ") ? "" : text;
	const size_t size = show_length(cell) + 1;

	if (t->cells == t->room) {
		size_t room = t->room > 0 ? 2 * t->room : 256;
		char **grown = realloc(t->cell, room * sizeof *grown);

		if (grown == NULL) {
			t->failed = true;
			return;
		}
		t->cell = grown;
		t->room = room;
	}
	t->cell[t->cells] = malloc(size);
	if (t->cell[t->cells] == NULL)
		t->failed = true;
	else
		show_text(t->cell[t->cells++], size, cell);
}

void
table_row(struct table *t, const char *const cells[])
{
	for (size_t i = 0; i < t->columns; i++)
		table_cell(t, cells[i]);
}

void
table_put(struct table *t, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	text_vput(text, sizeof text, fmt, args);
	va_end(args);
	table_cell(t, text);
}

/* Columns that UTF-8 text takes; names in the catalogue are not wide. */
static size_t
text_columns(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t
column_width(const struct table *t, size_t column)
{
	size_t widest = 0;

	for (size_t i = column; i < t->cells; i += t->columns) {
		const char *cell = t->cell[i];
		size_t n = text_columns(cell) - (i == column && *cell == '>');

		if (n > widest)
			widest = n;
	}
	return widest;
}

static void
print_row(const struct table *t, size_t row, const size_t *width)
{
	size_t blanks = 0; /* held back until something follows them */

	for (size_t i = 0; i < t->columns; i++) {
		const char *cell = t->cell[row * t->columns + i];
		const bool right = *t->cell[i] == '>';
		size_t n, rest;

		if (row == 0 && right)
			cell++;
		n = text_columns(cell);
		rest = width[i] > n ? width[i] - n : 0;
		if (right)
			blanks += rest;
		if (n > 0) {
			out_part(stdout, "%*s%s", (int)blanks, "", cell);
			blanks = 0;
		}
		blanks += (right ? 0 : rest) + 2;
	}
	out_end(stdout);
}

bool
table_print(struct table *t)
{
	size_t *width = calloc(t->columns, sizeof *width);
	bool ok = width != NULL && !t->failed;

	for (size_t i = 0; ok && i < t->columns; i++)
		width[i] = column_width(t, i);
	for (size_t row = 0; ok && row < t->cells / t->columns; row++)
		print_row(t, row, width);
	for (size_t i = 0; i < t->cells; i++)
		free(t->cell[i]);
	free(t->cell);
	free(width);
	if (!ok)
		out_of_memory();
	return ok;
}

/* ---- text ---------------------------------------------------------------------- */

void
print_wrapped(const char *text, int column, int indent, int width)
{
	for (bool first = true; *text != '\0'; first = false) {
		int n = (int)strcspn(text, " ");

		if (!first && column + 1 + n > width) {
			out_end(stdout);
			out_part(stdout, "%*s", indent, "");
			column = indent;
		} else if (!first) {
			out_part(stdout, " ");
			column++;
		}
		out_part(stdout, "%.*s", n, text);
		column += n;
		text += n;
		text += strspn(text, " ");
	}
	out_end(stdout);
}
