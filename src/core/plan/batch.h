/*
 * batch.h - what one GPU works on of a micro-batch, and which part of it runs again.
 */
#ifndef CORE_BATCH_H
#define CORE_BATCH_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

/* Tokens of a micro-batch that one GPU works on: all of them for its TP group, and where
 * sequence parallelism splits them. */
double batch_tokens(const struct plan *p);
double batch_tokens_split(const struct plan *p);

/* Bytes of one number of an activation, kept or sent: 2, or 4 in fp32. */
double batch_width(const struct plan *p);

/* The innermost level of parallel.hierarchical_cp, 0 where it says none. */
int64_t batch_context_inner(const struct plan *p);

/* Ranks that the loss splits a token's logits over. */
double batch_loss_ranks(const struct plan *p);

/* Attention stores the score matrix. */
bool batch_unfused(const struct plan *p);

/* Tokens that attention stays in: of a sequence, or of a document in it (flash-attn flash_attn_varlen_func). */
double batch_document(const struct plan *p);

/* Keys that a query meets on average: causal, or all of them where the full matrix counts;
 * in a local layer those of its chunk or window. */
double batch_keys(const struct plan *p, bool local, bool full);

/* Keys of a query of those that an index chooses, all before it while they are no more. */
double batch_chosen(const struct plan *p);

/*
 * Routed tokens of the busiest of some ranks that share experts, over an even share. Experts are asked unevenly: of 256
 * the hottest has 11.9 times the mean, the largest of so many of a lognormal spread of 1.5, and a rank's are a sum of its
 * own (TensorRT-LLM docs/source/blogs/tech_blog/blog4, table 1).
 */
double batch_busiest(double experts, double ranks);

/* What a rank keeps of all layers over an even share: those that nobody measured are busiest in other layers each. */
double batch_kept_imbalance(const struct plan *p);

/* Modules that training.recompute_modules may name (Megatron-LM megatron/core/transformer/
 * transformer_config.py); bit i stands for the i-th of the names. */
extern const char batch_module_names[]; /* "core_attn moe_act ...", separated by blanks */
enum batch_module {
	AGAIN_CORE_ATTN = 1, AGAIN_MOE_ACT = 2, AGAIN_LAYERNORM = 4, AGAIN_MLA_UP_PROJ = 8,
	AGAIN_MLP = 16, AGAIN_MOE = 32, AGAIN_SHARED_EXPERTS = 64
};

/* The modules that selective recompute runs again, 0 without it. */
unsigned batch_again(const struct plan *p);

/* How many layers of a chunk, its first ones, recompute runs again, whole or in parts: all of
 * them, but for full recompute by the method "block"; 0 without recompute. */
int64_t batch_layers_again(const struct plan *p, int64_t layers);

/* Inputs of recompute units that a chunk of so many layers keeps, with full recompute, and how
 * many of them, its first ones, wait in host memory: of training.offload_layers, or all that
 * Unsloth's checkpointing keeps (unsloth_zoo/gradient_checkpointing.py). */
int64_t batch_inputs(const struct plan *p, int64_t layers);
int64_t batch_inputs_away(const struct plan *p, int64_t layers);

/* True where training.offload_layers goes module by module in Megatron-LM, as whole layers go with
 * PP 1 and without recompute alone (megatron/core/transformer/transformer_config.py,
 * cpu_offloading and fine_grained_activation_offloading). */
bool batch_offloads_modules(const struct plan *p);

/* Layers of a model chunk where all have as many, rounded up; at least 1. */
int64_t batch_chunk_layers(const struct plan *p);
#endif
