#include "ui/state/words.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

enum { WORDS_MAX = 1000 }; /* nobody walks through more */

void
words_take(struct words *w, const char *word)
{
	char **more;

	if (w->count == WORDS_MAX)
		return;
	for (size_t i = 0; i < w->count; i++)
		if (text_equal(w->word[i], word))
			return;
	more = realloc(w->word, (w->count + 1) * sizeof *more);
	if (more == NULL)
		return;
	w->word = more;
	w->word[w->count] = strdup(word);
	w->count += w->word[w->count] != NULL;
}

void
words_put(const struct words *w, struct line *line)
{
	char text[LINE_SIZE];

	text_put(text, sizeof text, "%s%s", w->before, w->word[w->at]);
	line_start(line, text, false);
	text_add(line->text, sizeof line->text, "%s", w->after);
}

void
words_stop(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->word[i]);
	free(w->word);
	w->word = NULL;
	w->count = 0;
}

void
words_list(const struct words *w, int columns, char *buf, size_t size)
{
	int used = 0;
	size_t from = 0;

	buf[0] = '\0';
	if (w->count == 0)
		return;
	/* From the first word from which on the chosen one fits. */
	for (size_t i = 0; i <= w->at; i++) {
		used += (int)strlen(w->word[i]) + 2;
		while (used > columns && from < i)
			used -= (int)strlen(w->word[from++]) + 2;
	}
	for (size_t i = from; i < w->count && (int)strlen(buf) < columns; i++) {
		int n = (int)strcspn(w->word[i], " ");

		n = w->word[i][n] == ' ' && w->word[i][n + 1] == '\0' ? n : (int)strlen(w->word[i]);
		text_add(buf, size, i == w->at ? "[%.*s] " : "%.*s  ", n, w->word[i]);
	}
}
