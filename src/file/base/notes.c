#include "file/base/notes.h"

#include <stdlib.h>
#include <string.h>

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

static bool
is_about(const char *line, size_t length, const char *what)
{
	const char *arrow = memmem(line, length, " -> ", 4);

	return strncmp(line, what, strlen(what)) == 0 ||
	    (arrow != NULL && strncmp(arrow + 4, what, strlen(what)) == 0);
}

void
notes_drop(struct notes *n, const char *what)
{
	char *line = n->lines.text, *next;

	for (; line != NULL && (next = strchr(line, '\n')) != NULL; line = next) {
		next++;
		if (!is_about(line, (size_t)(next - line), what))
			continue;
		memmove(line, next, strlen(next) + 1);
		n->lines.used -= (size_t)(next - line);
		n->count--;
		return;
	}
}

void
notes_cut(struct notes *n, const struct notes *before)
{
	n->count = before->count;
	n->dropped = before->dropped;
	n->lines.used = before->lines.used;
	if (n->lines.text != NULL)
		n->lines.text[n->lines.used] = '\0';
}

void
notes_free(struct notes *n)
{
	free(n->lines.text);
	*n = (struct notes){ 0 };
}
