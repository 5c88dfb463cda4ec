/*
 * kept.h - bytes that the rows of matrix.def keep of each token between forward and backward.
 *
 * What a linear layer gives, somebody behind it reads, and so it stays; the last of a block
 * (MATRIX_READ) adds to what goes from layer to layer, and keeps what it reads instead (Korthikanti et
 * al. 2022, arXiv 2205.05198, section 4.1). BESIDE rows say what else stays. Attention over keys
 * and values keeps what its kernel reads, which is not what its projections give (activation.c,
 * modules.c).
 */
#ifndef CORE_KEPT_H
#define CORE_KEPT_H
#include "core/base/ledger.h"
#include "core/model/activation.h"
#include "core/model/matrix.h"

/* Where terms of activations go. */
struct sink {
	const struct activation *c;
	const struct model *m;
	struct ledger *ledger;
	double *sum;
};

#define KEPT(s, name, source, expression, ...) \
	LEDGER_TERM((s)->ledger, *(s)->sum, QUANTITY_ACTIVATIONS, name, source, expression, \
	    __VA_ARGS__)

/* Rows of a block that are MATRIX_EXPERT, MATRIX_SHARED or neither: bytes of each number that they
 * give, that the last of them reads, and beside those; how many tokens, and who splits them. */
struct kept {
	const char *name;            /* NULL: that of the rows */
	enum matrix_block block;
	unsigned traits;
	double given, read, beside;
	double tokens, ranks;
};

/* Add the bytes that they keep in some layers. */
void kept_add(const struct sink *s, const struct layer_kinds *k, const struct kept *of);

/* Add the bytes of all mixers without keys and values. */
void kept_add_mixers(const struct sink *s, const struct layer_kinds *k, double read);

/* Numbers that some blocks (1 << enum matrix_block) keep of a token, on all ranks. */
double kept_numbers(const struct model *m, const struct layer_kinds *k, unsigned blocks);
#endif
