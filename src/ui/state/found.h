/*
 * found.h - the plans that there are to open or to write over: files at hand and examples.
 *
 * Looking for them is quick; what is in them is read a few at a time, while no key waits.
 */
#ifndef UI_FOUND_H
#define UI_FOUND_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/screen/theme.h"

struct state;

enum { FOUND_TEXT_SIZE = 64 };

struct found_plan {
	char *path;    /* owned */
	bool shipped;  /* an example */
	enum role role;
	char model[FOUND_TEXT_SIZE], gpus[FOUND_TEXT_SIZE]; /* "" until read, and of no plan */
	char verdict[FOUND_TEXT_SIZE];                      /* "fits: 61.2 of 79.2 GiB" */
};

struct found {
	struct found_plan *plan; /* owned; local files first */
	size_t count, read;      /* so many of them have been read */
};

/* Look anew. */
void found_look(struct state *s);
void found_free(struct found *f);

/* Read the next ones. False when there are none, or no memory to. */
bool found_read(struct state *s);
#endif
