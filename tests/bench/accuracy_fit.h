/*
 * accuracy_fit.h - published runs against the memory of their GPUs: what ran must fit.
 */
#ifndef BENCH_ACCURACY_FIT_H
#define BENCH_ACCURACY_FIT_H
#include <stddef.h>
#include <stdio.h>

struct fit_score {
	size_t rows, unfit, tight;
};

/* Every row of a file of tests/data that a plan can express; those that are said not to fit,
 * and with all those that are tight, are printed to out (may be NULL). */
struct fit_score accuracy_fit_score(const char *file, FILE *out, const char *top);
void accuracy_fit(FILE *out, const char *top);
#endif
