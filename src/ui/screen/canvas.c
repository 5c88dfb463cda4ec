#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* wcwidth */
#endif
#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "ui/screen/canvas.h"

static const struct cell blank = { .ch = L' ', .style = { .role = ROLE_TEXT } };

bool
canvas_init(struct canvas *c, int w, int h, bool utf8)
{
	*c = (struct canvas){ .w = w > 0 ? w : 0, .h = h > 0 ? h : 0, .utf8 = utf8 };
	c->cell = calloc((size_t)c->w * (size_t)c->h + 1, sizeof *c->cell);
	if (c->cell == NULL) {
		c->w = c->h = 0;
		return false;
	}
	canvas_clear(c);
	return true;
}

void
canvas_free(struct canvas *c)
{
	free(c->cell);
	*c = (struct canvas){ 0 };
}

void
canvas_clear(struct canvas *c)
{
	for (int i = 0; i < c->w * c->h; i++)
		c->cell[i] = blank;
	c->cursor_x = c->cursor_y = 0;
}

struct rect
rect_clip(struct rect a, struct rect b)
{
	int x0 = a.x > b.x ? a.x : b.x, y0 = a.y > b.y ? a.y : b.y;
	int x1 = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	int y1 = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;

	return (struct rect){ x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0 };
}

/* One character, '?' for a byte that begins none; returns its bytes. It works in every locale. */
static int
decode(const char *s, uint32_t *out)
{
	const size_t n = utf8_length(s, 4); /* the end of the text goes on no character */

	*out = n > 0 ? utf8_char(s, n) : '?';
	return n > 0 ? (int)n : 1;
}

/* Columns of a character; 0 for one that combines with the last, -1 for one that is not shown.
 * wcwidth knows only the locale's characters, so the few of our own have a width of their own. */
static int
columns(uint32_t ch)
{
	if (ch >= 0x2500 && ch < 0x25a0)
		return 1;
	return show_is_plain(ch) ? wcwidth((wchar_t)ch) : -1;
}

/* Columns of the first character; returns its bytes. */
static int
step(const char *text, int *w)
{
	uint32_t ch;
	const int bytes = decode(text, &ch);

	*w = columns(ch);
	if (*w < 0)
		*w = 1;
	return bytes;
}

int
canvas_value(struct canvas *c, struct rect clip, int x, int y, struct style style,
    const char *text)
{
	const int x0 = x;

	clip = rect_clip(clip, (struct rect){ 0, 0, c->w, c->h });
	while (*text != '\0') {
		uint32_t ch;
		int n;

		text += decode(text, &ch);
		n = columns(ch);
		if (n == 0)
			continue;
		if (n < 0 || (ch >= 0x80 && !c->utf8)) {
			n = n == 2 ? 2 : 1;
			ch = '?';
		}
		if (y >= clip.y && y < clip.y + clip.h && x >= clip.x && x + n <= clip.x + clip.w) {
			canvas_put(c, x, y, style, (wchar_t)ch);
			if (n == 2)
				canvas_put(c, x + 1, y, style, ch == '?' ? L' ' : L'\0');
		}
		x += n;
	}
	return x - x0;
}

int
canvas_text(struct canvas *c, struct rect clip, int x, int y, struct style style,
    const char *text)
{
	char said[TEXTS_SIZE];

	return canvas_value(c, clip, x, y, style, texts_say(c->texts, text, said, sizeof said));
}

int
canvas_width(const struct canvas *c, const char *text)
{
	char said[TEXTS_SIZE];
	int w = 0, n;

	text = texts_say(c != NULL ? c->texts : NULL, text, said, sizeof said);
	while (*text != '\0') {
		text += step(text, &n);
		w += n;
	}
	return w;
}

size_t
canvas_fit(const char *text, int w)
{
	size_t at = 0;

	for (int n; text[at] != '\0'; w -= n) {
		const size_t bytes = (size_t)step(text + at, &n);

		if (n > w)
			break;
		at += bytes;
	}
	return at;
}

void
canvas_text_cut(struct canvas *c, struct rect clip, int x, int y, int w, struct style style,
    const char *text)
{
	char said[TEXTS_SIZE];

	canvas_value_cut(c, clip, x, y, w, style, texts_say(c->texts, text, said, sizeof said));
}

