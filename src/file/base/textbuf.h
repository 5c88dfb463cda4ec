/*
 * textbuf.h - text that grows.
 */
#ifndef FILE_TEXTBUF_H
#define FILE_TEXTBUF_H
#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

/* All zero is empty. Once memory ran out nothing more is added and `failed` stays. */
struct textbuf {
	char *text; /* ended with a NUL; NULL while nothing was added */
	size_t used, size;
	bool failed;
};

void textbuf_bytes(struct textbuf *b, const char *bytes, size_t n);

/* At most 511 bytes at once; what is beyond them is cut off. */
void textbuf_add(struct textbuf *b, const char *fmt, ...) TEXT_FORMAT(2, 3);

/* Hand over the text, to be freed by the caller; NULL without memory. */
char *textbuf_take(struct textbuf *b);
#endif
