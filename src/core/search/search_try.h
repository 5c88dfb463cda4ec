/*
 * search_try.h - which of the best plans are worth a measurement.
 *
 * Plans that differ in nothing but how finely a pipeline is cut are all as fast as their first one
 * or none is, so measurements go to plans of different kinds.
 */
#ifndef CORE_SEARCH_TRY_H
#define CORE_SEARCH_TRY_H
#include "core/search/search.h"

enum { TRIES_MAX = 5 };

/* Plans whose sizes of groups, and what they compute again or shard at all, are alike. */
bool search_same_kind(const struct plan *p, const struct plan *q);

/* Places of these among `count` keys in order of rank: the first, and the first of each other kind
 * that a measurement may put before it. Returns how many; 0 where nothing is timed or no other
 * kind is as near. */
size_t search_try(const struct search *s, const struct search_key *key, size_t count,
    size_t at[TRIES_MAX]);
#endif
