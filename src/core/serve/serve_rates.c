#include "core/serve/serve_rates.h"

#include "core/base/number.h"
#include "core/model/params.h"

/* The last: experts in MXFP4, on Hopper by Triton kernels that sort tokens first. */
enum format { SIXTEEN, EIGHT, INT_FOUR, MX_FOUR, NV_FOUR, MX_FOUR_SORTED, FORMATS };

/* One row a generation. */
struct silicon {
	double ratio;                 /* of the peak in 16 bits to FP32's, of the card that tables are of */
	double gemm, gemm_eight, gemm_four; /* of the peak: large products in 16 bits, in 8, in 4; */
	double gemm_turned;           /* of that in 16, where the kernel turns weights into these */
	double quantise_eight, quantise_four; /* bytes at the memory rate of an input of products, which is
	                               * read, scaled and written in 8 bits or 4 before them */
	double grouped;               /* the same of experts; of those in 8 bits that DeepEP sends tokens */
	double grouped_sent;          /* to: DeepGEMM's grouped products, 1297 and 1099 TFLOP/s on H800 (its
	                               * README of 2025-02); on Blackwell not known to differ */
	double wide;                  /* what grouped products in 8 or 4 bits come to the wider they are */
	double marlin;                /* the same of experts in 4 bits that meet units for 16, 0: not known */
	double attention, cache;      /* of the peak in 16 bits, of the memory rate */
	double dense[FORMATS];        /* of the memory rate: weights at up to 16 tokens */
	double expert[FORMATS];       /* the same of experts at up to 64 */
	double expert_seconds[FORMATS];
};

static const struct silicon hopper = {
	.ratio = 14.8, .gemm = .74, .gemm_eight = .68, .gemm_four = .58, .gemm_turned = .58, .quantise_eight = 7,
	.grouped = .264, .grouped_sent = .61, .wide = .58, .attention = .477, .cache = .762,
	.dense = { .82, .82, .60, .60, .60 },
	.expert = { .90, .85, .75, .75, .75, .90 },
	.expert_seconds = { 36e-6, 45e-6, 30e-6, 30e-6, 30e-6, 80e-6 },
};

static const struct silicon blackwell = {
	.ratio = 30, .gemm = .66, .gemm_eight = .64, .gemm_four = .53, .gemm_turned = .58, .quantise_eight = 9,
	.quantise_four = 4.5, .grouped = .232, .grouped_sent = .232, .wide = .58, .attention = .395, .cache = .789,
	.dense = { .82, .70, .50, .55, .55 },
	.expert = { .82, .73, .45, .90, .82, .90 },
	.expert_seconds = { 36e-6, 43e-6, 36e-6, 18e-6, 22e-6, 18e-6 },
};

/*
 * PCIe cards and the A100, from gemm_perf, moe_perf and the attention tables of l40s, rtx_pro_6000_server and
 * a100_sxm alone: no benchmark of an engine set them. Tables of Hopper's attention are above what engines were
 * seen to reach by 1.25 to 1.35, so those of others are taken by that much less. Tensor units that are slow beside the
 * memory leave grouped products nearer to their peak.
 */
static const struct silicon ampere = {
	.ratio = 16, .gemm = .80, .gemm_eight = .80, .gemm_four = .80, .gemm_turned = .80,
	.grouped = .30, .grouped_sent = .30, .wide = .45, .marlin = .30,
	.attention = .42, .cache = .69,
	.dense = { .78, .80, .80, .80, .80 },
	.expert = { .71, .71, .80, .80, .80, .80 },
	.expert_seconds = { 50e-6, 50e-6, 30e-6, 30e-6, 30e-6, 30e-6 },
};

static const struct silicon ada = {
	.ratio = 4, .gemm = .61, .gemm_eight = .54, .gemm_four = .54, .gemm_turned = .60, .quantise_eight = 2.5,
	.grouped = .36, .grouped_sent = .36, .wide = .50, .marlin = .43,
	.attention = .37, .cache = .77,
	.dense = { .81, .72, .75, .75, .75 },
	.expert = { .81, .81, .75, .75, .75, .75 },
	.expert_seconds = { 15e-6, 17e-6, 18e-6, 23e-6, 23e-6, 23e-6 },
};

