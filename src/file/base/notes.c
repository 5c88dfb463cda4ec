#include "file/base/notes.h"

#include <stdlib.h>

#include "core/base/show.h"

void
notes_add(struct notes *n, const char *fmt, ...)
{
	char raw[NOTE_SIZE], line[NOTE_SIZE];
	size_t length;
	va_list args;

	if (n->count >= NOTES_MAX) {
		n->dropped++;
		return;
	}
	n->count++;
	va_start(args, fmt);
	text_vput(raw, sizeof raw, fmt, args);
	va_end(args);
	length = show_text(line, sizeof line, raw);
	textbuf_bytes(&n->lines, line, length);
	textbuf_bytes(&n->lines, "\n", 1);
}

void
notes_free(struct notes *n)
{
	free(n->lines.text);
	*n = (struct notes){ 0 };
}
