/*
 * keep.h - unsaved work survives a session that ends without asking: a copy of it is made
 * ready after each change and written within a second, and offered by the next session.
 */
#ifndef UI_KEEP_H
#define UI_KEEP_H
#include <stdbool.h>

#include "ui/state/state.h"

enum { KEEP_MS = 1000 }; /* from the first change that is not written to its writing */

/* All zero at first. */
struct keeper {
	bool ready;       /* a copy is, written or not: */
	struct plan plan; /* what it says */
	bool complained;
};

/* Before each picture, which the terminal may take its time to show: makes a copy ready
 * where it would say something else, removes it once nothing is unsaved. True when there is
 * one that is to be written. */
bool keep_unsaved(struct keeper *k, struct state *s);

/* Write what is ready and not written yet. */
void keep_written(struct keeper *k, struct state *s);

/* Make the draft ready and write it, at once. */
void keep_now(struct keeper *k, struct state *s);

/* Ask whether to recover what another session left of the plan that is open. */
void keep_offer(struct state *s);

/* The answer: returns event flags. */
unsigned keep_recover(struct state *s);
unsigned keep_discard(struct state *s);
#endif
