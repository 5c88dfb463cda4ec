/* params_attention.c - parameters of what mixes tokens: attention of all kinds, linear attention,
 * Mamba-2, indexers. */
#include "core/model/mixer.h"
#include "core/model/params_count.h"

#define MCORE "Megatron-LM megatron/core/"
#define ATTENTION_SOURCE MCORE "transformer/attention.py"
#define MLA_SOURCE MCORE "transformer/multi_latent_attention.py"
#define LINEAR_SOURCE "transformers models/qwen3_next/modeling_qwen3_next.py"
#define KIMI_SOURCE "moonshotai/Kimi-Linear-48B-A3B-Instruct modeling_kimi.py"
#define LIGHTNING_SOURCE "MiniMaxAI/MiniMax-Text-01 modeling_minimax_text_01.py"
#define MAMBA_SOURCE MCORE "ssm/mamba_mixer.py"
#define INDEXER_SOURCE "DeepSeek-V3.2-Exp inference/model.py"
#define BLOCK_INDEXER_SOURCE "vLLM vllm/models/minimax_m3/nvidia/model.py"
#define CSA_SOURCE "vLLM vllm/model_executor/models/deepseek_v4.py"
#define GEMMA_SOURCE "transformers models/gemma4/modular_gemma4.py"
#define SINK_SOURCE "transformers models/gpt_oss/modeling_gpt_oss.py"

static void
count_mha_extras(struct counter *c, double layers, double q, double kv, bool local)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, r = norm_vectors(m);
	const double n = params_query_heads(m, local), d = params_key_dim(m, local);

	if (m->linear_bias || m->qkv_bias)
		TERM(c, PART_SPLIT, "QKV biases", ATTENTION_SOURCE, layers * (q + kv) / c->attention_tp,
		    IS(layers), IS(q), IS(kv), AS("TP", c->attention_tp));
	if (m->linear_bias || m->attention_output_bias)
		TERM(c, PART_WHOLE, "attention output biases", ATTENTION_SOURCE, layers * h, IS(layers),
		    IS(h));
	if (m->qk_norm && m->qk_norm_full) {
		/* as wide as the projections, so split with them */
		const double k = params_kv_heads(m, local) * d;

		TERM(c, PART_SPLIT, "QK norms", ATTENTION_SOURCE,
		    layers * r * (q + k) / c->attention_tp, IS(layers), AS("vectors", r), IS(q), IS(k),
		    AS("TP", c->attention_tp));
	} else if (m->qk_norm) {
		TERM(c, PART_WHOLE, "QK norms", ATTENTION_SOURCE, layers * r * 2 * d, IS(layers),
		    AS("vectors", r), IS(d));
	}
	if (m->attention_sinks || (m->local_attention_sinks && local))
		TERM(c, PART_SPLIT, "attention sinks", SINK_SOURCE, layers * n / c->attention_tp,
		    IS(layers), IS(n), AS("TP", c->attention_tp));
}

/* MHA, GQA and MQA. KV heads below TP are still divided over TP as weights: Megatron
 * gathers the projections, every rank then computes with at least one head. */
static void
count_mha(struct counter *c, double layers, bool local)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, n = params_query_heads(m, local);
	const double v = params_value_dim(m, local);
	const double q = params_query_width(m, local), kv = params_kv_width(m, local);

	if (layers <= 0)
		return;
	TERM(c, PART_LINEAR, local ? "local attention" : "attention", ATTENTION_SOURCE,
	    layers * (h * (q + kv) + n * v * h) / c->attention_tp, IS(layers), IS(h), IS(q), IS(kv),
	    IS(n), IS(v), AS("TP", c->attention_tp));
	count_mha_extras(c, layers, q, kv, local);
}

/* What layers lack that take keys and values of an earlier one. */
static void
count_borrowed(struct counter *c, double layers, bool local)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, kv = params_kv_width(m, local);
	const double r = norm_vectors(m), d = params_key_dim(m, local);

	if (layers <= 0)
		return;
	TERM(c, PART_LINEAR, "keys and values that earlier layers make", GEMMA_SOURCE,
	    -(layers * h * kv / c->attention_tp), IS(layers), IS(h), IS(kv), AS("TP", c->attention_tp));
	if (m->qk_norm && !m->qk_norm_full)
		TERM(c, PART_WHOLE, "norms of those keys", GEMMA_SOURCE, -(layers * r * d), IS(layers),
		    AS("vectors", r), IS(d));
}

