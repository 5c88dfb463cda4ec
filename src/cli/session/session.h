/*
 * session.h - the catalogue, the plan that a command works on, and the files behind it.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H
#include <glob.h>
#include <stdbool.h>

#include "cli/base/options.h"
#include "cli/session/drafts.h"
#include "cli/session/search_live.h"
#include "core/estimate/estimate.h"
#include "core/plan/catalog.h"
#include "core/plan/field_set.h"
#include "core/plan/plan.h"
#include "file/plan/planfile.h"
#include "file/prefs/language_file.h"
#include "file/prefs/topics.h"

struct session {
	struct catalog catalog;
	bool whole;       /* the catalogue is; else it holds what the plan names */
	struct planfile file;
	struct plan plan; /* resolved, options applied */
	struct field_set asked; /* fields that the command line gave */
	struct plan read; /* as its file has it, where it came from one */
	/* The screen's alone: */
	struct drafts drafts;
	struct search_live *live; /* the last search, NULL before the first */
	struct matches {  /* files, where there are any; */
		glob_t glob;
		bool are;
	} paths, plans;   /* what can be completed; what there is to open, of which so many lie here */
	size_t local_plans;
	struct topics topics; /* of topics_language, read when first asked for */
	char topics_language[8];
	struct texts texts;   /* of texts_language */
	char texts_language[8];
};

/* Load the catalogue alone. False after a message; nothing to close then. */
bool session_catalog(struct session *s);

/* Load its clusters too. False after a message; the session is closed then. */
bool session_clusters(struct session *s);

/*
 * Load the catalogue and the plan, NULL for the built-in one and "-" for standard input,
 * and put the values of the command line in. False after a message on standard error;
 * nothing to close then.
 */
bool session_open(struct session *s, const struct options *o, const char *path);

/* Load the catalogue, and as the plan the launch that a text is (launch.h), whose name is told; values of the command line
 * as above. False, without a word, where the text is none that can be read. */
bool session_open_launch(struct session *s, const struct options *o, const char *name, const char *text);

/* Open a session without the entries of the catalogue that neither the plan nor the command line names,
 * where they can be done without: for what looks at one plan and at nothing beside it. */
bool session_open_named(struct session *s, const struct options *o, const char *path);

/* Open the plan of the first operand, or the built-in one where fewer operands are given than the command takes, work
 * with it and close it. Returns the exit status. */
int session_with(const struct options *o,
    int (*work)(struct session *s, const struct options *o));

/*
 * Open a session for the screen, which shows itself before the catalogue is read, where it can:
 * session_whole_catalog reads it then. False with the reason in note, where warnings go too; the
 * entries that were there stand. Names that the catalogue lacks are no reason to refuse a plan: the screen
 * marks them, and what it has saved it can open. What is to be told of a plan that was
 * opened is left in note too.
 */
bool session_open_screen(struct session *s, const struct options *o, const char *path, char *note,
    size_t size);
bool session_whole_catalog(struct session *s, char *note, size_t size);
void session_close(struct session *s);

/*
 * Put the values of the command line into a plan, and resolve it. note, which may stay empty,
 * tells what they dropped; s->asked has the fields. False after a message.
 */
bool session_set(struct session *s, const struct options *o, struct plan *plan, char *note, size_t size);

/* A second plan beside s->plan, read in the same way. False after a message; s stays open. */
bool session_read(struct session *s, const struct options *o, const char *path,
    struct planfile *file, struct plan *plan);

/* Fill in the fixes of what is wrong with s->plan: of errors the first of what mends all. */
void session_fixes(const struct session *s, struct diag_list *diags);

/* Everything computed for s->plan, with fixes, or as it is; allocated, NULL after a message. */
struct estimate *session_estimate(const struct session *s, struct ledger *ledger);
struct estimate *session_run(const struct session *s, struct ledger *ledger);

/* Print complaints about files on standard error. */
void session_print_errors(const struct file_errors *errors);

/* One diagnostic as it may go to a terminal; returns line. */
enum { SESSION_LINE_SIZE = 1024 };
const char *session_line(const struct diag *d, char line[SESSION_LINE_SIZE]);

/* Print diagnostics of at least this severity on standard error. */
void session_complain(const struct diag_list *diags, enum severity severity);

/* What the screen needs to open and save plans; it works on s. */
struct app_files session_files(struct session *s);

/* The primer's page `i` in a language, NULL past the end or without any. */
const struct topic *session_topic(struct session *s, const char *language, size_t i);

/* What the screen says in a language; none, for English, where that can not be read. */
const struct texts *session_texts(struct session *s, const char *language);
#endif
