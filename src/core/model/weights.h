/*
 * weights.h - in which format a serving engine holds weights, and how many bytes they take.
 *
 * Embedding, head, norms, biases and router keep 16 bits. Checkpoints in 4 bits of a model
 * with experts quantize those alone (openai/gpt-oss-120b, nvidia/DeepSeek-R1-0528-NVFP4,
 * moonshotai/Kimi-K2-Thinking: `ignore` in their config.json); others all linear layers.
 */
#ifndef CORE_WEIGHTS_H
#define CORE_WEIGHTS_H
#include "core/plan/plan.h"

/* enum weight_dtype of linear layers outside of routed experts; those of experts are in
 * serving.weight_dtype. */
int64_t weights_dense_dtype(const struct plan *p);

/* Bytes more of linear layers outside of routed experts that are left in 16 bits, on all ranks. */
double weights_kept(const struct plan *p);

/* Bytes of a weight with its scales. */
double weights_bytes(int64_t weight_dtype);
#endif
