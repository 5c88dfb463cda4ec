#include "core/plan/hardware.h"

#include <math.h>

/*
 * Efficiency of matrix products (bf16), their memory rate, launch time and exponent are
 * fitted to the GEMM tables of ai-dynamo/aiconfigurator. Hopper's is that of its largest
 * products, 0.73 where small ones reach 0.77: a long run heats the GPU (the tables' column
 * above 8 TFLOP; 41 rows of llm-foundry). Blackwell's is as much of the tables' 0.62; its memory rate is SimuMax's
 * on a B200. Of FP8 the tables hold serving kernels only, which quantise too; 0.62 fits the rows of NeMo 24.07 on
 * Hopper, and on Blackwell products in FP8 are 1.87 times as fast as in bf16 (NVIDIA/TransformerEngine
 * docs/examples/gemm_profiling, a B300: 2814 and 1503 TFLOP/s).
 *
 * Products of experts, one launch for all: SimuMax's B200 tables of Transformer Engine's
 * grouped products (108 points, 14 %; in 16 bits 0.44 to 0.49 of the peak at many tokens), vLLM's on H200
 * (aiconfigurator). On Hopper in FP8 they are hardly faster than in bf16: 1 to 10 %, less the more experts there
 * are on a GPU (pytorch/ao pull request 2864, 2 to 16 of them).
 */
#define MEASURED(matrix_, memory_, launch_, power_, fp8_) \
	.matrix = (matrix_), .memory = (memory_), .launch = (launch_), .power = (power_), \
	.fp8 = (fp8_)
#define GROUPED(share, half, weight) \
	.grouped = (share), .half_tokens = (half), .half_weight = (weight)
/* Share of the memory rate at which tokens are permuted: SimuMax's B200, 0.500 of 8,000 GB/s. */
#define PERMUTES(share) .permutes = (share)
/* Kernels of recurrent layers are no faster for faster units: of a chunked gated delta rule with 32 heads
 * 290 TFLOP/s on an H100, 305 on a B200, 320 on a GB200 (ai-dynamo/aiconfigurator). */
#define RECURRENT(share) .recurrent = (share)
#define ATTENTION(family, count) .attention = ATTENTION_##family, .processors = (count)

/*
 * Rows that are no multiples of 16 bytes: the tensor memory accelerator and matrix units of Hopper and
 * later do not read them, and cuBLAS takes a kernel of Ampere's (m87-labs/kestrel pull request 143: 130.6
 * us instead of 37.0 on an H100); those have one for rows of any size (pytorch/pytorch issue 181718: 110 of
 * 156 TFLOP/s).
 */
#define UNALIGNED(times) .unaligned = (times)

/* The default, for what nobody measured: among the measured ones. */
#define NOT_MEASURED MEASURED(.60, .80, 8e-6, 2, .50), GROUPED(.8, 150, 150)

/* Of a host with 8 GPUs. Hopper: 7.75 kW of a node less its GPUs (arXiv 2412.08602); others: rated
 * power of DGX-1, DGX A100 and B200 less that of their GPUs, as much of it as Hopper's take. */
#define HOST(watts) .host_watts = (watts) / 8.0

/*
 * Transformer Engine goes by compute capability: its workspace is 32 MiB from 9.0 on, 4 before
 * (pytorch/cpp_extensions/gemm.py, get_cublas_workspace_size_bytes); attention is cuDNN's from
 * 9.0 on, neither that nor flash-attn below 8.0 (dot_product_attention/utils.py,
 * get_attention_backend). On 10.x cuDNN has no deterministic backward pass with dropout
 * (fused_attn.cpp, "determinism on Blackwell"). AMD's own (ROCm/TransformerEngine, the same
 * files) takes 32 MiB, on CDNA4 64, and composable_kernel's attention. What has neither counts
 * as 8.x.
 */
#define CAPABILITY_7 .te_workspace = 4, .no_flash = true, .no_tf32 = true
#define CAPABILITY_8 .te_workspace = 4
#define CAPABILITY_9 .te_workspace = 32, .fused_attention = true
#define CAPABILITY_10 CAPABILITY_9, .loose_dropout = true
#define ROCM(mib) .te_workspace = (mib), .fused_attention = true, .no_tf32 = true, .rocm = true, .maker = "AMD"

