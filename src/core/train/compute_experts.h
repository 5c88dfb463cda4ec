/*
 * compute_experts.h - routed experts of a layer: their products, and what is done to tokens before
 * and after them. Private to core.
 */
#ifndef CORE_COMPUTE_EXPERTS_H
#define CORE_COMPUTE_EXPERTS_H
#include "core/train/job.h"

/* Tokens that reach the experts of one GPU: even routing times the imbalance, or what the
 * capacity pads it to. */
double compute_routed(const struct plan *p);

/* Router and experts, without shared ones. */
void compute_experts(struct layer_job *j);

/* What is between the experts' products, forward once more. */
void compute_activation_again(struct layer_job *j);
#endif
