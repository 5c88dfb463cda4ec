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

/* Flags were other ones once. */
static bool
has_points(struct import *im, const struct jsonin *j)
{
	if (jsonin_has(j, "ds") || jsonin_has(j, "train") || jsonin_has(j, "actor"))
		return true;
	import_error(im, "", "its flags are not those of OpenRLHF 0.10.2 and newer, as --ds.zero_stage");
	return false;
}

void
openrlhf_read(struct import *im)
{
	struct jsonin j;

	if (words_read(&j, im, PROGRAM, false) && has_points(im, &j)) {
		const bool rollouts = strstr(im->text, PROGRAM "ppo_ray") != NULL;

		import_assume(im, FIELD_LAYOUT, "deepspeed", "OpenRLHF trains with DeepSpeed");
		settings_checkpoint(im, &j, "actor.model_name_or_path model.model_name_or_path");
		settings_take(im, &j, openrlhf_keys, "OpenRLHF");
		take_adapters(im, &j);
		if (rollouts) {
			settings_take(im, &j, openrlhf_rollouts, "OpenRLHF");
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
