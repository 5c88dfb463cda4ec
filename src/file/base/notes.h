/*
 * notes.h - lines for the user about what was read or written: each of them one line, fit
 * for a terminal.
 */
#ifndef FILE_NOTES_H
#define FILE_NOTES_H
#include <stddef.h>

#include "core/base/text.h"
#include "file/base/limits.h"
#include "file/base/textbuf.h"

enum { NOTE_SIZE = 256 };

/* The first NOTES_MAX lines, each with its end; `dropped` counts the rest. All zero is empty. */
struct notes {
	size_t count, dropped;
	struct textbuf lines;
};

/* Add a line. What others wrote is made harmless here, and what is too long is cut. */
void notes_add(struct notes *n, const char *fmt, ...) TEXT_FORMAT(2, 3);

/* Take back the line that begins with `what`, or has it behind an arrow, if there is one. */
void notes_drop(struct notes *n, const char *what);

/* Take back all that was added since *n was as before. */
void notes_cut(struct notes *n, const struct notes *before);

void notes_free(struct notes *n);
#endif
