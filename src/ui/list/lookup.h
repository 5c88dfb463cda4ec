/*
 * lookup.h - what the search view is drawn from: the ranking as a table, and a picture.
 */
#ifndef UI_LIST_LOOKUP_H
#define UI_LIST_LOOKUP_H
#include "ui/state/lookup.h"

/* ---- the table: columns that have room ------------------------------------------------ */

enum { TABLE_COLUMNS = 1 + SPACE_FIELDS_MAX + SEARCH_OBJECTIVES_MAX + SEARCH_CONDITIONS_MAX +
	LOOKUP_NUMBERS + 1 };

struct lookup_table {
	int columns, gap;    /* blanks between them */
	bool capacity;       /* beside the memory */
	struct {
		struct lookup_column column;
		int w;
	} at[TABLE_COLUMNS];
};

void lookup_table_make(struct lookup_table *t, const struct lookup *l, int width);

/* Make what is shown of it so wide, where that is another: lines are asked for many times. */
void lookup_shown(struct lookup *l, int width);

/* Places in the order that the ranking is sorted in. */
void lookup_order(const struct lookup *l, size_t order[LOOKUP_ROOM]);

/* What is asked for, in words. */
void lookup_words(const struct state *s, char *buf, size_t size);

/* The name of a column. */
const char *lookup_column_name(const struct lookup *l, struct lookup_column column);

/* ---- around it ------------------------------------------------------------------------ */

/* The part of an area that the plans take, and what is drawn around them. */
struct rect lookup_part(const struct state *s, struct rect r);
void lookup_draw(const struct state *s, struct canvas *c, struct rect r, int target);

/* ---- the picture: what is asked for ------------------------------------------------- */

/* Draw all plans, the front, the one of place `at` (-1: none) and the plan as it is. */
void lookup_picture(const struct state *s, struct canvas *c, struct rect r, int at);
#endif
