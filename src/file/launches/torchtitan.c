/* torchtitan: job files up to v0.2.2, which are TOML, and the functions in Python that came after them
 * (torchtitan/config/configs.py, torchtitan/trainer.py, torchtitan/models/NAME/config_registry.py). */
#include <jansson.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "core/plan/batch.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/models/checkpoint.h"
#include "file/notation/pyin.h"
#include "file/notation/tomlin.h"
#include "file/plan/pathname.h"
#include "file/source/named.h"
#include "file/source/words.h"

static void
take_schedule(struct import *im, const struct jsonin *j)
{
	static const char path[] = "parallelism.pipeline_parallel_schedule";
	static const struct settings_key rows[] = {
		{ path, FIELD_SCHEDULE, "1F1B=1f1b|Interleaved1F1B=1f1b|GPipe=gpipe|ZBVZeroBubble=zb-v|"
		    "DualPipeV=dualpipev|InterleavedZeroBubble=zb-1p", "1f1b" },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	const char *name = jsonin_text(j, path);
	const int64_t stages = im->plan->parallel.pp;
	const int64_t layers = settings_number(j, "parallelism.pipeline_parallel_layers_per_stage", 0);

	settings_take(im, j, rows, "torchtitan");
	/* Embedding and head count as a layer each (pipeline_parallel.py). */
	if (layers > 0 && stages > 0)
		settings_set(im, j, FIELD_VPP, ((im->plan->model.layers + 2 + layers - 1) / layers + stages - 1) /
		    stages, "parallelism.pipeline_parallel_layers_per_stage");
	else if (name != NULL && !text_equal(name, "1F1B") && !text_equal(name, "GPipe"))
		import_assume(im, FIELD_VPP, "2", "two stages a rank, as these schedules take");
}

/* data_parallel_shard_degree -1 takes what the others leave of the GPUs. */
static void
take_shards(struct import *im, const struct jsonin *j)
{
	static const char sharded[] = "parallelism.data_parallel_shard_degree";
	const int64_t copies = settings_number(j, "parallelism.data_parallel_replicate_degree", 1);
	const int64_t shards = settings_number(j, sharded, -1);
	const struct parallel *p = &im->plan->parallel;
	const int64_t world = shards > 0 ? product_of(product_of(copies, shards),
	    product_of(p->tp, product_of(p->cp, p->pp))) : im->world;
	const char *reshard = jsonin_text(j, "parallelism.fsdp_reshard_after_forward");

	if (world == 0)
		import_error(im, sharded, "the number of GPUs is not known (fix: --world)");
	else
		import_machine(im, world, 0, 0, shards > 0 ? sharded : "--world");
	if (shards == 1 && copies > 1) {
		import_set(im, FIELD_ZERO_STAGE, "0", sharded);
		return;
	}
	if (copies > 1)
		settings_set(im, j, FIELD_DP_REPLICATE, copies, "parallelism.data_parallel_replicate_degree");
	/* "default" keeps parameters gathered where a pipeline would gather them again. */
	if (reshard != NULL && text_equal(reshard, "never"))
		import_set(im, FIELD_ZERO_STAGE, "2", "parallelism.fsdp_reshard_after_forward");
	else
		import_assume(im, FIELD_ZERO_STAGE, p->pp > 1 && (reshard == NULL ||
		    text_equal(reshard, "default")) ? "2" : "3", "fsdp_reshard_after_forward");
}

/* GPUs that work on other samples than one another. */
static int64_t
copies_of(const struct plan *p)
{
	const int64_t ranks = p->parallel.tp * p->parallel.cp * p->parallel.pp, world = plan_world(p);

	return ranks > 0 && world >= ranks ? world / ranks : 1;
}

/* A pipeline cuts the local batch into micro-batches; without one each is the local batch. */
static void
take_samples(struct import *im, const struct jsonin *j)
{
	const struct parallel *p = &im->plan->parallel;
	const int64_t local = settings_number(j, "training.local_batch_size", 8);
	const int64_t global = settings_number(j, "training.global_batch_size", -1);

	settings_set(im, j, FIELD_MICRO_BATCH_SIZE, p->pp > 1 ?
	    settings_number(j, "parallelism.pipeline_parallel_microbatch_size", 1) : local,
	    p->pp > 1 ? "parallelism.pipeline_parallel_microbatch_size" : "training.local_batch_size");
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, global > 0 ? global : product_of(local, copies_of(im->plan)),
	    global > 0 ? "training.global_batch_size" : "training.local_batch_size");
}

