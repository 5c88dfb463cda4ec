/*
 * serve_held.h - what one GPU of a serving engine holds: weights, what lies beside PyTorch,
 * activations, CUDA graphs, and the pool for the KV cache that is left.
 */
#ifndef CORE_SERVE_HELD_H
#define CORE_SERVE_HELD_H
#include "core/base/ledger.h"
#include "core/framework/stage.h"
#include "core/model/kv.h"
#include "core/plan/plan.h"
#include "core/serve/serve_setup.h"
#include "core/train/memory.h"

/* Bytes on one GPU of a stage. */
struct held {
	double weights, non_torch, activations, graphs, pool;
};

/* Facts of a plan that every part of its estimate needs. */
struct serving_of {
	const struct plan *p;
	const struct placement *pl;
	struct serve_setup setup;
	struct memory_setup memory;
	struct kv kv;
};

/* With a ledger the terms add up to the whole memory of the stage's GPU. */
struct held serve_held(const struct serving_of *o, int64_t stage, struct ledger *ledger);

/* Activations of the setup's tokens in a pass without sampling. */
double serve_forward_bytes(const struct plan *p, const struct serve_setup *setup);
#endif
