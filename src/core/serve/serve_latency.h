/*
 * serve_latency.h - how fast an engine answers: a roofline of prefill and decode.
 *
 * One prompt is prefilled alone (no queue); a batch decodes with every request half way
 * through its answer, and waits for the prefills of those that follow. Each kind of work
 * takes the longer of its arithmetic and its memory traffic.
 */
#ifndef CORE_SERVE_LATENCY_H
#define CORE_SERVE_LATENCY_H
#include "core/base/ledger.h"
#include "core/model/kv.h"
#include "core/plan/plan.h"
#include "core/serve/serve.h"
#include "core/serve/serve_setup.h"

/* Fill in the times and rates of `out`. batch: requests that decode at once on one rank
 * of data parallel attention. */
void serve_latency(struct serve *out, const struct plan *p, const struct layout *l,
    const struct placement *pl, const struct serve_setup *setup, const struct kv *kv,
    double batch, struct ledger *ledger);
#endif
