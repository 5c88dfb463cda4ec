#include "core/model/flops.h"

#include <math.h>

#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/matrix.h"
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
	const int count = adapters_modules(p, &n, true, module);
	double sum = 0;

	for (int i = 0; i < count; i++)
		if (module[i].adapted)
			sum += module[i].layers * adapters_size(p, &module[i], 1) *
			    (module[i].traits & MATRIX_EXPERT ? params_experts_met(m) : 1);
	return 6 * sum;
}

/* Weights of layers that a token is multiplied with. */
static struct flops
weights_met(const struct model *m, const struct layer_kinds *kinds)
{
	const struct matrix_of of = { m, kinds, 0, 0 };
	struct matrix row[MATRIX_MAX];
	const int rows = matrix_list(&of, MATRIX_LAYERS | MATRIX_NO_VECTORS, row);
	struct flops f = { 0 };

	for (const struct matrix *x = row; x < row + rows; x++) {
		const unsigned traits = x->row->traits;
		const double n = x->all;

		if (traits & MATRIX_UNCOUNTED)
			continue;
		if (traits & MATRIX_EXPERT)
			f.experts += n * params_experts_met(m);
		else
			*(x->block < BLOCK_ATTENTION ? &f.projections :
			    x->block == BLOCK_MOE ? &f.shared : &f.mlp) += n;
		f.up += traits & MATRIX_UP ? n : 0;
	}
	return f;
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

/* Of attention cores, forward and backward; of scans, forward. */
static double
cores(const struct plan *p, const struct layer_kinds *k, bool full)
{
	return (k->global > 0 ? k->global * core_flops(p, false, full) : 0) +
	    (k->local > 0 ? k->local * core_flops(p, true, full) : 0);
}

static double
scans(const struct model *m, const struct layer_kinds *k)
{
	return k->mamba > 0 ? k->mamba * mixer_mamba(m).scan : 0;
}

double
flops_forward_of_layer(const struct plan *p, int kind)
{
	const struct layer_kinds one = params_kinds_one(kind);

	return 2 * flops_sum(weights_met(&p->model, &one)) + cores(p, &one, false) / 3 +
	    scans(&p->model, &one);
}

static bool
counts_mtp(const struct plan *p)
{
	return framework_mtp_layers(p) > 0 && p->model.layers > 0;
}

struct flops
flops_full(const struct plan *p, struct flops f)
{
	const struct layer_kinds n = params_kinds(&p->model, 0, p->model.layers);

	f.core = cores(p, &n, true);
	if (counts_mtp(p)) {
		const struct layer_kinds k = params_mtp_kinds(&p->model);

		f.mtp += (double)p->model.mtp_layers * (cores(p, &k, true) - cores(p, &k, false));
	}
	return f;
}

struct flops
flops_of_token(const struct plan *p, bool full_attention)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, w = flops_of_weight(p);
	const struct layer_kinds n = params_kinds(m, 0, m->layers);
	struct flops f = weights_met(m, &n);

	f.projections = w * f.projections + 3 * scans(m, &n);
	f.core = cores(p, &n, false);
	f.mlp *= w;
	f.shared *= w;
	f.experts *= w;
	f.up *= w;
	f.head = w * h * (double)m->vocab_size;
	f.adapters = adapters_only(p) ? adapter_flops(p) : 0;
	if (counts_mtp(p)) {
		const struct layer_kinds k = params_mtp_kinds(m);

		f.mtp = (double)m->mtp_layers * (w * flops_sum(weights_met(m, &k)) +
		    cores(p, &k, false) + 3 * scans(m, &k) + 2 * w * h * h + f.head);
	}
	return full_attention ? flops_full(p, f) : f;
}

double
flops_sum(struct flops f)
{
	return f.projections + f.core + f.mlp + f.shared + f.experts + f.head + f.mtp + f.adapters;
}
