/*
 * What rollouts and pairs ask of a plan: pools, engines, lengths and batches.
 */
#include "core/model/adapters.h"
#include "core/plan/field.h"
#include "core/plan/pool.h"
#include "core/rules/check_rules.h"

static bool
is_split(const struct plan *p)
{
	return plan_has_rollouts(p) && p->rl.placement == RL_SPLIT;
}

bool
rule_rl_no_pool(const struct facts *f, char *message, size_t size)
{
	if (!is_split(f->plan) || f->plan->rl.rollout_gpus > 0)
		return false;
	return BROKEN("split pools, and no GPUs for rollouts");
}

bool
rule_rl_pool_unused(const struct facts *f, char *message, size_t size)
{
	if (!plan_has_rollouts(f->plan) || is_split(f->plan) || f->plan->rl.rollout_gpus == 0)
		return false;
	return BROKEN("colocated rollouts run on all GPUs of the trainer: a pool of %lld does not count",
	    N(f->plan->rl.rollout_gpus));
}

bool
rule_rl_engines_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const int64_t pool = is_split(p) ? pool_gpus(p) : plan_world(p), tp = p->rl.rollout_tp;

	if (!plan_has_rollouts(p) || tp == 0 || pool % tp == 0)
		return false;
	return BROKEN("%lld GPUs for rollouts are no whole number of engines of %lld", N(pool), N(tp));
}

bool
rule_rl_heads_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (!plan_has_rollouts(p) || p->rl.rollout_tp == 0 ||
	    p->model.attention_heads % p->rl.rollout_tp == 0)
		return false;
	return BROKEN("%lld heads do not divide by the %lld GPUs of a rollout engine",
	    N(p->model.attention_heads), N(p->rl.rollout_tp));
}

bool
rule_rl_stale_in_turn(const struct facts *f, char *message, size_t size)
{
	if (!plan_has_rollouts(f->plan) || is_split(f->plan) || f->plan->rl.staleness == 0)
		return false;
	return BROKEN("colocated rollouts and updates take turns: none is %lld steps behind",
	    N(f->plan->rl.staleness));
}

bool
rule_rl_response_too_long(const struct facts *f, char *message, size_t size)
{
	const struct rl *r = &f->plan->rl;

	if (!plan_has_rl(f->plan) || r->response_tokens <= r->response_limit)
		return false;
	return BROKEN("responses of %lld tokens on average, and the longest has %lld",
	    N(r->response_tokens), N(r->response_limit));
}

bool
rule_rl_context_too_short(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const int64_t longest = p->rl.prompt_tokens + p->rl.response_limit;

	if (!plan_has_rollouts(p) || longest <= p->serving.context_length)
		return false;
	return BROKEN("prompt and longest response have %lld + %lld tokens, the engine's context %lld",
	    N(p->rl.prompt_tokens), N(p->rl.response_limit), N(p->serving.context_length));
}

bool
rule_rl_row_too_short(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (!plan_has_rl(p) || p->rl.prompt_tokens + p->rl.response_limit <= p->training.sequence_length)
		return false;
	return BROKEN("prompt and longest response have %lld + %lld tokens, a row of the trainer %lld",
	    N(p->rl.prompt_tokens), N(p->rl.response_limit), N(p->training.sequence_length));
}

bool
rule_rl_batch_does_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct rl *r = &f->plan->rl;
	const int64_t batch = f->plan->training.global_batch_size;

	if (!plan_has_rollouts(f->plan) || r->prompts * r->responses % batch == 0)
		return false;
	return BROKEN("%lld prompts x %lld responses are no whole number of updates of %lld",
	    N(r->prompts), N(r->responses), N(batch));
}

bool
rule_rl_base_is_sent(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (!plan_has_rollouts(p) || p->rl.merge_adapters || !adapters_only(p) ||
	    adapters_sent_alone(p))
		return false;
	return BROKEN("adapters are sent alone to engines that keep the rest: these %s, so all is sent",
	    is_split(p) ? "have a pool of their own" : "drop it while they sleep (rl.engine_sleep 2)");
}
