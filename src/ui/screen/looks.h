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
	uint8_t kind, turn;
	struct look look;
	struct look under; /* in turns: that it has in the first, with a background if any */
};

/*
 * Cells that look other than they did (NULL: on a screen that is blank), row by row, into room for all.
 * Returns how many. A blank has no look but its ground.
 */
int looks_changed(const struct canvas *c, const struct canvas *was, enum theme_colors colors,
    enum theme_palette palette, struct looks_cell *cell);

/* Cells that a terminal is told together: of one background, or of one look on its own ground. */
struct looks_kind {
	struct look look;
	bool bar;          /* a frame or a blank alone between two with backgrounds */
	uint8_t turn;
	int runs;          /* in which they come, row by row */
};

enum { LOOKS_KINDS = 128 }; /* cells of more have this as kind and come in the first turn */

/* The kinds of the cells, all of turn 0. Returns how many. */
int looks_kinds(struct looks_cell *cell, int n, struct looks_kind kind[LOOKS_KINDS]);

/*
 * In which order they are sent: those of turn 0 row by row, then those of turn 1, and so on: to move on takes half
 * the bytes of a change of colours. Bars and blanks between two of a kind are painted over these.
 */
void looks_turns(struct looks_cell *cell, int n, int w, const struct looks_kind kind[LOOKS_KINDS]);
#endif
