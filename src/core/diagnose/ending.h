/*
 * ending.h - how a run ended, where lines say so: one row an ending, with what to look at and what mends it.
 *
 * Causes (cause.h) explain numbers; an ending explains that there are no more of them. The one whose line comes first
 * is told first: others often follow from it, as ranks wait for one that has died.
 */
#ifndef CORE_ENDING_H
#define CORE_ENDING_H
#include "core/diagnose/measured.h"
#include "core/estimate/result.h"

struct ending {
	const char *id;
	enum evidence_id says;   /* evidence_tells: what happened */
	enum result_id tells;    /* what the plan takes of what ran out; RESULT_COUNT: nothing did */
	const char *confirm, *fix, *source;
};

enum { ENDINGS_MOST = 24 };

/* The endings that lines say, in the order of their first lines. Returns how many. */
size_t endings_of(const struct measured *m, const struct ending *out[ENDINGS_MOST]);

/* "host memory 45.2 GiB of a GPU": what the plan takes of it, "" where that is nothing. */
void ending_plan(const struct ending *of, const struct estimate *e, char *buf, size_t size);
#endif
