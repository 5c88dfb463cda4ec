/* Texts in a script, behind <<: no commands. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/notation/shell_reader.h"

void
shell_begin_here(struct reader *r)
{
	const char *at = r->at + 2;
	size_t n;

	r->here_tabs = at < r->end && *at == '-';
	at += r->here_tabs;
	for (r->here_plain = false; at < r->end && strchr(" \t\"'\\", *at) != NULL; at++)
		r->here_plain |= strchr("\"'\\", *at) != NULL;
	for (n = 0; at + n < r->end && strchr(" \t\r\n\"';&|<>()", at[n]) == NULL; n++)
		;
	r->here = at;
	r->here_size = n;
}

/* Behind <<- tabs that begin a line are none of it. */
static void
strip_tabs(char *text)
{
	char *to = text;
	bool begins = true;

	for (; *text != '\0'; text++) {
		if (begins && *text == '\t')
			continue;
		begins = *text == '\n';
		*to++ = *text;
	}
	*to = '\0';
}

/* As the shell makes it of the lines; NULL with an error. */
static const char *
make_text(struct reader *r, const char *from, const char *end)
{
	char *made = r->here_plain ? strndup(from, (size_t)(end - from)) : r->expand(r, from, end, true);
	const char *text;

	if (made == NULL) {
		shell_fail(r->s, r->line, "out of memory");
		return NULL;
	}
	if (r->here_tabs)
		strip_tabs(made);
	text = r->s->error == NULL ? shell_copy(r->s, made, strlen(made), r->line) : NULL;
	free(made);
	return text;
}

/* The variable that the command before reads: read -r -d '' NAME; NULL: it is another one. */
static const char *
read_variable(const struct shell *s)
{
	const struct shell_list *last = s->commands > 0 ? &s->command[s->commands - 1] : NULL;

	return last != NULL && last->count > 1 && text_equal(last->word[0].text, "read") ? last->word[last->count - 1].text : NULL;
}

static bool
keep_text(struct reader *r, const char *text)
{
	struct shell *s = r->s;
	const char *name = read_variable(s);
	struct shell_word word = { .text = text, .line = r->line };
	const struct shell_list value = { 1, 1, &word };

	if (text == NULL)
		return false;
	word.unknown = strchr(text, '$') != NULL;
	if (r->file == NULL && name != NULL)
		return shell_assign(s, name, &value, false, false, r->line);
	if (r->file != NULL && s->files < SHELL_FILES_MAX) {
		s->file[s->files].name = r->file;
		s->file[s->files++].text = text;
	}
	return true;
}

/* The lines up to the one that ends them, NULL without that; *end of them. */
static const char *
find_lines(struct reader *r, const char **end)
{
	const char *text = r->at;

	while (r->at < r->end) {
		const char *line = r->at, *stop = memchr(line, '\n', (size_t)(r->end - line));
		size_t n = 0;

		stop = stop != NULL ? stop : r->end;
		while (r->here_tabs && line + n < stop && line[n] == '\t')
			n++;
		r->line += stop < r->end;
		r->at = stop + (stop < r->end);
		if ((size_t)(stop - line) - n == r->here_size && memcmp(line + n, r->here, r->here_size) == 0) {
			*end = line;
			return text;
		}
	}
	return NULL;
}

bool
shell_read_here(struct reader *r)
{
	const char *text, *end;
	bool ok;

	if (r->here_size == 0)
		return true;
	text = find_lines(r, &end);
	r->here_size = 0;
	ok = text == NULL || (r->file == NULL && read_variable(r->s) == NULL) || keep_text(r, make_text(r, text, end));
	r->file = NULL;
	return ok;
}

const char *
shell_cat_here(struct reader *r, const char *from, const char *close)
{
	struct reader inner = { .s = r->s, .read_body = r->read_body, .expand = r->expand, .at = from, .end = close, .line = r->line };
	const char *text, *end;

	shell_begin_here(&inner);
	if (inner.here_size == 0 || (inner.at = memchr(from, '\n', (size_t)(close - from))) == NULL)
		return NULL;
	inner.at++;
	text = find_lines(&inner, &end);
	return text != NULL ? make_text(&inner, text, end) : NULL;
}
