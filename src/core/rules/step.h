/*
 * step.h - what + and - make of a field.
 */
#ifndef CORE_STEP_H
#define CORE_STEP_H
#include <stdbool.h>

#include "core/plan/catalog.h"
#include "core/plan/field.h"

/* The neighbour of a whole number in the direction of way (1 or -1) by the field's step rule,
 * the range left aside; 0 past the last divisor of the world. */
int64_t step_number(enum field_id f, int64_t v, int way, int64_t world);

/*
 * The neighbour of a field's value in the direction of the sign of `way`, by its step
 * rule alone, into *next (a changed, resolved copy of *p). False at the end of the
 * range, and for fields that are typed only.
 */
bool step_plain(const struct plan *p, const struct catalog *catalog, enum field_id f, int way,
    struct plan *next);

/*
 * The nearest neighbour in that direction with which the plan has no error; where there
 * is none, the plain neighbour, so that a user can pass through illegal plans.
 */
bool step_legal(const struct plan *p, const struct catalog *catalog, enum field_id f, int way,
    struct plan *next);
#endif
