/* Megatron-Bridge: overrides of a recipe on a command line, and recipes themselves, which are Python. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "core/model/adapters.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/machines/machines.h"
#include "file/models/checkpoint.h"
#include "file/source/words.h"

#define CHUNKS "model.virtual_pipeline_model_parallel_size"

/* What src/megatron/bridge/recipes/common.py and the classes of settings have for a recipe that says no other. */
static const struct settings_key usual[] = {
	{ "model.tensor_model_parallel_size", FIELD_TP, NULL, "1" },
	{ "model.pipeline_model_parallel_size", FIELD_PP, NULL, "1" },
	{ "model.context_parallel_size", FIELD_CP, NULL, "1" },
	{ "model.expert_model_parallel_size", FIELD_EP, NULL, "1" },
	{ "model.sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, "false" },
	{ "train.micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, "2" },
	{ "train.global_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL, "32" },
	{ "dataset.seq_length", FIELD_SEQUENCE_LENGTH, NULL, "4096" },
	{ NULL, FIELD_NONE, NULL, NULL }
};

/* ---- the name of a recipe ------------------------------------------------------------------- */

/* "llama3_70b_pretrain_32gpu_h100_bf16_config": docs of scripts/training/recipe_metadata.py. */
struct recipe {
	char model[PLAN_ID_SIZE], mode[16], gpu[16], precision[16];
	int64_t gpus;
};

/* A word of the model: "llama31" is Llama 3.1, "1p5b" is 1.5b, "600m" is 0.6b. */
static void
add_word(struct recipe *r, const char *word)
{
	static const char digits[] = "0123456789";
	const size_t n = strlen(word), letters = strspn(word, "abcdefghijklmnopqrstuvwxyz"), first = strspn(word, digits);
	const bool version = letters > 1 && n == letters + 2 && strspn(word + letters, digits) == 2;

	text_add(r->model, sizeof r->model, "%s", r->model[0] != '\0' ? "-" : "");
	if (version)
		text_add(r->model, sizeof r->model, "%.*s.%s", (int)n - 1, word, word + n - 1);
	else if (first > 0 && word[first] == 'p' && strspn(word + first + 1, digits) > 0)
		text_add(r->model, sizeof r->model, "%.*s.%s", (int)first, word, word + first + 1);
	else if (first == 3 && text_equal(word + first, "m"))
		text_add(r->model, sizeof r->model, "0.%cb", word[0]);
	else
		text_add(r->model, sizeof r->model, "%s", word);
}

static void
read_recipe(struct recipe *r, const char *name)
{
	static const char modes[] = "pretrain sft peft lora dora finetune", rest[] = "config low precision";

	*r = (struct recipe){ .gpus = 0 };
	for (size_t n; *name != '\0'; name += n + (name[n] == '_')) {
		char word[32];

		n = strcspn(name, "_");
		text_put(word, sizeof word, "%.*s", (int)n, name);
		if (text_index(modes, word, n) >= 0)
			text_put(r->mode, sizeof r->mode, "%s", word);
		else if (r->mode[0] == '\0' && text_index(rest, word, n) < 0)
			add_word(r, word);
		else if (n > 3 && n < sizeof word && text_equal(word + n - 3, "gpu"))
			r->gpus = strtoll(word, NULL, 10);
		else if (r->gpus > 0 && r->gpu[0] == '\0')
			text_put(r->gpu, sizeof r->gpu, "%s", word);
		else if (strncmp(word, "bf16", 4) == 0 || strncmp(word, "fp8", 3) == 0 || strncmp(word, "nvfp4", 5) == 0)
			text_put(r->precision, sizeof r->precision, "%s", word);
	}
}

static void
take_recipe(struct import *im, const char *name)
{
	static const char source[] = "the recipe's name";
	static const char words[] = "bf16=bf16|fp8cs=fp8|fp8ds=fp8|fp8sc=fp8-block|fp8mx=mxfp8|nvfp4=nvfp4";
	struct recipe r;
	char ours[32];

	read_recipe(&r, name);
	if (!field_is_set(FIELD_PRESET, im->plan) && r.model[0] != '\0')
		import_checkpoint(im, r.model, source);
	if (!field_is_set(FIELD_PRECISION, im->plan) && settings_ours(words, r.precision, strcmp, ours, sizeof ours))
		import_set(im, FIELD_PRECISION, ours, source);
	if (r.gpu[0] != '\0')
		machines_gpu(im, r.gpu, source);
	if (text_equal(r.mode, "sft"))
		import_set(im, FIELD_FINETUNE, "full", source);
	else if (text_equal(r.mode, "peft") || text_equal(r.mode, "lora") || text_equal(r.mode, "dora"))
		import_set(im, FIELD_FINETUNE, r.mode[0] == 'd' ? "dora" : "lora", source);
	if (!field_is_set(FIELD_NODES, im->plan) && (im->world > 0 || r.gpus > 0))
		import_machine(im, im->world > 0 ? im->world : r.gpus, 0, 0, im->world > 0 ? "--world" : source);
}

/* ---- keys that take more than a row --------------------------------------------------------- */

static void
take_modules(struct import *im, const struct jsonin *j)
{
	static const char key[] = "model.recompute_modules";
	char modules[PLAN_LIST_SIZE] = "", path[64];
	const char *name;

	for (size_t i = 0; text_put(path, sizeof path, "%s.%zu", key, i), (name = jsonin_text(j, path)) != NULL; i++)
		text_add(modules, sizeof modules, "%s%s", i > 0 ? "," : "", name);
	if (jsonin_has(j, key) && modules[0] != '\0')
		import_set(im, FIELD_RECOMPUTE_MODULES, modules, key);
}

static void
take_state(struct import *im, const struct jsonin *j)
{
	static const char fsdp[] = "ddp.use_megatron_fsdp", strategy[] = "ddp.data_parallel_sharding_strategy";
	static const char sharded[] = "ddp.use_distributed_optimizer";
	static const struct settings_key strategies[] = {
		{ strategy, FIELD_ZERO_STAGE, "optim_grads_params=3|optim_grads=2|optim=1|no_shard=0", "3" },
		{ NULL, FIELD_NONE, NULL, NULL }
	};

	if (settings_on(j, fsdp))
		settings_take(im, j, strategies, "Megatron-FSDP");
	else if (jsonin_has(j, sharded))
		import_set(im, FIELD_ZERO_STAGE, settings_on(j, sharded) ? "1" : "0", sharded);
	if (settings_on(j, "optimizer.use_precision_aware_optimizer"))
		import_assume(im, FIELD_PARAM_REMAINDERS, "false", "settings of BF16 name a recipe of FP8 as well, "
		    "with which Megatron keeps master weights itself");
	if (!settings_on(j, "model.cpu_offloading"))
		return;
	settings_set(im, j, FIELD_OFFLOAD_LAYERS, settings_number(j, "model.cpu_offloading_num_layers", 0),
	    "model.cpu_offloading_num_layers");
}

/* Losses fused by which implementation; CUDA graphs of which modules. */
static void
take_kernels(struct import *im, const struct jsonin *j)
{
	static const char loss[] = "model.cross_entropy_loss_fusion", impl[] = "model.cuda_graph_impl";
	const char *graphs = jsonin_text(j, impl), *scope = jsonin_text(j, "model.cuda_graph_scope");

	if (jsonin_has(j, loss))
		import_set(im, FIELD_CROSS_ENTROPY, !settings_on(j, loss) ? "unfused" : settings_is(j,
		    "model.cross_entropy_fusion_impl", "te") ? "te" : "native", loss);
	if (graphs != NULL)
		import_set(im, FIELD_CUDA_GRAPH, text_equal(graphs, "none") ? "none" : text_equal(graphs, "full_iteration") ||
		    text_equal(graphs, "local") ? "full" : scope == NULL || strstr(scope, "attn") != NULL ||
		    text_equal(scope, "full") ? "layer" : "router", impl);
}

static void
take_adapters(struct import *im, const struct jsonin *j)
{
	static const struct tuner lora = { .targets = "peft.target_modules", .usual = "all-linear", .fused = true };

	if (!adapters_only(im->plan))
		return;
	settings_take(im, j, bridge_peft_keys, "Megatron-Bridge");
	tuning_take_targets(im, j, &lora);
}

static void
take_settings(struct import *im, const struct jsonin *j)
{
	static const struct settings_key state[] = {
		{ "ddp.overlap_param_gather", FIELD_OVERLAP_PARAM_GATHER, NULL, NULL },
		{ "ddp.grad_reduce_in_fp32", FIELD_GRAD_DTYPE, "true=fp32|false=bf16", NULL },
		{ "optimizer.exp_avg_dtype", FIELD_MOMENTS_DTYPE, "float32=fp32|bfloat16=bf16|float16=fp16|uint8=fp8|"
		    "torch.float32=fp32|torch.bfloat16=bf16|torch.float16=fp16|torch.uint8=fp8", NULL },
		{ "ddp.bucket_size", FIELD_BUCKET_SIZE, NULL, NULL },
		{ "comm_overlap.tp_comm_overlap", FIELD_TP_OVERLAP, NULL, NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};

	import_fill(im, FIELD_LAYOUT, "megatron");
	settings_take(im, j, bridge_keys, "Megatron-Bridge");
	settings_take(im, j, state, "Megatron-Bridge");
	if (field_is_set(FIELD_PIPELINE_LAYOUT, im->plan) && im->plan->parallel.vpp > 1)
		import_fill(im, FIELD_VPP, "1"); /* there both are said, and the layout has all chunks */
	take_modules(im, j);
	take_state(im, j);
	take_kernels(im, j);
}

/* ---- the two forms -------------------------------------------------------------------------- */

/* What a recipe in Python says, over what recipes begin with. */
static void
read_python(struct import *im)
{
	char name[PYIN_NAME_SIZE];
	struct jsonin j;

	if (settings_python(&j, im, name)) {
		settings_checkpoint(im, &j, "model.0");
		settings_take(im, &j, usual, "Megatron-Bridge");
		take_settings(im, &j);
		take_recipe(im, name);
		take_adapters(im, &j);
		settings_budget(im, settings_number(&j, "train.train_iters", 0), "train.train_iters");
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}

/* A flag's value, the first of several: overrides may stand behind it. */
static const char *
flag_of(const struct jsonin *flags, const char *name)
{
	return jsonin_text(flags, name) != NULL ? jsonin_text(flags, name) : jsonin_text(flags, TEXT_OF(64, "%s.0",
	    name));
}

static void
put_list(struct jsonin *j, const char *path, const char *words)
{
	json_t *list = json_array();

	for (size_t n; *words != '\0'; words += n + (words[n] == ',')) {
		n = strcspn(words, ",");
		json_array_append_new(list, json_stringn(words, n));
	}
	jsonin_put(j->root, path, list);
}

/* Flags of scripts/performance (argument_parser.py), as the overrides that they stand for (utils/overrides.py). */
static void
put_overrides(struct jsonin *flags)
{
	static const char names[] = "tp=model.tensor_model_parallel_size|tensor_model_parallel_size=model.tensor_model_parallel_size|"
	    "pp=model.pipeline_model_parallel_size|pipeline_model_parallel_size=model.pipeline_model_parallel_size|"
	    "cp=model.context_parallel_size|context_parallel_size=model.context_parallel_size|vp=" CHUNKS "|"
	    "virtual_pipeline_model_parallel_size=" CHUNKS "|ep=model.expert_model_parallel_size|"
	    "expert_model_parallel_size=model.expert_model_parallel_size|et=model.expert_tensor_parallel_size|"
	    "expert_tensor_parallel_size=model.expert_tensor_parallel_size|"
	    "pipeline_model_parallel_layout=model.pipeline_model_parallel_layout|gb=train.global_batch_size|"
	    "global_batch_size=train.global_batch_size|mb=train.micro_batch_size|micro_batch_size=train.micro_batch_size|"
	    "sl=dataset.seq_length|seq_length=dataset.seq_length|ms=train.train_iters|max_steps=train.train_iters|"
	    "use_megatron_fsdp=ddp.use_megatron_fsdp|cuda_graph_impl=model.cuda_graph_impl|cuda_graph_scope=model.cuda_graph_scope|"
	    "recompute_num_layers=model.recompute_num_layers|moe_a2a_overlap=model.overlap_moe_expert_parallel_comm|"
	    "activation_offload_layers=model.cpu_offloading_num_layers|mr=model_recipe_name|g=gpu|ng=num_gpus|gn=gpus_per_node|c=compute_dtype";
	const char *modules, *name;
	json_t *value;
	void *next;
	const bool sliced = settings_number(flags, "tp", 1) > 1 || settings_number(flags, "tensor_model_parallel_size", 1) > 1;

	json_object_foreach_safe(flags->root, next, name, value)
		if (json_is_array(value)) /* overrides follow */
			json_object_set(flags->root, name, json_array_get(value, 0));
	settings_rename(flags, names);
	if (settings_is(flags, CHUNKS, "None"))
		json_object_del(json_object_get(flags->root, "model"), strchr(CHUNKS, '.') + 1);
	jsonin_put(flags->root, "model.sequence_parallel", json_boolean(sliced));
	if (jsonin_has(flags, "model.recompute_num_layers")) {
		jsonin_put(flags->root, "model.recompute_granularity", json_string("full"));
		jsonin_put(flags->root, "model.recompute_method", json_string("block"));
	}
	if (settings_number(flags, "model.cpu_offloading_num_layers", 0) > 0)
		jsonin_put(flags->root, "model.cpu_offloading", json_true());
	if ((modules = jsonin_text(flags, "recompute_modules")) == NULL)
		return;
	put_list(flags, "model.recompute_modules", modules);
	jsonin_put(flags->root, "model.recompute_granularity", json_string("selective"));
}

/* Overrides behind the flags win. */
static void
put_over(struct jsonin *flags, const struct jsonin *j)
{
	const char *section;
	json_t *over, *there;

	json_object_foreach(j->root, section, over)
		if (json_is_object(over) && json_is_object(there = json_object_get(flags->root, section)))
			json_object_update(there, over);
		else
			json_object_set(flags->root, section, over);
}

/* Layers that no split of theirs divides the recipes split so: with the embedding and the loss each as a layer
 * (src/megatron/bridge/recipes/llama/llama3.py, qwen/qwen3_moe.py), or the last chunk has what the others leave, before MTP
 * (recipes/deepseek/deepseek_v3.py, recipes/kimi/kimi_k2.py). */
static void
take_split(struct import *im)
{
	static const char why[] = "the recipe's, for layers that the stages do not divide";
	struct plan p = *im->plan;
	int64_t chunks, each, last;
	char layout[PLAN_LAYOUT_SIZE];

	plan_resolve(&p, im->catalog);
	chunks = product_of(most_of(p.parallel.pp, 1), most_of(p.parallel.vpp, 1));
	if (p.parallel.pp < 2 || p.model.layers % chunks == 0 || p.parallel.pipeline_layout[0] != '\0')
		return;
	if ((p.model.layers + 2) % chunks == 0) {
		import_assume(im, FIELD_ACCOUNT_FOR_EMBEDDING, "true", why);
		import_assume(im, FIELD_ACCOUNT_FOR_LOSS, "true", why);
		return;
	}
	each = (p.model.layers + chunks - 1) / chunks;
	last = p.model.layers - product_of(each, chunks - 1);
	if (last < 1)
		return;
	text_put(layout, sizeof layout, "Et*%lld|(t*%lld|)*%lldt*%lld%sL", (long long)each, (long long)each, (long long)chunks - 2,
	    (long long)last, p.model.mtp_layers > 0 ? "m" : "");
	import_assume(im, FIELD_PIPELINE_LAYOUT, layout, why);
	import_fill(im, FIELD_VPP, "1");
}

static void
read_performance(struct import *im, struct jsonin *flags, const struct jsonin *j)
{
	static const struct settings_key precision[] = {
		{ "compute_dtype", FIELD_PRECISION, "bf16=bf16|fp8_cs=fp8|fp8_ds=fp8|fp8_sc=fp8-block|fp8_mx=mxfp8|nvfp4=nvfp4", NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	const char *gpu, *task, *name, *size;
	int64_t gpus, each;

	put_overrides(flags);
	put_over(flags, j);
	if ((name = jsonin_text(flags, "model_recipe_name")) != NULL)
		take_recipe(im, name);
	else if ((name = jsonin_text(flags, "model_name")) != NULL && (size = jsonin_text(flags, "model_size")) != NULL)
		take_recipe(im, TEXT_OF(96, "%s_%s", name, size)); /* until December 2025 */
	if ((gpu = jsonin_text(flags, "gpu")) != NULL)
		machines_gpu(im, gpu, "--gpu");
	gpus = im->world > 0 ? im->world : settings_number(flags, "num_gpus", 0);
	each = settings_number(flags, "gpus_per_node", gpu != NULL && strncmp(gpu, "gb", 2) == 0 ? 4 : 8);
	if (gpus > 0)
		import_machine(im, gpus, 0, gpus % each == 0 ? each : 0, "--num_gpus");
	else
		import_error(im, "--num_gpus", "only a run would tell its value (fix: --world)");
	settings_take(im, flags, precision, "Megatron-Bridge");
	take_settings(im, flags);
	take_split(im);
	if ((task = jsonin_text(flags, "task")) != NULL && !text_equal(task, "pretrain"))
		import_set(im, FIELD_FINETUNE, text_equal(task, "sft") ? "full" : task, "--task");
	take_adapters(im, flags);
	settings_budget(im, settings_number(flags, "train.train_iters", 0), "--max_steps");
}

static void
take_flags(struct import *im, const struct jsonin *flags)
{
	const int64_t nodes = settings_number(flags, "nodes", 0), gpus = settings_number(flags, "gpus_per_node", 0);
	const char *recipe = flag_of(flags, "recipe"), *mode = flag_of(flags, "mode");

	if (im->world == 0 && nodes > 0 && gpus > 0)
		import_machine(im, product_of(nodes, gpus), nodes, gpus, "--nodes and --gpus-per-node");
	if (mode != NULL && !text_equal(mode, "pretrain"))
		import_set(im, FIELD_FINETUNE, text_equal(mode, "sft") ? "full" : mode, "--mode");
	if (recipe != NULL && strspn(recipe, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(recipe))
		take_recipe(im, recipe);
}

void
bridge_read(struct import *im)
{
	const bool performance = strstr(im->text, "--compute_dtype") != NULL;
	struct jsonin j, flags = { .root = NULL };

	if (strncmp(im->text, "def ", 4) == 0 || strstr(im->text, "\ndef ") != NULL) {
		read_python(im);
		return;
	}
	if (words_read(&j, im, NULL, false) && words_read(&flags, im, performance ? "--model_recipe_name|-mr|--model_size" : "--recipe", false)) {
		if (performance) {
			read_performance(im, &flags, &j);
		} else {
			take_settings(im, &j);
			take_flags(im, &flags);
			take_adapters(im, &j);
		}
		settings_rest(im, performance ? &flags : &j);
		notes_add(&im->assumed, "what no override says is a plan's own, not that of the recipe (fix: import the recipe too)");
	}
	jsonin_free(&flags);
	jsonin_free(&j);
}
