/*
 * search_view.h - what the search view is drawn from: the ranking as a table, and a picture.
 */
#ifndef UI_LIST_SEARCH_TABLE_H
#define UI_LIST_SEARCH_TABLE_H
#include "ui/state/search_view.h"

/* ---- the table ------------------------------------------------------------------------ */

enum { SEARCH_NAME = 32 };

/* Make what is shown of it so wide, where that is another: lines are asked for many times. */
void search_shown(struct search_view *l, int width);

/* Draw its two lines of headings; the column that it is sorted by stands out. */
void search_heading(const struct search_view *l, struct canvas *c, struct rect r);

/* Places in the order that the ranking is sorted in. */
void search_order(const struct search_view *l, size_t order[SEARCH_VIEW_ROOM]);

/* What is asked for, in words; condition i of it, "memory at most 70GiB". */
void search_words(const struct state *s, char *buf, size_t size);
void search_add_condition(const struct search_view *l, int i, char *buf, size_t size);

/* The objective or condition of a column, NULL: it is of neither. The name of a column, of what is asked for: in
 * buf where it is made. */
const struct search_target *search_column_target(const struct search_view *l, struct search_view_column column);
const char *search_column_name(const struct search_view *l, struct search_view_column column, char buf[SEARCH_NAME]);
const char *search_target_name(const struct search_view *l, const struct search_target *t, char buf[SEARCH_NAME]);

/* ---- around it ------------------------------------------------------------------------ */

/* The part of an area that the plans take, and what is drawn around them. */
struct rect search_part(const struct state *s, struct rect r);
void search_draw(const struct state *s, struct canvas *c, struct rect r, int target);

/* ---- the picture: what is asked for ------------------------------------------------- */

/* Draw all plans, the front, the one of place `at` (-1: none) and the plan as it is. */
void search_picture(const struct state *s, struct canvas *c, struct rect r, int at);
#endif
