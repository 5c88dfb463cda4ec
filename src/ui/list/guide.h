/*
 * guide.h - lines of a topic that speak of the user's own plan.
 *
 * "@ CONDITION | LINK | TEXT {PATH}": shown while the condition holds, with the plan's values
 * in place of paths. A condition is that of a search ("step.bubble_fraction>=10%"), several
 * joined by '&', or the reason code of a diagnostic, whose message {REASON} stands for. A line
 * is left out where the plan has no such value: another mode, an unknown GPU. The link is
 * where Enter leads to: a field, "why PANE", "search ...", "steps", "errors"; may be empty.
 */
#ifndef UI_GUIDE_H
#define UI_GUIDE_H
#include "ui/state/state.h"

enum { GUIDE_LINK_SIZE = 256 };

/* The line after its '@': its text and its link. False when it is not to be shown. */
bool guide_line(const struct state *s, const char *line, char *text, size_t size,
    char link[GUIDE_LINK_SIZE]);

/* Go there. */
unsigned guide_follow(struct state *s, const char *link);
#endif
