#include <string.h>

#include "core/stage.h"
#include "core/stage_layout.h"
#include "core/text.h"

#define ARGUMENTS "Megatron-LM megatron/training/arguments.py"
#define CONFIG "Megatron-LM megatron/core/transformer/transformer_config.py"
#define BLOCK "Megatron-LM megatron/core/transformer/transformer_block.py"

bool
placement_folds(int64_t schedule)
{
	return schedule == SCHEDULE_ZB_V || schedule == SCHEDULE_V_HALF ||
	    schedule == SCHEDULE_V_MIN || schedule == SCHEDULE_DUALPIPEV;
}

const struct chunk *
placement_chunk(const struct placement *pl, int64_t pp_rank, int64_t v)
{
	return &pl->chunk[pp_rank * pl->vpp + v];
}

int64_t
placement_layers(const struct placement *pl, int64_t pp_rank)
{
	int64_t n = 0;

	for (int64_t v = 0; v < pl->vpp; v++)
		n += placement_chunk(pl, pp_rank, v)->count;
	return n;
}

int64_t
placement_mirror(const struct placement *pl, const struct plan *p, int64_t pp_rank)
{
	const bool both = p->mode == MODE_TRAIN && p->training.schedule == SCHEDULE_DUALPIPE;

	return both && pl->pp > 1 ? pl->pp - 1 - pp_rank : -1;
}

static struct chunk *
chunk_at(struct placement *pl, int64_t p, int64_t v)
{
	return &pl->chunk[p * pl->vpp + v];
}

/* Give stage s (in the order of the layers) its layers: the rank that loops over the
 * stages, or folds back on the way, holds it. */
static struct chunk *
chunk_of_stage(struct placement *pl, int64_t s, bool folded)
{
	if (folded && s >= pl->pp)
		return chunk_at(pl, 2 * pl->pp - 1 - s, 1);
	return chunk_at(pl, s % pl->pp, s / pl->pp);
}

static void
put_layers(struct chunk *c, int64_t first, int64_t count)
{
	c->first = (int32_t)first;
	c->count = (int32_t)count;
}

/* ---- Megatron-LM ------------------------------------------------------------------- */

static bool
refuse(struct diag_list *diags, enum field_id field, const char *reason, const char *source,
    const char *message)
{
	diag_add(diags, SEVERITY_ERROR, field, reason, source, "%s", message);
	return false;
}

