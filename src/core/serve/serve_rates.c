#include "core/serve/serve_rates.h"

#include "core/model/weights.h"

/* The last: experts in MXFP4 of TensorRT-LLM, on Hopper by Triton kernels that sort tokens first. */
enum format { SIXTEEN, EIGHT, INT_FOUR, MX_FOUR, NV_FOUR, MX_FOUR_TRTLLM, FORMATS };

/* One row a generation; those that no table has go by the first. */
struct silicon {
	double gemm, gemm_narrow;     /* of the peak: products in 16 bits, and in 8 or 4 */
	double grouped;               /* the same of experts */
	double attention, cache;      /* of the peak in 16 bits, of the memory rate */
	double dense[FORMATS];        /* of the memory rate: weights at up to 16 tokens */
	double expert[FORMATS];       /* the same of experts at up to 64 */
	double expert_seconds[FORMATS];
	double reduce[3], reduce_large[3]; /* by engine */
};

static const struct silicon hopper = {
	.gemm = .74, .gemm_narrow = .58, .grouped = .264, .attention = .477, .cache = .762,
	.dense = { .82, .82, .60, .60, .60 },
	.expert = { .90, .85, .75, .75, .75, .90 },
	.expert_seconds = { 36e-6, 45e-6, 30e-6, 30e-6, 30e-6, 80e-6 },
	.reduce = { [ENGINE_VLLM] = 6.6e-6, [ENGINE_SGLANG] = 6.6e-6, [ENGINE_TRTLLM] = 5.3e-6 },
	.reduce_large = { [ENGINE_VLLM] = 6e-6, [ENGINE_SGLANG] = 8e-6, [ENGINE_TRTLLM] = 7e-6 },
};

static const struct silicon blackwell = {
	.gemm = .66, .gemm_narrow = .58, .grouped = .232, .attention = .395, .cache = .789,
	.dense = { .82, .70, .50, .55, .55 },
	.expert = { .82, .73, .45, .90, .82, .90 },
	.expert_seconds = { 36e-6, 43e-6, 36e-6, 18e-6, 22e-6, 18e-6 },
	.reduce = { [ENGINE_VLLM] = 9.2e-6, [ENGINE_SGLANG] = 9.2e-6, [ENGINE_TRTLLM] = 7e-6 },
	.reduce_large = { [ENGINE_VLLM] = 14e-6, [ENGINE_SGLANG] = 16e-6, [ENGINE_TRTLLM] = 6e-6 },
};

/* FlashMLA README: sparse prefill, 640 TFLOPS on H800, 1450 on B200. */
static const double sparse_share = .645;

/* Of an engine: seconds, but for the last. */
struct host {
	double kernel, launch;       /* of a small kernel in a graph, of one without */
	double step, request;        /* not hidden behind the GPU; of each request in it */
	double answer, prompt_token; /* HTTP and tokenizer */
	double together;
};

/* Since 0.14 vLLM schedules a step while the one before it runs, but not over pipeline stages, nor
 * where Ray runs several GPUs of an engine (vllm/config/vllm.py). */
static bool
schedules_ahead(const struct serve_setup *s)
{
	return s->version >= 14 && s->pp <= 1 && (s->tp <= 1 || !s->ray);
}

static const struct host *
host_of(const struct plan *p, const struct serve_setup *setup)
{
	static const struct host hosts[] = {
		[ENGINE_VLLM] = { 3.7e-6, 17e-6, .26e-3, 12e-6, .003, 12e-6, .055 },
		[ENGINE_SGLANG] = { 3.6e-6, 17e-6, .41e-3, 21e-6, .140, 12e-6, .15 },
		[ENGINE_TRTLLM] = { 2.4e-6, 17e-6, .30e-3, 21e-6, .039, 3.3e-6, .05 },
	};
	static const struct host vllm_behind = { 3.7e-6, 17e-6, .26e-3, 35e-6, .003, 12e-6, .055 };
	/* before 1.1 TensorRT-LLM's PyTorch flow took a long time for what is now native */
	static const struct host trtllm_old = { 2.8e-6, 40e-6, .30e-3, 21e-6, .024, 34e-6, .05 };
	/* before 0.5.6 SGLang kept requests of one length in waves: all prompts, then all answers */
	static const struct host sglang_old = { 3.6e-6, 17e-6, .41e-3, 21e-6, .140, 12e-6, .45 };

	if (p->serving.engine == ENGINE_VLLM && !schedules_ahead(setup))
		return &vllm_behind;
	if (p->serving.engine == ENGINE_TRTLLM && setup->version < 101)
		return &trtllm_old;
	if (p->serving.engine == ENGINE_SGLANG && (setup->version < 5 ||
	    (setup->version == 5 && setup->patch < 6)))
		return &sglang_old;
	return &hosts[p->serving.engine];
}

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

static enum format
expert_format(const struct plan *p)
{
	const enum format f = format_of(p->serving.weight_dtype);

	return f == MX_FOUR && p->serving.engine == ENGINE_TRTLLM ? MX_FOUR_TRTLLM : f;
}

struct serve_rates
serve_rates_of(const struct plan *p, const struct serve_setup *setup)
{
	const struct cluster *c = &p->cluster;
	const struct silicon *s = c->generation == GENERATION_BLACKWELL ? &blackwell : &hopper;
	const struct host *h = host_of(p, setup);
	const enum format dense = format_of(weights_dense_dtype(p));
	const enum format expert = expert_format(p);
	const double measured = p->calibration.compute_efficiency;
	const double share = measured > 0 ? measured : 1, hbm = c->hbm_gbps * 1e9;
	const double sixteen = peak(c, SIXTEEN) * share;

	return (struct serve_rates){
		.dense = { peak(c, dense) * share * (dense == SIXTEEN ? s->gemm : s->gemm_narrow),
		    hbm * s->dense[dense] },
		.head = { sixteen * s->gemm, hbm * s->dense[SIXTEEN] },
		.expert = { peak(c, expert) * share * s->grouped, hbm * s->expert[expert] },
		.expert_seconds = s->expert_seconds[expert],
		.attention = sixteen * s->attention, .cache = hbm * s->cache,
		.sparse = sixteen * sparse_share,
		.recurrent = sixteen * .1,
		.kernel = h->kernel, .launch = h->launch, .host = h->step, .request_host = h->request,
		.answer = h->answer, .prompt_token = h->prompt_token, .together = h->together,
		.mixes = p->serving.engine != ENGINE_SGLANG, .polls = p->serving.engine == ENGINE_SGLANG,
		.reduce = s->reduce[p->serving.engine],
		.reduce_large = s->reduce_large[p->serving.engine],
	};
}
