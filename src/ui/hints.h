/*
 * hints.h - what the footer and the frames of panes say, and where it stands: they are
 * drawn by it, and the mouse finds them by it.
 */
#ifndef UI_HINTS_H
#define UI_HINTS_H
#include "ui/command.h"
#include "ui/state.h"

enum { HINTS_MAX = 32 };

/* A command in the footer. */
struct hint {
	const struct command *command;
	char key[32];
	const char *what;
	int x, w; /* columns, counted from the footer's left edge */
};

/* The hints that fit into w columns; returns how many. */
int hints_footer(const struct state *s, int w, struct hint hint[HINTS_MAX]);

/* A pane's name where panes take turns. */
struct tab {
	enum pane pane;
	char text[16];  /* in brackets while it is shown */
	int x, w;       /* columns, counted from the start of the title */
};

/* All panes from `first` on; returns how many. */
int hints_tabs(const struct state *s, enum pane first, enum pane shown,
    struct tab tab[PANE_COUNT]);

/* Which lines of a pane are shown; count is 0 where that can not be told. */
struct part hints_part(const struct state *s, const struct arrange *a, enum pane pane);

/* The groups of the GPU under the cursor by what colours the map, for the map's lower edge:
 * "tp 6: 12 13  pp 1: 1 5 9 13", all of it where w columns are enough, else an equal part
 * for each. */
void hints_groups(const struct state *s, size_t w, char *buf, size_t size);
#endif
