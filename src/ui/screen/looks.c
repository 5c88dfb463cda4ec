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

/* Where the blanks that go on from one towards an end stop, at the end or before it. */
static int
past_blanks(const struct cell *row, int x, int end, enum theme_colors colors,
    enum theme_palette palette)
{
	int i = x;

	do
		i += end < x ? -1 : 1;
	while (i != end && row[i].ch == L' ' && (same_style(&row[i], &row[x]) ||
	    is_blank(&row[i], theme_look(row[i].style, colors, palette))));
	return i;
}

/* The end of the word to the left of a blank in a short gap between words, else -1. */
static int
word_before(const struct cell *row, int w, int x, enum theme_colors colors,
    enum theme_palette palette)
{
	const int start = x > LOOKS_GAP ? x - LOOKS_GAP - 1 : -1;
	const int left = past_blanks(row, x, start, colors, palette);
	const int end = left + LOOKS_GAP + 1 < w ? left + LOOKS_GAP + 2 : w;

	if (left == start || past_blanks(row, x, end, colors, palette) == end)
		return -1;
	return row[left].ch == L'\0' ? left - 1 : left;
}

/* Whether a blank stands beside letters of its own style, with nothing but such blanks between. */
static bool
is_lettered(const struct cell *row, int w, int x)
{
	for (int way = -1; way <= 1; way += 2)
		for (int i = x + way; i >= 0 && i < w && same_style(&row[i], &row[x]); i += way)
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
	if (!is_blank(&row[x], *look)) {
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

static bool
same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && same_style(a, b);
}

int
looks_changed(const struct canvas *c, const struct canvas *was, enum theme_colors colors,
    enum theme_palette palette, struct looks_cell *cell)
{
	int n = 0;

	for (int y = 0; y < c->h; y++) {
		int last = -LOOKS_GAP - 1; /* cell that changed */

		for (int x = 0; x < c->w; x++) {
			const int at = y * c->w + x;
			const struct cell *now = &c->cell[at];
			const bool wide = x + 1 < c->w && now[1].ch == L'\0';

			if (now->ch == L'\0')
				continue;
			if (was == NULL || !same_cell(now, &was->cell[at]) ||
			    (wide && !same_cell(now + 1, &was->cell[at + 1])))
				last = x;
			/* Blanks follow the colour of the word before them. */
			if (last != x && (now->ch != L' ' || x - last > LOOKS_GAP))
				continue;
			cell[n] = (struct looks_cell){ .at = at };
			cell[n].plain = !looks_of(c, x, y, colors, palette, &cell[n].look);
			n++;
		}
	}
	return n;
}

/* Curses sends again what stands between two changes that are nearer: a move is no shorter. */
enum { NEAR = 6, TURNS_MOST = 128, RUNS_LEAST = 8 };

/* A background, or what stands alone between two, as one goes along the rows. */
struct ground {
	struct look look;
	int end;      /* of its last run */
	int runs, near; /* how many, and how many of them are near one before */
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
		g->ground[g->count++] = (struct ground){ .look = look, .end = -NEAR };
	return i;
}

/* Count their runs; cells of those that are near another one are marked by a turn. */
static void
find_grounds(struct grounds *g, struct looks_cell *cell, int n, int w)
{
	int last = TURNS_MOST;

	for (int i = 0; i < n; i++) {
		const int at = cell[i].at, now = ground_of(g, cell, n, i);
		struct ground *ground = &g->ground[now];

		if (now < TURNS_MOST && (now != last || ground->end != at)) {
			cell[i].turn = at - ground->end < NEAR && at % w >= NEAR;
			ground->runs++;
			ground->near += cell[i].turn;
		} else if (now < TURNS_MOST)
			cell[i].turn = cell[i - 1].turn;
		if (now < TURNS_MOST)
			ground->end = at + 1;
		last = now;
	}
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
	uint8_t turn[TURNS_MOST + 1] = { 0 };
	int turns = 0;

	find_grounds(&g, cell, n, w);
	for (int i = 0; i < g.count; i++)
		if (g.ground[i].near * RUNS_LEAST <= g.ground[i].runs && g.ground[i].runs >= RUNS_LEAST)
			turn[i] = (uint8_t)++turns;
	for (int i = 0; i < n; i++)
		cell[i].turn = cell[i].turn == 0 ? turn[ground_of(&g, cell, n, i)] : 0;
	paint_under(cell, n, w);
	/* With a pair of the terminal's own colours a blank between others does not reset all attributes. */
	for (int i = 0; i < n; i++)
		if (cell[i].plain && cell[i].turn == 0 && is_bar(cell, n, i))
			cell[i].plain = false;
	return turns;
}
