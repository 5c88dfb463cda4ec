/*
 * rules_shape.c - rules between the shape of a model, its sequences and experts, and the
 * parallel sizes.
 */
#include <string.h>

#include "core/model/params.h"
#include "core/plan/batch.h"
#include "core/plan/hardware.h"
#include "core/rules/check_rules.h"

/* ---- heads and widths over TP --------------------------------------------------------- */

/* Ranks of DP attention have all heads each. */
static bool
attention_is_whole(const struct plan *p)
{
	return p->mode == MODE_SERVE && p->serving.dp_attention;
}

BROKEN_IF(rule_heads_do_not_divide,
    p->parallel.tp >= 1 && !attention_is_whole(p) && (p->model.attention_heads % p->parallel.tp != 0 ||
    p->model.local_attention_heads % p->parallel.tp != 0),
    "%lld attention heads are not divisible by TP %lld", N(p->model.attention_heads % p->parallel.tp != 0 ?
    p->model.attention_heads : p->model.local_attention_heads), N(p->parallel.tp))

BROKEN_IF(rule_kv_heads_do_not_divide,
    p->parallel.tp >= 1 && p->model.attention != ATTENTION_MLA &&
    p->model.kv_heads % p->parallel.tp != 0 && p->parallel.tp % p->model.kv_heads != 0,
    "%lld KV heads are neither a multiple nor a divisor of TP %lld", N(p->model.kv_heads),
    N(p->parallel.tp))

BROKEN_IF(rule_kv_heads_not_whole,
    p->parallel.tp >= 1 && p->model.attention != ATTENTION_MLA &&
    p->model.kv_heads % p->parallel.tp != 0,
    "%lld KV heads are not divisible by TP %lld", N(p->model.kv_heads), N(p->parallel.tp))

BREAKS(rule_kv_heads_do_not_group)
{
	const struct model *m = &f->plan->model;

	if (m->attention == ATTENTION_MLA)
		return false;
	for (int local = 0; local < 2; local++) {
		const int64_t n = (int64_t)params_query_heads(m, local);
		const int64_t kv = (int64_t)params_kv_heads(m, local);

		if (n % kv != 0)
			return BROKEN("%lld attention heads can not share %lld KV heads evenly", N(n), N(kv));
	}
	return false;
}

BROKEN_IF(rule_latent_size_missing,
    p->model.attention == ATTENTION_MLA && (p->model.kv_lora_rank <= 0 ||
    p->model.qk_nope_head_dim + p->model.qk_rope_head_dim <= 0),
    "latent attention needs its KV rank and the sizes of its heads")

BROKEN_IF(rule_linear_size_missing,
    p->model.linear_attention && (p->model.linear_key_heads <= 0 ||
    p->model.linear_value_heads <= 0 || p->model.linear_key_head_dim <= 0 ||
    p->model.linear_value_head_dim <= 0),
    "linear attention needs its numbers of heads and their sizes")

BROKEN_IF(rule_ffn_does_not_divide,
    p->parallel.tp >= 1 && params_kinds(&p->model, 0, p->model.layers).dense > 0 &&
    p->model.ffn_hidden_size % p->parallel.tp != 0,
    "FFN size %lld is not divisible by TP %lld", N(p->model.ffn_hidden_size), N(p->parallel.tp))

BROKEN_IF(rule_expert_ffn_does_not_divide,
    p->parallel.etp >= 1 && plan_has_experts(p) &&
    p->model.moe_ffn_hidden_size % p->parallel.etp != 0,
    "expert FFN size %lld is not divisible by ETP %lld", N(p->model.moe_ffn_hidden_size),
    N(p->parallel.etp))

BROKEN_IF(rule_shared_ffn_does_not_divide,
    p->parallel.tp >= 1 && plan_has_experts(p) &&
    p->model.shared_expert_ffn_hidden_size % p->parallel.tp != 0,
    "shared expert FFN size %lld is not divisible by TP %lld",
    N(p->model.shared_expert_ffn_hidden_size), N(p->parallel.tp))

/* ---- sequence ------------------------------------------------------------------------------ */

BROKEN_IF(rule_sequence_does_not_divide_by_cp,
    p->parallel.cp > 1 && p->training.sequence_length % (2 * p->parallel.cp) != 0,
    "sequence length %lld is not divisible by 2 x CP %lld", N(p->training.sequence_length),
    N(p->parallel.cp))

BREAKS(rule_sequence_does_not_divide_by_tp)
{
	const struct plan *p = f->plan;
	const int64_t seq = p->training.sequence_length, tp = p->parallel.tp, cp = p->parallel.cp;

	if (!p->parallel.sequence_parallel || tp < 1 || cp < 1 || seq % cp != 0 || seq / cp % tp == 0)
		return false;
	return BROKEN("sequence parallel splits %lld tokens (sequence over CP) by TP %lld: not divisible",
	    N(seq / cp), N(tp));
}

