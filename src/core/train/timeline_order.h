/*
 * timeline_order.h - the order of operations of one pipeline rank, by schedule.
 */
#ifndef CORE_TIMELINE_ORDER_H
#define CORE_TIMELINE_ORDER_H
#include "core/train/timeline.h"

/* Set in an entry of `order`: a forward that runs together with the backward after it. */
enum { TIMELINE_PAIR = 1 << 30 };

/* Index of an operation among those of its rank. */
static inline int64_t
timeline_index(const struct timeline *t, enum timeline_kind kind, int64_t chunk,
    int64_t microbatch)
{
	return ((int64_t)kind * t->chunks + chunk) * t->width + microbatch;
}

/* Micro-batches drawn that go through a chunk: all, or those of its direction. */
int64_t timeline_share(const struct timeline *t, int64_t chunk);

/* v-half and v-min only: find the slots of all ranks' operations, in the entries of `order`
 * behind the orders. Before timeline_order. */
void timeline_search(struct timeline *t);

/* Slots of a rank. */
int64_t timeline_slots(const struct timeline *t, int64_t drawn);

/* The content of a slot, until the rank's order is filled in and after: how far a micro-batch is
 * on its way down, up, and back (0 to 3), or -1 for nothing but weight gradients. */
int timeline_slot(struct timeline *t, int64_t rank, int64_t slot, int64_t *microbatch);

/* Fill in order, count and held of a rank, and mark its operations: those that it runs have
 * a start below 0 until it is known, the others an end below 0. */
void timeline_order(struct timeline *t, int64_t rank);
#endif
