/*
 * term.h - the terminal: the only file that knows curses.
 */
#ifndef UI_TERM_H
#define UI_TERM_H
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ui/screen/canvas.h"
#include "ui/screen/decode.h"
#include "ui/screen/looks.h"
#include "ui/screen/send.h"

struct terminal {
	void *screen;        /* SCREEN of curses */
	int w, h;             /* columns and rows */
	enum theme_colors colors; /* that it has and may be asked for */
	bool utf8;
	bool mouse;          /* clicks come to the program */
	bool marks_pastes;   /* text that is pasted comes with marks around it */
	struct decoder decoder; /* of what was typed; it has the mouse of the last INPUT_MOUSE */
	char title[96];      /* of its window, as it is now; "": its own */
	struct timespec asked; /* when the background was */
	enum theme_palette palette;
	struct canvas shown; /* what the screen shows now */
	struct looks_cell *cell; /* room for what is to be sent of it */
	struct send send;    /* what makes bytes of it */
	bool has_mouse;
};

/*
 * Take the terminal over. False when it can not show a screen; the reason, and the
 * commands that need none, are on standard error.
 */
bool term_open(struct terminal *t, enum color_when color);

/* Give it back as it was. */
void term_close(struct terminal *t);

/* Show a canvas of the terminal's size; only what changed is sent. The picture is the terminal's then,
 * and the one before comes back to be drawn on, without cells where there was none. False without memory. */
bool term_show(struct terminal *t, struct canvas *c);

/* Show colours by a palette from now on. */
void term_palette(struct terminal *t, enum theme_palette palette);

/* Ask for the colour of the background, where its type is of one that may know: INPUT_BACKGROUND
 * comes, or nothing. And whether it can show a picture at once: then large ones are. Before the first
 * picture, which wipes out what terminals write that do not know the question. */
void term_ask(struct terminal *t);

/* What its window is called from the next picture on, until it is given back; not inside tmux and screen, which do not keep the
 * name that was. Printable characters alone. */
void term_title(struct terminal *t, const char *title);

/* Call for somebody who looks elsewhere. */
void term_bell(void);

/* Give it to another program for a while, and take it back. */
void term_leave(struct terminal *t);
void term_return(struct terminal *t);

/* Take clicks and the wheel, or leave them to the terminal, which selects text with them. */
void term_mouse(struct terminal *t, bool on);

/* Hand bytes of clipboard.h to the terminal. False where its type is of none that knows them. */
bool term_copy(struct terminal *t, const char *bytes, size_t size);

/* Send everything again with the next term_show. */
void term_repaint(struct terminal *t);

/*
 * The next key. Waits for one (or RESIZE, STOP, SIGNAL, GONE) so many milliseconds, not at
 * all (0) or for ever (-1). NONE when none came, or the alarm rang meanwhile (signals.h).
 * Waiting costs nothing.
 */
int32_t term_key(struct terminal *t, int ms);

/* After a stop, in which sizes change unnoticed, or at another size: all is shown anew. */
void term_resume(struct terminal *t);

/* Stop like any program under job control, with the whole job or (for INPUT_STOP, which
 * the others got too) alone; returns when continued. */
void term_suspend(struct terminal *t, bool job);
#endif
