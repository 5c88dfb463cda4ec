/*
 * override.h - what a plan says over the catalogue's numbers, when it takes another entry.
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

/*
 * Where `after` names another GPU or model than `before`, that one brings its own numbers:
 * what `before` set over the numbers of the old one follows the catalogue again in `after`.
 * What describes the node and the network stays. `dropped` lists the fields; that they are
 * unset in `after` already does not matter. Call plan_resolve afterwards.
 */
void overrides_drop(const struct plan *before, struct plan *after, struct overrides *dropped);

/* "2 overrides of the old one dropped: GPU memory 70 GiB, memory speed 3000 GB/s"; nothing
 * where there is none. Returns the length. */
size_t overrides_text(const struct overrides *dropped, const struct plan *before, char *buf,
    size_t size);
#endif
