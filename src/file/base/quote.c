#include "file/base/quote.h"

#include <ctype.h>
#include <string.h>

/* Letters, digits and these mean nothing to any shell, at any place of a word. */
static bool
is_bare(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++)
		if (!isalnum((unsigned char)*text) && strchr("_./:=+-", *text) == NULL)
			return false;
	return true;
}

void
quote_shell(struct textbuf *out, const char *text)
{
	if (is_bare(text)) {
		textbuf_bytes(out, text, strlen(text));
		return;
	}
	textbuf_bytes(out, "'", 1);
	for (; *text != '\0'; text++)
		if (*text == '\'')
			textbuf_bytes(out, "'\\''", 4);
		else
			textbuf_bytes(out, text, 1);
	textbuf_bytes(out, "'", 1);
}

void
quote_double(struct textbuf *out, const char *text)
{
	textbuf_bytes(out, "\"", 1);
	for (; *text != '\0'; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			textbuf_add(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			textbuf_add(out, "\\u%04x", c);
		else
			textbuf_bytes(out, text, 1);
	}
	textbuf_bytes(out, "\"", 1);
}