/* The down-projections and their norms are 'duplicated': whole on every TP rank. */
static void
count_mla(struct counter *c, double layers)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, n = (double)m->attention_heads;
	const double ql = (double)m->q_lora_rank, kl = (double)m->kv_lora_rank;
	const double nope = (double)m->qk_nope_head_dim, rope = (double)m->qk_rope_head_dim;
	const double v = params_value_dim(m, false);
	const double from = ql > 0 ? ql : h, r = norm_vectors(m);

	if (layers <= 0)
		return;
	TERM(c, PART_LINEAR, "MLA projections", MLA_SOURCE,
	    layers * n * (from * (nope + rope) + kl * (nope + v) + v * h) / c->attention_tp,
	    IS(layers), IS(n), AS("ql", from), IS(nope), IS(rope), IS(kl), IS(v), IS(h),
	    AS("TP", c->attention_tp));
	if (m->attention_output_gate)
		TERM(c, PART_LINEAR, "MLA output gate", KIMI_SOURCE, layers * n * v * h / c->attention_tp,
		    IS(layers), IS(n), IS(v), IS(h), AS("TP", c->attention_tp));
	TERM(c, PART_LINEAR_WHOLE, "MLA down-projections", MLA_SOURCE,
	    layers * h * (ql + kl + rope), IS(layers), IS(h), IS(ql), IS(kl), IS(rope));
	TERM(c, PART_WHOLE, "MLA norms", MLA_SOURCE, layers * r * (ql + kl), IS(layers),
	    AS("vectors", r), IS(ql), IS(kl));
}

/* Gated delta networks: q, k, v, gate z, the two small projections a and b, output. */
static void
count_delta(struct counter *c, double layers)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size;
	const double heads = (double)m->linear_value_heads, dv = (double)m->linear_value_head_dim;
	const double k = (double)(m->linear_key_heads * m->linear_key_head_dim);
	const double v = heads * dv, conv = (double)m->linear_conv_kernel;

	TERM(c, PART_LINEAR, "linear attention", LINEAR_SOURCE,
	    layers * h * (2 * k + 3 * v + 2 * heads) / c->attention_tp, IS(layers), IS(h), IS(k),
	    IS(v), IS(heads), AS("TP", c->attention_tp));
	TERM(c, PART_SPLIT, "linear attention convolution", LINEAR_SOURCE,
	    layers * (conv * (2 * k + v) + 2 * heads) / c->attention_tp, IS(layers), IS(conv), IS(k),
	    IS(v), IS(heads), AS("TP", c->attention_tp));
	TERM(c, PART_WHOLE, "linear attention norms", LINEAR_SOURCE, layers * dv, IS(layers),
	    AS("head size", dv));
}

/* Kimi delta attention: q, k, v, b and output; decay and gate by way of a projection as narrow as
 * a head, which every rank has whole, but for a gate of one wide projection. Beside the
 * convolutions a bias of each channel's decay. */
static void
count_kimi(struct counter *c, double layers)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size;
	const double heads = (double)m->linear_value_heads, dv = (double)m->linear_value_head_dim;
	const double k = (double)(m->linear_key_heads * m->linear_key_head_dim);
	const double v = heads * dv, conv = (double)m->linear_conv_kernel;
	const double from = m->linear_wide_gate ? h : dv, narrow = m->linear_wide_gate ? 1 : 2;

	TERM(c, PART_LINEAR, "linear attention", KIMI_SOURCE,
	    layers * (h * (2 * k + 2 * v + heads) + dv * k) / c->attention_tp, IS(layers), IS(h),
	    IS(k), IS(v), IS(heads), AS("head size", dv), AS("TP", c->attention_tp));
	TERM(c, PART_LINEAR, "linear attention: gate", KIMI_SOURCE,
	    layers * from * v / c->attention_tp, IS(layers), IS(from), IS(v),
	    AS("TP", c->attention_tp));
	TERM(c, PART_LINEAR_WHOLE, "linear attention: down to decay and gate", KIMI_SOURCE,
	    layers * narrow * h * dv, IS(layers), AS("projections", narrow), IS(h),
	    AS("head size", dv));
	TERM(c, PART_SPLIT, "linear attention convolution", KIMI_SOURCE,
	    layers * (conv * (2 * k + v) + heads + k) / c->attention_tp, IS(layers), IS(conv), IS(k),
	    IS(v), IS(heads), AS("TP", c->attention_tp));
	TERM(c, PART_WHOLE, "linear attention norms", KIMI_SOURCE, layers * dv, IS(layers),
	    AS("head size", dv));
}

