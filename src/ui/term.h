/*
 * term.h - the terminal: the only file that knows curses.
 */
#ifndef UI_TERM_H
#define UI_TERM_H
#include <stdbool.h>
#include <stdint.h>

#include "ui/app.h"
#include "ui/canvas.h"
#include "ui/input.h"

struct terminal {
	void *screen;        /* SCREEN of curses */
	int w, h;             /* columns and rows */
	enum theme_colors colors;
	bool utf8;
	struct canvas shown; /* what the screen shows now */
	int pairs;
	int16_t pair[256][2]; /* foreground and background of each colour pair in use */
};

/*
 * Take the terminal over. False when it can not show a screen; the reason, and the
 * commands that need none, are on standard error.
 */
bool term_open(struct terminal *t, const struct app_options *options);

/* Give it back as it was. */
void term_close(struct terminal *t);

/* Show a canvas of the terminal's size; only what changed is sent. */
void term_show(struct terminal *t, const struct canvas *c);

/* Send everything again with the next term_show. */
void term_repaint(struct terminal *t);

/*
 * The next key. With wait, block until there is one (or RESIZE, SIGNAL, GONE); without,
 * INPUT_NONE when none is ready. Waiting costs nothing.
 */
int32_t term_key(struct terminal *t, bool wait);

/* The signal that asked the program to end, or 0. */
int term_signal(void);

/* Stop like any program under job control; returns when continued. */
void term_suspend(struct terminal *t);
#endif
