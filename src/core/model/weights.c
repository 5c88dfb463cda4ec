#include "core/model/weights.h"

/* Checkpoints in four bits have the experts' weights so and the others in 16 bits; those of DeepSeek-V4 these in FP8
 * (deepseek-ai/DeepSeek-V4-Flash README, "FP4 + FP8 Mixed"; vllm model_executor/models/deepseek_v4.py). */
int64_t
weights_dense_dtype(const struct plan *p)
{
	const int64_t others = p->model.attention == ATTENTION_CSA ? WEIGHT_FP8 : WEIGHT_BF16;

	switch (p->serving.weight_dtype) {
	case WEIGHT_INT4:
	case WEIGHT_MXFP4:
	case WEIGHT_NVFP4:
		return plan_has_experts(p) ? others : p->serving.weight_dtype;
	default:
		return p->serving.weight_dtype;
	}
}

double
weights_bytes(int64_t weight_dtype)
{
	switch (weight_dtype) {
	case WEIGHT_FP8:
		return 1 + 4.0 / 16384;          /* one fp32 scale for a block of 128 x 128 */
	case WEIGHT_INT8:
		return 1;                        /* scales of whole channels, left out */
	case WEIGHT_INT4:
		return 0.5 + (2 + 0.5) / 128;    /* bf16 scale and 4-bit zero for 128 weights */
	case WEIGHT_MXFP4:
		return 0.5 + 1.0 / 32;           /* one byte for 32 weights */
	case WEIGHT_NVFP4:
		return 0.5 + 1.0 / 16;           /* one byte for 16 weights */
	default:
		return 2;
	}
}

double
weights_kept(const struct plan *p)
{
	return p->serving.kept_params * 1e6 * (2 - weights_bytes(weights_dense_dtype(p)));
}