BROKEN_IF(rule_sequence_in_runs,
    p->parallel.cp > 1 && p->training.sequence_length % p->parallel.cp != 0,
    "sequence length %lld is not divisible by CP %lld", N(p->training.sequence_length), N(p->parallel.cp))

BROKEN_IF(rule_fewer_heads_than_cp, p->model.attention_heads < p->parallel.cp,
    "sequence parallel ranks (%lld) exchange heads, and there are %lld", N(p->parallel.cp),
    N(p->model.attention_heads))

BREAKS(rule_torchtitan_sequence)
{
	const struct plan *p = f->plan;
	const int64_t seq = p->training.sequence_length;
	const int64_t by = (p->parallel.sequence_parallel ? p->parallel.tp : 1) *
	    (p->parallel.cp > 1 ? 2 * p->parallel.cp : 1);

	if (by < 1 || seq % by == 0)
		return false;
	return BROKEN("sequence length %lld is not divisible by TP (with sequence parallel) x 2 x CP = %lld",
	    N(seq), N(by));
}

BROKEN_IF(rule_sequence_too_long, p->training.sequence_length > p->model.max_position,
    "sequence length %lld is above the model's longest context %lld",
    N(p->training.sequence_length), N(p->model.max_position))

/* A learned position is a row of a table, which ends; others are computed for any sequence. */
BROKEN_IF(rule_positions_run_out,
    p->model.position == POSITION_LEARNED && rule_sequence_too_long(f, NULL, 0),
    "sequence length %lld is above the %lld positions that the model learns",
    N(p->training.sequence_length), N(p->model.max_position))

BROKEN_IF(rule_sequence_stretches_positions,
    p->model.position != POSITION_LEARNED && rule_sequence_too_long(f, NULL, 0),
    "sequence length %lld is above the model's longest context %lld: it runs, on positions that "
    "the model has not seen",
    N(p->training.sequence_length), N(p->model.max_position))

BREAKS(rule_hierarchy_missing)
{
	const struct parallel *par = &f->plan->parallel;
	const char *x = strchr(par->hierarchical_cp, 'x');

	if (par->cp <= 1 || par->cp_comm != CP_COMM_A2A_P2P ||
	    (x != NULL && strchr(x + 1, 'x') == NULL))
		return false;
	return BROKEN("a2a+p2p needs the two sizes of hierarchical_cp");
}

/* How many ranks exchange heads for tokens, 1: none do. */
static int64_t
exchanging(const struct plan *p)
{
	switch (p->parallel.cp_comm) {
	case CP_COMM_A2A:
		return p->parallel.cp;
	case CP_COMM_A2A_P2P:
		return batch_context_inner(p);
	default:
		return 1;
	}
}

BREAKS(rule_a2a_heads_do_not_divide)
{
	const struct plan *p = f->plan;
	const int64_t tp = p->parallel.tp, ranks = exchanging(p);
	const int64_t kv = p->model.attention == ATTENTION_MLA ? p->model.attention_heads : p->model.kv_heads;

	if (p->parallel.cp <= 1 || tp < 1 || ranks <= 1 ||
	    (p->model.attention_heads / tp % ranks == 0 && kv / tp % ranks == 0 && kv >= tp))
		return false;
	return BROKEN("all-to-all context parallel needs heads (%lld) and KV heads (%lld) over TP %lld divisible by its %lld ranks",
	    N(p->model.attention_heads), N(kv), N(tp), N(ranks));
}

BROKEN_IF(rule_ring_of_scores, p->parallel.cp_comm == CP_COMM_RING_QK,
    "ring self-attention (RingQK, RingAV) is ColossalAI's: others pass keys and values with p2p and "
    "keep no scores")

/* Rings know no windows, sinks are known where heads are exchanged alone
 * (attn_forward_func_with_cp), and DSA of Megatron-LM gathers. */
BREAKS(rule_cp_comm_impossible)
{
	const struct plan *p = f->plan;
	const struct model *m = &p->model;
	const int64_t cp = p->parallel.cp;
	const bool gathers = p->parallel.cp_comm == CP_COMM_ALLGATHER;
	const bool exchanges = exchanging(p) == cp;

	if (cp <= 1)
		return false;
	if (m->sliding_window > 0 && !m->linear_attention && params_has_local_layers(m) && !gathers &&
	    !exchanges)
		return BROKEN("context parallelism of layers with a window needs allgather or a2a");
	if ((m->attention_sinks || m->local_attention_sinks) && !exchanges)
		return BROKEN("context parallelism of attention with sinks needs a2a");
	if (m->attention == ATTENTION_MLA && m->index_heads > 0 && !gathers)
		return BROKEN("context parallelism of sparse attention needs allgather");
	return false;
}

