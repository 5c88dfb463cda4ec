/*
 * looks.h - in which look each cell is sent, so that few changes of colour go over the line.
 */
#ifndef UI_LOOKS_H
#define UI_LOOKS_H
#include <stdbool.h>

#include "ui/screen/canvas.h"
#include "ui/screen/theme.h"

/* A cell that is to be sent. */
struct looks_cell {
	int at;            /* row x width + column */
	uint8_t turn;
	struct look look;
	struct look under; /* in turns: that it has in the first, with a background if any */
};

/*
 * Cells that look other than they did (NULL: on a screen that is blank), row by row, into room for all.
 * Returns how many. A blank has no look but its ground.
 */
int looks_changed(const struct canvas *c, const struct canvas *was, enum theme_colors colors,
    enum theme_palette palette, struct looks_cell *cell);

/*
 * In which order they are sent: those of turn 0 row by row, then those of turn 1, and so on. Backgrounds
 * that come again and again, with others between, have turns of their own: to move on takes half the
 * bytes of a change of colours. So have bars and blanks between two of a kind, over which these are
 * painted first. Returns the last turn.
 */
int looks_turns(struct looks_cell *cell, int n, int w);
#endif
