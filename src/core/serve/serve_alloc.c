#include "core/serve/serve_alloc.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/segment.h"
#include "core/engine/engine.h"
#include "core/model/kv.h"
#include "core/model/params.h"

/* Sizes that tensors of a plan are made of. */
struct shapes {
	const struct model *m;
	double tp;      /* of all but experts */
	double experts; /* of a rank, and how many ranks split each */
	double expert_tp;
	double linear;  /* bytes of a weight of a linear layer */
	double h;
};

static double
weight_bytes(int64_t dtype)
{
	switch (dtype) {
	case WEIGHT_FP8:
	case WEIGHT_INT8:
		return 1;
	case WEIGHT_INT4:
	case WEIGHT_NVFP4:
		return 0.5;
	default:
		return 2;
	}
}

static struct shapes
shapes_of(const struct plan *p)
{
	const double ep = at_least_one(p->parallel.ep);
	struct shapes s = { .m = &p->model, .tp = kv_attention_tp(p),
		.h = (double)p->model.hidden_size };

	s.experts = (double)p->model.experts / ep;
	s.expert_tp = params_expert_ranks(p) / ep;
	s.linear = weight_bytes(p->serving.weight_dtype);
	return s;
}

/* Gate and up projection are one tensor. */
static double
mlp_slack(const struct shapes *s, double width)
{
	const double up = (s->m->gated_mlp ? 2 : 1) * width / s->tp;

	return segment_left(up * s->h * s->linear) +
	    segment_left(width / s->tp * s->h * s->linear);
}

/* One tensor for all experts of a rank. */
static double
moe_slack(const struct shapes *s)
{
	const double width = (double)s->m->moe_ffn_hidden_size / s->expert_tp;
	const double down = s->experts * width * params_expert_width(s->m) * s->linear;

	return segment_left((s->m->gated_mlp ? 2 : 1) * down) + segment_left(down) +
	    mlp_slack(s, (double)s->m->shared_expert_ffn_hidden_size);
}

/* Slack of latent attention: its down-projections are one tensor, whole on every rank; the up-projection of keys and
 * values is kept a second time, in 16 bits and two tensors. */
static double
mla_slack(const struct shapes *s)
{
	const struct model *m = s->m;
	const double n = (double)m->attention_heads / s->tp, kl = (double)m->kv_lora_rank;
	const double ql = (double)m->q_lora_rank, rope = (double)m->qk_rope_head_dim;
	const double nope = (double)m->qk_nope_head_dim, v = (double)m->v_head_dim;
	const double q = ql > 0 ? ql : s->h;

	return segment_left((ql + kl + rope) * s->h * s->linear) +
	    segment_left(n * (nope + rope) * q * s->linear) +
	    segment_left(n * (nope + v) * kl * s->linear) +
	    segment_left(n * v * s->h * s->linear) +
	    segment_left(n * nope * kl * 2) + segment_left(n * v * kl * 2);
}

/* Queries, keys and values are one tensor, with the output gate where there is one. */
static double
attention_slack(const struct shapes *s, bool global)
{
	const struct model *m = s->m;
	const double v = params_value_dim(m, !global);
	const double kv = params_kv_heads(m, !global), held = larger(1, ceil(kv / s->tp));

	if (m->attention == ATTENTION_MLA)
		return mla_slack(s);
	if ((m->linear_attention && !global) || m->attention == ATTENTION_CSA)
		return 0;
	return segment_left((params_query_width(m, !global) / s->tp +
	    params_kv_width(m, !global) * held / kv) * s->h * s->linear) +
	    segment_left(params_query_heads(m, !global) / s->tp * v * s->h * s->linear);
}

static double
layers_slack(const struct shapes *s, const struct plan *p, const struct chunk *c)
{
	const struct layer_kinds n = params_kinds_held(p, c->first, c->count);
	double sum = n.global * attention_slack(s, true) +
	    n.dense * mlp_slack(s, (double)s->m->ffn_hidden_size);

	if (n.local > 0)
		sum += n.local * attention_slack(s, false);
	return n.moe > 0 ? sum + n.moe * moe_slack(s) : sum;
}

double
serve_alloc_stage(const struct plan *p, const struct placement *pl, int64_t stage,
    int64_t version)
{
	const struct shapes s = shapes_of(p);
	/* vLLM pads the vocabulary to 64 (vocab_parallel_embedding.py) */
	const double rows = ceil((double)p->model.vocab_size / 64) * 64 / s.tp;
	const double table = segment_left(rows * s.h * 2);
	double sum = 0;

	if (engine_of(p)->segments_since == 0 || version < engine_of(p)->segments_since ||
	    p->serving.weight_dtype == WEIGHT_MXFP4)
		return 0;
	for (int64_t v = 0; v < pl->vpp; v++) {
		const struct chunk *c = placement_chunk(pl, stage, v);

		sum += layers_slack(&s, p, c);
		if (c->embedding)
			sum += table;
		if (c->loss && !(p->model.tied_embeddings && c->embedding))
			sum += table;
	}
	return sum;
}
