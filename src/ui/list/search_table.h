/*
 * search_view.h - what the search view is drawn from: the ranking as a table, and a picture.
 */
#ifndef UI_LIST_SEARCH_TABLE_H
#define UI_LIST_SEARCH_TABLE_H
#include "ui/state/search_view.h"

/* ---- the table: columns that have room ------------------------------------------------ */

enum { TABLE_COLUMNS = 1 + SPACE_FIELDS_MAX + SEARCH_OBJECTIVES_MAX + SEARCH_CONDITIONS_MAX +
	SEARCH_VIEW_NUMBERS + 1 };

struct search_table {
	int columns, gap;    /* blanks between them */
	bool capacity;       /* beside the memory */
	struct {
		struct search_view_column column;
		int w;
	} at[TABLE_COLUMNS];
};

void search_table_make(struct search_table *t, const struct search_view *l, int width);

/* Make what is shown of it so wide, where that is another: lines are asked for many times. */
void search_shown(struct search_view *l, int width);

/* Places in the order that the ranking is sorted in. */
void search_order(const struct search_view *l, size_t order[SEARCH_VIEW_ROOM]);

/* What is asked for, in words. */
void search_words(const struct state *s, char *buf, size_t size);

/* The name of a column. */
const char *search_column_name(const struct search_view *l, struct search_view_column column);

/* ---- around it ------------------------------------------------------------------------ */

/* The part of an area that the plans take, and what is drawn around them. */
struct rect search_part(const struct state *s, struct rect r);
void search_draw(const struct state *s, struct canvas *c, struct rect r, int target);

/* ---- the picture: what is asked for ------------------------------------------------- */

/* Draw all plans, the front, the one of place `at` (-1: none) and the plan as it is. */
void search_picture(const struct state *s, struct canvas *c, struct rect r, int at);
#endif
