/*
 * open_instruct.c - open-instruct's training on rollouts, by DeepSpeed or with FSDP as OLMo-core has it, in a shell script
 * (allenai/open-instruct open_instruct/grpo_utils.py and data_loader.py, defaults; grpo_fast.py, who has which GPUs: 2026-08).
 */
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/source/words.h"

static const struct settings_key keys[] = {
	{ "num_unique_prompts_rollout", FIELD_RL_PROMPTS, NULL, "16" },
	{ "num_samples_per_prompt_rollout", FIELD_RL_RESPONSES, NULL, "4" },
	{ "response_length", FIELD_RL_RESPONSE_LIMIT, NULL, "256" },
	{ "vllm_tensor_parallel_size", FIELD_ROLLOUT_TP, NULL, "1" },
	{ "vllm_gpu_memory_utilization", FIELD_GPU_MEMORY_UTILIZATION, NULL, "0.9" },
	{ "vllm_enforce_eager", FIELD_EAGER, NULL, NULL },
	{ "sequence_parallel_size", FIELD_CP, NULL, "1" },
	{ "model_dtype", FIELD_PRECISION, "bfloat16=bf16|float32=fp32", "bf16" },
	{ "gradient_checkpointing", FIELD_RECOMPUTE, "true=full|false=none", "none" },
	{ NULL, FIELD_NONE, NULL, NULL }
};

/* grpo.py is OLMo-core's, which shards all; grpo_fast.py DeepSpeed's. */
static void
take_framework(struct import *im, const struct jsonin *j)
{
	const bool core = strstr(im->text, "open_instruct/grpo.py") != NULL;
	const int64_t copies = settings_number(j, "fsdp_num_replicas", 1);

	import_assume(im, FIELD_LAYOUT, core ? "torchtitan" : "deepspeed", core ? "FSDP, as OLMo-core has it" :
	    "open-instruct trains with DeepSpeed");
	if (core)
		import_assume(im, FIELD_ZERO_STAGE, "3", "FSDP shards all");
	else
		settings_set(im, j, FIELD_ZERO_STAGE, settings_number(j, "deepspeed_stage", 0), "deepspeed_stage");
	if (core && copies > 1)
		settings_set(im, j, FIELD_DP_REPLICATE, copies, "fsdp_num_replicas");
	if (settings_on(j, "deepspeed_offload_optimizer"))
		import_set(im, FIELD_OFFLOAD, settings_on(j, "deepspeed_offload_param") ? "optimizer+params" : "optimizer",
		    "deepspeed_offload_optimizer");
}

/* GPUs that train: so many on each node, or on the first of them, the second, ... */
static int64_t
learners(const struct jsonin *j)
{
	static const char key[] = "num_learners_per_node";
	char path[64];
	int64_t sum = 0;

	for (size_t i = 0; text_put(path, sizeof path, "%s.%zu", key, i), jsonin_has(j, path); i++)
		sum += settings_number(j, path, 0);
	return sum > 0 ? sum : settings_number(j, key, 1);
}

/* Engines have GPUs of their own, unless all is on one. */
static int64_t
take_pools(struct import *im, const struct jsonin *j)
{
	const int64_t gpus = learners(j), node = settings_number(j, WORDS_PROCESSES, 0);
	const bool split = !settings_on(j, "single_gpu_mode");
	const int64_t rollout = split ? product_of(settings_number(j, "vllm_num_engines", 1), im->plan->rl.rollout_tp) : 0;
	const int64_t world = gpus + rollout;

	import_machine(im, world, 0, node > 0 && world % node == 0 ? node : 0, "num_learners_per_node and vllm_num_engines");
	jsonin_has(j, WORDS_NODES);
	if (split) {
		import_set(im, FIELD_RL_PLACEMENT, "split", "vllm_num_engines");
		settings_set(im, j, FIELD_ROLLOUT_GPUS, rollout, "vllm_num_engines");
		settings_set(im, j, FIELD_STALENESS, settings_number(j, "async_steps", 8), "async_steps");
	}
	return gpus;
}

/* Responses of any length fill packs. */
static void
take_batch(struct import *im, const struct jsonin *j, int64_t gpus)
{
	static const char prompt[] = "max_prompt_token_length", minis[] = "num_mini_batches", pack[] = "pack_length";
	const struct rl *rl = &im->plan->rl;
	const int64_t all = product_of(rl->prompts, rl->responses);

	settings_set(im, j, FIELD_SEQUENCE_LENGTH, settings_number(j, prompt, 256) + rl->response_limit, prompt);
	settings_lengths(im, "max_prompt_token_length and response_length");
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, most_of(all / most_of(settings_number(j, minis, 1), 1), 1), minis);
	import_assume(im, FIELD_PACKING, "true", "open-instruct trains on sequences of any length in one row");
	settings_set(im, j, FIELD_MICRO_BATCH_SIZE, settings_fitting(im->plan, product_of(settings_number(j, pack, 512),
	    settings_number(j, "per_device_train_batch_size", 1)), gpus), pack);
}

void
open_instruct_read(struct import *im)
{
	static const char programs[] = "open_instruct/grpo|grpo_fast.py", reference[] = "load_ref_policy";
	struct jsonin j;

	if (words_read(&j, im, programs, true)) {
		take_framework(im, &j);
		settings_checkpoint(im, &j, "model_name_or_path");
		import_assume(im, FIELD_RL_ALGORITHM, "grpo", "open-instruct's");
		import_assume(im, FIELD_ENGINE, "vllm", "open-instruct generates with vLLM");
		settings_take(im, &j, keys, "open-instruct");
		settings_say(im, &j, FIELD_RL_REFERENCE, jsonin_has(&j, reference) && !settings_on(&j, reference) ? "false" : "true",
		    reference);
		take_batch(im, &j, take_pools(im, &j));
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
