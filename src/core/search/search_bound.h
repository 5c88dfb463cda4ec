/*
 * search_bound.h - what leaves out many combinations at once that may be legal: none of them
 * can have the room or be as fast as asked.
 *
 * As search_cut.h asks rules, a walk asks here as soon as the fields that decide are in:
 *
 *   shards     sizes of TP, CP and experts: the state of all layers by stages, for each PP that
 *              can place them and the ZeRO stage that takes least, is more than a GPU has
 *   split      and micro-batch: no PP that has room divides the batch, or the work of all layers
 *              by stages takes too long, were nothing computed twice
 *   batch      and recompute: that work takes too long with it
 *   chunks     and PP and VPP: with what the pipeline idles between equal stages too long
 *   pipeline   and the placement: what the micro-batches and the bubble take is too long,
 *              however state is sharded
 *   tail       and how state is sharded: with each switch at its fastest value the step takes too
 *              long, or no value of those that move state makes room; and after each switch
 *
 * Each is a number of train/ worked out for a part of the plan, of which it says itself that
 * the whole is no less; no formula stands here.
 */
#ifndef CORE_SEARCH_BOUND_H
#define CORE_SEARCH_BOUND_H
#include <stdbool.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/estimate/scope.h"
#include "core/search/search_space.h"

/* After which free field each is asked, and which of them these are, -1: not free. */
struct bounds {
	int shards_after, split_after, batch_after, chunks_after, pipeline_after, tail_after;
	int pp, vpp, split, zero, context, dispatcher;
	int tail;                     /* the first switch of those that have a fastest value */
};

void bounds_plan(struct bounds *b, const struct search_space *s);

enum { PLACED_BITS = 131072 };

/* What was found for the plan before: all 0 in the beginning. */
struct bound_room {
	uint64_t outer;               /* 1 + values of the outer fields of which this is: */
	int placed[SPACE_VALUES_MAX]; /* of each PP the first VPP that places the layers, -1: none, */
	bool mapped;                  /* and, where there are not too many, which of all do, */
	uint64_t map[PLACED_BITS / 64]; /* by PP, VPP and split, */
	struct traffic traffic;
	bool full[SPACE_VALUES_MAX];  /* and whether it has room with the shards that are in */
};

/* Put the fastest value of each switch of the tail from free field i on into p. */
void bounds_rest(const struct bounds *b, const struct search_space *s, int i, struct plan *p);

/* True when no combination that begins like index up to `field` places the layers: the same as a
 * rule would say, known before the field is in. */
bool bounds_unplaced(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct bound_room *room);

/* True when no combination that begins like index up to `field`, as p has it put in, is within
 * what is enough. p is changed and put back. */
bool bounds_all(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, struct bound_room *room, const struct enough *enough);
#endif
