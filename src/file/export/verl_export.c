#include "core/model/adapters.h"
#include "core/plan/field.h"
#include "file/export/rl_parts.h"
#include "file/export/writers.h"
#include "file/launches/rl_keys.h"
#include "file/launches/tuning_keys.h"

#define CONFIG "verl verl/trainer/config"
#define ACTOR VERL_ACTOR
#define ROLLOUT VERL_ROLLOUT
#define REF VERL_REF

static void
put_recompute(struct tree *t, const struct plan *p)
{
	const char *all = ACTOR "megatron.override_transformer_config.recompute_modules";

	if (p->training.recompute == RECOMPUTE_SELECTIVE)
		tree_list(t, all, p->training.recompute_modules);
	if (p->training.recompute != RECOMPUTE_FULL)
		return;
	tree_text(t, ACTOR "megatron.override_transformer_config.recompute_method",
	    FIELD_SHOWN(FIELD_RECOMPUTE_METHOD, p));
	tree_int(t, ACTOR "megatron.override_transformer_config.recompute_num_layers",
	    p->training.recompute_layers);
}

/* Megatron-LM's own optimizer on the CPU, which verl hands through. */
static void
put_cpu_optimizer(struct export *e, struct tree *t)
{
	tree_bool(t, "+" ACTOR "optim.override_optimizer_config.optimizer_cpu_offload", true);
	tree_int(t, "+" ACTOR "optim.override_optimizer_config.optimizer_offload_fraction", 1);
	tree_bool(t, "+" ACTOR "optim.override_optimizer_config.use_precision_aware_optimizer", true);
	EXPORT_SAY(e, FIELD_PRECISION_AWARE_OPTIMIZER);
}

static void
put_trainer(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);

	if (rl_has_reference(p))
		tree_bool(t, rl_with_megatron(p) ? REF "megatron.param_offload" :
		    REF "fsdp_config.param_offload", p->rl.offload == RL_OFFLOAD_ALL);
	if (rl_with_megatron(p)) {
		if (p->rl.placement != RL_SPLIT) /* else it has a configuration of its own */
			tree_text(t, "model_engine", "megatron");
		export_rows(e, t, verl_megatron_keys);
		put_recompute(t, p);
		if (p->parallel.offload == OFFLOAD_OPTIMIZER)
			put_cpu_optimizer(e, t);
		else if (p->parallel.offload != OFFLOAD_NONE)
			rl_refuse(e, FIELD_OFFLOAD, CONFIG, "Megatron keeps parameters on the GPU while it trains");
		return;
	}
	tree_text(t, ACTOR "strategy", "fsdp2");
	export_rows(e, t, verl_fsdp_keys);
	export_away(e, t, "verl", &verl_away);
	export_tiles(e, t, "actor_rollout_ref.model.tiled_mlp.enabled", "actor_rollout_ref.model.tiled_mlp.num_shards");
	EXPORT_SAY(e, FIELD_DP_REPLICATE);
	if (p->parallel.dp_replicate > 1)
		tree_int(t, ACTOR "fsdp_config.fsdp_size", s.dp / p->parallel.dp_replicate);
	export_refuse_above_one(e, FIELD_TP, CONFIG "/engine/fsdp.yaml", "FSDP workers have no TP");
	export_refuse_above_one(e, FIELD_PP, CONFIG "/engine/fsdp.yaml", "FSDP workers have no pipeline");
	export_refuse_above_one(e, FIELD_EP, CONFIG "/engine/fsdp.yaml",
	    "FSDP workers have no expert parallelism");
}

static void
put_adapters(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const unsigned targets = adapters_targets(p);
	const bool mg = rl_with_megatron(p), dora = p->finetune.method == FINETUNE_DORA;
	char names[TUNING_NAMES_SIZE];

	if (!adapters_only(p))
		return;
	if (p->finetune.quantization != QUANT_NONE)
		rl_refuse(e, FIELD_QUANTIZATION, CONFIG "/model/hf_model.yaml",
		    "verl's actor has no quantised weights");
	if (dora && !mg)
		rl_refuse(e, FIELD_FINETUNE, CONFIG "/model/hf_model.yaml", "FSDP workers have LoRA alone");
	EXPORT_SAY(e, FIELD_ADAPTER_RANK);
	tree_int(t, mg ? "actor_rollout_ref.model.lora.rank" : "actor_rollout_ref.model.lora_rank",
	    p->finetune.rank);
	if (mg)
		tree_text(t, "actor_rollout_ref.model.lora.type", dora ? "dora" : "lora");
	if (!mg && tuning_is_linear(targets))
		tree_text(t, "actor_rollout_ref.model.target_modules", "all-linear");
	else
		tree_list(t, mg ? "actor_rollout_ref.model.lora.target_modules" :
		    "actor_rollout_ref.model.target_modules", tuning_names(names, p, targets, mg));
	tree_text(t, ROLLOUT "load_format", "safetensors");
}

/* Pools of their own that do not wait for one another: rollouts have no end, and no batch. */
PLAN_IF(is_endless, p->rl.placement == RL_SPLIT && p->rl.staleness > 1)

/* Batches count prompts here. */
static void
put_batch(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;

	if (p->training.global_batch_size % p->rl.responses != 0)
		rl_refuse(e, FIELD_GLOBAL_BATCH_SIZE, "verl verl/workers/config/actor.py",
		    "ppo_mini_batch_size counts prompts: a multiple of rl.responses");
	tree_int(t, "data.max_prompt_length", p->training.sequence_length - p->rl.response_limit);
	tree_int(t, "data.train_batch_size", is_endless(p) ? 0 : p->rl.prompts);
	export_rows(e, t, verl_keys);
	tree_int(t, ACTOR "ppo_mini_batch_size", p->training.global_batch_size / p->rl.responses);
}

