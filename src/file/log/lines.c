#include "file/log/lines.h"

#include <string.h>

void
lines_begin(struct lines *l, struct source *in)
{
	l->in = in;
	l->line = 0;
	l->at = l->filled = l->cut = 0;
}

static bool
fill(struct lines *l)
{
	l->at = 0;
	l->filled = source_read(l->in, l->read, sizeof l->read);
	return l->filled > 0;
}

/* The first end of a line in n bytes, or n. */
static size_t
find_end(const char *s, size_t n)
{
	const char *feed = memchr(s, '\n', n);
	const size_t most = feed != NULL ? (size_t)(feed - s) : n;
	const char *back = memchr(s, '\r', most);

	return back != NULL ? (size_t)(back - s) : most;
}

/* Colours and NULs are of no use here. Returns the length without them. */
static size_t
clean(char *line, size_t n)
{
	size_t to = 0;

	if (memchr(line, '\033', n) == NULL && memchr(line, '\0', n) == NULL)
		return n;
	for (size_t i = 0; i < n; i++) {
		if (line[i] != '\033' || i + 1 == n || line[i + 1] != '[') {
			line[to++] = (char)(line[i] != '\0' ? line[i] : ' ');
			continue;
		}
		for (i += 2; i < n && !(line[i] >= '@' && line[i] <= '~'); i++)
			continue;
	}
	return to;
}

bool
lines_next(struct lines *l, size_t *length)
{
	size_t n = 0;
	bool any = false, ended = false, whole = true;

	while (!ended && (l->at < l->filled || fill(l))) {
		const size_t left = l->filled - l->at, end = find_end(l->read + l->at, left);
		const size_t room = sizeof l->text - 1 - n, take = end < room ? end : room;

		memcpy(l->text + n, l->read + l->at, take);
		n += take;
		whole = whole && take == end;
		any = true;
		ended = end < left;
		l->at += end + ended;
	}
	if (!any)
		return false;
	l->line++;
	l->cut += !whole;
	*length = clean(l->text, n);
	l->text[*length] = '\0';
	return true;
}
