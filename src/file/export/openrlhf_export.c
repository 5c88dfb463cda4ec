#include "core/model/adapters.h"
#include "file/export/rl_parts.h"
#include "file/export/writers.h"
#include "file/launches/rl_keys.h"
#include "file/launches/tuning_keys.h"

#define CLI "OpenRLHF openrlhf/cli/train_ppo_ray.py"

static void
put_adapters(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const unsigned targets = adapters_targets(p);
	char names[TUNING_NAMES_SIZE];

	if (!adapters_only(p))
		return;
	if (p->finetune.method == FINETUNE_DORA)
		rl_refuse(e, FIELD_FINETUNE, CLI, "OpenRLHF has LoRA alone");
	if (p->finetune.quantization == QUANT_NF4 || p->finetune.quantization == QUANT_NF4_DQ)
		tree_bool(t, "ds.load_in_4bit", true);
	else if (p->finetune.quantization != QUANT_NONE)
		rl_refuse(e, FIELD_QUANTIZATION, CLI, "frozen weights are quantised to 4 bits (NF4)");
	export_rows(e, t, openrlhf_adapters);
	tree_list(t, "ds.lora.target_modules", tuning_is_linear(targets) ? "all-linear" :
	    tuning_names(names, p, targets, false));
}

static void
put_trainer(struct export *e, struct tree *t)
{
	export_refuse_above_one(e, FIELD_PP, CLI, "DeepSpeed's ZeRO takes no pipeline");
	export_refuse_above_one(e, FIELD_EP, CLI, "OpenRLHF has no expert parallelism");
	if (e->plan->parallel.cp > 1 && !e->plan->finetune.packing)
		rl_refuse(e, FIELD_PACKING, CLI, "ring attention takes packed samples");
	export_rows(e, t, openrlhf_keys);
	put_adapters(e, t);
}

/* One group of workers. */
static void
put_group(struct tree *t, const char *name, int64_t nodes, int64_t gpus)
{
	tree_int(t, TEXT_OF(48, "%s.num_nodes", name), nodes);
	tree_int(t, TEXT_OF(48, "%s.num_gpus_per_node", name), gpus);
}

/* Where all models share GPUs; engines do so unless the run is asynchronous. */
static void
put_pools(struct export *e, struct tree *t, const struct rl_pools *pools)
{
	const struct plan *p = e->plan;
	const int64_t generating = pools->rollout_nodes * pools->rollout_gpus;
	const bool others = p->rl.algorithm == RL_PPO || p->rl.reward_preset[0] != '\0';

	put_group(t, "actor", pools->nodes, pools->gpus);
	if (rl_has_reference(p))
		put_group(t, "ref", pools->nodes, pools->gpus);
	if (p->rl.algorithm == RL_PPO)
		put_group(t, "critic", pools->nodes, pools->gpus);
	if (p->rl.reward_preset[0] != '\0')
		put_group(t, "reward", pools->nodes, pools->gpus);
	tree_int(t, "vllm.num_engines", generating / pools->engine_gpus);
	tree_int(t, "vllm.tensor_parallel_size", pools->engine_gpus);
	if (!pools->split || p->rl.staleness > 0)
		tree_bool(t, "train.colocate_all", true);
	else if (others)
		rl_refuse(e, FIELD_STALENESS, CLI,
		    "critic and reward model share the actor's GPUs in asynchronous runs alone");
	else
		tree_bool(t, "train.colocate_actor_ref", true);
	if (pools->split && p->rl.staleness > 0) {
		tree_bool(t, "train.async_enable", true);
		tree_int(t, "train.async_queue_size", p->rl.staleness);
	}
	if (pools->split)
		return;
	tree_bool(t, "vllm.enable_sleep", p->rl.engine_sleep > 0);
	tree_bool(t, "ds.enable_sleep", p->rl.offload != RL_OFFLOAD_NONE);
	if (p->rl.offload == RL_OFFLOAD_OPTIMIZER)
		export_missing(e, FIELD_RL_OFFLOAD, "DeepSpeed puts parameters to sleep too");
	if (p->rl.engine_sleep == 2)
		export_missing(e, FIELD_ENGINE_SLEEP, "a sleeping engine keeps its weights on the host (1)");
}

