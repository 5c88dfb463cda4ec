#include <jansson.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/rl_keys.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

#define PROGRAM "openrlhf.cli.train_"

static void
take_adapters(struct import *im, const struct jsonin *j)
{
	static const struct tuner names = { .targets = "ds.lora.target_modules", .linear = "all-linear",
		.usual = "all-linear" };
	const bool quantized = settings_on(j, "ds.load_in_4bit");

	if (settings_number(j, "ds.lora.rank", 0) == 0)
		return;
	import_set(im, FIELD_FINETUNE, quantized ? "qlora" : "lora", "ds.lora.rank");
	if (quantized)
		import_set(im, FIELD_QUANTIZATION, "nf4-dq", "ds.load_in_4bit");
	settings_take(im, j, openrlhf_adapters, "OpenRLHF");
	tuning_take_targets(im, j, &names);
}

static void
take_algorithm(struct import *im, const struct jsonin *j)
{
	static const char estimator[] = "algo.advantage.estimator", penalty[] = "algo.kl.init_coef";
	const bool ppo = !jsonin_has(j, estimator) || settings_is(j, estimator, "gae");
	double coefficient = 0.01;

	settings_say(im, j, FIELD_RL_ALGORITHM, ppo ? "ppo" : "grpo", estimator);
	if (!ppo && !settings_is(j, estimator, "group_norm"))
		import_ignore(im, estimator, "a plan has no such estimator: without a critic, as group_norm");
	jsonin_real(j, penalty, -1e9, 1e9, &coefficient);
	settings_say(im, j, FIELD_RL_REFERENCE, coefficient > 0 || coefficient < 0 ? "true" : "false", penalty);
	if (jsonin_has(j, "reward.model_name_or_path"))
		import_ignore(im, "reward.model_name_or_path", "set rl.reward_preset to its model");
}

/* GPUs of the actor, which its other models share when they are colocated, and of the engines
 * where those do not. */
static void
take_pools(struct import *im, const struct jsonin *j)
{
	static const char colocated[] = "train.colocate_all", queue[] = "train.async_queue_size";
	const bool async = settings_on(j, "train.async_enable");
	const bool split = async || !settings_on(j, colocated);
	const int64_t gpus = settings_number(j, "actor.num_gpus_per_node", 8);
	const int64_t nodes = settings_number(j, "actor.num_nodes", 1);
	const int64_t engine = settings_number(j, "vllm.tensor_parallel_size", 1);
	const int64_t rollout = split ? product_of(settings_number(j, "vllm.num_engines", 1), engine) : 0;

	settings_machine(im, nodes, gpus, rollout,
	    "actor.num_nodes and actor.num_gpus_per_node");
	settings_set(im, j, FIELD_ROLLOUT_TP, engine, "vllm.tensor_parallel_size");
	if (!split) {
		settings_say(im, j, FIELD_ENGINE_SLEEP, settings_on(j, "vllm.enable_sleep") ? "1" : "0",
		    "vllm.enable_sleep");
		settings_say(im, j, FIELD_RL_OFFLOAD, settings_on(j, "ref.offload") ? "all" :
		    settings_on(j, "ds.enable_sleep") ? "optimizer+params" : "none", "ds.enable_sleep");
		return;
	}
	import_set(im, FIELD_RL_PLACEMENT, "split", colocated);
	settings_set(im, j, FIELD_ROLLOUT_GPUS, rollout, "vllm.num_engines");
	settings_set(im, j, FIELD_STALENESS, async ? settings_number(j, queue, 1) : 0, queue);
}

static void
take_pairs(struct import *im, const struct jsonin *j)
{
	const bool rm = strstr(im->text, PROGRAM "rm") != NULL;

	settings_take(im, j, openrlhf_pairs, "OpenRLHF");
	if (!field_is_set(FIELD_FINETUNE, im->plan))
		import_set(im, FIELD_FINETUNE, "full", "ds.lora.rank");
	if (rm || strstr(im->text, PROGRAM "dpo") != NULL) {
		import_set(im, FIELD_RL_ALGORITHM, rm ? "rm" : "dpo", rm ? PROGRAM "rm" : PROGRAM "dpo");
		settings_lengths(im, "data.max_len has room for both");
	}
	if (im->world > 0)
		import_machine(im, im->world, 0, 0, "--world");
	else
		import_machine(im, product_of(settings_number(j, "num_nodes", 1), settings_number(j,
		    "num_gpus", 8)), settings_number(j, "num_nodes", 1), 0, "num_gpus");
}

