/*
 * compute_experts.h - routed experts of a layer: their products, and what is done to tokens before
 * and after them. Private to core.
 */
#ifndef CORE_COMPUTE_EXPERTS_H
#define CORE_COMPUTE_EXPERTS_H
#include "core/train/compute_products.h"
#include "core/train/job.h"

/* Router and experts, without shared ones. */
void compute_experts(struct layer_job *j, const struct layer_rows *l);

/* Operations between the experts' products, forward once more. */
void compute_activation_again(struct layer_job *j);
#endif
