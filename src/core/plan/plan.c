#include "core/plan/plan.h"

#include <stdlib.h>
#include <string.h>

int64_t
plan_world(const struct plan *p)
{
	return p->cluster.nodes * p->cluster.gpus_per_node;
}

int64_t
plan_domain_nodes(const struct plan *p)
{
	const int64_t node = p->cluster.gpus_per_node, domain = p->cluster.nvlink_domain;

	return domain > node && node > 0 ? (domain + node - 1) / node : 1;
}

/* Nodes of the smallest unit of cluster.levels that has several, 0 without one. */
static int64_t
nodes_of_leaf(const struct plan *p)
{
	const char *s = p->cluster.levels;
	const int64_t node = p->cluster.gpus_per_node;

	while (*s != '\0') {
		const int64_t gpus = strtoll(s, NULL, 10);

		if (node > 0 && gpus > node && gpus % node == 0 && gpus / node <= 1024)
			return gpus / node;
		s += strcspn(s, ",");
		s += *s == ',';
	}
	return 0;
}

int64_t
plan_rack_nodes(const struct plan *p)
{
	const int64_t domain = plan_domain_nodes(p);

	if (p->cluster.nodes_per_rack > 0)
		return p->cluster.nodes_per_rack;
	if (domain == 1 && nodes_of_leaf(p) > 0)
		return nodes_of_leaf(p);
	return domain > 1 ? domain : 4;
}

bool
plan_has_experts(const struct plan *p)
{
	return p->model.experts > 0;
}

bool
plan_pads_experts(const struct plan *p)
{
	return plan_has_experts(p) && p->training.moe_capacity_factor > 0;
}

bool
plan_has_rl(const struct plan *p)
{
	return p->mode == MODE_TRAIN && p->rl.algorithm != RL_NONE;
}

bool
plan_has_rollouts(const struct plan *p)
{
	return plan_has_rl(p) && p->rl.algorithm != RL_DPO && p->rl.algorithm != RL_REWARD_MODEL;
}

bool
plan_has_bitsandbytes(const struct plan *p)
{
	return p->training.optimizer >= OPTIMIZER_ADAM8BIT;
}

bool
plan_pages_moments(const struct plan *p)
{
	return p->training.optimizer >= OPTIMIZER_PAGED_ADAM;
}

bool
plan_rotates(const struct plan *p)
{
	return p->model.position == POSITION_ROPE || p->model.position == POSITION_YARN;
}

bool
plan_has_run(const struct plan *p)
{
	return p->mode == MODE_TRAIN && p->training.token_budget > 0;
}