/* Flags of before April 2026 (OpenRLHF v0.9.9 and older, openrlhf/cli), and what they became. */
static const char renamed[] =
    "pretrain=actor.model_name_or_path|reward_pretrain=reward.model_name_or_path|"
    "zero_stage=ds.zero_stage|param_dtype=ds.param_dtype|adam_offload=ds.adam_offload|"
    "ds_tensor_parallel_size=ds.tensor_parallel_size|ring_attn_size=ds.ring_attn_size|"
    "packing_samples=ds.packing_samples|use_liger_kernel=ds.use_liger_kernel|"
    "grad_accum_dtype=ds.grad_accum_dtype|deepspeed_enable_sleep=ds.enable_sleep|"
    "load_in_4bit=ds.load_in_4bit|lora_rank=ds.lora.rank|lora_dropout=ds.lora.dropout|"
    "target_modules=ds.lora.target_modules|micro_train_batch_size=train.micro_batch_size|"
    "train_batch_size=train.batch_size|colocate_all_models=train.colocate_all|"
    "async_train=train.async_enable|async_queue_size=train.async_queue_size|max_len=data.max_len|"
    "rollout_batch_size=rollout.batch_size|n_samples_per_prompt=rollout.n_samples_per_prompt|"
    "micro_rollout_batch_size=rollout.micro_batch_size|generate_max_len=rollout.max_new_tokens|"
    "actor_num_nodes=actor.num_nodes|actor_num_gpus_per_node=actor.num_gpus_per_node|"
    "vllm_num_engines=vllm.num_engines|vllm_tensor_parallel_size=vllm.tensor_parallel_size|"
    "vllm_gpu_memory_utilization=vllm.gpu_memory_utilization|vllm_enable_sleep=vllm.enable_sleep|"
    "ref_reward_offload=ref.offload|advantage_estimator=algo.advantage.estimator|"
    "init_kl_coef=algo.kl.init_coef";

/* Prompts and responses had limits of their own, and a micro-batch more samples where none was said. */
static void
put_points(struct jsonin *j, bool rollouts)
{
	static const char limit[] = "generate_max_len", micro[] = "micro_train_batch_size";

	if (!jsonin_has(j, "zero_stage") && !jsonin_has(j, "pretrain"))
		return;
	if (!jsonin_has(j, micro))
		jsonin_put(j->root, micro, json_integer(rollouts ? 4 : 8));
	if (rollouts && !jsonin_has(j, limit))
		jsonin_put(j->root, limit, json_integer(1024));
	if (rollouts && !jsonin_has(j, "max_len"))
		jsonin_put(j->root, "max_len",
		    json_integer(settings_number(j, "prompt_max_len", 1024) + settings_number(j, limit, 1024)));
	settings_rename(j, renamed);
	settings_rename(j, rollouts ? "gradient_checkpointing=actor.gradient_checkpointing_enable" :
	    "gradient_checkpointing=model.gradient_checkpointing_enable");
}

void
openrlhf_read(struct import *im)
{
	struct jsonin j;

	if (words_read(&j, im, PROGRAM, false)) {
		const bool rollouts = strstr(im->text, PROGRAM "ppo_ray") != NULL;

		put_points(&j, rollouts);
		import_assume(im, FIELD_LAYOUT, "deepspeed", "OpenRLHF trains with DeepSpeed");
		settings_checkpoint(im, &j, "actor.model_name_or_path model.model_name_or_path");
		if (rollouts) /* micro-batches that are evaluated are others than those that are trained on, which win */
			settings_take(im, &j, openrlhf_rollouts, "OpenRLHF");
		settings_take(im, &j, openrlhf_keys, "OpenRLHF");
		take_adapters(im, &j);
		if (rollouts) {
			take_algorithm(im, &j);
			settings_lengths(im, "data.max_len has room for both");
			take_pools(im, &j);
		} else {
			take_pairs(im, &j);
		}
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
