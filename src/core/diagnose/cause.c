#include "core/diagnose/cause.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/field.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"

/* ---- what a plan can have ------------------------------------------------------------ */

static bool
trains(const struct plan *p)
{
	return p->mode == MODE_TRAIN;
}

static bool
serves(const struct plan *p)
{
	return p->mode == MODE_SERVE;
}

static bool
crosses_nodes(const struct plan *p)
{
	return p->cluster.nodes > 1 && p->cluster.nodes > plan_domain_nodes(p);
}

static bool
has_more_nics(const struct plan *p)
{
	return crosses_nodes(p) && p->cluster.nics_per_node > 1;
}

static bool
has_others(const struct plan *p)
{
	return plan_world(p) > 1;
}

static bool
has_peers(const struct plan *p)
{
	return p->cluster.gpus_per_node > 1 && plan_world(p) > 1 && p->cluster.nvlink_gbps > 0;
}

static bool
talks_over_pcie(const struct plan *p)
{
	return p->cluster.gpus_per_node > 1 && plan_world(p) > 1 && !(p->cluster.nvlink_gbps > 0);
}

static bool
offloads(const struct plan *p)
{
	return trains(p) && p->parallel.offload != OFFLOAD_NONE;
}

static bool
uses_pcie(const struct plan *p)
{
	return offloads(p) || (p->cluster.nvlink_gbps <= 0 && plan_world(p) > 1);
}

/* Ranks that hold the same weights, or share them. */
static bool
trains_copies(const struct plan *p)
{
	return trains(p) && plan_world(p) > p->parallel.tp * p->parallel.pp;
}

static bool
experts_cross_nodes(const struct plan *p)
{
	return plan_has_experts(p) && crosses_nodes(p) &&
	    p->parallel.ep * most_of(1, p->parallel.etp) > p->cluster.gpus_per_node;
}

/* NCCL runs, on Hopper or later. */
static bool
is_recent(const struct plan *p)
{
	const enum attention_family family = generation_of(p)->attention;

	return family == ATTENTION_OF_HOPPER || family == ATTENTION_OF_BLACKWELL;
}

/* Rings that leave a node by the NIC of each of its GPUs. */
static bool
rings_by_rail(const struct plan *p)
{
	return crosses_nodes(p) && p->cluster.nics_per_node >= p->cluster.gpus_per_node &&
	    !is_recent(p) && generation_of(p)->maker == NULL;
}

/* Trees over NVLink switches that reduce. */
static bool
trees_by_switch(const struct plan *p)
{
	return crosses_nodes(p) && p->cluster.gpus_per_node > 1 && is_recent(p);
}

static bool
trains_shards(const struct plan *p)
{
	return trains_copies(p) && p->parallel.zero_stage > 0;
}

static bool
gathers_between_nodes(const struct plan *p)
{
	return trains_copies(p) && p->parallel.zero_stage == 3 && p->parallel.dp_replicate <= 1 &&
	    crosses_nodes(p);
}

static bool
gathers_in_node(const struct plan *p)
{
	return trains_copies(p) && p->parallel.zero_stage == 3 && !crosses_nodes(p);
}

static bool
knows_power(const struct plan *p)
{
	return p->cluster.tdp_watts > 0 && !(p->cluster.gpu_power_watts > 0);
}

static bool
trains_attention(const struct plan *p)
{
	return trains(p) && p->model.attention == ATTENTION_MHA;
}

static bool
trains_rounded(const struct plan *p)
{
	return trains(p) && !generation_of(p)->no_tf32 &&
	    p->cluster.fp32_tflops < 0.45 * p->cluster.bf16_tflops; /* else there is nothing to tell apart */
}

static bool
trains_quantised(const struct plan *p)
{
	return trains(p) && format_of(p).quantised;
}

static bool
tunes(const struct plan *p)
{
	return trains(p) && p->finetune.method != FINETUNE_NONE;
}

static bool
splits_tensors(const struct plan *p)
{
	return trains(p) && p->parallel.tp > 1;
}

static bool
has_stages(const struct plan *p)
{
	return trains(p) && p->parallel.pp > 1;
}

static bool
trains_experts(const struct plan *p)
{
	return trains(p) && plan_has_experts(p);
}

static bool
splits_experts(const struct plan *p)
{
	return trains_experts(p) && p->parallel.ep > 1;
}

static bool
serves_over_network(const struct plan *p)
{
	return serves(p) && crosses_nodes(p) && p->parallel.tp > p->cluster.gpus_per_node;
}

static bool
serves_many(const struct plan *p)
{
	return serves(p) && p->serving.concurrency > 1;
}

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

static bool
serves_8bit_experts(const struct plan *p)
{
	return serves(p) && plan_has_experts(p) && p->serving.weight_dtype == WEIGHT_FP8;
}

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
