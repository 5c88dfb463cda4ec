/*
 * accuracy_error.h - measured errors by kind of plan, which src/core/framework/error.def holds.
 */
#ifndef BENCH_ACCURACY_ERROR_H
#define BENCH_ACCURACY_ERROR_H
#include <stdio.h>

/* The rows of that file. */
void accuracy_error(FILE *out, const char *top);
#endif
