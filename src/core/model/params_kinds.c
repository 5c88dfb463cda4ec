/*
 * params_kinds.c - what attention heads a model has; which layers, and of which kinds, it
 * and a rank have.
 */
#include "core/model/params.h"

#include "core/base/number.h"
#include "core/plan/pattern.h"

bool
params_is_moe_layer(const struct model *m, int64_t layer)
{
	if (m->layer_pattern[0] != '\0')
		return pattern_count(m->layer_pattern, layer, 1, PATTERN_EXPERTS) > 0;
	return m->experts > 0 && layer >= m->dense_layers &&
	    (layer - m->dense_layers) % m->moe_layer_every == 0;
}

bool
params_has_local_layers(const struct model *m)
{
	return m->sliding_window > 0 || m->attention_chunk > 0 || m->linear_attention != 0;
}

bool
params_is_global_layer(const struct model *m, int64_t layer)
{
	if (m->layer_pattern[0] != '\0')
		return pattern_count(m->layer_pattern, layer, 1, PATTERN_ATTENTION) > 0;
	if (!params_has_local_layers(m) || (layer == 0 && m->global_first_layer))
		return true;
	return m->global_layer_every > 0 &&
	    (layer + 1 + m->global_layer_offset) % m->global_layer_every == 0;
}

int
params_kind(const struct model *m, int64_t layer)
{
	const char *pattern = m->layer_pattern;

	if (pattern[0] == '\0')
		return (params_is_moe_layer(m, layer) ? LAYER_MOE : 0) |
		    (params_is_global_layer(m, layer) ? 0 : LAYER_LOCAL);
	if (pattern_count(pattern, layer, 1, "M") > 0)
		return LAYER_NO_MLP | LAYER_MAMBA;
	if (pattern_count(pattern, layer, 1, PATTERN_LOCAL) > 0)
		return LAYER_NO_MLP | LAYER_LOCAL;
	if (params_is_global_layer(m, layer))
		return LAYER_NO_MLP;
	return LAYER_NO_MIXER | (params_is_moe_layer(m, layer) ? LAYER_MOE : 0);
}

double
params_experts_met(const struct model *m)
{
	const double all = (double)(m->experts + m->zero_experts);

	return all > 0 ? (double)(m->experts_per_token * m->experts) / all : 0;
}

/* MoE layers with an id below `end`. */
static int64_t
moe_before(const struct model *m, int64_t end)
{
	if (m->experts <= 0 || end <= m->dense_layers)
		return 0;
	return (end - m->dense_layers - 1) / m->moe_layer_every + 1;
}

static int64_t
global_before(const struct model *m, int64_t end)
{
	const int64_t every = m->global_layer_every, offset = m->global_layer_offset;
	int64_t n;

	if (!params_has_local_layers(m) || end <= 0)
		return end;
	n = every > 0 ? (end + offset) / every - offset / every : 0;
	return n + (m->global_first_layer && (every == 0 || (1 + offset) % every != 0));
}

/* Layers with an id below `end` that attend to what an index chooses, where all attend to
 * everything else; and those of them with an indexer of their own. */
static int64_t
sparse_before(const struct model *m, int64_t end)
{
	return end > m->index_dense_layers ? end - m->index_dense_layers : 0;
}

static int64_t
indexed_before(const struct model *m, int64_t end)
{
	const int64_t sparse = sparse_before(m, end), own = m->index_own_layers;

	if (sparse <= own)
		return sparse;
	return own + (sparse - own) / (m->index_every > 0 ? m->index_every : 1);
}

static void
put_sparse(struct layer_kinds *k, const struct model *m, int64_t first, int64_t count)
{
	if (m->index_heads <= 0)
		return;
	if (params_has_local_layers(m)) {
		k->sparse = k->indexed = k->global;
		return;
	}
	k->sparse = (double)(sparse_before(m, first + count) - sparse_before(m, first));
	k->indexed = (double)(indexed_before(m, first + count) - indexed_before(m, first));
}

static void
put_borrowing(struct layer_kinds *k, const struct model *m, int64_t first, int64_t end)
{
	const int64_t from = most_of(first, m->layers - m->borrowing_layers);

	if (m->borrowing_layers <= 0 || from >= end)
		return;
	k->borrowing_global = (double)(global_before(m, end) - global_before(m, from));
	k->borrowing_local = (double)(end - from) - k->borrowing_global;
}

static int64_t
hashed_before(const struct model *m, const char *pattern, int64_t end)
{
	return least_of(m->hash_layers, pattern_count(pattern, 0, end, PATTERN_EXPERTS));
}

static struct layer_kinds
pattern_kinds(const struct model *m, const char *pattern, int64_t first, int64_t count)
{
	struct layer_kinds k = { .all = (double)count };

	k.global = (double)pattern_count(pattern, first, count, PATTERN_ATTENTION);
	k.local = (double)pattern_count(pattern, first, count, PATTERN_LOCAL);
	k.mamba = (double)pattern_count(pattern, first, count, "M");
	k.moe = (double)pattern_count(pattern, first, count, PATTERN_EXPERTS);
	k.shortcut = (double)pattern_count(pattern, first, count, "S");
	k.dense = (double)pattern_count(pattern, first, count, "-");
	if (m->index_heads > 0)
		k.sparse = k.indexed = (double)pattern_count(pattern, first, count, "DC");
	k.heavy = (double)pattern_count(pattern, first, count, "H");
	k.hashed = (double)(hashed_before(m, pattern, first + count) - hashed_before(m, pattern, first));
	return k;
}