static const struct silicon blackwell_rtx = {
	.ratio = 4, .gemm = .81, .gemm_eight = .80, .gemm_four = .70, .gemm_turned = .66, .quantise_eight = 4,
	.quantise_four = 2.2, .grouped = .38, .grouped_sent = .38, .wide = .60, .marlin = .49,
	.attention = .44, .cache = .79,
	.dense = { .83, .80, .75, .60, .60 },
	.expert = { .83, .83, .77, .80, .80, .80 },
	.expert_seconds = { 32e-6, 33e-6, 27e-6, 30e-6, 47e-6, 30e-6 },
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

/* Some engines take Marlin on RTX's Blackwell, though it has the units: for MXFP4, and for the NVFP4 of
 * checkpoints whose activations keep 16 bits (vllm-project/vllm#31085, #47577). */
static double
engine_peak(const struct plan *p, enum format f)
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

/* True of weights that the GPU has no units for, or that the engine does not use. */
static bool
is_turned(const struct plan *p, enum format f)
{
	return f != SIXTEEN && engine_peak(p, f) <= peak(&p->cluster, SIXTEEN);
}

static double
dense_share(const struct silicon *s, const struct plan *p, enum format f)
{
	return f == SIXTEEN ? s->gemm : is_turned(p, f) ? s->gemm_turned : f == EIGHT ? s->gemm_eight :
	    s->gemm_four;
}

static double
quantised_bytes(const struct silicon *s, const struct plan *p, enum format f)
{
	return f == SIXTEEN || is_turned(p, f) ? 0 : f == EIGHT ? s->quantise_eight : s->quantise_four;
}

static double
grouped_share(const struct silicon *s, const struct plan *p, enum format f)
{
	return f >= INT_FOUR && is_turned(p, f) && s->marlin > 0 ? s->marlin : s->grouped;
}

/* Of the peak, by grouped products of many rows. Tables have widths of a GPU's experts up to that of
 * gpt-oss, 2,880; wider ones come nearer to what dense products reach. */
static double
wide_share(const struct silicon *s, const struct plan *p, enum format f)
{
	const double dense = f != SIXTEEN ? s->wide : s->gemm, known = 2880;
	const double grouped = grouped_share(s, p, f), half = known * (dense / grouped - 1);
	const double wide = (double)p->model.moe_ffn_hidden_size * at_least_one(p->parallel.ep) /
	    params_expert_ranks(p);

	return wide > known ? dense * wide / (wide + half) : grouped;
}

/* Generations that no table has go by Hopper's. RTX's Ampere is Ada's in all but FP8. */
static const struct silicon *
row_of(const struct cluster *c)
{
	switch (c->generation) {
	case GENERATION_AMPERE:
		return &ampere;
	case GENERATION_AMPERE_RTX:
	case GENERATION_ADA:
		return &ada;
	case GENERATION_BLACKWELL:
		return &blackwell;
	case GENERATION_BLACKWELL_RTX:
		return &blackwell_rtx;
	default:
		return &hopper;
	}
}

/*
 * Some cards have fewer or slower units for 16 bits than others of their generation, and all else as these:
 * GeForce and the GB10 half (NVIDIA RTX Blackwell GPU Architecture), the H20 less than a quarter. What keeps
 * kernels from their peak beside these units takes as long as there.
 */
static struct silicon
silicon_of(const struct cluster *c)
{
	struct silicon s = *row_of(c);
	const double cut = c->fp32_tflops > 0 ?
	    smaller(1, c->bf16_tflops / c->fp32_tflops / s.ratio) : 1;
	double *const share[] = { &s.gemm, &s.gemm_eight, &s.gemm_turned, &s.grouped, &s.grouped_sent,
		&s.wide, &s.marlin, &s.attention };

	for (size_t i = 0; i < sizeof share / sizeof *share; i++)
		*share[i] /= *share[i] + (1 - *share[i]) * cut;
	return s;
}

/*
 * Rows that a product computes at least besides its own. Instructions of Hopper's and the data centre's Blackwell take 64 and 128
 * (PTX ISA, wgmma and tcgen05.mma); those of all others 16 (mma.sync), so that an A10 reads weights in 4 bits at its
 * memory's rate up to 16 or 32 rows (IST-DASLab/marlin README), which 62 rows of arithmetic would take twice as long as.
 */
static double
least_rows(const struct cluster *c)
{
	return c->generation == GENERATION_HOPPER || c->generation == GENERATION_BLACKWELL ? 62 : 16;
}

struct serve_rates
serve_rates_of(const struct plan *p, const struct serve_setup *setup)
{
	const struct cluster *c = &p->cluster;
	const bool is_blackwell = c->generation == GENERATION_BLACKWELL;
	const struct silicon silicon = silicon_of(c), *s = &silicon;
	const struct engine *e = engine_of(p);
	const struct engine_host *h = e->host(setup);
	const struct engine_reduce *reduce = &e->reduce[is_blackwell ? REDUCE_BLACKWELL : REDUCE_HOPPER];
	const enum format dense = format_of(p->serving.dense_dtype);
	const enum format expert = expert_format(p);
	const double measured = p->calibration.compute_efficiency;
	const double share = measured > 0 ? measured : 1, hbm = c->hbm_gbps * 1e9;
	const double sixteen = peak(c, SIXTEEN) * share;

	return (struct serve_rates){
		.dense = { engine_peak(p, dense) * share * dense_share(s, p, dense),
		    hbm * s->dense[dense] },
		.least_rows = least_rows(c),
		.quantise = quantised_bytes(s, p, dense) / hbm,
		.head = { sixteen * s->gemm, hbm * s->dense[SIXTEEN] },
		.expert = { engine_peak(p, expert) * share * grouped_share(s, p, expert), hbm * s->expert[expert] },
		.expert_sent = engine_peak(p, expert) * share * (expert == EIGHT && e->sends_by_deepep ?
		    s->grouped_sent : grouped_share(s, p, expert)),
		.expert_wide = engine_peak(p, expert) * share * wide_share(s, p, expert),
		.expert_seconds = s->expert_seconds[expert],
		.attention = sixteen * s->attention, .cache = hbm * s->cache,
		.sparse = sixteen * sparse_share,
		.recurrent = sixteen * .1,
		.kernel = h->kernel, .launch = h->launch / c->host_scale, .host = h->step / c->host_scale,
		.request_host = h->request / c->host_scale,
		.arrival = h->arrival, .ahead = h->ahead,
		.answer = h->answer, .prompt_token = h->prompt_token, .together = h->together,
		.mixes = e->mixes, .polls = e->polls,
		.reduce = reduce->least, .reduce_large = reduce->large,
	};
}
