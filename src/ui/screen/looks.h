/*
 * looks.h - in which look each cell is sent, so that few changes of colour go over the line.
 */
#ifndef UI_LOOKS_H
#define UI_LOOKS_H
#include <stdbool.h>

#include "ui/screen/canvas.h"
#include "ui/screen/theme.h"

enum { LOOKS_GAP = 12 }; /* blanks between two words that are sent as a part of them */

/*
 * A blank looks the same in every colour of letters: those in a short gap between words
 * take the look of the word before them, and the others none at all. False for the latter:
 * then *look is the terminal's own. On a background of their own, those of a run without letters
 * have no colour of letters: curses sends both colours of a pair with each change of one.
 */
bool looks_of(const struct canvas *c, int x, int y, enum theme_colors colors,
    enum theme_palette palette, struct look *look);
#endif
