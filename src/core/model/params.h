/*
 * params.h - how many parameters a model has, and how many of them one GPU holds.
 *
 * Counts follow the published checkpoints for the whole model (params_model) and
 * Megatron-LM's sharding for one GPU (params_stage): vocabulary padded to a multiple of
 * vocab_multiple x TP (megatron/training/vocab_utils.py), tied embeddings copied to the
 * last stage, MLA down-projections and norms kept whole on every TP rank.
 * Each term of the ledger carries its formula and source.
 */
#ifndef CORE_PARAMS_H
#define CORE_PARAMS_H
#include <stdint.h>

#include "core/base/ledger.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"

/* Parameters of one layer by how they are sharded; whole counts, not divided. */
struct layer_params {
	double sharded;     /* divided over TP */
	double replicated;  /* kept whole on every TP rank */
	double expert;      /* divided over EP x ETP */
};

/* Whole model, without sharding or padding, MTP layers not counted (as published). */
struct model_params {
	double total, active;  /* active: those that one token meets (top-k experts) */
	double embedding;      /* the table of input embeddings alone */
	double mtp;            /* of the MTP layers, on top of total; without the copies of
	                        * embedding and head that some checkpoints store */
};

/* On one GPU of a pipeline stage. */
struct stage_params {
	double dense, expert;  /* everything but routed experts; routed experts */
	double linear;         /* of dense: weights of linear layers, which FP8 and
	                        * quantisation touch (not embedding, head, router, biases) */
	double expert_linear;  /* of expert: the same */
	double router;         /* of dense: router weights */
};

/* Kinds of layers, as bits: has experts; does not attend to everything. */
enum { LAYER_MOE = 1, LAYER_LOCAL = 2, LAYER_KINDS = 4 };

/*
 * True when layer id has experts: the leading dense_layers have none, then every
 * moe_layer_every-th has, starting with the first. Megatron's --moe-layer-freq N is
 * dense 0, every N; Llama 4 Maverick (odd layers) is dense 1, every 2.
 */
bool params_is_moe_layer(const struct model *m, int64_t layer);

/* True when there are layers that do not attend to everything: with a window, within chunks,
 * or linear. */
bool params_has_local_layers(const struct model *m);

/* True when layer id attends to everything, false for one of those. */
bool params_is_global_layer(const struct model *m, int64_t layer);

/* How wide a head's query and key are, and its value and output. */
double params_key_dim(const struct model *m);
double params_value_dim(const struct model *m);

/* KV heads of a layer that attends to everything, or of a local one. */
double params_kv_heads(const struct model *m, bool local);

/* How many layers there are of each kind: local and global attention, MoE and dense MLP. */
struct layer_kinds {
	double all, global, local, moe, dense;
};

/* Kinds of `count` layers from `first` on. */
struct layer_kinds params_kinds(const struct model *m, int64_t first, int64_t count);

/* Vocabulary as Megatron pads it, to a multiple of TP for nanotron; the plain size in
 * the other layouts and in serve mode. */
int64_t params_padded_vocab(const struct plan *p);

/* How many ranks share the routed experts of a layer: EP x ETP. Where a framework knows
 * no expert TP (torchtitan, serving engines), TP splits them while EP is 1. */
double params_expert_ranks(const struct plan *p);

struct layer_params params_layer(const struct model *m, int64_t layer);

/* What one rank holds of the model, of all its chunks; with DualPipe of both copies. */
struct rank_layers {
	int64_t rank;
	struct layer_kinds kinds; /* MTP layers among them */
	int64_t longest;          /* layers of its longest chunk */
	int64_t mtp;              /* MTP layers; engines that serve load none */
	bool embedding, loss;
	bool pipelined;           /* there are other stages */
};
struct rank_layers params_rank(const struct plan *p, const struct placement *pl,
    int64_t pp_rank);

/* The ledger, where there is one, is stamped with stage -1 and the pipeline rank. */
struct model_params params_model(const struct plan *p, struct ledger *ledger);
struct stage_params params_held(const struct plan *p, const struct rank_layers *r,
    struct ledger *ledger);
struct stage_params params_stage(const struct plan *p, const struct placement *pl,
    int64_t pp_rank, struct ledger *ledger);
#endif
