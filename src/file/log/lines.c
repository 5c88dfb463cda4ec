#include "file/log/lines.h"

#include <string.h>

enum { COLOUR_LONGEST = 20 }; /* "[38;2;255;255;255m" */

void
lines_begin(struct lines *l, struct source *in)
{
	l->in = in;
	l->line = 0;
	l->at = l->filled = l->cut = 0;
	l->returned = false;
}

static bool
fill_buffer(struct lines *l)
{
	l->at = 0;
	l->filled = source_read(l->in, l->read, sizeof l->read);
	return l->filled > 0;
}

/* The first end of a line in n bytes, or n. Looked for in windows: the one kind of end may be near
 * where the other is far or nowhere. */
static size_t
find_end(const char *s, size_t n)
{
	enum { WINDOW = 256 };

	for (size_t at = 0; at < n; at += WINDOW) {
		const size_t some = n - at < WINDOW ? n - at : WINDOW;
		const char *feed = memchr(s + at, '\n', some);
		const size_t most = feed != NULL ? (size_t)(feed - s) - at : some;
		const char *back = memchr(s + at, '\r', most);

		if (back != NULL)
			return (size_t)(back - s);
		if (feed != NULL)
			return at + most;
	}
	return n;
}

/* The length of a colour without its escape, "[36m", at the beginning of n bytes; 0 for none. */
static size_t
colour_length(const char *s, size_t n)
{
	size_t i = 1;

	while (i < n && i < COLOUR_LONGEST && (s[i] == ';' || (s[i] >= '0' && s[i] <= '9')))
		i++;
	return n > 0 && s[0] == '[' && i > 1 && i < n && s[i] == 'm' ? i + 1 : 0;
}

/* What is kept of n bytes without the escape at their end, as texts that went through JSON, syslog,
 * cat -v or a shell have it; pasted ones have none. */
static size_t
without_escape(const char *line, size_t n)
{
	static const char *const escapes[] = { "\\u001b", "\\u001B", "\\x1b", "\\x1B", "\\033", "\\e",
		"#033", "^[" };

	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
		const size_t k = strlen(escapes[i]);

		if (n >= k && memcmp(line + n - k, escapes[i], k) == 0)
			return n - k;
	}
	return n;
}

static bool
is_clean(const char *line, size_t n)
{
	const char *end = line + n;

	if (memchr(line, '\033', n) != NULL || memchr(line, '\0', n) != NULL)
		return false;
	for (const char *c = line; (c = memchr(c, '[', (size_t)(end - c))) != NULL; c++)
		if (colour_length(c, (size_t)(end - c)) > 0)
			return false;
	return true;
}

/* Colours and NULs are of no use here. Returns the length without them. */
static size_t
clean(char *line, size_t n)
{
	size_t to = 0, colour;

	if (is_clean(line, n))
		return n;
	for (size_t i = 0; i < n; i++) {
		if (line[i] == '\033' && i + 1 < n && line[i + 1] == '[') {
			for (i += 2; i < n && !(line[i] >= '@' && line[i] <= '~'); i++)
				continue;
		} else if ((colour = colour_length(line + i, n - i)) > 0) {
			to = without_escape(line, to);
			i += colour - 1;
		} else {
			line[to++] = (char)(line[i] != '\0' ? line[i] : ' ');
		}
	}
	return to;
}

/* A carriage return and a line feed are one end, also where one block ends between them. */
static void
skip_feed(struct lines *l)
{
	if (l->returned && (l->at < l->filled || fill_buffer(l)) && l->read[l->at] == '\n')
		l->at++;
	l->returned = false;
}

bool
lines_next(struct lines *l, size_t *length)
{
	size_t n = 0;
	bool any = false, ended = false, whole = true;

	skip_feed(l);
	while (!ended && (l->at < l->filled || fill_buffer(l))) {
		const size_t left = l->filled - l->at, end = find_end(l->read + l->at, left);
		const size_t room = sizeof l->text - 1 - n, take = end < room ? end : room;

		memcpy(l->text + n, l->read + l->at, take);
		n += take;
		whole = whole && take == end;
		any = true;
		ended = end < left;
		l->returned = ended && l->read[l->at + end] == '\r';
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
