/*
 * rules_run.c - rules of batch and switches, of serving, and advice.
 */
#include <string.h>

#include "core/base/number.h"
#include "core/base/show.h"
#include "core/engine/engine.h"
#include "core/framework/stage_layout.h"
#include "core/model/params.h"
#include "core/plan/acceptance.h"
#include "core/plan/batch.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"
#include "core/plan/pool.h"
#include "core/rules/check_rules.h"

/* ---- batch ---------------------------------------------------------------------- */

BROKEN_IF(rule_batch_does_not_divide, f->layout != NULL && f->microbatches == 0,
    "global batch %lld is not a multiple of micro-batch %lld x DP %lld",
    N(p->training.global_batch_size), N(p->training.micro_batch_size), N(f->layout->dp))

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

BROKEN_IF(rule_group_out_of_range,
    interleaved(f) && (group_size(p) < p->parallel.pp || group_size(p) > f->microbatches),
    "interleaving runs groups of %lld micro-batches: that must be from PP %lld to the %lld of a step",
    N(group_size(p)), N(p->parallel.pp), N(f->microbatches))

BREAKS(rule_group_leaves_bubble)
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

BREAKS(rule_rounds_uneven)
{
	const int64_t schedule = f->plan->training.schedule, m = f->microbatches;
	int64_t group;

	if (f->placement == NULL || f->placement->vpp < 2 || m < 1 ||
	    (schedule != SCHEDULE_1F1B && schedule != SCHEDULE_ZB_1P))
		return false;
	group = placement_group(f->plan, f->placement->pp, m);
	if (m % group == 0)
		return false;
	return BROKEN("PyTorch interleaves %lld micro-batches on PP %lld in %lld rounds: these must be alike",
	    N(m), N(f->placement->pp), N(m / group));
}

static bool
pipelined(const struct facts *f, int64_t schedule)
{
	return plan_schedule(f->plan) == schedule;
}

BROKEN_IF(rule_dualpipe_odd, pipelined(f, SCHEDULE_DUALPIPE) && p->parallel.pp % 2 != 0,
    "DualPipe pairs the ranks of both ends: PP %lld is odd", N(p->parallel.pp))

BREAKS(rule_dualpipe_microbatches)
{
	const bool both = pipelined(f, SCHEDULE_DUALPIPE);
	const int64_t m = f->microbatches, pp = f->plan->parallel.pp;

	if ((!both && !pipelined(f, SCHEDULE_DUALPIPEV)) || m <= 0)
		return false;
	if (m < 2 * pp)
		return BROKEN("%lld micro-batches are less than the 2 x PP %lld that this schedule needs",
		    N(m), N(pp));
	if (both && m % 2 != 0)
		return BROKEN("half of the micro-batches start at each end: %lld is odd", N(m));
	return false;
}

BREAKS(rule_fork_chunks)
{
	if (f->placement == NULL || f->placement->vpp <= 1)
		return false;
	if (pipelined(f, SCHEDULE_DUALPIPE))
		return BROKEN("DualPipe has one chunk on each rank in each direction: VPP 1");
	if (pipelined(f, SCHEDULE_ZB_1P) || pipelined(f, SCHEDULE_ZB_2P))
		return BROKEN("zb-1p and zb-2p have one chunk on each rank: VPP 1");
	return false;
}

/* ---- switches --------------------------------------------------------------------------------- */

BROKEN_IF(rule_param_overlap_without_grad_overlap,
    p->parallel.zero_stage > 0 && p->training.overlap_param_gather &&
    !p->training.overlap_grad_reduce,
    "overlapping the parameter gather needs the gradient reduction overlapped too")

BREAKS(rule_recompute_module_unknown)
{
	const char *s = f->plan->training.recompute_modules;

	if (f->plan->training.recompute != RECOMPUTE_SELECTIVE)
		return false;
	while (*s != '\0') {
		size_t n = strcspn(s, ", ");

		if (n > 0 && text_index(batch_module_names, s, n) < 0)
			return BROKEN("%.*s is none of %s", (int)n, s, batch_module_names);
		s += n;
		s += strspn(s, ", ");
	}
	return false;
}

