/*
 * accuracy_memory.h - estimates of training memory against measurements of real runs.
 */
#ifndef BENCH_ACCURACY_MEMORY_H
#define BENCH_ACCURACY_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { ACCURACY_TEXT = 128 };

/* One measurement, MiB. */
struct accuracy_row {
	char id[16], group[ACCURACY_TEXT], metric[32];
	bool complete;       /* the source states everything that a plan holds */
	bool expressible;
	char reason[ACCURACY_TEXT]; /* why not */
	double measured, estimated;
	double error;        /* how far the estimate says that it may be off */
};

/* Errors of a set of rows, as shares of what was measured. */
struct accuracy_errors {
	size_t rows;
	double median, p90, worst;  /* of the absolute error */
	double mean;                /* of the signed error */
};

/* Read and estimate tests/data/memory_measured.tsv below top; rows read. */
size_t accuracy_memory_read(const char *top, struct accuracy_row *rows, size_t max);

/* Rows of tests/data/memory_2026.tsv, estimated. */
size_t accuracy_memory_later(const char *top, struct accuracy_row *rows, size_t max);

/* Of rows with this metric (NULL: all) and at least `least` MiB, complete ones only or
 * not, whose group starts with prefix. */
struct accuracy_errors accuracy_memory_errors(const struct accuracy_row *rows, size_t n,
    const char *metric, const char *prefix, double least, bool complete);

/* Print the table of all rows. */
void accuracy_memory(FILE *out, const char *top);
#endif
