/*
 * results.h - every estimated number of a plan, by name: what `diff` lays side by side.
 */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate.h"

enum { RESULTS_MAX = 96 };

enum result_unit {
	RESULT_ANSWER,  /* yes or no */
	RESULT_COUNT,   /* a small whole number */
	RESULT_PARAMS, RESULT_BYTES,
	RESULT_WIRE,    /* bytes over a link, in the decimal units of its rate */
	RESULT_SECONDS,
	RESULT_SHARE,   /* 0.41, shown as 41.0 % */
	RESULT_REAL,
};

struct result {
	const char *path;   /* where `estimate --json` has it: "step.seconds" */
	const char *label;  /* for people */
	enum result_unit unit;
	bool known;
	double value;
};

/* The same number of results in the same order for every plan. Memory is that of the
 * fullest stage, traffic is summed by dimension. */
size_t results_of(const struct estimate *e, struct result *out);

/* "61.20 GiB", "41.2 %", "yes"; "" where it is not known. */
const char *result_format(char *buf, size_t size, enum result_unit unit, double value);
#endif
