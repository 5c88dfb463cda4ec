/*
 * term.h - the terminal: the only file that knows curses.
 */
#ifndef UI_TERM_H
#define UI_TERM_H
#include <stdbool.h>
#include <stdint.h>

#include "ui/screen/canvas.h"
#include "ui/screen/decode.h"

struct terminal {
	void *screen;        /* SCREEN of curses */
	int w, h;             /* columns and rows */
	enum theme_colors colors; /* that it has and may be asked for */
	bool direct;         /* its colours are not numbers of a palette, but red, green, blue */
	bool utf8;
	bool mouse;          /* clicks come to the program */
	bool marks_pastes;   /* text that is pasted comes with marks around it */
	struct decoder decoder; /* of what was typed; it has the mouse of the last INPUT_MOUSE */
	enum theme_palette palette;
	struct canvas shown; /* what the screen shows now */
	int pairs;           /* colour pairs in use; */
	short pair[257][257]; /* their numbers, by foreground and background + 1, 0 for none */
	bool short_of_pairs; /* some cell got none */
};

/*
 * Take the terminal over. False when it can not show a screen; the reason, and the
 * commands that need none, are on standard error.
 */
bool term_open(struct terminal *t, enum color_when color);

/* Give it back as it was. */
void term_close(struct terminal *t);

/* Show a canvas of the terminal's size; only what changed is sent. */
void term_show(struct terminal *t, const struct canvas *c);

/* Show colours by a palette from now on. */
void term_palette(struct terminal *t, enum theme_palette palette);

/* Take clicks and the wheel, or leave them to the terminal, which selects text with them. */
void term_mouse(struct terminal *t, bool on);

/* Send everything again with the next term_show. */
void term_repaint(struct terminal *t);

/*
 * The next key. Waits for one (or RESIZE, STOP, SIGNAL, GONE) so many milliseconds, not at
 * all (0) or for ever (-1). NONE when none came, or the alarm rang meanwhile (signals.h).
 * Waiting costs nothing.
 */
int32_t term_key(struct terminal *t, int ms);

/* Stop like any program under job control, with the whole job or (for INPUT_STOP, which
 * the others got too) alone; returns when continued. */
void term_suspend(struct terminal *t, bool job);
#endif
