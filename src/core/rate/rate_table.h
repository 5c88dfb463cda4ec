/*
 * rate_table.h - what the passes of an engine take, as a table that the event loop reads: it asks
 * for thousands of them.
 */
#ifndef CORE_RATE_TABLE_H
#define CORE_RATE_TABLE_H
#include <stdbool.h>

enum { RATE_BATCHES = 32, RATE_LENGTHS = 3, RATE_PASSES = 20 };

/* Seconds, linear between the points and beyond them. At least two batches and two passes; batches,
 * lengths (mean tokens that a request looks back on) and tokens of passes in order. */
struct rate_table {
	int batches, lengths, passes;
	double batch[RATE_BATCHES], length[RATE_LENGTHS];
	double step[RATE_LENGTHS][RATE_BATCHES]; /* decode, so many requests in flight */
	double tokens[RATE_PASSES], pass[RATE_PASSES]; /* a whole prompt of so many tokens */
	double fixed;     /* what a pass takes whatever its tokens: weights, launches */
	double quadratic; /* seconds a pair of tokens, by which attention grows */
};

/* fixed from the two smallest passes, quadratic from the three largest ones. */
void rate_table_finish(struct rate_table *t);

/* A decode step of b requests that look back on l tokens each. */
double rate_step(const struct rate_table *t, double b, double l);

/* A pass over m prompt tokens; squares: sum over its prompts' parts of end^2 - begin^2, m*m of one
 * whole prompt. */
double rate_pass(const struct rate_table *t, double m, double squares);

/* What a pass of prompts shares with a decode step that it is mixed into: weights are read once,
 * and where graphs cover such steps (vLLM V1, piecewise) launches are hidden too. */
double rate_saved(const struct rate_table *t, bool graphs, double l);
#endif
