/*
 * bench.h - the clock, and plans put together, of the benchmarks of the core.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/plan/field.h"

/* Seconds. */
static inline double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A value as one types it; a wrong one ends the program. */
static inline void
put(struct plan *p, enum field_id f, const char *value)
{
	char err[256];

	if (!field_parse(f, p, value, err, sizeof err)) {
		fprintf(stderr, "%s: %s\n", field_table[f].path, err);
		exit(1);
	}
}
#endif