BREAKS(rule_recompute_without_module)
{
	const struct plan *p = f->plan;
	const unsigned again = batch_again(p);

	if ((again & AGAIN_MLA_UP_PROJ) != 0 && p->model.attention != ATTENTION_MLA)
		return BROKEN("mla_up_proj can be recomputed in models with MLA only");
	if (!plan_has_experts(p) && (again & AGAIN_MOE_ACT) != 0)
		return BROKEN("moe_act can be recomputed in models with experts only");
	return false;
}

BREAKS(rule_recompute_too_many)
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
leaves_nvlink(const struct plan *p)
{
	const int64_t tp = p->parallel.tp, domain = p->cluster.nvlink_domain;

	return tp > 1 && (tp > domain || domain % tp != 0);
}

BROKEN_IF(rule_tp_overlap_without_sp, p->training.tp_overlap && !p->parallel.sequence_parallel,
    "overlapping TP traffic needs sequence parallel")

/* Userbuffers are multicast handles of one NVLink domain (NVIDIA/TransformerEngine issue 1071; pull request 1470). */
BROKEN_IF(rule_tp_overlap_leaves_nvlink, p->training.tp_overlap && leaves_nvlink(p),
    "TP traffic overlaps within an NVLink domain, of %lld GPU%s: TP is %lld", N(p->cluster.nvlink_domain),
    TEXT_S(p->cluster.nvlink_domain), N(p->parallel.tp))

BROKEN_IF(rule_sp_without_tp, p->parallel.sequence_parallel && p->parallel.tp <= 1,
    "sequence parallel does nothing at TP 1: Megatron switches it off")

BROKEN_IF(rule_sp_off, !p->parallel.sequence_parallel && p->parallel.tp > 1,
    "TP without sequence parallel keeps norms and dropout whole on every rank")

BROKEN_IF(rule_layout_misplaced, f->placement != NULL && stage_layout_misplaced(p),
    "embedding or loss stand outside the first or last stage; Megatron builds them there all the same")

BROKEN_IF(rule_mtp_on_first_rank,
    f->placement != NULL && f->placement->pp != 1 && p->parallel.pipeline_layout[0] != '\0' &&
    placement_chunk(f->placement, 0, f->placement->vpp - 1)->mtp != 0,
    "MTP layers on the first pipeline rank: Megatron means to forbid that and misses this case")

BREAKS(rule_torchtitan_chunks)
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
	if (s == SCHEDULE_ZB_1P && p->parallel.vpp < 2)
		return BROKEN("interleaved zero bubble needs at least two stages on each rank: VPP 2");
	return false;
}

BROKEN_IF(rule_tied_with_pipeline, p->parallel.pp > 1 && p->model.tied_embeddings,
    "tied embeddings do not go with pipeline stages: PP is %lld", N(p->parallel.pp))

BROKEN_IF(rule_async_tp_uncompiled, p->training.tp_overlap && !p->training.torch_compile,
    "overlapping TP traffic (asyncTP) needs torch.compile")

BROKEN_IF(rule_too_few_microbatches,
    p->training.schedule != SCHEDULE_GPIPE && f->microbatches > 0 &&
    f->microbatches < p->parallel.pp - 1,
    "%lld micro-batches do not fill PP %lld: 1F1B needs at least one less than it",
    N(f->microbatches), N(p->parallel.pp))

BROKEN_IF(rule_chunks_without_pipeline, p->parallel.pp == 1 && p->parallel.vpp > 1,
    "VPP %lld cuts pipeline stages into chunks, and PP is 1: all layers are one chunk",
    N(p->parallel.vpp))

/* ---- serving ---------------------------------------------------------------------------------------- */

BROKEN_IF(rule_request_too_long,
    p->serving.prompt_tokens + p->serving.generate_tokens > p->serving.context_length,
    "a request of %lld + %lld tokens is longer than the context of %lld",
    N(p->serving.prompt_tokens), N(p->serving.generate_tokens), N(p->serving.context_length))

