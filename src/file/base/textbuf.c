#include <stdlib.h>
#include <string.h>

#include "file/base/textbuf.h"

void
textbuf_bytes(struct textbuf *b, const char *bytes, size_t n)
{
	if (b->failed)
		return;
	if (b->size - b->used <= n) {
		size_t size = b->size + n + 1 + b->size / 2 + 256;
		char *text = realloc(b->text, size);

		if (text == NULL) {
			b->failed = true;
			return;
		}
		b->text = text;
		b->size = size;
	}
	memcpy(b->text + b->used, bytes, n);
	b->used += n;
	b->text[b->used] = '\0';
}

void
textbuf_add(struct textbuf *b, const char *fmt, ...)
{
	char piece[512];
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = text_vput(piece, sizeof piece, fmt, args);
	va_end(args);
	textbuf_bytes(b, piece, n);
}

char *
textbuf_take(struct textbuf *b)
{
	char *text;

	textbuf_bytes(b, "", 0);
	text = b->text;
	if (b->failed) {
		free(text);
		text = NULL;
	}
	memset(b, 0, sizeof *b);
	return text;
}
