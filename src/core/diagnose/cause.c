#include "core/diagnose/cause.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/field.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"

/* ---- what a plan can have ------------------------------------------------------------ */

PLAN_IF(trains, p->mode == MODE_TRAIN)
PLAN_IF(serves, p->mode == MODE_SERVE)
PLAN_IF(crosses_nodes, p->cluster.nodes > 1 && p->cluster.nodes > plan_domain_nodes(p))
PLAN_IF(has_more_nics, crosses_nodes(p) && p->cluster.nics_per_node > 1)
PLAN_IF(has_others, plan_world(p) > 1)
PLAN_IF(has_peers, p->cluster.gpus_per_node > 1 && plan_world(p) > 1 && p->cluster.nvlink_gbps > 0)
PLAN_IF(talks_over_pcie, p->cluster.gpus_per_node > 1 && plan_world(p) > 1 && !(p->cluster.nvlink_gbps > 0))
PLAN_IF(offloads, trains(p) && p->parallel.offload != OFFLOAD_NONE)
PLAN_IF(uses_pcie, offloads(p) || (p->cluster.nvlink_gbps <= 0 && plan_world(p) > 1))

/* Ranks that hold the same weights, or share them. */
PLAN_IF(trains_copies, trains(p) && plan_world(p) > p->parallel.tp * p->parallel.pp)
PLAN_IF(experts_cross_nodes, plan_has_experts(p) && crosses_nodes(p) &&
    p->parallel.ep * most_of(1, p->parallel.etp) > p->cluster.gpus_per_node)

/* NCCL runs, on Hopper or later. */
static bool
is_recent(const struct plan *p)
{
	const enum attention_family family = generation_of(p)->attention;

	return family == ATTENTION_OF_HOPPER || family == ATTENTION_OF_BLACKWELL;
}

/* Rings that leave a node by the NIC of each of its GPUs. */
PLAN_IF(rings_by_rail, crosses_nodes(p) && p->cluster.nics_per_node >= p->cluster.gpus_per_node &&
    !is_recent(p) && generation_of(p)->maker == NULL)

/* Trees over NVLink switches that reduce. */
PLAN_IF(trees_by_switch, crosses_nodes(p) && p->cluster.gpus_per_node > 1 && is_recent(p))
PLAN_IF(trains_shards, trains_copies(p) && p->parallel.zero_stage > 0)
PLAN_IF(gathers_between_nodes, trains_copies(p) && p->parallel.zero_stage == 3 && p->parallel.dp_replicate <= 1 &&
    crosses_nodes(p))

PLAN_IF(gathers_in_node, trains_copies(p) && p->parallel.zero_stage == 3 && !crosses_nodes(p))
PLAN_IF(knows_power, p->cluster.tdp_watts > 0 && !(p->cluster.gpu_power_watts > 0))
PLAN_IF(trains_attention, trains(p) && p->model.attention == ATTENTION_MHA)

static bool
trains_rounded(const struct plan *p)
{
	return trains(p) && !generation_of(p)->no_tf32 &&
	    p->cluster.fp32_tflops < 0.45 * p->cluster.bf16_tflops; /* else there is nothing to tell apart */
}

PLAN_IF(trains_quantised, trains(p) && format_of(p).quantised)
PLAN_IF(tunes, trains(p) && p->finetune.method != FINETUNE_NONE)
PLAN_IF(splits_tensors, trains(p) && p->parallel.tp > 1)
PLAN_IF(has_stages, trains(p) && p->parallel.pp > 1)
PLAN_IF(trains_experts, trains(p) && plan_has_experts(p))
PLAN_IF(splits_experts, trains_experts(p) && p->parallel.ep > 1)
PLAN_IF(serves_over_network, serves(p) && crosses_nodes(p) && p->parallel.tp > p->cluster.gpus_per_node)
PLAN_IF(serves_many, serves(p) && p->serving.concurrency > 1)

/* Weights in a format that the GPU has no units for: kernels turn them into another. */
static bool
serves_quantised(const struct plan *p)
{
	const int64_t format = p->serving.weight_dtype;

	if (format == WEIGHT_FP8)
		return serves(p) && !(p->cluster.fp8_tflops > 0);
	if (format == WEIGHT_MXFP4 || format == WEIGHT_NVFP4)
		return serves(p) && !(p->cluster.fp4_tflops > 0);
	return serves(p) && format != WEIGHT_BF16 && format != WEIGHT_FP16;
}

PLAN_IF(serves_8bit_experts, serves(p) && plan_has_experts(p) && p->serving.weight_dtype == WEIGHT_FP8)

static bool
rolls_out(const struct plan *p)
{
	return plan_has_rollouts(p) || serves(p); /* an engine alone may be that of rollouts */
}

/* ---- changes that no fixed values say ---------------------------------------------------- */

/* Half as many ranks share the experts, and twice as many split each of them. */
static bool
experts_by_tensors(struct plan *p)
{
	if (p->parallel.ep % 2 != 0)
		return false;
	field_store_int(FIELD_TP, p, 2 * p->parallel.tp);
	field_store_int(FIELD_EP, p, p->parallel.ep / 2);
	return true;
}

/* As many requests as the pool may hold, or four times as many. */
static bool
more_requests(struct plan *p)
{
	field_store_int(FIELD_CONCURRENCY, p, 4 * p->serving.concurrency);
	return true;
}

const struct cause cause_table[] = {
#include "core/diagnose/causes.def"
};
const size_t cause_count = sizeof cause_table / sizeof *cause_table;

const struct cause *
cause_find(const char *id)
{
	for (size_t i = 0; i < cause_count; i++)
		if (text_equal(cause_table[i].id, id))
			return &cause_table[i];
	return NULL;
}
