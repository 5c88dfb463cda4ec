/*
 * roll.c - pipelines of ROLL: rollouts, of environments too, texts and pairs (YAML, or a script that starts one; alibaba/ROLL
 * roll/configs/base_config.py, defaults; roll/pipeline/base_worker.py, what a batch counts: 2026-08).
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/named.h"
#include "file/source/words.h"

#define TRAIN "actor_train."
#define INFER "actor_infer."
#define STRATEGY TRAIN "strategy_args.strategy_config."
#define ENGINE INFER "strategy_args.strategy_config."

static const struct settings_key keys[] = {
	{ TRAIN "training_args.per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE, NULL, "8" },
	{ TRAIN "model_args.dtype", FIELD_PRECISION, "bf16=bf16|fp16=fp16|fp32=fp32", "bf16" },
	{ TRAIN "use_sequence_packing", FIELD_PACKING, NULL, NULL },
	{ TRAIN "use_remove_padding", FIELD_PACKING, NULL, NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
}, megatron_keys[] = {
	{ STRATEGY "tensor_model_parallel_size", FIELD_TP, NULL, "1" },
	{ STRATEGY "pipeline_model_parallel_size", FIELD_PP, NULL, "1" },
	{ STRATEGY "virtual_pipeline_model_parallel_size", FIELD_VPP, NULL, NULL },
	{ STRATEGY "context_parallel_size", FIELD_CP, NULL, "1" },
	{ STRATEGY "expert_model_parallel_size", FIELD_EP, NULL, "1" },
	{ STRATEGY "expert_tensor_parallel_size", FIELD_ETP, NULL, NULL },
	{ STRATEGY "sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, NULL },
	{ STRATEGY "use_distributed_optimizer", FIELD_ZERO_STAGE, "true=1|false=0", "0" },
	{ STRATEGY "recompute_granularity", FIELD_RECOMPUTE, NULL, "none" },
	{ STRATEGY "recompute_method", FIELD_RECOMPUTE_METHOD, NULL, NULL },
	{ STRATEGY "recompute_num_layers", FIELD_RECOMPUTE_LAYERS, NULL, NULL },
	{ STRATEGY "recompute_modules", FIELD_RECOMPUTE_MODULES, NULL, NULL },
	{ STRATEGY "moe_token_dispatcher_type", FIELD_MOE_DISPATCHER, "alltoall=alltoall|allgather=allgather|flex=deepep", NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
}, sharded_keys[] = {
	{ TRAIN "model_args.ulysses_size", FIELD_CP, NULL, "1" },
	{ STRATEGY "ep_size", FIELD_EP, NULL, NULL },
	{ STRATEGY "reshard_after_forward", FIELD_ZERO_STAGE, "true=3|false=2", "3" },
	{ STRATEGY "offload_policy", FIELD_OFFLOAD, "true=optimizer+params|false=none", NULL },
	{ TRAIN "model_args.disable_gradient_checkpointing", FIELD_RECOMPUTE, "false=full|true=none", "full" },
	{ NULL, FIELD_NONE, NULL, NULL }
}, engine_keys[] = {
	{ INFER "strategy_args.strategy_name", FIELD_ENGINE, "vllm=vllm|sglang=sglang", NULL },
	{ ENGINE "gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
	{ ENGINE "mem_fraction_static", FIELD_GPU_MEMORY_UTILIZATION, NULL, NULL },
	{ ENGINE "max_model_len", FIELD_CONTEXT_LENGTH, NULL, NULL },
	{ ENGINE "max_num_seqs", FIELD_MAX_NUM_SEQS, NULL, NULL },
	{ ENGINE "max_num_batched_tokens", FIELD_MAX_BATCHED_TOKENS, NULL, NULL },
	{ ENGINE "enforce_eager", FIELD_EAGER, NULL, NULL },
	{ ENGINE "tensor_parallel_size", FIELD_ROLLOUT_TP, NULL, "1" },
	{ NULL, FIELD_NONE, NULL, NULL }
};

/* ---- which GPUs ------------------------------------------------------------------------------- */

enum { MAPPED_MOST = 8192 };

struct mapping {
	int64_t count;
	bool has[MAPPED_MOST];
};

static void
map_device(struct mapping *m, int64_t device)
{
	if (device < 0 || device >= MAPPED_MOST || m->has[device])
		return;
	m->has[device] = true;
	m->count++;
}

/* "list(range(0,16))", sums of such, or "[0, 1, 8]". */
static void
map_text(struct mapping *m, const char *text)
{
	static const char digits[] = "0123456789", range[] = "range(";
	char *end;

	while (text += strcspn(text, "r0123456789"), *text != '\0') {
		if (strncmp(text, range, strlen(range)) == 0) {
			const int64_t first = strtoll(text + strlen(range), &end, 10);
			const int64_t past = *end == ',' ? strtoll(end + 1, &end, 10) : first;
			const int64_t step = *end == ',' ? most_of(strtoll(end + 1, &end, 10), 1) : 1;

			for (int64_t i = past > first || *end != ')' ? first : 0; i < past && i < MAPPED_MOST; i += step)
				map_device(m, i);
			text = end;
		} else if (*text == 'r') {
			text++;
		} else {
			map_device(m, strtoll(text, NULL, 10));
			text += strspn(text, digits);
		}
	}
}

