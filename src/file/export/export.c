#include "file/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/show.h"
#include "core/framework/resolve.h"
#include "core/model/adapters.h"
#include "core/rules/check.h"
#include "file/export/back.h"
#include "file/export/parts.h"
#include "file/export/writers.h"
#include "file/plan/atomic.h"
#include "file/plan/pathname.h"
#include "file/plan/slurp.h"

#define MEGATRON "Megatron-LM pretrain_gpt.py"
#define TUNERS "torchtitan|deepspeed" /* PyTorch's FSDP and DDP, or ZeRO */

const struct exporter export_table[] = {
	{ "megatron", "a script that runs Megatron-LM with torchrun, on each node", MODES_TRAIN,
	    "megatron", MEGATRON, megatron_write, TASKS_WHOLE, "",
	    "megatron", NULL },
	{ "megatron-bridge", "overrides of a recipe of Megatron-Bridge (NeMo), as a script", MODES_TRAIN,
	    "megatron", "Megatron-Bridge scripts/training/train.sh", bridge_write,
	    TASKS_WHOLE | TASK_ADAPTERS, "train.train_iters=" EXPORT_REHEARSAL " logger.log_interval=1",
	    "megatron-bridge", NULL },
	{ "megatron-sbatch", "an sbatch script that runs Megatron-LM, one torchrun a node", MODES_TRAIN,
	    "megatron", MEGATRON, megatron_sbatch_torchrun, TASKS_WHOLE, "",
	    "megatron", NULL },
	{ "megatron-srun", "an sbatch script that runs Megatron-LM, one task a GPU", MODES_TRAIN,
	    "megatron", MEGATRON, megatron_sbatch_srun, TASKS_WHOLE, "",
	    "megatron", NULL },
	{ "flagscale", "a script that runs Megatron-LM in FlagScale, with GPUs of several types", MODES_TRAIN,
	    "megatron", "FlagScale of November 2025", flagscale_write, TASKS_WHOLE, "",
	    "megatron", NULL },
	{ "trl", "YAML files for TRL and Accelerate, and the script that runs them", MODES_TRAIN, TUNERS,
	    "TRL of July 2026", trl_write, TASKS_TUNING | TASK_ROLLOUTS, "--max_steps=" EXPORT_REHEARSAL " --logging_steps=1",
	    "trl", "trl.sh" },
	{ "axolotl", "a YAML file for axolotl and the script that runs it", MODES_TRAIN, TUNERS,
	    "axolotl of July 2026", axolotl_write, TASKS_TUNING | TASK_ROLLOUTS,
	    "--max-steps=" EXPORT_REHEARSAL " --logging-steps=1",
	    "axolotl", "axolotl.sh" },
	{ "llama-factory", "YAML files for LLaMA-Factory and the script that runs them", MODES_TRAIN,
	    TUNERS, "LLaMA-Factory of August 2026", llamafactory_write, TASKS_TUNING,
	    "max_steps=" EXPORT_REHEARSAL " logging_steps=1",
	    "llama-factory", "llamafactory.sh" },
	{ "ms-swift", "a YAML file for ms-swift and the script that runs it", MODES_TRAIN, TUNERS,
	    "ms-swift of August 2026", swift_write, TASKS_TUNING | TASK_ROLLOUTS,
	    "--max_steps=" EXPORT_REHEARSAL " --logging_steps=1",
	    "ms-swift", "swift.sh" },
	{ "torchtune", "overrides of a configuration of torchtune, as a script", MODES_TRAIN,
	    "torchtitan", "torchtune of April 2026", torchtune_write, TASKS_WHOLE | TASK_ADAPTERS,
	    "epochs=1 max_steps_per_epoch=" EXPORT_REHEARSAL " log_every_n_steps=1",
	    "torchtune", NULL },
	{ "verl", "overrides of verl's configuration, as a script", MODES_TRAIN, "torchtitan|megatron",
	    "verl of August 2026", verl_write, TASKS_RL,
	    "trainer.total_training_steps=" EXPORT_REHEARSAL,
	    "verl", NULL },
	{ "nemo-rl", "a YAML file for NeMo-RL and the script that runs it", MODES_TRAIN,
	    "megatron|torchtitan", "NeMo-RL of August 2026", nemo_rl_write, TASKS_RL | TASK_PAIRS, NULL,
	    "nemo-rl", "nemo-rl.yaml" },
	{ "openrlhf", "the command line of OpenRLHF", MODES_TRAIN, "deepspeed",
	    "OpenRLHF of August 2026", openrlhf_write, TASKS_RL | TASK_PAIRS, NULL,
	    "openrlhf", NULL },
	{ "slime", "the command line of slime, which runs Megatron-LM", MODES_TRAIN, "megatron",
	    "slime of August 2026", slime_write, TASK_WEIGHTS | TASK_ROLLOUTS,
	    "--num-rollout=" EXPORT_REHEARSAL,
	    "slime", NULL },
	{ "deepspeed", "ds_config.json, hostfile and the line that starts DeepSpeed", MODES_TRAIN,
	    "deepspeed", "DeepSpeed of August 2026", deepspeed_write, TASKS_TUNING, NULL,
	    "deepspeed", "ds_config.json" },
	{ "torchtitan", "a TOML job file and the script that runs it", MODES_TRAIN, "torchtitan",
	    "torchtitan v0.2.2, the last that reads TOML", torchtitan_write,
	    TASKS_WHOLE, "--training.steps=" EXPORT_REHEARSAL " --metrics.log_freq=1",
	    "torchtitan", "torchtitan.toml" },
	{ "torchtitan-python", "a configuration of torchtitan in Python and the script that runs it", MODES_TRAIN, "torchtitan",
	    "torchtitan of August 2026", torchtitan_python_write,
	    TASKS_WHOLE, "--training.steps=" EXPORT_REHEARSAL " --metrics.log_freq=1",
	    "torchtitan-python", "torchtitan_plan.py" },
	{ "nanotron", "a YAML file and the script that runs it", MODES_TRAIN, "nanotron",
	    "nanotron of April 2026", nanotron_write, TASKS_WHOLE, NULL,
	    "nanotron", "nanotron.yaml" },
	{ "accelerate", "a YAML file for accelerate launch, with FSDP", MODES_TRAIN, "torchtitan",
	    "Accelerate of July 2026", accelerate_write, TASKS_TUNING, NULL,
	    "accelerate", NULL },
	{ "vllm", "the command line of vllm serve", MODES_SERVE, "vllm", "vLLM 0.19", vllm_write, TASKS_ALL, NULL,
	    "vllm", NULL },
	{ "sglang", "the command line of sglang.launch_server", MODES_SERVE, NULL, "SGLang 0.5.15",
	    sglang_write, TASKS_ALL, NULL,
	    "sglang", NULL },
	{ "trtllm", "the command line and YAML file of trtllm-serve", MODES_SERVE, NULL,
	    "TensorRT-LLM 1.3", trtllm_write, TASKS_ALL, NULL,
	    "trtllm", "trtllm.sh" },
	{ "vllm-bench", "the vllm bench serve that asks the plan's question", MODES_SERVE, NULL, "vLLM 0.19",
	    vllm_bench_write, TASKS_ALL, NULL, NULL, NULL },
	{ "sglang-bench", "the sglang.bench_serving that asks the plan's question", MODES_SERVE, NULL,
	    "SGLang 0.5.15", sglang_bench_write, TASKS_ALL, NULL, NULL, NULL },
	{ "dynamo", "a DynamoGraphDeployment of vLLM or SGLang", MODES_SERVE, NULL, "Dynamo 1.3", dynamo_write,
	    TASKS_ALL, NULL, "manifest", NULL },
	{ "lws", "LeaderWorkerSets of vLLM or SGLang for Kubernetes", MODES_SERVE, NULL,
	    "LeaderWorkerSet v1 of August 2026", lws_write, TASKS_ALL, NULL, "manifest", NULL },
	{ "llm-d", "pools of vLLM or SGLang for llm-d on Kubernetes", MODES_SERVE, NULL,
	    "llm-d of August 2026", llmd_write, TASKS_ALL, NULL, "manifest", NULL },
	{ "markdown", "the plan and its estimates as a report", MODES_BOTH, NULL, "Report",
	    markdown_write, TASKS_ALL, NULL,
	    NULL, NULL },
	{ "csv", "the estimates as a table, one number a line", MODES_BOTH, NULL, "Table", csv_write, TASKS_ALL, NULL,
	    NULL, NULL },
	{ "trace", "the estimated step as Chrome trace events, for Perfetto", MODES_TRAIN, NULL, "Trace",
	    trace_write, TASKS_ALL, NULL,
	    NULL, NULL },
	{ "plan", "the plan itself, with all options and without a base", MODES_BOTH, NULL, "Plan", plan_write,
	    TASKS_ALL, NULL,
	    NULL, NULL },
	{ "svg", "the map as a picture", MODES_BOTH, NULL, "Map", NULL, TASKS_ALL, NULL,
	    NULL, NULL },
	{ "ansi", "the map as coloured text for a terminal", MODES_BOTH, NULL, "Map", NULL, TASKS_ALL, NULL,
	    NULL, NULL },
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

/* Whose groups and rules: one of them has the plan's name. */
static bool
has_layout(const struct exporter *by, const struct plan *p)
{
	char theirs[32];

	for (int64_t i = 0; by->layout != NULL && text_choice(by->layout, i, theirs, sizeof theirs); i++)
		if (export_layout_is(p, theirs))
			return true;
	return by->layout == NULL;
}

static unsigned
tasks_of(const struct plan *p)
{
	if (p->mode != MODE_TRAIN)
		return 0;
	return (adapters_only(p) ? TASK_ADAPTERS : TASK_WEIGHTS) | (plan_has_rollouts(p) ?
	    TASK_ROLLOUTS : plan_has_rl(p) ? TASK_PAIRS : TASK_TEXTS);
}

static bool
has_mode(const struct exporter *by, const struct plan *p)
{
	return (by->modes & (p->mode == MODE_SERVE ? MODES_SERVE : MODES_TRAIN)) != 0;
}

/* Whether a target launches plans of this mode and framework, and what they train. */
static bool
export_suits(const struct exporter *by, const struct plan *p)
{
	char engine[32];

	field_format(FIELD_ENGINE, p, engine, sizeof engine);
	if (p->mode == MODE_TRAIN && by->layout == NULL) /* it starts no run */
		return false;
	return by->modes != MODES_BOTH && has_mode(by, p) && has_layout(by, p) &&
	    (p->mode != MODE_SERVE || text_equal(by->name, engine)) &&
	    (tasks_of(p) & ~by->tasks) == 0;
}

/* A layout that nobody chose becomes the target's usual one; another one is for another
 * program. */
static bool
take_layout(struct export *e, const struct exporter *by)
{
	char name[32], usual[32], why[128];

	if (has_layout(by, e->plan))
		return true;
	field_format(FIELD_LAYOUT, e->plan, name, sizeof name);
	text_choice(by->layout, 0, usual, sizeof usual);
	if (field_is_chosen(FIELD_LAYOUT, e->plan)) {
		export_refuse(e, FIELD_LAYOUT, "target_of_other_layout", "shardplan export",
		    "the plan follows the groups and rules of %s, %s those of %s", name, by->name, usual);
		return false;
	}
	e->theirs = *e->plan;
	field_parse(FIELD_LAYOUT, &e->theirs, usual, why, sizeof why);
	plan_resolve(&e->theirs, e->catalog);
	e->plan = &e->theirs;
	return true;
}

static bool
take_task(struct export *e, const struct exporter *by)
{
	const unsigned foreign = tasks_of(e->plan) & ~by->tasks;

	if (foreign == 0)
		return true;
	export_refuse(e, foreign & TASK_ADAPTERS ? FIELD_FINETUNE : FIELD_RL_ALGORITHM,
	    "target_of_other_task", "shardplan export", "%s does not train %s", by->name,
	    foreign & TASK_ADAPTERS ? "adapters" : foreign & TASK_ROLLOUTS ? "on rollouts" :
	    foreign & TASK_PAIRS ? "on pairs of responses" : "without rollouts or pairs");
	return false;
}

bool
export_write(struct export *e, const struct exporter *by)
{
	e->target = by->target;
	e->asked = e->plan;
	if (!has_mode(by, e->plan))
		export_refuse(e, FIELD_MODE, "target_of_other_mode", "shardplan export",
		    "%s is for the other mode", by->name);
	else if (e->core > 0 && !text_equal(by->target, MEGATRON))
		export_refuse(e, FIELD_NONE, "target_without_core", "shardplan export",
		    "%s does not go by releases of Megatron core", by->name);
	else if (plan_nodes_differ(e->plan) && by->layout != NULL && !text_equal(by->name, "deepspeed"))
		export_refuse(e, FIELD_NODE_GPUS, "target_lacks", "shardplan export",
		    "%s starts as many processes on each node", by->name);
	else if (e->plan->cluster.gpus_per_process > 1 && by->layout != NULL)
		export_refuse(e, FIELD_GPUS_PER_PROCESS, "target_lacks", "shardplan export",
		    "%s starts one process a GPU", by->name);
	else if (take_task(e, by) && take_layout(e, by) &&
	    plan_check(e->plan, e->catalog, &e->diags))
		by->write(e);
	export_read_back(e, by);
	export_put_notes(e);
	for (size_t i = 0; i < e->files; i++)
		if (e->file[i].text.failed)
			export_refuse(e, FIELD_NONE, "out_of_memory", "shardplan export", "out of memory");
	return diag_count(&e->diags, SEVERITY_ERROR) == 0;
}

/* As export_write had it in the beginning. */
static void
begin_again(struct export *e)
{
	/* e->plan may be e->theirs, which ends here */
	const struct export fresh = { .plan = e->asked != NULL ? e->asked : e->plan,
		.catalog = e->catalog, .source = e->source, .core = e->core };

	export_free(e);
	*e = fresh;
}

/* Rollouts are first for those that train on nothing else, and pre-training for the framework itself. */
static bool
is_made_for(const struct exporter *by, const struct plan *p)
{
	char layout[32];

	if (p->finetune.method != FINETUNE_NONE || plan_has_rl(p) || p->mode != MODE_TRAIN)
		return !plan_has_rollouts(p) || !(by->tasks & TASK_TEXTS);
	field_format(FIELD_LAYOUT, p, layout, sizeof layout);
	return strncmp(by->name, layout, strlen(layout)) == 0;
}

const struct exporter *
export_any(struct export *e)
{
	const struct plan *p = e->plan;
	const struct exporter *first = NULL, *other = NULL;

	for (size_t i = 0; i < 2 * export_count; i++) {
		const struct exporter *by = &export_table[i % export_count];

		if (i == export_count && other != NULL)
			break;
		if (!export_suits(by, p) || is_made_for(by, p) != (i < export_count))
			continue;
		begin_again(e);
		if (export_write(e, by) && !e->risks)
			return by;
		first = first != NULL ? first : by;
		if (other == NULL && diag_count(&e->diags, SEVERITY_ERROR) == 0)
			other = by;
	}
	begin_again(e);
	if (first != NULL)
		export_write(e, other != NULL ? other : first);
	return other;
}

/* ---- the disk ----------------------------------------------------------------------- */

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A file holds just this text already. */
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
