#include "core/model/flops.h"

#include <math.h>

#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/mixer.h"
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
	const int count = adapters_modules(p, &n, module);
	double sum = 0;

	for (int i = 0; i < count; i++)
		if (adapters_has(p, &module[i]))
			sum += module[i].layers * adapters_size(p, &module[i], 1) *
			    (module[i].expert ? params_experts_met(m) : 1);
	return 6 * sum;
}

/* One layer's attention weights that a token is multiplied with. */
static double
projection_weights(const struct model *m, bool local)
{
	const double h = (double)m->hidden_size, a = params_query_heads(m, local);
	const double q = (double)m->q_lora_rank;
	const double key = params_key_dim(m, local), v = params_value_dim(m, local);

	if (local && m->linear_attention)
		return mixer_linear(m).weights;
	if (m->attention == ATTENTION_CSA)
		return q * (h + a * key) + h * key +
		    (double)m->output_lora_rank * (a * v + (double)m->output_groups * h);
	if (m->attention == ATTENTION_MLA)
		return (q > 0 ? q * (h + a * key) : h * a * key) +
		    (double)m->kv_lora_rank * (h + a * ((double)m->qk_nope_head_dim + v)) +
		    h * (double)m->qk_rope_head_dim + (m->attention_output_gate ? 2 : 1) * a * v * h;
	return h * (params_query_width(m, local) + params_kv_width(m, local)) + a * v * h;
}

/* Of them those between MLA's latent vectors and the heads. */
static double
up_weights(const struct model *m)
{
	const double a = (double)m->attention_heads, nope = (double)m->qk_nope_head_dim;
	const double key = params_key_dim(m, false), v = params_value_dim(m, false);
	const double from = (double)(m->q_lora_rank > 0 ? m->q_lora_rank : m->hidden_size);

	if (m->attention != ATTENTION_MLA)
		return 0;
	return from * a * key + (double)m->kv_lora_rank * a * (nope + v);
}

/* Keys that count for a query: of layers with an index those that it chooses. Where the full
 * matrix counts, that is of so many keys for the first queries as well. */
static double
keys_met(const struct plan *p, bool local, bool full)
{
	const struct model *m = &p->model;
	const double keys = batch_keys(p, local, full);
	const double chosen = full ? fmin((double)m->index_topk, keys) : batch_chosen(p);
	struct layer_kinds k;

	if (local || m->index_heads <= 0 || m->index_topk <= 0)
		return keys;
	k = params_kinds(m, 0, m->layers);
	return k.global > 0 ? keys + k.sparse / k.global * (chosen - keys) : keys;
}

/* Forward and backward of scores and their product with the values, for one token. */
static double
core_flops(const struct plan *p, bool local, bool full)
{
	const struct model *m = &p->model;

	if (local && m->linear_attention)
		return 3 * mixer_linear(m).scan;
	return 6 * params_query_heads(m, local) * keys_met(p, local, full) *
	    (params_key_dim(m, local) + params_value_dim(m, local));
}

/* weight: FLOP of a weight, scan: of the recurrence over those of its forward pass. */
static double
mamba_flops(const struct model *m, double weight, double scan)
{
	const struct mixer x = mixer_mamba(m);

	return weight * x.weights + scan * x.scan;
}

static double
mlp_weights(const struct model *m, double width)
{
	return (m->gated_mlp ? 3 : 2) * (double)m->hidden_size * width;
}

/* What every token meets of a layer with experts: the shared ones, and the way to a latent
 * and back. */
static double
shared_weights(const struct model *m)
{
	return mlp_weights(m, (double)m->shared_expert_ffn_hidden_size) +
	    2 * (double)m->hidden_size * (double)m->moe_latent_size;
}

static double
routed_weights(const struct model *m)
{
	return (m->gated_mlp ? 3 : 2) * params_expert_width(m) * params_experts_met(m) *
	    (double)m->moe_ffn_hidden_size;
}

double
flops_forward_of_layer(const struct plan *p, int kind)
{
	const struct model *m = &p->model;
	double sum = 0;

	if ((kind & LAYER_MIXER) == LAYER_MAMBA)
		sum += mamba_flops(m, 2, 1);
	else if (layer_has_mixer(kind))
		sum += 2 * projection_weights(m, layer_is_local(kind)) +
		    core_flops(p, layer_is_local(kind), false) / 3;
	if (layer_has_mlp(kind) && (kind & LAYER_MOE))
		sum += 2 * (shared_weights(m) + routed_weights(m));
	else if (layer_has_mlp(kind))
		sum += 2 * mlp_weights(m, (double)m->ffn_hidden_size);
	return sum;
}

struct flops
flops_of_token(const struct plan *p, bool full_attention)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, w = flops_of_weight(p);
	const double dense = w * mlp_weights(m, (double)m->ffn_hidden_size);
	const double shared = w * shared_weights(m), routed = w * routed_weights(m);
	const struct layer_kinds n = params_kinds(m, 0, m->layers);
	const double mamba = n.mamba > 0 ? mamba_flops(m, w, 3) : 0;
	double weights[2], cores[2];
	struct flops f = { 0 };

	for (int i = 0; i < 2; i++) {
		weights[i] = w * projection_weights(m, i == 1);
		cores[i] = core_flops(p, i == 1, full_attention);
	}
	f.projections = n.global * weights[0] + n.local * weights[1] + n.mamba * mamba;
	f.projections -= w * h * (n.borrowing_global * params_kv_width(m, false) +
	    n.borrowing_local * params_kv_width(m, true));
	f.core = n.global * cores[0] + n.local * cores[1];
	f.mlp = (n.dense + params_doubled(m, &n)) * dense;
	f.shared = n.moe * shared;
	f.experts = n.moe * routed;
	f.up = (m->linear_attention ? n.global : n.global + n.local) * w * up_weights(m);
	f.head = w * h * (double)m->vocab_size;
	f.adapters = adapters_only(p) ? adapter_flops(p) : 0;
	if (m->mtp_layers > 0 && m->layers > 0 && !framework_of(p)->skips_mtp) {
		const struct layer_kinds k = params_mtp_kinds(m);

		f.mtp = (double)m->mtp_layers * (k.global * (weights[0] + cores[0]) +
		    k.local * (weights[1] + cores[1]) + (k.mamba > 0 ? k.mamba * mamba_flops(m, w, 3) : 0) +
		    k.moe * (shared + routed) + k.dense * dense + 2 * w * h * h + f.head);
	}
	return f;
}

double
flops_sum(struct flops f)
{
	return f.projections + f.core + f.mlp + f.shared + f.experts + f.head + f.mtp + f.adapters;
}
