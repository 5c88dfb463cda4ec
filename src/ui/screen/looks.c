#include "ui/screen/looks.h"

#include <string.h>

/* Nothing to see but the background that the terminal has anyway. */
static bool
is_blank(const struct cell *cell, enum theme_colors colors, enum theme_palette palette)
{
	struct look look;

	if (cell->ch != L' ')
		return false;
	look = theme_look(cell->style, colors, palette);
	return look.bg < 0 && !look.underline && !look.reverse;
}

/* The end of the word to the left of a blank in a short gap between words, else -1. */
static int
word_before(const struct cell *row, int w, int x, enum theme_colors colors,
    enum theme_palette palette)
{
	int left = x - 1, right = x + 1;

	while (left >= 0 && left >= x - LOOKS_GAP && is_blank(&row[left], colors, palette))
		left--;
	while (right < w && right <= left + LOOKS_GAP && is_blank(&row[right], colors, palette))
		right++;
	if (left < 0 || right >= w || right - left - 1 > LOOKS_GAP ||
	    is_blank(&row[right], colors, palette))
		return -1;
	return row[left].ch == L'\0' ? left - 1 : left;
}

/* Whether a blank stands beside letters of its own style, with nothing but such blanks between. */
static bool
is_lettered(const struct cell *row, int w, int x)
{
	for (int way = -1; way <= 1; way += 2)
		for (int i = x + way; i >= 0 && i < w &&
		    memcmp(&row[i].style, &row[x].style, sizeof row->style) == 0; i += way)
			if (row[i].ch != L' ')
				return true;
	return false;
}

bool
looks_of(const struct canvas *c, int x, int y, enum theme_colors colors,
    enum theme_palette palette, struct look *look)
{
	const struct cell *row = c->cell + y * c->w;
	int word;

	*look = theme_look(row[x].style, colors, palette);
	if (!is_blank(&row[x], colors, palette)) {
		if (row[x].ch == L' ' && look->bg >= 0 && !look->underline && !is_lettered(row, c->w, x))
			look->fg = -1;
		return true;
	}
	word = word_before(row, c->w, x, colors, palette);
	if (word >= 0) {
		*look = theme_look(row[word].style, colors, palette);
		if (look->bg < 0 && !look->underline && !look->reverse)
			return true;
	}
	*look = (struct look){ .fg = -1, .bg = -1 };
	return false;
}
