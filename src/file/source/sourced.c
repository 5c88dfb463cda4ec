#include "file/source/sourced.h"

#include <stdlib.h>
#include <string.h>

#include "file/base/textbuf.h"
#include "file/source/named.h"

/* What is behind one of these words, which | joins, at a line's begin; NULL: something else. */
static const char *
behind_word(const char *line, const char *end, const char *words)
{
	char word[16];

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	for (int64_t i = 0; text_choice(words, i, word, sizeof word); i++) {
		const size_t n = strlen(word);

		if ((size_t)(end - line) > n + 1 && strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == '\t'))
			return line + n + 1;
	}
	return NULL;
}

/* The name behind one of the words at a line's begin, and what is behind that; NULL for other lines and for names that only a
 * run tells. A directory in a variable or of a command is left out. */
static const char *
find_name(const char *line, size_t length, const char *words, char *name, size_t size)
{
	const char *end = line + length, *at, *last;

	if ((line = behind_word(line, end, words)) == NULL)
		return NULL;
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
	if (at == line || text_put(name, size, "%.*s", (int)(at - line), line) >= size || strpbrk(name, "$`(){}~") != NULL ||
	    name[0] == '/')
		return NULL;
	return at + (at < end && strchr("\"'", *at) != NULL);
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
		if (tries < NAMED_FILES_MAX && find_name(text, length, "source|.", name, sizeof name) != NULL &&
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

static const char shells[] = "bash|sh|zsh";

/* The length of a command that \ carries on to more lines, the last line end excluded. */
static size_t
command_length(const char *text)
{
	size_t n = strcspn(text, "\n");

	while (n > 0 && text[n] == '\n' && text[n - 1] == '\\')
		n += 1 + strcspn(text + n + 1, "\n");
	return n;
}

char *
sourced_call(struct import *im, size_t *size)
{
	struct textbuf out = { 0 };
	char name[256], *other = NULL;
	const char *line = im->text, *behind = NULL;
	size_t n = 0, length = 0;

	for (; *line != '\0' && other == NULL; line += length + (line[length] == '\n'), length = 0) {
		length = command_length(line);
		if ((behind = find_name(line, strcspn(line, "\n"), shells, name, sizeof name)) != NULL &&
		    (other = named_text(im, name, &n)) != NULL)
			break;
	}
	if (other == NULL || im->inserts == IMPORT_INSERTS_MAX)
		return free(other), NULL;
	notes_add(&im->taken, "the command -> the script %s", name);
	textbuf_bytes(&out, im->text, (size_t)(line - im->text));
	textbuf_add(&out, "set -- ");
	textbuf_bytes(&out, behind, (size_t)(line + length - behind));
	textbuf_add(&out, "\n");
	im->insert[im->inserts].at = out.text != NULL ? count_lines(out.text) : 1;
	textbuf_bytes(&out, other, n);
	textbuf_bytes(&out, "\n", 1);
	im->insert[im->inserts++].lines = count_lines(other) + 1;
	textbuf_add(&out, "%s", line + length + (line[length] == '\n'));
	free(other);
	*size = out.used;
	return out.text;
}

bool
sourced_calls(struct import *im)
{
	char name[256], *other = NULL;
	size_t n;

	for (const char *line = im->text; *line != '\0' && other == NULL; line += strcspn(line, "\n"), line += *line == '\n')
		if (find_name(line, strcspn(line, "\n"), shells, name, sizeof name) != NULL)
			other = named_text(im, name, &n);
	free(other);
	return other != NULL;
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