BROKEN_IF(rule_context_too_long, p->serving.context_length > p->model.max_position,
    "the context of %lld tokens is above the model's longest, %lld",
    N(p->serving.context_length), N(p->model.max_position))

BROKEN_IF(rule_tokens_are_no_blocks,
    engine_of(p)->passes_are_blocks && p->serving.max_batched_tokens % p->serving.block_size != 0,
    "%lld tokens in a pass are no whole number of blocks of %lld",
    N(p->serving.max_batched_tokens), N(p->serving.block_size))

BROKEN_IF(rule_fewer_tokens_than_requests,
    engine_of(p)->passes_hold_requests && p->serving.max_batched_tokens != 0 &&
    p->serving.max_batched_tokens < p->serving.max_num_seqs,
    "%lld tokens in a pass are fewer than the %lld requests of a batch",
    N(p->serving.max_batched_tokens), N(p->serving.max_num_seqs))

BROKEN_IF(rule_drafts_with_pipeline,
    engine_of(p)->drafts_on_one_stage && p->serving.draft_tokens != 0 && p->parallel.pp > 1,
    "SGLang drafts tokens without pipeline stages: PP is %lld", N(p->parallel.pp))

BREAKS(rule_prefill_workers_unknown)
{
	struct pool pool;
	char shown[PLAN_ID_SIZE];

	if (pool_parse(&pool, f->plan->serving.prefill_workers))
		return false;
	show_text(shown, sizeof shown, f->plan->serving.prefill_workers);
	return BROKEN("\"%s\" names no prefill workers: 2xtp4 are two engines of TP 4, 4xdp8 four of "
	    "8 ranks of data parallel attention", shown);
}

BREAKS(rule_prefill_heads_do_not_divide)
{
	const int64_t heads = f->plan->model.attention_heads;
	struct pool pool;

	return pool_parse(&pool, f->plan->serving.prefill_workers) && !pool.dp && pool.size >= 1 &&
	    heads % pool.size != 0 && BROKEN("%lld heads are not divisible by TP %lld of the prefill workers",
	    N(heads), N(pool.size));
}

enum { FP8_BLOCK = 128 }; /* weights a side that share a scale where a model is published so (DeepSeek-AI 2024,
                              * arXiv 2412.19437, section 3.3.2) */

/* How many ranks split an expert, and what the part of each is to be a multiple of. MXFP4's are padded (vLLM
 * vllm/model_executor/layers/quantization/mxfp4.py). */
static bool
expert_parts_left(const struct plan *p, int64_t *ranks, int64_t *unit)
{
	const bool blocks = engine_of(p)->blocks_are_whole && p->serving.weight_dtype == WEIGHT_FP8 &&
	    p->model.checkpoint_dtype == WEIGHT_FP8;

	*ranks = (int64_t)(params_expert_ranks(p) / at_least_one(p->parallel.ep));
	*unit = blocks ? FP8_BLOCK : 1;
	return plan_has_experts(p) && p->serving.ffn_gpus == 0 && p->serving.weight_dtype != WEIGHT_MXFP4 &&
	    p->model.moe_ffn_hidden_size % product_of(*ranks, *unit) != 0;
}

#define EXPERTS_LEFT "%lld ranks split experts %lld wide: no whole multiple of %lld is left on each"

BREAKS(rule_expert_parts_do_not_divide)
{
	int64_t ranks, unit;

	return expert_parts_left(f->plan, &ranks, &unit) && BROKEN(EXPERTS_LEFT, N(ranks),
	    N(f->plan->model.moe_ffn_hidden_size), N(unit));
}

BREAKS(rule_prefill_parts_do_not_divide)
{
	struct pool pool;
	struct plan q;
	int64_t ranks, unit;

	if (!pool_parse(&pool, f->plan->serving.prefill_workers) || pool.size < 1)
		return false;
	q = pool_plan(f->plan, &pool);
	return expert_parts_left(&q, &ranks, &unit) && BROKEN(EXPERTS_LEFT " of the prefill workers", N(ranks),
	    N(q.model.moe_ffn_hidden_size), N(unit));
}

