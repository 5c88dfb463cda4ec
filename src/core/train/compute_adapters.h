/*
 * compute_adapters.h - what adapters and quantised weights add to the work of a layer.
 */
#ifndef CORE_COMPUTE_ADAPTERS_H
#define CORE_COMPUTE_ADAPTERS_H
#include "core/train/job.h"

/* Two small products beside each adapted linear layer, and the sum of both outputs; quantised
 * weights are made 16-bit ones before each product. kind as in compute_layer; routed: tokens
 * that reach the experts of one GPU. */
void compute_adapters(struct layer_job *j, int kind, double routed);

/* Adapters of a layer of a kind, 0 where the plan trains none. */
int compute_adapters_count(const struct plan *p, int kind);
#endif
