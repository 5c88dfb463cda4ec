/*
 * why.h - where a number comes from: the terms of the ledger that it is the sum of.
 */
#ifndef UI_WHY_H
#define UI_WHY_H
#include <stddef.h>

#include "ui/rows.h"

/* Add "memory of stage 2", "traffic of tp all-gather", "MFU": what is being explained. */
void why_title(const struct state *s, char *buf, size_t size);

/* Its list. */
void why_rows(struct rows *rows, const struct state *s);
#endif
