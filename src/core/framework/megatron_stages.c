/*
 * megatron_stages.c - placement of layers in Megatron-LM: even, with a first and last stage of
 * their own, as a layout string, or folded as forks of it do. Checks come in its own order.
 */
#include "core/framework/megatron.h"
#include "core/framework/stage_build.h"
#include "core/framework/stage_layout.h"
#include "core/plan/pattern.h"

#define ARGUMENTS "Megatron-LM megatron/training/arguments.py"
#define CONFIG "Megatron-LM megatron/core/transformer/transformer_config.py"
#define HYBRID "Megatron-LM megatron/core/models/hybrid/hybrid_layer_allocation.py"
#define BLOCK "Megatron-LM megatron/core/transformer/transformer_block.py"

/* What validate_args asks of interleaving before it looks at the split. */
static bool
interleaving_possible(const struct plan *p, struct diag_list *diags)
{
	if (p->parallel.vpp > 1 && p->parallel.pipeline_layout[0] != '\0')
		return DIAG_REFUSE(diags, FIELD_VPP, "conflicting_vpp_args", ARGUMENTS,
		    "the pipeline layout gives the chunks: leave VPP at 1 beside it");
	if (p->parallel.vpp > 1 && p->parallel.pp == 1)
		return DIAG_REFUSE(diags, FIELD_VPP, "interleaved_needs_pp2", ARGUMENTS,
		    "VPP interleaves pipeline stages, and PP is 1");
	return true;
}

/* Every stage as large as the others, but for what embedding and loss stand for. */
static bool
place_even(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const int64_t counted = p->model.layers + par->account_for_embedding + par->account_for_loss;
	const bool accounted = counted > p->model.layers;
	int64_t each;

	if (counted % pl->pp != 0)
		return DIAG_REFUSE(diags, FIELD_PP, "layers_not_divisible_by_pp", ARGUMENTS,
		    "%lld layers%s are not divisible by PP %lld", (long long)counted,
		    accounted ? " (embedding and loss counted)" : "", (long long)pl->pp);
	if (counted / pl->pp % pl->vpp != 0)
		return DIAG_REFUSE(diags, FIELD_VPP, "per_rank_not_divisible_by_vpp",
		    accounted ? CONFIG : BLOCK, "%lld layers on a pipeline rank are not divisible by VPP %lld",
		    (long long)(counted / pl->pp), (long long)pl->vpp);
	each = counted / pl->pp / pl->vpp;
	for (int64_t v = 0; v < pl->vpp; v++)
		for (int64_t r = 0; r < pl->pp; r++) {
			const bool first = r == 0 && v == 0, last = r == pl->pp - 1 && v == pl->vpp - 1;

			stage_put(stage_chunk(pl, r, v),
			    v * (counted / pl->vpp) + r * each - (first ? 0 : par->account_for_embedding),
			    each - (first ? par->account_for_embedding : 0) -
			        (last ? par->account_for_loss : 0));
		}
	return true;
}

struct uneven {
	bool has_first, has_last;
	int64_t first, last;   /* layers */
	int64_t middle, ranks; /* layers and ranks between them */
};

static bool
end_divides(bool has, int64_t layers, int64_t vpp, enum field_id field, struct diag_list *diags)
{
	const bool is_first = field == FIELD_FIRST_STAGE_LAYERS;
	const char *which = is_first ? "first" : "last";

	if (!has)
		return true;
	if (layers < 1)
		return DIAG_REFUSE(diags, field,
		    is_first ? "first_not_positive" : "last_not_positive", CONFIG,
		    "the %s stage needs at least one layer, or no number of its own", which);
	if (layers % vpp != 0)
		return DIAG_REFUSE(diags, field,
		    is_first ? "first_not_divisible_by_vpp" : "last_not_divisible_by_vpp", CONFIG,
		    "%lld layers of the %s stage are not divisible by VPP %lld", (long long)layers, which,
		    (long long)vpp);
	return true;
}

