/*
 * search_score.h - what a plan that was worked out scores, and how far it is from what is asked of it.
 * Of others, score_verdict alone.
 */
#ifndef CORE_SEARCH_SCORE_H
#define CORE_SEARCH_SCORE_H
#include "core/search/search.h"

/* A legal plan has the room that is asked for; how far one without that room is from having it. */
bool score_has_room(const struct search *s, const struct estimate *e);
double score_memory_miss(const struct plan *p, const struct estimate *e);

/* How far a plan that fits is from the conditions; which one fails first is counted. */
double score_conditions_miss(const struct search *s, const struct plan *p, const struct estimate *e,
    struct search_counts *counts);

/* What a plan scores; false where some objective has no value. And the least that it can score, before
 * the events of an open loop are followed. */
bool score_plan(const struct search *s, const struct plan *p, const struct estimate *e,
    struct search_key *key);
void score_least(const struct search *s, const struct plan *p, const struct estimate *e,
    struct search_key *key);

/* The verdict of search_run on one plan: its key but for the index and true, or false when it does not
 * qualify. */
bool score_verdict(const struct search *s, const struct plan *p, const struct estimate *e,
    struct search_key *key);
#endif
