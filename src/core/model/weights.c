#include "core/model/weights.h"

/* A 16-bit scale for a group, and a zero point as wide as a weight where groups have one: Marlin drops those of
 * symmetric checkpoints (vllm quantization/kernels/mixed_precision/marlin.py; compressed-tensors
 * compressors/quantized_compressors/pack_quantized.py). */
static double
grouped_bytes(const struct plan *p, double weight)
{
	const double group = (double)p->serving.weight_group;

	return weight + (group > 0 ? (2 + (p->serving.zero_points ? weight : 0)) / group : 0);
}

static double
bytes_of(const struct plan *p, int64_t weight_dtype)
{
	switch (weight_dtype) {
	case WEIGHT_FP8:
		return 1 + 4.0 / 16384;          /* one fp32 scale for a block of 128 x 128 */
	case WEIGHT_INT8:
		return grouped_bytes(p, 1);   /* scales of whole channels are left out */
	case WEIGHT_INT4:
		return grouped_bytes(p, 0.5);
	case WEIGHT_MXFP4:
		return 0.5 + 1.0 / 32;           /* one byte for 32 weights: OCP Microscaling Formats 1.0 */
	case WEIGHT_NVFP4:
		return 0.5 + 1.0 / 16;           /* one byte for 16 weights */
	default:
		return 2;
	}
}

double
weights_dense(const struct plan *p)
{
	return bytes_of(p, p->serving.dense_dtype);
}

double
weights_expert(const struct plan *p)
{
	return bytes_of(p, p->serving.weight_dtype);
}

double
weights_kept(const struct plan *p)
{
	return p->serving.kept_params * 1e6 * (2 - weights_dense(p));
}
