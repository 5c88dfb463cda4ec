#include "file/import/applied.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/text.h"
#include "file/base/textbuf.h"

/* Whether the line, up to its end, has one of these, which | joins. */
static bool
has_any(const char *line, size_t length, const char *words)
{
	char word[16];

	for (int64_t i = 0; text_choice(words, i, word, sizeof word); i++) {
		const char *at = strstr(line, word);

		if (at != NULL && at < line + length)
			return true;
	}
	return false;
}

/* The word behind << that ends a text, and whether tabs before it count for nothing; false: none begins here. */
static bool
find_end(const char *line, size_t length, char *word, size_t size, bool *tabs)
{
	const char *at = strstr(line, "<<");
	size_t n;

	if (at == NULL || at >= line + length || at[2] == '<' || !has_any(line, length, "kubectl |oc |.yaml|.yml"))
		return false;
	at += 2;
	*tabs = *at == '-';
	at += *tabs;
	at += strspn(at, " \t'\"\\");
	n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
	return n > 0 && text_put(word, size, "%.*s", (int)n, at) < size;
}

static bool
is_end(const char *line, size_t length, const char *word, bool tabs)
{
	while (tabs && length > 0 && *line == '\t')
		line++, length--;
	return length == strlen(word) && memcmp(line, word, length) == 0;
}

char *
applied_text(const char *script)
{
	struct textbuf out = { 0 };
	char word[64] = "";
	bool tabs = false;

	for (const char *line = script; *line != '\0';) {
		const size_t length = strcspn(line, "\n");
		const char *next = line + length + (line[length] == '\n');

		if (word[0] == '\0') {
			if (find_end(line, length, word, sizeof word, &tabs))
				textbuf_add(&out, "---\n");
		} else if (is_end(line, length, word, tabs)) {
			word[0] = '\0';
		} else {
			textbuf_bytes(&out, line, (size_t)(next - line));
		}
		line = next;
	}
	return out.text;
}
