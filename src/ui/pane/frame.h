/*
 * frame.h - the frames of panes, and the names in them, by which the mouse finds panes.
 */
#ifndef UI_FRAME_H
#define UI_FRAME_H
#include "ui/pane/arrange.h"
#include "ui/screen/canvas.h"
#include "ui/state/state.h"

/* A pane's name where panes take turns. */
struct tab {
	enum pane pane;
	char text[32];  /* in brackets while it is shown */
	int x, w;       /* columns, counted from the start of the title */
};

/* All panes from `first` on; returns how many. */
int frame_tabs(const struct state *s, enum pane first, enum pane shown,
    struct tab tab[PANE_COUNT]);

void frame_draw(const struct state *s, struct canvas *c, const struct arrange *a,
    enum pane pane);
#endif
