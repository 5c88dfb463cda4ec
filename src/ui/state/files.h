/*
 * files.h - what the screen needs of the outside: whoever runs it hands in what opens and
 * saves plans, and how it is to begin.
 */
#ifndef UI_FILES_H
#define UI_FILES_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/field_set.h"
#include "core/plan/plan.h"
#include "prefs/settings.h"
#include "prefs/texts.h"
#include "prefs/topic.h"
#include "ui/screen/theme.h"

enum app_saved { APP_SAVED, APP_ASKS, APP_SAVE_FAILED };

struct measured;    /* core/diagnose/measured.h */
struct search;      /* core/search/search.h */
struct search_key;
struct search_news; /* search_view.h */

struct app_files {
	void *context; /* handed to those of the calls below that are of a session */

	/* Read a plan, "" for a new one. False with the reason in note. An example opens without
	 * a path: it is saved under a name of the user's. */
	bool (*open)(void *context, const char *path, struct plan *plan, char *note, size_t size);

	/* The same without making it the open plan: saving goes where it went before. */
	bool (*peek)(void *context, const char *path, struct plan *plan, char *note, size_t size);

	/* Write a plan; path NULL means where it came from. note gets one line for the user.
	 * ASKS wrote nothing over what others wrote: the screen asks and calls with force. */
	enum app_saved (*save)(void *context, const char *path, const struct plan *plan,
	    bool force, char *note, size_t size);

	/* Path of the open plan for the header, "" while it has none. */
	const char *(*path)(void *context);

	/* Paths that begin with text, for completion in prompts: asked for i = 0, 1 and so on
	 * until it answers false, past the end. */
	bool (*complete)(void *context, const char *text, size_t i, char *path, size_t size);

	/* Make a copy of unsaved work ready to be written where the next session will find it;
	 * last: this one ends without having asked. False when there is no place for it, with
	 * the reason in note. */
	bool (*ready_draft)(void *context, const struct plan *plan, bool last, char *note,
	    size_t size);

	/* Write what is ready and not written yet. False when that failed. note says where it
	 * is, or why not; with NULL the call does no more than a signal handler may. */
	bool (*write_draft)(void *context, char *note, size_t size);

	/* The calls below may be NULL: then there is nothing of the kind. */

	/* The catalogue that app_run was given may hold no more than what the plan names: read
	 * the rest. Called once, between the first picture and the first key. False with the
	 * reason in note, which ends the program; else a warning is there, or note is as it was. */
	bool (*read_catalog)(void *context, char *note, size_t size);

	/* Make the plan what another program launches, or let it have the model or the machines that
	 * a file describes; or write what launches one into a file that is not there yet. note gets
	 * one line for the user. */
	bool (*import)(void *context, const char *path, struct plan *plan, char *note, size_t size);
	bool (*export)(void *context, const struct plan *plan, const char *target,
	    const char *path, char *note, size_t size);
	/* Read what a run left behind, one file or several with blanks between them, into what is all
	 * zero. False with the reason in note. */
	bool (*measure)(void *context, const char *files, struct measured *m, char *note, size_t size);
	/* Plans that there are, local files first: asked for i = 0, 1 and so on until it answers
	 * false. shipped: an example. Nothing is read of them. */
	bool (*find_plan)(void *context, size_t i, char *path, size_t size, bool *shipped);

	/* Targets of export: i = 0, 1 and so on, NULL past the end. */
	const char *(*target)(void *context, size_t i);

	/* The session's work is saved, or given up: its copy goes. */
	void (*drop_draft)(void *context);

	/* What another session, which is over, left unsaved of the plan that is open, if it is
	 * not what `saved` says; note tells of when it is. False without any; note may say then
	 * what there is instead. take_draft makes that copy this session's, or removes it. */
	bool (*find_draft)(void *context, const struct plan *saved, struct plan *draft, char *note,
	    size_t size);
	void (*take_draft)(void *context, bool keep);

	/* Remember a setting (NULL: all) for later sessions. False when that failed. note gets
	 * one line for the user. */
	bool (*save_settings)(const struct settings *settings, const char *name, char *note, size_t size);

	/* Page `i` of the primer in a language ("en", "zh"); NULL past the end. It lives as long
	 * as no other language is asked for. */
	const struct topic *(*topic)(void *context, const char *language, size_t i);

	/* What the screen says in a language ("zh"); it lives as long. */
	const struct texts *(*texts)(void *context, const char *language);

	/* Lines typed at the ":" prompt in earlier sessions, each ended, allocated, NULL without
	 * any; and those of this session, to add to them. */
	char *(*read_lines)(void);
	void (*add_lines)(const char *text);

	/* Run a shell command with the plan's file as $1 while the terminal is given back. False when its
	 * status is not 0; note tells of it. */
	bool (*shell)(void *context, const char *command, char *note, size_t size);

	/* Keep a text that no clipboard takes; note says in which file, or why not. */
	bool (*keep_text)(const char *text, char *note, size_t size);

	/* Run a search beside the screen, on all cores; it has ended or was stopped before. What
	 * it points to stays as it is until then. `room` keys are kept. False with the reason in
	 * note. */
	bool (*search)(void *context, const struct search *search, size_t room, char *note,
	    size_t size);
	/* The keys that it has by now, in order of rank, and how far it is. */
	void (*search_news)(void *context, struct search_news *news, struct search_key *key);
	/* Have it end at once, and wait until it has; what it has found stays. */
	void (*search_stop)(void *context, bool wait);
	/* The day by the clock of whoever sits here, counted from 1970-01-01 on. */
	int64_t (*today)(void);
};

struct app_options {
	enum color_when color;
	bool ascii;           /* no characters beyond ASCII, whatever the settings say */
	bool linear;          /* no screen: lines from standard input, answered in lines */
	const char *palette;  /* name of one, whatever the settings say; NULL: not given */
	const char *language; /* "en" or "zh", as that */
	const struct settings *settings; /* what the user prefers, NULL for the defaults */
	const struct plan *read; /* the plan as its file has it, NULL where it has none yet */
	struct field_set asked; /* fields that the command line gave */
	const char *notice;   /* shown once at the start, NULL for nothing */
};
#endif
