/*
 * bars.h - memory of each pipeline stage as bars against the GPU's capacity.
 */
#ifndef UI_BARS_H
#define UI_BARS_H

/* Lines of the legend in a pane of this width. */
int bars_legend(int w);
#endif
