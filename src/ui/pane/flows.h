/*
 * flows.h - the traffic of one GPU as a table, a row for each dimension and collective.
 */
#ifndef UI_FLOWS_H
#define UI_FLOWS_H

#include "core/train/traffic.h"

/* "tp all-gather": what a row is about. */
void flows_name(const struct traffic_row *row, char *buf, size_t size);

#endif
