/*
 * What rollouts and pairs ask of a plan: pools, engines, lengths and batches.
 */
#include "core/model/adapters.h"
#include "core/plan/pool.h"
#include "core/rules/check_rules.h"

static bool
is_split(const struct plan *p)
{
	return plan_has_rollouts(p) && p->rl.placement == RL_SPLIT;
}

BROKEN_IF(rule_rl_no_pool, is_split(p) && p->rl.rollout_gpus <= 0,
    "split pools, and no GPUs for rollouts")

BROKEN_IF(rule_rl_pool_unused, plan_has_rollouts(p) && !is_split(p) && p->rl.rollout_gpus != 0,
    "colocated rollouts run on all GPUs of the trainer: a pool of %lld does not count",
    N(p->rl.rollout_gpus))

BREAKS(rule_rl_engines_do_not_divide)
{
	const struct plan *p = f->plan;
	const int64_t pool = is_split(p) ? pool_gpus(p) : plan_world(p), tp = p->rl.rollout_tp;

	return plan_has_rollouts(p) && tp != 0 && pool % tp != 0 && BROKEN(
	    "%lld GPUs for rollouts are no whole number of engines of %lld", N(pool), N(tp));
}

BROKEN_IF(rule_rl_heads_do_not_divide,
    plan_has_rollouts(p) && p->rl.rollout_tp != 0 &&
    p->model.attention_heads % p->rl.rollout_tp != 0,
    "%lld heads do not divide by the %lld GPUs of a rollout engine", N(p->model.attention_heads),
    N(p->rl.rollout_tp))

BROKEN_IF(rule_rl_stale_in_turn, plan_has_rollouts(p) && !is_split(p) && p->rl.staleness != 0,
    "colocated rollouts and updates take turns: none is %lld steps behind", N(p->rl.staleness))

BROKEN_IF(rule_rl_response_too_long,
    plan_has_rl(p) && p->rl.response_tokens > p->rl.response_limit,
    "responses of %lld tokens on average, and the longest has %lld", N(p->rl.response_tokens),
    N(p->rl.response_limit))

BROKEN_IF(rule_rl_context_too_short,
    plan_has_rollouts(p) &&
    p->rl.prompt_tokens + p->rl.response_limit > p->serving.context_length,
    "prompt and longest response have %lld + %lld tokens, the engine's context %lld",
    N(p->rl.prompt_tokens), N(p->rl.response_limit), N(p->serving.context_length))

BROKEN_IF(rule_rl_row_too_short,
    plan_has_rl(p) &&
    p->rl.prompt_tokens + p->rl.response_limit > p->training.sequence_length,
    "prompt and longest response have %lld + %lld tokens, a row of the trainer %lld",
    N(p->rl.prompt_tokens), N(p->rl.response_limit), N(p->training.sequence_length))

BROKEN_IF(rule_rl_batch_does_not_divide,
    plan_has_rollouts(p) &&
    p->rl.prompts * p->rl.responses % p->training.global_batch_size != 0,
    "%lld prompts x %lld responses are no whole number of updates of %lld", N(p->rl.prompts),
    N(p->rl.responses), N(p->training.global_batch_size))

BROKEN_IF(rule_rl_base_is_sent,
    plan_has_rollouts(p) && !p->rl.merge_adapters && adapters_only(p) && !adapters_sent_alone(p),
    "adapters are sent alone to engines that keep the rest: these %s, so all is sent",
    is_split(p) ? "have a pool of their own" : "drop it while they sleep (rl.engine_sleep 2)")
