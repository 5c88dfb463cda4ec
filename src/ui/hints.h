/*
 * hints.h - what the footer and the titles of panes offer, and where it stands: they are
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
#endif
