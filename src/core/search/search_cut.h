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

#include "core/rules/check.h"
#include "core/search/search_space.h"

enum { CUTS_MAX = CHECK_RULES_MAX + 16 };

/* Which rules to ask when a field is in: from first on, and from facts on with these. */
struct cuts_after {
	int first, facts, end;
	bool places; /* placement is among the facts */
};

struct cuts {
	int count;
	const struct rule *rule[CUTS_MAX];
	struct cuts_after after[SPACE_FIELDS_MAX];
};

void cuts_plan(struct cuts *c, const struct search_space *s);

/* True when no layout has the TP, CP, PP and sizes of experts of p, whatever else it has. */
bool cuts_sizes(const struct plan *p);

/* True when p, of which the free fields up to `field` hold, breaks one of the rules that may
 * be asked after it. */
bool cuts_all(const struct cuts *c, int field, const struct plan *p);
#endif
