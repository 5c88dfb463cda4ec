/*
 * arrange.h - which part of the screen each pane gets: a pure function of its size.
 */
#ifndef UI_ARRANGE_H
#define UI_ARRANGE_H
#include <stdbool.h>

#include "ui/canvas.h"

enum pane { PANE_FORM, PANE_MAP, PANE_MEMORY, PANE_COUNT };

/*
 * A rectangle with h 0 is not shown. pane[] are whole panes with their frames, inner[]
 * what is inside. On a small screen only the pane in focus is shown (tabs).
 */
struct arrange {
	struct rect header, message, footer;
	struct rect pane[PANE_COUNT], inner[PANE_COUNT];
	bool framed; /* panes have frames */
	bool tabs;   /* one pane at a time */
};

/* stages: how many bars the memory pane would like to show. */
struct arrange arrange_panes(int columns, int rows, enum pane focus, int stages);
#endif
