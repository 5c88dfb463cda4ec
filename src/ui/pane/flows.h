/*
 * flows.h - the traffic of one GPU as a table, a row for each dimension and collective.
 */
#ifndef UI_FLOWS_H
#define UI_FLOWS_H
#include <stdbool.h>

#include "core/train/traffic.h"
#include "ui/state/state.h"

/* The row that is selected, NULL without any. */
const struct traffic_row *flows_selected(const struct state *s);

/* "tp all-gather": what a row is about. */
void flows_name(const struct traffic_row *row, char *buf, size_t size);

/* "nvlink", or in three letters. */
const char *flows_span(enum span_kind kind, bool full);
#endif
