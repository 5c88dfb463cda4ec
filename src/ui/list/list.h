/*
 * list.h - lists over the panes: open, move about in them, draw. A list is a row of functions,
 * in the file that fills it; the state carries the table of them (state.lists).
 */
#ifndef UI_LIST_H
#define UI_LIST_H
#include "ui/list/rows.h"

struct list_type {
	const char *title;
	/* Adds to the title the part that changes; NULL: nothing. */
	void (*add_title)(const struct state *s, char *buf, size_t size);
	void (*rows)(struct rows *rows, const struct state *s);  /* its entries */
	int (*begin)(const struct state *s);  /* target to begin at; NULL: the first entry */
	unsigned (*accept)(struct state *s, int target);  /* Enter on an entry; NULL: nothing */
	unsigned (*more)(struct state *s, int target);    /* Space; NULL: as Enter */
	/* Makes the state that of the entry taken, for the panes: the list stands beside them, where there
	 * is room. NULL: it covers them. */
	void (*preview)(struct state *s, int target);
	unsigned (*aside)(struct state *s, int way);      /* left (-1), right (1); NULL: nothing */
	void (*close)(struct state *s);  /* NULL: to the list below, or to the panes */
	void (*renew)(struct state *s);  /* it opens, or the estimate is another one; NULL: nothing */
	/* The part of an area that its entries take, NULL: all; what is drawn around them. */
	struct rect (*part)(const struct state *s, struct rect r);
	void (*draw)(const struct state *s, struct canvas *c, struct rect r, int target);
	/* The target that is selected now, and the columns of a line; NULL: nothing to do. */
	void (*selected)(struct state *s, int target, int width);
	bool types;                      /* typing filters, without '/' */
	bool names;                      /* entries begin with names: the nearest to a filter first */
	bool wide;                       /* its columns take whatever width there is */
	bool over;                       /* closing leads back to the list it was opened from */
};

/* The lines of the list that is open, filtered and wrapped. Free with rows_free. What
 * memory does not hold is left out. */
void list_rows(struct rows *rows, const struct state *s, int width);
void list_title(const struct state *s, char *buf, size_t size);

void list_open(struct state *s, enum list_kind kind);
void list_leave(struct state *s); /* to the panes */
unsigned list_show(struct state *s, int kind); /* as a command: open it */

/* Select the entry that stands for target; what the selected one stands for, -1 for nothing. */
void list_select(struct state *s, int target);
int list_target(const struct state *s);

/* Commands: Enter, Space, Escape, left and right in a list that has a use for them. */
unsigned list_accept(struct state *s);
unsigned list_more(struct state *s);
unsigned list_close(struct state *s);
unsigned list_aside(struct state *s, int way);

/* True for lists that filter by plain typing; in the others '/' begins that. */
bool list_types(const struct state *s);

/* Move its selection by items or to an end. */
void list_move(struct state *s, int way);

/* Turn a page: the lines move, a selected entry that is shown no more gives way to one that
 * is; where there is no other page, to the first or last. */
void list_turn(struct state *s, int way);

/* Move the lines shown; an entry that is shown stays selected. */
void list_scroll(struct state *s, int lines);

/* Scroll to the selected item. */
void list_follow(struct state *s);

/* The estimate is another one. */
void list_renew(struct state *s);

/* The entry at a place of the screen; false without one. */
bool list_at(const struct state *s, int x, int y, int *item);

/* The panes are seen beside it; they may show what the selected entry is about: make *s show that. */
bool list_over_panes(const struct state *s);
void list_preview(struct state *s);

/* Draw it over the panes. */
void list_draw(const struct state *s, struct canvas *c);
#endif
