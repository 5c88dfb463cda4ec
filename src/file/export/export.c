#include "file/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/show.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "file/export/bridge_export.h"
#include "file/export/engines.h"
#include "file/export/megatron_export.h"
#include "file/export/report.h"
#include "file/export/trainers.h"
#include "file/plan/atomic.h"
#include "file/plan/pathname.h"
#include "file/plan/slurp.h"

#define MEGATRON "Megatron-LM pretrain_gpt.py"

const struct exporter export_table[] = {
	{ "megatron", "a script that runs Megatron-LM with torchrun, on each node", MODES_TRAIN,
	    "megatron", MEGATRON, megatron_write },
	{ "megatron-bridge", "overrides of a recipe of Megatron-Bridge (NeMo), as a script", MODES_TRAIN,
	    "megatron", "Megatron-Bridge scripts/training/train.sh", bridge_write },
	{ "megatron-sbatch", "an sbatch script that runs Megatron-LM, one torchrun a node", MODES_TRAIN,
	    "megatron", MEGATRON, megatron_sbatch_torchrun },
	{ "megatron-srun", "an sbatch script that runs Megatron-LM, one task a GPU", MODES_TRAIN,
	    "megatron", MEGATRON, megatron_sbatch_srun },
	{ "deepspeed", "ds_config.json, hostfile and the line that starts DeepSpeed", MODES_TRAIN,
	    "deepspeed", "DeepSpeed of August 2026", deepspeed_write },
	{ "torchtitan", "a TOML job file and the script that runs it", MODES_TRAIN, "torchtitan",
	    "torchtitan v0.2.2, the last that reads TOML", torchtitan_write },
	{ "nanotron", "a YAML file and the script that runs it", MODES_TRAIN, "nanotron",
	    "nanotron of April 2026", nanotron_write },
	{ "accelerate", "a YAML file for accelerate launch, with FSDP", MODES_TRAIN, "torchtitan",
	    "Accelerate of July 2026", accelerate_write },
	{ "vllm", "the command line of vllm serve", MODES_SERVE, "vllm", "vLLM 0.19", vllm_write },
	{ "sglang", "the command line of sglang.launch_server", MODES_SERVE, NULL, "SGLang 0.5.15",
	    sglang_write },
	{ "trtllm", "the command line and YAML file of trtllm-serve", MODES_SERVE, NULL,
	    "TensorRT-LLM 1.3", trtllm_write },
	{ "markdown", "the plan and its estimates as a report", MODES_BOTH, NULL, "Report",
	    markdown_write },
	{ "csv", "the estimates as a table, one number a line", MODES_BOTH, NULL, "Table", csv_write },
	{ "svg", "the map as a picture", MODES_BOTH, NULL, "Map", NULL },
	{ "ansi", "the map as coloured text for a terminal", MODES_BOTH, NULL, "Map", NULL },
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

/* A layout that nobody chose becomes the target's; another one is for another program. */
static bool
take_layout(struct export *e, const struct exporter *by)
{
	char name[32], why[128];

	field_format(FIELD_LAYOUT, e->plan, name, sizeof name);
	if (by->layout == NULL || text_equal(name, by->layout))
		return true;
	if (field_is_chosen(FIELD_LAYOUT, e->plan)) {
		export_refuse(e, FIELD_LAYOUT, "target_of_other_layout", "shardplan export",
		    "the plan follows the groups and rules of %s, %s those of %s", name, by->name, by->layout);
		return false;
	}
	e->theirs = *e->plan;
	field_parse(FIELD_LAYOUT, &e->theirs, by->layout, why, sizeof why);
	plan_resolve(&e->theirs, e->catalog);
	e->plan = &e->theirs;
	return true;
}

bool
export_write(struct export *e, const struct exporter *by)
{
	const unsigned mode = e->plan->mode == MODE_SERVE ? MODES_SERVE : MODES_TRAIN;

	e->target = by->target;
	if ((by->modes & mode) == 0)
		export_refuse(e, FIELD_MODE, "target_of_other_mode", "shardplan export",
		    "%s is for the other mode", by->name);
	else if (e->core > 0 && !text_equal(by->target, MEGATRON))
		export_refuse(e, FIELD_NONE, "target_without_core", "shardplan export",
		    "%s does not go by releases of Megatron core", by->name);
	else if (take_layout(e, by) && plan_check(e->plan, e->catalog, &e->diags))
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
