/*
 * recall.h - lines typed before, to walk back to at the ":" prompt.
 */
#ifndef UI_RECALL_H
#define UI_RECALL_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/screen/line.h"

struct recall {
	char **line;           /* oldest first; owned */
	size_t count, capacity;
	size_t old;            /* so many of them are from earlier sessions */
	bool walking;
	size_t at;             /* while walking: the line shown, count for `typed` */
	char typed[LINE_SIZE]; /* what stood there before */
};

/* Take the lines of earlier sessions: a text of lines, each ended. */
void recall_load(struct recall *r, const char *lines);
void recall_free(struct recall *r);

/* Note a line; the same one before it is forgotten. Without memory it is not kept. */
void recall_add(struct recall *r, const char *line);

/* The line before (way -1) or after (1), with `like` only those that begin as what was
 * typed. False at the end. After the last comes what was typed. */
bool recall_walk(struct recall *r, int way, bool like, struct line *line);

/* The line was edited: the next walk begins anew. */
void recall_stop(struct recall *r);

/* The lines of this session, each ended; allocated, NULL without any or without memory. */
char *recall_new(const struct recall *r);
#endif
