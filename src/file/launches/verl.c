#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/model/adapters.h"
#include "file/launches/launches.h"
#include "file/launches/logged.h"
#include "file/launches/rl_keys.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/models/checkpoint.h"
#include "file/source/words.h"

#define ACTOR VERL_ACTOR
#define ROLLOUT VERL_ROLLOUT
#define MODEL "actor_rollout_ref.model."
#define OPTIMIZER ACTOR "optim.override_optimizer_config."
#define TRANSFORMER ACTOR "megatron.override_transformer_config."
#define RECOMPUTE TRANSFORMER "recompute_"

/* Workers of Megatron-LM have keys of their own, a model engine or a configuration. */
static bool
with_megatron(const struct import *im, const struct jsonin *j)
{
	return settings_is(j, "model_engine", "megatron") || settings_is(j, ACTOR "strategy", "megatron") ||
	    jsonin_has(j, ACTOR "megatron") || strstr(im->text, "ppo_megatron_trainer") != NULL;
}

static const char prompts[] = "data.train_batch_size";

/* Rollouts without an end have no batch. */
static bool
is_endless(const struct jsonin *j)
{
	return settings_number(j, prompts, 1) == 0;
}

/* Search-R1's rollouts.n_agent, which mini-batches do not count (PeterGriffinJin/Search-R1 verl/trainer/ppo/ray_trainer.py). */
static const char agents[] = ROLLOUT "n_agent";

/* Batches count prompts. Without an end of rollouts, weights are handed on after so many batches
 * of mini-batches (verl/experimental/fully_async_policy). */
static void
take_batch(struct import *im, const struct jsonin *j)
{
	static const char steps[] = "async_training.trigger_parameter_sync_step";
	const int64_t length = settings_number(j, "data.max_prompt_length", 512) +
	    im->plan->rl.response_limit;
	const int64_t mini = settings_number(j, ACTOR "ppo_mini_batch_size", 256);

	if (is_endless(j))
		settings_set(im, j, FIELD_RL_PROMPTS, product_of(mini, product_of(settings_number(j, steps, 4),
		    settings_number(j, "async_training.require_batches", 1))), steps);
	else
		settings_set(im, j, FIELD_RL_PROMPTS, settings_number(j, prompts, 1024), prompts);
	settings_set(im, j, FIELD_SEQUENCE_LENGTH, length, "data.max_prompt_length");
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, product_of(im->plan->rl.responses, mini),
	    ACTOR "ppo_mini_batch_size");
	if (jsonin_has(j, agents))
		settings_set(im, j, FIELD_RL_RESPONSES, product_of(im->plan->rl.responses, settings_number(j, agents, 1)), agents);
	settings_lengths(im, "data.max_prompt_length and data.max_response_length");
}

static void
take_algorithm(struct import *im, const struct jsonin *j)
{
	static const char estimator[] = "algorithm.adv_estimator";
	const bool ppo = !jsonin_has(j, estimator) || settings_is(j, estimator, "gae");
	const bool loss = settings_on(j, ACTOR "use_kl_loss"), reward = settings_on(j,
	    "algorithm.use_kl_in_reward");

	settings_say(im, j, FIELD_RL_ALGORITHM, ppo ? "ppo" : "grpo", estimator);
	if (!ppo && !settings_is(j, estimator, "grpo"))
		import_ignore(im, estimator, "a plan has no such estimator: without a critic, as grpo");
	settings_say(im, j, FIELD_RL_REFERENCE, loss || reward ? "true" : "false", reward ?
	    "algorithm.use_kl_in_reward" : ACTOR "use_kl_loss");
	settings_say(im, j, FIELD_RL_OLD_LOGPROB, settings_on(j, "algorithm.rollout_correction.bypass_mode") ?
	    "false" : "true", "algorithm.rollout_correction.bypass_mode");
	if (jsonin_has(j, ROLLOUT "calculate_log_probs") && !jsonin_has(j, "async_training.staleness_threshold"))
		settings_say(im, j, FIELD_ENGINE_LOGPROBS, settings_on(j, ROLLOUT "calculate_log_probs") ? "true" :
		    "false", ROLLOUT "calculate_log_probs");
}

