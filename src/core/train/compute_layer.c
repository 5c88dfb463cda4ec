/*
 * compute_layer.c - a layer with its adapters, and with quantised weights made 16-bit ones.
 */
#include "core/base/number.h"
#include "core/model/adapters.h"
#include "core/plan/batch.h"
#include "core/train/compute_job.h"

static const struct part down = PRODUCT("adapters: A", "m x n x k: T x r x in");
static const struct part up = PRODUCT("adapters: B", "m x n x k: T x out x r");
static const struct part sum = { .name = "adapters added to their layers",
	.size = "bytes: 6*T*out" };
static const struct part dequantised = { .name = "weights dequantised",
	.size = "bytes: (quantised + 2)*in*out/TP" };

/* Two small products beside each adapted layer, and the sum of both outputs. */
static void
adapter(struct job *j, const struct adapter_module *m)
{
	const double tp = at_least_one(j->p->parallel.tp), r = (double)j->p->finetune.rank;
	const double in = m->in / (m->split == MODULE_ROWS ? tp : 1);
	const double out = m->out / (m->split == MODULE_COLUMNS ? tp : 1);
	const double tokens = m->expert ? job_routed(j) : batch_tokens(j->p);

	job_products(j, &down, tokens, r, in);
	job_products(j, &up, tokens, out, r);
	job_move(j, &sum, 6 * tokens * out);
}

static void
adapters(struct job *j, int kind)
{
	const struct plan *p = j->p;
	const double tp = at_least_one(p->parallel.tp);
	struct adapter_module m[2 * ADAPTER_MODULES_MAX];
	int count = adapters_attention(p, kind & LAYER_LOCAL, m);

	count += adapters_mlp(p, kind & LAYER_MOE, m + count);
	for (int i = 0; i < count; i++) {
		if (adapters_has(p, &m[i]))
			adapter(j, &m[i]);
		/* before each product, forward and backward */
		if (p->finetune.quantization != QUANT_NONE && !m[i].expert)
			job_move(j, &dequantised, (adapters_quantized(p) + 2) * m[i].in * m[i].out / tp);
	}
}

struct work
compute_layer(const struct plan *p, const struct machine *g, int kind, const struct tally *tally)
{
	struct job j = { .p = p, .g = g, .tally = tally,
		.again = p->training.recompute == RECOMPUTE_FULL };
	struct work w = job_layer(p, g, kind, tally);

	if (!adapters_only(p))
		return w;
	adapters(&j, kind);
	w.forward += j.w.forward;
	w.backward += j.w.backward;
	w.weight += j.w.weight;
	w.recompute += j.w.recompute;
	return w;
}