BROKEN_IF(rule_accepts_more_than_drafted,
    p->serving.accepted_tokens > (double)p->serving.draft_tokens,
    "%.3g tokens are accepted of %lld drafted", p->serving.accepted_tokens,
    N(p->serving.draft_tokens))

BROKEN_IF(rule_acceptance_unknown,
    acceptance_tokens(p->serving.acceptance, 1) < 0,
    "'%s' is no row of shares that fall, such as 0.84,0.66", p->serving.acceptance)

BROKEN_IF(rule_copies_do_not_fit,
    p->serving.redundant_experts > 0 && (!plan_has_experts(p) || p->parallel.ep <= 1 ||
    (p->model.experts + p->serving.redundant_experts) % p->parallel.ep != 0),
    "copies of experts need EP above 1 that divides experts and copies together, %lld",
    N(p->model.experts + p->serving.redundant_experts))

BROKEN_IF(rule_images_without_tower,
    p->serving.images > 0 && !(p->model.vision_params > 0),
    "images go through a tower, and the model has none that is told (model.vision_params is 0)")

BROKEN_IF(rule_host_cache_is_unused,
    p->serving.kv_host_gib > 0 && !(p->serving.prefix_hit > 0),
    "KV cache on the host serves prefixes that are found again, and none is "
    "(serving.prefix_hit is 0)")

/* GPUs of one pipeline stage of an engine. */
static int64_t
stage_ranks(const struct plan *p)
{
	return pool_rest(p) / most_of(1, product_of(p->parallel.pp, p->serving.replicas));
}

BROKEN_IF(rule_ep_has_no_size,
    engine_of(p)->experts_over_all && p->parallel.ep > 1 && p->parallel.ep != stage_ranks(p),
    "vLLM has no EP size: experts spread over all of TP x DP, which are %lld ranks, or none",
    N(stage_ranks(p)))

/* TP of an engine, which data parallel ranks are a part of with DP attention alone. */
static int64_t
engine_ranks(const struct plan *p)
{
	return p->serving.dp_attention ? stage_ranks(p) : product_of(p->parallel.tp, p->parallel.cp);
}

BROKEN_IF(rule_ep_beyond_engine,
    !engine_of(p)->experts_over_all && p->parallel.ep > 1 && plan_has_experts(p) && engine_ranks(p) % p->parallel.ep != 0,
    "EP %lld does not divide the %lld ranks of an engine: copies of it share no experts", N(p->parallel.ep),
    N(engine_ranks(p)))

BROKEN_IF(rule_dp_attention_without_experts,
    p->serving.dp_attention && engine_of(p)->experts_over_all && !plan_has_experts(p),
    "data parallel ranks of a model without experts are whole engines in vLLM: TP %lld "
    "would split attention too", N(p->parallel.tp))

BROKEN_IF(rule_halves_without_exchange,
    p->serving.two_batch_overlap && (engine_of(p)->halves == NULL || !plan_has_experts(p) ||
    (p->parallel.ep <= 1 && p->serving.ffn_gpus == 0)),
    "two halves of a batch overlap while tokens travel to experts of other GPUs%s: there is nothing of "
    "the kind here", engine_of(p)->halves == NULL ? ", in vLLM and SGLang" : "")

BROKEN_IF(rule_ffn_apart_impossible,
    p->serving.ffn_gpus > 0 && (engine_of(p)->apart == NULL || !plan_has_experts(p) || p->parallel.pp > 1 ||
    p->parallel.cp > 1 || p->serving.dcp > 1 || p->serving.draft_tokens > 0 || p->serving.max_loras > 0 ||
    p->serving.redundant_experts > 0),
    "MLPs on GPUs of their own are a plugin of vLLM's, for models with experts, without PP, PCP, DCP, drafts, "
    "adapters and copies of experts")

BROKEN_IF(rule_ffn_apart_with_ep,
    p->serving.ffn_gpus > 0 && p->parallel.ep > 1,
    "the experts are on %lld GPUs of their own, spread over these: EP %lld would be on those that attend",
    N(p->serving.ffn_gpus), N(p->parallel.ep))

