/*
 * settle.h - sizes that nobody set step to what the rest of a plan allows.
 */
#ifndef CORE_SETTLE_H
#define CORE_SETTLE_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/catalog.h"
#include "core/plan/plan.h"

/*
 * Of a resolved plan that is not legal, the sizes that are offered (field.h) go down to divisors
 * of themselves: to the largest that make it legal, else that leave the fewest errors in a
 * layout that exists; an offered batch goes up to the next multiple of what its ranks share.
 * Nothing else changes, and nothing does where that mends nothing. Of a plan that serves, legal or not,
 * offered sizes become those of the smallest engine that holds the weights. True where it changed the
 * plan, which is resolved again then.
 */
bool sizes_settle(struct plan *p, const struct catalog *catalog);

/* "PP steps back from 4 to 1", of the offered sizes that differ, and of a sequence length that
 * nobody set and the model's longest context shortened; nothing where none does. Returns the
 * length. */
size_t settle_text(const struct plan *before, const struct plan *after, char *buf, size_t size);
#endif
