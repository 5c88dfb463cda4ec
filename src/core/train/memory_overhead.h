/*
 * memory_overhead.h - what a GPU holds that no formula of a framework tells: the bias of a
 * calibration, and what PyTorch does not see. Private to core.
 */
#ifndef CORE_MEMORY_OVERHEAD_H
#define CORE_MEMORY_OVERHEAD_H
#include "core/train/memory_buffers.h"

/* The measured bias, onto buffers; below 0 it is taken from buffers, activations and logits as
 * far as there are any: weights and their state are known. */
void bias_add(const struct rank_view *v, struct memory *out);

/* Overhead of training and its range, from the bytes that the allocator holds. */
void overhead_add(const struct rank_view *v, struct memory *out);
#endif
