/*
 * export.h - launch files and reports out of plans: the one table of exporters.
 *
 * A new target is a file with its write function, and a row here.
 */
#ifndef FILE_EXPORT_H
#define FILE_EXPORT_H
#include "file/export/exporter.h"
#include "file/plan/planfile.h"

struct exporter {
	const char *name;        /* TARGET of --to */
	const char *help;        /* one line without a full stop */
	enum field_modes modes;  /* of plans that it can write */
	const char *target;      /* what it is written for, with the version that was looked at */
	/* Write the files, or leave errors in e->diags. */
	void (*write)(struct export *e);
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

/*
 * Write what export_write made to the disk: one file to path, or into it where it is a
 * directory; several into the directory, which is made. What stands there is replaced by
 * nobody: on false note says why and nothing more was written.
 */
bool export_save(const struct export *e, const char *path, char *note, size_t size);

void export_free(struct export *e);
#endif
