/*
 * Process groups of DeepSpeed, torchtitan, nanotron, vLLM, and of the web application
 * that this project grew from (its five functions equal Megatron's default order).
 */
#include "core/layout_build.h"
#include "core/text.h"

/* ---- DeepSpeed: runtime/pipe/topology.py, utils/groups.py -------------------------- */

#define TOPOLOGY "DeepSpeed deepspeed/runtime/pipe/topology.py"
#define DS_GROUPS "DeepSpeed deepspeed/utils/groups.py"

static bool
deepspeed_experts(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	/* _get_expert_parallel_ranks cuts experts over TP; with ETP 1 the ranks of a stage are
	 * folded: expert groups are consecutive ranks, TP included. */
	const bool folded = par->etp == 1 && par->tp > 1;
	/* Sequence parallel ranks see the same experts as data parallel ones: mode "sp" of
	 * _create_expert_and_data_parallel cuts all ranks. */
	const int64_t lanes = product(l->dp, folded ? par->tp : par->cp);
	int grid;

	if (!folded && par->etp != par->tp) {
		diag_add(diags, SEVERITY_ERROR, FIELD_ETP, "etp_not_supported", DS_GROUPS,
		    "DeepSpeed splits experts over TP (%lld) or not at all (1), not by %lld",
		    (long long)par->tp, (long long)par->etp);
		return false;
	}
	if (lanes % par->ep != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_EP, "not_divisible", DS_GROUPS,
		    "%lld %s of a stage are not divisible by EP %lld", (long long)lanes,
		    folded ? "ranks" : "data parallel ranks", (long long)par->ep);
		return false;
	}
	l->edp = lanes / par->ep;
	grid = layout_add_axes(l, (const struct axis_row[]){ { "etp", folded ? 1 : par->tp },
	    { "ep", par->ep }, { "edp", l->edp }, { "pipe", par->pp }, { NULL, 0 } });
	layout_add_kind(l, grid, "ep", "ep");
	layout_add_kind(l, grid, "edp", "edp");
	return true;
}

