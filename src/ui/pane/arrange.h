/*
 * arrange.h - which part of the screen each pane gets: a pure function of its size.
 */
#ifndef UI_ARRANGE_H
#define UI_ARRANGE_H
#include <stdbool.h>

#include "ui/screen/canvas.h"
#include "ui/state/state.h"

/* What the panes would like to show. */
struct wish {
	enum pane focus;
	bool alone;       /* the one in focus has all the room */
	enum pane lower;  /* which of memory, traffic and step shows where one alone has room */
	int colors;       /* that the map shows at once */
	int spare;        /* lines that it would leave empty */
	int stages;       /* bars of the memory pane */
	int flows;        /* rows of the traffic pane */
	int figures;      /* of the step pane */
};

/*
 * A rectangle with h 0 is not shown. pane[] are whole panes with their frames, inner[]
 * what is inside. On a small screen, or alone, only the pane in focus is shown (tabs); on a middling
 * one the form, the map and one of the panes below it (lower_tabs).
 */
struct arrange {
	struct rect header, message, footer;
	struct rect pane[PANE_COUNT], inner[PANE_COUNT];
	bool open[PANE_COUNT]; /* its lower edge is the upper edge of the pane below it */
	bool framed;     /* panes have frames */
	bool tabs;       /* one pane at a time */
	bool lower_tabs; /* memory, traffic and step take turns */
};

struct arrange arrange_panes(int columns, int rows, const struct wish *wish);
#endif
