/*
 * canvas.h - a grid of cells. All drawing goes here; curses only shows it.
 */
#ifndef UI_CANVAS_H
#define UI_CANVAS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include "prefs/texts.h"
#include "ui/screen/theme.h"

struct rect {
	int x, y, w, h;
};

/* One character cell. ch 0 is the right half of a wide character. */
struct cell {
	wchar_t ch;
	struct style style;
};

struct canvas {
	int w, h;
	bool utf8;          /* characters beyond ASCII may be drawn */
	const struct texts *texts; /* what is drawn in place of English, NULL: nothing */
	struct cell *cell;  /* w * h, row by row; owned */
	int cursor_x, cursor_y; /* where the terminal's own cursor goes (screen readers) */
};

bool canvas_init(struct canvas *c, int w, int h, bool utf8); /* false without memory */
void canvas_free(struct canvas *c);
void canvas_clear(struct canvas *c);

/* Draw text (UTF-8) from a cell on, clipped to `clip`; wide characters take two cells,
 * characters that core/show.h does not show, and invalid ones, are shown as '?', and so is everything beyond ASCII on
 * a canvas that is not utf8. Returns the columns that the whole text would take. */
int canvas_text(struct canvas *c, struct rect clip, int x, int y, struct style style,
    const char *text);
void canvas_put(struct canvas *c, int x, int y, struct style style, wchar_t ch);

/* Draw a name or a value, which is drawn as it is in every language. */
int canvas_value(struct canvas *c, struct rect clip, int x, int y, struct style style,
    const char *text);

/* Columns of the text as it is drawn (c NULL: as it is) and, where it is longer than w, canvas_text
 * with a mark at its end; of a value as well. */
int canvas_width(const struct canvas *c, const char *text);
void canvas_text_cut(struct canvas *c, struct rect clip, int x, int y, int w, struct style style,
    const char *text);
void canvas_value_cut(struct canvas *c, struct rect clip, int x, int y, int w, struct style style,
    const char *text);

/* How many bytes of the text w columns hold. */
size_t canvas_fit(const char *text, int w);

/* How many bytes of the text, at least one of those that are left, go on a line of w
 * columns: cut between words, and between any two wide characters, which are written without
 * blanks. And the text over the lines of an area, cut so. */
enum { CANVAS_BREAK_MOST = 248 };
size_t canvas_break(const char *text, int w);
void canvas_wrapped(struct canvas *c, struct rect r, struct style style, const char *text);

/* Blanks over a rectangle, or its style alone. Both clip to the canvas. */
void canvas_fill(struct canvas *c, struct rect r, struct style style);
void canvas_restyle(struct canvas *c, struct rect r, struct style style);

/* Mark a selected line: '>' where it begins, and the cursor there. */
void canvas_mark(struct canvas *c, struct rect line);

/* A frame with a title in its upper edge; this and the corner before it have styles of their own. */
void canvas_frame(struct canvas *c, struct rect r, struct style style, struct style corner,
    struct style title_style, const char *title);

/* Which lines of something longer are shown: the first, how many, of how many. */
struct part {
	int64_t first, shown, count;
};

/* "1-19 of 57" at the other end of that edge. Nothing where all lines are shown, or where
 * the title leaves no room. */
void canvas_frame_part(struct canvas *c, struct rect r, struct style style, const char *title,
    struct part part);

/* The part of a that lies in b; w and h are 0 when there is none. */
struct rect rect_clip(struct rect a, struct rect b);

/* Line and shade characters, for UTF-8 and for ASCII. */
enum glyph {
	GLYPH_HORIZONTAL, GLYPH_VERTICAL, GLYPH_TOP_LEFT, GLYPH_TOP_RIGHT, GLYPH_BOTTOM_LEFT,
	GLYPH_BOTTOM_RIGHT, GLYPH_TEE_DOWN, GLYPH_TEE_UP, GLYPH_TEE_RIGHT, GLYPH_TEE_LEFT,
	GLYPH_CROSS, GLYPH_FULL, GLYPH_DARK, GLYPH_MEDIUM, GLYPH_LIGHT, GLYPH_LIMIT,
	GLYPH_MORE, GLYPH_UPPER, GLYPH_LOWER, GLYPH_LEFT, GLYPH_RIGHT, GLYPH_DOT,
	GLYPH_DOUBLE, GLYPH_COUNT
};
wchar_t canvas_glyph(const struct canvas *c, enum glyph glyph);

/* Write the canvas as text, trailing blanks dropped; with colours, as ANSI escapes.
 * Returns false on a write error. */
bool canvas_print(const struct canvas *c, FILE *out, enum theme_colors colors,
    enum theme_palette palette);

/* The text of an area, trailing blanks dropped; allocated, NULL without memory. */
char *canvas_lines(const struct canvas *c, struct rect r);

/* Write it as a picture (SVG 1.1), on the ground that the palette is for. */
bool canvas_svg(const struct canvas *c, FILE *out, enum theme_palette palette);
#endif
