/*
 * search_room.h - which PP, VPP and splits place the layers, and which of them have room.
 *
 * What places the layers is known of the outer fields and PP, VPP and split, whatever the sizes.
 * What a GPU holds at least is known before the split is in, and before how state is sharded: the
 * first two ranks hold the layers that are placed on them and, as far as schedules agree, what
 * the first micro-batches leave there (schedule_flight_least). Each term of memory.c grows with
 * what is kept, so none of these is more than the plan takes. Private to the search.
 */
#ifndef CORE_SEARCH_ROOM_H
#define CORE_SEARCH_ROOM_H
#include "core/search/search_bound.h"

/* Put a value of a free field in, or leave the plan's where it is not free; how many it has. */
void room_put(const struct search_space *s, int field, int digit, struct plan *p);
int room_values(const struct search_space *s, int field);

/* True when no combination that begins like index up to `field` places the layers: the same as a
 * rule would say, known before the field is in. */
bool room_unplaced(const struct bounds *b, const struct search_space *s, int field, uint64_t index,
    struct plan *p, struct bound_room *room);

/* The last VPP that places the layers on the PP of index, or of all where that is not known. */
int room_last_vpp(const struct bounds *b, const struct search_space *s, uint64_t index,
    const struct bound_room *room);

/* 1 + values of the fields up to the shards. */
uint64_t room_shards(const struct bounds *b, const struct search_space *s, uint64_t index);

/* No PP has a layout and room for the state of all layers by stages; which of them have is left in room. */
bool room_all_full(const struct bounds *b, const struct search_space *s, uint64_t index,
    struct plan *p, struct bound_room *room, const struct memory_limit *limit);

/* No PP that has room leaves a DP that divides the batch into micro-batches. */
bool room_all_odd(const struct bounds *b, const struct search_space *s, const struct plan *p,
    const struct bound_room *room);

/* After all sizes before the early switches: no PP has a layout, a DP that divides the batch and, with any of these switches,
 * room on the first two ranks; which of them have is left in room. */
bool room_all_crowded(const struct bounds *b, const struct search_space *s, uint64_t index, struct plan *p,
    struct scope *scope, struct bound_room *room, const struct memory_limit *limit);

/* A PP has none, as far as that is known of the sizes of index. */
bool room_is_full(const struct bounds *b, const struct search_space *s, int pp, uint64_t index, const struct bound_room *room);

/* Seconds that the optimizer takes at least with a PP, as far as that is known. */
double room_optimizer(const struct bounds *b, const struct search_space *s, int pp, uint64_t index, const struct bound_room *room);

/* After PP, after all sizes before the split, or after the split: no ZeRO stage, and no split where it is not
 * in, has room on the first two ranks. */
bool room_stages_full(const struct bounds *b, const struct search_space *s, int field,
    uint64_t index, struct plan *p, struct scope *scope, struct bound_room *room,
    const struct memory_limit *limit);

/* Values of the switches from free field i on that leave most memory, but of those of which each
 * has to be looked at: the first of these, s->rollouts for none. */
int room_put_lightest(const struct search_space *s, int i, struct plan *p);
#endif
