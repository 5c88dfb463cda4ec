/*
 * rules_whole.c - rules of the whole run: its checkpoints, its batch schedule, its data, its nodes.
 */
#include "core/framework/checkpoints.h"
#include "core/framework/gpu_types.h"
#include "core/framework/levels.h"
#include "core/plan/hardware.h"
#include "core/plan/nodes.h"
#include "core/plan/ramp.h"
#include "core/rules/check_rules.h"

#define REPEATS_MOST 4 /* epochs, up to which tokens seen again teach almost as much as new ones */

BREAKS(rule_checkpoint_format_unknown)
{
	char names[128];

	if (checkpoint_format_of(f->plan) != NULL)
		return false;
	checkpoint_formats(f->plan, names, sizeof names);
	return BROKEN("%s is no format of this framework's checkpoints, which are %s",
	    f->plan->run.checkpoint_format, names);
}

BREAKS(rule_async_save_not_offered)
{
	const struct checkpoint_format *format = checkpoint_format_of(f->plan);

	return format != NULL && !format->async && f->plan->run.checkpoint_async &&
	    field_is_set(FIELD_CHECKPOINT_ASYNC, f->plan) && BROKEN("format %s is written while steps wait", format->name);
}

/* All stages, however long the run is. */
static bool
read_ramp(const struct plan *p, struct ramp *ramp, char *err, size_t size)
{
	struct plan q = *p;

	q.training.token_budget = field_table[FIELD_TOKEN_BUDGET].most;
	return ramp_of(ramp, &q, err, size);
}

BREAKS(rule_schedule_unreadable)
{
	struct ramp ramp;
	char err[256];

	return f->plan->run.batch_schedule[0] != '\0' && !read_ramp(f->plan, &ramp, err, sizeof err) && BROKEN("%s", err);
}

BREAKS(rule_schedule_does_not_divide)
{
	const int64_t micro_batch = f->plan->training.micro_batch_size;
	struct ramp ramp;
	char err[256];

	if (f->plan->run.batch_schedule[0] == '\0' || f->layout == NULL || f->layout->dp < 1 ||
	    !read_ramp(f->plan, &ramp, err, sizeof err))
		return false;
	for (int i = 0; i < ramp.count; i++) {
		if (ramp.stage[i].batch % (micro_batch * f->layout->dp) != 0)
			return BROKEN("stage %d has steps of %lld sequences of %lld tokens: no multiple of "
			    "micro-batch %lld x DP %lld", i + 1, N(ramp.stage[i].batch),
			    N(ramp.stage[i].sequence), N(micro_batch), N(f->layout->dp));
	}
	return false;
}

BROKEN_IF(rule_data_repeated, p->run.dataset_tokens > 0 &&
    p->training.token_budget > REPEATS_MOST * p->run.dataset_tokens,
    "the run sees its data %.3g times: beyond %d epochs tokens seen again teach little",
    p->training.token_budget / p->run.dataset_tokens, REPEATS_MOST)

/* Data parallel axes of all frameworks begin so: dp, dp_shard, data. */
static bool
is_replicated(const struct layout *l, int64_t rank)
{
	for (int i = 0; i < l->grid[0].axes; i++)
		if (l->grid[0].axis[i].name[0] == 'd' && layout_coord(l, 0, i, rank) > 0)
			return true;
	return false;
}

BREAKS(rule_process_splits)
{
	const int64_t gpus = f->plan->cluster.gpus_per_process;
	struct layout l;

	if (gpus < 2)
		return false;
	if (plan_nodes_differ(f->plan) || f->plan->cluster.gpus_per_node % gpus != 0)
		return BROKEN("processes of %lld GPUs want nodes that are alike, of a multiple of them", N(gpus));
	if (!layout_init(&l, f->plan, NULL)) /* one with axes: who asks for sizes alone has none */
		return false;
	for (int64_t rank = 1; rank < gpus; rank++)
		if (is_replicated(&l, rank))
			return BROKEN("GPU %lld of the first process holds another replica: a process splits one model, "
			    "as stages that follow one another do (order tp-cp-ep-pp-dp)", N(rank));
	return false;
}

BROKEN_IF(rule_nanotron_nodes, p->cluster.node_gpus[0] != '\0',
    "nanotron counts ranks by nodes that are alike")

/* What stands beside nodes that differ: levels count whole nodes, rollouts pools of them. */
BREAKS(rule_nodes_differ)
{
	const struct plan *p = f->plan;
	struct node_counts c;

	if (p->cluster.node_gpus[0] == '\0')
		return false;
	if (!plan_nodes_counted(p, &c))
		return BROKEN("GPUs of nodes are numbers as 2,3 or 63x8,4, of %d GPUs in all at most", PLAN_DIFFER_MAX);
	if (!plan_nodes_differ(p)) /* the two rules below tell what disagrees */
		return false;
	if (p->cluster.nvlink_domain > 1 && p->cluster.nvlink_domain != p->cluster.gpus_per_node)
		return BROKEN("nodes that differ have one NVLink domain each, and it is %lld of %lld GPUs",
		    N(p->cluster.nvlink_domain), N(p->cluster.gpus_per_node));
	return (p->cluster.levels[0] != '\0' || plan_has_rollouts(p)) &&
	    BROKEN("nodes that differ go without levels of the network and without rollouts");
}

