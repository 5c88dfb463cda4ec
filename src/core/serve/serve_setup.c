#include "core/serve/serve_setup.h"

#include "core/base/number.h"
#include "core/model/kv.h"
#include "core/plan/pool.h"

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
	if (v->gpu_memory_utilization > 0)
		s.share = v->gpu_memory_utilization;
	s.pool_share = e->tables > 0 ? s.share / e->tables : 1;
	return s;
}
