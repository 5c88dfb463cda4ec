/*
 * rows.h - the content of a list: entries, each of one or more lines.
 */
#ifndef UI_ROWS_H
#define UI_ROWS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"
#include "ui/screen/canvas.h"
#include "ui/state/state.h"

enum { ROW_TEXT_SIZE = 512 }; /* the longest help of a field, and what stands before it */

struct row {
	int item;      /* entry that the line belongs to, -1: a heading */
	int target;    /* what the entry stands for, as the list numbers it */
	enum role role;
	char text[ROW_TEXT_SIZE];
};

struct rows {
	struct row *row;  /* owned */
	size_t count, capacity;
	int items;        /* entries */
	int width;        /* columns that lines are wrapped to */
	int hang;         /* how far the lines after an entry's first are set in */
	const char *filter;
};

void rows_free(struct rows *rows);

/* For those who fill a list: true when every word of the filter is somewhere in the text;
 * a heading (left out while there is a filter); an entry of its own, if it passes; the
 * same on one line, cut instead of wrapped; such a line whatever the filter says; lines of
 * entry `item`, wrapped, which the caller counts in rows->items. */
bool rows_passes(const struct rows *rows, const char *text);
void rows_heading(struct rows *rows, const char *text);
void rows_item(struct rows *rows, int target, enum role role, const char *fmt, ...)
    TEXT_FORMAT(4, 5);
void rows_line(struct rows *rows, int target, enum role role, const char *text);
void rows_shown(struct rows *rows, int target, enum role role, const char *text);
void rows_wrapped(struct rows *rows, int item, int target, enum role role, int indent,
    const char *text);

/* The text and blanks, w columns in all; ".." at the end of a text that is longer. */
void rows_column(const char *text, int w, char *buf, size_t size);

/* With a filter, put the entries that it is the name of first, then those that begin with it, then
 * those with a word that does; of equals the first stays in front. */
void rows_rank(struct rows *rows);

/* What entry `item` stands for, -1 without one. */
int rows_target(const struct rows *rows, int item);

#endif
