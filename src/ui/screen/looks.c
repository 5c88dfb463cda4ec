#include "ui/screen/looks.h"

#include <string.h>

/* Nothing to see but the background that the terminal has anyway. */
static bool
is_blank(const struct cell *cell, struct look look)
{
	return cell->ch == L' ' && look.bg < 0 && !look.underline && !look.reverse;
}

static bool
same_style(const struct cell *a, const struct cell *b)
{
	return memcmp(&a->style, &b->style, sizeof a->style) == 0;
}

/* Where cells of the style of the one at x end; whether any of them is a letter. */
static int
style_end(const struct cell *row, int w, int x, bool *lettered)
{
	int i = x;

	for (*lettered = false; i < w && same_style(&row[i], &row[x]); i++)
		*lettered |= row[i].ch != L' ';
	return i;
}

static bool
same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && same_style(a, b);
}

/* One row of a picture, from left to right. */
struct row {
	const struct cell *now, *was; /* was NULL: nothing is known of it */
	int w, at;                    /* columns; the number of the first cell */
	int changed;                  /* the last column that did */
	int word;                     /* the last column of the last word, -1: there was none */
	struct look look;             /* that one's */
	struct looks_cell *cell;
	int n;
};

/* Whether the cell is to be sent: it changed, or is a blank that follows the colour of a word that did. */
static bool
is_due(struct row *r, int x)
{
	const bool wide = x + 1 < r->w && r->now[x + 1].ch == L'\0';

	if (r->was == NULL || !same_cell(&r->now[x], &r->was[x]) ||
	    (wide && !same_cell(&r->now[x + 1], &r->was[x + 1])))
		r->changed = x;
	return r->changed == x || (r->now[x].ch == L' ' && x - r->changed <= LOOKS_GAP);
}

/* Blanks from the last word up to x, where another one is or the row ends. */
static void
end_blanks(struct row *r, int x)
{
	const int blanks = x - r->word - 1;
	const bool clear = r->look.bg < 0 && !r->look.underline && !r->look.reverse;

	if (blanks > 0 && blanks <= LOOKS_GAP && r->word >= 0 && x < r->w && clear) {
		for (int i = r->n; i > 0 && r->cell[i - 1].at > r->at + r->word; i--) {
			r->cell[i - 1].look = r->look;
			r->cell[i - 1].plain = false;
		}
	} else if (blanks > 1 && r->was == NULL)
		r->n -= blanks;
}

static void
look_at_row(struct row *r, enum theme_colors colors, enum theme_palette palette)
{
	bool lettered;

	for (int x = 0, end; x < r->w; x = end) {
		const struct look look = theme_look(r->now[x].style, colors, palette);

		end = style_end(r->now, r->w, x, &lettered);
		for (int i = x; i < end; i++) {
			struct looks_cell cell = { .at = r->at + i, .look = look };

			cell.plain = is_blank(&r->now[i], look);
			if (cell.plain)
				cell.look = (struct look){ .fg = -1, .bg = -1 };
			else {
				end_blanks(r, i);
				r->word = i;
				r->look = look;
			}
			if (!lettered && look.bg >= 0 && !look.underline)
				cell.look.fg = -1;
			if (r->now[i].ch != L'\0' && is_due(r, i))
				r->cell[r->n++] = cell;
		}
	}
	end_blanks(r, r->w);
}

int
looks_changed(const struct canvas *c, const struct canvas *was, enum theme_colors colors,
    enum theme_palette palette, struct looks_cell *cell)
{
	int n = 0;

	for (int y = 0; y < c->h; y++) {
		struct row r = { .now = c->cell + y * c->w, .w = c->w, .at = y * c->w,
			.was = was != NULL ? was->cell + y * c->w : NULL,
			.changed = -LOOKS_GAP - 1, .word = -1, .cell = cell + n };

		look_at_row(&r, colors, palette);
		n += r.n;
	}
	return n;
}

