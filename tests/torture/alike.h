/*
 * alike.h - a report for people and the same one as JSON tell the same numbers.
 */
#ifndef TORTURE_ALIKE_H
#define TORTURE_ALIKE_H
#include <jansson.h>

#include "figures.h"

/* What of the text of `estimate` is in the JSON another number, or none; every line has a rule. */
void alike_estimate(const char *text, const json_t *doc, struct flaws *flaws);

/* The same of `explain NAME` for a result: its value, its terms, and sums of these. */
void alike_explain(const char *text, const json_t *doc, struct flaws *flaws);

/* The same of `check`: its diagnostics, and what searches found. */
void alike_check(const char *text, const json_t *doc, struct flaws *flaws);
#endif
