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
#include <stddef.h>
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
	double tp_linear;      /* of linear: outside of attention, what TP shares */
	double inputs;         /* numbers of a token that linear layers outside of experts read, once where
	                        * several read them as one */
	double expert_linear;  /* of expert: the same as linear */
	double router;         /* of dense: router weights */
};

/*
 * Kinds of layers, as bits. LAYER_MOE: has experts. LAYER_MIXER masks how it mixes tokens:
 * 0 attends to everything, LAYER_LOCAL not to everything or through linear attention,
 * LAYER_MAMBA, or LAYER_NO_MIXER: it is an MLP or experts alone. LAYER_NO_MLP: it is a mixer
 * alone. Layers of a pattern are one of the last two.
 */
enum {
	LAYER_MOE = 1, LAYER_LOCAL = 2, LAYER_MAMBA = 4, LAYER_NO_MIXER = 6, LAYER_MIXER = 6,
	LAYER_NO_MLP = 8, LAYER_KINDS = 16
};

static inline bool
layer_has_mixer(int kind)
{
	return (kind & LAYER_MIXER) != LAYER_NO_MIXER;
}

static inline bool
layer_has_mlp(int kind)
{
	return !(kind & LAYER_NO_MLP);
}

static inline bool
layer_is_local(int kind)
{
	return (kind & LAYER_MIXER) == LAYER_LOCAL;
}

/* The kind of layer id. */
int params_kind(const struct model *m, int64_t layer);

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

/* Heads of a layer that attends to everything, or of a local one: of queries, of keys and values;
 * how wide a head's query and key are, and its value and output. */
static inline double
params_query_heads(const struct model *m, bool local)
{
	return (double)(local && m->local_attention_heads > 0 ? m->local_attention_heads :
	    m->attention_heads);
}

static inline double
params_kv_heads(const struct model *m, bool local)
{
	return (double)(local && m->local_kv_heads > 0 ? m->local_kv_heads : m->kv_heads);
}

static inline double
params_key_dim(const struct model *m, bool local)
{
	if (m->attention == ATTENTION_MLA)
		return (double)(m->qk_nope_head_dim + m->qk_rope_head_dim);
	return (double)(local && m->local_head_dim > 0 ? m->local_head_dim : m->head_dim);
}

static inline double
params_value_dim(const struct model *m, bool local)
{
	if (local && m->local_head_dim > 0)
		return (double)m->local_head_dim;
	return (double)(m->v_head_dim > 0 ? m->v_head_dim : m->head_dim);
}

/* Widths of the projections without a latent: to queries and their gate, to keys and values. */
static inline double
params_query_width(const struct model *m, bool local)
{
	const double n = params_query_heads(m, local), d = params_key_dim(m, local);

	return n * d * (m->attention_output_gate ? 2 : 1) + (m->attention_head_gate ? n : 0);
}

static inline double
params_kv_width(const struct model *m, bool local)
{
	const double d = params_key_dim(m, local);
	const bool one = (m->shared_key_value && !local) || m->attention == ATTENTION_CSA;

	return params_kv_heads(m, local) * (one ? d : d + params_value_dim(m, local));
}

/* Routed experts that compute for a token: top-k without those that return what they get, which
 * an even router takes as often as others. */
double params_experts_met(const struct model *m);

/* Width of what routed experts work on. */
static inline double
params_expert_width(const struct model *m)
{
	return (double)(m->moe_latent_size > 0 ? m->moe_latent_size : m->hidden_size);
}

/* Norms of a layer; one of a pattern is one block, which has one. */
static inline double
params_norms(const struct model *m)
{
	return m->layer_pattern[0] != '\0' ? 1 : (double)m->norms_per_layer;
}

/* How many layers there are, and of each kind: local and global attention, Mamba, MoE and dense
 * MLP. Without a pattern each layer is one of the former and one of the latter. Of global ones
 * those that attend to what an index chooses, and those of them with an indexer of their own; of
 * MoE ones those behind the norm of another block, and those without a router bias; of compressed
 * attention (global ones keep entries of several tokens, local ones a window) heavy ones; those
 * that take keys and values of an earlier one. */
struct layer_kinds {
	double all, global, local, mamba, moe, dense;
	double sparse, indexed, shortcut, hashed, heavy; /* from here on special ones */
	double borrowing_global, borrowing_local;
};
#define LAYER_SPECIAL_SIZE (sizeof(struct layer_kinds) - offsetof(struct layer_kinds, sparse))
struct layer_kinds params_kinds_add(struct layer_kinds a, const struct layer_kinds *b,
    double times);

/* One layer of a kind. */
struct layer_kinds params_kinds_one(int kind);

/* Layers that mix tokens. */
static inline double
params_mixers(const struct layer_kinds *k)
{
	return k->global + k->local + k->mamba;
}

/* MLPs that are twice as wide, of layers that take keys and values of an earlier one. */
static inline double
params_wide_mlps(const struct model *m, const struct layer_kinds *k)
{
	return m->borrowing_mlp_twice ? k->borrowing_global + k->borrowing_local : 0;
}

/* Kinds of `count` layers from `first` on. */
struct layer_kinds params_kinds(const struct model *m, int64_t first, int64_t count);

/* Without MLPs where an engine has these on GPUs of their own. */
struct layer_kinds params_kinds_held(const struct plan *p, int64_t first, int64_t count);

/* Kinds of one MTP layer: a layer like the last one, or what the pattern says. */
struct layer_kinds params_mtp_kinds(const struct model *m);

/* Vocabulary as Megatron pads it, to a multiple of TP for nanotron; the plain size in
 * the other layouts and in serve mode. */
int64_t params_padded_vocab(const struct plan *p);

/* Experts and, of a plan that serves, copies of them: of one layer, on all ranks. */
double params_expert_slots(const struct plan *p);

/* How many ranks share the routed experts of a layer: EP x ETP. Where a framework knows
 * no expert TP (torchtitan, serving engines), TP splits them while EP is 1. */
double params_expert_ranks(const struct plan *p);

struct layer_params params_layer(const struct model *m, int64_t layer);

/* Layers that one rank holds, of all its chunks; with DualPipe of both copies. */
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

/* True where chunks surely hold the same: as many layers, all of one kind, and the same ends. */
bool params_alike(const struct model *m, const struct chunk *a, const struct chunk *b);

/* True where each chunk of a rank is like that of the rank before it. */
bool params_as_before(const struct plan *p, const struct placement *pl, int64_t pp_rank);

/* The ledger, where there is one, is stamped with stage -1 and the pipeline rank. */
struct model_params params_model(const struct plan *p, struct ledger *ledger);
double params_active(const struct model *m); /* of those `active` alone */
struct stage_params params_held(const struct plan *p, const struct rank_layers *r,
    struct ledger *ledger);
/* Of all ranks of the stage of which one holds these, each weight once. */
double params_of_stage(const struct plan *p, const struct stage_params *held);
struct stage_params params_stage(const struct plan *p, const struct placement *pl,
    int64_t pp_rank, struct ledger *ledger);
#endif
