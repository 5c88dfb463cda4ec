/*
 * saved.h - what layers keep where a selective recompute is of operations (struct framework, by_operation).
 *
 * Of products of matrices in the order of the forward pass the first stays, the second is computed again and so on; those
 * of routed experts, grouped, and of their router are no such products. What attention gives stays, and what is scattered
 * over ranks of TP or sent to experts and back; all else is computed again from the input of the layer.
 */
#ifndef CORE_SAVED_H
#define CORE_SAVED_H
#include "core/model/kept.h"

/* True where a plan recomputes so: a layout that does, and layers that it is told for. */
bool saved_by_operation(const struct plan *p);

/* True where the result of a product stays, of those of a layer from 0 on. */
bool saved_product(int product);

/* Add the bytes of some layers: of attention, with their inputs, and of MLPs and experts. */
void saved_add_attention(const struct sink *s, const struct layer_kinds *k);
void saved_add_mlps(const struct sink *s, const struct layer_kinds *k);
#endif
