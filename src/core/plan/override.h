/*
 * override.h - values that a user gives, and what a plan says over the catalogue's numbers or
 * its mode's layout when it takes another entry or mode.
 *
 * The screen, its lines and the command line all drop overrides here, and say it.
 */
#ifndef CORE_OVERRIDE_H
#define CORE_OVERRIDE_H
#include <stddef.h>

#include "core/plan/field.h"

struct overrides {
	size_t count;
	enum field_id field[FIELD_COUNT];
};

/* A value for a field, as typed. */
struct setting {
	enum field_id field;
	const char *value;
};

/*
 * Put values in, all of them before anything is resolved. What names an entry or the mode comes
 * first, as it drops overrides of the plan, and none of those given with it. False, with the
 * one that its field refuses in *wrong and the reason in err; p may hold some of them then.
 */
bool overrides_put(const struct setting setting[], size_t count, struct plan *p,
    struct overrides *dropped, const struct setting **wrong, char *err, size_t size);

/*
 * Where `after` names another GPU, model or mode than `before`, that one brings its own values:
 * what `before` set over those of the old one follows the catalogue or the mode again in
 * `after`. What describes the node and the network stays. `dropped` lists the fields; that they are
 * unset in `after` already does not matter. Call plan_resolve afterwards.
 */
void overrides_drop(const struct plan *before, struct plan *after, struct overrides *dropped);

/* "2 overrides of the old one dropped: GPU memory 70 GiB, memory speed 3000 GB/s"; nothing
 * where there is none. Returns the length. */
size_t overrides_text(const struct overrides *dropped, const struct plan *before, char *buf,
    size_t size);
#endif
