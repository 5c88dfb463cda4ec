#include "core/train/compute_sparse.h"

#include "core/base/text.h"
#include "core/model/params.h"
#include "core/plan/batch.h"

#define SPARSE_SOURCE "Megatron-LM megatron/core/transformer/experimental_attention_variant/dsa.py"

static bool
has_index(const struct model *m)
{
	return m->index_heads > 0 && m->index_topk > 0;
}

/* Of the layers that attend to more than a window those that a part of them is. */
static double
share_of(double part, const struct layer_kinds *k)
{
	return k->global > 0 ? part / k->global : 0;
}

double
compute_pairs(const struct plan *p, bool local)
{
	const struct model *m = &p->model;
	const double dense = batch_keys(p, local, false) *
	    (params_key_dim(m, local) + params_value_dim(m, local));
	const double width = m->attention == ATTENTION_MLA ?
	    (double)(2 * m->kv_lora_rank + m->qk_rope_head_dim) :
	    params_key_dim(m, local) + params_value_dim(m, local);
	struct layer_kinds k;
	double share;

	if (local || !has_index(m))
		return dense;
	k = params_kinds(m, 0, m->layers);
	share = share_of(k.sparse, &k);
	return (1 - share) * dense + share * batch_chosen(p) * width;
}

const char *
compute_pairs_size(const struct plan *p, bool local)
{
	return local || !has_index(&p->model) ? "FLOP: 2*T*keys*n/TP*(d+v)" :
	    p->model.attention == ATTENTION_MLA ? "FLOP: 2*T*chosen keys*n/TP*(2*kl+rope)" :
						  "FLOP: 2*T*chosen keys*n/TP*(d+v)";
}

/*
 * Products of all heads with all keys before, in the rate of 16 bits, and of them the choice. Its
 * loss compares the chosen ones with attention itself, whose scores it makes once more, and goes
 * back through them alone (dsa_indexer_use_sparse_loss).
 */
static void
score_tokens(struct layer_job *j, double layers, double heads)
{
	const struct model *m = &j->p->model;
	const double pairs = layers * batch_tokens(j->p), chosen = pairs * batch_chosen(j->p);
	const double size = (double)(m->index_heads * m->index_head_dim);
	const double keys = batch_keys(j->p, false, false);
	const double latent = m->attention == ATTENTION_MLA ?
	    (double)(m->kv_lora_rank + m->qk_rope_head_dim) : params_key_dim(m, false);
	const double flop[2] = { 2 * pairs * keys * size,
		chosen * (4 * size + 2 * heads * latent) };
	const struct rate *rate = &j->g->plain;

	job_forward(j, flop[0] / rate->reached);
	j->w.backward += flop[1] / rate->reached;
	for (int back = 0; back < 2 && j->tally != NULL; back++) {
		struct remark r = { .name = back ? "indexer loss" : "indexer scores",
			.source = SPARSE_SOURCE, .symbols = "FLOP/rate",
			.kind = KERNELS_ATTENTION,
			.size = back ? "FLOP: T*chosen*(4*heads*size + 2*n/TP*(kl+rope))" :
			    "FLOP: 2*T*keys*heads*size" };

		text_put(r.numbers, sizeof r.numbers, "%.10g/(%.7g*%.7g)", flop[back],
		    rate->reached / rate->peak, rate->peak);
		job_note(j, back, flop[back] / rate->reached, &r);
	}
	JOB_MOVE(j, "indexer scores and choice", 8 * pairs * keys, 0, AS("layers*T", pairs), IS(keys));
}

void
compute_indexer(struct layer_job *j, const struct layer_rows *l, double heads)
{
	const unsigned blocks = MATRIX_BLOCK(INDEXER) | MATRIX_BLOCK(BLOCK_INDEXER) |
	    MATRIX_BLOCK(COMPRESSOR);
	double layers = 0;

	for (int i = 0; i < l->count; i++)
		if (blocks >> l->row[i].block & 1)
			layers = l->row[i].layers;
	if (layers <= 0 || !has_index(&j->p->model))
		return;
	compute_products(j, l, blocks, 0, 0);
	score_tokens(j, layers, heads);
}
