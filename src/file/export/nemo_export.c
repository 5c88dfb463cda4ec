#include "core/model/adapters.h"
#include "file/export/rl_parts.h"
#include "file/export/writers.h"
#include "file/launches/rl_keys.h"
#include "file/launches/tuning_keys.h"

#define CONFIG "NVIDIA-NeMo/RL examples/configs"
#define GRPO "NVIDIA-NeMo/RL nemo_rl/algorithms/grpo.py"

static const char *
kind_of(const struct plan *p)
{
	switch (p->rl.algorithm) {
	case RL_PPO:
		return "ppo";
	case RL_DPO:
		return "dpo";
	case RL_REWARD_MODEL:
		return "rm";
	default:
		return "grpo";
	}
}

static void
put_adapters(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const unsigned targets = adapters_targets(p);
	const bool mg = rl_with_megatron(p);
	char names[TUNING_NAMES_SIZE];

	if (!adapters_only(p))
		return;
	if (p->finetune.quantization != QUANT_NONE)
		rl_refuse(e, FIELD_QUANTIZATION, CONFIG, "its policy has no quantised weights");
	if (p->finetune.method == FINETUNE_DORA)
		rl_refuse(e, FIELD_FINETUNE, CONFIG, "its policy has LoRA alone");
	tree_bool(t, TEXT_OF(64, "policy.%s.enabled", mg ? "megatron_cfg.peft" : "dtensor_cfg.lora_cfg"), true);
	export_rows(e, t, mg ? nemo_peft_keys : nemo_lora_keys);
	if (!mg)
		tree_bool(t, "policy.dtensor_cfg.lora_cfg.match_all_linear", tuning_is_linear(targets));
	if (mg || !tuning_is_linear(targets))
		tree_list(t, TEXT_OF(64, "policy.%s.target_modules", mg ? "megatron_cfg.peft" :
		    "dtensor_cfg.lora_cfg"), tuning_names(names, p, targets, mg));
}

static void
put_trainer(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;

	export_rows(e, t, nemo_keys);
	tree_bool(t, "policy.dtensor_cfg.enabled", !rl_with_megatron(p));
	tree_bool(t, "policy.megatron_cfg.enabled", rl_with_megatron(p));
	if (rl_with_megatron(p)) {
		export_rows(e, t, nemo_megatron_keys);
		if (p->training.recompute == RECOMPUTE_SELECTIVE) {
			tree_text(t, "policy.megatron_cfg.recompute_granularity", "selective");
			tree_list(t, "policy.megatron_cfg.recompute_modules", p->training.recompute_modules);
		}
		export_refuse_above_one(e, FIELD_VPP, CONFIG, "a stage has one chunk");
		return;
	}
	export_rows(e, t, nemo_dtensor_keys);
	export_refuse_above_one(e, FIELD_PP, CONFIG, "DTensor has no pipeline");
	export_refuse_above_one(e, FIELD_EP, CONFIG, "DTensor has no expert parallelism");
	if (p->parallel.zero_stage != 3)
		rl_refuse(e, FIELD_ZERO_STAGE, "NVIDIA-NeMo/RL nemo_rl/models/policy",
		    "DTensor shards with FSDP2: ZeRO stage 3");
}

static void
put_algorithm(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const char *kind = kind_of(p);

	tree_int(t, TEXT_OF(64, "%s.num_prompts_per_step", kind), p->rl.prompts);
	tree_int(t, TEXT_OF(64, "%s.num_generations_per_prompt", kind), p->rl.responses);
	if (!rl_has_reference(p)) {
		tree_real(t, "loss_fn.reference_policy_kl_penalty", 0);
		tree_bool(t, TEXT_OF(64, "%s.skip_reference_policy_logprobs_calculation", kind), true);
	}
	field_set_add(&e->outside, FIELD_ENGINE_LOGPROBS); /* always */
	if (p->rl.algorithm == RL_DAPO)
		notes_add(&e->missing, "dapo: use_dynamic_sampling, ratio_clip_max and reward_shaping are "
		    "yours to set");
	if (!p->rl.old_logprob && p->training.global_batch_size != p->rl.prompts * p->rl.responses)
		rl_refuse(e, FIELD_RL_OLD_LOGPROB, GRPO,
		    "force_on_policy_ratio takes one update of all responses");
	else if (!p->rl.old_logprob)
		tree_bool(t, "loss_fn.force_on_policy_ratio", true);
	if (p->rl.reward_preset[0] != '\0')
		rl_refuse(e, FIELD_REWARD_PRESET, GRPO, "its reward model has GPUs of its own");
	if (p->rl.algorithm == RL_PPO)
		notes_add(&e->missing, "sizes of the critic (value.*) are those of the base configuration");
}