static void
put_algorithm(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const bool ppo = p->rl.algorithm == RL_PPO, reference = rl_has_reference(p);

	tree_text(t, "algorithm.adv_estimator", ppo ? "gae" : "grpo");
	tree_bool(t, ACTOR "use_kl_loss", reference && !ppo);
	tree_bool(t, "algorithm.use_kl_in_reward", reference && ppo);
	if (!p->rl.old_logprob)
		tree_bool(t, "algorithm.rollout_correction.bypass_mode", true);
	if (!p->rl.old_logprob || p->rl.engine_logprobs || is_endless(p))
		tree_bool(t, ROLLOUT "calculate_log_probs", true);
	if (p->rl.algorithm == RL_DAPO)
		notes_add(&e->missing, "dapo: reward.reward_manager, clip_ratio_high and filter_groups are "
		    "yours to set");
	if (ppo) {
		tree_int(t, "critic.ppo_micro_batch_size_per_gpu", p->training.micro_batch_size);
		if (!rl_with_megatron(p))
			tree_bool(t, "critic.model.enable_gradient_checkpointing",
			    p->training.recompute == RECOMPUTE_FULL);
	}
	if (p->rl.reward_preset[0] != '\0')
		tree_bool(t, "reward.reward_model.enable", true);
}

/* verl/experimental: pools of their own run one step off, or asynchronously. */
static void
put_pools(struct export *e, struct tree *t, const struct rl_pools *pools)
{
	const struct plan *p = e->plan;

	tree_int(t, "trainer.nnodes", pools->nodes);
	tree_int(t, "trainer.n_gpus_per_node", pools->gpus);
	tree_int(t, ROLLOUT "tensor_model_parallel_size", pools->engine_gpus);
	if (!pools->split) {
		tree_bool(t, ROLLOUT "free_cache_engine", p->rl.engine_sleep > 0);
		/* vllm_async_server.py, _resolve_sleep_level */
		if (p->rl.engine_sleep == 1 && !adapters_only(p))
			export_missing(e, FIELD_ENGINE_SLEEP, "verl drops the weights of a sleeping engine");
		else if (p->rl.engine_sleep == 2 && adapters_only(p))
			notes_add(&e->missing, "not said: rl.engine_sleep = 2: verl keeps what is below adapters (1)");
		return;
	}
	tree_bool(t, "actor_rollout_ref.hybrid_engine", false);
	tree_int(t, "rollout.nnodes", pools->rollout_nodes);
	tree_int(t, "rollout.n_gpus_per_node", pools->rollout_gpus);
	if (p->rl.staleness == 0)
		rl_refuse(e, FIELD_STALENESS, "verl verl/experimental/one_step_off_policy",
		    "pools of their own do not take turns: 1 is one step off");
	if (is_endless(p)) {
		tree_int(t, "data.gen_batch_size", 1);
		tree_int(t, "async_training.staleness_threshold", p->rl.staleness);
		tree_int(t, "async_training.require_batches", 1);
		tree_int(t, "async_training.trigger_parameter_sync_step", p->rl.prompts * p->rl.responses /
		    p->training.global_batch_size);
	}
}

static void
put_program(struct textbuf *out, const struct plan *p, const struct rl_pools *pools)
{
	const char *engine = rl_with_megatron(p) ? "_megatron" : "";

	textbuf_add(out, "exec python3 -m ");
	if (!pools->split)
		textbuf_add(out, "verl.trainer.main_ppo");
	else if (is_endless(p))
		textbuf_add(out, "verl.experimental.fully_async_policy.fully_async_main \\\n"
		    "\t--config-path=config --config-name=fully_async_ppo%s_trainer", engine);
	else
		textbuf_add(out, "verl.experimental.one_step_off_policy.main_ppo \\\n"
		    "\t--config-path=config --config-name=one_step_off_ppo%s_trainer", engine);
	textbuf_add(out, " \\\n\tactor_rollout_ref.model.path=\"$MODEL\" ");
}

void
verl_write(struct export *e)
{
	const struct plan *p = e->plan;
	struct rl_pools pools;
	struct tree t = { 0 };
	struct textbuf *out;

	if (!rl_pools_of(&pools, e))
		return;
	put_algorithm(e, &t);
	put_batch(e, &t);
	put_trainer(e, &t);
	put_adapters(e, &t);
	put_pools(e, &t, &pools);
	notes_add(&e->missing, "data.train_files, data.val_files, learning rate and rewards are yours "
	    "to add");
	export_missing(e, FIELD_KV_DTYPE, ROLLOUT "engine_kwargs sets it");
	export_missing(e, FIELD_WEIGHT_DTYPE, ROLLOUT "quantization sets it");
	export_missing(e, FIELD_CP_COMM, "the engine chooses");
	out = rl_begin_script(e, "verl.sh", NULL, &t, WORDS_OVERRIDES);
	put_program(out, p, &pools);
	if (p->rl.algorithm == RL_PPO)
		textbuf_add(out, "critic.model.path=\"$CRITIC\" ");
	if (p->rl.reward_preset[0] != '\0')
		textbuf_add(out, "reward.reward_model.model_path=\"$REWARD\" \\\n"
		    "\treward.reward_model.rollout.name=vllm ");
	textbuf_add(out, "\"${args[@]}\" \"$@\"\n");
}
