/*
 * accuracy_rate.h - estimated against measured times at a rate, tests/data/serving_rate.tsv.
 */
#ifndef BENCH_ACCURACY_RATE_H
#define BENCH_ACCURACY_RATE_H
#include <stdio.h>

enum rate_quantity { OPEN_TTFT_P50, OPEN_TTFT_P99, OPEN_TPOT, OPEN_TPOT_P99, OPEN_LIFE, OPEN_REACHED,
	OPEN_INSIDE, OPEN_QUANTITIES };
enum { OPEN_ROWS_MAX = 256 };

/* Relative errors, sorted by size. */
struct rate_errors {
	int count;
	double error[OPEN_ROWS_MAX], bias;
};

/* With nothing measured, and with one row of each configuration that sets two factors, the others
 * judge: rows below 0.9 of the estimated saturation; what overloaded runs reached; and the rate
 * inside MLPerf's limits over the best that was submitted. Prints each row to `rows` unless it is
 * NULL. Returns the rows below 0.9 with nothing measured, -1 when a file below `top` can not be read. */
int accuracy_rate_measure(struct rate_errors plain[OPEN_QUANTITIES],
    struct rate_errors fitted[OPEN_QUANTITIES], const char *top, FILE *rows);

/* Error at a share of the rows: 0.5 is the median. */
double accuracy_rate_at(const struct rate_errors *e, double share);

void accuracy_rate(FILE *out, const char *top);
#endif