/* One of its own models, where no directory of a checkpoint is named. */
static void
take_flavor(struct import *im, const struct jsonin *j)
{
	const char *name = jsonin_text(j, "model.name"), *flavor = jsonin_text(j, "model.flavor");
	const struct titan_model *m = titan_models;

	if (name == NULL || flavor == NULL || jsonin_has(j, "model.hf_assets_path"))
		return;
	while (m->name != NULL && (!text_equal(m->name, name) || !text_equal(m->flavor, flavor)))
		m++;
	import_checkpoint(im, m->name != NULL ? m->preset : TEXT_OF(128, "%s-%s", name, flavor), "model.flavor");
}

/* Every n-th layer is computed again whole (torchtitan/distributed/activation_checkpoint.py, _apply_layer_sac): as many of
 * a chunk as a block of that size has. */
static void
take_frequency(struct import *im, const struct jsonin *j)
{
	static const char path[] = "activation_checkpoint.selective_ac_option";
	const char *option = jsonin_text(j, path);
	struct plan known = *im->plan;
	int64_t n, layers;

	if (option == NULL || im->plan->training.recompute != RECOMPUTE_SELECTIVE || !text_to_int(option, &n) || n < 1)
		return;
	plan_resolve(&known, im->catalog);
	layers = batch_chunk_layers(&known);
	notes_drop(&im->taken, "training.recompute");
	import_set(im, FIELD_RECOMPUTE, n > layers ? "none" : "full", path);
	if (n == 1 || n > layers)
		return;
	import_set(im, FIELD_RECOMPUTE_METHOD, "block", path);
	import_set_int(im, FIELD_RECOMPUTE_LAYERS, layers / n, path);
}

void
torchtitan_take(struct import *im, const struct jsonin *j)
{
	import_assume(im, FIELD_LAYOUT, "torchtitan", "a job file of torchtitan");
	settings_take(im, j, torchtitan_keys, "torchtitan");
	if (im->plan->parallel.pp > 1)
		take_schedule(im, j);
	take_shards(im, j);
	take_samples(im, j);
	if (!field_is_set(FIELD_PRESET, im->plan)) {
		take_flavor(im, j);
		settings_checkpoint(im, j, "model.hf_assets_path");
	}
	take_frequency(im, j);
	/* Job files in TOML know no losses in chunks yet. */
	if (!im->plan->training.torch_compile)
		import_assume(im, FIELD_CROSS_ENTROPY, "torch", "a loss without torch.compile, torchtitan/components/loss.py");
	settings_rest(im, j);
}

/* A script with the name of a job file, whose settings flags win over, on the GPUs of its launcher or of
 * run_train.sh. */
static bool
read_script(struct jsonin *j, struct import *im)
{
	static const char file[] = "job.config_file";
	int64_t nodes, gpus;

	if (!words_read(j, im, "torchtitan.train|run_train.sh|./run_train.sh", true))
		return false;
	nodes = settings_number(j, WORDS_NODES, 1);
	gpus = settings_number(j, WORDS_PROCESSES, 0);
	if (jsonin_text(j, file) != NULL)
		named_below(im, j, jsonin_text(j, file), file);
	if (im->world == 0 && gpus > 0 && nodes > 0)
		im->world = product_of(nodes, gpus);
	return im->errors->count == 0;
}

void
torchtitan_read(struct import *im)
{
	const bool script = strstr(im->text, "[parallelism]") == NULL && strstr(im->text, "[training]") == NULL &&
	    strstr(im->text, "job.config_file") != NULL;
	struct jsonin j;

	if (script ? read_script(&j, im) : tomlin_parse(&j, im->text, im->name, im->errors))
		torchtitan_take(im, &j);
	jsonin_free(&j);
}

/* ---- Python --------------------------------------------------------------------------------- */

