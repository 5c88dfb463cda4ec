/*
 * bars.h - memory of each pipeline stage as bars against the GPU's capacity.
 */
#ifndef UI_BARS_H
#define UI_BARS_H
#include <stdbool.h>
#include <stdint.h>

#include "core/estimate.h"
#include "ui/canvas.h"

/* Draw stages from `first` on, and the legend when there is room. `selected` is marked
 * when focus. */
void bars_draw(struct canvas *c, struct rect r, const struct estimate *e, int64_t first,
    int64_t selected, bool focus);

/* Bars that fit into h rows. */
int bars_rows(int h);

/* "61.2 GiB", "512 MiB": bytes for people. */
void bars_bytes(double bytes, char *buf, size_t size);
#endif
