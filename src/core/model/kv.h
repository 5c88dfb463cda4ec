/*
 * kv.h - what the KV cache of a serving engine holds: bytes of a token by layer kind, and
 * how the engine cuts its pool into blocks that requests share.
 *
 * vLLM (vllm/v1/core/kv_cache_utils.py, vllm/v1/kv_cache_interface.py): layers of one
 * kind take one page each for a block of tokens. With several kinds, layers are put into
 * groups of equal size, every group takes its own blocks from one pool, and the pages of
 * all kinds are made equally large.
 */
#ifndef CORE_KV_H
#define CORE_KV_H
#include <stdint.h>

#include "core/base/ledger.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"

enum kv_kind {
	KV_FULL,     /* keeps every token */
	KV_WINDOW,   /* sliding window: the last `window` tokens */
	KV_CHUNK,    /* chunked attention (Llama 4): the tokens of the current chunk */
	KV_STATE,    /* linear attention, Mamba: one state for a request, whatever its length */
	KV_KINDS
};

/* How many layers of each kind a pipeline stage holds. */
struct kv_layers {
	double of[KV_KINDS];
};

struct kv {
	double bytes[KV_KINDS];   /* of a token (KV_STATE: a request) in one layer, one GPU */
	double block[KV_KINDS];   /* tokens in one block of a layer of this kind */
	double groups[KV_KINDS];  /* groups of layers of this kind, 0 without such layers */
	double state_pages;       /* pages of a request in a group of KV_STATE */
	double page;              /* bytes of one block in one layer; 0: kinds share no page */
	double window;            /* tokens of a window or a chunk, 0 without */
	double ranks;             /* over which the tokens of a request are spread */
	double index;             /* of bytes[KV_FULL]: an indexer's keys, the mean where few have one */
	double everywhere;        /* of bytes[KV_FULL]: kept on each of them for all tokens */
	double tokens;            /* most tokens in one forward pass */
};

/* version: of the engine, 100*major + minor; tokens: most in one forward pass. */
struct kv kv_of(const struct plan *p, int64_t version, double tokens);

/* Ranks of a TP group that share one attention layer: 1 with DP attention, else TP. */
double kv_attention_tp(const struct plan *p);

struct kv_layers kv_layers_of(const struct plan *p, int64_t first, int64_t count);
struct kv_layers kv_stage(const struct plan *p, const struct placement *pl, int64_t stage);

/* Bytes of a token in all layers, those with a window included; of a request's states. */
double kv_token_bytes(const struct plan *p, const struct kv_layers *layers,
    struct ledger *ledger);
double kv_state_bytes(const struct kv *kv, const struct kv_layers *layers);

/* vLLM: bytes of one block on a stage, groups in all, and blocks of a request. */
double kv_block_bytes(const struct kv *kv, const struct kv_layers *layers);
double kv_group_count(const struct kv *kv);
double kv_request_blocks(const struct kv *kv, double length);

/* Bytes of a token of the whole model, each KV head once: what a prefill node sends. */
double kv_model_bytes(const struct plan *p);
#endif
