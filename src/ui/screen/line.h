/*
 * line.h - one line of text being edited.
 */
#ifndef UI_LINE_H
#define UI_LINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_SIZE = 1100 };

struct line {
	char text[LINE_SIZE]; /* UTF-8, ended */
	size_t cursor;        /* byte offset of a character's start, or the end */
	bool fresh;           /* nothing typed yet: a character replaces the whole text */
	bool full;            /* a character had no room, and the line is as it was then */
};

/* Start with a text, cursor at its end. fresh: the first character typed replaces it. */
void line_start(struct line *line, const char *text, bool fresh);

/* Use a key: characters, arrows, Home, End, Backspace, Delete, Ctrl-A/E/U/K/W/D. False
 * when it means nothing here. */
bool line_key(struct line *line, int32_t key);
#endif
