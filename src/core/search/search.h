/*
 * search.h - the best plans among all combinations of the values of free fields.
 *
 * Every combination is decided: alone, by what estimate_peak says of it, or in bulk with
 * others by a rule that all of them break (search_cut.h) or a bound that none of them meets
 * (search_bound.h). Nothing else is left out, so the ranking is that of looking at every one.
 * How many are left out in bulk goes with how soon good ones are found, and so with the threads.
 */
#ifndef CORE_SEARCH_H
#define CORE_SEARCH_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/estimate/scope.h"
#include "core/search/search_bound.h"
#include "core/search/search_rollouts.h"
#include "core/search/search_space.h"
#include "core/search/search_target.h"

enum { SEARCH_EXPLAINED = 200000, SEARCH_OBJECTIVES_MAX = 3, SEARCH_CONDITIONS_MAX = 8, SEARCH_THREADS_MAX = 64 };

/* A question; read only while the search runs. */
struct search {
	const struct search_space *space;
	int objectives;
	struct search_target objective[SEARCH_OBJECTIVES_MAX]; /* the later ones where those before tie */
	bool front;       /* of several the Pareto front instead */
	int conditions;
	struct search_condition condition[SEARCH_CONDITIONS_MAX];
	int around;       /* at most so many free fields differ from the plan; 0: any number */
	bool tight;       /* what fits, but not for certain, qualifies too */
	/* So many steps of a worker's walk what does not qualify is worked out and counted too, after them
	 * as far as it may be nearer: `nearest` holds. 0: what qualifies is asked for. */
	uint64_t explains;
	bool exhaustive;  /* cut nothing: for tests */
};

/* A combination that counts: what it scores, less is better; of those as good as each other the
 * faster, then the one that gets more tokens done. Those with all these numbers and the memory in
 * common are one, which stands for `like` more: their simplest. */
enum { SEARCH_SPARES = 256 };
enum { TIE_TIME, TIE_TOKENS, TIES_RANKED, TIE_MEMORY = TIES_RANKED, SEARCH_TIES };
struct search_key {
	uint64_t index, like;
	double score[SEARCH_OBJECTIVES_MAX], tie[SEARCH_TIES];
};

struct search_counts {
	uint64_t cut;          /* left out in bulk; with `around` not counted */
	uint64_t decided;      /* one by one: the sum of the next three */
	uint64_t illegal, over_memory, evaluated;
	uint64_t tight;        /* of over_memory: they may fit; as far as that is worked out */
	uint64_t qualified;    /* of evaluated: they were ranked, as far as that is worked out */
	uint64_t unknown;      /* of evaluated: an objective has no value */
	uint64_t failed[SEARCH_CONDITIONS_MAX]; /* of evaluated: the first condition that does not hold */
};

/*
 * What one thread works with and finds. Large: allocate it, with room for the keys to keep:
 * the best, or the front, which has to fit. All of them have room
 * for as many.
 */
struct search_worker {
	struct search_counts counts;
	uint64_t told;              /* of decided, those that `control` knows of */
	uint64_t steps;             /* of the walk: values put in, how much was looked at in all; */
	uint64_t steps_told;        /* when `control` was told */
	size_t room, kept;
	struct search_key *key;     /* in order of rank, but for a front */
	bool full;                  /* the front had no room for all */
	size_t spares;              /* as good as the last of `key`, which had no room for them: */
	struct search_key spare[SEARCH_SPARES]; /* a simpler one that is alike may come yet */
	bool has_nearest;           /* of legal plans that do not qualify, */
	struct search_key nearest;  /* the one that misses least, of those that fit where any does */
	struct plan plan;
	struct scope scope;
	struct bound_room bound;
	struct rollouts rollouts;   /* of the outer fields that are in, */
	const struct rl_least *least; /* and with what else is */
	struct estimate estimate;
	struct rate_kept kept_runs; /* of the event loop */
};

/* State that threads share, and their stop: set `cancel` from any other thread. All zero is the
 * beginning. */
struct search_control {
	atomic_bool cancel;
	atomic_uint_fast64_t next;    /* part to be taken */
	atomic_uint_fast64_t decided; /* so far, for a display of progress */
	_Atomic double worst;         /* some thread has as many as are kept, none slower than this */
	atomic_uint_fast64_t parts;   /* of which `next` counts those that were taken */
	/* For a display of what is found meanwhile: each thread calls it now and then. NULL: nobody
	 * looks. */
	void (*tell)(void *context, const struct search_worker *w);
	void *context;
};

/* Whether anybody can know what is asked: false, with the field to set in err, where the plan does
 * not say what an objective or a condition needs and the space does not free it. */
bool search_is_known(const struct search *s, const struct plan *p, char *err, size_t size);

/* All combinations that `around` allows. */
uint64_t search_size(const struct search *s);

/* How many a search that was cancelled did not come to; with `around` those that it cut are among them. */
uint64_t search_left(const struct search *s, const struct search_counts *n, bool whole);

/* Run on so many threads, one worker each, this one among them; in the end worker[0] has what
 * all found, ranked. False when it was cancelled. The same for any number of threads. */
bool search_run(const struct search *s, struct search_worker *worker, int threads,
    struct search_control *control);

/* What of an open loop objectives and conditions ask for; plan and estimate of a combination, complete but for
 * the rest of that. */
enum follow search_depth(const struct search *s);
void search_look(const struct search *s, uint64_t index, struct plan *p, struct estimate *e);
#endif
