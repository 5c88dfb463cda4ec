/*
 * hints.h - what the footer says, and where it stands: it is drawn by it, and the mouse
 * finds commands by it.
 */
#ifndef UI_HINTS_H
#define UI_HINTS_H
#include "ui/app/command.h"
#include "ui/state/state.h"

enum { HINTS_MAX = 32 };

/* A command in the footer. */
struct hint {
	const struct command *command;
	char key[32];
	const char *what;
	int x, w; /* columns, counted from the footer's left edge */
};

/* What stands before the hints of a list that typing filters: keys that are letters are typed there. */
#define HINTS_TYPE "type to filter"

/* The hints that fit into w columns; returns how many. */
int hints_footer(const struct state *s, int w, struct hint hint[HINTS_MAX]);
#endif