/* What validate_args asks of interleaving before it looks at the split. */
static bool
interleaving_possible(const struct plan *p, struct diag_list *diags)
{
	if (p->parallel.vpp > 1 && p->parallel.pipeline_layout[0] != '\0')
		return refuse(diags, FIELD_VPP, "conflicting_vpp_args", ARGUMENTS,
		    "the pipeline layout gives the chunks: leave VPP at 1 beside it");
	if (p->parallel.vpp > 1 && p->parallel.pp == 1)
		return refuse(diags, FIELD_VPP, "interleaved_needs_pp2", ARGUMENTS,
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

	if (counted % pl->pp != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_PP, "layers_not_divisible_by_pp", ARGUMENTS,
		    "%lld layers%s are not divisible by PP %lld", (long long)counted,
		    accounted ? " (embedding and loss counted)" : "", (long long)pl->pp);
		return false;
	}
	if (counted / pl->pp % pl->vpp != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_VPP, "per_rank_not_divisible_by_vpp",
		    accounted ? CONFIG : BLOCK, "%lld layers on a pipeline rank are not divisible by VPP %lld",
		    (long long)(counted / pl->pp), (long long)pl->vpp);
		return false;
	}
	each = counted / pl->pp / pl->vpp;
	for (int64_t v = 0; v < pl->vpp; v++)
		for (int64_t r = 0; r < pl->pp; r++) {
			const bool first = r == 0 && v == 0, last = r == pl->pp - 1 && v == pl->vpp - 1;

			put_layers(chunk_at(pl, r, v),
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
end_divides(bool has, int64_t layers, int64_t vpp, enum field_id field, const char *which,
    struct diag_list *diags)
{
	const bool is_first = field == FIELD_FIRST_STAGE_LAYERS;

	if (!has)
		return true;
	if (layers < 1) {
		diag_add(diags, SEVERITY_ERROR, field,
		    is_first ? "first_not_positive" : "last_not_positive", CONFIG,
		    "the %s stage needs at least one layer, or no number of its own", which);
		return false;
	}
	if (layers % vpp != 0) {
		diag_add(diags, SEVERITY_ERROR, field,
		    is_first ? "first_not_divisible_by_vpp" : "last_not_divisible_by_vpp", CONFIG,
		    "%lld layers of the %s stage are not divisible by VPP %lld", (long long)layers, which,
		    (long long)vpp);
		return false;
	}
	return true;
}

static bool
middle_divides(const struct placement *pl, const struct uneven *u, struct diag_list *diags)
{
	if ((u->middle == 0) != (u->ranks == 0)) {
		diag_add(diags, SEVERITY_ERROR, FIELD_PP, "no_middle_stage_mismatch", CONFIG,
		    "%lld layers are left for %lld stages between the first and the last",
		    (long long)u->middle, (long long)u->ranks);
		return false;
	}
	if (u->ranks < 0 || u->middle < 0) {
		/* Megatron accepts this and then builds stages with a negative number of layers. */
		diag_add(diags, SEVERITY_ERROR,
		    u->has_first ? FIELD_FIRST_STAGE_LAYERS : FIELD_LAST_STAGE_LAYERS, "negative_middle",
		    CONFIG, "first and last stage take more layers (%lld) or stages than there are",
		    (long long)(u->first + u->last));
		return false;
	}
	if (u->ranks == 0) {
		if (pl->vpp > 1 && u->has_first && u->has_last)
			return refuse(diags, FIELD_VPP, "megatron_zero_division",
			    "Megatron-LM megatron/core/transformer/transformer_layer.py",
			    "PP 2 with both first and last stage given and VPP above 1 divides by zero");
		return true;
	}
	if (u->middle % u->ranks != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_PP, "middle_not_divisible", CONFIG,
		    "%lld layers between the first and the last stage are not divisible by %lld stages",
		    (long long)u->middle, (long long)u->ranks);
		return false;
	}
	if (u->middle / u->ranks % pl->vpp != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_VPP, "middle_not_divisible_by_vpp", CONFIG,
		    "%lld layers of a middle stage are not divisible by VPP %lld",
		    (long long)(u->middle / u->ranks), (long long)pl->vpp);
		return false;
	}
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
		return refuse(diags, u.has_first ? FIELD_FIRST_STAGE_LAYERS : FIELD_LAST_STAGE_LAYERS,
		    "uneven_with_account", CONFIG,
		    "give layers of the first or last stage, or count embedding and loss, not both");
	if (!end_divides(u.has_first, u.first, pl->vpp, FIELD_FIRST_STAGE_LAYERS, "first", diags) ||
	    !end_divides(u.has_last, u.last, pl->vpp, FIELD_LAST_STAGE_LAYERS, "last", diags) ||
	    !middle_divides(pl, &u, diags))
		return false;
	for (int64_t s = 0; s < pl->pp * pl->vpp; s++) {
		const int64_t r = s % pl->pp;
		int64_t count = u.ranks > 0 ? u.middle / u.ranks / pl->vpp : 0;

		if (u.has_first && r == 0)
			count = u.first / pl->vpp;
		else if (u.has_last && r == pl->pp - 1)
			count = u.last / pl->vpp;
		put_layers(chunk_of_stage(pl, s, false), first, count);
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
		return refuse(diags, FIELD_VPP, "folded_needs_two_chunks",
		    "sail-sg/zero-bubble-pipeline-parallelism",
		    "V-shaped schedules have exactly two chunks on each rank");
	if (p->model.layers % stages != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_PP, "layers_not_divisible_by_pp",
		    "sail-sg/zero-bubble-pipeline-parallelism",
		    "%lld layers are not divisible by the %lld chunks of a V-shaped schedule",
		    (long long)p->model.layers, (long long)stages);
		return false;
	}
	pl->vpp = 2;
	for (int64_t s = 0; s < stages; s++)
		put_layers(chunk_of_stage(pl, s, true), s * (p->model.layers / stages),
		    p->model.layers / stages);
	return true;
}

static bool
place_megatron(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const bool uneven = field_is_set(FIELD_FIRST_STAGE_LAYERS, p) ||
	    field_is_set(FIELD_LAST_STAGE_LAYERS, p);
	struct chunk *last;

	if (!interleaving_possible(p, diags))
		return false;
	if (par->pipeline_layout[0] != '\0')
		return stage_place_layout(pl, p, diags);
	if (placement_folds(p->training.schedule) && pl->pp > 1 && !uneven) {
		if (!place_folded(pl, p, diags))
			return false;
		last = chunk_at(pl, 0, 1);
	} else {
		if (!(uneven ? place_uneven(pl, p, diags) : place_even(pl, p, diags)))
			return false;
		last = chunk_at(pl, pl->pp - 1, pl->vpp - 1);
	}
	chunk_at(pl, 0, 0)->embedding = true;
	last->loss = true;
	last->mtp = (int32_t)p->model.mtp_layers;
	return true;
}

/* ---- torchtitan: _generate_llm_fqn_per_model_part ------------------------------------------ */

static bool
place_torchtitan(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	static const char source[] = "torchtitan torchtitan/distributed/pipeline_parallel.py";
	/* Embedding and head count as one layer each (input_weight, output_weight). */
	const int64_t stages = pl->pp * pl->vpp, counted = p->model.layers + 2;
	const bool folded = placement_folds(p->training.schedule) && pl->vpp == 2;
	int64_t first = 0;

	if (stages > counted)
		return refuse(diags, FIELD_PP, "too_many_stages", source,
		    "there are more stages than layers with embedding and head");
	for (int64_t s = 0; s < stages; s++) {
		int64_t count = counted / stages + (s < counted % stages);
		struct chunk *c = chunk_of_stage(pl, s, folded);

		count -= (s == 0) + (s == stages - 1);
		put_layers(c, first, count);
		first += count;
		c->embedding = s == 0;
		c->loss = s == stages - 1;
	}
	return true;
}

