/*
 * exporter.h - what every exporter works on: a legal plan, the files that come of it, and what
 * they can not say.
 */
#ifndef FILE_EXPORTER_H
#define FILE_EXPORTER_H
#include <stddef.h>

#include "core/base/text.h"
#include "core/plan/catalog.h"
#include "core/plan/diag.h"
#include "core/plan/field_set.h"
#include "core/plan/plan.h"
#include "file/base/notes.h"
#include "file/base/textbuf.h"

#define EXPORT_REHEARSAL "20" /* steps of a run that looks how fast it is */

enum { EXPORT_FILES_MAX = 8, EXPORT_NAME_SIZE = 64 };

struct export_file {
	char name[EXPORT_NAME_SIZE]; /* in a directory that -o names */
	struct textbuf text;
	const char *comment; /* what begins the lines of the head, NULL: there is none */
	size_t head;         /* where what is missing is told */
};

struct export {
	const struct plan *plan;       /* resolved, legal, of the target's mode and layout */
	const struct plan *asked;      /* as the user has it */
	struct plan theirs;            /* the same, where its layout is only the target's */
	const struct catalog *catalog; /* may be NULL */
	const char *target;            /* its name and version, for the head */
	int core;                      /* release of Megatron core asked for, 0: none */
	char release[96];              /* the target with the releases that start this plan */
	int64_t world;                 /* GPUs that settings without a launch are for, 0: all */
	const char *source;            /* where the plan is from, fit for a terminal */
	size_t files;
	struct export_file file[EXPORT_FILES_MAX];
	struct field_set said;         /* fields that the files tell of, or nobody's settings */
	struct field_set outside;      /* decided beside the files: how many are started, what is asked */
	struct notes missing;          /* what the target can not say, and what else to know */
	bool risks;                    /* as it runs it may not fit, which the plan does for certain */
	char rehearsal[48];            /* arguments as the exporter's, where they go by the plan */
	struct diag_list diags;        /* errors: why the target would not start it */
};

/* The next file, empty. */
struct textbuf *export_begin(struct export *e, const char *name);

/* Refuse, as a rule of the target's: `source` names where it stands. */
void export_refuse(struct export *e, enum field_id field, const char *reason,
    const char *source, const char *fmt, ...) TEXT_FORMAT(5, 6);

/* Fields that are said: EXPORT_SAY(e, FIELD_TP, FIELD_PP). */
#define EXPORT_SAY(e, ...) export_say((e), (const enum field_id[]){ __VA_ARGS__, FIELD_NONE })
void export_say(struct export *e, const enum field_id fields[]);

/* The target has no word for a field that the user chose: a note, unless there is one about it. */
void export_missing(struct export *e, enum field_id field, const char *why);

/* Notes of every field that is not said, of those that tell how the plan is run. */
void export_missing_rest(struct export *e, const char *why);

/* Who wrote this and from what, and, when all of it is known, what is missing, each line after
 * `comment` ("# "). */
void export_head(struct export *e, struct textbuf *out, const char *comment);

/* Put what is missing into the heads. */
void export_put_notes(struct export *e);
#endif