/* Megatron-LM mixes residual streams in one stage of dense layers, which nothing runs again. */
BREAKS(rule_hyper_connections_impossible)
{
	const struct plan *p = f->plan;

	if (p->model.hyper_connections == 0)
		return false;
	if (p->parallel.pp > 1)
		return BROKEN("hyper-connections do not cross pipeline stages: PP is %lld",
		    N(p->parallel.pp));
	if (p->model.mtp_layers > 0)
		return BROKEN("hyper-connections go without MTP layers");
	if (p->training.recompute == RECOMPUTE_FULL)
		return BROKEN("hyper-connections go without full recompute");
	return false;
}

BROKEN_IF(rule_cp_without_flash,
    p->parallel.cp > 1 && p->parallel.cp_comm != CP_COMM_RING_QK && batch_unfused(p),
    "context parallelism (%lld) needs fused attention", N(p->parallel.cp))

BREAKS(rule_cp_before_ampere)
{
	const struct plan *p = f->plan;
	char name[PLAN_ID_SIZE];

	if (p->parallel.cp <= 1 || !generation_of(p)->no_flash)
		return false;
	if (size > 0)
		field_choice(FIELD_GENERATION, p->cluster.generation, name, sizeof name);
	return BROKEN("context parallelism (%lld) needs attention of Transformer Engine that runs on Ampere and later, not on %s",
	    N(p->parallel.cp), name);
}

/* ---- experts ---------------------------------------------------------------------------------- */

BROKEN_IF(rule_ep_without_experts, p->parallel.ep > 1 && !plan_has_experts(p),
    "EP %lld needs a model with experts", N(p->parallel.ep))

BROKEN_IF(rule_experts_do_not_divide,
    p->parallel.ep >= 1 && p->model.experts % p->parallel.ep != 0,
    "%lld experts are not divisible by EP %lld", N(p->model.experts), N(p->parallel.ep))

BREAKS(rule_router_groups)
{
	const struct model *m = &f->plan->model;

	if (m->experts == 0 || (m->router_groups <= 1 && m->router_group_topk <= 1))
		return false;
	if (m->router_groups >= 1 && m->experts % m->router_groups != 0)
		return BROKEN("%lld experts do not divide into %lld groups", N(m->experts),
		    N(m->router_groups));
	if (m->router_group_topk > m->router_groups)
		return BROKEN("a token may come to %lld of %lld groups of experts",
		    N(m->router_group_topk), N(m->router_groups));
	return false;
}

BREAKS(rule_topk_above_experts)
{
	const struct model *m = &f->plan->model;

	const int64_t all = m->experts + m->zero_experts;

	if (m->experts == 0 || (m->experts_per_token >= 1 && m->experts_per_token <= all))
		return false;
	return BROKEN("a token visits %lld of %lld experts", N(m->experts_per_token), N(all));
}

BROKEN_IF(rule_expert_size_missing, p->model.experts != 0 && p->model.moe_ffn_hidden_size <= 0,
    "a model with experts needs their FFN size")

BROKEN_IF(rule_etp_has_no_meaning, plan_has_experts(p) && p->parallel.etp > 1,
    "this layout does not split single experts: ETP is %lld, not 1", N(p->parallel.etp))

BROKEN_IF(rule_ep_tp_without_sp,
    p->parallel.ep > 1 && p->parallel.tp > 1 && !p->parallel.sequence_parallel,
    "EP with TP wants sequence parallel; releases before core 0.16 refuse it")

BROKEN_IF(rule_moe_bias_with_etp,
    plan_has_experts(p) && p->parallel.etp > 1 &&
    (p->model.linear_bias || p->model.expert_bias),
    "experts with a bias can not be split: ETP is %lld", N(p->parallel.etp))

BROKEN_IF(rule_topk_one, plan_has_experts(p) && p->model.experts_per_token == 1,
    "one expert a token: launch with --moe-router-pre-softmax")

BREAKS(rule_moe_overlap_impossible)
{
	const struct plan *p = f->plan;
	const struct training *t = &p->training;

	if (!t->moe_overlap)
		return false;
	if (p->parallel.ep <= 1)
		return BROKEN("overlapping expert traffic needs EP above 1");
	if (p->parallel.pp > 1 && f->placement != NULL && f->placement->vpp == 1)
		return BROKEN("overlapping expert traffic with PP needs VPP above 1");
	if (p->parallel.moe_dispatcher == DISPATCHER_ALLGATHER)
		return BROKEN("overlapping expert traffic needs another dispatcher than allgather");
	if (t->precision == PRECISION_FP32) /* FP8 has parameters in bf16 */
		return BROKEN("overlapping expert traffic needs bf16 or fp16");
	if (t->recompute == RECOMPUTE_FULL || (batch_again(p) & AGAIN_MOE) != 0)
		return BROKEN("overlapping expert traffic forbids recompute of whole layers and of moe");
	if (p->model.mtp_layers > 1)
		return BROKEN("overlapping expert traffic allows one MTP layer, not %lld", N(p->model.mtp_layers));
	return false;
}

BROKEN_IF(rule_mtp_with_positions,
    p->model.mtp_layers != 0 && p->model.position == POSITION_LEARNED,
    "MTP layers need rope or no position embedding")
