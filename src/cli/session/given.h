/*
 * given.h - what a command line says of a plan: options, and words (shorthand.h), as settings.
 */
#ifndef CLI_GIVEN_H
#define CLI_GIVEN_H
#include <stdbool.h>
#include <stddef.h>

#include "cli/base/options.h"
#include "core/plan/catalog.h"
#include "core/plan/override.h"
#include "core/plan/plan.h"

struct given {
	size_t count;
	struct setting *setting; /* owned, and so are the values in text */
	char **text;
	size_t texts;
};

/*
 * Options come first: what words mean may depend on them, and on the plan (64xh100: the GPUs of its nodes). Models may be called as their checkpoints are, or by any part of a name that no other has. False
 * after a message; given_free in either case.
 */
bool given_read(struct given *g, const struct options *o, const struct plan *p, const struct catalog *catalog);
void given_free(struct given *g);
#endif
