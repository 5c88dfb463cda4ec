/*
 * attribute.h - causes held against what was measured.
 */
#ifndef CORE_ATTRIBUTE_H
#define CORE_ATTRIBUTE_H
#include "core/diagnose/diagnose.h"

/* Fill in causes, certainty and what they explain of a diagnosis whose terms, leading quantity
 * and run are known. */
void attribute_run(struct diagnosis *d, const struct measured *m, const struct catalog *catalog,
    struct estimate *work);

/* A measured number of the leading quantity as a cost: time or memory, of which more is worse.
 * Rates count as the time that they take for what the estimate of `e` says. */
double attribute_cost(enum measured_id id, double value, const struct plan *p,
    const struct estimate *e);
#endif
