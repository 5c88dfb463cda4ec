#include "core/train/compute_adapters.h"

#include "core/base/number.h"
#include "core/model/adapters.h"
#include "core/plan/batch.h"

static const struct operation down = PRODUCT("adapters: A", "m x n x k: T x r x in");
static const struct operation up = PRODUCT("adapters: B", "m x n x k: T x out x r");
static const struct operation sum = { .name = "adapters added to their layers",
	.size = "bytes: 6*T*out" };
static const struct operation dequantised = { .name = "weights dequantised",
	.size = "bytes: (quantised + 2)*in*out/TP" };

static void
adapter(struct layer_job *j, const struct adapter_module *m, double tokens)
{
	const double tp = at_least_one(j->p->parallel.tp), r = (double)j->p->finetune.rank;
	const double in = m->in / (m->split == MODULE_ROWS ? tp : 1);
	const double out = m->out / (m->split == MODULE_COLUMNS ? tp : 1);

	job_plain(j, &down, tokens, r, in);
	job_plain(j, &up, tokens, out, r);
	job_move(j, &sum, 6 * tokens * out, 6 * tokens * out);
}

void
compute_adapters(struct layer_job *j, int kind, double routed)
{
	const struct plan *p = j->p;
	const double tp = at_least_one(p->parallel.tp);
	const struct layer_kinds one = params_kinds_one(kind);
	struct adapter_module m[ADAPTER_MODULES_MAX];
	const int count = adapters_modules(p, &one, false, m);

	for (int i = 0; i < count; i++) {
		const double unpacked = (adapters_quantized(p) + 2) * m[i].in * m[i].out / tp;

		if (m[i].adapted)
			adapter(j, &m[i], (m[i].traits & MATRIX_EXPERT) ? routed : batch_tokens(p));
		/* before each product, forward and backward */
		if (p->finetune.quantization != QUANT_NONE && !(m[i].traits & MATRIX_EXPERT))
			job_move(j, &dequantised, unpacked, unpacked);
	}
}
