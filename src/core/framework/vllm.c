/* vLLM: distributed/parallel_state.py, config/parallel.py, distributed/utils.py. */
#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/framework/layout_build.h"
#include "core/framework/megatron.h"
#include "core/framework/stage_build.h"

#define VLLM_STATE "vLLM vllm/distributed/parallel_state.py"
#define VLLM_CONFIG "vLLM vllm/config/parallel.py"

/* Decode context parallel reuses the ranks of the TP group. */
static bool
vllm_decode_context(const struct plan *p, struct diag_list *diags)
{
	const int64_t tp = p->parallel.tp, pcp = p->parallel.cp, dcp = p->serving.dcp;

	if (pcp == 1 && tp % dcp != 0)
		return DIAG_REFUSE(diags, FIELD_DCP, "dcp_not_dividing_tp", VLLM_CONFIG,
		    "TP %lld is not divisible by DCP %lld", (long long)tp, (long long)dcp);
	if (pcp > 1 && dcp != 1 && dcp != pcp && dcp != product_of(tp, pcp))
		return DIAG_REFUSE(diags, FIELD_DCP, "dcp_invalid_with_pcp", VLLM_CONFIG,
		    "with prefill context parallel %lld, DCP must be 1, %lld or %lld", (long long)pcp,
		    (long long)pcp, (long long)product_of(tp, pcp));
	return true;
}

static bool
vllm_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const int64_t engines = p->serving.replicas;
	const int64_t model = product_of(product_of(par->tp, par->cp), product_of(par->pp, engines));

	if (!vllm_decode_context(p, diags))
		return false;
	if (par->cp > 1 && l->world / model > 1)
		return DIAG_REFUSE(diags, FIELD_CP, "pcp_with_dp", VLLM_CONFIG,
		    "prefill context parallel (%lld) does not work with DP %lld: use more replicas",
		    (long long)par->cp, (long long)(l->world / model));
	if (l->world % model != 0)
		return LAYOUT_REFUSE(l, model, diags, FIELD_TP, "world_not_divisible", VLLM_STATE,
		    "TP %lld x PCP %lld x PP %lld x %lld engine%s", (long long)par->tp, (long long)par->cp,
		    (long long)par->pp, (long long)engines, TEXT_S(engines));
	l->dp = l->world / model;
	return true;
}

static void
vllm_group(struct layout *l, const struct plan *p)
{
	enum { RANKS, DECODE };
	enum { TP = 1, PCP = 2, PP = 4, DP = 8, DCP = 1 };
	static const struct kind_row kinds[] = {
		{ "tp", TP, RANKS }, { "dcp", DCP, DECODE }, { "pcp", PCP, RANKS },
		{ "pp", PP, RANKS }, { "dp", DP, RANKS }, { NULL, 0, 0 }
	};
	const struct parallel *par = &p->parallel;

	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "pcp", par->cp },
	    { "pp", par->pp }, { "dp", l->dp }, { "ext", p->serving.replicas }, { NULL, 0 } });
	layout_add_axes(l, (const struct axis_row[]){ { "dcp", p->serving.dcp },
	    { "rest", l->world / p->serving.dcp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	if (plan_has_experts(p) && p->serving.ffn_gpus == 0)
		layout_add_kind(l, RANKS, "ep", TP | PCP | DP);
}

/* vLLM distributed/utils.py, get_pp_indices: what does not divide goes to the stages before
 * the last, one each, from the back. */
static bool
vllm_place(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const int64_t pp = pl->pp, each = p->model.layers / pp, left = p->model.layers % pp;
	int64_t first = 0;

	if (!stage_one_chunk(p, diags))
		return false;
	for (int64_t r = 0; r < pp; r++) {
		const int64_t from_end = pp - r; /* 1 for the last stage */
		const int64_t count = each + (from_end >= 2 && from_end < left + 2);

		stage_put(stage_chunk(pl, r, 0), first, count);
		first += count;
	}
	stage_put_ends(pl, stage_chunk(pl, pp - 1, 0), p->model.mtp_layers);
	return true;
}

/* A training plan in this layout (layout_for_serving warns) counts as Megatron's. */
const struct framework framework_vllm = {
	.serves = true,
	.size = vllm_size,
	.group = vllm_group,
	.each_layer = { "tp", "pcp", "dcp", "ep" },
	.place = vllm_place,
	.state = megatron_state,
	.tp_splits_experts = true,
	.fuses_since = FRAMEWORK_EVER,
	.tp_beside_since = FRAMEWORK_EVER,
	.working = MEGATRON_FSDP,
	.bucket = MEGATRON_BUCKET,
	.loss = CE_TE,
};
