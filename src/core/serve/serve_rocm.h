/*
 * serve_rocm.h - what vLLM on AMD's GPUs holds beside weights that it does not on others.
 */
#ifndef CORE_SERVE_ROCM_H
#define CORE_SERVE_ROCM_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/model/params.h"
#include "core/plan/plan.h"

/* vLLM there. */
bool serve_rocm(const struct plan *p);

/* Add it for a stage with these parameters. */
void serve_rocm_add(const struct plan *p, const struct stage_params *n, double *sum,
    struct ledger *ledger);
#endif
