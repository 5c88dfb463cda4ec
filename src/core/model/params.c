/*
 * params.c - parameter counts: one list of terms, read three ways.
 *
 * A counter walks the terms of a model. It divides each by the ranks that share it, so
 * the same lines count a whole model (everything divided by 1), what one token meets
 * (top-k experts instead of all) and what one GPU of a stage holds.
 */
#include "core/model/params_count.h"

#include <math.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/plan/pool.h"

#define MCORE "Megatron-LM megatron/core/"
#define KIMI_SOURCE "moonshotai/Kimi-Linear-48B-A3B-Instruct modeling_kimi.py"
#define GEMMA_SOURCE "transformers models/gemma4/modular_gemma4.py"
#define RESIDUAL_SOURCE "Kimi K3 technical report, arXiv 2607.24653, section 2.2"
#define CSA_SOURCE "vLLM vllm/model_executor/models/deepseek_v4.py"
#define HYPER_SOURCE "Zhu et al. 2024, arXiv 2409.19606; " CSA_SOURCE
#define LAYER_SOURCE MCORE "transformer/transformer_layer.py"
#define MLP_SOURCE MCORE "transformer/mlp.py"
#define ROUTER_SOURCE MCORE "transformer/moe/router.py"
#define EXPERT_SOURCE MCORE "transformer/moe/experts.py"
#define LATENT_SOURCE MCORE "transformer/moe/moe_layer.py"
#define SHARED_SOURCE MCORE "transformer/moe/shared_experts.py"
#define EMBEDDING_SOURCE MCORE "models/common/embeddings/language_model_embedding.py"
#define MODEL_SOURCE MCORE "models/gpt/gpt_model.py"
#define MTP_SOURCE MCORE "transformer/multi_token_prediction.py"

/* Matrices of one MLP: up and down, and the gate. */
static double
mlp_matrices(const struct model *m)
{
	return m->gated_mlp ? 3 : 2;
}

static void
count_dense_mlp(struct counter *c, double layers)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, f = (double)m->ffn_hidden_size;
	const double g = mlp_matrices(m);

	if (layers <= 0)
		return;
	TERM(c, PART_LINEAR, "MLP", MLP_SOURCE, layers * g * h * f / c->tp, IS(layers), IS(g), IS(h),
	    IS(f), AS("TP", c->tp));
	if (!m->linear_bias)
		return;
	TERM(c, PART_SPLIT, "MLP biases", MLP_SOURCE, layers * (g - 1) * f / c->tp, IS(layers), IS(g),
	    IS(f), AS("TP", c->tp));
	TERM(c, PART_WHOLE, "MLP output biases", MLP_SOURCE, layers * h, IS(layers), IS(h));
}

static void
count_router(struct counter *c, double layers, double hashed)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, n = (double)(m->experts + m->zero_experts);
	const double s = (double)m->shared_expert_ffn_hidden_size, g = mlp_matrices(m);

	TERM(c, PART_ROUTER, "router", ROUTER_SOURCE, layers * h * n, IS(layers), IS(h),
	    AS("experts", n));
	if (m->router_bias && hashed > 0)
		TERM(c, PART_WHOLE, "router biases", ROUTER_SOURCE, (layers - hashed) * n, IS(layers),
		    IS(hashed), AS("experts", n));
	else if (m->router_bias)
		TERM(c, PART_WHOLE, "router biases", ROUTER_SOURCE, layers * n, IS(layers),
		    AS("experts", n));
	if (m->moe_latent_size > 0) {
		const double latent = (double)m->moe_latent_size;

		TERM(c, PART_LINEAR_WHOLE, "projections to experts and back", LATENT_SOURCE,
		    layers * 2 * h * latent, IS(layers), IS(h), IS(latent));
		if (m->moe_latent_norm)
			TERM(c, PART_WHOLE, "norms behind experts", KIMI_SOURCE, layers * latent,
			    IS(layers), IS(latent));
	}
	if (s <= 0)
		return;
	TERM(c, PART_LINEAR, "shared experts", SHARED_SOURCE, layers * g * h * s / c->tp, IS(layers),
	    IS(g), IS(h), AS("f", s), AS("TP", c->tp));
	if (m->shared_expert_gate)
		TERM(c, PART_WHOLE, "shared expert gates", SHARED_SOURCE, layers * h, IS(layers), IS(h));
}

