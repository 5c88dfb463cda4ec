/*
 * search_live.h - a search that runs beside the screen, and what it has found by now.
 */
#ifndef CLI_SEARCH_LIVE_H
#define CLI_SEARCH_LIVE_H
#include "core/search/search.h"

struct search_live;
struct search_news; /* ui/state/search_view.h */

/* Threads that a search takes on this machine: one a core. */
int search_threads(void);

/* Seconds of a clock that nobody sets. */
double search_clock(void);

/* The day here, counted from 1970-01-01 on. */
int64_t search_today(void);

/* Begin one; *live is that of the last one, which has ended, or NULL. s->space outlives it.
 * False with the reason in note. */
bool search_live_begin(struct search_live **live, const struct search *s, size_t room, char *note,
    size_t size);

/* How far it is, and its keys in order of rank: as many as it has room for. */
void search_live_news(struct search_live *live, struct search_news *news, struct search_key *key);

/* Have it end, and wait until it has: what it has found by now stays. */
void search_live_stop(struct search_live *live, bool wait);
void search_live_free(struct search_live *live);
#endif
