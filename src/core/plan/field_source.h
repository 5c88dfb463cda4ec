/*
 * field_source.h - where the value of a field is from: the user, a default, other fields.
 */
#ifndef CORE_FIELD_SOURCE_H
#define CORE_FIELD_SOURCE_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/field.h"

/* Where the value of a field is from. */
enum field_from {
	FROM_USER,         /* field_is_chosen */
	FROM_FIELDS,       /* it follows other fields: its value changes with theirs */
	FROM_DEFAULT,
	FROM_NOWHERE,      /* absent */
};

struct field_source {
	enum field_from from;
	enum field_id follows[FIELD_FOLLOWS_MAX]; /* FROM_FIELDS; FIELD_NONE for no other one */
};

/*
 * Files, forms and lists all ask this. A field that could follow others is the user's as
 * soon as it is set, whatever to; one that has a default only when it is set to something
 * else, as a saved plan says all of those, most of them as they would be anyway.
 */
struct field_source field_source(enum field_id f, const struct plan *p);

/* Whether the length of a sequence follows the model: nobody set it, and it is no longer than what
 * the model can tell places of (max_position). */
bool field_source_context(const struct plan *p);

/* The source of a value in words: "set", "follows layout and TP", "the default", "not set". */
size_t field_source_text(enum field_id f, const struct plan *p, char *buf, size_t size);
#endif
