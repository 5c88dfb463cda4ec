/*
 * undo.h - the plans of the session, to walk back and forth: the last UNDO_MOST of them.
 */
#ifndef UI_UNDO_H
#define UI_UNDO_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/plan.h"
#include "ui/state/summary.h"

/* A plan takes about 5 kB: the history stays below 6 MB. */
enum { UNDO_WHAT_SIZE = 64, UNDO_MOST = 1000 };

struct undo_entry {
	struct plan plan;
	char what[UNDO_WHAT_SIZE]; /* the change that led here: "TP 8" */
	bool legal, fits;          /* what its estimate was, once known */
	struct summary summary;
};

struct undo {
	struct undo_entry *entry; /* a ring; owned */
	size_t capacity;
	size_t count, now;        /* entries, and which of them is shown; count 0 before the first */
	size_t dropped;           /* older ones that are forgotten */
};

void undo_free(struct undo *u);

/* Note a new plan; what could be redone is forgotten, and the oldest one where there are too
 * many. False without memory: then the history is as before. */
bool undo_push(struct undo *u, const struct plan *plan, const char *what);

/* Entry i of count, the oldest first. */
struct undo_entry *undo_entry(const struct undo *u, size_t i);

/* The plan of entry i, which is shown from now on: what comes after it can be redone. NULL past
 * either end. */
const struct plan *undo_to(struct undo *u, size_t i);
#endif
