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

enum { TURNS_MOST = 128, RUNS_LEAST = 8 };

/* A background, or what stands alone between two, as one goes along the rows. */
struct ground {
	struct look look;
	int end;  /* of its last run */
	int runs;
	uint8_t turn;
};

struct grounds {
	struct ground ground[TURNS_MOST + 1]; /* the last: cells without */
	int count;
};

/* A cell without a background alone between two that have some: a frame, or a blank. */
static bool
is_bar(const struct looks_cell *cell, int n, int i)
{
	return cell[i].look.bg < 0 && i > 0 && i + 1 < n && cell[i - 1].at == cell[i].at - 1 &&
	    cell[i - 1].look.bg >= 0 && cell[i + 1].at == cell[i].at + 1 && cell[i + 1].look.bg >= 0;
}

/* The place among them of what a cell has, TURNS_MOST where it has none. */
static int
ground_of(struct grounds *g, const struct looks_cell *cell, int n, int at)
{
	const struct look look = cell[at].look;
	int i = 0;

	if (look.bg < 0 && !is_bar(cell, n, at))
		return TURNS_MOST;
	while (i < g->count && (g->ground[i].look.bg != look.bg || (look.bg < 0 && g->ground[i].look.fg != look.fg)))
		i++;
	if (i == g->count && i < TURNS_MOST)
		g->ground[g->count++] = (struct ground){ .look = look, .end = -1 };
	return i;
}

static void
count_runs(struct grounds *g, const struct looks_cell *cell, int n)
{
	for (int i = 0; i < n; i++) {
		struct ground *ground = &g->ground[ground_of(g, cell, n, i)];

		ground->runs += ground->end != cell[i].at;
		ground->end = cell[i].at + 1;
	}
}

/* A turn for each that has some runs, but for the one that has most, and cells without if they have more: the
 * others are painted over that. */
static int
give_turns(struct grounds *g)
{
	uint8_t turns = 0;
	int most = TURNS_MOST;

	for (int i = 0; i < g->count; i++)
		if (g->ground[i].runs > g->ground[most].runs)
			most = i;
	for (int i = 0; i < g->count; i++)
		if (i != most && g->ground[i].runs >= RUNS_LEAST)
			g->ground[i].turn = ++turns;
	return turns;
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

int
looks_turns(struct looks_cell *cell, int n, int w)
{
	struct grounds g = { .count = 0 };
	int turns;

	count_runs(&g, cell, n);
	turns = give_turns(&g);
	for (int i = 0; i < n; i++)
		cell[i].turn = g.ground[ground_of(&g, cell, n, i)].turn;
	paint_under(cell, n, w);
	return turns;
}
