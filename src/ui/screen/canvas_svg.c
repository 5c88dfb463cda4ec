/* A canvas as a picture: SVG 1.1, a rectangle for what has a colour behind it, a text for each
 * run of characters of one look. */
#include "core/base/text.h"
#include "out/out.h"
#include "ui/screen/canvas.h"

enum { CELL_W = 8, CELL_H = 16, BASE = 12, RUN = 1024 };

/* Colours of the paper where a look has none of its own. */
struct paper {
	uint32_t ink, ground;
};

static struct look
look_on(struct look look, const struct paper *paper, uint32_t *ink, uint32_t *ground)
{
	const uint32_t fg = look.fg < 0 ? paper->ink : theme_rgb(look.fg);
	const uint32_t bg = look.bg < 0 ? paper->ground : theme_rgb(look.bg);

	*ink = look.reverse ? bg : fg;
	*ground = look.reverse ? fg : bg;
	return look;
}

static bool
is_same(const struct cell *a, const struct cell *b)
{
	return a->style.role == b->style.role && a->style.set == b->style.set &&
	    a->style.index == b->style.index && a->style.ink == b->style.ink &&
	    a->style.flags == b->style.flags;
}

/* As XML wants it; a blank keeps its width for every reader. */
static void
add_char(char *buf, size_t size, wchar_t wide)
{
	const unsigned ch = (unsigned)wide;

	if (ch == '&' || ch == '<' || ch == '>')
		text_add(buf, size, "&#%u;", ch);
	else if (ch > ' ' && ch < 0x7f)
		text_add(buf, size, "%c", (int)ch);
	else
		text_add(buf, size, "&#x%x;", ch == ' ' ? 0xa0 : ch);
}

static void
print_run(FILE *out, const struct cell *cell, int x, int y, int n, enum theme_palette palette,
    const struct paper *paper)
{
	uint32_t ink, ground;
	const struct look look = look_on(theme_look(cell->style, THEME_256, palette), paper, &ink,
	    &ground);
	char text[RUN] = "";
	bool blank = true;

	for (int i = 0; i < n; i++) {
		blank &= cell[i].ch == L' ' || cell[i].ch == L'\0';
		if (cell[i].ch != L'\0')
			add_char(text, sizeof text, cell[i].ch);
	}
	if (ground != paper->ground)
		out_line(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>", x * CELL_W,
		    y * CELL_H, n * CELL_W, CELL_H, (unsigned)ground);
	if (!blank)
		out_line(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>%s</text>",
		    x * CELL_W, y * CELL_H + BASE, n * CELL_W, (unsigned)ink,
		    look.bold ? " font-weight=\"bold\"" : "", look.dim ? " opacity=\"0.6\"" : "", text);
}

bool
canvas_svg(const struct canvas *c, FILE *out, enum theme_palette palette)
{
	const struct paper paper = palette == PALETTE_LIGHT ? (struct paper){ 0x000000, 0xffffff } :
	    (struct paper){ 0xd0d0d0, 0x101010 };
	const int most = RUN / 10; /* a character takes up to ten bytes */

	out_line(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
	    "font-family=\"monospace\" font-size=\"13\">", c->w * CELL_W,
	    c->h * CELL_H);
	out_line(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>", (unsigned)paper.ground);
	for (int y = 0; y < c->h; y++) {
		const struct cell *row = &c->cell[y * c->w];

		for (int x = 0, n; x < c->w; x += n) {
			for (n = 1; x + n < c->w && n < most && is_same(&row[x], &row[x + n]);)
				n++;
			print_run(out, &row[x], x, y, n, palette, &paper);
		}
	}
	out_line(out, "</svg>");
	return fflush(out) == 0 && !ferror(out);
}
