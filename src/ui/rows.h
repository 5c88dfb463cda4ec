/*
 * rows.h - the content of a list: entries, each of one or more lines.
 */
#ifndef UI_ROWS_H
#define UI_ROWS_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/state.h"

enum { ROW_TEXT_SIZE = 256 };

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
	const char *filter;
};

/* The lines of the list that is open, filtered and wrapped. Free with rows_free. What
 * memory does not hold is left out. */
void rows_init(struct rows *rows, const struct state *s, int width);
void rows_free(struct rows *rows);

/* What entry `item` stands for, -1 without one. */
int rows_target(const struct rows *rows, int item);

/* The map's ready-made sets of dimensions: name of the i-th, NULL past the end, and the
 * kinds that it shows in a layout; returns how many. */
const char *rows_preset(int i);
int rows_preset_kinds(int i, const struct layout *l, const char *name[MAP_COLORS_MAX]);
#endif
