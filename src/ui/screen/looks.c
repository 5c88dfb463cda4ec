#include "ui/screen/looks.h"

#include <string.h>

static bool
same_style(const struct cell *a, const struct cell *b)
{
	return memcmp(&a->style, &b->style, sizeof a->style) == 0;
}

/* How the terminal is asked for a cell: what nobody sees of a blank is left out. */
static struct look
look_of(const struct cell *cell, enum theme_colors colors, enum theme_palette palette)
{
	const struct look look = theme_look(cell->style, colors, palette);

	if (cell->ch == L' ' && !look.underline && !look.reverse)
		return (struct look){ .fg = -1, .bg = look.bg };
	return look;
}

/* One row of a picture. */
struct row {
	const struct cell *now, *was; /* was NULL: it is blank */
	int w, at;                    /* columns; the number of the first cell */
	enum theme_colors colors;
	enum theme_palette palette;
};

static bool
is_changed(const struct row *r, int x, struct look look)
{
	static const struct cell blank = { .ch = L' ' };
	const struct cell *was = r->was != NULL ? &r->was[x] : &blank;

	if (r->was != NULL && r->now[x].ch == was->ch && same_style(&r->now[x], was))
		return false;
	return r->now[x].ch != was->ch || !theme_same_look(look, look_of(was, r->colors, r->palette));
}

/* The cells of a row that changed, the left half of a wide character for both. Returns how many. */
static int
look_at_row(const struct row *r, struct looks_cell *cell)
{
	struct look look = { .fg = -1, .bg = -1 };
	int n = 0;

	for (int x = 0; x < r->w; x++) {
		const bool wide = x + 1 < r->w && r->now[x + 1].ch == L'\0';

		if (r->now[x].ch == L'\0')
			continue;
		if (x == 0 || !same_style(&r->now[x], &r->now[x - 1]) || (r->now[x].ch == L' ') != (r->now[x - 1].ch == L' '))
			look = look_of(&r->now[x], r->colors, r->palette);
		if (is_changed(r, x, look) || (wide && is_changed(r, x + 1, look)))
			cell[n++] = (struct looks_cell){ .at = r->at + x, .look = look };
	}
	return n;
}

int
looks_changed(const struct canvas *c, const struct canvas *was, enum theme_colors colors,
    enum theme_palette palette, struct looks_cell *cell)
{
	int n = 0;

	for (int y = 0; y < c->h; y++) {
		const struct row r = { .now = c->cell + y * c->w, .was = was != NULL ? was->cell + y * c->w : NULL,
			.w = c->w, .at = y * c->w, .colors = colors, .palette = palette };

		n += look_at_row(&r, cell + n);
	}
	return n;
}

/* A cell without a background alone between two that have some: a frame, or a blank. */
static bool
is_bar(const struct looks_cell *cell, int n, int i)
{
	return cell[i].look.bg < 0 && i > 0 && i + 1 < n && cell[i - 1].at == cell[i].at - 1 &&
	    cell[i - 1].look.bg >= 0 && cell[i + 1].at == cell[i].at + 1 && cell[i + 1].look.bg >= 0;
}

/* A blank in text, which goes with what comes before it. */
static bool
goes_on(const struct looks_cell *cell, int i)
{
	static const struct look blank = { .fg = -1, .bg = -1 };

	return i > 0 && cell[i - 1].at == cell[i].at - 1 && cell[i - 1].look.bg < 0 &&
	    theme_same_look(cell[i].look, blank);
}

/* One kind for all on one background; else by all of the look, and bars apart from the same in text. */
static bool
is_of(const struct looks_kind *kind, struct look look, bool bar)
{
	return kind->look.bg == look.bg && kind->bar == bar && (look.bg >= 0 || theme_same_look(kind->look, look));
}

static int
kind_of(struct looks_kind kind[LOOKS_KINDS], int *count, struct look look, bool bar)
{
	int i = 0;

	while (i < *count && !is_of(&kind[i], look, bar))
		i++;
	if (i == *count && i < LOOKS_KINDS)
		kind[(*count)++] = (struct looks_kind){ .look = look, .bar = bar };
	return i;
}

int
looks_kinds(struct looks_cell *cell, int n, struct looks_kind kind[LOOKS_KINDS])
{
	int count = 0;

	for (int i = 0; i < n; i++) {
		const bool bar = is_bar(cell, n, i), runs_on = i > 0 && cell[i - 1].at == cell[i].at - 1;

		cell[i].kind = !bar && goes_on(cell, i) ? cell[i - 1].kind
		                                        : (uint8_t)kind_of(kind, &count, cell[i].look, bar);
		if (cell[i].kind < LOOKS_KINDS && (!runs_on || cell[i - 1].kind != cell[i].kind))
			kind[cell[i].kind].runs++;
	}
	return count;
}

/* What the first turn paints where a later one comes: what it paints to the left of it. */
static void
paint_under(struct looks_cell *cell, int n, int w)
{
	for (int i = 0; i < n; i++) {
		cell[i].under = cell[i].look;
		if (cell[i].turn > 0 && i > 0 && cell[i - 1].at == cell[i].at - 1 && cell[i].at % w > 0)
			cell[i].under = cell[i - 1].under;
		else if (cell[i].turn > 0)
			cell[i].under.bg = -1;
	}
}

void
looks_turns(struct looks_cell *cell, int n, int w, const struct looks_kind kind[LOOKS_KINDS])
{
	for (int i = 0; i < n; i++)
		cell[i].turn = cell[i].kind < LOOKS_KINDS ? kind[cell[i].kind].turn : 0;
	paint_under(cell, n, w);
}
