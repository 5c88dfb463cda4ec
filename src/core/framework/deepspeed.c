/* DeepSpeed: runtime/pipe/topology.py, utils/groups.py, runtime/zero. */
#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/framework/layout_build.h"
#include "core/framework/recipe.h"
#include "core/framework/stage_build.h"

#define TOPOLOGY "DeepSpeed deepspeed/runtime/pipe/topology.py"
#define DS_GROUPS "DeepSpeed deepspeed/utils/groups.py"

/* _get_expert_parallel_ranks cuts experts over TP; with ETP 1 the ranks of a stage are
 * folded: expert groups are consecutive ranks, TP included. */
static bool
is_folded(const struct parallel *par)
{
	return par->etp == 1 && par->tp > 1;
}

static bool
has_expert_grid(const struct plan *p)
{
	return p->parallel.ep != 1 || plan_has_experts(p);
}

static bool
experts_divide(struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	const bool folded = is_folded(par);
	/* Sequence parallel ranks see the same experts as data parallel ones: mode "sp" of
	 * _create_expert_and_data_parallel cuts all ranks. */
	const int64_t lanes = product_of(l->dp, folded ? par->tp : par->cp);

	if (!folded && par->etp != par->tp)
		return DIAG_REFUSE(diags, FIELD_ETP, "etp_not_supported", DS_GROUPS,
		    "DeepSpeed splits experts over TP (%lld) or not at all (1), not by %lld",
		    (long long)par->tp, (long long)par->etp);
	if (lanes % par->ep != 0)
		return DIAG_REFUSE(diags, FIELD_EP, "not_divisible", DS_GROUPS,
		    "%lld %s of a stage are not divisible by EP %lld", (long long)lanes,
		    folded ? "ranks" : "data parallel ranks", (long long)par->ep);
	l->edp = lanes / par->ep;
	return true;
}

static bool
deepspeed_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const int64_t model = product_of(product_of(par->tp, par->pp), par->cp);

	if (l->world % model != 0)
		return DIAG_REFUSE(diags, FIELD_TP, "grid_not_world", TOPOLOGY,
		    "%lld GPUs are no grid of pipe %lld x data x model %lld%s", (long long)l->world,
		    (long long)par->pp, (long long)par->tp, par->cp > 1 ? " x sequence" : "");
	if (par->cp > 1 && (par->tp > 1 || par->pp > 1))
		return DIAG_REFUSE(diags, FIELD_CP, "sequence_parallel_alone",
		    "deepspeedai/Megatron-DeepSpeed megatron/core/parallel_state.py",
		    "DeepSpeed sequence parallel works with neither TP (%lld) nor PP (%lld)",
		    (long long)par->tp, (long long)par->pp);
	l->dp = l->world / model;
	return !has_expert_grid(p) || experts_divide(l, par, diags);
}

