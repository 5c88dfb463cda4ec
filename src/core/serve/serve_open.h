/*
 * serve_open.h - an engine at a rate: requests arrive by themselves (core/rate), with the passes of
 * this plan's GPUs, engine and model.
 */
#ifndef CORE_SERVE_OPEN_H
#define CORE_SERVE_OPEN_H
#include "core/base/ledger.h"
#include "core/model/kv.h"
#include "core/rate/rate_kept.h"
#include "core/serve/serve.h"
#include "core/serve/serve_setup.h"

/* Means by formulas, and what events need. kv_tokens: that the cache of one rank of data parallel
 * attention holds, of requests of the plan's length; fetch: seconds to bring the cached prefix from
 * the host. Of a plan with a rate, on a GPU of known rates. */
void serve_open(struct serve *out, const struct plan *p, const struct serve_setup *setup,
    const struct kv *kv, double kv_tokens, double fetch, struct ledger *ledger);

/* A rate has times: there is room for a request, and the engines take it or a benchmark of so many ends. */
bool serve_has_times(const struct serve_rate *r, const struct plan *p, double rate);

/* Percentiles and requests in flight at traffic.rate, which need not be the rate that r is of. kept: runs of
 * plans before, NULL without any. */
void serve_percentiles(struct serve_rate *r, const struct plan *p, struct rate_room *room,
    struct rate_kept *kept);

/* Percentiles and the rate inside the limits: by events where one pool serves, at a rate that it
 * takes. Nothing of a plan without a rate. enough: where the rate inside is less, it and percentiles need not be
 * right, 0 for all that are. */
void serve_follow(struct serve *out, const struct plan *p, enum follow depth, double enough,
    struct rate_room *room, struct rate_kept *kept);
#endif
