/*
 * flops.c - floating point operations of one token (compute.h).
 *
 * The convention of NVIDIA/Megatron-LM megatron/training/training.py,
 * num_floating_point_operations: 6 for each weight that a token meets, router not counted;
 * the attention core with the causal half, or whole (llm-foundry, NeMo before 25.09).
 */
#include <math.h>

#include "core/compute.h"
#include "core/params.h"

/* One layer's attention weights that a token is multiplied with. */
static double
projection_weights(const struct model *m, bool local)
{
	const double h = (double)m->hidden_size, a = (double)m->attention_heads;
	const double d = (double)m->head_dim;
	double v = (double)(m->v_head_dim > 0 ? m->v_head_dim : m->head_dim);
	double kv = (double)m->kv_heads, q = (double)m->q_lora_rank, key;

	if (m->attention == ATTENTION_MLA) {
		key = (double)(m->qk_nope_head_dim + m->qk_rope_head_dim);
		return (q > 0 ? q * (h + a * key) : h * a * key) +
		    (double)m->kv_lora_rank * (h + a * ((double)m->qk_nope_head_dim + v)) +
		    h * (double)m->qk_rope_head_dim + a * v * h;
	}
	if (local && m->linear_attention) {
		key = (double)(m->linear_key_heads * m->linear_key_head_dim);
		v = (double)(m->linear_value_heads * m->linear_value_head_dim);
		return h * (2 * key + 2 * v) + v * h;
	}
	if (local && m->local_kv_heads > 0)
		kv = (double)m->local_kv_heads;
	return h * (a * d * (m->attention_output_gate ? 2 : 1) + kv * (d + v)) + a * v * h;
}

/* Of them those between MLA's latent vectors and the heads. */
static double
up_weights(const struct model *m)
{
	const double a = (double)m->attention_heads, nope = (double)m->qk_nope_head_dim;
	const double key = nope + (double)m->qk_rope_head_dim;
	const double v = (double)(m->v_head_dim > 0 ? m->v_head_dim : m->head_dim);
	const double from = (double)(m->q_lora_rank > 0 ? m->q_lora_rank : m->hidden_size);

	if (m->attention != ATTENTION_MLA)
		return 0;
	return from * a * key + (double)m->kv_lora_rank * a * (nope + v);
}

/* Forward and backward of scores and their product with the values, for one token. */
static double
core_flops(const struct plan *p, bool local, bool full)
{
	const struct model *m = &p->model;
	const double s = (double)p->training.sequence_length;
	const double window = (double)m->sliding_window, chunk = (double)m->attention_chunk;
	const double v = (double)(m->v_head_dim > 0 ? m->v_head_dim : m->head_dim);
	const double key = m->attention == ATTENTION_MLA ?
	    (double)(m->qk_nope_head_dim + m->qk_rope_head_dim) : (double)m->head_dim;
	double keys = full ? s : s / 2;

	if (local && m->linear_attention)
		return 0;
	if (local && chunk > 0 && chunk < s)
		keys = full ? chunk : chunk / 2;
	else if (local && window > 0 && window < s)
		keys = full ? window : window - window * window / (2 * s);
	return 6 * (double)m->attention_heads * keys * (key + v);
}

double
flops_of_layer(const struct plan *p, int kind)
{
	const struct model *m = &p->model;
	const double width = kind & LAYER_MOE ? (double)(m->shared_expert_ffn_hidden_size +
	    m->experts_per_token * m->moe_ffn_hidden_size) : (double)m->ffn_hidden_size;

	return 6 * projection_weights(m, kind & LAYER_LOCAL) +
	    core_flops(p, kind & LAYER_LOCAL, false) +
	    6 * (m->gated_mlp ? 3 : 2) * (double)m->hidden_size * width;
}

struct flops
flops_of_token(const struct plan *p, bool full_attention)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, g = m->gated_mlp ? 3 : 2;
	const bool mixed = params_has_local_layers(m);
	const double dense = 6 * g * h * (double)m->ffn_hidden_size;
	const double shared = 6 * g * h * (double)m->shared_expert_ffn_hidden_size;
	const double routed = 6 * g * h * (double)(m->experts_per_token * m->moe_ffn_hidden_size);
	double weights[2], cores[2], global = (double)m->layers, moe = 0;
	struct flops f = { 0 };

	for (int i = 0; i < 2; i++) {
		weights[i] = 6 * projection_weights(m, i == 1);
		cores[i] = core_flops(p, i == 1, full_attention);
	}
	for (int64_t i = 0; i < m->layers && (mixed || m->experts > 0); i++) {
		global -= mixed && !params_is_global_layer(m, i) ? 1 : 0;
		moe += params_is_moe_layer(m, i) ? 1 : 0;
	}
	f.projections = global * weights[0] + ((double)m->layers - global) * weights[1];
	f.core = global * cores[0] + ((double)m->layers - global) * cores[1];
	f.mlp = ((double)m->layers - moe) * dense;
	f.shared = moe * shared;
	f.experts = moe * routed;
	f.up = (m->linear_attention ? global : (double)m->layers) * 6 * up_weights(m);
	f.head = 6 * h * (double)m->vocab_size;
	/* Each is like the last layer; torchtitan builds none. */
	if (m->mtp_layers > 0 && m->layers > 0 && p->parallel.layout != LAYOUT_TORCHTITAN) {
		const int last = mixed && !params_is_global_layer(m, m->layers - 1);
		const bool expert = m->experts > 0 && params_is_moe_layer(m, m->layers - 1);

		f.mtp = (double)m->mtp_layers * (weights[last] + cores[last] + 12 * h * h + f.head +
		    (expert ? shared + routed : dense));
	}
	return f;
}

double
flops_sum(const struct flops *f)
{
	return f->projections + f->core + f->mlp + f->shared + f->experts + f->head + f->mtp;
}
