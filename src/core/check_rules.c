/*
 * The rules between fields, beyond layout and layer placement: what the launchers assert
 * before a run, what breaks in its first step, and what runs badly.
 */
#include <string.h>

#include "core/check.h"
#include "core/stage_layout.h"
#include "core/text.h"

#define ARGUMENTS "Megatron-LM megatron/training/arguments.py"
#define CONFIG "Megatron-LM megatron/core/transformer/transformer_config.py"
#define SCHEDULES "Megatron-LM megatron/core/pipeline_parallel/schedules.py"
#define MLP "Megatron-LM megatron/core/utils.py, divide"
#define TE_CP "TransformerEngine transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py"



/* Say why and report the rule as broken. */
#define BROKEN(...) (text_put(message, size, __VA_ARGS__), true)
#define N(value) ((long long)(value))

static bool
in_list(const char *list, const char *word, size_t length)
{
	while (*list != '\0') {
		size_t n = strcspn(list, ", ");

		if (n == length && strncmp(list, word, n) == 0)
			return true;
		list += n;
		list += strspn(list, ", ");
	}
	return false;
}

static bool
recomputes(const struct plan *p, const char *module)
{
	return p->training.recompute == RECOMPUTE_SELECTIVE &&
	    in_list(p->training.recompute_modules, module, strlen(module));
}

/* ---- batch ---------------------------------------------------------------------- */

static bool
batch_does_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct training *t = &f->plan->training;

	if (f->layout == NULL || f->microbatches > 0)
		return false;
	return BROKEN("global batch %lld is not a multiple of micro-batch %lld x DP %lld",
	    N(t->global_batch_size), N(t->micro_batch_size), N(f->layout->dp));
}

static int64_t
group_size(const struct plan *p)
{
	return p->training.microbatch_group_size > 0 ? p->training.microbatch_group_size : p->parallel.pp;
}

static bool
interleaved(const struct facts *f)
{
	return f->placement != NULL && f->placement->vpp > 1 && f->microbatches > 0 &&
	    f->plan->training.schedule == SCHEDULE_1F1B && group_size(f->plan) > 0;
}

static bool
group_out_of_range(const struct facts *f, char *message, size_t size)
{
	const int64_t group = group_size(f->plan), pp = f->plan->parallel.pp;

	if (!interleaved(f) || (group >= pp && group <= f->microbatches))
		return false;
	return BROKEN("interleaving runs groups of %lld micro-batches: that must be from PP %lld to the %lld of a step",
	    N(group), N(pp), N(f->microbatches));
}

static bool
group_leaves_bubble(const struct facts *f, char *message, size_t size)
{
	const int64_t group = group_size(f->plan), pp = f->plan->parallel.pp;
	int64_t left;

	if (!interleaved(f))
		return false;
	left = f->microbatches % group;
	if (left == 0 || left >= pp)
		return false;
	return BROKEN("the last group of %lld micro-batches (%lld in groups of %lld) is shorter than PP %lld",
	    N(left), N(f->microbatches), N(group), N(pp));
}

/* ---- heads and widths over TP --------------------------------------------------------- */

static bool
heads_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const int64_t heads = f->plan->model.attention_heads, tp = f->plan->parallel.tp;

	if (tp < 1 || heads % tp == 0)
		return false;
	return BROKEN("%lld attention heads are not divisible by TP %lld", N(heads), N(tp));
}

static bool
kv_heads_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const int64_t kv = f->plan->model.kv_heads, tp = f->plan->parallel.tp;

	if (tp < 1 || f->plan->model.attention == ATTENTION_MLA || kv % tp == 0 || tp % kv == 0)
		return false;
	return BROKEN("%lld KV heads are neither a multiple nor a divisor of TP %lld", N(kv), N(tp));
}

static bool
nanotron_kv_heads(const struct facts *f, char *message, size_t size)
{
	const int64_t kv = f->plan->model.kv_heads, tp = f->plan->parallel.tp;

	if (tp < 1 || kv % tp == 0)
		return false;
	return BROKEN("%lld KV heads are not divisible by TP %lld", N(kv), N(tp));
}

static bool
kv_heads_do_not_group(const struct facts *f, char *message, size_t size)
{
	const struct model *m = &f->plan->model;

	if (m->attention == ATTENTION_MLA || m->attention_heads % m->kv_heads == 0)
		return false;
	return BROKEN("%lld attention heads can not share %lld KV heads evenly", N(m->attention_heads),
	    N(m->kv_heads));
}

