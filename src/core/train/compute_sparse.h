/*
 * compute_sparse.h - attention to what an index chooses (DeepSeek-V3.2, arXiv 2512.02556), as
 * Megatron-LM's fused kernels train it: the indexer scores all keys before a token, and of the
 * best the latent vectors are attended to.
 */
#ifndef CORE_COMPUTE_SPARSE_H
#define CORE_COMPUTE_SPARSE_H
#include <stdbool.h>

#include "core/train/compute_products.h"
#include "core/train/job.h"

/* Multiplications of one query of one head with its keys and values, in the mean of the layers
 * that attend to everything and of those that attend to what an index chooses. */
double compute_pairs(const struct plan *p, bool local);
const char *compute_pairs_size(const struct plan *p, bool local); /* the formula of its FLOP */

/* The indexer of a layer, in the mean of all; nothing without one. heads: of the attention. */
void compute_indexer(struct layer_job *j, const struct layer_rows *l, double heads);
#endif
