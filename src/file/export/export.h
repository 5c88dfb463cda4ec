/*
 * export.h - launch files and reports out of plans: the one table of exporters.
 *
 * A new target is a file with its write function, and a row here.
 */
#ifndef FILE_EXPORT_H
#define FILE_EXPORT_H
#include "file/export/exporter.h"
#include "file/plan/planfile.h"

/* What a plan trains, all weights or adapters, and on what. */
enum export_tasks {
	TASK_WEIGHTS = 1, TASK_ADAPTERS = 2,
	TASK_TEXTS = 4, TASK_PAIRS = 8, TASK_ROLLOUTS = 16,
	TASKS_WHOLE = TASK_WEIGHTS | TASK_TEXTS,
	TASKS_TUNING = TASKS_WHOLE | TASK_ADAPTERS | TASK_PAIRS,
	TASKS_RL = TASK_WEIGHTS | TASK_ADAPTERS | TASK_ROLLOUTS,
	TASKS_ALL = TASKS_TUNING | TASKS_RL
};

struct exporter {
	const char *name;        /* TARGET of --to */
	const char *help;        /* one line without a full stop */
	enum field_modes modes;  /* of plans that it can write */
	const char *layout;      /* whose groups and rules it starts, "usual|other"; NULL: any */
	const char *target;      /* what it is written for, with the version that was looked at */
	/* Write the files, or leave errors in e->diags. NULL: the map, which the caller draws. */
	void (*write)(struct export *e);
	unsigned tasks;          /* enum export_tasks: a plan's two must be among them */
	/* Arguments of its script that end a run after EXPORT_REHEARSAL steps, each of which is logged, "" where
	 * it does so by itself; NULL: data or a file of settings say when. */
	const char *rehearsal;
	const char *kind;        /* as which import reads it back; NULL: it does not */
	const char *launch;      /* the file that does, and that names others; NULL: the only one */
};

extern const struct exporter export_table[];
extern const size_t export_count;

/* By name; NULL when there is none. */
const struct exporter *export_find(const char *name);

/*
 * The files of a resolved plan, in memory. False with errors in e->diags: the plan is of the
 * wrong mode, not legal, or what the target would not start. The caller has set plan, catalog
 * and source, all else is zero; export_free in every case.
 */
bool export_write(struct export *e, const struct exporter *by);

/* Of the first target of the plan's framework that starts it so that it fits as the plan does, else of the first that takes it; NULL with the complaints of the first
 * one where none does, without any where there is none. */
const struct exporter *export_any(struct export *e);

/*
 * Write what export_write made to the disk: one file to path, or into it where it is a
 * directory; several into the directory, which is made. What stands there is replaced by
 * nobody: on false note says why and nothing more was written.
 */
bool export_save(const struct export *e, const char *path, char *note, size_t size);

void export_free(struct export *e);
#endif
