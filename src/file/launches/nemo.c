#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/rl_keys.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/plan/pathname.h"
#include "file/source/named.h"

#define COLOCATED "policy.generation.colocated."

static void
take_number(struct import *im, const struct jsonin *j, enum field_id f, const char *key)
{
	int64_t n;

	if (jsonin_text(j, key) == NULL && jsonin_int(j, key, 0, INT32_MAX, &n))
		import_set_int(im, f, n, key);
}

/* Pools of their own, whose GPUs the cluster's include. */
static void
take_pools(struct import *im, const struct jsonin *j, bool ppo)
{
	const int64_t nodes = settings_number(j, COLOCATED "resources.num_nodes", 1);

	if (!jsonin_has(j, COLOCATED "enabled") || settings_on(j, COLOCATED "enabled")) {
		import_assume(im, FIELD_RL_OFFLOAD, "optimizer+params", "colocated generation finds nothing of "
		    "the trainer's on the GPU");
		import_assume(im, FIELD_ENGINE_SLEEP, "1", "vLLM sleeps at level 1");
		return;
	}
	import_set(im, FIELD_RL_PLACEMENT, "split", COLOCATED "enabled");
	settings_set(im, j, FIELD_ROLLOUT_GPUS, product_of(nodes, settings_number(j,
	    COLOCATED "resources.gpus_per_node", 0)), COLOCATED "resources");
	take_number(im, j, FIELD_STALENESS, ppo ? "ppo.async_ppo.max_trajectory_age_steps" :
	    "grpo.async_grpo.max_trajectory_age_steps");
}

/* What is trained, by the section of it, by the name of a file with the rest, which may not be
 * there, "grpo_math_1B.yaml", or by the script's program, "examples/run_dpo.py"; "" unknown. */
static const char *
kind_of(const struct jsonin *j, const char *base, const char *script)
{
	static const char *const kinds[] = { "ppo", "grpo", "dpo", "rm", "sft" };
	char program[16];

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (jsonin_has(j, kinds[i]))
			return kinds[i];
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(base, kinds[i], strlen(kinds[i])) == 0)
			return kinds[i];
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		text_put(program, sizeof program, "run_%s.py", kinds[i]);
		if (strstr(script, program) != NULL)
			return kinds[i];
	}
	return "";
}

static void
take_adapters(struct import *im, const struct jsonin *j, bool megatron)
{
	static const struct tuner mcore = { .targets = "policy.megatron_cfg.peft.target_modules",
		.usual = "all-linear", .fused = true };
	static const struct tuner dtensor = { .targets = "policy.dtensor_cfg.lora_cfg.target_modules",
		.usual = "all-linear" };
	static const struct tuner all = { .targets = "policy.dtensor_cfg.lora_cfg.match_all_linear",
		.usual = "all-linear" };
	const char *enabled = megatron ? "policy.megatron_cfg.peft.enabled" :
	    "policy.dtensor_cfg.lora_cfg.enabled";

	if (!settings_on(j, enabled))
		return;
	import_set(im, FIELD_FINETUNE, "lora", enabled);
	settings_take(im, j, megatron ? nemo_peft_keys : nemo_lora_keys, "NeMo-RL");
	tuning_take_targets(im, j, megatron ? &mcore : settings_on(j, all.targets) ? &all : &dtensor);
}

static void
take_pairs(struct import *im, const char *kind)
{
	if (!field_is_set(FIELD_FINETUNE, im->plan))
		import_set(im, FIELD_FINETUNE, "full", kind);
	if (text_equal(kind, "sft"))
		return;
	import_set(im, FIELD_RL_ALGORITHM, kind, kind);
	settings_lengths(im, "max_total_sequence_length has room for both");
}

static void
take_rollouts(struct import *im, const struct jsonin *j, const char *kind)
{
	const bool ppo = text_equal(kind, "ppo");

	import_set(im, FIELD_RL_ALGORITHM, kind, kind);
	take_number(im, j, FIELD_RL_PROMPTS, ppo ? "ppo.num_prompts_per_step" :
	    "grpo.num_prompts_per_step");
	take_number(im, j, FIELD_RL_RESPONSES, ppo ? "ppo.num_generations_per_prompt" :
	    "grpo.num_generations_per_prompt");
	take_number(im, j, FIELD_ROLLOUT_TP, "policy.generation.vllm_cfg.tensor_parallel_size");
	settings_take(im, j, nemo_generation_keys, "NeMo-RL");
	import_set(im, FIELD_ENGINE_LOGPROBS, "true", "policy.generation");
	if (settings_on(j, "grpo.skip_reference_policy_logprobs_calculation"))
		import_set(im, FIELD_RL_REFERENCE, "false",
		    "grpo.skip_reference_policy_logprobs_calculation");
	if (settings_on(j, "loss_fn.force_on_policy_ratio"))
		import_set(im, FIELD_RL_OLD_LOGPROB, "false", "loss_fn.force_on_policy_ratio");
	settings_lengths(im, "max_total_sequence_length has room for both");
	take_pools(im, j, ppo);
}

void
nemo_read(struct import *im)
{
	struct jsonin j;

	if (settings_read(&j, im, NULL)) {
		static const char distillation[] = "distillation";
		const char *kind, *granularity;
		char base[96];
		bool megatron;

		static const char *const below[] = { "defaults", "config" };

		text_put(base, sizeof base, "%s", "");
		for (size_t i = 0; i < sizeof below / sizeof *below && base[0] == '\0'; i++)
			if (jsonin_text(&j, below[i]) != NULL)
				text_put(base, sizeof base, "%s", pathname_last(jsonin_text(&j, below[i])));
		named_inherit(im, &j);
		kind = kind_of(&j, base, im->text);
		megatron = settings_on(&j, "policy.megatron_cfg.enabled");
		granularity = jsonin_text(&j, "policy.megatron_cfg.recompute_granularity");

		import_assume(im, FIELD_LAYOUT, megatron ? "megatron" : "torchtitan", megatron ?
		    "policy.megatron_cfg.enabled" : "FSDP2 of policy.dtensor_cfg");
		if (!megatron)
			import_assume(im, FIELD_ZERO_STAGE, "3", "FSDP2 of policy.dtensor_cfg");
		settings_checkpoint(im, &j, "policy.model_name");
		settings_take(im, &j, nemo_keys, "NeMo-RL");
		settings_take(im, &j, megatron ? nemo_megatron_keys : nemo_dtensor_keys, "NeMo-RL");
		if (settings_on(&j, "policy.megatron_cfg.activation_checkpointing") && granularity != NULL &&
		    text_equal(granularity, "selective"))
			import_set(im, FIELD_RECOMPUTE, granularity, "policy.megatron_cfg.recompute_granularity");
		take_adapters(im, &j, megatron);
		if (text_equal(kind, "ppo") || text_equal(kind, "grpo"))
			take_rollouts(im, &j, kind);
		else if (kind[0] != '\0')
			take_pairs(im, kind);
		else if (jsonin_has(&j, distillation)) {
			if (!field_is_set(FIELD_FINETUNE, im->plan))
				import_set(im, FIELD_FINETUNE, "full", distillation);
			import_ignore(im, distillation, "planned as fine-tuning; left out: the teacher, and rollouts");
		}
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
