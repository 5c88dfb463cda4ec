/*
 * accuracy_step.h - step times against published runs: tests/data/published.tsv, on which
 * efficiencies were chosen, and heldout_steps.tsv and steps_cards.tsv, which were collected later.
 */
#ifndef BENCH_ACCURACY_STEP_H
#define BENCH_ACCURACY_STEP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/plan/plan.h"

/* Relative errors of the absolute value, 0.08 = 8 %. */
struct step_score {
	char group[64];
	size_t rows;
	double median, ninety, worst;
	double bias;          /* median of the signed error */
};

enum { STEP_GROUPS_MAX = 64 };

struct step_accuracy {
	size_t groups;
	struct step_score group[STEP_GROUPS_MAX];
	struct step_score full;     /* rows that say everything a plan needs */
	struct step_score partial;  /* rows of which something had to be assumed */
	struct step_score calibrated; /* of pairs: one row is measured, another one estimated */
	size_t left_out;            /* rows that a plan can not express */
};

/* Estimate every row of a file of tests/data; print the table to out (may be NULL). False
 * without the data. */
bool accuracy_step_score(struct step_accuracy *a, const char *file, FILE *out,
    const char *top);
void accuracy_step(FILE *out, const char *top);

struct table;

/* What a row ran, and the seconds of its step; 0, with the reason, where no plan says it. */
double accuracy_step_row(const struct table *t, struct plan *p, const char **why);

/* Seconds of a step as a row's first metric gives them; p: what it ran. */
double accuracy_step_measured(const struct plan *p, const struct table *t);
#endif