void
canvas_value_cut(struct canvas *c, struct rect clip, int x, int y, int w, struct style style,
    const char *text)
{
	struct rect r = rect_clip(clip, (struct rect){ x, y, w, 1 });

	if (w <= 0 || canvas_value(c, r, x, y, style, text) <= w)
		return;
	r = rect_clip(clip, (struct rect){ x + w - 1, y, 1, 1 });
	if (r.w > 0)
		canvas_put(c, r.x, r.y, style, canvas_glyph(c, GLYPH_MORE));
}

void
canvas_put(struct canvas *c, int x, int y, struct style style, wchar_t ch)
{
	struct cell *k;

	if (x < 0 || y < 0 || x >= c->w || y >= c->h)
		return;
	k = &c->cell[y * c->w + x];
	/* Writing over one half of a wide character leaves no other half behind. */
	if (ch != L'\0' && k->ch == L'\0' && x > 0)
		k[-1].ch = L' ';
	if (x + 1 < c->w && k[1].ch == L'\0')
		k[1].ch = L' ';
	*k = (struct cell){ .ch = ch, .style = style };
}

void
canvas_fill(struct canvas *c, struct rect r, struct style style)
{
	r = rect_clip(r, (struct rect){ 0, 0, c->w, c->h });
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			canvas_put(c, x, y, style, L' ');
}

void
canvas_restyle(struct canvas *c, struct rect r, struct style style)
{
	r = rect_clip(r, (struct rect){ 0, 0, c->w, c->h });
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			c->cell[y * c->w + x].style = style;
}

void
canvas_mark(struct canvas *c, struct rect line)
{
	canvas_put(c, line.x, line.y, (struct style){ .role = ROLE_SELECTED }, L'>');
	c->cursor_x = line.x;
	c->cursor_y = line.y;
}

wchar_t
canvas_glyph(const struct canvas *c, enum glyph glyph)
{
	static const struct {
		wchar_t utf8;
		char ascii;
	} table[GLYPH_COUNT] = {
		[GLYPH_HORIZONTAL] = { 0x2500, '-' }, [GLYPH_VERTICAL] = { 0x2502, '|' },
		[GLYPH_TOP_LEFT] = { 0x250c, '+' }, [GLYPH_TOP_RIGHT] = { 0x2510, '+' },
		[GLYPH_BOTTOM_LEFT] = { 0x2514, '+' }, [GLYPH_BOTTOM_RIGHT] = { 0x2518, '+' },
		[GLYPH_TEE_DOWN] = { 0x252c, '+' }, [GLYPH_TEE_UP] = { 0x2534, '+' },
		[GLYPH_TEE_RIGHT] = { 0x251c, '+' }, [GLYPH_TEE_LEFT] = { 0x2524, '+' },
		[GLYPH_CROSS] = { 0x253c, '+' }, [GLYPH_FULL] = { 0x2588, '#' },
		[GLYPH_DARK] = { 0x2593, '=' }, [GLYPH_MEDIUM] = { 0x2592, '-' },
		[GLYPH_LIGHT] = { 0x2591, ':' }, [GLYPH_LIMIT] = { 0x2502, '|' },
		[GLYPH_MORE] = { 0x2026, '~' },
		[GLYPH_UPPER] = { 0x2580, '^' }, [GLYPH_LOWER] = { 0x2584, '_' },
		[GLYPH_LEFT] = { 0x258c, '%' }, [GLYPH_RIGHT] = { 0x2590, 'o' },
		[GLYPH_DOT] = { 0xb7, '.' }, [GLYPH_DOUBLE] = { 0x2551, '#' },
	};

	return c->utf8 ? table[glyph].utf8 : (wchar_t)table[glyph].ascii;
}

/* Parts of a title, set apart by two blanks, follow one another however long they are said. */
static const char *
say_title(const struct canvas *c, const char *title, char *buf, size_t size)
{
	char part[TEXTS_SIZE], said[TEXTS_SIZE];

	buf[0] = '\0';
	while (*title != '\0') {
		const char *end = strstr(title, "  ");
		const size_t n = end != NULL ? (size_t)(end - title) : strlen(title);

		text_put(part, sizeof part, "%.*s", (int)n, title);
		text_add(buf, size, "%s", texts_say(c->texts, part, said, sizeof said));
		title += n;
		for (; *title == ' '; title++)
			text_add(buf, size, " ");
	}
	return buf;
}

