/*
 * accuracy_run.h - whole runs: GPU hours and bytes of checkpoints against published ones.
 */
#ifndef BENCH_ACCURACY_RUN_H
#define BENCH_ACCURACY_RUN_H
#include <stdio.h>

void accuracy_run(FILE *out, const char *top);
#endif
