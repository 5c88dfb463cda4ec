/*
 * estimate_run.h - the whole run as a part of an estimate. Private to core/estimate.
 */
#ifndef CORE_ESTIMATE_RUN_H
#define CORE_ESTIMATE_RUN_H
#include "core/estimate/estimate.h"

/* The run of a plan, where its step has a time; its checkpoint wherever it trains. params: that a
 * checkpoint has. */
void estimate_whole(struct estimate *out, const struct plan *p, const struct layout *l,
    const struct placement *pl, double params, struct ledger *ledger);

/* Warnings: stages that would be refused, saves that a host has no room for beside the bytes that it
 * holds, too few spare nodes. */
void estimate_check_run(struct estimate *out, const struct plan *p, const struct catalog *catalog,
    double held);
#endif
