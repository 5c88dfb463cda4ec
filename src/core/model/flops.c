#include "core/model/flops.h"

#include "core/framework/framework.h"
#include "core/model/mixer.h"
#include "core/model/params.h"
#include "core/plan/batch.h"

/* One layer's attention weights that a token is multiplied with. */
static double
projection_weights(const struct model *m, bool local)
{
	const double h = (double)m->hidden_size, a = (double)m->attention_heads;
	const double kv = params_kv_heads(m, local), q = (double)m->q_lora_rank;
	const double key = params_key_dim(m), v = params_value_dim(m);

	if (local && m->linear_attention)
		return mixer_linear(m).weights;
	if (m->attention == ATTENTION_MLA)
		return (q > 0 ? q * (h + a * key) : h * a * key) +
		    (double)m->kv_lora_rank * (h + a * ((double)m->qk_nope_head_dim + v)) +
		    h * (double)m->qk_rope_head_dim + a * v * h;
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
		return 3 * mixer_linear(m).scan;
	return 6 * (double)m->attention_heads * batch_keys(p, local, full) *
	    (params_key_dim(m) + params_value_dim(m));
}

static double
mamba_flops(const struct model *m)
{
	const struct mixer x = mixer_mamba(m);

	return 6 * x.weights + 3 * x.scan;
}

static double
mlp_flops(const struct model *m, double width)
{
	return 6 * (m->gated_mlp ? 3 : 2) * (double)m->hidden_size * width;
}

/* What every token takes of a layer with experts: the shared ones, and the way to a latent
 * and back. */
static double
shared_flops(const struct model *m)
{
	return mlp_flops(m, (double)m->shared_expert_ffn_hidden_size) +
	    12 * (double)m->hidden_size * (double)m->moe_latent_size;
}

static double
routed_flops(const struct model *m)
{
	return 6 * (m->gated_mlp ? 3 : 2) * params_expert_width(m) *
	    (double)(m->experts_per_token * m->moe_ffn_hidden_size);
}

double
flops_of_layer(const struct plan *p, int kind)
{
	const struct model *m = &p->model;
	double sum = 0;

	if ((kind & LAYER_MIXER) == LAYER_MAMBA)
		sum += mamba_flops(m);
	else if (layer_has_mixer(kind))
		sum += 6 * projection_weights(m, layer_is_local(kind)) +
		    core_flops(p, layer_is_local(kind), false);
	if (layer_has_mlp(kind) && (kind & LAYER_MOE))
		sum += shared_flops(m) + routed_flops(m);
	else if (layer_has_mlp(kind))
		sum += mlp_flops(m, (double)m->ffn_hidden_size);
	return sum;
}

struct flops
flops_of_token(const struct plan *p, bool full_attention)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size;
	const double dense = mlp_flops(m, (double)m->ffn_hidden_size);
	const double shared = shared_flops(m), routed = routed_flops(m);
	const struct layer_kinds n = params_kinds(m, 0, m->layers);
	double weights[2], cores[2];
	struct flops f = { 0 };

	for (int i = 0; i < 2; i++) {
		weights[i] = 6 * projection_weights(m, i == 1);
		cores[i] = core_flops(p, i == 1, full_attention);
	}
	f.projections = n.global * weights[0] + n.local * weights[1];
	f.core = n.global * cores[0] + n.local * cores[1];
	if (n.mamba > 0)
		f.projections += n.mamba * mamba_flops(m);
	f.mlp = n.dense * dense;
	f.shared = n.moe * shared;
	f.experts = n.moe * routed;
	f.up = (m->linear_attention ? n.global : n.global + n.local) * 6 * up_weights(m);
	f.head = 6 * h * (double)m->vocab_size;
	if (m->mtp_layers > 0 && m->layers > 0 && !framework_of(p)->skips_mtp) {
		const struct layer_kinds k = params_mtp_kinds(m);

		f.mtp = (double)m->mtp_layers * (k.global * (weights[0] + cores[0]) +
		    k.local * (weights[1] + cores[1]) + (k.mamba > 0 ? k.mamba * mamba_flops(m) : 0) +
		    k.moe * (shared + routed) + k.dense * dense + 12 * h * h + f.head);
	}
	return f;
}

double
flops_sum(struct flops f)
{
	return f.projections + f.core + f.mlp + f.shared + f.experts + f.head + f.mtp;
}
