/*
 * serve_experts.h - routed experts in a pass of an engine: their products, and tokens that travel to them.
 */
#ifndef CORE_SERVE_EXPERTS_H
#define CORE_SERVE_EXPERTS_H
#include "core/base/ledger.h"
#include "core/serve/serve_model.h"

/* Tokens of the busiest rank of experts over the mean. */
double serve_hottest(const struct plan *p);

/* Tokens go to experts of other ranks and back. */
bool serve_exchanges(const struct serve_work *w);

/* True of a pass that is cut in two, so that one half's tokens travel while the other computes. */
bool serve_in_halves(const struct serve_work *w, const struct pass *s);

/* Their terms; the exchange comes after all that it may hide behind. */
void serve_add_experts(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger);
void serve_add_exchange(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger);
#endif
