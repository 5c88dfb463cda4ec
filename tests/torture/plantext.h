/*
 * plantext.h - texts that are nearly plans: made by the grammar of libconfig and the field
 * table, or made from real plans by small changes.
 */
#ifndef TORTURE_PLANTEXT_H
#define TORTURE_PLANTEXT_H
#include <stddef.h>

#include "core/plan/catalog.h"
#include "random.h"

enum { PLANTEXT_SIZE = 65536 };

/* Real plans to begin with. */
struct corpus {
	size_t count;
	char **text; /* each ended with a NUL */
};

/* Write a text, without an end of its own (it may hold any byte); returns its length. A base,
 * NULL without one, stands in most of what is made by the grammar. */
size_t plantext_random(struct dice *d, const struct corpus *corpus, const struct catalog *catalog,
    const char *base, char text[PLANTEXT_SIZE]);
#endif
