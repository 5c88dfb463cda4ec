/*
 * search_why.h - what holds a found plan back, and why it is better than another.
 */
#ifndef CORE_SEARCH_WHY_H
#define CORE_SEARCH_WHY_H
#include "core/search/search_target.h"

/*
 * The largest part of the step besides useful compute: "memory" (what is computed again to
 * save it), "bubble", "communication" or "optimizer"; "compute" where none of them takes a
 * twentieth of the step. Of serving "prefill" or "decode", whichever takes more of a request;
 * "" where nothing is timed.
 */
const char *search_binds(const struct plan *p, const struct estimate *e);

/* The terms by which a scores other than b, largest first: "0.31 s less bubble, 0.05 s more
 * recompute". "" where none differs. Returns the length. */
size_t search_why(const struct search_target *t, const struct estimate *a,
    const struct estimate *b, char *buf, size_t size);
#endif
