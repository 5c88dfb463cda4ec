/*
 * quantity.h - what an estimate says of the numbers that files of a run tell.
 */
#ifndef CORE_DIAGNOSE_QUANTITY_H
#define CORE_DIAGNOSE_QUANTITY_H
#include "core/diagnose/measured.h"
#include "core/estimate/estimate.h"

/* The estimate of a measured quantity, 0 where there is none. */
double quantity_estimate(enum measured_id id, const struct plan *p, const struct estimate *e);

/* The error that 9 of 10 runs of the plan's kind stay within, as a share; 0 of what has no estimate. */
double quantity_error(enum measured_id id, const struct plan *p, const struct estimate *e);

/* The share of the estimate that is an error of one standard deviation. */
double quantity_deviation(enum measured_id id, const struct plan *p, const struct estimate *e);

/* More of it is slower or fuller (1), or faster (-1). */
int quantity_way(enum measured_id id);

/* A measured number as a cost: time or memory, of which more is worse.
 * Rates count as the time that they take for what the estimate of `e` says. */
double quantity_cost(enum measured_id id, double value, const struct plan *p,
    const struct estimate *e);
#endif