/* Lightning attention: q, k, v, gate and output, and a norm over all heads. */
static void
count_lightning(struct counter *c, double layers)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size;
	const double k = (double)(m->linear_key_heads * m->linear_key_head_dim);
	const double v = (double)(m->linear_value_heads * m->linear_value_head_dim);

	TERM(c, PART_LINEAR, "linear attention", LIGHTNING_SOURCE,
	    layers * h * (2 * k + 3 * v) / c->attention_tp, IS(layers), IS(h), IS(k), IS(v),
	    AS("TP", c->attention_tp));
	TERM(c, PART_SPLIT, "linear attention norms", LIGHTNING_SOURCE,
	    layers * v / c->attention_tp, IS(layers), IS(v), AS("TP", c->attention_tp));
}

static void
count_linear_attention(struct counter *c, double layers)
{
	if (layers <= 0)
		return;
	if (c->m->linear_kind == LINEAR_KDA)
		count_kimi(c, layers);
	else if (c->m->linear_kind == LINEAR_LIGHTNING)
		count_lightning(c, layers);
	else
		count_delta(c, layers);
}

/* Mamba-2: one projection to z, x, B, C and dt, and the output; the convolution of x, B and C
 * has a bias; A, D and the bias of dt are one number a head; the norm is as wide as x. */
static void
count_mamba(struct counter *c, double layers)
{
	const struct mixer x = mixer_mamba(c->m);
	const double h = (double)c->m->hidden_size, heads = x.heads, v = x.value, k = x.key;
	const double conv = x.taps;

	if (layers <= 0)
		return;
	TERM(c, PART_LINEAR, "Mamba", MAMBA_SOURCE,
	    layers * h * (3 * v + 2 * k + heads) / c->attention_tp, IS(layers), IS(h),
	    AS("heads*head size", v), AS("groups*state", k), IS(heads), AS("TP", c->attention_tp));
	TERM(c, PART_SPLIT, "Mamba convolution, decay and norm", MAMBA_SOURCE,
	    layers * ((conv + 1) * (v + 2 * k) + 3 * heads + v) / c->attention_tp, IS(layers), IS(conv),
	    AS("heads*head size", v), AS("groups*state", k), IS(heads), AS("TP", c->attention_tp));
}

/* Over keys and values without a latent: queries, as many as KV heads and split with them, and one
 * key head, each with a norm. */
static void
count_block_indexer(struct counter *c, double layers)
{
	const double h = (double)c->m->hidden_size, n = (double)c->m->index_heads;
	const double d = (double)c->m->index_head_dim, r = norm_vectors(c->m);

	TERM(c, PART_LINEAR, "indexer queries", BLOCK_INDEXER_SOURCE,
	    layers * h * n * d / c->attention_tp, IS(layers), IS(h), IS(n), IS(d),
	    AS("TP", c->attention_tp));
	TERM(c, PART_LINEAR_WHOLE, "indexer key", BLOCK_INDEXER_SOURCE, layers * h * d, IS(layers),
	    IS(h), IS(d));
	TERM(c, PART_WHOLE, "indexer norms", BLOCK_INDEXER_SOURCE, layers * r * 2 * d, IS(layers),
	    AS("vectors", r), IS(d));
}

/* Sparse attention indexer: query from the latent, one key head with a LayerNorm, and a
 * weight for each head. Whole on every TP rank. */