static bool
ffn_does_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const bool has_dense = !plan_has_experts(p) || p->model.dense_layers > 0 || p->model.moe_layer_every > 1;

	if (p->parallel.tp < 1 || !has_dense || p->model.ffn_hidden_size % p->parallel.tp == 0)
		return false;
	return BROKEN("FFN size %lld is not divisible by TP %lld", N(p->model.ffn_hidden_size),
	    N(p->parallel.tp));
}

static bool
expert_ffn_does_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (p->parallel.etp < 1 || !plan_has_experts(p) ||
	    p->model.moe_ffn_hidden_size % p->parallel.etp == 0)
		return false;
	return BROKEN("expert FFN size %lld is not divisible by ETP %lld", N(p->model.moe_ffn_hidden_size),
	    N(p->parallel.etp));
}

static bool
shared_ffn_does_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (p->parallel.tp < 1 || !plan_has_experts(p) ||
	    p->model.shared_expert_ffn_hidden_size % p->parallel.tp == 0)
		return false;
	return BROKEN("shared expert FFN size %lld is not divisible by TP %lld",
	    N(p->model.shared_expert_ffn_hidden_size), N(p->parallel.tp));
}

/* ---- sequence ------------------------------------------------------------------------------ */

static bool
sequence_does_not_divide_by_cp(const struct facts *f, char *message, size_t size)
{
	const int64_t seq = f->plan->training.sequence_length, cp = f->plan->parallel.cp;

	if (cp <= 1 || seq % (2 * cp) == 0)
		return false;
	return BROKEN("sequence length %lld is not divisible by 2 x CP %lld", N(seq), N(cp));
}

static bool
sequence_does_not_divide_by_tp(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const int64_t seq = p->training.sequence_length, tp = p->parallel.tp, cp = p->parallel.cp;

	if (!p->parallel.sequence_parallel || tp < 1 || cp < 1 || seq % cp != 0 || seq / cp % tp == 0)
		return false;
	return BROKEN("sequence parallel splits %lld tokens (sequence over CP) by TP %lld: not divisible",
	    N(seq / cp), N(tp));
}

static bool
torchtitan_sequence(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const int64_t seq = p->training.sequence_length;
	const int64_t by = p->parallel.tp * (p->parallel.cp > 1 ? 2 * p->parallel.cp : 1);

	if (by < 1 || seq % by == 0)
		return false;
	return BROKEN("sequence length %lld is not divisible by TP x 2 x CP = %lld", N(seq), N(by));
}

static bool
sequence_too_long(const struct facts *f, char *message, size_t size)
{
	const int64_t seq = f->plan->training.sequence_length, most = f->plan->model.max_position;

	if (seq <= most)
		return false;
	return BROKEN("sequence length %lld is above the model's longest context %lld", N(seq), N(most));
}

static bool
hierarchy_missing(const struct facts *f, char *message, size_t size)
{
	const struct parallel *par = &f->plan->parallel;

	if (par->cp <= 1 || par->cp_comm != CP_COMM_A2A_P2P || par->hierarchical_cp[0] != '\0')
		return false;
	return BROKEN("a2a+p2p needs the two sizes of hierarchical_cp");
}

static bool
a2a_heads_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const int64_t tp = p->parallel.tp, cp = p->parallel.cp;
	const int64_t kv = p->model.attention == ATTENTION_MLA ? p->model.attention_heads : p->model.kv_heads;

	if (cp <= 1 || tp < 1 || p->parallel.cp_comm != CP_COMM_A2A ||
	    (p->model.attention_heads / tp % cp == 0 && kv / tp % cp == 0 && kv >= tp))
		return false;
	return BROKEN("all-to-all context parallel needs heads (%lld) and KV heads (%lld) over TP %lld divisible by CP %lld",
	    N(p->model.attention_heads), N(kv), N(tp), N(cp));
}

/* ---- experts ---------------------------------------------------------------------------------- */

static bool
ep_without_experts(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.ep <= 1 || plan_has_experts(f->plan))
		return false;
	return BROKEN("EP %lld needs a model with experts", N(f->plan->parallel.ep));
}

