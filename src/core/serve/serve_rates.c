#include "core/serve/serve_rates.h"

#include "core/base/number.h"
#include "core/model/params.h"
#include "core/model/weights.h"

/* The last: experts in MXFP4, on Hopper by Triton kernels that sort tokens first. */
enum format { SIXTEEN, EIGHT, INT_FOUR, MX_FOUR, NV_FOUR, MX_FOUR_SORTED, FORMATS };

/* One row a generation; those that no table has go by the first. */
struct silicon {
	double gemm, gemm_narrow;     /* of the peak: products in 16 bits, and in 8 or 4 */
	double grouped;               /* the same of experts; of those in 8 bits that DeepEP sends tokens */
	double grouped_sent;          /* to: DeepGEMM's grouped products, 1297 and 1099 TFLOP/s on H800 (its
	                               * README of 2025-02); on Blackwell not known to differ */
	double attention, cache;      /* of the peak in 16 bits, of the memory rate */
	double dense[FORMATS];        /* of the memory rate: weights at up to 16 tokens */
	double expert[FORMATS];       /* the same of experts at up to 64 */
	double expert_seconds[FORMATS];
};

static const struct silicon hopper = {
	.gemm = .74, .gemm_narrow = .58, .grouped = .264, .grouped_sent = .61, .attention = .477, .cache = .762,
	.dense = { .82, .82, .60, .60, .60 },
	.expert = { .90, .85, .75, .75, .75, .90 },
	.expert_seconds = { 36e-6, 45e-6, 30e-6, 30e-6, 30e-6, 80e-6 },
};

static const struct silicon blackwell = {
	.gemm = .66, .gemm_narrow = .58, .grouped = .232, .grouped_sent = .232, .attention = .395, .cache = .789,
	.dense = { .82, .70, .50, .55, .55 },
	.expert = { .82, .73, .45, .90, .82, .90 },
	.expert_seconds = { 36e-6, 43e-6, 36e-6, 18e-6, 22e-6, 18e-6 },
};

/* FlashMLA README: sparse prefill, 640 TFLOPS on H800, 1450 on B200. */
static const double sparse_share = .645;

static enum format
format_of(int64_t weight_dtype)
{
	switch (weight_dtype) {
	case WEIGHT_FP8:
	case WEIGHT_INT8:
		return EIGHT;
	case WEIGHT_INT4:
		return INT_FOUR;
	case WEIGHT_MXFP4:
		return MX_FOUR;
	case WEIGHT_NVFP4:
		return NV_FOUR;
	default:
		return SIXTEEN;
	}
}

/* Peak of products with weights in a format: where the GPU has no units for it, weights are
 * turned into 16 bits in the kernel (Marlin), as int4 always is. */
static double
peak(const struct cluster *c, enum format f)
{
	double tera = c->bf16_tflops;

	if (f == EIGHT && c->fp8_tflops > 0)
		tera = c->fp8_tflops;
	if (f >= MX_FOUR && c->fp4_tflops > 0)
		tera = c->fp4_tflops;
	return tera * 1e12;
}

/* Some engines take Marlin for layers that are no experts on RTX's Blackwell, though it has the units. */
static double
dense_peak(const struct plan *p, enum format f)
{
	const bool marlin = engine_of(p)->marlin_on_rtx && p->cluster.generation == GENERATION_BLACKWELL_RTX;

	return peak(&p->cluster, marlin && f >= MX_FOUR ? SIXTEEN : f);
}

static enum format
expert_format(const struct plan *p)
{
	const enum format f = format_of(p->serving.weight_dtype);

	return f == MX_FOUR && engine_of(p)->sorts_mxfp4 ? MX_FOUR_SORTED : f;
}

/* Of the peak, by grouped products of many rows. Tables have widths of a GPU's experts up to that of
 * gpt-oss, 2,880; wider ones come nearer to what dense products reach. */
static double
grouped_share(const struct silicon *s, const struct plan *p, bool narrow)
{
	const double dense = narrow ? s->gemm_narrow : s->gemm, known = 2880;
	const double half = known * (dense / s->grouped - 1);
	const double wide = (double)p->model.moe_ffn_hidden_size * at_least_one(p->parallel.ep) /
	    params_expert_ranks(p);

	return wide > known ? dense * wide / (wide + half) : s->grouped;
}

struct serve_rates
serve_rates_of(const struct plan *p, const struct serve_setup *setup)
{
	const struct cluster *c = &p->cluster;
	const bool is_blackwell = c->generation == GENERATION_BLACKWELL;
	const struct silicon *s = is_blackwell ? &blackwell : &hopper;
	const struct engine *e = engine_of(p);
	const struct engine_host *h = e->host(setup);
	const struct engine_reduce *reduce = &e->reduce[is_blackwell ? REDUCE_BLACKWELL : REDUCE_HOPPER];
	const enum format dense = format_of(weights_dense_dtype(p));
	const enum format expert = expert_format(p);
	const double measured = p->calibration.compute_efficiency;
	const double share = measured > 0 ? measured : 1, hbm = c->hbm_gbps * 1e9;
	const double sixteen = peak(c, SIXTEEN) * share;

	return (struct serve_rates){
		.dense = { dense_peak(p, dense) * share * (dense == SIXTEEN ? s->gemm : s->gemm_narrow),
		    hbm * s->dense[dense] },
		.head = { sixteen * s->gemm, hbm * s->dense[SIXTEEN] },
		.expert = { peak(c, expert) * share * s->grouped, hbm * s->expert[expert] },
		.expert_sent = peak(c, expert) * share * (expert == EIGHT && e->sends_by_deepep ?
		    s->grouped_sent : s->grouped),
		.expert_wide = peak(c, expert) * share * grouped_share(s, p, expert != SIXTEEN),
		.expert_seconds = s->expert_seconds[expert],
		.attention = sixteen * s->attention, .cache = hbm * s->cache,
		.sparse = sixteen * sparse_share,
		.recurrent = sixteen * .1,
		.kernel = h->kernel, .launch = h->launch / c->host_scale, .host = h->step / c->host_scale,
		.request_host = h->request / c->host_scale,
		.arrival = h->arrival,
		.answer = h->answer, .prompt_token = h->prompt_token, .together = h->together,
		.mixes = e->mixes, .polls = e->polls,
		.reduce = reduce->least, .reduce_large = reduce->large,
	};
}