void
canvas_frame(struct canvas *c, struct rect r, struct style style, struct style corner,
    struct style title_style, const char *title)
{
	int x1 = r.x + r.w - 1, y1 = r.y + r.h - 1;

	if (r.w < 2 || r.h < 2)
		return;
	for (int x = r.x + 1; x < x1; x++) {
		canvas_put(c, x, r.y, style, canvas_glyph(c, GLYPH_HORIZONTAL));
		canvas_put(c, x, y1, style, canvas_glyph(c, GLYPH_HORIZONTAL));
	}
	for (int y = r.y + 1; y < y1; y++) {
		canvas_put(c, r.x, y, style, canvas_glyph(c, GLYPH_VERTICAL));
		canvas_put(c, x1, y, style, canvas_glyph(c, GLYPH_VERTICAL));
	}
	canvas_put(c, r.x, r.y, corner, canvas_glyph(c, GLYPH_TOP_LEFT));
	canvas_put(c, x1, r.y, style, canvas_glyph(c, GLYPH_TOP_RIGHT));
	canvas_put(c, r.x, y1, style, canvas_glyph(c, GLYPH_BOTTOM_LEFT));
	canvas_put(c, x1, y1, style, canvas_glyph(c, GLYPH_BOTTOM_RIGHT));
	if (title != NULL && title[0] != '\0' && r.w > 4) {
		char said[TEXTS_SIZE];
		const int w = canvas_width(NULL, say_title(c, title, said, sizeof said));

		canvas_put(c, r.x + 1, r.y, style, L' ');
		canvas_value_cut(c, (struct rect){ r.x + 2, r.y, r.w - 4, 1 }, r.x + 2, r.y, r.w - 4,
		    title_style, said);
		if (w < r.w - 4)
			canvas_put(c, r.x + 2 + w, r.y, style, L' ');
	}
}

void
canvas_frame_part(struct canvas *c, struct rect r, struct style style, const char *title,
    struct part part)
{
	const int64_t last = part.first + part.shown;
	char text[80], said[TEXTS_SIZE];
	int w, x;

	if (part.shown <= 0 || part.shown >= part.count)
		return;
	text_put(text, sizeof text, "%lld-%lld of %lld", (long long)part.first + 1,
	    (long long)(last < part.count ? last : part.count), (long long)part.count);
	w = canvas_width(c, text) + 2;
	if (canvas_width(NULL, say_title(c, title, said, sizeof said)) + w + 6 > r.w)
		return;
	x = r.x + r.w - 2 - w;
	canvas_put(c, x, r.y, style, L' ');
	x += 1 + canvas_text(c, r, x + 1, r.y, style, text);
	canvas_put(c, x, r.y, style, L' ');
}

/* Punctuation that must not begin a line of Chinese. */
static bool
clings(const char *text)
{
	static const char *const mark[] = { "，", "。", "、", "；", "：", "？", "！", "）", "”", "》", "」" };

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
		if (strncmp(text, mark[i], strlen(mark[i])) == 0)
			return true;
	return false;
}

size_t
canvas_break(const char *text, int w)
{
	const int most = w > 8 ? w : 8;
	size_t fits = 0, at = 0;
	int columns = 0, n, last = 0;

	while (text[at] != '\0' && at < CANVAS_BREAK_MOST) {
		const size_t bytes = (size_t)step(text + at, &n);

		if (at > 0 && (text[at] == ' ' || ((n == 2 || last == 2) && !clings(text + at))))
			fits = at;
		if (columns + n > most)
			return fits > 0 ? fits : at;
		columns += n;
		at += bytes;
		if (n > 0)
			last = n;
	}
	return at;
}

void
canvas_wrapped(struct canvas *c, struct rect r, struct style style, const char *text)
{
	char said[TEXTS_SIZE];

	text = texts_say(c->texts, text, said, sizeof said);
	for (int y = r.y; y < r.y + r.h && *text != '\0'; y++) {
		const size_t n = canvas_break(text, r.w);

		canvas_value(c, r, r.x, y, style, TEXT_OF(CANVAS_BREAK_MOST + 8, "%.*s", (int)n, text));
		text += n;
		text += strspn(text, " ");
	}
}
