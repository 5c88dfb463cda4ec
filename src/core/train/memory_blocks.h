/*
 * memory_blocks.h - the allocator gives tensors blocks, whose whole size counts as allocated: of an
 * optimizer whose tensors are as large as weights, one for each, that is known.
 * Private to core.
 */
#ifndef CORE_MEMORY_BLOCKS_H
#define CORE_MEMORY_BLOCKS_H
#include "core/framework/recipe.h"
#include "core/train/memory_buffers.h"

/* Of master weights and moments. */
void blocks_add(const struct rank_view *v, const struct recipe *r, struct memory *out);

/* Of the gradients that a step copies. */
double blocks_of_step(const struct rank_view *v, const struct recipe *r);
#endif
