#include <stdlib.h>

#include "core/plan/field.h"
#include "file/export/megatron_core.h"
#include "file/export/megatron_export.h"
#include "file/export/rl_parts.h"
#include "file/export/writers.h"
#include "file/launches/rl_keys.h"

#define ARGUMENTS "THUDM/slime slime/utils/arguments.py"

static void
slime_rules(struct export *e)
{
	const struct plan *p = e->plan;

	if (p->serving.engine != ENGINE_SGLANG && field_is_chosen(FIELD_ENGINE, p))
		rl_refuse(e, FIELD_ENGINE, ARGUMENTS, "slime generates with SGLang");
	else if (p->serving.engine != ENGINE_SGLANG)
		notes_add(&e->missing, "slime generates with SGLang, and rollouts were estimated for vLLM: "
		    "serving.engine=sglang");
	if (p->rl.staleness > 1)
		rl_refuse(e, FIELD_STALENESS, "THUDM/slime train_async.py", "slime is one step off at the most");
	if (p->rl.reward_preset[0] != '\0')
		rl_refuse(e, FIELD_REWARD_PRESET, ARGUMENTS, "its reward model is a server with GPUs of its own");
	if (p->rl.placement == RL_COLOCATED && p->rl.offload < RL_OFFLOAD_PARAMS)
		export_missing(e, FIELD_RL_OFFLOAD, "--colocate puts all state of the trainer on the host");
}

static void
put_settings(struct export *e, struct tree *t, const struct rl_pools *pools)
{
	const struct plan *p = e->plan;

	tree_int(t, "actor-num-nodes", pools->nodes);
	tree_int(t, "actor-num-gpus-per-node", pools->gpus);
	tree_int(t, "num-gpus-per-node", pools->rollout_gpus);
	if (pools->split)
		tree_int(t, "rollout-num-gpus", pools->rollout_nodes * pools->rollout_gpus);
	else
		tree_bool(t, "colocate", true);
	tree_int(t, "rollout-num-gpus-per-engine", pools->engine_gpus);
	tree_text(t, "advantage-estimator", p->rl.algorithm == RL_PPO ? "ppo" : "grpo");
	if (rl_has_reference(p)) {
		tree_bool(t, "use-kl-loss", true);
		tree_real(t, "kl-loss-coef", 0.001);
	}
	export_rows(e, t, slime_keys);
}

void
slime_write(struct export *e)
{
	const struct plan *p;
	struct textbuf trainer = { 0 }, *out;
	struct rl_pools pools;
	struct tree t = { 0 };

	slime_rules(e);
	if (!rl_pools_of(&pools, e) || !megatron_can_run(e))
		return;
	megatron_core_suit(e);
	p = e->plan;
	put_settings(e, &t, &pools);
	if (p->rl.algorithm == RL_DAPO)
		notes_add(&e->missing, "dapo: --dynamic-sampling-filter-path and --eps-clip-high are yours to "
		    "set");
	notes_add(&e->missing, "prompts, rewards, checkpoints and learning rate are yours to add");
	megatron_put_args(&trainer, "trainer", p, CORE_NEWEST);
	if (!trainer.failed && megatron_core_check(e, trainer.text)) {
		out = rl_begin_script(e, "slime.sh", &trainer, &t, WORDS_FLAGS);
		megatron_put_connections(out, p);
		textbuf_add(out, "exec python3 %s --hf-checkpoint \"$MODEL\" \"${trainer[@]}\" \"${args[@]}\" "
		    "\"$@\"\n", pools.split && p->rl.staleness > 0 ? "train_async.py" : "train.py");
	}
	tree_end(&t);
	free(trainer.text);
}
