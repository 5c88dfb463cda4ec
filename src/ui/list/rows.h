/*
 * rows.h - the content of a list: entries, each of one or more lines.
 */
#ifndef UI_ROWS_H
#define UI_ROWS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/base/match.h"
#include "core/base/text.h"
#include "ui/state/state.h"

enum { ROW_TEXT_SIZE = 512 }; /* the longest help of a field, and what stands before it */

struct row {
	int item;      /* entry that the line belongs to, -1: a heading */
	int target;    /* what the entry stands for, as the list numbers it */
	enum role role;
	int rank;
	char text[ROW_TEXT_SIZE];
};

struct rows {
	struct row *row;  /* owned */
	size_t count, capacity;
	int items;        /* entries */
	int width;        /* columns that lines are wrapped to */
	int hang;         /* how far the lines after an entry's first are set in */
	const char *filter;
	const struct texts *texts; /* what is said in place of English */
	int rank;         /* of the lines that are added next: see rows_sort */
	bool loose;       /* nothing has the filter's words: names that are like it pass */
};

void rows_free(struct rows *rows);

/* For those who fill a list: true when every word of the filter is somewhere in the text, or
 * loosely its first word is like it;
 * a heading (left out while there is a filter); an entry of its own, if it passes; the
 * same on one line, cut instead of wrapped; such a line whatever the filter says; lines of
 * entry `item`, wrapped, which the caller counts in rows->items. */
bool rows_passes(const struct rows *rows, const char *text);
/* Whether the filter's words are among several texts about an entry, each in either language; NULL
 * ends them. */
bool rows_finds(const struct rows *rows, const char *const about[]);
void rows_heading(struct rows *rows, const char *text);
void rows_item(struct rows *rows, int target, enum role role, const char *fmt, ...)
    TEXT_FORMAT(4, 5);
void rows_line(struct rows *rows, int target, enum role role, const char *text);
void rows_shown(struct rows *rows, int target, enum role role, const char *text);
void rows_wrapped(struct rows *rows, int item, int target, enum role role, int indent,
    const char *text);

/* The text and blanks, w columns in all; ".." at the end of a text that is longer. */
void rows_column(const char *text, int w, char *buf, size_t size);

/* Put entries of a lower rank, from 0 below RANKS, first; of equals the first stays in front. */
enum { RANKS = 2 * (MATCH_NONE + 1) };
void rows_sort(struct rows *rows);

/* With a filter, sort them by how well their first words answer it. */
void rows_rank(struct rows *rows);

/* The target that entry `item` stands for, -1 without one. */
int rows_target(const struct rows *rows, int item);

#endif