bool
layout_deepspeed(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	static const struct kind_row kinds[] = {
		{ "ds_model", "model pipe", 0 }, { "data", "sequence data", 0 }, { "pipe", "pipe", 0 },
		{ "model", "model", 0 }, { NULL, NULL, 0 }
	};
	const struct parallel *par = &p->parallel;
	const int64_t model = product(product(par->tp, par->pp), par->cp);
	struct group_kind *k;

	if (l->world % model != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_TP, "grid_not_world", TOPOLOGY,
		    "%lld GPUs are no grid of pipe %lld x data x model %lld%s", (long long)l->world,
		    (long long)par->pp, (long long)par->tp, par->cp > 1 ? " x sequence" : "");
		return false;
	}
	if (par->cp > 1 && (par->tp > 1 || par->pp > 1)) {
		diag_add(diags, SEVERITY_ERROR, FIELD_CP, "sequence_parallel_alone",
		    "deepspeedai/Megatron-DeepSpeed megatron/core/parallel_state.py",
		    "DeepSpeed sequence parallel works with neither TP (%lld) nor PP (%lld)",
		    (long long)par->tp, (long long)par->pp);
		return false;
	}
	l->dp = l->world / model;
	layout_add_axes(l, (const struct axis_row[]){ { "model", par->tp }, { "sequence", par->cp },
	    { "data", l->dp }, { "pipe", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	k = layout_add_kind(l, 0, "p2p", "pipe");
	k->shape = GROUP_RING;
	if (par->cp > 1) {
		layout_add_kind(l, 0, "data_parallel", "data");
		layout_add_kind(l, 0, "sequence_parallel", "sequence");
	}
	if (par->ep == 1 && !plan_has_experts(p))
		return true;
	return deepspeed_experts(l, p, diags);
}

/* ---- torchtitan: distributed/parallel_dims.py ------------------------------------------ */

#define PARALLEL_DIMS "torchtitan torchtitan/distributed/parallel_dims.py"

bool
layout_torchtitan(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	enum { DENSE, SPARSE };
	static const struct kind_row kinds[] = {
		{ "pp", "pp", DENSE }, { "batch", "dp_shard dp_replicate", DENSE },
		{ "loss", "cp dp_shard dp_replicate", DENSE }, { "dp_replicate", "dp_replicate", DENSE },
		{ "cp", "cp", DENSE }, { "tp", "tp", DENSE }, { "ep", "ep", SPARSE },
		{ "efsdp", "efsdp", SPARSE }, { "dp", "dp_shard dp_replicate", DENSE },
		{ "dp_shard", "dp_shard", DENSE }, { "fsdp", "cp dp_shard", DENSE }, { NULL, NULL, 0 }
	};
	const struct parallel *par = &p->parallel;
	const int64_t rest = product(product(par->dp_replicate, par->cp), product(par->tp, par->pp));
	const int64_t shard = l->world / rest; /* data_parallel_shard_degree = -1 */
	const int64_t lanes = shard * par->cp * par->tp;

	if (product(shard, rest) != l->world) {
		diag_add(diags, SEVERITY_ERROR, FIELD_TP, "product_not_world", PARALLEL_DIMS,
		    "dp_replicate %lld x dp_shard %lld x CP %lld x TP %lld x PP %lld is not %lld GPUs",
		    (long long)par->dp_replicate, (long long)shard, (long long)par->cp,
		    (long long)par->tp, (long long)par->pp, (long long)l->world);
		return false;
	}
	if (lanes % par->ep != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_EP, "ep_not_divisible", PARALLEL_DIMS,
		    "EP %lld must divide dp_shard %lld x CP %lld x TP %lld = %lld", (long long)par->ep,
		    (long long)shard, (long long)par->cp, (long long)par->tp, (long long)lanes);
		return false;
	}
	l->dp = par->dp_replicate * shard;
	l->edp = par->dp_replicate * (lanes / par->ep);
	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "cp", par->cp },
	    { "dp_shard", shard }, { "dp_replicate", par->dp_replicate }, { "pp", par->pp }, { NULL, 0 } });
	/* Experts take their ranks from TP first, then CP, then the shards. */
	layout_add_axes(l, (const struct axis_row[]){ { "ep", par->ep }, { "efsdp", lanes / par->ep },
	    { "dp_replicate", par->dp_replicate }, { "pp", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	return true;
}

/* ---- nanotron: parallel/context.py --------------------------------------------------------- */

#define CONTEXT "nanotron src/nanotron/parallel/context.py"

bool
layout_nanotron(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	enum { RANKS, NODES };
	static const struct kind_row kinds[] = {
		{ "local", "local", NODES }, { "tp", "tp", RANKS }, { "cp", "cp", RANKS },
		{ "dp", "dp", RANKS }, { "pp", "pp", RANKS }, { "ep", "ep", RANKS },
		{ "mp", "tp pp ep", RANKS }, { "dp_cp", "dp cp", RANKS }, { "tp_ep", "tp ep", RANKS },
		{ NULL, NULL, 0 }
	};
	const struct parallel *par = &p->parallel;
	const int64_t model = product(product(par->tp, par->cp), par->pp);

	if (l->world % model != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_TP, "product_not_world", CONTEXT,
		    "TP %lld x CP %lld x DP x PP %lld is not %lld GPUs for any DP", (long long)par->tp,
		    (long long)par->cp, (long long)par->pp, (long long)l->world);
		return false;
	}
	if (par->ep > 1) {
		/* The check leaves EP out of the product, the reshape that follows does not. */
		diag_add(diags, SEVERITY_ERROR, FIELD_EP, "reshape_failed", CONTEXT,
		    "nanotron can not run with EP %lld: its rank grid does not hold it", (long long)par->ep);
		return false;
	}
	l->dp = l->world / model;
	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "cp", par->cp },
	    { "dp", l->dp }, { "pp", par->pp }, { "ep", par->ep }, { NULL, 0 } });
	layout_add_axes(l, (const struct axis_row[]){ { "local", p->cluster.gpus_per_node },
	    { "node", p->cluster.nodes }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	return true;
}

/* ---- vLLM: distributed/parallel_state.py, config/parallel.py --------------------------------- */

#define VLLM_STATE "vLLM vllm/distributed/parallel_state.py"
#define VLLM_CONFIG "vLLM vllm/config/parallel.py"

/* Decode context parallel reuses the ranks of the TP group. */
static bool
vllm_decode_context(const struct plan *p, struct diag_list *diags)
{
	const int64_t tp = p->parallel.tp, pcp = p->parallel.cp, dcp = p->serving.dcp;

	if (pcp == 1 && tp % dcp != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_DCP, "dcp_not_dividing_tp", VLLM_CONFIG,
		    "TP %lld is not divisible by DCP %lld", (long long)tp, (long long)dcp);
		return false;
	}
	if (pcp > 1 && dcp != 1 && dcp != pcp && dcp != product(tp, pcp)) {
		diag_add(diags, SEVERITY_ERROR, FIELD_DCP, "dcp_invalid_with_pcp", VLLM_CONFIG,
		    "with prefill context parallel %lld, DCP must be 1, %lld or %lld", (long long)pcp,
		    (long long)pcp, (long long)product(tp, pcp));
		return false;
	}
	return true;
}

