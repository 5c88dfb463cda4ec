/*
 * words.h - the ways to go on with a line, to walk through with Tab.
 */
#ifndef UI_WORDS_H
#define UI_WORDS_H
#include <stddef.h>

#include "ui/screen/line.h"

struct words {
	char **word;            /* ways to go on; owned. None: no completion is under way */
	size_t count, at;       /* at: the one that stands in the line */
	char before[LINE_SIZE]; /* of the line: up to the word, and after it */
	char after[LINE_SIZE];
};

/* Take a word, once; without memory it is left out. */
void words_take(struct words *w, const char *word);

/* Put the word `at` into the line; it has room for so much. */
void words_put(const struct words *w, struct line *line);

/* The line was edited, or is not needed any more. */
void words_stop(struct words *w);

/* The ways to go on, as many as fit in `columns` around the chosen one, which stands in
 * brackets; "" while there is nothing to choose from. */
void words_list(const struct words *w, int columns, char *buf, size_t size);
#endif
