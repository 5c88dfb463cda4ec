/*
 * headline.h - what is read first: whether the plan fits, how fast it is, what is wrong; and
 * below it which plan that is.
 */
#ifndef UI_HEADLINE_H
#define UI_HEADLINE_H
#include "ui/screen/canvas.h"
#include "ui/state/state.h"

/* "plan.cfg: fits", for the title of a window: printable characters alone. */
void headline_title(const struct state *s, char *buf, size_t size);

/* In one line or two. What has no room is left out, the least important first. */
void headline_draw(const struct state *s, struct canvas *c, struct rect r);
#endif
