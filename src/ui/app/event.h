/*
 * event.h - from a key to what it does: the functions that a terminal, or a test, calls.
 */
#ifndef UI_EVENT_H
#define UI_EVENT_H
#include "ui/state/state.h"

/* Begin with a plan. False without memory. */
bool app_start(struct state *s, const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options);
void app_resize(struct state *s, int columns, int rows);

/* A key, from the terminal or a test: looks up the command, runs it and acts. Returns what
 * is left to the loop: QUIT, SUSPEND, REPAINT. */
unsigned app_key(struct state *s, int32_t key);

/* Run a command by name, as the ":" prompt does ("set parallel.tp 8"), and act. */
unsigned app_command(struct state *s, const char *text);

/* Do what flags ask for, files and the estimate; returns what is left to the loop. */
unsigned app_act(struct state *s, unsigned flags);

/* Whether there is work to do while no key waits, and a little of it. */
bool app_busy(const struct state *s);
void app_idle(struct state *s);

/* Scroll every pane and the list so that what is selected is visible. */
void app_follow(struct state *s);

/* Draw the screen. The canvas has the state's size. */
void app_draw(const struct state *s, struct canvas *c);
#endif
