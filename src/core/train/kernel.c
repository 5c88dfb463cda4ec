#include "core/train/kernel.h"

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/modules.h"
#include "core/model/params.h"
#include "core/plan/batch.h"
#include "core/plan/hardware.h"

/* One pass: R, s0 in tokens, w0 in waves, and what heads of 64, of 256 and MLA's (keys of 192,
 * values of 128) reach over those of 128. */
struct pass {
	double share, s0, w0, narrow, wide, latent;
	double tile;   /* queries in a tile */
	double window; /* keys at which a window reaches half */
};

struct kernel {
	struct pass forward, backward;
};

/*
 * Fitted to published tables, mean error 1 to 9 %: FlashAttention-2 and 3, and cuDNN on H100
 * (Dao-AILab/flash-attention assets; Shah et al. 2024, arXiv 2407.08608, figures 5 to 7),
 * cuDNN on H200, GB200 and GB300 (NVIDIA/cudnn-frontend benchmark/
 * sdpa_benchmark_training/results), cuDNN before 2025-10 on B200 (MooreThreads/SimuMax
 * configs/system; in FP8 artifacts/ of cudnn-frontend 1.13). MI300X: AMD's kernels are within 4 % of
 * FlashAttention-2 on an H100 (Zyphra). SUSTAINED: a long run has less power for each kernel than a table; found on the
 * long sequences of NeMo and Megatron-Bridge.
 */
#define SUSTAINED_FLASH2 0.94
/* Of the peak of Hopper's units what instructions of Ampere reach, which FlashAttention-2 has (Luo et al. 2024, arXiv
 * 2402.13499). */
#define AMPERE_ON_HOPPER 0.62
#define SUSTAINED_CUDNN 0.9

#define PASS(share_, s0_, w0_, narrow_, wide_, latent_) { .share = (share_), .s0 = (s0_), \
	.w0 = (w0_), .narrow = (narrow_), .wide = (wide_), .latent = (latent_), .tile = 128, \
	.window = 500 }

static const struct kernel ampere_flash2 = {
	PASS(.609, 600, .3, .91, .88, .88), PASS(.593, 500, .3, .91, .88, .88)
};
static const struct kernel hopper_flash2 = {
	PASS(.364 * SUSTAINED_FLASH2, 350, .3, .88, .88, .88),
	PASS(.349 * SUSTAINED_FLASH2, 650, .3, .90, .88, .88)
};
static const struct kernel hopper_flash3 = {
	PASS(.647 * SUSTAINED_CUDNN, 500, .3, .77, 1.04, 1),
	PASS(.566 * SUSTAINED_CUDNN, 700, .3, .85, 1.04, .88)
};
static const struct kernel hopper_cudnn = {
	PASS(.708 * SUSTAINED_CUDNN, 800, .3, .70, .95, 1),
	PASS(.627 * SUSTAINED_CUDNN, 1250, .3, .84, .95, .88)
};
/* cuDNN until 9.12, and later. */
enum blackwell { BLACKWELL_2025, BLACKWELL_LATER, BLACKWELLS };
static const struct kernel blackwell_cudnn[BLACKWELLS] = {
	{ { .569, 170, 1.8, .62, 1.05, .87, 256, 700 }, PASS(.436, 0, .5, .62, 1.05, .75) },
	{ { .72, 600, 1.2, .62, 1.05, 1, 256, 700 }, PASS(.56, 1000, .7, .62, 1.05, .88) },
};
/* In FP8, of that peak, by the same tables: on Hopper a causal backward pass is no faster than in 16 bits,
 * and slower beyond 4,096 tokens. */
static const struct kernel hopper_fp8 = {
	PASS(.531 * SUSTAINED_CUDNN, 800, .3, .70, .95, 1), PASS(.205, 0, .3, .84, .95, .88)
};
static const struct kernel blackwell_fp8[BLACKWELLS] = {
	{ { .385, 1600, 1.2, .62, 1.05, 1, 256, 700 }, PASS(.377, 3000, .7, .62, 1.05, .88) },
	{ { .45, 600, 1.2, .62, 1.05, 1, 256, 700 }, PASS(.368, 2200, .7, .62, 1.05, .88) },
};
static const struct kernel amd_flash = {
	PASS(.281, 350, .3, .88, .88, .88), PASS(.269, 650, .3, .90, .88, .88)
};
static const struct kernel unknown = { PASS(.40, 0, 0, 1, 1, 1), PASS(.34, 0, 0, 1, 1, 1) };

/*
 * In PyTorch FSDP stacks of 2023 FlashAttention-2 takes as long as its tables say for the full
 * score matrix, causal or not: what 45 rows of llm-foundry from 8,192 to 65,536 tokens show on
 * A100 (101 of 185 TFLOP/s) and on H100 (185 of 335) alike. Later ones, where
 * scaled_dot_product_attention calls it, reach more of the tables: found on torchtitan's and
 * nanotron's rows. Modules of Hugging Face call the kernels of the flash-attn package themselves
 * (attn_implementation="flash_attention_2"), and reach the tables: InternLM/xtuner docs/zh_cn/legacy/acceleration/
 * benchmark.rst has 32,768 to 262,144 tokens on A100, jzhang38/EasyContext 524,288.
 */
#define FSDP_FLASH2 0.55
#define SDPA_FLASH2 0.70