/* Batches count tokens. */
static void
take_tokens(struct import *im, const struct jsonin *j)
{
	static const char step[] = "training.num_tokens_per_train_step", each[] = "training.num_tokens_per_microbatch_per_dp_rank";
	const struct plan *p = im->plan;
	const int64_t length = most_of(p->training.sequence_length, 1), all = settings_number(j, step, -1);
	const int64_t micro = most_of(settings_number(j, each, 16384) / length, 1);
	const int64_t rounds = p->parallel.pp > 1 ? settings_number(j, "parallelism.num_pp_microbatches", 1) : 1;

	settings_set(im, j, FIELD_MICRO_BATCH_SIZE, micro, each);
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, all > 0 ? all / length : product_of(product_of(micro, rounds),
	    copies_of(p)), all > 0 ? step : each);
}

/* By the directory of its tokenizer, the function that makes it, or its flavor with the file's name of the model. */
static void
take_model(struct import *im, const struct jsonin *j, const char *function)
{
	const char *assets = jsonin_text(j, "hf_assets_path"), *flavor = jsonin_text(j, "model_spec.0");
	const char *made = jsonin_text(j, PYIN_CALLEE);
	char name[PYIN_NAME_SIZE];

	if (flavor != NULL && strstr(flavor, "debug") != NULL) {
		import_error(im, "model_spec", "'%s' is no model of the catalogue (fix: --model=NAME)", flavor);
		return;
	}
	for (const struct titan_model *m = titan_models; m->name != NULL; m++) {
		const size_t n = strlen(m->name);
		const bool of_file = strncmp(function, m->name, n) == 0 || strstr(im->text, m->name) != NULL;

		if (m->function != NULL && (text_equal(m->function, function) || (made != NULL && text_equal(m->function, made)))) {
			import_checkpoint(im, m->preset, m->function);
			return;
		}
		if (flavor != NULL && of_file && text_equal(m->flavor, flavor)) {
			import_checkpoint(im, m->preset, "model_spec");
			return;
		}
	}
	if (assets != NULL && strstr(assets, "tests/assets") == NULL) {
		text_put(name, sizeof name, "%s", pathname_last(assets));
		import_checkpoint(im, name, "hf_assets_path");
	}
}

/* What quantizes or adapts stands in a list of the model's converters. */
static void
take_converters(struct import *im, const struct jsonin *j)
{
	static const struct {
		const char *name, *precision;
	} rows[] = { { "Float8", "fp8" }, { "MXFP8", "mxfp8" }, { "NVFP4", "nvfp4" } };
	char path[80];
	const char *made;

	for (int i = 0; text_put(path, sizeof path, "model_spec.converters.%d." PYIN_CALLEE, i), (made = jsonin_text(j, path)) != NULL; i++) {
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
			if (strncmp(made, rows[k].name, strlen(rows[k].name)) == 0)
				import_set(im, FIELD_PRECISION, rows[k].precision, "model_spec.converters");
		text_put(path, sizeof path, "model_spec.converters.%d.rank", i);
		if (strncmp(made, "LoRA", 4) == 0) {
			import_set(im, FIELD_FINETUNE, "lora", "model_spec.converters");
			settings_set(im, j, FIELD_ADAPTER_RANK, settings_number(j, path, 8), path);
		}
	}
}

void
torchtitan_python_read(struct import *im)
{
	static const struct settings_key recompute[] = {
		{ "activation_checkpoint", FIELD_RECOMPUTE, "FullAC.Config=full|SelectiveAC.Config=selective", "selective" },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	static const struct settings_key experts[] = {
		{ "model_spec.moe_comm_backend", FIELD_MOE_DISPATCHER, "standard=alltoall|deepep=deepep|hybridep=hybridep", NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	char function[PYIN_NAME_SIZE];
	struct jsonin j;

	if (settings_python(&j, im, function)) {
		import_assume(im, FIELD_LAYOUT, "torchtitan", "a configuration of torchtitan");
		take_model(im, &j, function);
		settings_take(im, &j, titan_python_keys, "torchtitan");
		if (json_is_null(json_object_get(j.root, recompute[0].path)))
			import_set(im, FIELD_RECOMPUTE, "none", recompute[0].path);
		else
			settings_take(im, &j, recompute, "torchtitan");
		settings_take(im, &j, experts, "torchtitan");
		take_converters(im, &j);
		if (im->plan->parallel.pp > 1)
			take_schedule(im, &j);
		take_shards(im, &j);
		take_tokens(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
