/*
 * compute_products.h - matrix products of a layer, from the rows of core/model/matrix.def. Private to
 * core.
 */
#ifndef CORE_COMPUTE_PRODUCTS_H
#define CORE_COMPUTE_PRODUCTS_H
#include "core/model/matrix.h"
#include "core/train/job.h"

/* Tokens that reach the experts of one GPU: even routing times the imbalance, or what the
 * capacity pads it to. */
double compute_routed(const struct plan *p);

/* Routed experts of one GPU. */
double compute_experts_here(const struct plan *p);

/* For the kind of a layer: the ends of an MTP layer. */
#define COMPUTE_MTP LAYER_KINDS

/* Rows that are products, in the mean of the layers of a kind: of some that only a part of these
 * has, `layers` is that part. */
struct layer_rows {
	struct matrix row[MATRIX_MAX];
	int count;
};
void compute_rows(struct layer_rows *out, const struct plan *p, int kind);

/* The product that a row begins, and the rows after it that are the same one; returns how many.
 * lot: how it runs, NULL for dense ones of the plan's precision. */
int compute_product(struct layer_job *j, const struct layer_rows *l, int first, const struct lot *lot);

/* FLOP of products that recompute runs again in a layer, for a token, where it is of operations (saved.h). */
double compute_flops_again(const struct plan *p, int kind);

/* Dense products of some blocks (1 << enum matrix_block) whose rows have one of the traits, or
 * any, and none of `without`. */
void compute_products(struct layer_job *j, const struct layer_rows *l, unsigned blocks,
    unsigned traits, unsigned without);
#endif