static bool
experts_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const int64_t experts = f->plan->model.experts, ep = f->plan->parallel.ep;

	if (ep < 1 || experts % ep == 0)
		return false;
	return BROKEN("%lld experts are not divisible by EP %lld", N(experts), N(ep));
}

static bool
topk_above_experts(const struct facts *f, char *message, size_t size)
{
	const struct model *m = &f->plan->model;

	if (m->experts == 0 || (m->experts_per_token >= 1 && m->experts_per_token <= m->experts))
		return false;
	return BROKEN("a token visits %lld of %lld experts", N(m->experts_per_token), N(m->experts));
}

static bool
expert_size_missing(const struct facts *f, char *message, size_t size)
{
	if (f->plan->model.experts == 0 || f->plan->model.moe_ffn_hidden_size > 0)
		return false;
	return BROKEN("a model with experts needs their FFN size");
}

static bool
ep_tp_without_sp(const struct facts *f, char *message, size_t size)
{
	const struct parallel *par = &f->plan->parallel;

	if (par->ep <= 1 || par->tp <= 1 || par->sequence_parallel)
		return false;
	return BROKEN("EP with TP wants sequence parallel; releases before core 0.16 refuse it");
}

static bool
moe_bias_with_etp(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (!plan_has_experts(p) || p->parallel.etp <= 1 || !(p->model.linear_bias || p->model.expert_bias))
		return false;
	return BROKEN("experts with a bias can not be split: ETP is %lld", N(p->parallel.etp));
}

static bool
topk_one(const struct facts *f, char *message, size_t size)
{
	if (!plan_has_experts(f->plan) || f->plan->model.experts_per_token != 1)
		return false;
	return BROKEN("one expert a token: launch with --moe-router-pre-softmax");
}

static bool
moe_overlap_impossible(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const struct training *t = &p->training;

	if (!t->moe_overlap)
		return false;
	if (p->parallel.ep <= 1)
		return BROKEN("overlapping expert traffic needs EP above 1");
	if (p->parallel.pp > 1 && f->placement != NULL && f->placement->vpp == 1)
		return BROKEN("overlapping expert traffic with PP needs VPP above 1");
	if (t->precision != PRECISION_BF16 && t->precision != PRECISION_FP16)
		return BROKEN("overlapping expert traffic needs bf16 or fp16");
	if (t->recompute == RECOMPUTE_FULL || recomputes(p, "moe"))
		return BROKEN("overlapping expert traffic forbids recompute of whole layers and of moe");
	if (p->model.mtp_layers > 1)
		return BROKEN("overlapping expert traffic allows one MTP layer, not %lld", N(p->model.mtp_layers));
	return false;
}

static bool
mtp_with_positions(const struct facts *f, char *message, size_t size)
{
	if (f->plan->model.mtp_layers == 0 || f->plan->model.position != POSITION_LEARNED)
		return false;
	return BROKEN("MTP layers need rope or no position embedding");
}

/* ---- state and switches ----------------------------------------------------------------------- */

static bool
param_overlap_without_grad_overlap(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (p->parallel.zero_stage == 0 || !p->training.overlap_param_gather || p->training.overlap_grad_reduce)
		return false;
	return BROKEN("overlapping the parameter gather needs the gradient reduction overlapped too");
}

static bool
fp8_gather_without_zero(const struct facts *f, char *message, size_t size)
{
	if (!f->plan->training.fp8_param_gather || f->plan->parallel.zero_stage > 0)
		return false;
	return BROKEN("FP8 parameters need the distributed optimizer or FSDP");
}

static bool
fp8_gather_without_fp8(const struct facts *f, char *message, size_t size)
{
	if (!f->plan->training.fp8_param_gather || f->plan->training.precision == PRECISION_FP8)
		return false;
	return BROKEN("FP8 parameters need precision fp8");
}

static bool
fsdp_optimizer(const struct facts *f, char *message, size_t size)
{
	const int64_t optimizer = f->plan->training.optimizer;

	if (f->plan->parallel.zero_stage < 2 || optimizer == OPTIMIZER_ADAM || optimizer == OPTIMIZER_SGD)
		return false;
	return BROKEN("Megatron-FSDP (ZeRO 2 and 3) takes adam or sgd");
}

