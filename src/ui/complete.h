/*
 * complete.h - what Tab goes on with at a prompt: commands, fields, their values, names of
 * all that commands take, paths.
 */
#ifndef UI_COMPLETE_H
#define UI_COMPLETE_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/line.h"

struct state;

struct completion {
	char **word;            /* ways to go on; owned. None: no completion is under way */
	size_t count, at;       /* at: the one that stands in the line */
	char before[LINE_SIZE]; /* of the line: up to the word, and after it */
	char after[LINE_SIZE];
};

/* Tab (way 1) and Shift-Tab (-1) in the state's line: find what can follow and put in the
 * first, or put in the next one. False when nothing begins like the word. */
bool complete_step(struct state *s, int way);

/* True where there is something to choose from, whatever was typed: not where a number
 * goes. */
bool complete_is_choice(const struct state *s);

/* The line was edited, or is not needed any more. */
void complete_stop(struct completion *c);

/* The ways to go on, as many as fit in w columns around the chosen one, which stands in
 * brackets; "" while there is nothing to choose from. */
void complete_list(const struct completion *c, int w, char *buf, size_t size);

/* One line about what is being typed at the ":" prompt: the command, or the field and what
 * it can be; "" without anything to say. */
void complete_about(const struct state *s, char *buf, size_t size);

/* True when Tab knows what a command's argument can be. */
bool complete_knows(const char *command);
#endif
