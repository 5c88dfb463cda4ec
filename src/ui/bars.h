/*
 * bars.h - memory of each pipeline stage as bars against the GPU's capacity.
 */
#ifndef UI_BARS_H
#define UI_BARS_H
#include <stdbool.h>
#include <stdint.h>

#include "core/estimate.h"
#include "ui/canvas.h"

/* Draw stages from `first` on, and the legend when there is room: the parts of the stage
 * `selected`, which is marked when focus, else of the fullest one. Where there is room, and
 * base is not NULL, each bar ends with its stage's change against that estimate. */
void bars_draw(struct canvas *c, struct rect r, const struct estimate *e,
    const struct estimate *base, int64_t first, int64_t selected, bool focus);

/* Bars that fit into an area of this size, beside the legend. */
int bars_rows(int w, int h);

/* Lines of the legend in a pane of this width. */
int bars_legend(int w);
#endif
