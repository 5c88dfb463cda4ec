/*
 * search_cut.h - what leaves out many combinations at once, and why no good one is among them.
 *
 * A walk puts the values of free fields into a plan one after the other. As soon as all that a
 * rule of legality reads is in, the rule is asked: when it is broken, every combination that
 * begins like this is illegal, whatever else it has.
 */
#ifndef CORE_SEARCH_CUT_H
#define CORE_SEARCH_CUT_H
#include <stdbool.h>
#include <stdint.h>

#include "core/search/search_space.h"

enum { CUTS_MAX = 64 };

/* Which rules to ask when a field is in: bit i of after[field], the i-th rule of search_cut.c. */
struct cuts {
	uint64_t after[SPACE_FIELDS_MAX];
	int placed_after; /* the field after which layers can be placed */
};

void cuts_plan(struct cuts *c, const struct search_space *s);

/* True when p, of which the free fields up to `field` hold, breaks one of the rules that may
 * be asked after it. */
bool cuts_all(const struct cuts *c, int field, const struct plan *p);
#endif
