#include "ui/screen/clipboard.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCREEN_MOST = 76, /* characters in one DCS of GNU screen */
	AROUND = 64,      /* bytes that begin and end it all */
	ABOUT = 2,        /* the sequence is sent so many times at most */
};

struct bytes {
	char *text;
	size_t size;
};

static void
add_bytes(struct bytes *b, const char *text, size_t n)
{
	memcpy(b->text + b->size, text, n);
	b->size += n;
}

static void
add_text(struct bytes *b, const char *text)
{
	add_bytes(b, text, strlen(text));
}

/* RFC 4648. */
static void
add_base64(struct bytes *b, const char *text, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = (const unsigned char *)text;

	for (size_t i = 0; i < n; i += 3) {
		const uint32_t bits = (uint32_t)in[i] << 16 | (i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0) |
		    (i + 2 < n ? in[i + 2] : 0);
		const char four[4] = { digit[bits >> 18 & 63], digit[bits >> 12 & 63],
			i + 1 < n ? digit[bits >> 6 & 63] : '=', i + 2 < n ? digit[bits & 63] : '=' };

		add_bytes(b, four, sizeof four);
	}
}

/* In pieces, each in a DCS: the pieces follow each other within one OSC. */
static void
add_pieces(struct bytes *b, const char *text, size_t n)
{
	add_text(b, "\033P\033]52;c;");
	for (size_t i = 0; i < n; i += SCREEN_MOST) {
		if (i > 0)
			add_text(b, "\033\\\033P");
		add_bytes(b, text + i, n - i < SCREEN_MOST ? n - i : SCREEN_MOST);
	}
	add_text(b, "\a\033\\");
}

char *
clipboard_bytes(const char *text, enum clipboard_way way, size_t *size)
{
	const size_t n = strlen(text), coded = (n + 2) / 3 * 4;
	struct bytes b = { 0 }, code = { 0 };

	if (n > CLIPBOARD_MOST)
		return NULL;
	code.text = malloc(coded + 1);
	b.text = malloc(ABOUT * (coded + AROUND) + coded / SCREEN_MOST * 4);
	if (code.text == NULL || b.text == NULL) {
		free(code.text);
		free(b.text);
		return NULL;
	}
	add_base64(&code, text, n);
	if (way == CLIPBOARD_SCREEN)
		add_pieces(&b, code.text, code.size);
	else {
		add_text(&b, "\033]52;c;");
		add_bytes(&b, code.text, code.size);
		add_text(&b, "\a");
	}
	if (way == CLIPBOARD_TMUX) {
		add_text(&b, "\033Ptmux;\033\033]52;c;");
		add_bytes(&b, code.text, code.size);
		add_text(&b, "\a\033\\");
	}
	free(code.text);
	*size = b.size;
	return b.text;
}