static void
count_moe(struct counter *c, double layers, double hashed)
{
	const struct model *m = c->m;
	const double h = params_expert_width(m), f = (double)m->moe_ffn_hidden_size;
	const double g = mlp_matrices(m);

	if (layers <= 0)
		return;
	count_router(c, layers, hashed);
	TERM(c, PART_EXPERT, "routed experts", EXPERT_SOURCE,
	    layers * c->experts * g * h * f / c->expert_tp, IS(layers), AS("experts", c->experts),
	    IS(g), IS(h), IS(f), AS("ETP", c->expert_tp));
	if (m->linear_bias || m->expert_bias)
		TERM(c, PART_EXPERT_BIAS, "expert biases", EXPERT_SOURCE,
		    layers * c->experts * ((g - 1) * f + h) / c->expert_tp, IS(layers),
		    AS("experts", c->experts), IS(g), IS(f), IS(h), AS("ETP", c->expert_tp));
}

/* Each layer's own embedding: a gate to its width, the way back, and a norm. */
static void
count_layer_inputs(struct counter *c, double layers)
{
	const double h = (double)c->m->hidden_size, e = (double)c->m->per_layer_embedding;
	const double r = norm_vectors(c->m);

	if (e <= 0)
		return;
	TERM(c, PART_LINEAR_WHOLE, "gates of layers' embeddings", GEMMA_SOURCE, layers * 2 * h * e,
	    IS(layers), IS(h), IS(e));
	TERM(c, PART_WHOLE, "norms behind them", GEMMA_SOURCE, layers * r * h, IS(layers),
	    AS("vectors", r), IS(h));
}

static void
count_layers(struct counter *c, const struct layer_kinds *k)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, n = params_norms(m);
	const double r = norm_vectors(m), layers = k->all - k->shortcut;

	if (k->all <= 0)
		return;
	params_count_attention(c, k);
	if (n > 0)
		TERM(c, PART_WHOLE, "layer norms", LAYER_SOURCE, layers * n * r * h, IS(layers),
		    AS("norms", n), AS("vectors", r), IS(h));
	if (m->residual_attention > 0) {
		const double sites = params_mixers(k) + k->moe + k->dense;

		TERM(c, PART_WHOLE, "attention to earlier blocks", RESIDUAL_SOURCE, sites * 2 * h,
		    AS("mixers and MLPs", sites), IS(h));
	}
	if (m->hyper_connections > 0) {
		const double sites = params_mixers(k) + k->moe + k->dense;
		const double s = (double)m->hyper_connections;

		TERM(c, PART_WHOLE, "hyper-connections", HYPER_SOURCE,
		    sites * ((2 + s) * s * (s * h + 1) + 3), AS("mixers and MLPs", sites),
		    AS("streams", s), IS(h));
	}
	count_dense_mlp(c, k->dense + params_doubled(m, k));
	count_layer_inputs(c, k->all);
	count_moe(c, k->moe, k->hashed);
}

static void
count_embedding(struct counter *c)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, r = norm_vectors(m);
	const double positions = (double)(m->max_position + m->position_extra);

	TERM(c, PART_SPLIT, "embedding", EMBEDDING_SOURCE, c->vocab * h / c->tp,
	    AS("vocabulary", c->vocab), IS(h), AS("TP", c->tp));
	if (m->per_layer_embedding > 0) {
		const double e = (double)m->per_layer_embedding, layers = (double)m->layers;

		TERM(c, PART_SPLIT, "embeddings of each layer", GEMMA_SOURCE, c->vocab * layers * e / c->tp,
		    AS("vocabulary", c->vocab), IS(layers), IS(e), AS("TP", c->tp));
		TERM(c, PART_LINEAR_WHOLE, "projection to all layers", GEMMA_SOURCE, h * layers * e, IS(h),
		    IS(layers), IS(e));
		TERM(c, PART_WHOLE, "norm of that", GEMMA_SOURCE, r * e, AS("vectors", r), IS(e));
	}
	if (m->position == POSITION_LEARNED)
		TERM(c, PART_WHOLE, "positions", EMBEDDING_SOURCE, positions * h, IS(positions), IS(h));
	if (m->embedding_norm)
		TERM(c, PART_WHOLE, "embedding norm", EMBEDDING_SOURCE, r * h, AS("vectors", r), IS(h));
}

