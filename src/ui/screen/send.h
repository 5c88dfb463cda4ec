/*
 * send.h - the bytes that make one picture on a terminal of another, as few as are found. How the terminal says
 * each thing is told by a function, so this knows neither curses nor a file.
 */
#ifndef UI_SEND_H
#define UI_SEND_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/screen/canvas.h"
#include "ui/screen/looks.h"

/* What a terminal may be told; a and b of send_word. */
enum send_what {
	SEND_CLEAR,                   /* the screen, and the cursor goes to its first cell */
	SEND_MOVE,                    /* the cursor to row a, column b */
	SEND_COLUMN,                  /* to column a of its row */
	SEND_RIGHT, SEND_LEFT, SEND_UP, SEND_DOWN, /* by a cells */
	SEND_ERASE,                   /* a cells from the cursor on, which stays */
	SEND_ERASE_LINE,              /* those up to the end of its row */
	SEND_PLAIN,                   /* neither attributes nor colours from here on */
	SEND_BOLD, SEND_DIM, SEND_UNDERLINE, SEND_REVERSE,
	SEND_INK, SEND_GROUND,        /* colour a, -1: the terminal's own */
};

enum { SEND_WORD = 64 };

/* How a terminal says it: "" where it can not. */
typedef void send_word(enum send_what what, int a, int b, char word[SEND_WORD]);

struct send {
	send_word *word;
	enum theme_colors colors;
	enum theme_palette palette;
	bool utf8;
	bool erases_ground; /* what is erased takes the colour of the ground that is set (terminfo's bce) */
	bool scrolls;       /* a character in the last cell of all moves the screen */
	bool dim_alone, underline_alone; /* what would spoil a colour */
	char *bytes;        /* owned; from one picture to the next */
	size_t size, room;
	size_t style_end;   /* where the last change of the look ends, if it is the last */
	bool failed;        /* no memory */
	int at;             /* where the cursor is: row x width + column, -1: unknown */
	struct look look;   /* in which the next character comes */
};

/*
 * Make the bytes for so many cells of looks.h: s->bytes, s->size of them. They go in turns (looks.h), of a small
 * change those that were found to make it shortest. whole: of a screen that is cleared first. They begin and end with a terminal in its plain look. False without memory.
 */
bool send_cells(struct send *s, const struct canvas *c, struct looks_cell *cell, int n, bool whole);
#endif
