/*
 * gianttext.h - texts that are much of one thing: one word, keys, assignments, what opens and
 * never closes.
 */
#ifndef TORTURE_GIANTTEXT_H
#define TORTURE_GIANTTEXT_H
#include <stddef.h>

struct giant {
	const char *name;
	const char *head;  /* a text for its own importer, or for all of them */
	const char *piece; /* again and again; '@' in it is a number of its own */
	const char *close; /* as often behind them, NULL: not at all */
	const char *tail;
};
/* The first GIANTS_LONG are always as long as a file may be. */
enum { GIANTS_LONG = 3 };
extern const struct giant giants[];
extern const size_t giant_count;

/* Write one of up to `size` bytes, ended with a NUL that is not counted; returns its length. */
size_t giant_write(const struct giant *g, char *text, size_t size);
#endif