static void
put_algorithm(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const bool ppo = p->rl.algorithm == RL_PPO;

	tree_text(t, "algo.advantage.estimator", ppo ? "gae" : "group_norm");
	if (!ppo && p->rl.responses < 2)
		rl_refuse(e, FIELD_RL_RESPONSES, CLI, "group_norm requires n_samples_per_prompt > 1");
	if (!rl_has_reference(p))
		tree_real(t, "algo.kl.init_coef", 0);
	else if (!ppo)
		tree_bool(t, "algo.kl.use_loss", true);
	if (p->rl.algorithm == RL_DAPO)
		notes_add(&e->missing, "dapo: --algo.dynamic_filtering_enable and --actor.eps_clip_low_high "
		    "are yours to set");
	export_missing(e, FIELD_RL_OLD_LOGPROB, "OpenRLHF evaluates the responses again");
	if (p->serving.engine != ENGINE_VLLM)
		rl_refuse(e, FIELD_ENGINE, CLI, "OpenRLHF generates with vLLM");
}

static void
write_rollouts(struct export *e)
{
	const struct plan *p = e->plan;
	struct rl_pools pools;
	struct tree t = { 0 };
	struct textbuf *out;

	if (!rl_pools_of(&pools, e))
		return;
	put_algorithm(e, &t);
	put_trainer(e, &t);
	export_rows(e, &t, openrlhf_rollouts);
	put_pools(e, &t, &pools);
	notes_add(&e->missing, "prompts, learning rate and rewards are yours to add");
	export_missing(e, FIELD_KV_DTYPE, "vLLM takes what the model computes in");
	export_missing(e, FIELD_MAX_NUM_SEQS, "vLLM's default");
	export_missing(e, FIELD_CONTEXT_LENGTH, "data.max_len is it");
	out = rl_begin_script(e, "openrlhf.sh", NULL, &t, WORDS_FLAGS);
	textbuf_add(out, "exec python3 -m openrlhf.cli.train_ppo_ray \\\n"
	    "\t--actor.model_name_or_path \"$MODEL\" ");
	if (p->rl.algorithm == RL_PPO)
		textbuf_add(out, "--critic.model_name_or_path \"$CRITIC\" ");
	if (p->rl.reward_preset[0] != '\0')
		textbuf_add(out, "--reward.model_name_or_path \"$REWARD\" ");
	else
		textbuf_add(out, "\\\n\t--reward.remote_url \"${REWARD_URL:?where rewards come from, or a file "
		    "of a function}\" ");
	textbuf_add(out, "\"${args[@]}\" \"$@\"\n");
}

static void
write_pairs(struct export *e)
{
	const struct plan *p = e->plan;
	struct tree t = { 0 };
	struct textbuf *out;

	put_trainer(e, &t);
	export_rows(e, &t, openrlhf_pairs);
	notes_add(&e->missing, "pairs and learning rate are yours to add");
	out = rl_begin_script(e, "openrlhf.sh", NULL, &t, WORDS_FLAGS);
	textbuf_add(out, "# with --hostfile FILE on several nodes\n"
	    "exec deepspeed --num_nodes %lld --num_gpus %lld --module openrlhf.cli.train_%s \\\n"
	    "\t--model.model_name_or_path \"$MODEL\" \"${args[@]}\" \"$@\"\n",
	    (long long)p->cluster.nodes, (long long)p->cluster.gpus_per_node,
	    p->rl.algorithm == RL_DPO ? "dpo" : "rm");
}

void
openrlhf_write(struct export *e)
{
	if (plan_has_rollouts(e->plan))
		write_rollouts(e);
	else
		write_pairs(e);
}
