/*
 * matrix.h - what a model is made of: linear layers, and beside them biases, norms and tables.
 *
 * matrix.def says it, a row each. Parameters, adapters, FLOP, matrix products and what layers keep
 * walk the same list, so they can not disagree; a new kind of layer is a block of rows there.
 */
#ifndef CORE_MATRIX_H
#define CORE_MATRIX_H
#include "core/base/ledger.h"
#include "core/model/params.h"

/* Blocks of rows. */
enum matrix_block {
#define BLOCK(id, layers) BLOCK_##id,
#define PAIR(id, other, layers) BLOCK_##id, BLOCK_##other,
#define MATRIX(...)
#define VECTOR(...)
#define BESIDE(...)
#include "core/model/matrix.def"
#undef BLOCK
#undef PAIR
#undef MATRIX
#undef VECTOR
#undef BESIDE
	BLOCK_COUNT,
	BLOCK_MIXERS = BLOCK_INDEXER,   /* those before mix tokens, */
	BLOCK_ATTENTION = BLOCK_MLP,    /* these help them */
};

/* Sets of blocks: one, and those of all layers. */
#define MATRIX_BLOCK(id) (1U << BLOCK_##id)
#define MATRIX_LAYERS (MATRIX_BLOCK(EMBEDDING) - 1)
#define MATRIX_NO_VECTORS (1U << 31) /* and of them linear layers alone, */
#define MATRIX_WITH_BESIDE (1U << 30) /* and what is kept beside those */
#define MATRIX_MIXERS ((1U << BLOCK_MIXERS) - 1)

/* The side of a linear layer that TP divides: its outputs, its inputs, nothing. A layer that is whole works
 * on a rank's own part of a sequence, a repeated one on all of it. */
enum module_split { MODULE_COLUMNS, MODULE_ROWS, MODULE_WHOLE, MODULE_REPEATED };

/*
 * Rows that can be one layer: queries, keys and values; gate and up; what makes queries, keys,
 * values and gate of a gated delta network, and its beta and decay, which are one with the
 * former, two layers or four. APART: never.
 */
enum matrix_fusion { FUSION_APART, FUSION_QKV, FUSION_FC1, FUSION_QKVZ, FUSION_BA };

enum matrix_trait {
	MATRIX_LINEAR = 1,    /* a linear layer: quantised, adapted, a product */
	MATRIX_KV = 2,        /* of heads of keys and values, of which each rank has one at least */
	MATRIX_UP = 4,        /* from MLA's latent vectors to the heads */
	MATRIX_EXPERT = 8,    /* of each routed expert */
	MATRIX_SHARED = 16,   /* of shared experts */
	MATRIX_ROUTER = 32,
	MATRIX_UNCOUNTED = 64, /* not in FLOP of the model as Megatron-LM counts them */
	MATRIX_READ = 128,    /* the last of its block, which keeps what it reads (kept.h) */
	MATRIX_BESIDE = 256,  /* no parameters (BESIDE), */
	MATRIX_FP32 = 512     /* in fp32 whatever the plan's precision */
};

/* The ledger's name of a product of a layer, forward and backward, or a memory-bound
 * operation; and in symbols its sizes m x n x k, or the bytes that it moves. */
struct operation {
	const char *name, *size, *input, *weight, *cast, *cast_back, *added;
};

#define PRODUCT(name, size) { name, size, name ": input gradient", \
	name ": weight gradient", name ": cast of the input", name ": cast of the gradient", \
	name ": weight gradient added up" }

/* A row as data; expressions as text, for formulas. */
struct matrix_row {
	const char *term, *name, *local; /* local: the term in layers of local attention */
	const char *inside;              /* "inside Mamba": the term of what is kept */
	const char *in, *out, *source;
	struct operation product;   /* its name is empty where there is none */
	enum module_split split;
	enum matrix_fusion fusion;
	unsigned target, traits;    /* enum adapter_target, enum matrix_trait */
};

/* A row in a model: vectors have one input. */
struct matrix {
	const struct matrix_row *row;
	enum matrix_block block;
	double layers, in, out, all; /* all: their product */
};
enum { MATRIX_MAX = 96, MATRIX_SYMBOLS = 64 };

/* Of what: layers by kind, and the vocabulary where the ends count. */
struct matrix_of {
	const struct model *m;
	const struct layer_kinds *kinds;
	double vocab, mtp;
};

/* Rows of blocks (1 << enum matrix_block), of the layers that have them; returns how many. Ends
 * count once. */
int matrix_list(const struct matrix_of *of, unsigned blocks, struct matrix *out);

/* Note a term of a row whose value is an expression: of "layers", of the names in matrix.def and of
 * `extra`, ended by one without names. */
LEDGER_ASKED void matrix_explain(struct ledger *l, enum quantity q, double value, const char *name,
    const struct matrix_of *of, const struct matrix *x, const char *expression,
    const struct ledger_symbol *extra);
#endif
