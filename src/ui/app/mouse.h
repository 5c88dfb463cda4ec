/*
 * mouse.h - clicks and the wheel, for those who switch them on.
 *
 * A click selects what is under it; one on what is selected already does what Enter does:
 * edits a field, inspects a GPU, explains a number, takes an entry. Names of panes and the
 * footer's hints can be clicked. The wheel zooms the map, and scrolls what else is under
 * it.
 */
#ifndef UI_MOUSE_H
#define UI_MOUSE_H
#include "ui/screen/input.h"
#include "ui/state/state.h"

/* Use it and act; returns what is left to the loop, as app_key does. */
unsigned app_mouse(struct state *s, struct mouse m);
#endif
