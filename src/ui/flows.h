/*
 * flows.h - the traffic of one GPU as a table, a row for each dimension and collective.
 */
#ifndef UI_FLOWS_H
#define UI_FLOWS_H
#include <stdbool.h>

#include "core/traffic.h"
#include "ui/canvas.h"

/* Draw rows from `first` on, under a heading where there is room. Narrow areas get short
 * names, then fewer columns. Changes are those against `base` where it is not NULL.
 * `selected` is marked when focus. */
void flows_draw(struct canvas *c, struct rect r, const struct traffic *t,
    const struct traffic *base, int first, int selected, bool focus);

/* Rows of the table that fit into h lines. */
int flows_rows(int h);

/* "tp all-gather": what a row is about. */
void flows_name(const struct traffic_row *row, char *buf, size_t size);

/* "nvlink", or in three letters. */
const char *flows_span(enum span_kind kind, bool full);
#endif
