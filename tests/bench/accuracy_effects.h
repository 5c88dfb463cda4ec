/*
 * accuracy_effects.h - what a mechanism of serving does, estimated against measured:
 * tests/data/serving_effects.tsv.
 */
#ifndef BENCH_ACCURACY_EFFECTS_H
#define BENCH_ACCURACY_EFFECTS_H
#include <stdio.h>

enum { EFFECT_ROWS_MAX = 256, EFFECT_KINDS_MAX = 16 };

/* Rows of one kind. Errors are those of the ratio with / without, or of the value where nothing was
 * measured without; sorted by size. */
struct effect_kind {
	char name[24];
	int rows, judged;
	double error[EFFECT_ROWS_MAX], bias;
};

/* Prints each row to `out` unless it is NULL. Returns the kinds, -1 when a file below `top` can not
 * be read. */
int accuracy_effects_measure(struct effect_kind kind[EFFECT_KINDS_MAX], const char *top, FILE *out);

void accuracy_effects(FILE *out, const char *top);
#endif
