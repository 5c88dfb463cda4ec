#include "core/plan/pool.h"

#include "core/base/number.h"

#include <string.h>

/* A number from 1 to PLAN_WORLD_MAX; NULL without one. */
static const char *
read_size(const char *s, int64_t *out)
{
	const char *start = s;

	for (*out = 0; *s >= '0' && *s <= '9' && *out <= PLAN_WORLD_MAX; s++)
		*out = *out * 10 + (*s - '0');
	return s > start && *out >= 1 && *out <= PLAN_WORLD_MAX ? s : NULL;
}

bool
pool_parse(struct pool *out, const char *text)
{
	struct pool pool = { .workers = 0 };
	const char *s;

	*out = pool;
	if (text[0] == '\0')
		return true;
	if ((s = read_size(text, &pool.workers)) == NULL ||
	    (strncmp(s, "xtp", 3) != 0 && strncmp(s, "xdp", 3) != 0))
		return false;
	pool.dp = s[1] == 'd';
	if ((s = read_size(s + 3, &pool.size)) == NULL || *s != '\0')
		return false;
	*out = pool;
	return true;
}

int64_t
pool_gpus(const struct plan *p)
{
	struct pool pool;

	if (plan_has_rollouts(p) && p->rl.placement == RL_SPLIT)
		return p->rl.rollout_gpus;
	if (p->mode != MODE_SERVE)
		return 0;
	pool_parse(&pool, p->serving.prefill_workers);
	return pool.workers * pool.size +
	    product_of(p->serving.ffn_gpus, most_of(1, p->serving.replicas));
}

int64_t
pool_rest(const struct plan *p)
{
	return plan_world(p) - pool_gpus(p);
}

struct plan
pool_plan(const struct plan *p, const struct pool *pool)
{
	const bool experts = plan_has_experts(p) && (pool->dp || p->parallel.ep > 1);
	struct plan q = *p;

	q.parallel.tp = pool->size;
	q.parallel.pp = q.parallel.cp = q.serving.dcp = 1;
	q.parallel.ep = experts ? pool->size : 1;
	q.serving.dp_attention = pool->dp;
	q.serving.ffn_gpus = 0;
	/* as many of them as whole nodes have room for: experts are spread over the ranks of one, whoever decodes */
	q.cluster.nodes = pool->size;
	q.cluster.node_gpus[0] = '\0';
	q.serving.replicas = q.cluster.gpus_per_node;
	q.serving.prefill_workers[0] = '\0';
	return q;
}

struct plan
pool_ffn_plan(const struct plan *p)
{
	const int64_t n = p->serving.ffn_gpus;
	struct plan q = *p;

	q.cluster.gpus_per_node = least_of(n, p->cluster.gpus_per_node);
	q.cluster.nodes = n / most_of(1, q.cluster.gpus_per_node);
	q.cluster.node_gpus[0] = '\0';
	q.parallel.tp = p->serving.dp_attention ? 1 : p->parallel.tp;
	q.parallel.ep = n;
	q.serving.replicas = 1;
	q.serving.ffn_gpus = 0;
	q.serving.dp_attention = false;
	q.serving.prefill_workers[0] = '\0';
	return q;
}

double
pool_engine_dp(const struct plan *p)
{
	const struct parallel *r = &p->parallel;
	const double ranks = at_least_one(r->tp) * at_least_one(r->pp) * at_least_one(r->cp) *
	    at_least_one(p->serving.replicas);

	return larger(1, (double)pool_rest(p) / ranks);
}