static bool
middle_divides(const struct placement *pl, const struct uneven *u, struct diag_list *diags)
{
	if ((u->middle == 0) != (u->ranks == 0))
		return DIAG_REFUSE(diags, FIELD_PP, "no_middle_stage_mismatch", CONFIG,
		    "%lld layers are left for %lld stages between the first and the last",
		    (long long)u->middle, (long long)u->ranks);
	if (u->ranks < 0 || u->middle < 0) {
		/* Megatron accepts this and then builds stages with a negative number of layers. */
		return DIAG_REFUSE(diags,
		    u->has_first ? FIELD_FIRST_STAGE_LAYERS : FIELD_LAST_STAGE_LAYERS, "negative_middle",
		    CONFIG, "first and last stage take more layers (%lld) or stages than there are",
		    (long long)(u->first + u->last));
	}
	if (u->ranks == 0) {
		if (pl->vpp > 1 && u->has_first && u->has_last)
			return DIAG_REFUSE(diags, FIELD_VPP, "megatron_zero_division",
			    "Megatron-LM megatron/core/transformer/transformer_layer.py",
			    "PP 2 with both first and last stage given and VPP above 1 divides by zero");
		return true;
	}
	if (u->middle % u->ranks != 0)
		return DIAG_REFUSE(diags, FIELD_PP, "middle_not_divisible", CONFIG,
		    "%lld layers between the first and the last stage are not divisible by %lld stages",
		    (long long)u->middle, (long long)u->ranks);
	if (u->middle / u->ranks % pl->vpp != 0)
		return DIAG_REFUSE(diags, FIELD_VPP, "middle_not_divisible_by_vpp", CONFIG,
		    "%lld layers of a middle stage are not divisible by VPP %lld",
		    (long long)(u->middle / u->ranks), (long long)pl->vpp);
	return true;
}

static bool
place_uneven(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	struct uneven u = {
		.has_first = field_is_set(FIELD_FIRST_STAGE_LAYERS, p),
		.has_last = field_is_set(FIELD_LAST_STAGE_LAYERS, p),
	};
	int64_t first = 0;

	u.first = u.has_first ? p->parallel.first_stage_layers : 0;
	u.last = u.has_last ? p->parallel.last_stage_layers : 0;
	u.middle = p->model.layers - u.first - u.last;
	u.ranks = pl->pp - u.has_first - u.has_last;
	if (p->parallel.account_for_embedding || p->parallel.account_for_loss)
		return DIAG_REFUSE(diags, u.has_first ? FIELD_FIRST_STAGE_LAYERS : FIELD_LAST_STAGE_LAYERS,
		    "uneven_with_account", CONFIG,
		    "give layers of the first or last stage, or count embedding and loss, not both");
	if (!end_divides(u.has_first, u.first, pl->vpp, FIELD_FIRST_STAGE_LAYERS, diags) ||
	    !end_divides(u.has_last, u.last, pl->vpp, FIELD_LAST_STAGE_LAYERS, diags) ||
	    !middle_divides(pl, &u, diags))
		return false;
	for (int64_t s = 0; s < pl->pp * pl->vpp; s++) {
		const int64_t r = s % pl->pp;
		int64_t count = u.ranks > 0 ? u.middle / u.ranks / pl->vpp : 0;

		if (u.has_first && r == 0)
			count = u.first / pl->vpp;
		else if (u.has_last && r == pl->pp - 1)
			count = u.last / pl->vpp;
		stage_put(stage_in_order(pl, s, false), first, count);
		first += count;
	}
	return true;
}

/* Forks of Megatron-LM with V schedules (sail-sg/zero-bubble-pipeline-parallelism): two
 * equal chunks a rank; embedding and loss both sit on rank 0. */
static bool
place_folded(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const int64_t stages = 2 * pl->pp;

	if (p->parallel.vpp > 2)
		return DIAG_REFUSE(diags, FIELD_VPP, "folded_needs_two_chunks",
		    "sail-sg/zero-bubble-pipeline-parallelism",
		    "V-shaped schedules have exactly two chunks on each rank");
	if (p->model.layers % stages != 0)
		return DIAG_REFUSE(diags, FIELD_PP, "layers_not_divisible_by_pp",
		    "sail-sg/zero-bubble-pipeline-parallelism",
		    "%lld layers are not divisible by the %lld chunks of a V-shaped schedule",
		    (long long)p->model.layers, (long long)stages);
	pl->vpp = 2;
	for (int64_t s = 0; s < stages; s++)
		stage_put(stage_in_order(pl, s, true), s * (p->model.layers / stages),
		    p->model.layers / stages);
	return true;
}