/* A second table beside the embedding's own, under the name it has there. */
static void
count_table(struct counter *c, const char *name)
{
	const double h = (double)c->m->hidden_size;

	TERM(c, PART_SPLIT, name, MODEL_SOURCE, c->vocab * h / c->tp, AS("vocabulary", c->vocab), IS(h),
	    AS("TP", c->tp));
}

static void
count_loss(struct counter *c)
{
	const double h = (double)c->m->hidden_size, r = norm_vectors(c->m);

	TERM(c, PART_WHOLE, "final norm", MCORE "transformer/transformer_block.py", r * h,
	    AS("vectors", r), IS(h));
	if (c->m->residual_attention > 0)
		TERM(c, PART_WHOLE, "attention to all blocks", RESIDUAL_SOURCE, 2 * h, IS(h));
	if (c->m->hyper_connections > 0) {
		const double s = (double)c->m->hyper_connections;

		TERM(c, PART_WHOLE, "streams to one", HYPER_SOURCE, s * (s * h + 1) + 1, AS("streams", s),
		    IS(h));
	}
	if (c->m->head_bias)
		TERM(c, PART_SPLIT, "head bias", MODEL_SOURCE, c->vocab / c->tp,
		    AS("vocabulary", c->vocab), AS("TP", c->tp));
}

/* What an MTP layer has beside the transformer layer in it: the projection that joins
 * embedding and hidden state, a norm for each of them and one at the end. */
static void
count_mtp(struct counter *c, double layers)
{
	const double h = (double)c->m->hidden_size, r = norm_vectors(c->m);

	TERM(c, PART_LINEAR, "MTP projections", MTP_SOURCE, layers * 2 * h * h / c->tp, IS(layers),
	    IS(h), AS("TP", c->tp));
	TERM(c, PART_WHOLE, "MTP norms", MTP_SOURCE, layers * 3 * r * h, IS(layers), AS("vectors", r),
	    IS(h));
}

static struct counter
counter_whole(const struct model *m, struct ledger *ledger, enum quantity q, double experts)
{
	struct counter c = {
		.m = m, .ledger = ledger, .quantity = q,
		.tp = 1, .attention_tp = 1, .expert_tp = 1,
		.experts = experts, .vocab = (double)m->vocab_size,
	};

	return c;
}

static double
counter_sum(const struct counter *c)
{
	double sum = 0;
	int i;

	for (i = 0; i < PART_COUNT; i++)
		sum += c->sum[i];
	return sum;
}

int64_t
params_padded_vocab(const struct plan *p)
{
	const enum vocab_padding padding = framework_of(p)->vocab;
	int64_t to = 1;

	if (p->mode == MODE_TRAIN && padding != VOCAB_AS_IS)
		to = padding == VOCAB_TO_TP ? p->parallel.tp : p->model.vocab_multiple * p->parallel.tp;
	if (to < 1)
		return p->model.vocab_size;
	return (p->model.vocab_size + to - 1) / to * to;
}

struct layer_params
params_layer(const struct model *m, int64_t layer)
{
	struct counter c = counter_whole(m, NULL, QUANTITY_PARAMS_TOTAL, (double)m->experts);
	const struct layer_kinds k = params_kinds(m, layer, 1);
	struct layer_params out;

	count_layers(&c, &k);
	out.sharded = c.sum[PART_LINEAR] + c.sum[PART_SPLIT];
	out.replicated = c.sum[PART_LINEAR_WHOLE] + c.sum[PART_WHOLE] + c.sum[PART_ROUTER];
	out.expert = c.sum[PART_EXPERT] + c.sum[PART_EXPERT_BIAS];
	return out;
}

static double
count_model(struct counter *c)
{
	const struct layer_kinds k = params_kinds(c->m, 0, c->m->layers);

	count_embedding(c);
	count_layers(c, &k);
	count_loss(c);
	if (!c->m->tied_embeddings)
		count_table(c, "head");
	return counter_sum(c);
}