struct layer_kinds
params_mtp_kinds(const struct model *m)
{
	const char *depth = pattern_depth(m->layer_pattern);
	struct layer_kinds k;

	if (depth != NULL)
		return pattern_kinds(m, depth, 0, pattern_layers(depth));
	k = params_kinds(m, m->layers - 1, 1);
	k.indexed = k.sparse; /* it has an indexer of its own */
	return k;
}

struct layer_kinds
params_kinds(const struct model *m, int64_t first, int64_t count)
{
	struct layer_kinds k = { .mamba = 0 };

	if (m->layer_pattern[0] != '\0')
		return pattern_kinds(m, m->layer_pattern, first, count);
	k.all = (double)count;
	k.moe = (double)(moe_before(m, first + count) - moe_before(m, first));
	k.global = (double)(global_before(m, first + count) - global_before(m, first));
	k.dense = k.all - k.moe;
	k.local = k.all - k.global;
	put_sparse(&k, m, first, count);
	put_borrowing(&k, m, first, first + count);
	return k;
}

struct layer_kinds
params_kinds_one(int kind)
{
	const bool mamba = (kind & LAYER_MIXER) == LAYER_MAMBA, local = layer_is_local(kind);
	const bool experts = layer_has_mlp(kind) && (kind & LAYER_MOE);

	return (struct layer_kinds){ .all = 1, .mamba = mamba, .local = local,
		.global = layer_has_mixer(kind) && !mamba && !local, .moe = experts,
		.dense = layer_has_mlp(kind) && !experts };
}

struct layer_kinds
params_kinds_add(struct layer_kinds a, const struct layer_kinds *b, double times)
{
	a.all += b->all * times;
	a.global += b->global * times;
	a.local += b->local * times;
	a.mamba += b->mamba * times;
	a.moe += b->moe * times;
	a.dense += b->dense * times;
	a.sparse += b->sparse * times;
	a.indexed += b->indexed * times;
	a.shortcut += b->shortcut * times;
	a.hashed += b->hashed * times;
	a.heavy += b->heavy * times;
	a.borrowing_global += b->borrowing_global * times;
	a.borrowing_local += b->borrowing_local * times;
	return a;
}

struct layer_kinds
params_kinds_held(const struct plan *p, int64_t first, int64_t count)
{
	struct layer_kinds k = params_kinds(&p->model, first, count);

	if (p->mode == MODE_SERVE && p->serving.ffn_gpus > 0)
		k.moe = k.dense = k.shortcut = k.hashed = 0;
	return k;
}

static void
add_chunks(struct rank_layers *r, const struct plan *p, const struct placement *pl,
    int64_t pp_rank)
{
	for (int64_t v = 0; v < pl->vpp; v++) {
		const struct chunk *c = placement_chunk(pl, pp_rank, v);

		const struct layer_kinds held = params_kinds_held(p, c->first, c->count);

		r->kinds = params_kinds_add(r->kinds, &held, 1);
		r->longest = c->count > r->longest ? c->count : r->longest;
		r->embedding |= c->embedding;
		r->loss |= c->loss;
		r->mtp += c->mtp;
	}
}

struct rank_layers
params_rank(const struct plan *p, const struct placement *pl, int64_t pp_rank)
{
	const int64_t mirror = placement_mirror(pl, p, pp_rank);
	struct rank_layers r = { .rank = pp_rank, .pipelined = pl->pp > 1 };

	add_chunks(&r, p, pl, pp_rank);
	if (mirror >= 0)
		add_chunks(&r, p, pl, mirror);
	if (p->mode == MODE_SERVE)
		r.mtp = r.loss && p->serving.draft_tokens > 0 &&
		    p->serving.draft == DRAFT_LAYER; /* one, which all drafts pass through */
	if (r.mtp > 0) {
		const struct layer_kinds one = params_mtp_kinds(&p->model);

		r.kinds = params_kinds_add(r.kinds, &one, (double)r.mtp);
	}
	return r;
}

/* Layers from this one on are all of one kind. */
static bool
is_uniform(const struct model *m, int64_t first)
{
	return m->layer_pattern[0] == '\0' && !params_has_local_layers(m) && m->index_heads <= 0 &&
	    m->borrowing_layers <= 0 &&
	    (m->experts <= 0 || (first >= m->dense_layers && m->moe_layer_every == 1));
}

bool
params_alike(const struct model *m, const struct chunk *a, const struct chunk *b)
{
	return a->count == b->count && a->mtp == b->mtp && a->embedding == b->embedding &&
	    a->loss == b->loss && is_uniform(m, least_of(a->first, b->first));
}

bool
params_as_before(const struct plan *p, const struct placement *pl, int64_t pp_rank)
{
	for (int64_t v = 0; pp_rank > 0 && v < pl->vpp; v++)
		if (!params_alike(&p->model, placement_chunk(pl, pp_rank - 1, v),
		    placement_chunk(pl, pp_rank, v)))
			return false;
	return pp_rank > 0;
}
