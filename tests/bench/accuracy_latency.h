/*
 * accuracy_latency.h - estimated against measured times to first and next tokens,
 * tests/data/serving_latency.tsv.
 */
#ifndef BENCH_ACCURACY_LATENCY_H
#define BENCH_ACCURACY_LATENCY_H
#include <stdbool.h>
#include <stdio.h>

#include "core/plan/plan.h"
#include "core/serve/serve.h"

enum latency { LATENCY_TPOT, LATENCY_TTFT, LATENCIES };
enum { LATENCY_ROWS_MAX = 2048, LATENCY_GROUPS_MAX = 40 };

/* Relative errors of a group, sorted by size; their median with its sign is the bias. */
struct latency_errors {
	char name[32];
	int count[LATENCIES];
	double error[LATENCIES][LATENCY_ROWS_MAX], bias[LATENCIES];
};

/* A benchmark's means, seconds, and what is estimated of the plan that it ran. */
struct latency_row {
	const char *id, *model;
	const struct plan *plan;
	const struct serve *estimated;
	double measured[LATENCIES];
	int limited; /* 1: the first token's time holds the start, 2: by a setting not known */
};

/* Each row of the file in turn. False when a file below `top` can not be read. */
bool accuracy_latency_rows(const char *top,
    void (*take)(void *context, const struct latency_row *row), void *context);

/* Fills groups, that of all rows first, and returns how many; prints each row to `rows` unless
 * it is NULL. -1 when a file below `top` can not be read. */
int accuracy_latency_measure(struct latency_errors *groups, const char *top, FILE *rows);

/* Error at a share of the rows: 0.5 is the median. */
double accuracy_latency_at(const struct latency_errors *g, enum latency what, double share);

void accuracy_latency(FILE *out, const char *top);
#endif