/* Curses sends again what stands between two changes that are nearer: a move is no shorter. */
enum { NEAR = 6, TURNS_MOST = 128, RUNS_LEAST = 8, PHASES = 4, PHASED_LEAST = 64 };

/* A background, or what stands alone between two, as one goes along the rows. */
struct ground {
	struct look look;
	int end;        /* of its last run */
	int phase_end[PHASES]; /* of its last run in each phase: those of one are not near each other */
	int runs, near; /* how many, and how many of them are near one before */
	int rows, row;  /* on how many rows they are; the last one */
	int between;    /* another one that stands between two that are near, else TURNS_MOST */
	int turn, turns; /* its first, and how many phases have one */
};

struct grounds {
	struct ground ground[TURNS_MOST];
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
	while (i < g->count && (g->ground[i].look.fg != look.fg || g->ground[i].look.bg != look.bg))
		i++;
	if (i == g->count && i < TURNS_MOST)
		g->ground[g->count++] = (struct ground){ .look = look, .end = -NEAR, .row = -1,
			.phase_end = { -NEAR, -NEAR, -NEAR, -NEAR }, .between = TURNS_MOST };
	return i;
}

/* A run begins: the phase that it is in, PHASES where it is near one of each. */
static int
begin_run(struct ground *ground, int at, int w, int last)
{
	const bool near = at - ground->end < NEAR && at % w >= NEAR;
	int phase = 0;

	ground->runs++;
	ground->near += near;
	ground->rows += ground->row != at / w;
	ground->row = at / w;
	if (near)
		ground->between = last;
	while (near && phase < PHASES && at - ground->phase_end[phase] < NEAR)
		phase++;
	return phase;
}

/* Count their runs; the turn of a cell is the phase of its run for now. */
static void
find_grounds(struct grounds *g, struct looks_cell *cell, int n, int w)
{
	int last = TURNS_MOST;

	for (int i = 0; i < n; i++) {
		const int at = cell[i].at, now = ground_of(g, cell, n, i);
		struct ground *ground = &g->ground[now];

		if (now < TURNS_MOST) {
			cell[i].turn = now == last && ground->end == at ? cell[i - 1].turn :
			    (uint8_t)begin_run(ground, at, w, last);
			ground->end = at + 1;
			if (cell[i].turn < PHASES)
				ground->phase_end[cell[i].turn] = at + 1;
		}
		last = now;
	}
}

/* Whether the runs of a ground are fewer in a row than those that stand between them. */
static bool
is_sparse(const struct grounds *g, const struct ground *a)
{
	const struct ground *b = &g->ground[a->between];

	return a->between < TURNS_MOST && a->runs >= PHASED_LEAST && a->runs * b->rows < b->runs * a->rows;
}

/* Grounds that stand apart have a turn, those between denser ones one for each phase. Returns the last. */
static int
give_turns(struct grounds *g)
{
	int turns = 0;

	for (struct ground *a = g->ground; a < g->ground + g->count; a++) {
		if (a->near * RUNS_LEAST <= a->runs && a->runs >= RUNS_LEAST)
			a->turns = 1;
		else if (is_sparse(g, a) && turns + PHASES < TURNS_MOST)
			a->turns = PHASES;
		a->turn = turns + 1;
		turns += a->turns;
	}
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

	find_grounds(&g, cell, n, w);
	turns = give_turns(&g);
	for (int i = 0; i < n; i++) {
		const int ground = ground_of(&g, cell, n, i), phase = cell[i].turn;

		cell[i].turn = 0;
		if (ground < TURNS_MOST && phase < g.ground[ground].turns)
			cell[i].turn = (uint8_t)(g.ground[ground].turn + phase);
	}
	paint_under(cell, n, w);
	/* With a pair of the terminal's own colours a blank between others does not reset all attributes. */
	for (int i = 0; i < n; i++)
		if (cell[i].plain && cell[i].turn == 0 && is_bar(cell, n, i))
			cell[i].plain = false;
	return turns;
}