struct model_params
params_model(const struct plan *p, struct ledger *ledger)
{
	const struct model *m = &p->model;
	struct counter all = counter_whole(m, ledger, QUANTITY_PARAMS_TOTAL, (double)m->experts);
	struct counter active = counter_whole(m, ledger, QUANTITY_PARAMS_ACTIVE,
	    params_experts_met(m));
	struct counter mtp = counter_whole(m, NULL, QUANTITY_PARAMS_TOTAL, (double)m->experts);
	const struct layer_kinds k = params_mtp_kinds(m);
	struct model_params out;

	if (ledger != NULL)
		ledger->stage = -1;
	out.total = count_model(&all);
	out.active = count_model(&active);
	out.embedding = (double)m->vocab_size * (double)m->hidden_size;
	count_layers(&mtp, &k);
	count_mtp(&mtp, 1);
	out.mtp = (double)m->mtp_layers * counter_sum(&mtp);
	return out;
}

/* Ranks that split an expert. Where no expert TP exists it is TP that splits them unless EP does;
 * in vLLM with its data parallel ranks. */
static double
expert_tp(const struct plan *p)
{
	const double tp = at_least_one(p->parallel.tp);

	if (p->parallel.ep <= 1 && p->mode == MODE_SERVE)
		return p->serving.engine == ENGINE_VLLM ? tp * pool_engine_dp(p) : tp;
	return p->parallel.ep <= 1 && framework_of(p)->tp_splits_experts ? tp :
	    at_least_one(p->parallel.etp);
}

double
params_expert_ranks(const struct plan *p)
{
	return at_least_one(p->parallel.ep) * expert_tp(p);
}

static int64_t
round_up(int64_t n, int64_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * How a serving engine splits differently (vLLM model_executor/layers/linear.py,
 * QKVParallelLinear): every GPU holds whole KV heads, at least one; whole experts with
 * EP; and all of the attention where that runs data parallel, in vLLM all but the experts.
 */
static void
split_for_serving(struct counter *c, const struct plan *p, struct model *m)
{
	*m = p->model;
	c->m = m;
	if (p->serving.dp_attention)
		c->attention_tp = 1;
	if (p->serving.dp_attention && p->serving.engine == ENGINE_VLLM)
		c->tp = 1;
	m->kv_heads = round_up(m->kv_heads, (int64_t)c->attention_tp);
	m->local_kv_heads = round_up(m->local_kv_heads, (int64_t)c->attention_tp);
	c->experts = ceil(c->experts);
}

static void
count_rank(struct counter *c, const struct rank_layers *r)
{
	if (r->embedding)
		count_embedding(c);
	count_layers(c, &r->kinds);
	if (r->loss) {
		count_loss(c);
		if (!c->m->tied_embeddings)
			count_table(c, "head");
		else if (!r->embedding)
			count_table(c, "head (copy of the tied embedding)");
	}
	if (r->mtp > 0) {
		count_mtp(c, (double)r->mtp);
		if (r->pipelined && !r->embedding)
			count_table(c, "MTP copy of the embedding");
	}
}

struct stage_params
params_held(const struct plan *p, const struct rank_layers *r, struct ledger *ledger)
{
	struct counter c = counter_whole(&p->model, ledger, QUANTITY_PARAMS_GPU, (double)p->model.experts);
	struct model serving;
	struct stage_params out;

	c.tp = c.attention_tp = at_least_one(p->parallel.tp);
	c.expert_tp = expert_tp(p);
	c.experts /= at_least_one(p->parallel.ep);
	c.vocab = (double)params_padded_vocab(p);
	if (p->mode == MODE_SERVE)
		split_for_serving(&c, p, &serving);
	if (ledger != NULL)
		ledger->stage = (int32_t)r->rank;
	count_rank(&c, r);
	out.linear = c.sum[PART_LINEAR] + c.sum[PART_LINEAR_WHOLE];
	out.router = c.sum[PART_ROUTER];
	out.dense = out.linear + out.router + c.sum[PART_SPLIT] + c.sum[PART_WHOLE];
	out.expert_linear = c.sum[PART_EXPERT];
	out.expert = out.expert_linear + c.sum[PART_EXPERT_BIAS];
	return out;
}

struct stage_params
params_stage(const struct plan *p, const struct placement *pl, int64_t pp_rank,
    struct ledger *ledger)
{
	const struct rank_layers r = params_rank(p, pl, pp_rank);

	return params_held(p, &r, ledger);
}
