/*
 * typing.h - keys and words while a prompt or a question is open.
 */
#ifndef UI_TYPING_H
#define UI_TYPING_H
#include "ui/state/state.h"

/* A key; returns event flags. */
unsigned typing_key(struct state *s, int32_t key);

/* "TP (1 to 64 ranks): " */
void typing_label(const struct state *s, char *buf, size_t size);

/* The line below it: what Tab can choose from, or what may be typed. */
void typing_hint(const struct state *s, char *buf, size_t size);

/* Question in one line, with what it takes; and those keys alone, ended by one without a key. */
void typing_question(const struct state *s, char *buf, size_t size);

enum { REPLIES_MAX = 3 };

struct reply {
	const char *key, *what;
};

const struct reply *typing_replies(const struct state *s);
#endif
