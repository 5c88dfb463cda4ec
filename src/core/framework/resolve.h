/*
 * resolve.h - the values of the fields that the user did not set: of the catalogue, of the
 * framework's rules over other fields, of the table of fields.
 */
#ifndef CORE_FRAMEWORK_RESOLVE_H
#define CORE_FRAMEWORK_RESOLVE_H
#include "core/plan/field.h"
#include "core/plan/plan.h"

struct catalog;

/* Every field at its default, nothing set. */
void plan_defaults(struct plan *p);

/* The built-in plan: 2 nodes of 8 GPUs, TP 2, PP 4 (with those fields set, TP and PP offered). */
void plan_builtin(struct plan *p);
/* The built-in plan, still to be resolved. */
void plan_begin(struct plan *p);

/*
 * Give every field that is not set its value: from the catalogue entry that
 * cluster.gpu or model.preset names, else from the rule of a derived field (ETP
 * follows TP, ...), else the default. An alias of an entry becomes the entry's name; names
 * that the catalogue does not hold are left to plan_check. catalog may be NULL: then only rules and defaults apply.
 * Call it after any change of a plan; it is idempotent.
 */
void plan_resolve(struct plan *p, const struct catalog *catalog);

/* Resolve a plan of which this field alone has another value since it was resolved. */
void plan_resolve_field(struct plan *p, enum field_id f, const struct catalog *catalog);

/* Resolve a plan of which only fields of `parallel`, `training` and `serving` that name no
 * catalogue entry changed since it was resolved: work out what follows them, at the price of a
 * few of its fields. For walks over many plans. */
void plan_follow(struct plan *p);

/* True where plan_follow may change f as `followed` changes; and for a field that any follows:
 * after others plan_follow changes nothing. */
bool plan_follows(enum field_id f, enum field_id followed);
bool plan_is_followed(enum field_id f);
#endif