static bool
recompute_module_unknown(const struct facts *f, char *message, size_t size)
{
	static const char known[] = "core_attn moe_act layernorm mla_up_proj mlp moe shared_experts";
	const char *s = f->plan->training.recompute_modules;

	if (f->plan->training.recompute != RECOMPUTE_SELECTIVE)
		return false;
	while (*s != '\0') {
		size_t n = strcspn(s, ", ");

		if (n > 0 && !in_list(known, s, n))
			return BROKEN("%.*s is none of %s", (int)n, s, known);
		s += n;
		s += strspn(s, ", ");
	}
	return false;
}

static bool
recompute_without_module(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (recomputes(p, "mla_up_proj") && p->model.attention != ATTENTION_MLA)
		return BROKEN("mla_up_proj can be recomputed in models with MLA only");
	if (!plan_has_experts(p) && (recomputes(p, "moe") || recomputes(p, "moe_act") ||
	    recomputes(p, "shared_experts")))
		return BROKEN("moe, moe_act and shared_experts can be recomputed in models with experts only");
	return false;
}

static bool
recompute_too_many(const struct facts *f, char *message, size_t size)
{
	const struct training *t = &f->plan->training;
	int64_t most = 0;

	if (t->recompute != RECOMPUTE_FULL || f->placement == NULL)
		return false;
	for (int64_t i = 0; i < f->placement->pp * f->placement->vpp; i++)
		if (f->placement->chunk[i].count > most)
			most = f->placement->chunk[i].count;
	if (t->recompute_layers <= most)
		return false;
	return BROKEN("%lld layers to recompute, but a chunk has at most %lld: Megatron takes that silently",
	    N(t->recompute_layers), N(most));
}

static bool
offload_without_precision(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.offload == OFFLOAD_NONE || f->plan->training.precision_aware_optimizer)
		return false;
	return BROKEN("offloading the optimizer needs the precision-aware optimizer");
}

static bool
tp_overlap_without_sp(const struct facts *f, char *message, size_t size)
{
	if (!f->plan->training.tp_overlap || f->plan->parallel.sequence_parallel)
		return false;
	return BROKEN("overlapping TP traffic needs sequence parallel");
}

static bool
sp_without_tp(const struct facts *f, char *message, size_t size)
{
	if (!f->plan->parallel.sequence_parallel || f->plan->parallel.tp > 1)
		return false;
	return BROKEN("sequence parallel does nothing at TP 1: Megatron switches it off");
}

static bool
sp_off(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.sequence_parallel || f->plan->parallel.tp <= 1)
		return false;
	return BROKEN("TP without sequence parallel keeps norms and dropout whole on every rank");
}

static bool
layout_misplaced(const struct facts *f, char *message, size_t size)
{
	if (f->placement == NULL || !stage_layout_misplaced(f->plan))
		return false;
	return BROKEN("embedding or loss stand outside the first or last stage; Megatron builds them there all the same");
}

static bool
mtp_on_first_rank(const struct facts *f, char *message, size_t size)
{
	const struct placement *pl = f->placement;

	if (pl == NULL || pl->pp == 1 || f->plan->parallel.pipeline_layout[0] == '\0' ||
	    placement_chunk(pl, 0, pl->vpp - 1)->mtp == 0)
		return false;
	return BROKEN("MTP layers on the first pipeline rank: Megatron means to forbid that and misses this case");
}

static bool
zero_with_pipeline(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.pp <= 1 || f->plan->parallel.zero_stage < 2)
		return false;
	return BROKEN("ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism");
}

static bool
moe_with_zero3(const struct facts *f, char *message, size_t size)
{
	if (!plan_has_experts(f->plan) || f->plan->parallel.zero_stage < 3)
		return false;
	return BROKEN("DeepSpeed's MoE does not work with ZeRO-3");
}

static bool
nanotron_zero(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.zero_stage <= 1)
		return false;
	return BROKEN("nanotron builds ZeRO-1 whatever the stage");
}

static bool
torchtitan_chunks(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const int64_t s = p->training.schedule;
	const bool folded = s == SCHEDULE_ZB_V || s == SCHEDULE_DUALPIPEV;

	if (p->parallel.pp <= 1)
		return false;
	if (folded && p->parallel.vpp != 2)
		return BROKEN("zb-v and dualpipev need exactly two stages on each rank: VPP 2");
	if (s == SCHEDULE_GPIPE && p->parallel.vpp != 1)
		return BROKEN("gpipe has one stage on each rank: VPP 1");
	return false;
}

/* ---- serving ---------------------------------------------------------------------------------------- */

