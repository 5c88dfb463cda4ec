/*
 * results.h - every estimated number of a plan, by name, and in what two plans differ: what
 * `diff` and the screen's comparison lay side by side.
 */
#ifndef UI_RESULTS_H
#define UI_RESULTS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate.h"
#include "core/field.h"

enum { RESULTS_MAX = 96, RESULT_SIZE = 64 };

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

/* The same result of two plans: false when neither has any of it. */
bool result_shown(const struct result *a, const struct result *b);

/* What it is in b against a: "+1.20 GiB" and "+3.1%", "same", "changed", "" where it is not
 * known. Both buffers have the size. True when it is another. */
bool result_change(const struct result *a, const struct result *b, char *change, char *percent,
    size_t size);

/* Whether a field reads differently, in a mode of either plan; its two texts. Fields hold
 * up to PLAN_LAYOUT_SIZE. */
bool results_differ(enum field_id f, const struct plan *a, const struct plan *b, char *left,
    char *right, size_t size);
#endif