static void
count_indexer(struct counter *c, double layers)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, n = (double)m->index_heads;
	const double d = (double)m->index_head_dim;
	const double from = (double)(m->q_lora_rank > 0 ? m->q_lora_rank : m->hidden_size);

	TERM(c, PART_LINEAR_WHOLE, "indexer", INDEXER_SOURCE,
	    layers * (from * n * d + h * d + h * n), IS(layers), AS("ql", from), IS(n), IS(d), IS(h));
	TERM(c, PART_WHOLE, "indexer norms", INDEXER_SOURCE, layers * 2 * d, IS(layers), IS(d));
}

/* What makes an entry of the cache of several tokens: of layers with an index twice as wide, for
 * they overlap. Their indexer has one of its own. */
static void
count_compressors(struct counter *c, const struct layer_kinds *k)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, d = (double)m->head_dim;
	const double ql = (double)m->q_lora_rank, n = (double)m->index_heads;
	const double id = (double)m->index_head_dim, light = k->indexed, heavy = k->heavy;
	const double r = (double)m->compress_ratio, hr = (double)m->heavy_compress_ratio;

	if (light + heavy <= 0)
		return;
	TERM(c, PART_LINEAR_WHOLE, "compressors", CSA_SOURCE, (2 * light + heavy) * 2 * h * d,
	    IS(light), IS(heavy), IS(h), IS(d));
	TERM(c, PART_WHOLE, "compressors' positions and norms", CSA_SOURCE,
	    light * (2 * r + 1) * d + heavy * (hr + 1) * d, IS(light), AS("ratio", r), IS(d), IS(heavy),
	    AS("heavy ratio", hr));
	if (light > 0)
		TERM(c, PART_LINEAR_WHOLE, "indexer", CSA_SOURCE, light * (ql * n * id + h * n + 4 * h * id),
		    IS(light), IS(ql), IS(n), AS("index size", id), IS(h));
	if (light > 0)
		TERM(c, PART_WHOLE, "indexer's positions and norm", CSA_SOURCE, light * (2 * r + 1) * id,
		    IS(light), AS("ratio", r), AS("index size", id));
}

/* Compressed sparse attention: queries through a latent, one vector that is key and value of all
 * heads, and an output of two products, the first for each group of heads. */
static void
count_csa(struct counter *c, const struct layer_kinds *k)
{
	const struct model *m = c->m;
	const double h = (double)m->hidden_size, n = (double)m->attention_heads;
	const double d = (double)m->head_dim, ql = (double)m->q_lora_rank;
	const double ol = (double)m->output_lora_rank, groups = (double)m->output_groups;
	const double layers = k->global + k->local;

	if (layers <= 0)
		return;
	TERM(c, PART_LINEAR, "compressed attention", CSA_SOURCE,
	    layers * (n * d * (ql + ol) + groups * ol * h) / c->attention_tp, IS(layers), IS(n), IS(d),
	    IS(ql), IS(ol), IS(groups), IS(h), AS("TP", c->attention_tp));
	TERM(c, PART_LINEAR_WHOLE, "down to queries and keys", CSA_SOURCE, layers * h * (ql + d),
	    IS(layers), IS(h), IS(ql), IS(d));
	TERM(c, PART_WHOLE, "norms of queries and keys", CSA_SOURCE, layers * (ql + d), IS(layers),
	    IS(ql), IS(d));
	TERM(c, PART_SPLIT, "attention sinks", CSA_SOURCE, layers * n / c->attention_tp, IS(layers),
	    IS(n), AS("TP", c->attention_tp));
	count_compressors(c, k);
}

void
params_count_attention(struct counter *c, const struct layer_kinds *k)
{
	const struct model *m = c->m;
	const double attending = m->linear_attention ? k->global : k->global + k->local;

	if (m->attention == ATTENTION_CSA) {
		count_csa(c, k);
	} else if (m->attention == ATTENTION_MLA) {
		count_mla(c, attending);
	} else {
		count_mha(c, k->global, false);
		count_mha(c, attending - k->global, true);
		count_borrowed(c, k->borrowing_global, false);
		count_borrowed(c, k->borrowing_local, true);
	}
	if (m->linear_attention)
		count_linear_attention(c, k->local);
	count_mamba(c, k->mamba);
	if (k->indexed > 0 && m->attention == ATTENTION_MLA)
		count_indexer(c, k->indexed);
	else if (k->indexed > 0 && m->attention == ATTENTION_MHA)
		count_block_indexer(c, k->indexed);
}
