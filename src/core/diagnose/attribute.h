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

/* Fill in the causes that lines state, where there is no number to hold them against. */
void attribute_stated(struct diagnosis *d, const struct measured *m);
#endif
