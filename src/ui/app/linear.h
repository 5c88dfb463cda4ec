/*
 * linear.h - the planner as lines asked and answered: for screen readers, for terminals
 * that can not place a cursor, and for scripts.
 *
 * It is the state of the screen with another face: a line in is a command of the ":" prompt,
 * "FIELD VALUE", "FIELD +", the number of an entry of the list shown last, or the answer to
 * what was asked; lines out are numbered text without escapes.
 */
#ifndef UI_LINEAR_H
#define UI_LINEAR_H
#include <stdbool.h>
#include <stdio.h>

#include "ui/state/state.h"

/* Say the first lines. */
void linear_begin(struct state *s, FILE *out);

/* Use one line as typed, and say what came of it. False when the program is to end. */
bool linear_line(struct state *s, const char *text, FILE *out);
#endif