static bool
request_too_long(const struct facts *f, char *message, size_t size)
{
	const struct serving *s = &f->plan->serving;

	if (s->prompt_tokens + s->generate_tokens <= s->context_length)
		return false;
	return BROKEN("a request of %lld + %lld tokens is longer than the context of %lld",
	    N(s->prompt_tokens), N(s->generate_tokens), N(s->context_length));
}

static bool
context_too_long(const struct facts *f, char *message, size_t size)
{
	if (f->plan->serving.context_length <= f->plan->model.max_position)
		return false;
	return BROKEN("the context of %lld tokens is above the model's longest, %lld",
	    N(f->plan->serving.context_length), N(f->plan->model.max_position));
}

static bool
tokens_are_no_blocks(const struct facts *f, char *message, size_t size)
{
	const struct serving *s = &f->plan->serving;

	if (s->engine == ENGINE_VLLM || s->max_batched_tokens % s->block_size == 0)
		return false;
	return BROKEN("%lld tokens in a pass are no whole number of blocks of %lld",
	    N(s->max_batched_tokens), N(s->block_size));
}

static bool
ep_has_no_size(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.ep <= 1)
		return false;
	return BROKEN("vLLM has no EP size: experts spread over all of TP x DP");
}

static bool
layout_is_for_serving(const struct facts *f, char *message, size_t size)
{
	(void)f;
	return BROKEN("vllm lays out serving engines: a training plan follows another layout");
}

static bool
layout_is_for_training(const struct facts *f, char *message, size_t size)
{
	(void)f;
	return BROKEN("a serving plan follows the vllm layout");
}

/* ---- advice -------------------------------------------------------------------------------------------- */

static bool
tp_leaves_nvlink(const struct facts *f, char *message, size_t size)
{
	const int64_t tp = f->plan->parallel.tp, domain = f->plan->cluster.nvlink_domain;

	if (tp <= 1 || (tp <= domain && domain % tp == 0))
		return false;
	return BROKEN("TP %lld does not stay inside NVLink domains of %lld GPUs: its traffic crosses the network",
	    N(tp), N(domain));
}

static bool
domain_cuts_nodes(const struct facts *f, char *message, size_t size)
{
	const int64_t domain = f->plan->cluster.nvlink_domain, node = f->plan->cluster.gpus_per_node;

	if (domain % node == 0 || node % domain == 0)
		return false;
	return BROKEN("an NVLink domain of %lld GPUs is neither whole nodes of %lld nor an even part of one",
	    N(domain), N(node));
}

static bool
fp8_without_units(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const bool wanted = p->mode == MODE_SERVE ? p->serving.weight_dtype == WEIGHT_FP8
	                                          : p->training.precision == PRECISION_FP8;

	if (!wanted || p->cluster.fp8_tflops > 0)
		return false;
	return BROKEN("%s has no FP8 units", p->cluster.gpu);
}

#define M (1U << LAYOUT_MEGATRON)
#define D (1U << LAYOUT_DEEPSPEED)
#define T (1U << LAYOUT_TORCHTITAN)
#define O (1U << LAYOUT_NANOTRON)
#define V (1U << LAYOUT_VLLM)
#define S (1U << LAYOUT_SEED)
#define ALL (M | D | T | O | V | S)
#define TRAINERS (M | D | T | O)
#define ERROR SEVERITY_ERROR
#define WARN SEVERITY_WARNING
#define HINT SEVERITY_HINT