static void
map_devices(struct mapping *m, const struct jsonin *j, const char *key)
{
	const char *text = jsonin_text(j, key);
	size_t count = 0;

	*m = (struct mapping){ .count = 0 };
	if (text != NULL)
		map_text(m, text);
	else if (jsonin_list(j, key, &count))
		for (size_t i = 0; i < count; i++)
			map_device(m, settings_number(j, TEXT_OF(64, "%s.%zu", key, i), -1));
}

static bool
is_apart(const struct mapping *a, const struct mapping *b)
{
	for (size_t i = 0; i < MAPPED_MOST; i++)
		if (a->has[i] && b->has[i])
			return false;
	return true;
}

/* ---- what is trained -------------------------------------------------------------------------- */

static void
take_framework(struct import *im, const struct jsonin *j, bool megatron, int64_t gpus)
{
	const int64_t size = settings_number(j, STRATEGY "fsdp_size", -1);

	import_assume(im, FIELD_LAYOUT, megatron ? "megatron" : "torchtitan", megatron ? "ROLL's strategy of Megatron-LM" :
	    "FSDP2, as ROLL's strategy has it");
	settings_take(im, j, keys, "ROLL");
	settings_take(im, j, megatron ? megatron_keys : sharded_keys, "ROLL");
	if (settings_on(j, STRATEGY "moe_layer_recompute") && im->plan->training.recompute == RECOMPUTE_NONE) {
		import_set(im, FIELD_RECOMPUTE, "selective", STRATEGY "moe_layer_recompute");
		import_set(im, FIELD_RECOMPUTE_MODULES, "moe", STRATEGY "moe_layer_recompute");
	}
	if (!megatron && size > 1 && size < gpus && gpus % size == 0)
		settings_set(im, j, FIELD_DP_REPLICATE, gpus / size, STRATEGY "fsdp_size");
}

static void
take_adapters(struct import *im, const struct jsonin *j)
{
	static const struct tuner names = { .targets = TRAIN "model_args.lora_target", .linear = "all-linear",
		.usual = "all-linear" };
	static const char rank[] = TRAIN "model_args.lora_rank";

	if (settings_number(j, rank, 0) <= 0)
		return;
	import_set(im, FIELD_FINETUNE, "lora", rank);
	settings_set(im, j, FIELD_ADAPTER_RANK, settings_number(j, rank, 0), rank);
	tuning_take_targets(im, j, &names);
}

/* A step of the optimizer is of so many micro-batches on each rank. */
static void
take_batch(struct import *im, const struct jsonin *j, int64_t gpus)
{
	static const char steps[] = TRAIN "training_args.gradient_accumulation_steps";
	const struct parallel *p = &im->plan->parallel;
	const int64_t ranks = most_of(gpus / most_of(product_of(p->tp, product_of(p->pp, p->cp)), 1), 1);

	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, product_of(ranks, product_of(im->plan->training.micro_batch_size,
	    settings_number(j, steps, 1))), steps);
}

/* ---- rollouts --------------------------------------------------------------------------------- */

/* Batches of environments count responses, others prompts. */
static void
take_prompts(struct import *im, const struct jsonin *j)
{
	static const char batch[] = "rollout_batch_size", group[] = "train_env_manager.group_size", several[] =
	    "num_return_sequences_in_group", prompt[] = "prompt_length", response[] = "response_length", all[] = "sequence_length";
	const bool environments = jsonin_has(j, "train_env_manager");
	const int64_t each = environments ? settings_number(j, group, 1) : settings_number(j, several, settings_number(j,
	    INFER "generating_args.num_return_sequences", 1));
	const int64_t prompts = settings_number(j, batch, 128);

	settings_set(im, j, FIELD_RL_PROMPTS, environments ? most_of(prompts / most_of(each, 1), 1) : prompts, batch);
	settings_set(im, j, FIELD_RL_RESPONSES, each, environments ? group : several);
	if (jsonin_has(j, response) && !environments)
		settings_set(im, j, FIELD_RL_RESPONSE_LIMIT, settings_number(j, response, 0), response);
	settings_set(im, j, FIELD_SEQUENCE_LENGTH, jsonin_has(j, all) ? settings_number(j, all, 0) : settings_number(j, prompt, 1024) +
	    im->plan->rl.response_limit, jsonin_has(j, all) ? all : prompt);
	settings_lengths(im, "the longest prompt and response");
}

