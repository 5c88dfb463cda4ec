#include "file/prefs/topics.h"

#include <stdlib.h>
#include <string.h>

#include "file/prefs/language_file.h"

/* "# NAMES TITLE" at `line`: note the page and end its parts. Returns its text. */
static char *
begin_page(struct topics *t, char *line)
{
	struct topic *page = &t->topic[t->count];
	char *name = line + 2, *title = name + strcspn(name, " \n");
	char *text = title + strcspn(title, "\n");

	if (*text == '\n')
		*text++ = '\0';
	if (*title == ' ')
		*title++ = '\0';
	*page = (struct topic){ .names = name, .title = title, .text = text };
	t->count++;
	return text;
}

bool
topics_read(struct topics *t, const char *language, char *why, size_t size)
{
	char *line = language_file_read("topics", language, why, size);

	*t = (struct topics){ .text = line };
	if (line == NULL)
		return false;
	while (line != NULL && *line != '\0' && t->count < TOPICS_MAX) {
		if (strncmp(line, "# ", 2) == 0) {
			if (line > t->text)
				line[-1] = '\0'; /* ends the page before */
			line = begin_page(t, line);
			if (strncmp(line, "# ", 2) == 0)
				continue;
		}
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	return true;
}

void
topics_free(struct topics *t)
{
	free(t->text);
	*t = (struct topics){ 0 };
}

const struct topic *
topics_find(const struct topics *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (topic_is(&t->topic[i], name))
			return &t->topic[i];
	return NULL;
}
