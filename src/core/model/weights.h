/*
 * weights.h - how many bytes a serving engine's weights take by format.
 *
 * Embedding, head, norms, biases and router keep 16 bits. Routed experts are in serving.weight_dtype, linear
 * layers outside of them in serving.dense_dtype: checkpoints in 4 bits of a model with experts often quantize those
 * alone (openai/gpt-oss-120b, moonshotai/Kimi-K2-Thinking: `ignore` in their config.json); others all linear layers.
 */
#ifndef CORE_WEIGHTS_H
#define CORE_WEIGHTS_H
#include "core/plan/plan.h"

/* Bytes of a weight with its scales: outside of routed experts, in them. */
double weights_dense(const struct plan *p);
double weights_expert(const struct plan *p);

/* Bytes more of linear layers outside of routed experts that are left in 16 bits, on all ranks. */
double weights_kept(const struct plan *p);
#endif
