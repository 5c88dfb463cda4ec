#include "core/framework/recipe.h"

#include "core/framework/framework.h"
#include "core/plan/format.h"

#define MEGATRON_CONFIG "Megatron-LM megatron/core/optimizer/optimizer_config.py"
#define MEGATRON_TE "Megatron-LM megatron/core/extensions/transformer_engine.py"
#define BITSANDBYTES "bitsandbytes bitsandbytes/optim/optimizer.py"

/* SGD keeps a momentum; block-wise 8-bit Adam
 * two bytes and, for every 256 parameters, two fp32 scales. */
void
recipe_moments(struct recipe *r, const struct plan *p)
{
	switch (p->training.optimizer) {
	case OPTIMIZER_SGD:
		r->moments = r->matrix_moments = 4;
		break;
	case OPTIMIZER_MUON:
		r->moments = 8; /* embeddings, norms and head stay with Adam */
		r->matrix_moments = 4;
		break;
	case OPTIMIZER_ADAM8BIT:
	case OPTIMIZER_PAGED_ADAM8BIT:
		r->moments = r->matrix_moments = 2 + 2 * 4.0 / 256;
		break;
	default:
		r->moments = r->matrix_moments = 8;
		break;
	}
	if (plan_has_bitsandbytes(p))
		r->optimizer_source = BITSANDBYTES;
}

static void
recipe_quantised(struct recipe *r, const struct plan *p)
{
	const struct format f = format_of(p);

	r->weight_source = MEGATRON_TE;
	r->copy = f.second; /* for the backward pass */
	if (p->training.fp8_param_gather)
		r->linear = f.weight;
	else
		r->copy += f.weight; /* both kept over the micro-batches */
}

/* Transformer Engine's optimizer, where it has the master weights too, works on gradients as they
 * are, and keeps of each master weight only the 16 bits that bf16 does not hold. From 2025-06 on
 * Megatron has them itself, in fp32 and with gradients cast to it, under every recipe of FP8 but
 * delayed scaling (use_precision_aware_optimizer_no_fp8_or_ds_fp8), which Megatron-Bridge's settings
 * name in BF16 too: fp8_recipe is "tensorwise" unless said (training/mixed_precision.py). */
static void
recipe_precision_aware(struct recipe *r, const struct plan *p)
{
	static const double bytes[] = {
		[MOMENTS_FP32] = 4, [MOMENTS_BF16] = 2, [MOMENTS_FP16] = 2, [MOMENTS_FP8] = 1
	};
	const bool quantised = format_of(p).quantised, delayed = p->training.precision == PRECISION_FP8;
	const bool fp8_weights = quantised && p->training.fp8_param_gather;
	const bool itself = !p->training.param_remainders || (quantised && !delayed);

	r->moments = r->matrix_moments = 2 * bytes[p->training.moments_dtype];
	r->optimizer_source = MEGATRON_CONFIG;
	if (p->training.moments_dtype == MOMENTS_FP16 || p->training.moments_dtype == MOMENTS_FP8)
		r->step_copy = 8; /* both in fp32 (fused_adam.py, get_unscaled_state) */
	if (itself && !framework_before(p, 202506))
		return; /* as without it */
	r->gradient_copy = 0;
	r->master = p->training.precision == PRECISION_FP16 || fp8_weights ? 4 : 2;
}

void
recipe_mixed(struct recipe *r, const struct plan *p, const struct recipe_sources *from)
{
	const int64_t zero = p->parallel.zero_stage;
	const struct training *t = &p->training;

	r->shard_optimizer = zero >= 1;
	r->shard_gradients = zero >= 2;
	r->shard_weights = zero >= 3;
	r->weight_source = from->weight;
	r->gradient_source = from->gradient;
	r->optimizer_source = from->optimizer;
	recipe_moments(r, p);
	if (t->precision == PRECISION_FP32) {
		r->weight = r->linear = r->gradient = 4;
		return;
	}
	r->weight = r->linear = 2;
	r->master = 4;
	r->gradient = t->grad_dtype == GRAD_FP32 ? 4 : 2;
	r->gradient_copy = t->grad_dtype == GRAD_FP32 ? 0 : 4;
	if (format_of(p).quantised)
		recipe_quantised(r, p);
	if (t->precision_aware_optimizer && zero >= 1 && t->optimizer == OPTIMIZER_ADAM)
		recipe_precision_aware(r, p);
}

void
recipe_offload(struct recipe *r, const struct plan *p, bool gradients, bool weights)
{
	if (p->parallel.offload == OFFLOAD_NONE)
		return;
	r->master = r->gradient_copy = r->step_copy = r->moments = r->matrix_moments = 0;
	if (gradients)
		r->gradient = 0;
	if (weights)
		r->weight = r->linear = r->copy = 0;
}
