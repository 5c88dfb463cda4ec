/*
 * texts.h - what the screen says, in another language than English.
 *
 * A line is keyed by the English that it stands for, as the code has it: where that has
 * conversions ("%lld layers"), they match what was printed, which is looked up in turn. So the
 * core goes on making sentences with their values in and knows of no language; gettext would have
 * to be asked before that, and follows the locale, where this follows a setting. English without
 * a line stays as it is.
 */
#ifndef CORE_TEXTS_H
#define CORE_TEXTS_H
#include <stdbool.h>
#include <stddef.h>

enum { TEXTS_SIZE = 1024 }; /* of one line said, with its NUL */

struct texts_line {
	const char *english, *other;
	const char *piece; /* the longest run of it without conversions, of `run` bytes */
	size_t run;
	size_t weight;    /* bytes of the English outside its conversions */
	bool varies;      /* it has some */
	char first, last; /* its first and last byte, 0 where a conversion is there */
};

struct texts {
	char *text;              /* owned; line[] points into it */
	struct texts_line *line; /* owned; in the order of what begins them (texts.c) */
	size_t count, fixed;     /* all; those without conversions, which come first */
};

/* Make a table of the content of a file, which it takes: English, and below it, set in by a tab,
 * what is said in its place, where %1 is what the first conversion became. '#' begins a comment.
 * False, with the reason and nothing taken, without memory or when a line is wrong. */
bool texts_init(struct texts *t, char *content, char *why, size_t size);
void texts_free(struct texts *t);

/* What stands for an English text; itself where nothing does, t is NULL, or it has no room. Columns
 * set apart by two blanks or more are said each by itself, and begin where they did. */
const char *texts_say(const struct texts *t, const char *english, char *buf, size_t size);
#endif
