#include "screen_floor.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef HAVE_NCURSESW_CURSES_H
#include <ncursesw/curses.h>
#else
#include <curses.h>
#endif

#include "ui/screen/theme.h"

/* A cell as curses is told: everything but that is left out of the measured program. */
struct ready {
	wchar_t ch; /* 0: the right half of a wide character */
	attr_t attr;
	short fg, bg;
};

struct header {
	int w, h, count;
	int cursor_x, cursor_y; /* of the first picture: near enough for all */
};

static struct ready
ready_of(const struct cell *cell)
{
	const struct look look = theme_look(cell->style, THEME_256, PALETTE_DEFAULT);

	return (struct ready){ .ch = cell->ch, .fg = look.fg, .bg = look.bg,
		.attr = (look.bold ? A_BOLD : A_NORMAL) | (look.dim ? A_DIM : A_NORMAL) |
		    (look.underline ? A_UNDERLINE : A_NORMAL) | (look.reverse ? A_REVERSE : A_NORMAL) };
}

bool
floor_write(const char *path, const struct canvas *picture[], int count)
{
	const struct canvas *first = picture[0];
	const struct header header = { first->w, first->h, count, first->cursor_x,
		first->cursor_y };
	FILE *out = fopen(path, "wb");
	bool ok = out != NULL && fwrite(&header, sizeof header, 1, out) == 1;

	for (int i = 0; ok && i < count; i++)
		for (int k = 0; ok && k < first->w * first->h; k++) {
			struct ready cell = ready_of(&picture[i]->cell[k]);

			ok = fwrite(&cell, sizeof cell, 1, out) == 1;
		}
	return out != NULL && fclose(out) == 0 && ok;
}

static short
pair_of(short fg, short bg)
{
	static short pair[256][2];
	static short pairs;

	if (fg < 0 && bg < 0)
		return 0;
	for (short i = 1; i <= pairs; i++)
		if (pair[i][0] == fg && pair[i][1] == bg)
			return i;
	if (pairs == 255)
		return 0;
	pairs++;
	pair[pairs][0] = fg;
	pair[pairs][1] = bg;
	init_pair(pairs, fg, bg);
	return pairs;
}

static void
paint(const struct header *header, const struct ready *cell)
{
	for (int y = 0; y < header->h; y++)
		for (int x = 0; x < header->w; x++, cell++) {
			const wchar_t text[2] = { cell->ch, L'\0' };
			cchar_t out;

			if (cell->ch != L'\0' &&
			    setcchar(&out, text, cell->attr, pair_of(cell->fg, cell->bg), NULL) == OK)
				mvadd_wch(y, x, &out);
		}
	move(header->cursor_y, header->cursor_x);
	refresh();
}

static struct ready *
read_pictures(const char *path, struct header *header)
{
	FILE *in = fopen(path, "rb");
	struct ready *cells = NULL;
	size_t n;

	if (in == NULL || fread(header, sizeof *header, 1, in) != 1) {
		perror(path);
		return NULL;
	}
	n = (size_t)header->w * (size_t)header->h * (size_t)header->count;
	cells = malloc(n * sizeof *cells);
	if (cells != NULL && fread(cells, sizeof *cells, n, in) != n) {
		free(cells);
		cells = NULL;
	}
	fclose(in);
	return cells;
}

int
floor_run(const char *path)
{
	struct header header;
	struct ready *cells = read_pictures(path, &header);
	int now = 0, ch;

	if (cells == NULL)
		return 1;
	setlocale(LC_ALL, "");
	initscr();
	start_color();
	use_default_colors();
	cbreak();
	noecho();
	nonl();
	do {
		paint(&header, cells + (size_t)now * (size_t)header.w * (size_t)header.h);
		now = (now + 1) % header.count;
		ch = getch();
	} while (ch != 'q' && ch != ERR);
	endwin();
	free(cells);
	return 0;
}
