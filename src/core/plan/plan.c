#include "core/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* Nodes that follow one another with as many GPUs each: "63x8" and the comma behind it. False where the text is
 * no such thing, and at its end. */
static bool
next_run(const char **s, int64_t *nodes, int64_t *gpus)
{
	char *end;

	if (**s < '0' || **s > '9')
		return false;
	*nodes = 1;
	*gpus = strtoll(*s, &end, 10);
	if (*end == 'x' && end[1] >= '0' && end[1] <= '9') {
		*nodes = *gpus;
		*gpus = strtoll(end + 1, &end, 10);
	}
	if (*nodes < 1 || *nodes > PLAN_DIFFER_MAX || *gpus < 1 || *gpus > PLAN_DIFFER_MAX ||
	    (*end != '\0' && (*end != ',' || end[1] == '\0')))
		return false;
	*s = end + (*end == ',');
	return true;
}

bool
plan_nodes_counted(const struct plan *p, struct node_counts *out)
{
	const char *s = p->cluster.node_gpus;
	int64_t nodes, gpus;

	*out = (struct node_counts){ 0 };
	while (next_run(&s, &nodes, &gpus)) {
		out->nodes += nodes;
		out->world += nodes * gpus;
		out->most = gpus > out->most ? gpus : out->most;
		out->least = out->least == 0 || gpus < out->least ? gpus : out->least;
	}
	return *s == '\0' && out->nodes > 0 && out->world <= PLAN_DIFFER_MAX;
}

bool
plan_nodes_differ(const struct plan *p)
{
	struct node_counts c;

	return p->cluster.node_gpus[0] != '\0' && plan_nodes_counted(p, &c) && c.nodes == p->cluster.nodes &&
	    c.most == p->cluster.gpus_per_node;
}

int64_t
plan_world(const struct plan *p)
{
	struct node_counts c;

	if (!plan_nodes_differ(p))
		return p->cluster.nodes * p->cluster.gpus_per_node;
	plan_nodes_counted(p, &c);
	return c.world;
}

int64_t
plan_slot(const struct plan *p, int64_t rank)
{
	const char *s = p->cluster.node_gpus;
	int64_t node = 0, first = 0, nodes, gpus;

	if (!plan_nodes_differ(p))
		return rank;
	while (next_run(&s, &nodes, &gpus)) {
		if (rank < first + nodes * gpus)
			return (node + (rank - first) / gpus) * p->cluster.gpus_per_node + (rank - first) % gpus;
		node += nodes;
		first += nodes * gpus;
	}
	return node * p->cluster.gpus_per_node;
}

int64_t
plan_at_slot(const struct plan *p, int64_t slot)
{
	const char *s = p->cluster.node_gpus;
	int64_t node, local, first = 0, nodes, gpus;

	if (!plan_nodes_differ(p))
		return slot;
	node = slot / p->cluster.gpus_per_node;
	local = slot % p->cluster.gpus_per_node;
	for (; next_run(&s, &nodes, &gpus); node -= nodes, first += nodes * gpus)
		if (node < nodes)
			return local < gpus ? first + node * gpus + local : -1;
	return -1;
}

const char *
plan_node_text(const struct plan *p, char *buf, size_t size)
{
	if (plan_nodes_differ(p))
		text_put(buf, size, "(%s)", p->cluster.node_gpus);
	else
		text_put(buf, size, "%lld", (long long)p->cluster.gpus_per_node);
	return buf;
}

const char *
plan_gpu_text(const struct plan *p, char *buf, size_t size)
{
	text_put(buf, size, "%s", p->cluster.gpu);
	if (p->cluster.other_gpus[0] != '\0')
		text_add(buf, size, " (%s)", p->cluster.other_gpus);
	return buf;
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
