/*
 * field_set.h - some fields of the table: those that a user has just asked for.
 */
#ifndef CORE_FIELD_SET_H
#define CORE_FIELD_SET_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/field.h"

struct field_set {
	uint64_t word[PLAN_SET_WORDS]; /* one bit a field; all zero: none */
};

static inline void
field_set_add(struct field_set *s, enum field_id f)
{
	if (f < FIELD_COUNT)
		s->word[f / 64] |= UINT64_C(1) << f % 64;
}

/* s may be NULL: no field. */
static inline bool
field_set_has(const struct field_set *s, enum field_id f)
{
	return s != NULL && f < FIELD_COUNT && (s->word[f / 64] >> f % 64 & 1) != 0;
}
#endif
