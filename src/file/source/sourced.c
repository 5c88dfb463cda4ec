#include "file/source/sourced.h"

#include <stdlib.h>
#include <string.h>

#include "file/base/textbuf.h"
#include "file/source/named.h"

/* The name behind "source" or "." at a line's begin; false for other lines and for names that only a
 * run tells. A directory in a variable or of a command is left out. */
static bool
find_name(const char *line, size_t length, char *name, size_t size)
{
	const char *end = line + length, *at, *last;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	if ((size_t)(end - line) > 7 && strncmp(line, "source", 6) == 0 && (line[6] == ' ' || line[6] == '\t'))
		line += 7;
	else if (end - line > 2 && line[0] == '.' && (line[1] == ' ' || line[1] == '\t'))
		line += 2;
	else
		return false;
	while (line < end && strchr(" \t\"'", *line) != NULL)
		line++;
	if (*line == '$')
		for (at = last = line; at < end && *at != '\n'; at++)
			if (*at == '}' || *at == ')' || (at == last && strchr("$_ABCDEFGHIJKLMNOPQRSTUVWXYZ", *at) != NULL))
				line = last = at + 1;
	if (line < end && *line == '"')
		line++;
	line += line < end && *line == '/' && line[-1] != ' ';
	for (at = line; at < end && strchr(" \t\"';&|<>\n", *at) == NULL; at++)
		;
	return at > line && text_put(name, size, "%.*s", (int)(at - line), line) < size && strpbrk(name, "$`(){}~") == NULL &&
	    name[0] != '/';
}

static unsigned
count_lines(const char *text)
{
	unsigned n = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		n++;
	return n;
}

static char *
put_in(struct import *im, const char *text, size_t *size, size_t *found)
{
	struct textbuf out = { 0 };
	size_t tries = 0;
	char name[256];

	*found = 0;
	for (const char *next; *text != '\0'; text = next) {
		const size_t length = strcspn(text, "\n");
		char *other = NULL;
		size_t n = 0;

		next = text + length + (text[length] == '\n');
		if (tries < NAMED_FILES_MAX && find_name(text, length, name, sizeof name) &&
		    im->inserts < IMPORT_INSERTS_MAX) {
			tries++;
			if ((other = named_text(im, name, &n)) == NULL)
				notes_add(&im->ignored, "source %s: not there, or not in the directory of the launch (--root names another): what it "
				    "sets is not known", name);
			else
				notes_add(&im->taken, "source -> the settings of %s", name);
		}
		if (other == NULL) {
			textbuf_bytes(&out, text, (size_t)(next - text));
			continue;
		}
		im->insert[im->inserts].at = out.text != NULL ? count_lines(out.text) + 1 : 1;
		textbuf_add(&out, "#\n");
		textbuf_bytes(&out, other, n);
		textbuf_bytes(&out, "\n", 1);
		im->insert[im->inserts++].lines = count_lines(other) + 1;
		++*found;
		free(other);
	}
	*size = out.used;
	return out.text;
}

char *
sourced_text(struct import *im, size_t *size)
{
	size_t found = 0;
	char *text;

	if (strstr(im->text, "source ") == NULL && strstr(im->text, "\n. ") == NULL)
		return NULL;
	text = put_in(im, im->text, size, &found);
	if (found == 0) {
		free(text);
		return NULL;
	}
	return text;
}

unsigned
sourced_line(const struct import *im, unsigned line)
{
	unsigned before = 0;

	for (size_t i = 0; i < im->inserts; i++) {
		if (line > im->insert[i].at + im->insert[i].lines)
			before += im->insert[i].lines;
		else if (line > im->insert[i].at)
			return im->insert[i].at - before;
	}
	return line - before;
}
