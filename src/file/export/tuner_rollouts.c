/*
 * GRPO of trainers of Hugging Face's models: an engine of vLLM within the trainer's processes, or, where
 * the same settings start it, on a server.
 *
 * Sources: huggingface/trl trl/trainer/grpo_config.py, grpo_trainer.py, trl/scripts/grpo.py;
 * axolotl-ai-cloud/axolotl src/axolotl/utils/schemas/trl.py, vllm.py, validation.py
 * (check_grpo_batch_size_divisibility), core/trainers/grpo, cli/vllm_serve.py; modelscope/ms-swift
 * swift/rlhf_trainers/args_mixin.py, swift/arguments/rlhf_args.py.
 */
#include "core/plan/field.h"
#include "file/export/tuner_rollouts.h"

/* arXiv:2402.03300, of the KL term where there is a reference; ms-swift's default. */
#define GRPO_BETA 0.04

static bool
is_split(const struct plan *p)
{
	return p->rl.placement == RL_SPLIT;
}

/* A server is started before the trainer, by a command that has what it is told of its own unless the
 * trainer's settings hold that too. */
static void
refuse_server(struct export *e, const struct tuner *d)
{
	const struct plan *p = e->plan;

	if (d->rollouts->replicas == NULL)
		rl_refuse(e, FIELD_RL_PLACEMENT, d->program, "its server is a launch of its own, which its settings do not "
		    "hold (fix: rl.placement=colocated)");
	else if (p->rl.rollout_gpus > p->cluster.gpus_per_node)
		rl_refuse(e, FIELD_ROLLOUT_GPUS, d->program, "its server runs on one node");
}

bool
tuner_takes_rollouts(struct export *e, const struct tuner *d)
{
	const struct plan *p = e->plan;

	if (p->rl.algorithm == RL_PPO)
		rl_refuse(e, FIELD_RL_ALGORITHM, d->program, "no critic beside an engine of vLLM (fix: rl.algorithm=grpo)");
	if (p->serving.engine != ENGINE_VLLM)
		rl_refuse(e, FIELD_ENGINE, d->program, "vLLM generates");
	if (p->rl.responses < 2)
		rl_refuse(e, FIELD_RL_RESPONSES, d->program, "GRPO requires at least 2 generations per prompt");
	if (d == &tuner_trl)
		export_refuse_above_one(e, FIELD_CP, "TRL trl/trainer/grpo_config.py", "GRPOTrainer splits no sequence");
	if (d == &tuner_axolotl && p->rl.prompts < p->cluster.gpus_per_node)
		rl_refuse(e, FIELD_RL_PROMPTS, "axolotl src/axolotl/utils/schemas/validation.py", "at least one group of "
		    "responses for each GPU of a node");
	if (is_split(p))
		refuse_server(e, d);
	return diag_count(&e->diags, SEVERITY_ERROR) == 0;
}

/* Whether the row of a field reaches the engine, and is said by a row at all. */
static bool
is_said(const struct settings_key *row, const struct tuner *d, const struct plan *p)
{
	switch (row->field) {
	case FIELD_RL_OFFLOAD: /* of two keys */
	case FIELD_RL_PROMPT_TOKENS:
	case FIELD_ROLLOUT_TP:
		return false;
	case FIELD_ENGINE_SLEEP:
		return !is_split(p);
	case FIELD_GPU_MEMORY_UTILIZATION:
		return p->serving.gpu_memory_utilization > 0;
	case FIELD_CONTEXT_LENGTH:
	case FIELD_EAGER:
		return d->rollouts->replicas == NULL || is_split(p); /* else a server alone takes them */
	default:
		return true;
	}
}

/* The optimizer's state leaves the GPU before weights do. */
static void
put_offload(struct export *e, struct tree *t, const char *key)
{
	const int64_t offload = e->plan->rl.offload;

	EXPORT_SAY(e, FIELD_RL_OFFLOAD);
	if (text_equal(key, "offload_optimizer") ? offload != RL_OFFLOAD_NONE : offload > RL_OFFLOAD_OPTIMIZER)
		tree_bool(t, key, true);
}

