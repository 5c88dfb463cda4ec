/*
 * search_rollouts.h - how good training on rollouts is at best with some of its engines, however its
 * trainer is split.
 *
 * A trainer takes no notice of what rollouts alone are made of, the last of the free fields
 * (search_make.c). So their engines are worked out once, before the first trainer is looked at. As
 * long as some of their fields are not in, each number is the least with any value of those.
 * Private to the search.
 */
#ifndef CORE_SEARCH_ROLLOUTS_H
#define CORE_SEARCH_ROLLOUTS_H
#include <stdbool.h>
#include <stdint.h>

#include "core/rl/rl.h"
#include "core/rl/rl_engine.h"
#include "core/search/search_space.h"
#include "core/search/search_target.h"

enum { ROLLOUTS_MOST = 32768 };

struct rollouts {
	uint64_t outer;      /* 1 + values of the outer fields of which these are; 0: of none */
	bool known;          /* there are not too many */
	size_t first[SPACE_FIELDS_MAX + 1]; /* by how many fields are in, the first of */
	struct rl_least least[ROLLOUTS_MOST]; /* by their values; times are parts of what t counts */
	struct rl_engine engine[ROLLOUTS_MOST]; /* of all values */
	bool runs[ROLLOUTS_MOST];
};

/* Find all of p, which has the outer fields of index; t: the objective. */
void rollouts_find(struct rollouts *r, const struct search_space *s, const struct search_target *t,
    uint64_t index, const struct plan *p);

/* With the free fields up to `field`. */
const struct rl_least *rollouts_least(const struct rollouts *r, const struct search_space *s,
    int field, uint64_t index);

/* Of a combination; NULL: not known. */
const struct rl_engine *rollouts_engine(const struct rollouts *r, const struct search_space *s,
    uint64_t index);
#endif
