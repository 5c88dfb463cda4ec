/*
 * keep.h - unsaved work survives a session that ends without asking: a copy of it is
 * written soon after each change, and offered by the next session.
 */
#ifndef UI_KEEP_H
#define UI_KEEP_H
#include <stdbool.h>
#include <stdint.h>

#include "ui/state.h"

enum {
	KEEP_QUIET_MS = 1000,   /* written when no key came for so long, */
	KEEP_STEADY_MS = 10000, /* or that long after the first change, keys or not */
};

/* All zero at first. */
struct keeper {
	bool kept, pending;    /* there is a copy; there is something to be written */
	struct plan plan;      /* what the copy says, or what could not be written */
	int64_t first, due;    /* pending: the first change, and when to write */
	bool complained;
};

/*
 * Once before each wait for a key: writes when it is time, removes the copy once nothing
 * is unsaved. now is in milliseconds; key: one came since the last call. Returns how long
 * to wait for the next key at most, in milliseconds, -1 for ever.
 */
int keep_unsaved(struct keeper *k, struct state *s, int64_t now, bool key);

/* Write what is unsaved and not written yet, at once. */
void keep_now(struct keeper *k, struct state *s);

/* Ask whether to recover what another session left of the plan that is open. */
void keep_offer(struct state *s);

/* The answer: returns event flags. */
unsigned keep_recover(struct state *s);
unsigned keep_discard(struct state *s);
#endif
