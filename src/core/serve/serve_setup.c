#include "core/serve/serve_setup.h"

#include "core/base/number.h"
#include "core/model/kv.h"
#include "core/plan/pool.h"

/* Tokens of running requests count; a share of 0 is reached by any, and ranks of DP attention wait for none
 * (TensorRT-LLM _torch/pyexecutor/py_executor.py, _schedule and _waiting_requests). */
static void
hold_prompts(struct serve_setup *s, const struct plan *p)
{
	const struct serving *v = &p->serving;

	s->enough = v->batch_wait_share * s->tokens;
	if (engine_of(p)->holds_prompts && !v->dp_attention && s->enough > 0)
		s->held = (double)v->batch_wait_steps;
}

struct serve_setup
serve_setup_of(const struct plan *p)
{
	const struct serving *v = &p->serving;
	const struct engine *e = engine_of(p);
	const double tp = at_least_one(p->parallel.tp);
	const double pp = at_least_one(p->parallel.pp);
	struct serve_setup s = { .tp = tp, .pp = pp };

	s.version = engine_version(v->engine_version, &s.patch);
	s.total = p->cluster.memory_gib * GIB;
	s.engines = at_least_one(v->replicas);
	s.dp = pool_engine_dp(p) * tp / kv_attention_tp(p);
	e->setup(&s, p);
	if (v->max_num_seqs > 0)
		s.seqs = (double)v->max_num_seqs;
	if (s.tokens > s.seqs * (double)v->context_length)
		s.tokens = s.seqs * (double)v->context_length;
	if (v->max_batched_tokens > 0)
		s.tokens = (double)v->max_batched_tokens;
	hold_prompts(&s, p);
	if (v->gpu_memory_utilization > 0)
		s.share = v->gpu_memory_utilization;
	s.pool_share = e->tables > 0 ? s.share / e->tables : 1;
	return s;
}