const struct rule check_rules[] = {
	{ "global_batch_not_divisible", ERROR, FIELD_GLOBAL_BATCH_SIZE, TRAINERS | S, MODES_TRAIN,
	  "Megatron-LM megatron/core/num_microbatches_calculator.py; DeepSpeed deepspeed/runtime/config.py; torchtitan train.py", batch_does_not_divide },
	{ "vpp_group_out_of_range", ERROR, FIELD_MICROBATCH_GROUP_SIZE, M, MODES_TRAIN, SCHEDULES, group_out_of_range },
	{ "vpp_group_leaves_bubble", ERROR, FIELD_GLOBAL_BATCH_SIZE, M, MODES_TRAIN, SCHEDULES, group_leaves_bubble },
	{ "heads_not_divisible", ERROR, FIELD_TP, TRAINERS | V, MODES_BOTH, CONFIG, heads_do_not_divide },
	{ "kv_heads_not_divisible", ERROR, FIELD_TP, M, MODES_BOTH, CONFIG, kv_heads_do_not_divide },
	{ "kv_heads_not_divisible", ERROR, FIELD_TP, O, MODES_TRAIN, "nanotron src/nanotron/models/llama.py", nanotron_kv_heads },
	{ "kv_heads_not_dividing_heads", ERROR, FIELD_KV_HEADS, ALL, MODES_BOTH, CONFIG, kv_heads_do_not_group },
	{ "ffn_not_divisible", ERROR, FIELD_TP, TRAINERS, MODES_TRAIN, MLP, ffn_does_not_divide },
	{ "expert_ffn_not_divisible", ERROR, FIELD_ETP, M | D, MODES_TRAIN, MLP, expert_ffn_does_not_divide },
	{ "shared_ffn_not_divisible", ERROR, FIELD_TP, M, MODES_TRAIN, MLP, shared_ffn_does_not_divide },
	{ "sequence_not_divisible_by_cp", ERROR, FIELD_SEQUENCE_LENGTH, M, MODES_TRAIN, ARGUMENTS, sequence_does_not_divide_by_cp },
	{ "sequence_not_divisible_by_tp", ERROR, FIELD_SEQUENCE_LENGTH, M | D | O, MODES_TRAIN,
	  "Megatron-LM megatron/core/tensor_parallel/mappings.py", sequence_does_not_divide_by_tp },
	{ "sequence_not_divisible", ERROR, FIELD_SEQUENCE_LENGTH, T, MODES_TRAIN, "torchtitan torchtitan/distributed/parallel_dims.py", torchtitan_sequence },
	{ "sequence_too_long", ERROR, FIELD_SEQUENCE_LENGTH, M, MODES_TRAIN, ARGUMENTS, sequence_too_long },
	{ "sequence_too_long", WARN, FIELD_SEQUENCE_LENGTH, D | T | O, MODES_TRAIN, "the model's published configuration", sequence_too_long },
	{ "hcp_missing", ERROR, FIELD_HIERARCHICAL_CP, M, MODES_TRAIN, ARGUMENTS, hierarchy_missing },
	{ "a2a_heads_not_divisible", ERROR, FIELD_CP_COMM, M, MODES_TRAIN, TE_CP, a2a_heads_do_not_divide },
	{ "ep_needs_experts", ERROR, FIELD_EP, M | T, MODES_BOTH, ARGUMENTS, ep_without_experts },
	{ "experts_not_divisible", ERROR, FIELD_EP, M | D | T, MODES_BOTH, ARGUMENTS, experts_do_not_divide },
	{ "topk_above_experts", ERROR, FIELD_EXPERTS_PER_TOKEN, ALL, MODES_BOTH, "Megatron-LM megatron/core/transformer/moe/router.py", topk_above_experts },
	{ "expert_size_missing", ERROR, FIELD_MOE_FFN_HIDDEN_SIZE, ALL, MODES_BOTH, CONFIG, expert_size_missing },
	{ "moe_bias_with_etp", ERROR, FIELD_ETP, M, MODES_TRAIN, CONFIG, moe_bias_with_etp },
	{ "moe_overlap_impossible", ERROR, FIELD_MOE_OVERLAP, M, MODES_TRAIN, CONFIG, moe_overlap_impossible },
	{ "mtp_position", ERROR, FIELD_POSITION, M, MODES_TRAIN, ARGUMENTS, mtp_with_positions },
	{ "overlap_param_needs_grad", ERROR, FIELD_OVERLAP_PARAM_GATHER, M, MODES_TRAIN, ARGUMENTS, param_overlap_without_grad_overlap },
	{ "fp8_param_gather_needs_zero", ERROR, FIELD_FP8_PARAM_GATHER, M, MODES_TRAIN, ARGUMENTS, fp8_gather_without_zero },
	{ "fp8_param_gather_needs_fp8", ERROR, FIELD_FP8_PARAM_GATHER, M, MODES_TRAIN, ARGUMENTS, fp8_gather_without_fp8 },
	{ "fsdp_optimizer", ERROR, FIELD_OPTIMIZER, M, MODES_TRAIN, ARGUMENTS, fsdp_optimizer },
	{ "recompute_module_unknown", ERROR, FIELD_RECOMPUTE_MODULES, M, MODES_TRAIN, CONFIG, recompute_module_unknown },
	{ "recompute_module_missing", ERROR, FIELD_RECOMPUTE_MODULES, M, MODES_TRAIN, CONFIG, recompute_without_module },
	{ "offload_needs_precision_aware", ERROR, FIELD_OFFLOAD, M, MODES_TRAIN, ARGUMENTS, offload_without_precision },
	{ "tp_overlap_needs_sp", ERROR, FIELD_TP_OVERLAP, M, MODES_TRAIN, ARGUMENTS, tp_overlap_without_sp },
	{ "zero_with_pipeline", ERROR, FIELD_ZERO_STAGE, D, MODES_TRAIN, "DeepSpeed deepspeed/runtime/pipe/engine.py", zero_with_pipeline },
	{ "moe_with_zero3", ERROR, FIELD_ZERO_STAGE, D, MODES_TRAIN, "DeepSpeed deepspeed/runtime/engine.py", moe_with_zero3 },
	{ "schedule_chunks", ERROR, FIELD_VPP, T, MODES_TRAIN, "torchtitan torchtitan/distributed/pipeline_parallel.py", torchtitan_chunks },
	{ "request_too_long", ERROR, FIELD_CONTEXT_LENGTH, ALL, MODES_SERVE, "vLLM vllm/config/model.py, max_model_len", request_too_long },
	{ "tokens_not_blocks", ERROR, FIELD_MAX_BATCHED_TOKENS, ALL, MODES_SERVE,
	  "SGLang python/sglang/srt/server_args.py; TensorRT-LLM tensorrt_llm/llmapi", tokens_are_no_blocks },
	{ "context_too_long", WARN, FIELD_CONTEXT_LENGTH, ALL, MODES_SERVE, "vLLM vllm/config/model.py, max_model_len", context_too_long },
	{ "ep_tp_without_sp", WARN, FIELD_SEQUENCE_PARALLEL, M, MODES_TRAIN, "Megatron-LM megatron/core/model_parallel_config.py", ep_tp_without_sp },
	{ "recompute_too_many", WARN, FIELD_RECOMPUTE_LAYERS, M, MODES_TRAIN, CONFIG, recompute_too_many },
	{ "layout_misplaced", WARN, FIELD_PIPELINE_LAYOUT, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/transformer/pipeline_parallel_layer_layout.py", layout_misplaced },
	{ "mtp_on_first_rank", WARN, FIELD_PIPELINE_LAYOUT, M, MODES_TRAIN,
	  "Megatron-LM megatron/core/transformer/pipeline_parallel_layer_layout.py", mtp_on_first_rank },
	{ "nanotron_zero", WARN, FIELD_ZERO_STAGE, O, MODES_TRAIN, "nanotron src/nanotron/helpers.py", nanotron_zero },
	{ "ep_has_no_size", WARN, FIELD_EP, V, MODES_BOTH, "vLLM vllm/config/parallel.py", ep_has_no_size },
	{ "layout_for_serving", WARN, FIELD_LAYOUT, V, MODES_TRAIN, "vLLM vllm/distributed/parallel_state.py", layout_is_for_serving },
	{ "layout_for_training", WARN, FIELD_LAYOUT, M | D | T | O | S, MODES_SERVE, "vLLM vllm/distributed/parallel_state.py", layout_is_for_training },
	{ "tp_leaves_nvlink", WARN, FIELD_TP, ALL, MODES_BOTH, "Narayanan et al. 2021, arXiv 2104.04473, section 3.2", tp_leaves_nvlink },
	{ "domain_cuts_nodes", WARN, FIELD_NVLINK_DOMAIN, ALL, MODES_BOTH, "shardplan", domain_cuts_nodes },
	{ "fp8_without_units", WARN, FIELD_GPU, ALL, MODES_BOTH, "the GPU's data sheet", fp8_without_units },
	{ "topk_one", HINT, FIELD_EXPERTS_PER_TOKEN, M, MODES_TRAIN, CONFIG, topk_one },
	{ "sp_without_tp", HINT, FIELD_SEQUENCE_PARALLEL, M, MODES_TRAIN, ARGUMENTS, sp_without_tp },
	{ "sp_off", HINT, FIELD_SEQUENCE_PARALLEL, M, MODES_TRAIN, "Korthikanti et al. 2022, arXiv 2205.05198", sp_off },
};
const size_t check_rule_count = sizeof check_rules / sizeof *check_rules;
