/*
 * importer.h - what every importer works on: a text of somebody else's, the plan that comes of
 * it, and the account of how.
 */
#ifndef FILE_IMPORTER_H
#define FILE_IMPORTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/plan/catalog.h"
#include "core/plan/field.h"
#include "file/base/notes.h"
#include "file/plan/planfile.h"

enum { IMPORT_KEY_SIZE = 192, IMPORT_INSERTS_MAX = 8, IMPORT_WRITTEN_MAX = 8 };

/* A file that a launch may name, which is at hand. */
struct import_text {
	const char *name, *text;
	size_t size;
};

struct import {
	const char *name;              /* of the source, for complaints */
	const char *text;              /* checked UTF-8 without NUL inside; a NUL follows it */
	size_t size;
	const char *path;              /* of the source where it is a file, else NULL */
	const char *part;              /* of several launches in the text the user's choice, or NULL */
	const char *root;              /* directory that the user opens to files that the launch names, or NULL */
	const struct import_text *beside; /* in the place of files beside it; NULL: the disk is read */
	size_t besides;
	struct import_text written[IMPORT_WRITTEN_MAX]; /* files that the launch itself writes; import_free frees them */
	size_t writes;
	struct {
		unsigned at, lines;    /* the line that named a script, and how many of it follow (sourced.h) */
	} insert[IMPORT_INSERTS_MAX];
	size_t inserts;
	size_t files, files_size;      /* that it names, read so far, and their bytes */
	int64_t world;                 /* GPUs of the launch as the user said, 0: unknown */
	const struct catalog *catalog; /* may be NULL */
	bool has_model;                /* who calls sets one, whatever the text says */
	struct plan *plan;             /* begins as the defaults, nothing set */
	struct notes taken, assumed, ignored;
	struct file_errors *errors;    /* any: the plan is of no use */
	/* Read text, size as the launch that it looks like: its kind, NULL where it looks like none. NULL
	 * within one. */
	const char *(*launch)(struct import *im);
	unsigned line;                 /* of the text, of what is read now; 0 unknown */
	char key[IMPORT_KEY_SIZE];     /* that is read now, where no line is known, or "" */
	char away[96];                 /* what sends all layers to the host, however many they are; "" */
	char unread[96];               /* "defaults: x.yaml": settings that may name a model, and are not read; "" */
	const char *unsaid;            /* keys that name a model, blanks between them, none of which says one; or NULL */
	const char *section;           /* of the plan, that this tells of; NULL: of all of them */
	bool idle;                     /* the one error is that no command runs what this importer reads */
	bool refused;                  /* by a rule of the launcher that no field can tell */
};

/* What is read now stands under this key of settings (a path of jsonin.h), "": under none. Its
 * line is looked for when something is wrong there. */
void import_at(struct import *im, const char *key);

/*
 * Set a field to what a user could type (field_parse). `source` is the key of the text that it
 * came from, for the account; false, after a complaint about that key, when the field does not
 * take it.
 */
bool import_set(struct import *im, enum field_id f, const char *value, const char *source);

/* Set a field that the text does not say; `why` tells where it comes from: "the launcher's
 * default". */
bool import_assume(struct import *im, enum field_id f, const char *value, const char *why);

/* Set or assume a field that is a number, or true or false. */
bool import_set_int(struct import *im, enum field_id f, int64_t v, const char *source);
bool import_assume_int(struct import *im, enum field_id f, int64_t v, const char *why);

/* Set a field to what anybody would expect, without a word in the account. */
bool import_fill(struct import *im, enum field_id f, const char *value);

/* The text says something that no field holds. */
void import_ignore(struct import *im, const char *source, const char *why);

/* The text is wrong: "FILE:LINE: error: SOURCE: message". */
void import_error(struct import *im, const char *source, const char *fmt, ...)
    TEXT_FORMAT(3, 4);

/* The launcher would not start this, by a rule that no field can tell. */
void import_refuse(struct import *im, const char *source, const char *fmt, ...)
    TEXT_FORMAT(3, 4);

/* From here on no size of the model comes from the catalogue: all are set, to the table's
 * defaults, without a word in the account. */
void import_own_model(struct import *im);

/*
 * Name the catalogue's model whose shape this is, or the nearest one, and unset what that gives
 * anyway. For the end of an importer that began with import_own_model.
 */
void import_name_model(struct import *im);

/*
 * What an import that is done says of a plan that is there already: what a launch tells replaces
 * it; a model, or machines, take the place of its own, and the rest stays. Call plan_resolve
 * afterwards.
 */
void import_into(const struct import *im, struct plan *plan);

/*
 * Nodes and GPUs per node of so many GPUs, unless both are known (0: not): nodes of 8 GPUs where
 * that goes, else of the most below. False after a complaint when they contradict each other.
 */
bool import_machine(struct import *im, int64_t world, int64_t nodes, int64_t gpus_per_node,
    const char *source);
#endif
