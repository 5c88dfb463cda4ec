/* torchtitan: distributed/parallel_dims.py, distributed/pipeline_parallel.py, distributed/fsdp.py. */
#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/framework/layout_build.h"
#include "core/framework/recipe.h"
#include "core/framework/stage_build.h"

#define PARALLEL_DIMS "torchtitan torchtitan/distributed/parallel_dims.py"

/* Ranks that the world leaves for shards: data_parallel_shard_degree = -1. */
static int64_t
shards_of(const struct layout *l, const struct parallel *par)
{
	return l->world / product_of(product_of(par->dp_replicate, par->cp), product_of(par->tp, par->pp));
}

static bool
torchtitan_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const int64_t rest = product_of(product_of(par->dp_replicate, par->cp), product_of(par->tp, par->pp));
	const int64_t shard = shards_of(l, par), lanes = shard * par->cp * par->tp;

	if (product_of(shard, rest) != l->world)
		return DIAG_REFUSE(diags, FIELD_TP, "product_not_world", PARALLEL_DIMS,
		    "dp_replicate %lld x dp_shard %lld x CP %lld x TP %lld x PP %lld is not %lld GPU%s",
		    (long long)par->dp_replicate, (long long)shard, (long long)par->cp,
		    (long long)par->tp, (long long)par->pp, (long long)l->world, TEXT_S(l->world));
	if (lanes % par->ep != 0)
		return DIAG_REFUSE(diags, FIELD_EP, "ep_not_divisible", PARALLEL_DIMS,
		    "EP %lld must divide dp_shard %lld x CP %lld x TP %lld = %lld", (long long)par->ep,
		    (long long)shard, (long long)par->cp, (long long)par->tp, (long long)lanes);
	l->dp = par->dp_replicate * shard;
	l->edp = par->dp_replicate * (lanes / par->ep);
	return true;
}

static void
torchtitan_group(struct layout *l, const struct plan *p)
{
	enum { DENSE, SPARSE };
	enum { TP = 1, CP = 2, SHARD = 4, REPLICATE = 8, PP = 16 }; /* axes of the dense grid */
	enum { EP = 1, EFSDP = 2 };                                 /* of the sparse one */
	static const struct kind_row kinds[] = {
		{ "pp", PP, DENSE }, { "batch", SHARD | REPLICATE, DENSE },
		{ "loss", CP | SHARD | REPLICATE, DENSE }, { "dp_replicate", REPLICATE, DENSE },
		{ "cp", CP, DENSE }, { "tp", TP, DENSE }, { "ep", EP, SPARSE },
		{ "efsdp", EFSDP, SPARSE }, { "dp", SHARD | REPLICATE, DENSE },
		{ "dp_shard", SHARD, DENSE }, { "fsdp", CP | SHARD, DENSE }, { NULL, 0, 0 }
	};
	const struct parallel *par = &p->parallel;
	const int64_t shard = shards_of(l, par), lanes = shard * par->cp * par->tp;

	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "cp", par->cp },
	    { "dp_shard", shard }, { "dp_replicate", par->dp_replicate }, { "pp", par->pp }, { NULL, 0 } });
	/* Experts take their ranks from TP first, then CP, then the shards. */
	layout_add_axes(l, (const struct axis_row[]){ { "ep", par->ep }, { "efsdp", lanes / par->ep },
	    { "dp_replicate", par->dp_replicate }, { "pp", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
}

/* _generate_llm_fqn_per_model_part */
static bool
torchtitan_place(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	static const char source[] = "torchtitan torchtitan/distributed/pipeline_parallel.py";
	/* Embedding and head count as one layer each (input_weight, output_weight). */
	const int64_t stages = pl->pp * pl->vpp, counted = p->model.layers + 2;
	const bool folded = placement_folds(plan_schedule(p)) && pl->vpp == 2;
	int64_t first = 0;

	if (stages > counted)
		return DIAG_REFUSE(diags, FIELD_PP, "too_many_stages", source,
		    "there are more stages than layers with embedding and head");
	for (int64_t s = 0; s < stages; s++) {
		int64_t count = counted / stages + (s < counted % stages);
		struct chunk *c = stage_in_order(pl, s, folded);

		count -= (s == 0) + (s == stages - 1);
		stage_put(c, first, count);
		first += count;
		c->embedding = s == 0;
		c->loss = s == stages - 1;
	}
	return true;
}

/* FSDP2: parameters live as fp32 shards, so the optimizer needs no master copy, and are
 * gathered in the training precision. Stages 1 and 2 keep them gathered from forward to
 * backward (reshard_after_forward "never"). Where the model is made in 16 bits (training.dtype),
 * gradients and moments follow its weights; moments alone can have 16 bits as well
 * (docs/bf16_optimizer_states.md). */
static void
torchtitan_state(struct recipe *r, const struct plan *p)
{
	const int64_t zero = p->parallel.zero_stage;
	/* FSDP2 moves everything or nothing. */
	const bool whole = p->parallel.offload == OFFLOAD_OPTIMIZER_PARAMS;

	const bool half = p->training.weights_16bit && p->training.precision != PRECISION_FP32;
	const double bytes = half ? 2 : 4;

	r->weight = r->linear = r->gradient = bytes;
	r->shard_weights = r->shard_gradients = r->shard_optimizer = zero > 0;
	if (zero == 1 || zero == 2)
		r->gathered = p->training.precision == PRECISION_FP32 ? 4 : 2;
	r->weight_source = r->gradient_source = r->optimizer_source = "torchtitan torchtitan/config/configs.py";
	recipe_moments(r, p);
	if (!plan_has_bitsandbytes(p) && (half || p->training.moments_dtype == MOMENTS_BF16)) {
		r->moments /= 2;
		r->matrix_moments /= 2;
	}
	recipe_offload(r, p, whole, whole);
}

const struct framework framework_torchtitan = {
	.size = torchtitan_size,
	.group = torchtitan_group,
	.each_layer = { "tp", "cp", "ep" },
	.place = torchtitan_place,
	.state = torchtitan_state,
	.tp_splits_experts = true,
	.experts_need_ep = true,
	.skips_mtp = true,
	.eager = true,
	.norms_in_parts = true,
	.rotates_in_fp32 = true,
	.copies_since = 202405,
	.stops_since = 202311,
	.torch29_since = 202510,
	.async_tp = true,
	.tp_keeps_gathered = true,
	.heads_split_since = 202510, /* pytorch/torchtitan pull request 1870 */
	.reduces_each = true,
	.gathers_once = true,
	.prefetches = true,
	.fuses_since = FRAMEWORK_EVER,
	.working = { .from = 1, .layers = 2,
		.source = "torchtitan torchtitan/models/llama3/infra/parallelize.py" },
	.bucket = { .mib = 100 }, /* torchtitan/models/llama3/infra/parallelize.py, apply_ddp */
	.equal_rounds = true,
	.idles_bare = true,
	.loss = CE_TE, /* what its chunks take, torchtitan/components/loss.py, ChunkedLossWrapper */
	.by_operation = "torchtitan torchtitan/distributed/activation_checkpoint.py, _apply_op_sac",
};
