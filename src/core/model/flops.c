#include "core/model/flops.h"

#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/params.h"
#include "core/plan/batch.h"

/* FLOP of a weight that a token is multiplied with: forward, input gradient and, where it is
 * trained, its own gradient (NVIDIA-NeMo/Megatron-Bridge
 * src/megatron/bridge/training/utils/flop_utils.py: two thirds of a frozen weight). */
double
flops_of_weight(const struct plan *p)
{
	return adapters_only(p) ? 4 : 6;
}

/* Of adapters that one token meets: those of its experts alone. */
static double
adapter_flops(const struct plan *p)
{
	const struct model *m = &p->model;
	const struct layer_kinds n = params_kinds(m, 0, m->layers);
	struct adapter_module module[ADAPTER_MODULES_MAX];
	const double attention[2] = { n.global, n.local }, mlp[2] = { n.dense, n.moe };
	double sum = 0;

	for (int i = 0; i < 4; i++) {
		const bool second = i & 1;
		const double layers = i < 2 ? attention[second] : mlp[second];
		const int count = i < 2 ? adapters_attention(p, second, module) :
		    adapters_mlp(p, second, module);

		for (int j = 0; j < count; j++)
			if (adapters_has(p, &module[j]))
				sum += layers * adapters_size(p, &module[j], 1) *
				    (module[j].expert ? (double)m->experts_per_token : 1);
	}
	return 6 * sum;
}

/* One layer's attention weights that a token is multiplied with. */
static double
projection_weights(const struct model *m, bool local)
{
	const double h = (double)m->hidden_size, a = (double)m->attention_heads;
	const double kv = params_kv_heads(m, local), q = (double)m->q_lora_rank;
	const double key = params_key_dim(m), v = params_value_dim(m);

	if (m->attention == ATTENTION_MLA)
		return (q > 0 ? q * (h + a * key) : h * a * key) +
		    (double)m->kv_lora_rank * (h + a * ((double)m->qk_nope_head_dim + v)) +
		    h * (double)m->qk_rope_head_dim + a * v * h;
	if (local && m->linear_attention) {
		const double k = (double)(m->linear_key_heads * m->linear_key_head_dim);
		const double u = (double)(m->linear_value_heads * m->linear_value_head_dim);

		return h * (2 * k + 2 * u) + u * h;
	}
	return h * (a * key * (m->attention_output_gate ? 2 : 1) + kv * (key + v)) + a * v * h;
}

/* Of them those between MLA's latent vectors and the heads. */
static double
up_weights(const struct model *m)
{
	const double a = (double)m->attention_heads, nope = (double)m->qk_nope_head_dim;
	const double key = params_key_dim(m), v = params_value_dim(m);
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

	if (local && m->linear_attention)
		return 0;
	return 6 * (double)m->attention_heads * batch_keys(p, local, full) *
	    (params_key_dim(m) + params_value_dim(m));
}

double
flops_forward_of_layer(const struct plan *p, int kind)
{
	const struct model *m = &p->model;
	const double width = kind & LAYER_MOE ? (double)(m->shared_expert_ffn_hidden_size +
	    m->experts_per_token * m->moe_ffn_hidden_size) : (double)m->ffn_hidden_size;

	return 2 * projection_weights(m, kind & LAYER_LOCAL) +
	    core_flops(p, kind & LAYER_LOCAL, false) / 3 +
	    2 * (m->gated_mlp ? 3 : 2) * (double)m->hidden_size * width;
}

struct flops
flops_of_token(const struct plan *p, bool full_attention)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, g = m->gated_mlp ? 3 : 2, w = flops_of_weight(p);
	const double dense = w * g * h * (double)m->ffn_hidden_size;
	const double shared = w * g * h * (double)m->shared_expert_ffn_hidden_size;
	const double routed = w * g * h * (double)(m->experts_per_token * m->moe_ffn_hidden_size);
	const struct layer_kinds n = params_kinds(m, 0, m->layers);
	double weights[2], cores[2];
	struct flops f = { 0 };

	for (int i = 0; i < 2; i++) {
		weights[i] = w * projection_weights(m, i == 1);
		cores[i] = core_flops(p, i == 1, full_attention);
	}
	f.projections = n.global * weights[0] + n.local * weights[1];
	f.core = n.global * cores[0] + n.local * cores[1];
	f.mlp = n.dense * dense;
	f.shared = n.moe * shared;
	f.experts = n.moe * routed;
	f.up = (m->linear_attention ? n.global : n.all) * w * up_weights(m);
	f.head = w * h * (double)m->vocab_size;
	f.adapters = adapters_only(p) ? adapter_flops(p) : 0;
	/* Each is like the last layer. */
	if (m->mtp_layers > 0 && m->layers > 0 && !framework_of(p)->skips_mtp) {
		const int last = !params_is_global_layer(m, m->layers - 1);
		const bool expert = params_is_moe_layer(m, m->layers - 1);

		f.mtp = (double)m->mtp_layers * (weights[last] + cores[last] + 2 * w * h * h + f.head +
		    (expert ? shared + routed : dense));
	}
	return f;
}

double
flops_sum(struct flops f)
{
	return f.projections + f.core + f.mlp + f.shared + f.experts + f.head + f.mtp + f.adapters;
}