/* A layer pattern that says with | where stages end, chunk after chunk. */
static bool
place_pattern(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const char *pattern = p->model.layer_pattern;
	const int64_t stages = pattern_stages(pattern);
	int64_t first = 0;

	if (stages % pl->pp != 0)
		return DIAG_REFUSE(diags, FIELD_PP, "pattern_stages_not_divisible", HYBRID,
		    "%lld stages of the layer pattern are not divisible by PP %lld", (long long)stages,
		    (long long)pl->pp);
	pl->vpp = stages / pl->pp;
	for (int64_t s = 0; s < stages; s++) {
		const int64_t count = pattern_stage(pattern, s);

		stage_put(stage_in_order(pl, s, false), first, count);
		first += count;
	}
	return true;
}

/* What a layer pattern forbids beside it. */
static bool
pattern_possible(const struct plan *p, bool uneven, struct diag_list *diags)
{
	const bool cut = pattern_stages(p->model.layer_pattern) > 1;

	if (p->parallel.pipeline_layout[0] != '\0')
		return DIAG_REFUSE(diags, FIELD_PIPELINE_LAYOUT, "layout_with_pattern", ARGUMENTS,
		    "stages of a layer pattern are said with | in it: leave the pipeline layout empty");
	if (p->parallel.account_for_embedding || p->parallel.account_for_loss)
		return DIAG_REFUSE(diags, p->parallel.account_for_embedding ?
		    FIELD_ACCOUNT_FOR_EMBEDDING : FIELD_ACCOUNT_FOR_LOSS, "account_with_pattern", ARGUMENTS,
		    "embedding and loss do not count as layers beside a layer pattern");
	if (cut && p->parallel.pp == 1)
		return DIAG_REFUSE(diags, FIELD_PP, "interleaved_needs_pp2", ARGUMENTS,
		    "stages of the layer pattern are interleaved, and PP is 1");
	if (cut && uneven)
		return DIAG_REFUSE(diags, FIELD_LAYER_PATTERN, "pattern_with_uneven_stages", HYBRID,
		    "the layer pattern says where stages end: give no layers of the first or last stage");
	if (p->parallel.vpp > 1)
		return DIAG_REFUSE(diags, FIELD_VPP, "pattern_with_vpp", HYBRID, cut ?
		    "the layer pattern gives the chunks: leave VPP at 1 beside it" :
		    "chunks of a layer pattern are said with | in it: leave VPP at 1");
	return true;
}

bool
megatron_place(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const bool uneven = field_is_set(FIELD_FIRST_STAGE_LAYERS, p) ||
	    field_is_set(FIELD_LAST_STAGE_LAYERS, p);
	const bool patterned = p->model.layer_pattern[0] != '\0';
	const bool cut = patterned && pl->pp > 1 && pattern_stages(p->model.layer_pattern) > 1;
	struct chunk *last;

	if (!interleaving_possible(p, diags))
		return false;
	if (patterned && !pattern_possible(p, uneven, diags))
		return false;
	if (par->pipeline_layout[0] != '\0')
		return stage_place_layout(pl, p, diags);
	if (placement_folds(plan_schedule(p)) && !uneven && !cut) {
		if (!place_folded(pl, p, diags))
			return false;
		last = stage_chunk(pl, 0, 1);
	} else {
		if (!(cut ? place_pattern(pl, p, diags) :
		    uneven ? place_uneven(pl, p, diags) : place_even(pl, p, diags)))
			return false;
		last = stage_chunk(pl, pl->pp - 1, pl->vpp - 1);
	}
	stage_put_ends(pl, last, p->model.mtp_layers);
	return true;
}
