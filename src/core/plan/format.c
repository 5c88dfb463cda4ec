#include "core/plan/format.h"

#include "core/plan/hardware.h"

/* Scales beside the values: an fp32 for a row of 128, or for 128 x 128 of a weight; a byte for
 * 32; a byte for 16. */
#define BLOCK_BYTES  (1 + 4.0 / 128)
#define BLOCK_WEIGHT (1 + 4.0 / (128 * 128))
#define MX_BYTES     (1 + 1.0 / 32)
#define NV_BYTES     (0.5 + 1.0 / 16)

/*
 * Bytes: Transformer Engine pytorch/tensor; multiples: its pytorch/utils.py,
 * assert_dim_for_fp8_exec, and the quantizers' shape checks. MXFP8 weights are gathered in 16
 * bits (Megatron-LM megatron/core/fp8_utils.py).
 *
 * Bytes of a cast: NVIDIA/TransformerEngine docs/examples/gemm_profiling, a layer's time with
 * casts less its products alone, at 0.8 of the memory rate. Blocks reach 0.88 of the FP8 rate
 * on Hopper (the same tables), NVFP4 1.81 times of it on a B300 (5093 of 2814 TFLOP/s).
 *
 * Experts that are not fused are multiplied one by one on streams (common/gemm/cublaslt_gemm.cu,
 * nvte_multi_tensor_gemm; its issues 2939 and 2454), and each is cast by itself, but for NVFP4
 * (pytorch/csrc/extensions/cast.cpp, multi_tensor_quantize_impl). Scales of blocks are put in the
 * order that the units read, of both operands of each of three products
 * (pytorch/csrc/extensions/gemm.cpp, te_general_grouped_gemm).
 */
static const struct format formats[] = {
	[PRECISION_FP32] = { .bytes = 4 },
	[PRECISION_FP16] = { .bytes = 2 },
	[PRECISION_BF16] = { .bytes = 2 },
	[PRECISION_FP8] = { .quantised = true, .bytes = 1, .weight = 1, .second = 1, .gathered = 1,
	    .cast = 4, .each = 1, .each_back = 1, .share = 1, .multiple = 16, .turns = true },
	[PRECISION_FP8_BLOCK] = { .quantised = true, .bytes = BLOCK_BYTES, .weight = BLOCK_WEIGHT,
	    .second = BLOCK_WEIGHT, .gathered = 1, .cast = 5.5, .each = 1, .each_back = 1, .share = 0.88,
	    .multiple = 128, .turns = true },
	[PRECISION_MXFP8] = { .quantised = true, .bytes = MX_BYTES, .weight = MX_BYTES,
	    .second = MX_BYTES, .gathered = 2, .cast = 4.6, .each = 1 + 2, .each_back = 1 + 4,
	    .share = 1, .multiple = 32 },
	[PRECISION_NVFP4] = { .quantised = true, .four = true, .bytes = NV_BYTES,
	    .weight = NV_BYTES, .second = NV_BYTES, .gathered = NV_BYTES, .cast = 6.7, .each = 2, .each_back = 4,
	    .share = 1.81, .multiple = 16 },
};

/* FP8 where products read either layout: no transposed copy; casts of current scaling, which
 * Megatron-Bridge's recipes take (delayed: 2.5), in three kernels: the largest value, the scale,
 * the cast. Blocks run as MXFP8 there. */
#define CAST_EITHER 5.8
#define KERNELS_EITHER 3

struct format
format_of(const struct plan *p)
{
	struct format f = formats[p->training.precision];

	if (!generation_of(p)->either_layout)
		return f;
	if (p->training.precision == PRECISION_FP8) {
		f.second = 0;
		f.cast = CAST_EITHER;
		f.each = f.each_back = KERNELS_EITHER;
	} else if (p->training.precision == PRECISION_FP8_BLOCK) {
		f.cast = formats[PRECISION_MXFP8].cast;
		f.each = formats[PRECISION_MXFP8].each;
		f.each_back = formats[PRECISION_MXFP8].each_back;
		f.share = 1;
	}
	return f;
}

bool
format_runs(const struct plan *p)
{
	switch (p->training.precision) {
	case PRECISION_FP8:
		return p->cluster.fp8_tflops > 0;
	case PRECISION_FP8_BLOCK:
		return generation_of(p)->blocks;
	case PRECISION_MXFP8:
		return generation_of(p)->mxfp8;
	case PRECISION_NVFP4:
		return generation_of(p)->nvfp4;
	default:
		return true;
	}
}

/* Peak of products of FP32 matrices, FLOP/s: that of the FP32 units, in TF32 half the rate of 16
 * bits (NVIDIA A100 and H100 data sheets: 156 of 312, 494.7 of 989.4 TFLOP/s). */
static double
format_single(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const bool rounds = p->training.tf32 && !generation_of(p)->no_tf32;

	return (rounds || !(c->fp32_tflops > 0) ? c->bf16_tflops / 2 : c->fp32_tflops) * 1e12;
}

double
format_peak(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const struct format *f = &formats[p->training.precision];

	if (f->four && c->fp4_tflops > 0)
		return c->fp4_tflops * 1e12;
	if (f->quantised && c->fp8_tflops > 0)
		return c->fp8_tflops * 1e12;
	if (p->training.precision == PRECISION_FP32)
		return format_single(p);
	return c->bf16_tflops * 1e12;
}