static void
put_rows(struct export *e, struct tree *t, const struct tuner *d, const struct rl_pools *pools)
{
	const struct plan *p = e->plan;

	for (const struct settings_key *row = d->rollouts->keys; row->path != NULL; row++) {
		if (is_said(row, d, p))
			export_rows(e, t, (const struct settings_key[]){ *row, { NULL, FIELD_NONE, NULL, NULL } });
		else if (row->field == FIELD_ROLLOUT_TP)
			tree_int(t, row->path, pools->engine_gpus);
		else if (row->field == FIELD_RL_PROMPT_TOKENS)
			tree_int(t, row->path, p->training.sequence_length - p->rl.response_limit);
		else if (row->field == FIELD_RL_OFFLOAD)
			put_offload(e, t, row->path);
	}
}

static void
put_engine(struct export *e, struct tree *t, const struct tuner *d, const struct rl_pools *pools)
{
	const struct tuner_rollouts *r = d->rollouts;
	const struct plan *p = e->plan;
	char key[64];

	tree_bool(t, tuning_rollout_key(key, r, "use_vllm"), true);
	tree_text(t, tuning_rollout_key(key, r, "vllm_mode"), pools->split ? "server" : "colocate");
	put_rows(e, t, d, pools);
	if (r->replicas != NULL && !pools->split)
		notes_add(&e->missing, "%s tells an engine in the trainer of no longest context: it is the model's own", d->program);
	if (!pools->split)
		return;
	tree_int(t, r->replicas, p->rl.rollout_gpus / pools->engine_gpus);
	if (p->rl.staleness > 0) {
		tree_bool(t, tuning_rollout_key(key, r, "async_prefetch"), true);
		tree_int(t, tuning_rollout_key(key, r, "prefetch_depth"), p->rl.staleness);
	}
	if (p->cluster.nodes > 1)
		notes_add(&e->missing, "trl.vllm_server_host, the server's node, is yours to set");
}

/* Completions of a generation, and what the trainer evaluates of them. */
static void
put_groups(struct export *e, struct tree *t, const struct tuner *d)
{
	const struct tuner_rollouts *r = d->rollouts;
	const struct plan *p = e->plan;
	char key[64];

	tree_int(t, tuning_rollout_key(key, r, "generation_batch_size"), p->rl.prompts * p->rl.responses);
	if (!r->evaluates)
		tree_bool(t, tuning_rollout_key(key, r, "vllm_importance_sampling_correction"), p->rl.old_logprob);
	text_choice(r->beta, 0, key, sizeof key);
	tree_real(t, key, rl_has_reference(p) ? GRPO_BETA : 0);
	if (rl_has_reference(p))
		notes_add(&e->missing, "%s: any weight but 0 has the reference evaluated", key);
	if (p->rl.algorithm == RL_DAPO)
		notes_add(&e->missing, "dapo: epsilon_high and the filter of groups are yours to set");
}

void
tuner_drop(struct tree *t, const struct tuner *d, enum field_id f)
{
	for (const struct settings_key *row = d->keys; row->path != NULL; row++)
		if (row->field == f)
			tree_drop(t, row->path);
}

void
tuner_put_rollouts(struct export *e, struct tree *t, const struct tuner *d, const struct rl_pools *pools)
{
	if (d == &tuner_trl) /* of other methods alone */
		tuner_drop(t, d, FIELD_SEQUENCE_LENGTH);
	put_engine(e, t, d, pools);
	put_groups(e, t, d);
	notes_add(&e->missing, "rewards (%sreward_funcs) are yours to add", d->rollouts->section);
	EXPORT_SAY(e, FIELD_RL_PROMPTS, FIELD_RL_PLACEMENT, FIELD_ROLLOUT_GPUS, FIELD_ROLLOUT_TP, FIELD_RL_REFERENCE,
	    FIELD_RL_OLD_LOGPROB, FIELD_ENGINE_LOGPROBS, FIELD_STALENESS, FIELD_ENGINE);
	if (e->plan->rl.reward_preset[0] != '\0')
		field_set_add(&e->outside, FIELD_REWARD_PRESET); /* the script asks for it */
}

const char *
tuner_reward(char buf[TUNER_REWARD_SIZE], const struct plan *p, const char *flag)
{
	text_put(buf, TUNER_REWARD_SIZE, "%s", "");
	if (plan_has_rollouts(p) && p->rl.reward_preset[0] != '\0')
		text_put(buf, TUNER_REWARD_SIZE, "%s \"${REWARD:?name or directory of the reward model}\" ", flag);
	return buf;
}
