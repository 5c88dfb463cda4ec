/*
 * output.h - writing to standard output: tables, wrapped text, and a fast path for lists
 * of a million ranks.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"

/* Numbers collected here and written in large pieces. */
struct stream {
	size_t used;
	char buf[65536];
};

void stream_char(struct stream *s, char c);
void stream_text(struct stream *s, const char *text);
void stream_number(struct stream *s, int64_t n); /* n >= 0 */

/* Write what is collected. Errors are left to ferror(stdout). */
void stream_flush(struct stream *s);

/* A table whose columns are as wide as their widest cell: cells are added row by row
 * and printed at the end. A header that begins with '>' aligns its column to the right. */
struct table {
	size_t columns, cells, room;
	char **cell;  /* owned copies */
	bool failed;  /* out of memory */
};

void table_init(struct table *t, size_t columns);
void table_cell(struct table *t, const char *text); /* "" is printed as "-", " " as nothing */
void table_row(struct table *t, const char *const cells[]);
void table_put(struct table *t, const char *fmt, ...) TEXT_FORMAT(2, 3); /* a cell */

/* Print and free. False without memory (nothing is printed then). */
bool table_print(struct table *t);

/* Print text in lines of up to `width` columns, from `column` on, where the cursor is; the
 * lines after the first are indented. */
void print_wrapped(const char *text, int column, int indent, int width);
#endif