/* The critic of PPO, where it is no other than the policy nothing; and what gives rewards, under its newer name and
 * its older one. */
static void
take_others(struct import *im, const struct jsonin *j)
{
	static const char critic[] = "critic.model.path";
	static const char *const rewards[][3] = {
		{ "reward.reward_model.enable", "reward.reward_model.model_path", "reward.reward_model.enable_resource_pool" },
		{ "reward_model.enable", "reward_model.model.path", "reward_model.enable_resource_pool" },
	};
	const char *name = jsonin_text(j, critic), *actor = jsonin_text(j, MODEL "path");

	if (im->plan->rl.algorithm == RL_PPO && name != NULL && actor != NULL && !text_equal(name, actor))
		import_second(im, FIELD_CRITIC_PRESET, name, critic);
	for (size_t i = 0; i < sizeof rewards / sizeof *rewards; i++) {
		if (!settings_on(j, rewards[i][0]))
			continue;
		if (jsonin_text(j, rewards[i][1]) != NULL)
			import_second(im, FIELD_REWARD_PRESET, jsonin_text(j, rewards[i][1]), rewards[i][1]);
		else
			import_ignore(im, rewards[i][0], "set rl.reward_preset to its model");
		if (settings_on(j, rewards[i][2]))
			import_ignore(im, rewards[i][2], "a plan has no GPUs of the reward model's own: it shares the trainer's");
	}
}

/* State that leaves the GPU for the rollouts. */
static void
take_offload(struct import *im, const struct jsonin *j, bool megatron)
{
	const char *states = megatron ? ACTOR "megatron.optimizer_offload" :
	    ACTOR "fsdp_config.optimizer_offload";
	const char *parameters = megatron ? ACTOR "megatron.param_offload" :
	    ACTOR "fsdp_config.param_offload";
	const char *reference = megatron ? VERL_REF "megatron.param_offload" :
	    VERL_REF "fsdp_config.param_offload";
	const bool all = settings_on(j, reference), some = settings_on(j, states);

	if (settings_on(j, parameters))
		settings_say(im, j, FIELD_RL_OFFLOAD, all ? "all" : "optimizer+params", parameters);
	else
		settings_say(im, j, FIELD_RL_OFFLOAD, some ? "optimizer" : "none", states);
}

