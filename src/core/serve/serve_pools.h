/*
 * serve_pools.h - prefill workers of their own: prompts are prefilled there, their KV cache is
 * sent, and a pool that does nothing else decodes.
 */
#ifndef CORE_SERVE_POOLS_H
#define CORE_SERVE_POOLS_H
#include "core/base/ledger.h"
#include "core/plan/pool.h"
#include "core/serve/serve.h"
#include "core/serve/serve_loop.h"

/* Fill in times of both pools and what the prefill workers hold; out has the sizes of a decoding
 * GPU. w and d are of the pool that decodes. */
struct served serve_pools(struct serve *out, const struct pool *pool, const struct serve_work *w,
    const struct demand *d, struct ledger *ledger);

/* What an open loop needs of the prefill workers and of what they send; out as above. */
struct rate_pools serve_pools_open(struct serve *out, const struct plan *p, const struct pool *pool,
    double prompt, double fetch, struct ledger *ledger);

/* Bytes of weights on a GPU of a prefill worker, whose plan is pool_plan's. */
double serve_pool_weights(const struct plan *q);

/* Bytes a second, over the network cards of those GPUs of one engine that hold different parts of
 * a prompt's cache (MLA: the same latent on every TP rank). */
double serve_transfer_rate(const struct plan *p, double attention_tp, double pp);

/* GPUs that prefill when each pool is used as well as the other: the prefill workers take so many prompts a second, the
 * other GPUs so many requests. */
double serve_pools_balanced(const struct plan *p, const struct pool *pool, double prompts, double answers);
#endif
