/*
 * share.h - sanitizers make tests five times slower. With them a loop over cases that are alike takes
 * a third of these, another third for each $MONKEY_SEED; without them it takes all.
 */
#ifndef TESTS_CORE_SHARE_H
#define TESTS_CORE_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum { SHARE_OF = 3 };

static inline bool
has_sanitizer(void)
{
#if defined __SANITIZE_ADDRESS__
	return true;
#elif defined __has_feature
#if __has_feature(address_sanitizer)
	return true;
#endif
#endif
	return false;
}

static inline bool
in_share(size_t i)
{
	const char *seed = getenv("MONKEY_SEED");

	return !has_sanitizer() || (i + (seed != NULL ? strtoul(seed, NULL, 10) : 0)) % SHARE_OF == 0;
}

/* How many of n that are drawn by chance, one after another. */
static inline int
share_of(int n)
{
	return has_sanitizer() ? n / SHARE_OF : n;
}

#endif
