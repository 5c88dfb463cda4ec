/*
 * serve_latency.h - how fast an engine answers: first and next tokens under a closed loop of
 * requests or at a rate, in one pool or with prefill workers of their own.
 */
#ifndef CORE_SERVE_LATENCY_H
#define CORE_SERVE_LATENCY_H
#include "core/base/ledger.h"
#include "core/model/kv.h"
#include "core/plan/plan.h"
#include "core/serve/serve.h"
#include "core/serve/serve_setup.h"

/* What the cache of one rank of data parallel attention holds. */
struct serve_room {
	double slots;  /* requests of the plan's length at once, as far as the batch goes */
	double tokens; /* of such requests, however many the batch takes; INFINITY: no limit */
};

/* Fill in the times and rates of `out`. A GPU without rates has no times: they stay 0. */
void serve_latency(struct serve *out, const struct plan *p, const struct serve_setup *setup,
    const struct kv *kv, const struct serve_room *room, struct ledger *ledger);
#endif