BROKEN_IF(rule_ffn_apart_too_many,
    p->serving.ffn_gpus > 0 && stage_ranks(p) > 0 && (p->serving.ffn_gpus > stage_ranks(p) ||
    p->serving.ffn_gpus % most_of(1, p->serving.dp_attention ? 1 : p->parallel.tp) != 0),
    "%lld GPUs of MLPs serve %lld that attend: at least one each, and as wide in TP (%lld)",
    N(p->serving.ffn_gpus), N(stage_ranks(p)), N(p->serving.dp_attention ? 1 : p->parallel.tp))

BREAKS(rule_dcp_without_copies)
{
	const struct plan *p = f->plan;
	/* a latent is one for all heads */
	const int64_t heads = p->model.attention == ATTENTION_MLA ? 1 : p->model.kv_heads;
	const int64_t dcp = p->serving.dcp;
	const int64_t tp = p->serving.dp_attention ? 1 : p->parallel.tp;
	const int64_t per_head = heads > 0 ? p->model.attention_heads / heads : 1;
	const int64_t copies = heads > 0 && tp > heads ? tp / heads : 1;

	if (dcp <= 1 || p->parallel.cp > 1)
		return false;
	if (dcp > copies)
		return BROKEN("DCP %lld splits copies of a KV head: attention TP %lld with %lld heads has "
		    "only %lld", N(dcp), N(tp), N(heads), N(copies));
	if (per_head % dcp != 0)
		return BROKEN("%lld heads share a KV head: not divisible by DCP %lld", N(per_head), N(dcp));
	return false;
}

BROKEN_IF(rule_layout_is_for_serving, true,
    "vllm lays out serving engines: a training plan follows another layout")

BROKEN_IF(rule_layout_is_for_training, true,
    "a serving plan follows the vllm layout")

/* ---- advice -------------------------------------------------------------------------------------------- */

BROKEN_IF(rule_tp_leaves_nvlink, leaves_nvlink(p),
    "TP %lld crosses the network: an NVLink domain has %lld GPU%s",
    N(p->parallel.tp), N(p->cluster.nvlink_domain), TEXT_S(p->cluster.nvlink_domain))

BROKEN_IF(rule_domain_cuts_nodes,
    p->cluster.nvlink_domain % p->cluster.gpus_per_node != 0 &&
    p->cluster.gpus_per_node % p->cluster.nvlink_domain != 0,
    "an NVLink domain of %lld GPUs is neither whole nodes of %lld nor an even part of one",
    N(p->cluster.nvlink_domain), N(p->cluster.gpus_per_node))

BROKEN_IF(rule_domain_of_one,
    p->cluster.nvlink_domain == 1 && p->cluster.gpus_per_node > 1,
    "an NVLink domain of one GPU sends all traffic of a group that leaves a node through its NICs, "
    "that inside the node too: a box without NVLink is said by its fabric, cluster.fabric=pcie")

BROKEN_IF(rule_fp8_without_units,
    (p->mode == MODE_SERVE ? p->serving.weight_dtype == WEIGHT_FP8 : format_of(p).quantised) &&
    !(p->cluster.fp8_tflops > 0), "%s has no FP8 units", p->cluster.gpu)

BROKEN_IF(rule_fp4_cache_without_units, p->serving.kv_dtype == KV_NVFP4 && p->cluster.bf16_tflops > 0 &&
    !(p->cluster.fp4_tflops > 0),
    "kernels that read a KV cache in NVFP4 are those of GPUs with FP4 units, and %s has none", p->cluster.gpu)

BROKEN_IF(rule_products_not_timed, p->cluster.memory_gib > 0 && hardware_lacks(p) == FIELD_BF16_TFLOPS,
    "no times without the BF16 rate of %s: set cluster.bf16_tflops to that of its data sheet",
    p->cluster.gpu)

BROKEN_IF(rule_memory_not_timed, p->cluster.memory_gib > 0 && hardware_lacks(p) == FIELD_HBM_GBPS,
    "no times without the memory speed of %s: set cluster.hbm_gbps to that of its data sheet",
    p->cluster.gpu)
