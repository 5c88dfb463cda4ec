#include "core/serve/serve_setup.h"

#include "core/base/number.h"
#include "core/model/kv.h"
#include "core/plan/pool.h"

static const char *
read_number(const char *s, int64_t *out)
{
	for (*out = 0; *s >= '0' && *s <= '9' && *out < 100000; s++)
		*out = *out * 10 + (*s - '0');
	return s;
}

int64_t
serve_version(const char *text, int64_t *patch)
{
	int64_t major, minor = 0;

	*patch = INT32_MAX;
	if (*text == 'v' || *text == 'V')
		text++;
	if (*text < '0' || *text > '9')
		return INT32_MAX;
	text = read_number(text, &major);
	if (*text == '.')
		text = read_number(text + 1, &minor);
	*patch = 0;
	if (*text == '.')
		read_number(text + 1, patch);
	return major * 100 + minor;
}

struct serve_setup
serve_setup_of(const struct plan *p)
{
	const struct serving *v = &p->serving;
	const struct engine *e = engine_of(p);
	const double tp = at_least_one(p->parallel.tp);
	const double pp = at_least_one(p->parallel.pp);
	struct serve_setup s = { .tp = tp, .pp = pp };

	s.version = serve_version(v->engine_version, &s.patch);
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