static const struct generation generations[] = {
	[GENERATION_OTHER] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108) },
	[GENERATION_VOLTA] = { MEASURED(.75, .80, 8e-6, 2, .75), GROUPED(.8, 150, 150),
	    CAPABILITY_7, ATTENTION(UNKNOWN, 80), HOST(1000) },
	[GENERATION_TURING] = { NOT_MEASURED, UNALIGNED(1.4), CAPABILITY_7, ATTENTION(UNKNOWN, 68) },
	[GENERATION_AMPERE] = { MEASURED(.80, .80, 8e-6, 2, .80), UNALIGNED(1.4), GROUPED(.8, 150, 150),
	    CAPABILITY_8, ATTENTION(OF_AMPERE, 108), HOST(1800) },
	[GENERATION_AMPERE_RTX] = { NOT_MEASURED, .ratio = 4, UNALIGNED(1.4), CAPABILITY_8, ATTENTION(OF_AMPERE, 84) },
	[GENERATION_ADA] = { NOT_MEASURED, .ratio = 4, UNALIGNED(1.4), CAPABILITY_8, ATTENTION(OF_AMPERE, 142) },
	[GENERATION_HOPPER] = { MEASURED(.72, .90, 6e-6, 6, .62), .ratio = 14.7, UNALIGNED(3.5), GROUPED(.8, 103, 103),
	    CAPABILITY_9, ATTENTION(OF_HOPPER, 132), HOST(2500), .experts_in_bf16 = true, .blocks = true },
	[GENERATION_BLACKWELL] = { MEASURED(.58, .65, 2e-6, 2, .55), UNALIGNED(3.5), GROUPED(.76, 240, 570),
	    .grouped_quantised = 1, PERMUTES(.500 * 8000 / 7700), RECURRENT(.57), CAPABILITY_10,
	    ATTENTION(OF_BLACKWELL, 148), HOST(3300), .either_layout = true,
	    .blocks = true, .mxfp8 = true, .nvfp4 = true },
	[GENERATION_BLACKWELL_RTX] = { NOT_MEASURED, UNALIGNED(1.4), CAPABILITY_9, ATTENTION(OF_AMPERE, 188) },
	[GENERATION_CDNA1] = { NOT_MEASURED, ROCM(32), ATTENTION(UNKNOWN, 120) },
	[GENERATION_CDNA2] = { NOT_MEASURED, ROCM(32), ATTENTION(UNKNOWN, 110) },
	[GENERATION_CDNA3] = { NOT_MEASURED, ROCM(32), ATTENTION(OF_CDNA, 304) },
	[GENERATION_CDNA4] = { NOT_MEASURED, ROCM(64), ATTENTION(OF_CDNA, 256), .mxfp8 = true },
	[GENERATION_GAUDI2] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "Intel Gaudi" },
	[GENERATION_GAUDI3] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "Intel Gaudi" },
	[GENERATION_ASCEND_910B] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "Huawei" },
	[GENERATION_XE_HPC] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "Intel" },
	[GENERATION_TRAINIUM1] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "AWS" },
	[GENERATION_TRAINIUM2] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "AWS" },
	[GENERATION_TPU_V5] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "Google" },
	[GENERATION_TPU_V6] = { NOT_MEASURED, CAPABILITY_8, ATTENTION(UNKNOWN, 108), .maker = "Google" },
};

const struct generation *
generation_of(const struct plan *p)
{
	return &generations[p->cluster.generation];
}

/*
 * An H20 has less than a quarter of an H100's rate beside that in FP32. It reaches more of its peak: on 2,048 tokens
 * cuDNN 108 of 148 TFLOP/s, FlashAttention-2 66 (Dao-AILab/flash-attention issue 1310), which rates of an H100 come to
 * here as 117 and 73. GeForce cards have half the rate with sums in FP32 (NVIDIA Ampere GA102 and Ada whitepapers), of which
 * products reach nearly all (tinygrad/tinygrad pull request 11390: 168 TFLOP/s of a 4090's 165).
 */
double
hardware_slowed(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const double ratio = generation_of(p)->ratio;

	return ratio > 0 && c->fp32_tflops > 0 ? fmin(1, c->bf16_tflops / c->fp32_tflops / ratio) : 1;
}

double
hardware_share(double slowed, double share, double units)
{
	return 1 / (1 / units + (1 / share - 1 / units) * slowed);
}

double
hardware_links_used(const struct cluster *c, double members)
{
	const double domain = (double)c->nvlink_domain;

	return c->nvlink_direct && members > 1 && members < domain ? (members - 1) / (domain - 1) : 1;
}

enum field_id
hardware_lacks(const struct plan *p)
{
	return !(p->cluster.bf16_tflops > 0) ? FIELD_BF16_TFLOPS :
	    !(p->cluster.hbm_gbps > 0) ? FIELD_HBM_GBPS : FIELD_NONE;
}