/* ---- DeepSpeed, nanotron, vLLM ------------------------------------------------------------------ */

/* partition_uniform: the remainder goes to the first parts. */
static void
place_deepspeed(struct placement *pl, const struct plan *p)
{
	const int64_t layers = p->model.layers;
	int64_t first = 0;

	for (int64_t r = 0; r < pl->pp; r++) {
		int64_t count = layers / pl->pp + (r < layers % pl->pp);

		put_layers(chunk_at(pl, r, 0), first, count);
		first += count;
	}
}

/*
 * nanotron models/base.py, build_model: blocks are dealt out by cumulated cost; a rank is
 * full when the sum passes its share. Decoder layers and the LM head have a cost
 * (models/llama.py, get_block_compute_costs), embedding, norm and loss none. Returns the
 * rank of the LM head.
 */
static int64_t
place_nanotron(struct placement *pl, const struct plan *p)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size;
	const double layer = 4 * (double)(m->attention_heads * m->head_dim) * h +
	    3 * (double)m->ffn_hidden_size * h;
	const double head = (double)m->vocab_size * h;
	const double all = layer * (double)m->layers + head;
	double cost = 0;
	int64_t r = 0, first = 0;

	for (int64_t i = 0; i < m->layers; i++) {
		chunk_at(pl, r, 0)->count++;
		cost += layer;
		if (cost > all * ((double)(r + 1) / (double)pl->pp) && r + 1 < pl->pp)
			r++;
	}
	for (int64_t k = 0; k < pl->pp; k++) {
		chunk_at(pl, k, 0)->first = (int32_t)first;
		first += chunk_at(pl, k, 0)->count;
	}
	return r;
}

/* vLLM distributed/utils.py, get_pp_indices: what does not divide goes to the stages before
 * the last, one each, from the back. */
static void
place_vllm(struct placement *pl, const struct plan *p)
{
	const int64_t layers = p->model.layers, left = layers % pl->pp;
	int64_t first = 0;

	for (int64_t r = 0; r < pl->pp; r++) {
		const int64_t from_end = pl->pp - r; /* 1 for the last stage */
		int64_t count = layers / pl->pp + (from_end >= 2 && from_end < left + 2);

		put_layers(chunk_at(pl, r, 0), first, count);
		first += count;
	}
}

static bool
one_chunk(const struct plan *p, struct diag_list *diags)
{
	if (p->parallel.vpp == 1)
		return true;
	return refuse(diags, FIELD_VPP, "vpp_not_supported", "frameworks without interleaved stages",
	    "this layout has one chunk on each pipeline rank: VPP must be 1");
}

static bool
place_plain(struct placement *pl, const struct plan *p, struct diag_list *diags)
{
	int64_t last = pl->pp - 1;

	if (!one_chunk(p, diags))
		return false;
	if (p->parallel.layout == LAYOUT_DEEPSPEED)
		place_deepspeed(pl, p);
	else if (p->parallel.layout == LAYOUT_VLLM)
		place_vllm(pl, p);
	else
		last = place_nanotron(pl, p);
	chunk_at(pl, 0, 0)->embedding = true;
	chunk_at(pl, last, 0)->loss = true;
	chunk_at(pl, last, 0)->mtp = (int32_t)p->model.mtp_layers;
	return true;
}

bool
placement_init(struct placement *out, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;

	out->pp = par->pp;
	out->vpp = p->mode == MODE_TRAIN ? par->vpp : 1;
	if (par->pp < 1 || out->vpp < 1)
		return refuse(diags, par->pp < 1 ? FIELD_PP : FIELD_VPP, "size_not_positive", ARGUMENTS,
		    "pipeline sizes must be at least 1");
	/* Two chunks a rank are possible without VPP (V schedules). */
	if (par->pp > STAGE_CHUNKS_MAX / 2 || par->pp * out->vpp > STAGE_CHUNKS_MAX) {
		diag_add(diags, SEVERITY_ERROR, FIELD_PP, "too_many_stages", "shardplan",
		    "PP %lld x VPP %lld is more than %d stages", (long long)par->pp, (long long)out->vpp,
		    STAGE_CHUNKS_MAX);
		return false;
	}
	memset(out->chunk, 0, sizeof *out->chunk * (size_t)(par->pp * (out->vpp > 2 ? out->vpp : 2)));
	switch (par->layout) {
	case LAYOUT_MEGATRON:
	case LAYOUT_SEED:
		return place_megatron(out, p, diags);
	case LAYOUT_TORCHTITAN:
		return place_torchtitan(out, p, diags);
	default:
		return place_plain(out, p, diags);
	}
}
