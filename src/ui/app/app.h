/*
 * app.h - the screen, seen from outside: run it on a plan.
 *
 * The screen knows no files; whoever runs it hands in what opens and saves plans.
 */
#ifndef UI_APP_H
#define UI_APP_H
#include "core/plan/catalog.h"
#include "ui/state/files.h"

/*
 * Open the screen on a plan and run until the user leaves it. Returns the exit status of
 * the program: 0, 2 when the terminal can not show a screen (the reason is on standard
 * error), 128 + n when signal n ended it. The terminal is as it was, in every case.
 */
int app_run(const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options);
#endif
