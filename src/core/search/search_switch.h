/*
 * search_switch.h - fields that leave the result of training alone and change what a step takes:
 * switches, and what a search knows of each before it looks at a plan.
 *
 * What decides how traffic and kernels go comes early in a walk. Of each other one a value is
 * never slower than the others, whatever else is set, so that a plan with all of those is no
 * slower than any with its sizes; which of them take least memory is looked for.
 */
#ifndef CORE_SEARCH_SWITCH_H
#define CORE_SEARCH_SWITCH_H
#include <stdbool.h>

#include "core/plan/field.h"
#include "core/plan/plan.h"

struct switch_row {
	enum field_id field;
	unsigned sets;        /* enum rule_set: frameworks that have it */
	bool experts;         /* a dense model has no use for it */
	bool early;           /* neither value is always the faster: it goes before the pipeline */
	int64_t apart;        /* of an early one: the value that is computed in another way than the */
	bool lighter;         /* others, which takes less work, or more */
	bool most;            /* of a later one: the highest value is the fastest, or the lowest */
	/* Which value leaves a GPU most memory. */
	enum switch_memory { MEMORY_ANY, MEMORY_FASTEST, MEMORY_SLOWEST, MEMORY_NOBODY_KNOWS } memory;
	/* NULL, or whether it has an effect with the sizes of p; without one it is `idle`. */
	bool (*matters)(const struct plan *p);
	int64_t idle;
};

/* In the order of a walk; NULL for a field that is none. */
enum { SWITCHES = 10 };
extern const struct switch_row switch_table[SWITCHES];
const struct switch_row *switch_of(enum field_id f);

/* The plan's framework, release and GPU have it, and its model has a use for it. */
bool switch_is_built(const struct switch_row *row, const struct plan *p);
#endif
