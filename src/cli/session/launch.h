/*
 * launch.h - launches of somebody else's (import.h) in the place of plan files.
 */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H
#include <stdbool.h>

#include "cli/base/options.h"
#include "core/plan/field_set.h"
#include "file/import/import.h"

struct launch {
	struct import im;
	struct plan plan;          /* resolved, where the status says so */
	struct file_errors errors;
};

/* Import the file at a path, of whatever kind it looks. launch_free in either case. */
enum import_status launch_import(struct launch *l, const char *path, const struct catalog *catalog, bool has_model);

/* That of a text, which keeps its place as long as l is used; name stands for it in complaints. */
enum import_status launch_read_text(struct launch *l, const char *name, const char *text, const struct catalog *catalog,
    bool has_model);

/* As a whole plan: a description of machines alone is none (IMPORT_UNKNOWN). */
enum import_status launch_read(struct launch *l, const char *path, const struct catalog *catalog, bool has_model);
void launch_free(struct launch *l);

/* Whether the command line says a model, or a size of one. */
bool launch_has_model(const struct options *o, const struct catalog *catalog);

/* Forget of what was assumed the fields that the command line says itself: in options, or in any way. */
void launch_drop_said(struct import *im, const struct options *o);
void launch_drop_asked(struct import *im, const struct field_set *asked);

/* How much was taken and assumed, on one line. */
enum { LAUNCH_NOTE_SIZE = 512 };
void launch_note(const struct launch *l, const char *path, char note[LAUNCH_NOTE_SIZE]);

/* That on standard error, below what was assumed of the machines and the model: the rest are defaults of programs. */
void launch_tell(const struct launch *l, const char *path);
#endif
