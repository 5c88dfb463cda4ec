/*
 * levels.h - the network above a node, as cluster.levels describes it: leaf, spine, site.
 *
 * "8:450,128:50,3072:50,24576:50/7" are units of so many GPUs, from the node outwards, each with
 * what one GPU sends inside such a unit to others of it in GB/s, and how many times more its units
 * could send than their up-links carry: pods of 3,072 GPUs of Llama 3 share a seventh (arXiv
 * 2407.21783, section 3.3.1). Traffic that leaves a unit goes by the next entry.
 *
 * Rings and pipelines enter and leave a unit once, so all up-links of the members in a unit are
 * theirs: they wait only where there are fewer members in it than it is oversubscribed. In an
 * all-to-all each member sends over its own.
 *
 * "49152:5@10000" says besides that a small message takes so many microseconds from one unit below to the
 * next, in place of cluster.latency_us: between sites the way of light, 4.9 us a km of fibre (its index is
 * 1.468: Corning SMF-28 product information), and what switches and transport add. A ring passes each border between units once a
 * round, a tree once for each doubling of them.
 */
#ifndef CORE_LEVELS_H
#define CORE_LEVELS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan/plan.h"

enum { LEVELS_MAX = 8 };

struct levels {
	int count;
	struct level {
		int64_t gpus;       /* of a unit */
		double gbps, over;  /* GB/s of a GPU inside it; up-links of its units: 1 over this */
		double latency_us;  /* of a message between its units, 0: that of the network */
	} level[LEVELS_MAX];    /* from small to large */
};

/* False where it can not be read, with the reason in err. Without levels the count is 0. */
bool levels_of(struct levels *out, const struct plan *p, char *err, size_t size);

/* Units above a node as people call them: "leaf", "spine", "site". */
enum { LEVEL_UNITS = 3 };
const char *level_name(int unit);

/* The smallest of these that holds two GPUs, by their places among those of the cluster; one more than
 * the last where none does. -1: there are no levels above nodes. */
int level_between(const struct levels *levels, const struct plan *p, int64_t a, int64_t b);

/* What a group meets beyond its node. */
struct level_share {
	double ring, each;      /* shares of a card's rate that levels take from rings and sends, and from
	                         * each member of an exchange: 0 without levels */
	int64_t unit;           /* GPUs of the smallest unit that holds the group; 0: not known */
	double ring_lag, tree_lag, lag; /* seconds that levels add to a round of a ring, to a tree's way up, to a message */
};

/* The group has `members` of its `size` members in a unit, and `inside` in an NVLink domain, by this
 * function of the unit's GPUs; card is what a GPU sends to the network, in GB/s; hop
 * the seconds of a message over it. */
typedef int64_t level_members(const void *context, int64_t gpus);
struct level_share levels_share(const struct plan *p, int64_t size, int64_t inside, double card,
    double hop, level_members *members, const void *context);
#endif
