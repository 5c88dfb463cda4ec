/*
 * error.h - how far an estimate may be off: what 9 of 10 measured runs of the plan's kind stay
 * within, as a share. A kind is the GPU's generation, Transformer Engine's kernels or others,
 * dense or with experts, and products in 16 bits or more or in fewer; of a serving plan the
 * engine.
 */
#ifndef CORE_FRAMEWORK_ERROR_H
#define CORE_FRAMEWORK_ERROR_H
#include "core/plan/plan.h"

/* Of the time of a step that is not calibrated. */
double error_of_step(const struct plan *p);

/* Of the time per output token, and to the first one. */
double error_of_tpot(const struct plan *p);
double error_of_ttft(const struct plan *p);
#endif
