/*
 * bars.h - memory of each pipeline stage as bars against the GPU's capacity.
 */
#ifndef UI_BARS_H
#define UI_BARS_H
#include "ui/state/state.h"

/* Lines that the bars take: stages one after another that are alike share one. */
int64_t bars_lines(const struct state *s);

/* Lines of the legend in a pane of this width. */
int bars_legend(int w);
#endif
