/*
 * serve_latency.h - how fast an engine answers: first and next tokens under a closed loop of
 * requests, in one pool or with prefill workers of their own.
 */
#ifndef CORE_SERVE_LATENCY_H
#define CORE_SERVE_LATENCY_H
#include "core/base/ledger.h"
#include "core/model/kv.h"
#include "core/plan/plan.h"
#include "core/serve/serve.h"
#include "core/serve/serve_setup.h"

/* Fill in the times and rates of `out`. slots: requests that one rank of data parallel attention
 * holds at once. A GPU without rates has no times: they stay 0. */
void serve_latency(struct serve *out, const struct plan *p, const struct serve_setup *setup,
    const struct kv *kv, double slots, struct ledger *ledger);
#endif
