/*
 * app.h - the screen, seen from outside: run it on a plan.
 *
 * The screen knows no files; whoever runs it hands in what opens and saves plans.
 */
#ifndef UI_APP_H
#define UI_APP_H
#include <stdbool.h>
#include <stddef.h>

#include "core/catalog.h"
#include "core/plan.h"

enum app_saved { APP_SAVED, APP_CHANGED_ON_DISK, APP_EXISTS, APP_SAVE_FAILED };

struct app_files {
	void *context; /* handed to the calls below */

	/* Read a plan. False with the reason in note. */
	bool (*open)(void *context, const char *path, struct plan *plan, char *note, size_t size);

	/* Write a plan; path NULL means where it came from. note gets one line for the user.
	 * CHANGED_ON_DISK and EXISTS wrote nothing: the screen asks and calls with force. */
	enum app_saved (*save)(void *context, const char *path, const struct plan *plan,
	    bool force, char *note, size_t size);

	/* Path of the open plan for the header, "" while it has none. */
	const char *(*path)(void *context);

	/* Paths that begin with text, for completion in prompts; the i-th, false past the end. */
	bool (*complete)(void *context, const char *text, size_t i, char *path, size_t size);

	/* The terminal goes away or the program is told to end with unsaved work: keep a copy
	 * where it will be found. False when that failed. note says where. */
	bool (*keep_draft)(void *context, const struct plan *plan, char *note, size_t size);
};

enum app_color { APP_COLOR_AUTO, APP_COLOR_ALWAYS, APP_COLOR_NEVER };

struct app_options {
	enum app_color color; /* auto: as many as the terminal has; NO_COLOR turns them off */
	bool ascii;           /* no characters beyond ASCII */
};

/*
 * Open the screen on a plan and run until the user leaves it. Returns the exit status of
 * the program: 0, 2 when the terminal can not show a screen (the reason is on standard
 * error), 128 + n when signal n ended it. The terminal is as it was, in every case.
 */
int app_run(const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options);
#endif
