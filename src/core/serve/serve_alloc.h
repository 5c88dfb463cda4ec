/*
 * serve_alloc.h - what PyTorch's allocator adds to the weights of a serving engine (segment.h).
 */
#ifndef CORE_SERVE_ALLOC_H
#define CORE_SERVE_ALLOC_H
#include "core/framework/stage.h"
#include "core/plan/plan.h"

/* Bytes that all weights of a stage, merged as vLLM merges them, take beyond their own; version as
 * in serve_setup.
 * 0 for the other engines, whose logs show it with other things; for vLLM before 0.8, whose
 * activations are rated too high by about as much; and for MXFP4, whose kernels make new
 * tensors of what they loaded. Tensors of linear and of compressed attention do not count. */
double serve_alloc_stage(const struct plan *p, const struct placement *pl, int64_t stage,
    int64_t version);
#endif
