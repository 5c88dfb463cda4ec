/*
 * values.h - values of fields as one would type them: the ends of their range and beyond.
 */
#ifndef TORTURE_VALUES_H
#define TORTURE_VALUES_H
#include <stddef.h>

#include "core/plan/catalog.h"
#include "core/plan/field.h"
#include "random.h"

/* One that the table takes: an end of the range, nearly one, nothing, huge, tiny, any of the
 * choices, a name of the catalogue. */
void value_extreme(struct dice *d, const struct catalog *catalog, enum field_id f, char *buf,
    size_t size);
#endif
