/*
 * search_walk.h - what one thread of a search walks with, and what is enough for the plans that it
 * meets: no more memory and time than those have that are kept. Private to the search.
 */
#ifndef CORE_SEARCH_WALK_H
#define CORE_SEARCH_WALK_H
#include "core/search/search.h"
#include "core/search/search_cut.h"

/* State of the walk of one thread. */
struct walk {
	const struct search *search;
	const struct search_space *space;
	const struct cuts *cuts;
	const struct bounds *bounds;
	struct search_worker *worker;
	struct search_control *control;
	bool whole;      /* some number asked for needs estimate_run, */
	enum follow events; /* or more of an open loop than means, */
	bool times;      /* or the time of a step, */
	bool by_time;    /* which alone decides the first objective, */
	bool by_memory;  /* or the fullest GPU does, */
	bool by_phases;  /* or the step with its rollouts does */
	bool scouts;     /* a few values of some fields stand for all: how slow the best may be */
	bool backward;   /* the last parts are looked at first */
	int known;       /* the free field after which a plan's score is, -1: its estimate says */
	int shared;      /* so many free fields are fixed by the part that was taken */
	uint64_t parts;
};

/* What is asked of one estimate of a plan that has the free fields up to `field`: no more than decides. */
struct enough walk_enough(const struct walk *w, int field);

/* Whether plans are left out that are not good enough. */
bool walk_narrows(const struct walk *w);

/* The free fields up to `field` are in, all outer ones among them: note what is known of rollouts. */
void walk_roll(const struct walk *w, int field, uint64_t index);

/* Rollouts with these have room, and leave time for a trainer, or for the one that is in. */
bool walk_rolls_out(const struct walk *w, int field);

/* What is asked of many plans at once, which have the free fields up to `field` in common. */
struct enough walk_enough_for_all(const struct walk *w, int field);

/* What the plan scores by the free fields up to `field` alone; false where only its estimate says it,
 * or not yet. */
bool walk_known_score(const struct walk *w, int field, double *score);

/* Of plans that are as good as the last of as many as are kept, the faster come first: the time of a
 * step with which one is among them, INFINITY for any. */
double walk_tied_seconds(const struct walk *w, int field);
#endif
