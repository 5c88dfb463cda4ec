#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "ui/state/recall.h"

static void
add_line(struct recall *r, const char *text, size_t n)
{
	char *copy;

	if (r->count == r->capacity) {
		size_t capacity = r->capacity * 2 + 64;
		char **line = realloc(r->line, capacity * sizeof *line);

		if (line == NULL)
			return;
		r->line = line;
		r->capacity = capacity;
	}
	copy = strndup(text, n);
	if (copy != NULL)
		r->line[r->count++] = copy;
}

void
recall_load(struct recall *r, const char *lines)
{
	while (*lines != '\0') {
		size_t n = strcspn(lines, "\n");

		if (n > 0 && n < LINE_SIZE)
			add_line(r, lines, n);
		lines += n + (lines[n] == '\n');
	}
	r->old = r->count;
}

void
recall_free(struct recall *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->line[i]);
	free(r->line);
	*r = (struct recall){ 0 };
}

void
recall_add(struct recall *r, const char *line)
{
	for (size_t i = r->count; i-- > 0;)
		if (text_equal(r->line[i], line)) {
			free(r->line[i]);
			memmove(&r->line[i], &r->line[i + 1], (r->count - i - 1) * sizeof *r->line);
			r->count--;
			r->old -= i < r->old;
		}
	add_line(r, line, strlen(line));
	recall_stop(r);
}

bool
recall_walk(struct recall *r, int way, bool like, struct line *line)
{
	size_t at;

	if (!r->walking) {
		text_put(r->typed, sizeof r->typed, "%s", line->text);
		r->at = r->count;
		r->walking = true;
	}
	for (at = r->at; way < 0 ? at > 0 : at < r->count;) {
		const char *text;

		at = way < 0 ? at - 1 : at + 1;
		text = at < r->count ? r->line[at] : r->typed;
		if (like && strncmp(text, r->typed, strlen(r->typed)) != 0)
			continue;
		r->at = at;
		line_start(line, text, false);
		return true;
	}
	return false;
}

void
recall_stop(struct recall *r)
{
	r->walking = false;
}

char *
recall_new(const struct recall *r)
{
	size_t size = 1, used = 0;
	char *text;

	for (size_t i = r->old; i < r->count; i++)
		size += strlen(r->line[i]) + 1;
	text = size > 1 ? malloc(size) : NULL;
	for (size_t i = r->old; text != NULL && i < r->count; i++)
		used += text_put(text + used, size - used, "%s\n", r->line[i]);
	return text;
}