BREAKS(rule_listed_nodes)
{
	struct node_counts c;

	return plan_nodes_counted(f->plan, &c) && c.nodes != f->plan->cluster.nodes &&
	    BROKEN("cluster.node_gpus lists %lld nodes, and the plan has %lld", N(c.nodes), N(f->plan->cluster.nodes));
}

BREAKS(rule_largest_node)
{
	struct node_counts c;

	return plan_nodes_counted(f->plan, &c) && c.most != f->plan->cluster.gpus_per_node &&
	    BROKEN("the largest node of cluster.node_gpus has %lld GPUs, and GPUs per node is %lld", N(c.most),
	    N(f->plan->cluster.gpus_per_node));
}

BREAKS(rule_slow_unreadable)
{
	struct slow_nodes slow;
	char err[256];

	return f->plan->cluster.slow_nodes[0] != '\0' && !nodes_slow(&slow, f->plan, err, sizeof err) && BROKEN("%s", err);
}

BREAKS(rule_dead_unreadable)
{
	struct dead_nodes dead;
	char err[256];

	return f->plan->cluster.dead_nodes[0] != '\0' && !nodes_dead(&dead, f->plan, err, sizeof err) && BROKEN("%s", err);
}

/* ---- GPUs of several types -------------------------------------------------------------- */

BREAKS(rule_others_unreadable)
{
	const struct plan *p = f->plan;
	int64_t nodes[GPU_TYPES_MAX];
	struct other_nodes others;
	const char *near;
	char err[256];

	if (p->cluster.other_gpus[0] == '\0')
		return false;
	if (!nodes_other(&others, p, err, sizeof err))
		return BROKEN("%s", err);
	if (others.types > p->others) {
		near = f->catalog != NULL ? catalog_near(&f->catalog->gpus, others.type[p->others]) : NULL;
		return near != NULL ? BROKEN("the catalogue has no GPU %s; the nearest is %s", others.type[p->others], near) :
		    BROKEN("the catalogue has no GPU %s; what it has, list: shardplan gpus", others.type[p->others]);
	}
	gpu_types_nodes(nodes, p);
	return nodes[0] == 0 && BROKEN("every node has other GPUs than cluster.gpu, %s", p->cluster.gpu);
}

BROKEN_IF(rule_others_generate, p->others > 0 && plan_has_rl(p),
    "GPUs of several types go without rollouts and without training on pairs")

/* Rules that ask something of a GPU. */
static bool
is_lacking(const struct facts *f, char *message, size_t size)
{
	return rule_fp8_without_units(f, message, size) || rule_format_not_on_gpu(f, message, size) ||
	    rule_kernel_not_on_gpu(f, message, size) || rule_products_not_timed(f, message, size) ||
	    rule_memory_not_timed(f, message, size);
}

BREAKS(rule_others_lack)
{
	struct facts its = *f;
	struct plan room;

	for (int t = 1; t < gpu_types(f->plan); t++) {
		its.plan = gpu_type_plan(f->plan, t, &room);
		if (is_lacking(&its, message, size))
			return true;
	}
	return false;
}

/* The first type that another library joins than that of cluster.gpu, NULL without one. */
static const char *
apart_from(const struct plan *p, const char **maker)
{
	const char *own = generation_of(p)->maker;
	struct plan room;

	for (int t = 1; t < gpu_types(p); t++) {
		*maker = generation_of(gpu_type_plan(p, t, &room))->maker;
		if (!text_equal(own != NULL ? own : "", *maker != NULL ? *maker : ""))
			return p->other[t - 1].gpu;
	}
	return NULL;
}

BREAKS(rule_others_apart)
{
	const char *maker, *gpu = apart_from(f->plan, &maker);

	return gpu != NULL && BROKEN("no library joins %s and %s: NCCL is of NVIDIA's GPUs alone, RCCL of AMD's; "
	    "FlagScale does with FlagCX, on Megatron-LM", f->plan->cluster.gpu, gpu);
}

BREAKS(rule_nodes_unreadable)
{
	const char *list = f->plan->cluster.node_list;
	const int64_t names = list[0] == '\0' ? 0 : nodes_count(list);

	if (list[0] == '\0' || names >= f->plan->cluster.nodes)
		return false;
	if (names < 0)
		return BROKEN("it is no list of nodes such as n[001-064],m[1-4]");
	return BROKEN("it names %lld nodes, and the plan has %lld", N(names), N(f->plan->cluster.nodes));
}

BREAKS(rule_levels_unreadable)
{
	struct levels levels;
	char err[256];

	return f->plan->cluster.levels[0] != '\0' && !levels_of(&levels, f->plan, err, sizeof err) && BROKEN("%s", err);
}

BROKEN_IF(rule_gathers_nothing, p->run.gather_16bit && !checkpoint_can_gather(p),
    "whole weights are gathered on saving by DeepSpeed with ZeRO 3 alone: here ranks have them anyway, or "
    "another format of checkpoints")
