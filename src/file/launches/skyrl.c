/*
 * skyrl.c - overrides of SkyRL's configuration in a shell script (NovaSky-AI/SkyRL skyrl/train/config/config.py, defaults;
 * skyrl/train/utils/utils.py, of batches: 2026-08).
 */
#include <jansson.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/words.h"

#define POLICY "trainer.policy."
#define MEGATRON POLICY "megatron_config."
#define ENGINE "generator.inference_engine."
#define PLACEMENT "trainer.placement."

static const struct settings_key keys[] = {
	{ "generator.sampling_params.max_generate_length", FIELD_RL_RESPONSE_LIMIT, NULL, "1024" },
	{ "generator.n_samples_per_prompt", FIELD_RL_RESPONSES, NULL, "5" },
	{ ENGINE "backend", FIELD_ENGINE, "vllm=vllm|sglang=sglang", "vllm" },
	{ ENGINE "gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.8" },
	{ ENGINE "enforce_eager", FIELD_EAGER, NULL, "false" },
	{ ENGINE "max_num_seqs", FIELD_MAX_NUM_SEQS, NULL, "1024" },
	{ ENGINE "max_num_batched_tokens", FIELD_MAX_BATCHED_TOKENS, NULL, "8192" },
	{ "trainer.remove_microbatch_padding", FIELD_PACKING, NULL, "true" },
	{ "trainer.micro_train_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, NULL, "1" },
	{ "trainer.gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "full" },
	{ "trainer.bf16", FIELD_PRECISION, "true=bf16|false=fp32", "bf16" },
	{ NULL, FIELD_NONE, NULL, NULL }
}, sharded_keys[] = {
	{ POLICY "sequence_parallel_size", FIELD_CP, NULL, "1" },
	{ POLICY "fsdp_config.reshard_after_forward", FIELD_ZERO_STAGE, "true=3|false=2", "3" },
	{ POLICY "fsdp_config.cpu_offload", FIELD_OFFLOAD, "true=optimizer+params|false=none", NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
}, megatron_keys[] = {
	{ MEGATRON "tensor_model_parallel_size", FIELD_TP, NULL, "1" },
	{ MEGATRON "pipeline_model_parallel_size", FIELD_PP, NULL, "1" },
	{ MEGATRON "context_parallel_size", FIELD_CP, NULL, "1" },
	{ MEGATRON "expert_model_parallel_size", FIELD_EP, NULL, "1" },
	{ MEGATRON "expert_tensor_parallel_size", FIELD_ETP, NULL, NULL },
	{ MEGATRON "optimizer_config_kwargs.optimizer_cpu_offload", FIELD_OFFLOAD, "true=optimizer|false=none", NULL },
	{ MEGATRON "optimizer_config_kwargs.use_precision_aware_optimizer", FIELD_PRECISION_AWARE_OPTIMIZER, NULL, NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
};

/* Names of engines until 2026. */
static void
newer_names(struct jsonin *j)
{
	static const struct {
		const char *older, *newer;
	} names[] = {
		{ "num_inference_engines", ENGINE "num_engines" },
		{ "inference_engine_tensor_parallel_size", ENGINE "tensor_parallel_size" },
		{ "inference_engine_pipeline_parallel_size", ENGINE "pipeline_parallel_size" },
		{ "inference_engine_data_parallel_size", ENGINE "data_parallel_size" },
		{ "backend", ENGINE "backend" }, { "gpu_memory_utilization", ENGINE "gpu_memory_utilization" },
		{ "enforce_eager", ENGINE "enforce_eager" }, { "max_num_seqs", ENGINE "max_num_seqs" },
		{ "max_num_batched_tokens", ENGINE "max_num_batched_tokens" },
	};
	json_t *generator = json_object_get(j->root, "generator"), *value;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if ((value = json_object_get(generator, names[i].older)) != NULL) {
			jsonin_put(j->root, names[i].newer, json_incref(value));
			json_object_del(generator, names[i].older);
		}
}

static void
take_algorithm(struct import *im, const struct jsonin *j)
{
	static const char estimator[] = "trainer.algorithm.advantage_estimator", loss[] = "trainer.algorithm.use_kl_loss";
	const bool ppo = settings_is(j, estimator, "gae");

	settings_say(im, j, FIELD_RL_ALGORITHM, ppo ? "ppo" : "grpo", estimator);
	if (jsonin_has(j, estimator) && !ppo && !settings_is(j, estimator, "grpo"))
		import_ignore(im, estimator, "a plan has no such estimator: without a critic, as grpo");
	settings_say(im, j, FIELD_RL_REFERENCE, !jsonin_has(j, loss) || settings_on(j, loss) || settings_on(j,
	    "trainer.algorithm.use_kl_in_reward") ? "true" : "false", loss);
}

/* Mini-batches count prompts. */
static void
take_batch(struct import *im, const struct jsonin *j)
{
	static const char mini[] = "trainer.policy_mini_batch_size", prompt[] = "trainer.max_prompt_length";

	settings_set(im, j, FIELD_RL_PROMPTS, settings_number(j, "trainer.train_batch_size", 1024), "trainer.train_batch_size");
	settings_set(im, j, FIELD_SEQUENCE_LENGTH, settings_number(j, prompt, 512) + im->plan->rl.response_limit, prompt);
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, product_of(im->plan->rl.responses, settings_number(j, mini, 256)), mini);
	settings_lengths(im, "trainer.max_prompt_length and max_generate_length");
}

/* Engines on the trainer's GPUs, whose state leaves these meanwhile, or on others. */
static void
take_pools(struct import *im, const struct jsonin *j)
{
	static const char together[] = PLACEMENT "colocate_all", engines[] = ENGINE "num_engines";
	const bool split = jsonin_has(j, together) && !settings_on(j, together);
	const int64_t tp = settings_number(j, ENGINE "tensor_parallel_size", 1);
	const int64_t each = product_of(tp, product_of(settings_number(j, ENGINE "pipeline_parallel_size", 1),
	    settings_number(j, ENGINE "data_parallel_size", 1)));
	const int64_t rollout = split ? product_of(settings_number(j, engines, 1), each) : 0;

	settings_machine(im, settings_number(j, PLACEMENT "policy_num_nodes", 1), settings_number(j,
	    PLACEMENT "policy_num_gpus_per_node", 1), rollout, PLACEMENT "policy_num_gpus_per_node");
	settings_set(im, j, FIELD_ROLLOUT_TP, tp, ENGINE "tensor_parallel_size");
	if (split) {
		import_set(im, FIELD_RL_PLACEMENT, "split", together);
		settings_set(im, j, FIELD_ROLLOUT_GPUS, rollout, engines);
		return;
	}
	import_assume(im, FIELD_RL_OFFLOAD, "all", "engines on the trainer's GPUs find nothing of it there");
	import_assume(im, FIELD_ENGINE_SLEEP, "2", "and release their memory");
}

void
skyrl_read(struct import *im)
{
	static const char rank[] = POLICY "model.lora.rank";
	static const struct tuner names = { .targets = POLICY "model.lora.target_modules", .linear = "all-linear",
		.usual = "all-linear" };
	struct jsonin j;

	if (words_read(&j, im, NULL, false)) {
		const bool megatron = settings_is(&j, "trainer.strategy", "megatron");

		newer_names(&j);
		import_assume(im, FIELD_LAYOUT, megatron ? "megatron" : "torchtitan", megatron ?
		    "SkyRL's workers of Megatron-LM" : "FSDP2, as SkyRL's workers have it");
		settings_checkpoint(im, &j, POLICY "model.path");
		settings_take(im, &j, keys, "SkyRL");
		settings_take(im, &j, megatron ? megatron_keys : sharded_keys, "SkyRL");
		if (megatron && im->plan->parallel.tp > 1)
			import_assume(im, FIELD_SEQUENCE_PARALLEL, "true", "SkyRL's, with TP");
		take_algorithm(im, &j);
		take_batch(im, &j);
		if (settings_number(&j, rank, 0) > 0) {
			import_set(im, FIELD_FINETUNE, "lora", rank);
			settings_set(im, &j, FIELD_ADAPTER_RANK, settings_number(&j, rank, 0), rank);
			tuning_take_targets(im, &j, &names);
		}
		take_pools(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
