/*
 * accuracy_rl.h - steps of reinforcement learning against published ones: what a step takes
 * beside its phases, how long it takes, and which of two is the faster.
 */
#ifndef BENCH_ACCURACY_RL_H
#define BENCH_ACCURACY_RL_H
#include <stddef.h>
#include <stdio.h>

enum { RL_ROWS_MAX = 64, RL_TEXT = 96 };

struct rl_row {
	char group[RL_TEXT], what[RL_TEXT]; /* group: model and GPU */
	double step;      /* seconds, published */
	double phases;    /* sum of its published phases, 0 where there are none */
	double estimated; /* 0: no plan says what was run */
};

/* Rows of tests/data/rl_published.tsv below top that state a step's seconds; how many. */
size_t accuracy_rl_rows(const char *top, struct rl_row *rows, size_t max);

/* Of pairs of estimated rows of one group: how many, and how many are ordered as published. */
struct rl_order {
	size_t pairs, right;
};
struct rl_order accuracy_rl_order(const struct rl_row *rows, size_t count);

/* A share of the absolute errors: of steps from their phases, or of estimates; *n of them. */
double accuracy_rl_error(const struct rl_row *rows, size_t count, int of_phases, double share,
    size_t *n);

void accuracy_rl(FILE *out, const char *top);
#endif
