/*
 * search_wishes.h - which fields of a plan a search frees, and over which values.
 */
#ifndef CORE_SEARCH_WISHES_H
#define CORE_SEARCH_WISHES_H
#include <stdbool.h>

#include "core/plan/field.h"
#include "core/plan/plan.h"

enum { SPACE_FIELDS_MAX = 32 };

/* Which fields are free, and over which values: "8,16,32", "1..64" (in the field's steps), or
 * NULL for all that can be legal. */
struct wishes {
	int count;
	struct wish {
		enum field_id field;
		const char *values;
		bool asked;   /* by somebody: it is not given up where there are too many combinations */
	} item[SPACE_FIELDS_MAX];
};

/* Names of many fields: what decides how a job is split, what leaves the result of training alone,
 * pipeline schedules, number formats, what a step or an engine works on at once. */
enum wish_group {
	WISH_SIZES, WISH_SWITCHES, WISH_SCHEDULE, WISH_FORMATS, WISH_BATCH, WISH_GROUPS
};

/* By name, WISH_GROUPS for none. */
enum wish_group wishes_group_find(const char *name);

/* Free, over all values, or fix those fields of a group that the plan's mode, framework, GPU and
 * model have. */
bool wishes_free_group(struct wishes *w, enum wish_group g, const struct plan *p);
void wishes_fix_group(struct wishes *w, enum wish_group g, const struct plan *p);

/* Free the fields that are unless somebody says otherwise: sizes, of rollouts too, and switches but of
 * training on rollouts, whose phases no bound cuts. */
void wishes_usual(struct wishes *w, const struct plan *p);

/* Free one more, or change its values, which stay as they are without new ones; false when there are too many. */
bool wishes_free(struct wishes *w, enum field_id f, const char *values);
void wishes_fix(struct wishes *w, enum field_id f);

/* Give up the first of those that nobody asked for and that say least: copies of state, switches that
 * leave memory alone, other switches. False where none is left. */
bool wishes_give_up(struct wishes *w);

/* The place of a field's wish, `count` where it has none. */
int wishes_find(const struct wishes *w, enum field_id f);
#endif
