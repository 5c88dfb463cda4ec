/*
 * why.h - where a number comes from: the terms of the ledger that it is the sum of.
 */
#ifndef UI_WHY_H
#define UI_WHY_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/rows.h"

/* Add "memory of stage 2", "traffic of tp all-gather", "MFU": what is being explained. */
void why_title(const struct state *s, char *buf, size_t size);

/* Explain what is selected in a pane. */
unsigned why_open(struct state *s, enum pane pane);

/* Note the terms of the plan as it is now. False without memory. */
bool why_note(struct state *s);

/* Its list. */
void why_rows(struct rows *rows, const struct state *s);

/* The selected number of a pane in one line: what it is, or comes to; "" without any. */
void why_line(const struct state *s, enum pane pane, char *buf, size_t size);
#endif
