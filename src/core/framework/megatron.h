/*
 * megatron.h - parts of the row of Megatron-LM that others build on. Private to core.
 */
#ifndef CORE_FRAMEWORK_MEGATRON_H
#define CORE_FRAMEWORK_MEGATRON_H
#include "core/framework/recipe.h"
#include "core/framework/stage.h"
#include "core/plan/diag.h"

/* Where its process groups are made. */
#define PARALLEL_STATE "Megatron-LM megatron/core/parallel_state.py"

/* Placement of layers (megatron_stages.c). */
bool megatron_place(struct placement *pl, const struct plan *p, struct diag_list *diags);

/* Bytes of the training state (megatron.c). */
void megatron_state(struct recipe *r, const struct plan *p);
#endif
