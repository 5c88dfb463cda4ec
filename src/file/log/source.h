/*
 * source.h - the bytes of a file or a pipe, plain, in UTF-16 or compressed by gzip, and a look ahead.
 */
#ifndef FILE_SOURCE_H
#define FILE_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct inflater; /* source.c */

struct source {
	FILE *in;                 /* the caller's */
	struct inflater *inflater; /* owned; NULL: plain */
	char *ahead;              /* owned: read and not yet given */
	size_t at, filled;        /* in `ahead` */
	bool begun;               /* the first bytes were looked at */
	int low;                  /* of UTF-16, which byte of two is the lower one; -1: it is none */
	int half;                 /* of UTF-16, a byte whose other one did not come yet; -1: none */
	bool ignored;             /* what follows that gzip packed: it is of no member */
	const char *failed;       /* why nothing more comes, NULL: the end, or not yet */
};

/* Begin with a look at the first bytes. False with s->failed said: no memory, a file that can not
 * be read, gzip without zlib. source_end in either case. */
bool source_begin(struct source *s, FILE *in);
void source_end(struct source *s);

/* Up to n bytes; 0 at the end, and where s->failed says why. */
size_t source_read(struct source *s, char *buf, size_t n);

/* The first bytes, at most SOURCE_AHEAD, which a NUL follows and source_read gives all
 * the same; *whole: there are no
 * others. Before anything was read. */
enum { SOURCE_AHEAD = 1024 * 1024 };
const char *source_ahead(struct source *s, size_t least, size_t *n, bool *whole);
#endif
