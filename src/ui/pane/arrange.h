/*
 * arrange.h - which part of the screen each pane gets: a pure function of its size.
 */
#ifndef UI_ARRANGE_H
#define UI_ARRANGE_H
#include <stdbool.h>

#include "ui/screen/canvas.h"
#include "ui/state/state.h"

/* The room that panes would like. */
struct pane_wishes {
	enum pane focus;
	bool alone;       /* the one in focus has all the room */
	enum pane lower;  /* which of those below the map shows where one alone has room */
	int colors;       /* that the map shows at once */
	int spare;        /* lines that it would leave empty */
	/* Of those below the map, as in pane.h. */
	int (*lines)(const struct state *s, enum pane pane, int w);
	int least[PANE_COUNT];
	const struct state *state; /* for lines */
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
	bool lower_tabs; /* those below the map take turns */
};

struct arrange arrange_panes(int columns, int rows, const struct pane_wishes *wish);
#endif
