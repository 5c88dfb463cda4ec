/* A canvas as lines of text, with or without ANSI escapes. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "out/out.h"
#include "ui/screen/canvas.h"

static void
add_color(char *buf, size_t size, int color, bool background)
{
	const int base = background ? 40 : 30;

	if (color < 0)
		return;
	if (color < 8)
		text_add(buf, size, ";%d", base + color);
	else if (color < 16)
		text_add(buf, size, ";%d", base + 60 + color - 8);
	else
		text_add(buf, size, ";%d;5;%d", base + 8, color);
}

static void
print_look(FILE *out, struct look look)
{
	char text[48];

	text_put(text, sizeof text, "0%s%s%s%s", look.bold ? ";1" : "", look.dim ? ";2" : "",
	    look.underline ? ";4" : "", look.reverse ? ";7" : "");
	add_color(text, sizeof text, look.fg, false);
	add_color(text, sizeof text, look.bg, true);
	out_look(out, text);
}

/* A blank that shows nothing need not be written at the end of a line. */
static bool
is_trailing(const struct cell *k, enum theme_colors colors, enum theme_palette palette)
{
	struct look look;

	if (k->ch != L' ')
		return false;
	if (colors == THEME_MONO)
		return true;
	look = theme_look(k->style, colors, palette);
	return look.bg < 0 && !look.reverse && !look.underline;
}

bool
canvas_print(const struct canvas *c, FILE *out, enum theme_colors colors,
    enum theme_palette palette)
{
	static const struct look none = { .fg = -1, .bg = -1 };

	for (int y = 0; y < c->h; y++) {
		const struct cell *row = &c->cell[y * c->w];
		struct look now = none;
		int last = c->w;
		char bytes[4];

		while (last > 0 && is_trailing(&row[last - 1], colors, palette))
			last--;
		for (int x = 0; x < last; x++) {
			struct look look = theme_look(row[x].style, colors, palette);

			if (row[x].ch == L'\0')
				continue;
			/* Without colours not even attributes: it is meant as plain text. */
			if (colors != THEME_MONO && !theme_same_look(look, now)) {
				print_look(out, look);
				now = look;
			}
			/* Printing %lc would fail in a C locale for a canvas asked to be utf8. */
			out_bytes(out, bytes, utf8_put(bytes, (uint32_t)row[x].ch));
		}
		if (!theme_same_look(now, none))
			out_look(out, "0");
		out_end(out);
	}
	return fflush(out) == 0 && !ferror(out);
}

char *
canvas_lines(const struct canvas *c, struct rect r)
{
	char *text = malloc((size_t)(r.w * 4 + 1) * (size_t)r.h + 1);
	size_t n = 0;

	for (int y = r.y; text != NULL && y < r.y + r.h; y++) {
		const struct cell *row = &c->cell[y * c->w];
		int last = r.x + r.w;

		while (last > r.x && row[last - 1].ch == L' ')
			last--;
		for (int x = r.x; x < last; x++)
			if (row[x].ch != L'\0')
				n += utf8_put(text + n, (uint32_t)row[x].ch);
		text[n++] = '\n';
	}
	if (text != NULL)
		text[n] = '\0';
	return text;
}