/* Year and month since which containers have a cuDNN later than 9.10, which Transformer Engine takes on Hopper
 * and reaches these rates with; NeMo's rows before that match FlashAttention-2. And 9.13, with which Blackwell
 * does: NeMo's of 2025-09 has 9.11 (Megatron-Bridge docs/releases/software-versions.md). Of FP8 there
 * no table is older than 9.10. */
enum { FAST_CUDNN = 202509, CUDNN_913 = 202510, CUDNN_910 = 202506 };

/* Since when PyTorch brings FlashAttention-2 itself (release 2.2). */
enum { OWN_FLASH2 = 202401 };

static enum attention_kernel
usual_kernel(const struct plan *p)
{
	const struct generation *gpu = generation_of(p);

	if (!gpu->fused_attention)
		return KERNEL_FLASH2;
	if (gpu->attention == ATTENTION_OF_BLACKWELL) /* FlashAttention-2 has no kernels for it */
		return KERNEL_CUDNN;
	return framework_runs(p, framework_of(p)->torch29_since) ||
	    (framework_of(p)->transformer_engine && !framework_before(p, FAST_CUDNN)) ?
	    KERNEL_CUDNN : KERNEL_FLASH2;
}

enum attention_kernel
kernel_of(const struct plan *p)
{
	if (batch_unfused(p))
		return KERNEL_UNFUSED;
	if (p->training.attention_kernel != KERNEL_AUTO)
		return (enum attention_kernel)p->training.attention_kernel;
	return usual_kernel(p);
}

bool
kernel_in_fp8(const struct plan *p)
{
	const enum attention_family family = generation_of(p)->attention;

	return modules_attend_in_fp8(p) && kernel_of(p) == KERNEL_CUDNN && (family == ATTENTION_OF_HOPPER ||
	    (family == ATTENTION_OF_BLACKWELL && !framework_before(p, CUDNN_910)));
}

static enum blackwell
blackwell_of(const struct plan *p)
{
	return framework_before(p, CUDNN_913) ? BLACKWELL_2025 : BLACKWELL_LATER;
}

/* What stands for the kernel on this generation: the nearest one that was measured. */
static const struct kernel *
kernel_row(const struct plan *p, enum attention_kernel kernel)
{
	const bool eight = kernel_in_fp8(p);

	switch (generation_of(p)->attention) {
	case ATTENTION_OF_AMPERE:
		return &ampere_flash2;
	case ATTENTION_OF_HOPPER:
		return eight                     ? &hopper_fp8
		       : kernel == KERNEL_FLASH2 ? &hopper_flash2
		       : kernel == KERNEL_FLASH3 ? &hopper_flash3
						 : &hopper_cudnn;
	case ATTENTION_OF_BLACKWELL:
		return eight ? &blackwell_fp8[blackwell_of(p)] : &blackwell_cudnn[blackwell_of(p)];
	case ATTENTION_OF_CDNA:
		return &amd_flash;
	default:
		return &unknown;
	}
}

/* Ulysses gives each rank the whole sequence of its heads; a ring or gathered keys a part. */
static double
sequence_seen(const struct plan *p)
{
	const double s = (double)p->training.sequence_length;

	return smaller(batch_document(p), p->parallel.cp_comm == CP_COMM_A2A ? s : s / at_least_one(p->parallel.cp));
}

static double
head_factor(const struct plan *p, const struct pass *x, bool local)
{
	const double d = params_key_dim(&p->model, local);

	if (p->model.attention == ATTENTION_MLA)
		return x->latent;
	return d <= 64 ? x->narrow : d >= 256 ? x->wide : 1;
}

struct kernel_rate
kernel_rate(const struct plan *p, const struct machine *g, bool backward, bool local)
{
	const enum attention_kernel kernel = kernel_of(p);
	const struct kernel *row = kernel_row(p, kernel);
	const struct pass *x = backward ? &row->backward : &row->forward;
	const double slowed = hardware_slowed(p);
	const double share = hardware_share(slowed, x->share, row == &hopper_flash2 ? AMPERE_ON_HOPPER : 1);
	const double rest = slowed * share / x->share; /* of what is lost on short sequences and few waves */
	const double heads = params_query_heads(&p->model, local) / at_least_one(p->parallel.tp);
	const double keys = batch_keys(p, local, true);
	/* In FP32 a kernel has the units that products have (pytorch/pytorch
	 * aten/src/ATen/native/transformers/cuda/sdp_utils.cpp: flash takes 16 bits alone). */
	struct kernel_rate r = { .peak = p->training.precision == PRECISION_FP32 ? g->peak :
	        (kernel_in_fp8(p) ? p->cluster.fp8_tflops : p->cluster.bf16_tflops) * 1e12,
		.window = 1,
		.share = share * g->scale,
		.sequence = sequence_seen(p),
		.s0 = x->s0 * rest,
		.w0 = x->w0 * rest,
		.head = head_factor(p, x, local) };

	if (kernel == KERNEL_FLASH2 && framework_of(p)->eager)
		r.share *= framework_before(p, OWN_FLASH2) ? FSDP_FLASH2 : modules_eager(p) ? 1 : SDPA_FLASH2;
	r.waves = batch_tokens(p) * heads / x->tile / generation_of(p)->processors;
	if (keys < batch_document(p))
		r.window = keys / (keys + x->window);
	r.reached = r.peak * r.share * r.sequence / (r.sequence + r.s0) * r.waves /
		    (r.waves + r.w0) * r.head * r.window;
	return r;
}
