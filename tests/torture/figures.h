/*
 * figures.h - what holds for the numbers of `estimate --json`, whatever the plan.
 */
#ifndef TORTURE_FIGURES_H
#define TORTURE_FIGURES_H
#include <stdbool.h>

#include <jansson.h>

#include "core/plan/plan.h"

enum { FLAWS_MOST = 32, FLAW_SIZE = 160 };

/* What is wrong, each kind once. The words do not tell numbers, so that the same flaw has
 * the same words. */
struct flaws {
	int count;
	char flaw[FLAWS_MOST][FLAW_SIZE];
};
bool flaws_have(const struct flaws *flaws, const char *flaw);
void flaws_add(struct flaws *flaws, const char *path, const char *what);

/* What is wrong with the report of a plan. */
void figures_look(const json_t *report, const struct plan *p, struct flaws *flaws);
#endif