static void
put_generation(struct export *e, struct tree *t, const struct rl_pools *pools)
{
	const struct plan *p = e->plan;
	const bool stale = p->rl.staleness > 0;

	export_rows(e, t, nemo_generation_keys);
	tree_int(t, "policy.generation.vllm_cfg.tensor_parallel_size", pools->engine_gpus);
	tree_bool(t, "policy.generation.colocated.enabled", !pools->split);
	if (!pools->split) {
		if (p->rl.engine_sleep != 1)
			export_missing(e, FIELD_ENGINE_SLEEP, "vLLM sleeps at level 1");
		if (p->rl.offload != RL_OFFLOAD_PARAMS)
			export_missing(e, FIELD_RL_OFFLOAD, "colocated generation finds nothing of the trainer's "
			    "on the GPU");
		return;
	}
	tree_int(t, "policy.generation.colocated.resources.num_nodes", pools->rollout_nodes);
	tree_int(t, "policy.generation.colocated.resources.gpus_per_node", pools->rollout_gpus);
	if (!stale)
		return;
	tree_bool(t, "policy.generation.vllm_cfg.async_engine", true);
	tree_bool(t, "loss_fn.use_importance_sampling_correction", true);
	tree_bool(t, p->rl.algorithm == RL_PPO ? "ppo.async_ppo.enabled" : "grpo.async_grpo.enabled",
	    true);
	tree_int(t, p->rl.algorithm == RL_PPO ? "ppo.async_ppo.max_trajectory_age_steps" :
	    "grpo.async_grpo.max_trajectory_age_steps", p->rl.staleness);
}

void
nemo_rl_write(struct export *e)
{
	const struct plan *p = e->plan;
	struct rl_pools pools;
	struct tree t = { 0 };
	struct textbuf *out;
	char base[64];

	if (!rl_pools_of(&pools, e))
		return;
	/* what a file leaves out comes from the one that it names */
	text_put(base, sizeof base, "examples/configs/%s%s%s.yaml", kind_of(p), plan_has_rollouts(p) ?
	    "_math_1B" : "", plan_has_rollouts(p) && rl_with_megatron(p) ? "_megatron" : "");
	tree_text(&t, "defaults", base);
	if (plan_has_rollouts(p))
		put_algorithm(e, &t);
	put_trainer(e, &t);
	put_adapters(e, &t);
	if (plan_has_rollouts(p))
		put_generation(e, &t, &pools);
	text_put(e->rehearsal, sizeof e->rehearsal, "%s.max_num_steps=" EXPORT_REHEARSAL, kind_of(p));
	notes_add(&e->missing, "data, environment and learning rate are those of the base configuration");
	notes_add(&e->missing, "run it where NeMo-RL is, with nemo-rl.yaml beside examples");
	export_missing(e, FIELD_CP_COMM, "the engine chooses");
	rl_say(e);
	out = export_begin(e, "nemo-rl.yaml");
	export_head(e, out, "# ");
	tree_yaml(&t, out);
	tree_end(&t);
	out = export_begin(e, "nemo-rl.sh");
	textbuf_add(out, "#!/bin/sh\n");
	export_head(e, out, "# ");
	export_put_model(e, out);
	export_put_network(out, p, p->cluster.nodes);
	textbuf_add(out, "exec uv run examples/run_%s.py --config nemo-rl.yaml \\\n"
	    "\tpolicy.model_name=\"$MODEL\" \"$@\"\n", kind_of(p));
}
