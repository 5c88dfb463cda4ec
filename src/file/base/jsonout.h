/*
 * jsonout.h - JSON written piece by piece, in the order in which it is told.
 *
 * Nothing is kept, so that the groups of a million ranks cost no memory. Whole numbers
 * are written as integers, reals with the fewest digits that read back the same.
 */
#ifndef FILE_JSONOUT_H
#define FILE_JSONOUT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSONOUT_DEPTH = 16 };

/* All zero but `out` is the beginning. Write errors are left to ferror(out). */
struct jsonout {
	FILE *out;
	int depth;
	int line;                  /* depth of the container that stands on one line, 0 without */
	char end[JSONOUT_DEPTH];   /* what closes each open container */
	bool begun[JSONOUT_DEPTH]; /* it has a member already */
};

/* key is NULL inside lists and for the whole text. A `row` stands on one line with all
 * that is in it. */
void jsonout_object(struct jsonout *j, const char *key);
void jsonout_list(struct jsonout *j, const char *key);
void jsonout_object_row(struct jsonout *j, const char *key);
void jsonout_list_row(struct jsonout *j, const char *key);
void jsonout_close(struct jsonout *j); /* the innermost container; a line end after the last */

void jsonout_int(struct jsonout *j, const char *key, int64_t v);
void jsonout_real(struct jsonout *j, const char *key, double v);
/* A count that a double holds: an integer where it is whole. */
void jsonout_count(struct jsonout *j, const char *key, double v);
/* Bytes: always whole, to the nearest. */
void jsonout_bytes(struct jsonout *j, const char *key, double v);
void jsonout_bool(struct jsonout *j, const char *key, bool v);
void jsonout_text(struct jsonout *j, const char *key, const char *v); /* NULL: null */
void jsonout_null(struct jsonout *j, const char *key);
#endif
