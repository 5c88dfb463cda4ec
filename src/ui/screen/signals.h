/*
 * signals.h - signals: which ask the program to end, to stop or to look again at its
 * terminal, and what must be done at once, whatever the program is at.
 */
#ifndef UI_SIGNALS_H
#define UI_SIGNALS_H
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* The data that gives the terminal back after a crash, when nothing else can be trusted. */
struct signals_back {
	struct termios modes;
	char text[256];
	size_t length;
};

/* Note signals that ask the program to end; what waits for input returns instead. From the
 * first one on, output that the terminal does not take is thrown away. */
void signals_watch(void);

/* The one that came, or 0. */
int signals_ending(void);

/* Take signals for a screen, with all other signals that it must not miss. They are held back
 * but for signals_wait and signals_let_in, so that none comes between looking and waiting. */
void signals_take(const struct signals_back *back);

/* Back to what is usual. */
void signals_give(void);

/* Name the function that writes unsaved work, when it is time or after a crash: it may do no more than a
 * signal handler may. */
void signals_draft(void (*write)(const void *context), const void *context);

/* Have that done so many milliseconds from now, unless it is going to be done already. */
void signals_alarm(int ms);

/* Whether it was done, asked to stop, continued or resized, since this was last asked. */
bool signals_rang(void);
bool signals_stopped(void);
bool signals_continued(void);

/* Wait for input, ms milliseconds at most, -1 for ever, or a signal. False when nothing came
 * in that time. */
bool signals_wait(int fd, int ms);

/* Let signals in while the terminal is written to: it may take no output for hours. */
void signals_let_in(void);
void signals_hold(void);

/* Before the last that is written, once the program is to end: what waits to be taken goes,
 * so that this has its time. */
void signals_make_room(void);

/* Stop, with the whole job or alone; returns when continued. */
void signals_stop(bool job);
#endif
