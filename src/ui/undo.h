/*
 * undo.h - every plan of the session, to walk back and forth.
 */
#ifndef UI_UNDO_H
#define UI_UNDO_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan.h"

enum { UNDO_WHAT_SIZE = 64 };

struct undo_entry {
	struct plan plan;
	char what[UNDO_WHAT_SIZE]; /* the change that led here: "TP 8" */
};

struct undo {
	struct undo_entry *entry; /* owned */
	size_t count, capacity, now; /* entry[now] is the plan shown; count 0 before the first */
};

void undo_free(struct undo *u);

/* Note a new plan; what could be redone is forgotten. False without memory: then the
 * history is as before. */
bool undo_push(struct undo *u, const struct plan *plan, const char *what);

/* The entry to show after one step back or forth, NULL at the end of the history. *what
 * is the change that was undone or redone. */
const struct plan *undo_back(struct undo *u, const char **what);
const struct plan *undo_forth(struct undo *u, const char **what);
#endif
