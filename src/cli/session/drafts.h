/*
 * drafts.h - copies of unsaved plans under $XDG_STATE_HOME/shardplan/drafts, for the case
 * that a session ends without being asked.
 *
 * A draft is a plan file that stands alone and says in its head which plan it is a draft
 * of. Its name says which process on which host writes it, so that sessions that share a
 * home do not meet, and it is known whether that one is over.
 */
#ifndef CLI_DRAFTS_H
#define CLI_DRAFTS_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/catalog.h"
#include "core/plan/plan.h"
#include "file/plan/planfile.h"

struct drafts {
	char own[PLANFILE_PATH_SIZE];   /* of this session, "" while there is none */
	char found[PLANFILE_PATH_SIZE]; /* what drafts_find found last */
	/* What drafts_write writes, while ready: */
	char temporary[PLANFILE_PATH_SIZE];
	char *text;                     /* owned */
	size_t length;
	volatile sig_atomic_t ready;
};

/*
 * Make the session's draft of a plan ready; `of` is the plan's file, "" without one. last:
 * the session ends, so the next one may offer it at once. False, with the reason in note,
 * when there is no place for it.
 */
bool drafts_ready(struct drafts *d, const char *of, const struct plan *plan,
    const struct catalog *catalog, bool last, char *note, size_t size);

/* Write it, unless it is written. False when that failed. note gets a line for the user;
 * with NULL, this does no more than a signal handler may. */
bool drafts_write(struct drafts *d, char *note, size_t size);

/* Remove the session's draft, if there is one. */
void drafts_drop(struct drafts *d);

void drafts_free(struct drafts *d);

/* Whether there is any draft to look at; drafts_find reads them. */
bool drafts_exist(void);

/*
 * The newest draft of a plan file, or of plans without one, whose session is over: its
 * plan in *plan, when it was written in note. One of another host may still be at work;
 * note names the host. Drafts that say what *saved says are removed.
 * False when there is none; note is then "", or says which draft there is that can not be
 * offered.
 */
bool drafts_find(struct drafts *d, const char *of, const struct catalog *catalog,
    const struct plan *saved, struct plan *plan, char *note, size_t size);

/* Make what was found the session's own draft, or remove it. */
void drafts_take(struct drafts *d, bool keep);
#endif
