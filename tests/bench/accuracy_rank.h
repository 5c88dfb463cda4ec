/*
 * accuracy_rank.h - where what teams ran stands among all plans for their model, GPUs, batch and
 * sequence, as a search ranks them: published.tsv, heldout_steps.tsv and mlperf_steps.tsv of
 * tests/data.
 */
#ifndef BENCH_ACCURACY_RANK_H
#define BENCH_ACCURACY_RANK_H
#include <stdio.h>

/* Search for each kind of run whose micro-batch is known, and print the rank of what was run. */
void accuracy_rank(FILE *out, const char *top);
#endif