static void
take_algorithm(struct import *im, const struct jsonin *j)
{
	static const char estimator[] = "adv_estimator", reference[] = "enable_reference", loss[] = "use_kl_loss";
	const bool ppo = !jsonin_has(j, estimator) || settings_is(j, estimator, "gae");
	double kl = 0.2;

	settings_say(im, j, FIELD_RL_ALGORITHM, ppo ? "ppo" : "grpo", estimator);
	if (!ppo && !settings_is(j, estimator, "grpo"))
		import_ignore(im, estimator, "a plan has no such estimator: without a critic, as grpo");
	jsonin_real(j, "init_kl_coef", -1e9, 1e9, &kl);
	settings_say(im, j, FIELD_RL_REFERENCE, settings_on(j, reference) || settings_on(j, loss) || kl > 0 ? "true" : "false",
	    jsonin_has(j, reference) ? reference : "init_kl_coef");
}

static int64_t
take_pools(struct import *im, const struct jsonin *j, const struct mapping *train, const struct mapping *infer)
{
	static const char mapping[] = INFER "device_mapping", ahead[] = "async_generation_ratio";
	const bool split = infer->count > 0 && is_apart(train, infer);
	double ratio = 0;

	settings_take(im, j, engine_keys, "ROLL");
	if (!split) {
		if (infer->count < train->count)
			import_ignore(im, mapping, "engines are on a part of the trainer's GPUs: in a plan on all of them");
		import_assume(im, FIELD_RL_OFFLOAD, "all", "ROLL's workers leave the GPU while others work there");
		settings_set(im, j, FIELD_ENGINE_SLEEP, settings_number(j, ENGINE "sleep_level", 1), ENGINE "sleep_level");
		return train->count;
	}
	jsonin_real(j, ahead, 0, 1e6, &ratio);
	import_set(im, FIELD_RL_PLACEMENT, "split", mapping);
	import_set_int(im, FIELD_ROLLOUT_GPUS, infer->count, mapping);
	settings_set(im, j, FIELD_STALENESS, (int64_t)ratio + (ratio > (double)(int64_t)ratio), ahead);
	return train->count + infer->count;
}

/* ---- a pipeline ------------------------------------------------------------------------------- */

static void
take_texts(struct import *im, const struct jsonin *j, bool pairs)
{
	settings_set(im, j, FIELD_SEQUENCE_LENGTH, settings_number(j, "sequence_length", 1024), "sequence_length");
	import_set(im, FIELD_FINETUNE, "full", TRAIN "model_args.lora_rank");
	if (!pairs)
		return;
	import_set(im, FIELD_RL_ALGORITHM, "dpo", "chosen_key");
	settings_lengths(im, "a row has room for both");
}

static void
take_pipeline(struct import *im, struct jsonin *j)
{
	const char *strategy = jsonin_text(j, TRAIN "strategy_args.strategy_name");
	const bool megatron = strategy != NULL && strncmp(strategy, "megatron", 8) == 0;
	struct mapping train, infer;
	int64_t world, node = settings_number(j, "num_gpus_per_node", 8);

	map_devices(&train, j, TRAIN "device_mapping");
	map_devices(&infer, j, INFER "device_mapping");
	if (train.count == 0) {
		if (im->unread[0] != '\0')
			import_error(im, "", "%s is not read, which tells what is trained (fix: import that file)", im->unread);
		else
			import_error(im, TRAIN "device_mapping", "tells no GPUs (fix: list(range(0,8)))");
		return;
	}
	settings_checkpoint(im, j, TRAIN "model_args.model_name_or_path pretrain");
	take_framework(im, j, megatron, train.count);
	if (jsonin_has(j, INFER "strategy_args")) {
		take_prompts(im, j);
		take_algorithm(im, j);
		world = take_pools(im, j, &train, &infer);
	} else {
		take_texts(im, j, jsonin_has(j, "chosen_key"));
		world = train.count;
	}
	take_adapters(im, j);
	import_machine(im, world, 0, world % most_of(node, 1) == 0 ? node : 0, TRAIN "device_mapping");
	take_batch(im, j, train.count);
	settings_rest(im, j);
}

void
roll_read(struct import *im)
{
	static const char name[] = "config_name";
	struct jsonin j;

	if (settings_read(&j, im, "start_rlvr|start_agentic|start_sft_pipeline.py|start_dpo_pipeline.py")) {
		if (jsonin_text(&j, name) != NULL)
			named_below(im, &j, TEXT_OF(192, "%s.yaml", jsonin_text(&j, name)), name);
		settings_rename(&j, "sft_train=actor_train");
		named_inherit(im, &j);
		jsonin_watch(&j);
		if (jsonin_has(&j, "student_train") || jsonin_has(&j, "student"))
			import_error(im, "student", "trains on what a teacher says, which no plan has (fix: import its trainer alone)");
		else
			take_pipeline(im, &j);
	}
	jsonin_free(&j);
}
