#include "file/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/show.h"
#include "core/rules/check.h"
#include "file/export/megatron_args.h"
#include "file/plan/atomic.h"
#include "file/plan/pathname.h"
#include "file/plan/slurp.h"

const struct exporter export_table[] = {
	{ "megatron", "Megatron-LM arguments, as a shell script that starts them", MODES_TRAIN,
	    "Megatron-LM pretrain_gpt.py, core 0.12 and newer", megatron_args_write },
};
const size_t export_count = sizeof export_table / sizeof export_table[0];

const struct exporter *
export_find(const char *name)
{
	for (size_t i = 0; i < export_count; i++)
		if (text_equal(export_table[i].name, name))
			return &export_table[i];
	return NULL;
}

bool
export_write(struct export *e, const struct exporter *by)
{
	const unsigned mode = e->plan->mode == MODE_SERVE ? MODES_SERVE : MODES_TRAIN;

	e->target = by->target;
	if ((by->modes & mode) == 0)
		export_refuse(e, FIELD_MODE, "target_of_other_mode", "shardplan export",
		    "%s is for the other mode", by->name);
	else if (plan_check(e->plan, e->catalog, &e->diags))
		by->write(e);
	for (size_t i = 0; i < e->files; i++)
		if (e->file[i].text.failed)
			export_refuse(e, FIELD_NONE, "out_of_memory", "shardplan export", "out of memory");
	return diag_count(&e->diags, SEVERITY_ERROR) == 0;
}

/* ---- the disk ----------------------------------------------------------------------- */

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What stands there holds just this. */
static bool
is_there(const char *path, const struct textbuf *text)
{
	struct slurp old;
	char why[256];
	bool same;

	if (!slurp_file(&old, path, why, sizeof why))
		return false;
	same = old.size == text->used && memcmp(old.text, text->text, old.size) == 0;
	free(old.text);
	return same;
}

static bool
save_file(const struct textbuf *text, const char *path, char *note, size_t size)
{
	const struct file_stamp nothing = { .exists = false };
	char shown[256], why[256];
	struct stat st;
	const bool taken = lstat(path, &st) == 0;

	show_path(shown, sizeof shown, path);
	if (taken && is_there(path, text))
		return true;
	if (taken) {
		text_put(note, size, "%s exists: not written (fix: another name, or remove it)", shown);
		return false;
	}
	switch (atomic_write(path, text->text, text->used, NULL, &nothing, NULL, why, sizeof why)) {
	case ATOMIC_DONE:
		return true;
	case ATOMIC_CHANGED:
		text_put(note, size, "%s exists: not written (fix: another name, or remove it)", shown);
		return false;
	case ATOMIC_FAILED:
		break;
	}
	text_put(note, size, "%s: not written: %s", shown, why);
	return false;
}

bool
export_save(const struct export *e, const char *path, char *note, size_t size)
{
	const bool inside = e->files > 1 || is_directory(path);
	char whole[PLANFILE_PATH_SIZE], shown[256];

	show_path(shown, sizeof shown, path);
	if (inside && mkdir(path, 0777) != 0 && errno != EEXIST) {
		text_put(note, size, "%s: can not be made a directory: %s", shown, strerror(errno));
		return false;
	}
	for (size_t i = 0; i < e->files; i++) {
		const bool fits = inside ?
		    pathname_join(whole, sizeof whole, path, e->file[i].name) :
		    text_copy(whole, sizeof whole, path);

		if (!fits) {
			text_put(note, size, "%s: %s", shown, strerror(ENAMETOOLONG));
			return false;
		}
		if (!save_file(&e->file[i].text, whole, note, size))
			return false;
	}
	text_put(note, size, "wrote %s", shown);
	return true;
}

void
export_free(struct export *e)
{
	for (size_t i = 0; i < e->files; i++)
		free(e->file[i].text.text);
	notes_free(&e->missing);
	e->files = 0;
}
