/*
 * serve_trial.h - what vLLM's trial run holds by the way: buffers of experts, tokens of images.
 */
#ifndef CORE_SERVE_TRIAL_H
#define CORE_SERVE_TRIAL_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/engine/engine.h"

/* Experts' buffers outlive the forward pass: a pool of all layers has them since 0.14
 * (vllm-project/vllm#27532), for weights in 16 bits too. */
bool serve_trial_keeps_experts(const struct serve_setup *s);

/* Buffers that the experts of all layers share. */
void serve_trial_add_experts(const struct plan *p, const struct serve_setup *s, double *sum, struct ledger *ledger);

/* Images go through the tower first, and their tokens stay meanwhile. */
void serve_trial_add_images(const struct plan *p, const struct serve_setup *s, double *sum, struct ledger *ledger);

/* Width that experts of FP8 without a gate are padded to on each rank, as a share more. */
double serve_trial_padding(const struct plan *p, int64_t version);
#endif
