/*
 * planfile.h - plans as libconfig files: read with file and line in every complaint,
 * written so that nothing is ever lost.
 */
#ifndef FILE_PLANFILE_H
#define FILE_PLANFILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/plan/catalog.h"
#include "core/plan/plan.h"
#include "file/base/limits.h"

enum { PLANFILE_PATH_SIZE = 4096 };

/* Complaints about files, ready to print one a line: "plan.cfg:12: error: parallel.tpp:
 * unknown key (fix: did you mean parallel.tp?)". */
struct file_errors {
	size_t count, dropped;
	char line[PLANFILE_ERRORS_MAX][512];
};

/*
 * What a file was when it was read, to see later whether somebody changed it. Only what it
 * holds tells that: times may stand still over a change (a coarse clock, a copy that keeps
 * them), and move without one.
 */
struct file_stamp {
	bool exists;
	dev_t device;
	ino_t inode;
	size_t size;
	uint64_t content; /* a checksum */
	struct timespec modified;
};

/* A plan file as opened: where it is and what it builds on. Plain data, no pointers. */
struct planfile {
	char path[PLANFILE_PATH_SIZE]; /* "" for the built-in plan and standard input */
	char base[PLANFILE_PATH_SIZE]; /* the text of `base`, "" without one */
	struct plan inherited;         /* what the base gives: fields it sets are marked */
	struct file_stamp stamp;
	bool has_comments;             /* hand-written: saving would lose its comments */
};

/*
 * Read a plan: the file, the plans it builds on, then the rules (plan_resolve with the
 * catalogue). "-" reads standard input. On refusal returns false with at least one line
 * in errors; *file and *plan are then unspecified. Fields that the file or its base sets
 * are marked in plan->set.
 *
 * A base is looked for beside the file that names it; where it is not there, a name
 * without ".." is looked for among the user's own and the shipped ("clusters/dgx-h100.cfg").
 */
bool planfile_read(struct planfile *file, struct plan *plan, const char *path,
    const struct catalog *catalog, struct file_errors *errors);

/* Read a plan from size bytes of text, which a NUL follows; name stands for the file in
 * complaints, and its directory is where a base is looked for. */
bool planfile_read_text(struct planfile *file, struct plan *plan, const char *name,
    const char *text, size_t size, const struct catalog *catalog, struct file_errors *errors);

/* What the base of a plan that was read gives by now, as file->inherited has it of then. False,
 * with complaints, when it can not be read any more. */
bool planfile_inherited(const struct planfile *file, struct plan *inherited,
    const struct catalog *catalog, struct file_errors *errors);

/* The built-in plan, as a file that has no path yet. */
void planfile_builtin(struct planfile *file, struct plan *plan, const struct catalog *catalog);

/*
 * The text that planfile_write would write: fixed order, a short comment for each
 * section, every field of the plan's mode except those that equal the base's or come
 * from the catalogue. Allocated; free() it. NULL without memory.
 */
char *planfile_text(const struct planfile *file, const struct plan *plan,
    const struct catalog *catalog);

/* Text of a plan that stands alone, without a base. */
char *planfile_text_alone(const struct plan *plan, const struct catalog *catalog);

/* One section ("model", "cluster") of a catalogue entry as libconfig text, likewise. */
char *planfile_section_text(const struct plan *plan, const char *section);

/* A model as a catalogue file has it, one entry in a list of its own name, so that texts can
 * be put one after the other; likewise. */
char *planfile_model_text(const struct plan *plan, const char *id, const char *title,
    const char *source, int64_t total_params);

enum planfile_saved {
	PLANFILE_SAVED,
	PLANFILE_CHANGED, /* somebody changed it, or its base, since it was read: nothing written */
	PLANFILE_EXISTS,  /* another file of that name exists: nothing written */
	PLANFILE_FAILED,  /* nothing changed on disk; note says why */
};

/*
 * Save to path: a temporary file in the same directory, every write checked, fsync,
 * rename, directory fsync; access and symbolic link kept. What a hand-written file loses
 * (comments) is kept as PATH~, or PATH.~N~ where that is taken; note says so. With force,
 * CHANGED and EXISTS do not stop it: the plan is then written over what its base gives by now, or
 * alone where that can not be read. On success *file describes the saved file. note (at
 * least 1024 bytes) gets one line for the user, in every case.
 */
enum planfile_saved planfile_write(struct planfile *file, const struct plan *plan,
    const char *path, const struct catalog *catalog, bool force, char *note, size_t size);
#endif
