/*
 * search_wishes.h - which fields of a plan a search frees, and over which values.
 */
#ifndef CORE_SEARCH_WISHES_H
#define CORE_SEARCH_WISHES_H
#include <stdbool.h>

#include "core/plan/field.h"
#include "core/plan/plan.h"

enum { SPACE_FIELDS_MAX = 24 };

/* Which fields are free, and over which values: "8,16,32", "1..64" (in the field's steps), or
 * NULL for all that can be legal. */
struct wishes {
	int count;
	struct wish {
		enum field_id field;
		const char *values;
	} item[SPACE_FIELDS_MAX];
};

/* What is free unless somebody says otherwise: parallel sizes, and in train mode micro-batch,
 * ZeRO stage and recompute. */
void wishes_usual(struct wishes *w, const struct plan *p);

/* Free one more, or change its values; false when there are too many. */
bool wishes_free(struct wishes *w, enum field_id f, const char *values);
void wishes_fix(struct wishes *w, enum field_id f);

/* The place of a field's wish, `count` where it has none. */
int wishes_find(const struct wishes *w, enum field_id f);
#endif