static void
take_overrides(struct import *im, const struct jsonin *j)
{
	static const struct settings_key rows[] = {
		{ RECOMPUTE "method", FIELD_RECOMPUTE_METHOD, NULL, NULL },
		{ RECOMPUTE "num_layers", FIELD_RECOMPUTE_LAYERS, NULL, NULL },
		{ TRANSFORMER "moe_token_dispatcher_type", FIELD_MOE_DISPATCHER, "alltoall=alltoall|allgather=allgather|flex=deepep", NULL },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	char modules[PLAN_LIST_SIZE] = "", path[128];
	const char *name;

	settings_take(im, j, rows, "verl");
	for (size_t i = 0; text_put(path, sizeof path, RECOMPUTE "modules.%zu", i),
	    (name = jsonin_text(j, path)) != NULL; i++)
		text_add(modules, sizeof modules, "%s%s", i > 0 ? "," : "", name);
	if (modules[0] != '\0' && jsonin_has(j, RECOMPUTE "modules"))
		import_set(im, FIELD_RECOMPUTE_MODULES, modules, RECOMPUTE "modules");
	if (settings_on(j, OPTIMIZER "optimizer_cpu_offload"))
		import_set(im, FIELD_OFFLOAD, "optimizer", OPTIMIZER "optimizer_cpu_offload");
	if (settings_on(j, OPTIMIZER "use_precision_aware_optimizer"))
		import_set(im, FIELD_PRECISION_AWARE_OPTIMIZER, "true",
		    OPTIMIZER "use_precision_aware_optimizer");
}

static void
take_adapters(struct import *im, const struct jsonin *j, bool megatron)
{
	static const struct tuner fsdp = { .targets = MODEL "target_modules", .linear = "all-linear",
		.usual = "all-linear" };
	static const struct tuner mcore = { .targets = MODEL "lora.target_modules", .linear = "all-linear",
		.usual = "all-linear", .fused = true };
	const char *rank = megatron ? MODEL "lora.rank" : MODEL "lora_rank";
	const int64_t n = settings_number(j, rank, 0);

	if (n <= 0)
		return;
	import_set(im, FIELD_FINETUNE, settings_is(j, MODEL "lora.type", "dora") ? "dora" : "lora", rank);
	settings_set(im, j, FIELD_ADAPTER_RANK, n, rank);
	tuning_take_targets(im, j, megatron ? &mcore : &fsdp);
}

/* The older key of all ranks' micro-batches counts where that of one GPU is not there. */
static void
take_micro(struct import *im, const struct jsonin *j, int64_t ranks)
{
	static const char all[] = ACTOR "ppo_micro_batch_size";

	if (!jsonin_has(j, ACTOR "ppo_micro_batch_size_per_gpu") && settings_number(j, all, 0) > 0)
		import_set_int(im, FIELD_MICRO_BATCH_SIZE, most_of(settings_number(j, all, 0) / ranks, 1), all);
}

static void
take_tokens(struct import *im, const struct jsonin *j, int64_t gpus)
{
	static const char key[] = ACTOR "ppo_max_token_len_per_gpu";
	const struct parallel *p = &im->plan->parallel;
	const int64_t ranks = product_of(p->tp, product_of(p->pp, p->cp));

	if (settings_on(j, ACTOR "use_dynamic_bsz"))
		settings_set(im, j, FIELD_MICRO_BATCH_SIZE, settings_fitting(im->plan, product_of(settings_number(j, key,
		    16384), p->cp), gpus), key);
	else
		take_micro(im, j, most_of(gpus / most_of(ranks, 1), 1));
}

/* FSDP shards over so many GPUs, and copies that. */
static void
take_copies(struct import *im, const struct jsonin *j, int64_t gpus)
{
	static const char key[] = ACTOR "fsdp_config.fsdp_size";
	const int64_t dp = gpus / most_of(im->plan->parallel.cp, 1), size = settings_number(j, key, -1);

	if (size > 0 && size < dp && dp % size == 0)
		settings_set(im, j, FIELD_DP_REPLICATE, dp / size, key);
}

/* A pool for rollouts is one of its own where the trainer is no hybrid engine. */
static void
take_pools(struct import *im, const struct jsonin *j)
{
	static const char hybrid[] = "actor_rollout_ref.hybrid_engine",
		stale[] = "async_training.staleness_threshold";
	const bool split = jsonin_has(j, hybrid) && !settings_on(j, hybrid);
	const int64_t nodes = settings_number(j, "trainer.nnodes", 1);
	const int64_t gpus = settings_number(j, "trainer.n_gpus_per_node", 8);
	const int64_t rollout = split ? product_of(settings_number(j, "rollout.nnodes", 1),
	    settings_number(j, "rollout.n_gpus_per_node", 8)) : 0;

	double share = 1;

	settings_machine(im, nodes, gpus, rollout, "trainer.nnodes and trainer.n_gpus_per_node");
	take_copies(im, j, product_of(nodes, gpus));
	take_tokens(im, j, product_of(nodes, gpus));
	settings_set(im, j, FIELD_ROLLOUT_TP, settings_number(j, ROLLOUT "tensor_model_parallel_size", 2),
	    ROLLOUT "tensor_model_parallel_size");
	if (!split) {
		/* an engine that gets adapters alone keeps what is below them */
		settings_say(im, j, FIELD_ENGINE_SLEEP, jsonin_has(j, ROLLOUT "free_cache_engine") &&
		    !settings_on(j, ROLLOUT "free_cache_engine") ? "0" : adapters_only(im->plan) ? "1" : "2",
		    ROLLOUT "free_cache_engine");
		return;
	}
	import_set(im, FIELD_RL_PLACEMENT, "split", hybrid);
	settings_set(im, j, FIELD_ROLLOUT_GPUS, rollout, "rollout.nnodes");
	/* a share of a batch: what is begun of one counts as one */
	jsonin_real(j, stale, 0, INT32_MAX, &share);
	settings_set(im, j, FIELD_STALENESS, most_of((int64_t)ceil(share), 1), stale);
}

void
verl_read(struct import *im)
{
	char *logged = logged_verl(im->text);
	struct jsonin j;

	if (logged != NULL ? logged_read(&j, im, logged) : words_read(&j, im, NULL, false)) {
		const bool megatron = with_megatron(im, &j);

		import_assume(im, FIELD_LAYOUT, megatron ? "megatron" : "torchtitan", megatron ?
		    "verl's workers of Megatron-LM" : "FSDP2, as verl's workers have it");
		settings_checkpoint(im, &j, MODEL "path");
		settings_take(im, &j, verl_keys, "verl");
		settings_take(im, &j, megatron ? verl_megatron_keys : verl_fsdp_keys, "verl");
		take_offload(im, &j, megatron);
		if (!megatron) {
			settings_take_away(im, &j, &verl_away);
			settings_take_tiles(im, &j, MODEL "tiled_mlp.enabled", MODEL "tiled_mlp.num_shards", 4);
		}
		if (megatron)
			take_overrides(im, &j);
		take_algorithm(im, &j);
		take_others(im, &j);
		take_batch(im, &j);
		take_adapters(im, &j, megatron);
		take_pools(im, &j);
		if (logged == NULL) /* a log tells all there are */
			settings_rest(im, &j);
	}
	free(logged);
	jsonin_free(&j);
}

/* ---- on texts ----------------------------------------------------------------------------- */

void
verl_sft_read(struct import *im)
{
	static const struct tuner names = { .targets = "model.target_modules", .linear = "all-linear",
		.usual = "all-linear" };
	struct jsonin j;

	if (words_read(&j, im, NULL, true)) {
		const bool megatron = settings_is(&j, "engine", "megatron") || settings_is(&j, "engine.@", "megatron");
		const int64_t nodes = settings_number(&j, WORDS_NODES, 1), rank = settings_number(&j, "model.lora_rank", 0);
		const int64_t gpus = settings_number(&j, WORDS_PROCESSES, 0);

		import_assume(im, FIELD_LAYOUT, megatron ? "megatron" : "torchtitan", megatron ?
		    "verl's engine of Megatron-LM" : "FSDP2, as verl's engine has it");
		settings_checkpoint(im, &j, "model.path model.partial_pretrain");
		settings_take(im, &j, verl_sft_keys, "verl");
		settings_take(im, &j, megatron ? verl_sft_megatron_keys : verl_sft_fsdp_keys, "verl");
		if (!megatron)
			settings_take_away(im, &j, &verl_sft_away);
		import_set(im, FIELD_FINETUNE, rank > 0 ? "lora" : "full", "model.lora_rank");
		if (rank > 0) {
			import_set_int(im, FIELD_ADAPTER_RANK, rank, "model.lora_rank");
			tuning_take_targets(im, &j, &names);
		}
		if (im->world > 0)
			import_machine(im, im->world, 0, 0, "--world");
		else if (gpus > 0)
			import_machine(im, product_of(nodes, gpus), nodes, gpus, WORDS_PROCESSES);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