bool
layout_vllm(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	enum { RANKS, DECODE };
	static const struct kind_row kinds[] = {
		{ "tp", "tp", RANKS }, { "dcp", "dcp", DECODE }, { "pcp", "pcp", RANKS },
		{ "pp", "pp", RANKS }, { "dp", "dp", RANKS }, { NULL, NULL, 0 }
	};
	const struct parallel *par = &p->parallel;
	const int64_t engines = p->serving.replicas;
	const int64_t model = product(product(par->tp, par->cp), product(par->pp, engines));

	if (!vllm_decode_context(p, diags))
		return false;
	if (par->cp > 1 && l->world / model > 1) {
		diag_add(diags, SEVERITY_ERROR, FIELD_CP, "pcp_with_dp", VLLM_CONFIG,
		    "prefill context parallel (%lld) does not work with DP %lld: use more replicas",
		    (long long)par->cp, (long long)(l->world / model));
		return false;
	}
	if (l->world % model != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_TP, "world_not_divisible", VLLM_STATE,
		    "%lld GPUs are not divisible by TP %lld x PCP %lld x PP %lld x %lld engines = %lld",
		    (long long)l->world, (long long)par->tp, (long long)par->cp, (long long)par->pp,
		    (long long)engines, (long long)model);
		return false;
	}
	l->dp = l->world / model;
	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "pcp", par->cp },
	    { "pp", par->pp }, { "dp", l->dp }, { "ext", engines }, { NULL, 0 } });
	layout_add_axes(l, (const struct axis_row[]){ { "dcp", p->serving.dcp },
	    { "rest", l->world / p->serving.dcp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	if (plan_has_experts(p))
		layout_add_kind(l, 0, "ep", "tp pcp dp");
	return true;
}

/* ---- the web application ------------------------------------------------------------------------ */

bool
layout_seed(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	static const struct kind_row kinds[] = {
		{ "dp", "dp", 0 }, { "dp_cp", "dp cp", 0 }, { "tp", "tp", 0 }, { "pp", "pp", 0 },
		{ "cp", "cp", 0 }, { "mp", "tp pp", 0 }, { NULL, NULL, 0 }
	};
	const struct parallel *par = &p->parallel;
	const int64_t model = product(product(par->tp, par->pp), par->cp);

	if (l->world % model != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_TP, "world_not_divisible",
		    "Megatron-LM megatron/core/parallel_state.py",
		    "%lld GPUs are not divisible by PP %lld x TP %lld x CP %lld = %lld", (long long)l->world,
		    (long long)par->pp, (long long)par->tp, (long long)par->cp, (long long)model);
		return false;
	}
	if (par->ep > 1) {
		diag_add(diags, SEVERITY_ERROR, FIELD_EP, "ep_not_supported",
		    "Megatron-LM megatron/core/parallel_state.py",
		    "the seed layout has no expert parallel groups: choose another layout");
		return false;
	}
	l->dp = l->world / model;
	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "cp", par->cp },
	    { "dp", l->dp }, { "pp", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	return true;
}
