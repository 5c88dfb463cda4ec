/*
 * accuracy_step_row.h - files of measured training steps in tests/data, and a row of them as a plan.
 */
#ifndef BENCH_ACCURACY_STEP_ROW_H
#define BENCH_ACCURACY_STEP_ROW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/plan/plan.h"

enum { COLUMNS_MAX = 48, LINE_SIZE = 4096 };

struct row {
	char text[LINE_SIZE];
	char *cell[COLUMNS_MAX];
};

struct table {
	struct row head, row;
	int columns;
};

/* Files of described runs; afterwards: they were looked up when all was chosen. */
struct step_file {
	const char *name;
	bool afterwards;
};
extern const struct step_file step_files[];
extern const size_t step_file_count;

/* Open a file of tests/data and read its head, NULL without it; then row by row, false after the
 * last one. */
FILE *table_open(struct table *t, const char *top, const char *file);
bool table_next(struct table *t, FILE *in);

/* The row's cell of a column by its name, "" where there is none; as a number; whether it
 * holds a text, or begins with one. */
const char *row_cell(const struct table *t, const char *name);
double row_number(const struct table *t, const char *name);
bool row_has(const struct table *t, const char *name, const char *part);
bool row_starts(const struct table *t, const char *name, const char *part);

/* Why no plan says what the row ran; NULL where one does. */
const char *row_refusal(const struct table *t);

/* What it ran. Whether the row says all of it, so that nothing had to be assumed. */
void row_plan(struct plan *p, const struct table *t);
bool row_is_full(const struct table *t);
#endif
