/*
 * search_rank.h - which of two combinations is better, and the keeping of the best.
 */
#ifndef CORE_SEARCH_RANK_H
#define CORE_SEARCH_RANK_H
#include "core/search/search.h"

/* Models are ranked by their size: of each size, whatever the names of its models, the best plan is kept alone. */
bool rank_is_of_sizes(const struct search *s);

/* The key of that size; NULL where none is kept. */
const struct search_key *rank_of_size(const struct search_worker *w, double score);

/* Keep a key among the best of w, with those that are like it, or let it go. */
void rank_keep(const struct search *s, struct search_worker *w, const struct search_key *key);

/* False where no key that scores as `best` or worse is kept. */
bool rank_may_keep(const struct search *s, const struct search_worker *w, const struct search_key *best);

/* Keep the key that misses least. */
void rank_nearest(const struct search *s, struct search_worker *w, const struct search_key *key);

/* Add the findings of another worker to w. */
void rank_merge(const struct search *s, struct search_worker *w, const struct search_worker *from);

/* The keys of a front in order of rank. */
void rank_sort(const struct search *s, struct search_worker *w);
#endif
