/*
 * lines.h - the lines of a stream, one at a time, in bounded memory.
 *
 * A line ends at a line feed or at the carriage return of a progress bar. Colours (ESC [ ... letter,
 * also "[36m" whose ESC was lost or written out) and NULs are taken out. What follows on a line after LINES_LONGEST bytes is passed over.
 */
#ifndef FILE_LINES_H
#define FILE_LINES_H
#include <stdbool.h>
#include <stddef.h>

#include "file/base/limits.h"
#include "file/log/source.h"

enum { LINES_READ = 262144 };

struct lines {
	struct source *in;
	unsigned line;             /* number of the one that was told last, from 1 */
	size_t at, filled;         /* in `read` */
	size_t cut;                /* lines that were longer than LINES_LONGEST */
	bool returned;             /* the last end was a carriage return */
	char text[LINES_LONGEST];
	char read[LINES_READ];
};

/* Large: allocate it. in stays the caller's. */
void lines_begin(struct lines *l, struct source *in);

/* The next line without its end in l->text, and its length; false at the end, where
 * l->in->failed tells why. */
bool lines_next(struct lines *l, size_t *length);
#endif
