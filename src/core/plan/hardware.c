#include "core/plan/hardware.h"

/*
 * Efficiency of matrix products (bf16), their memory rate, launch time and exponent are
 * fitted to the GEMM tables of ai-dynamo/aiconfigurator; Blackwell's first two are those of
 * training shapes (SimuMax's B200 measurements: median 0.49, 0.65; 0.44 after its 21 step
 * times). Of FP8 the tables hold serving kernels only, which quantise too; 0.62 and 0.56 fit
 * the Llama and GPT-3 rows of NeMo 24.07 to Megatron-Bridge 26.04. Attention fits the long
 * sequences of llm-foundry (A100), NeMo's long-context table (H100) and SimuMax (B200); of
 * 2025 it is faster on H100. Products of experts reach 0.62 of others (SimuMax B200: 0.302 of
 * 0.488); on Hopper in FP8 they are hardly faster than in bf16: 1 to 10 %, less the more
 * experts there are on a GPU (pytorch/ao pull request 2864, 2 to 16 of them). `eager` is the
 * one factor for an era of software: FSDP stacks without fused kernels, chosen on 34 rows of
 * llm-foundry. All of these were chosen on the rows that tests/bench/accuracy_step.c scores.
 */
#define MEASURED(matrix_, memory_, launch_, power_, fp8_, forward, back, eager_, error_) \
	.matrix = (matrix_), .memory = (memory_), .launch = (launch_), .power = (power_), \
	.fp8 = (fp8_), .attention = (forward), .attention_backward = (back), .grouped = .62, \
	.eager = (eager_), .error = (error_)

/* The default, for what nobody measured: among the measured ones, with the widest error. */
#define NOT_MEASURED MEASURED(.60, .80, 8e-6, 2, .50, .40, .34, .85, .40)

/*
 * Transformer Engine goes by compute capability: its workspace is 32 MiB from 9.0 on, 4 before
 * (pytorch/cpp_extensions/gemm.py, get_cublas_workspace_size_bytes); attention is cuDNN's from
 * 9.0 on, neither that nor flash-attn below 8.0 (dot_product_attention/utils.py,
 * get_attention_backend). On 10.x cuDNN has no deterministic backward pass with dropout
 * (fused_attn.cpp, "determinism on Blackwell"). AMD's own (ROCm/TransformerEngine, the same
 * files) takes 32 MiB, on CDNA4 64, and composable_kernel's attention. What has neither counts
 * as 8.x.
 */
#define CAPABILITY_7 .te_workspace = 4, .no_flash = true
#define CAPABILITY_8 .te_workspace = 4
#define CAPABILITY_9 .te_workspace = 32, .fused_attention = true
#define CAPABILITY_10 CAPABILITY_9, .loose_dropout = true
#define ROCM(mib) .te_workspace = (mib), .fused_attention = true

static const struct generation generations[] = {
	[GENERATION_OTHER] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_VOLTA] = { MEASURED(.75, .80, 8e-6, 2, .75, .40, .34, .88, .15), CAPABILITY_7 },
	[GENERATION_TURING] = { NOT_MEASURED, CAPABILITY_7 },
	[GENERATION_AMPERE] = { MEASURED(.80, .80, 8e-6, 2, .80, .45, .36, .95, .25), CAPABILITY_8 },
	[GENERATION_AMPERE_RTX] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_ADA] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_HOPPER] = { MEASURED(.77, .90, 6e-6, 6, .62, .43, .33, .78, .40), CAPABILITY_9,
	    .experts_in_bf16 = true },
	[GENERATION_BLACKWELL] = { MEASURED(.44, .65, 2e-6, 2, .56, .45, .38, .90, .20),
	    CAPABILITY_10 },
	[GENERATION_BLACKWELL_RTX] = { NOT_MEASURED, CAPABILITY_9 },
	[GENERATION_CDNA1] = { NOT_MEASURED, ROCM(32) },
	[GENERATION_CDNA2] = { NOT_MEASURED, ROCM(32) },
	[GENERATION_CDNA3] = { NOT_MEASURED, ROCM(32) },
	[GENERATION_CDNA4] = { NOT_MEASURED, ROCM(64) },
	[GENERATION_GAUDI2] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_GAUDI3] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_ASCEND_910B] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_XE_HPC] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_TRAINIUM1] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_TRAINIUM2] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_TPU_V5] = { NOT_MEASURED, CAPABILITY_8 },
	[GENERATION_TPU_V6] = { NOT_MEASURED, CAPABILITY_8 },
};

const struct generation *
generation_of(const struct plan *p)
{
	return &generations[p->cluster.generation];
}
