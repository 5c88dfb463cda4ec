/* nanotron: parallel/context.py, models/base.py, optim/gradient_accumulator.py. */
#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/framework/layout_build.h"
#include "core/framework/recipe.h"
#include "core/framework/stage_build.h"

#define CONTEXT "nanotron src/nanotron/parallel/context.py"

static bool
nanotron_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const int64_t model = product_of(product_of(par->tp, par->cp), par->pp);

	if (l->world % model != 0)
		return DIAG_REFUSE(diags, FIELD_TP, "product_not_world", CONTEXT,
		    "TP %lld x CP %lld x DP x PP %lld is not %lld GPU%s for any DP", (long long)par->tp,
		    (long long)par->cp, (long long)par->pp, (long long)l->world, TEXT_S(l->world));
	if (par->ep > 1) {
		/* The check leaves EP out of the product, the reshape that follows does not. */
		return DIAG_REFUSE(diags, FIELD_EP, "reshape_failed", CONTEXT,
		    "nanotron can not run with EP %lld: its rank grid does not hold it", (long long)par->ep);
	}
	l->dp = l->world / model;
	return true;
}

static void
nanotron_group(struct layout *l, const struct plan *p)
{
	enum { RANKS, NODES };
	enum { TP = 1, CP = 2, DP = 4, PP = 8, EP = 16, LOCAL = 1 };
	static const struct kind_row kinds[] = {
		{ "local", LOCAL, NODES }, { "tp", TP, RANKS }, { "cp", CP, RANKS },
		{ "dp", DP, RANKS }, { "pp", PP, RANKS }, { "ep", EP, RANKS },
		{ "mp", TP | PP | EP, RANKS }, { "dp_cp", DP | CP, RANKS }, { "tp_ep", TP | EP, RANKS },
		{ NULL, 0, 0 }
	};
	const struct parallel *par = &p->parallel;

	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "cp", par->cp },
	    { "dp", l->dp }, { "pp", par->pp }, { "ep", par->ep }, { NULL, 0 } });
	layout_add_axes(l, (const struct axis_row[]){ { "local", p->cluster.gpus_per_node },
	    { "node", p->cluster.nodes }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
}

/*
 * nanotron models/base.py, build_model: blocks are dealt out by cumulated cost; a rank is
 * full when the sum passes its share. Decoder layers and the LM head have a cost
 * (models/llama.py, get_block_compute_costs), embedding, norm and loss none.
 */
static bool
nanotron_place(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size;
	const double layer = 4 * (double)(m->attention_heads * m->head_dim) * h +
	    3 * (double)m->ffn_hidden_size * h;
	const double head = (double)m->vocab_size * h;
	const double all = layer * (double)m->layers + head;
	double cost = 0;
	int64_t r = 0, first = 0;

	if (!stage_one_chunk(p, diags))
		return false;
	for (int64_t k = 0; k < pl->pp; k++)
		stage_put(stage_chunk(pl, k, 0), 0, 0);
	for (int64_t i = 0; i < m->layers; i++) {
		stage_chunk(pl, r, 0)->count++;
		cost += layer;
		if (cost > all * ((double)(r + 1) / (double)pl->pp) && r + 1 < pl->pp)
			r++;
	}
	for (int64_t k = 0; k < pl->pp; k++) {
		stage_chunk(pl, k, 0)->first = (int32_t)first;
		first += stage_chunk(pl, k, 0)->count;
	}
	stage_put_ends(pl, stage_chunk(pl, r, 0), 0);
	return true;
}

static void
nanotron_state(struct recipe *r, const struct plan *p)
{
	static const char source[] = "nanotron src/nanotron/optim/gradient_accumulator.py";

	recipe_mixed(r, p, &(struct recipe_sources){ source, source, source });
	r->shard_gradients = r->shard_weights = false;
	recipe_offload(r, p, false, false);
}

#define LLAMA "nanotron src/nanotron/models/llama.py"

const struct framework framework_nanotron = {
	.size = nanotron_size,
	.group = nanotron_group,
	.each_layer = { "tp", "cp", "ep" },
	.tokens_in_order = true, /* nanotron src/nanotron/data/clm_collator.py */
	.place = nanotron_place,
	.state = nanotron_state,
	.experts_shard_as_dense = true,
	.vocab = VOCAB_TO_TP,
	.skips_mtp = true,
	.eager = true,
	.gate_kept = LLAMA,
	.sequence_first = LLAMA,
	.shards_optimizer_alone = true, /* nanotron src/nanotron/helpers.py */
	.slices_state = true,
	.working = MEGATRON_FSDP,
	.bucket = { .mib = 25 }, /* PyTorch torch/nn/parallel/distributed.py, bucket_cap_mb */
	.loss = CE_UNFUSED, /* nanotron src/nanotron/parallel/tensor_parallel/functional.py */
};
