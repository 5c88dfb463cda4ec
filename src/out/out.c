#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"
#include "out/out.h"

/* Bytes that go out as they are: lists of a million ranks are looked at here. */
static size_t
plain_bytes(const char *text, size_t n, bool lines)
{
	size_t at = 0, step;

	for (; at < n; at += step) {
		const char c = text[at];

		step = (c >= ' ' && c < 0x7f) || (lines && (c == '\n' || c == '\t')) ? 1 :
		    show_plain(text + at, n - at);
		if (step == 0)
			break;
	}
	return at;
}

/* Text with all else as \xNN; where it is of several lines, their ends and tabs stay. */
static void
put_bytes(FILE *to, const char *text, size_t n, bool lines)
{
	while (n > 0) {
		size_t step = plain_bytes(text, n, lines);

		if (step > 0) {
			fwrite(text, 1, step, to);
		} else {
			step = show_foreign(text, n);
			for (size_t i = 0; i < step; i++)
				fprintf(to, "\\x%02x", (unsigned)(unsigned char)text[i]);
		}
		text += step;
		n -= step;
	}
}

void
out_vpart(FILE *to, const char *fmt, va_list args)
{
	char few[1024], *text = few;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(few, sizeof few, fmt, args);
	if (n >= (int)sizeof few && (text = malloc((size_t)n + 1)) != NULL)
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	if (text == NULL) /* without memory: what there was room for */
		put_bytes(to, few, strlen(few), false);
	else if (n > 0)
		put_bytes(to, text, (size_t)n, false);
	if (text != few)
		free(text);
}

void
out_part(FILE *to, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	out_vpart(to, fmt, args);
	va_end(args);
}

void
out_line(FILE *to, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	out_vpart(to, fmt, args);
	va_end(args);
	out_end(to);
}

void
out_over(FILE *to, const char *fmt, ...)
{
	va_list args;

	fputs("\r\033[K", to);
	va_start(args, fmt);
	out_vpart(to, fmt, args);
	va_end(args);
	fflush(to);
}

void
out_end(FILE *to)
{
	putc('\n', to);
}

void
out_bytes(FILE *to, const char *text, size_t n)
{
	put_bytes(to, text, n, true);
}

void
out_text(FILE *to, const char *text)
{
	out_bytes(to, text, strlen(text));
}

void
out_look(FILE *to, const char *parameters)
{
	fprintf(to, "\033[%.*sm", (int)strspn(parameters, "0123456789;"), parameters);
}
