/*
 * easyr1.c - EasyR1's configuration, in YAML or as overrides in a shell script (hiyouga/EasyR1 examples/config.yaml;
 * defaults of verl/trainer/config.py and verl/workers, what a batch counts of verl/workers/fsdp_workers.py: 2026-07).
 */
#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

#define ACTOR "worker.actor."
#define ROLLOUT "worker.rollout."

static const struct settings_key keys[] = {
	{ "data.rollout_batch_size", FIELD_RL_PROMPTS, NULL, "512" },
	{ "data.max_response_length", FIELD_RL_RESPONSE_LIMIT, NULL, "512" },
	{ ROLLOUT "n", FIELD_RL_RESPONSES, NULL, "1" },
	{ ROLLOUT "name", FIELD_ENGINE, "vllm=vllm", "vllm" },
	{ ROLLOUT "tensor_parallel_size", FIELD_ROLLOUT_TP, NULL, "2" },
	{ ROLLOUT "gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.6" },
	{ ROLLOUT "max_num_batched_tokens", FIELD_MAX_BATCHED_TOKENS, NULL, "8192" },
	{ ROLLOUT "enforce_eager", FIELD_EAGER, NULL, "false" },
	{ ACTOR "micro_batch_size_per_device_for_update", FIELD_MICRO_BATCH_SIZE, NULL, "4" },
	{ ACTOR "padding_free", FIELD_PACKING, NULL, "true" },
	{ ACTOR "ulysses_size", FIELD_CP, NULL, "1" },
	{ ACTOR "use_torch_compile", FIELD_TORCH_COMPILE, NULL, NULL },
	{ ACTOR "model.enable_gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "full" },
	{ ACTOR "fsdp.mp_param_dtype", FIELD_PRECISION, "bf16=bf16|fp16=fp16|fp32=fp32", "bf16" },
	{ ACTOR "fsdp.torch_dtype", FIELD_ADAPTER_DTYPE, "bf16=bf16|fp32=fp32", "fp32" },
	{ ACTOR "fsdp.enable_full_shard", FIELD_ZERO_STAGE, "true=3|false=2", "3" },
	{ ACTOR "fsdp.enable_cpu_offload", FIELD_OFFLOAD, "true=optimizer+params|false=none", NULL },
	{ ACTOR "optim.strategy", FIELD_MOMENTS_DTYPE, "adamw=fp32|adamw_bf16=bf16", NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
};

/* Mini-batches count prompts. */
static void
take_batch(struct import *im, const struct jsonin *j)
{
	static const char prompt[] = "data.max_prompt_length", mini[] = ACTOR "global_batch_size";

	settings_set(im, j, FIELD_SEQUENCE_LENGTH, settings_number(j, prompt, 512) + im->plan->rl.response_limit, prompt);
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, product_of(im->plan->rl.responses, settings_number(j, mini, 256)), mini);
	settings_lengths(im, "data.max_prompt_length and data.max_response_length");
}

static void
take_algorithm(struct import *im, const struct jsonin *j)
{
	static const char estimator[] = "algorithm.adv_estimator", without[] = "algorithm.disable_kl";
	const bool ppo = settings_is(j, estimator, "gae");

	settings_say(im, j, FIELD_RL_ALGORITHM, ppo ? "ppo" : "grpo", estimator);
	if (jsonin_has(j, estimator) && !ppo && !settings_is(j, estimator, "grpo"))
		import_ignore(im, estimator, "a plan has no such estimator: without a critic, as grpo");
	settings_say(im, j, FIELD_RL_REFERENCE, settings_on(j, without) ? "false" : "true", without);
}

static void
take_adapters(struct import *im, const struct jsonin *j)
{
	static const struct tuner names = { .targets = ACTOR "model.lora.target_modules", .linear = "all-linear",
		.usual = "all-linear" };
	static const char rank[] = ACTOR "model.lora.rank";

	if (settings_number(j, rank, 0) <= 0)
		return;
	import_set(im, FIELD_FINETUNE, "lora", rank);
	settings_set(im, j, FIELD_ADAPTER_RANK, settings_number(j, rank, 0), rank);
	tuning_take_targets(im, j, &names);
}

/* All share the trainer's GPUs: what of its state leaves them for the rollouts, while the engine sleeps for the rest. */
static void
take_machine(struct import *im, const struct jsonin *j)
{
	static const char states[] = ACTOR "offload.offload_optimizer", parameters[] = ACTOR "offload.offload_params";
	const bool all = settings_on(j, "worker.ref.fsdp.enable_cpu_offload") || settings_on(j, "worker.ref.offload.offload_params");
	const int64_t nodes = settings_number(j, "trainer.nnodes", 1), gpus = settings_number(j, "trainer.n_gpus_per_node", 8);
	const int64_t world = product_of(nodes, gpus), size = settings_number(j, ACTOR "fsdp.fsdp_size", -1);

	settings_machine(im, nodes, gpus, 0, "trainer.nnodes and trainer.n_gpus_per_node");
	if (size > 0 && size < world && world % size == 0)
		settings_set(im, j, FIELD_DP_REPLICATE, world / size, ACTOR "fsdp.fsdp_size");
	if (settings_on(j, parameters))
		settings_say(im, j, FIELD_RL_OFFLOAD, all ? "all" : "optimizer+params", parameters);
	else
		settings_say(im, j, FIELD_RL_OFFLOAD, settings_on(j, states) ? "optimizer" : "none", states);
	import_assume(im, FIELD_ENGINE_SLEEP, "1", "EasyR1's engine releases its memory while the trainer works");
}

void
easyr1_read(struct import *im)
{
	struct jsonin j;

	if (settings_read(&j, im, NULL)) {
		import_assume(im, FIELD_LAYOUT, "torchtitan", "FSDP, as EasyR1's workers have it");
		settings_checkpoint(im, &j, ACTOR "model.model_path");
		settings_take(im, &j, keys, "EasyR1");
		take_algorithm(im, &j);
		take_batch(im, &j);
		take_adapters(im, &j);
		take_machine(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
