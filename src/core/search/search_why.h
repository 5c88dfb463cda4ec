/*
 * search_why.h - what holds a found plan back, and why it is better than another.
 */
#ifndef CORE_SEARCH_WHY_H
#define CORE_SEARCH_WHY_H
#include "core/search/search.h"
#include "core/search/search_space.h"
#include "core/search/search_target.h"

/*
 * The largest part of the step besides useful compute: "memory" (what is computed again to
 * save it), "bubble", "communication" or "optimizer"; "compute" where none of them takes a
 * twentieth of the step. Of a step of phases the longest one, where that is not of updates. Of serving "prefill" or "decode", whichever takes more of a request;
 * "" where nothing is timed.
 */
const char *search_binds(const struct plan *p, const struct estimate *e);

/*
 * By what plan p, of estimate a, is better than q, in the number that ranks them: of a time, a rate
 * or a memory the terms that differ, largest first, "0.31 s less bubble, 0.05 s more recompute", of
 * all GPUs together where a number of each GPU ranks plans of more and fewer; of others their
 * values. Where that is the same for both, the terms of the time that breaks the tie. A further
 * token of a request counts as often as p has it. "" where none differs. Returns the length.
 */
size_t search_why(const struct search_target *t, const struct plan *p, const struct estimate *a,
    const struct plan *q, const struct estimate *b, char *buf, size_t size);

/* Of a space without a legal combination the rule that the first of them breaks, of several one
 * that no free field is about, and what mends it where that is not free. Returns the length. */
size_t search_obstacle(const struct search_space *space, char *buf, size_t size);

/* Why nothing was found, line i; false past the last. And plans without a value of an objective have no rank:
 * of how many nobody knows it, and what would tell. */
bool search_nothing(const struct search *s, const struct search_counts *n, int i, char *buf, size_t size);
void search_unknown(const struct search *s, const struct search_counts *n, char *buf, size_t size);

/* What a plan that does not qualify has in place of what was asked: "run.days 88.4 days". */
void search_missed(const struct search *s, const struct plan *p, const struct estimate *e, char *buf,
    size_t size);
#endif