static void
deepspeed_group(struct layout *l, const struct plan *p)
{
	enum { RANKS, EXPERTS };
	enum { MODEL = 1, SEQUENCE = 2, DATA = 4, PIPE = 8 }; /* axes of the ranks */
	enum { EP = 2, EDP = 4 };                             /* of the experts */
	static const struct kind_row kinds[] = {
		{ "ds_model", MODEL | PIPE, RANKS }, { "data", SEQUENCE | DATA, RANKS },
		{ "pipe", PIPE, RANKS }, { "model", MODEL, RANKS }, { NULL, 0, 0 }
	};
	static const struct kind_row of_experts[] = {
		{ "ep", EP, EXPERTS }, { "edp", EDP, EXPERTS }, { NULL, 0, 0 }
	};
	const struct parallel *par = &p->parallel;

	layout_add_axes(l, (const struct axis_row[]){ { "model", par->tp }, { "sequence", par->cp },
	    { "data", l->dp }, { "pipe", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	layout_add_kind(l, RANKS, "p2p", PIPE)->shape = GROUP_RING;
	if (par->cp > 1) {
		layout_add_kind(l, RANKS, "data_parallel", DATA);
		layout_add_kind(l, RANKS, "sequence_parallel", SEQUENCE);
	}
	if (!has_expert_grid(p))
		return;
	layout_add_axes(l, (const struct axis_row[]){ { "etp", is_folded(par) ? 1 : par->tp },
	    { "ep", par->ep }, { "edp", l->edp }, { "pipe", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, of_experts);
}

/* partition_uniform: the remainder goes to the first parts. */
static bool
deepspeed_place(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const int64_t layers = p->model.layers;
	int64_t first = 0;

	if (!stage_one_chunk(p, diags))
		return false;
	for (int64_t r = 0; r < pl->pp; r++) {
		int64_t count = layers / pl->pp + (r < layers % pl->pp);

		stage_put(stage_chunk(pl, r, 0), first, count);
		first += count;
	}
	stage_put_ends(pl, stage_chunk(pl, pl->pp - 1, 0), 0);
	return true;
}

/*
 * BF16_Optimizer (deepspeed/runtime/bf16_optimizer.py): of bf16 without ZeRO in a pipeline, until 2025-08 elsewhere too
 * (deepspeedai/DeepSpeed#7515), and of ZeRO-1 that adds up in fp32 (deepspeed/runtime/engine.py,
 * _do_optimizer_sanity_check, get_data_types).
 */
static bool
deepspeed_adds_apart(const struct plan *p)
{
	const int64_t zero = p->parallel.zero_stage;

	return p->training.precision == PRECISION_BF16 && p->parallel.offload == OFFLOAD_NONE &&
	    (zero == 0 ? p->parallel.pp > 1 || framework_before(p, 202509) : zero == 1 && p->training.grad_dtype == GRAD_FP32);
}

/* Sharded gradients move to host memory along with the optimizer. */
static void
deepspeed_state(struct recipe *r, const struct plan *p)
{
	const int64_t zero = p->parallel.zero_stage;
	const char *const source = zero >= 3 ? "DeepSpeed deepspeed/runtime/zero/stage3.py" :
	    deepspeed_adds_apart(p) ? "DeepSpeed deepspeed/runtime/bf16_optimizer.py" :
	    "DeepSpeed deepspeed/runtime/zero/stage_1_and_2.py";

	recipe_mixed(r, p, &(struct recipe_sources){ source, source, source });
	r->step_copy = r->gradient_copy; /* made in the step, where activations were */
	r->gradient_copy = 0;
	if (deepspeed_adds_apart(p)) {
		r->shard_optimizer = true;
		if (zero == 0 && framework_before(p, 202509)) { /* sums are in fp32, which need no copy */
			r->gradient = 4;
			r->step_copy = 0;
		}
		r->gradient += 2; /* of the weights, which stay */
	}
	recipe_offload(r, p, zero >= 2,
	    zero >= 3 && p->parallel.offload == OFFLOAD_OPTIMIZER_PARAMS);
}

const struct framework framework_deepspeed = {
	.size = deepspeed_size,
	.group = deepspeed_group,
	.each_layer = { "model", "sequence_parallel", "ep" },
	.tokens_in_order = true, /* Ulysses: Jacobs et al. 2023, arXiv 2309.14509 */
	.place = deepspeed_place,
	.state = deepspeed_state,
	.gradients_in_precision = true,
	.etp_follows_tp = true,
	.rounds_epochs = true,
	.gathers_16bit = true,
	.skips_mtp = true, /* transformers modeling_deepseek_v3.py, _keys_to_ignore_on_load_unexpected */
	.eager = true, /* models are modules of PyTorch, as Hugging Face has them */
	.norms_in_parts = true,
	.rotates_in_fp32 = true,
	.casts_gradients = true, /* deepspeed/runtime/bf16_optimizer.py, update_hp_grads */
	.adds_apart = deepspeed_adds_apart,
	.parts_sends = true, /* deepspeed/runtime/pipe/engine.py, is_pipe_partitioned */
	.sums_since = 202312, /* use_multi_rank_bucket_allreduce: DeepSpeed pull request 4695 */
	.tp_beside_since = 202307, /* Megatron-DeepSpeed megatron/core/tensor_parallel/layers.py */
	.prefetch_since = 202201, /* deepspeed/runtime/zero/partitioned_param_coordinator.py */
	.loss = CE_UNFUSED, /* Megatron-DeepSpeed megatron/core/tensor_parallel/cross_entropy.py */
	.bucket = { .params = 5e8 }, /* deepspeed/runtime/zero/config.py, reduce_bucket_size */
	.working = { .buckets = true, .source = "DeepSpeed deepspeed/runtime/zero/config.py" },
};
