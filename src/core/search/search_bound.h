/*
 * search_bound.h - what leaves out many combinations at once that may be legal: none of them
 * can have the room or be as fast as asked.
 *
 * As search_cut.h asks rules, a walk asks here as soon as the fields that decide are in:
 *
 *   outer      GPUs, model and batch: these GPUs take too long for the products of all layers alone
 *   shards     sizes of TP, CP and experts: for each PP that can place the layers no layout has these
 *              sizes, or the state of all layers by stages with the ZeRO stage that takes least is more than a
 *              GPU has; a PP of which this is so is not looked at
 *   split      and micro-batch: no PP that has room divides the batch, or the work of all layers
 *              by stages takes too long, were nothing computed twice; or that with the traffic of
 *              TP, CP and experts that no early switch hides, where their groups lie the same
 *              with any PP
 *   kernels    and recompute: no PP leaves the first two ranks room for what they keep of the first
 *              micro-batches, or that work and traffic take too long with it, and with an optimizer
 *              on the host where state has no room on the GPU beside that
 *   batch      and the early switches: they take too long with these
 *   stages     and PP: with what the pipeline idles between equal stages of the most chunks too
 *              long
 *   chunks     and VPP: the same of this VPP too long, or no ZeRO stage leaves the first two ranks
 *              of any split room for what they keep of the first micro-batches (and once more
 *              when the split is in)
 *   pipeline   and the placement: what the micro-batches and the bubble take is too long,
 *              however state is sharded
 *   tail       and how state is sharded: with each switch at its fastest value the step takes too
 *              long, or no value of those that move state makes room; and after each switch; of training on
 *              rollouts, with the last field of the trainer, its update and the passes before it
 *
 * Of training on rollouts time is that of an update with rows of the mean length, from `stages` on,
 * where DP says how many rows are one.
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
	int shards_after, split_after, kernels_after, batch_after, stages_after, chunks_after;
	int pipeline_after, tail_after, trainer_after;
	int pp, vpp, split, copies, zero, context, dispatcher, overlap, offload;
	int tail;                     /* the first switch of those that have a fastest value */
};

void bounds_plan(struct bounds *b, const struct search_space *s);

enum {
	PLACED_MOST = 131072, PLACED_NOTED = 4096, FIRST_RANKS = 2
};

/* Layers of the first ranks of a pipeline. */
struct first_ranks {
	int count;
	bool least; /* no others of this PP hold less */
	struct rank_layers rank[FIRST_RANKS];
};

/* Findings of the plan before: all 0 in the beginning. */
struct bound_room {
	double state_most;            /* beside an engine that is awake */
	double update;                /* seconds of one of the trainer that is in; 0: not known */
	struct scope rows;            /* of plans with rows of the mean length */
	uint64_t outer;               /* 1 + values of the outer fields of which this is: */
	int placed[SPACE_VALUES_MAX]; /* of each PP the first VPP that places the layers, -1: none, */
	bool mapped;                  /* and, where there are not too many, which of all do, */
	uint16_t map[PLACED_MOST];    /* by PP, VPP and split: 0, or 1 + the place of the ranks, */
	int noted;                    /* of which there is room for so many; none of them is looked at when it is full */
	uint16_t noted_to[SPACE_VALUES_MAX]; /* up to there they are of this PP and those before */
	struct first_ranks ranks[PLACED_NOTED];
	struct traffic traffic;
	uint64_t shards;              /* 1 + values of the fields up to the shards of which these are: */
	bool full[SPACE_VALUES_MAX];  /* whether it has no layout or no room, */
	double optimizer[SPACE_VALUES_MAX]; /* and seconds that the optimizer takes at least, on the host where state has none, */
	uint32_t states[SPACE_VALUES_MAX]; /* of each a pair of bits for each way to shard and move state: known, full; */
	double moved;                 /* and on the host; INFINITY: none may leave */
	uint64_t weighed_sizes;       /* 1 + values of the sizes before the early switches of which these are: */
	bool crowded[SPACE_VALUES_MAX]; /* whether no ranks of a PP have room, */
	bool moves[SPACE_VALUES_MAX]; /* or none unless state leaves for the host; */
	uint32_t weighed[PLACED_NOTED]; /* by ranks, a pair of bits for each kind of these: known, full */
};

/* Put the fastest value of each switch of the tail from free field i on into p, and the fewest copies
 * of sharded state, with which most layouts are. */
void bounds_rest(const struct bounds *b, const struct search_space *s, int i, struct plan *p);

/* True when no combination that has value `digit` of `field` beside what is in has a layout and room, as
 * bounds_all found when all sizes before PP were in. */
bool bounds_skips(const struct bounds *b, const struct search_space *s, int field, int digit, uint64_t index,
    const struct bound_room *room);

/* True when no combination that begins like index up to `field`, as p has it put in, is within
 * what is enough. p is changed and put back. */
bool bounds_all(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct scope *scope, struct bound_room *room, const struct enough *enough);
#endif
