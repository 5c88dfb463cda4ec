/*
 * accuracy_pairs.h - of two measured plans for the same job, how often the one estimated to be
 * faster was: plans of the sweeps in sweeps.tsv, runs of published.tsv, heldout_steps.tsv and
 * steps_more.tsv that differ in nothing but their split, engines of serving_latency.tsv under the
 * same load a GPU.
 */
#ifndef BENCH_ACCURACY_PAIRS_H
#define BENCH_ACCURACY_PAIRS_H
#include <stdio.h>

/* The rows of src/core/search/ahead.def. */
void accuracy_pairs(FILE *out, const char *top);
#endif
