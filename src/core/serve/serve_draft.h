/*
 * serve_draft.h - who drafts for speculative decoding: the weights and the time that it takes.
 */
#ifndef CORE_SERVE_DRAFT_H
#define CORE_SERVE_DRAFT_H
#include "core/base/ledger.h"
#include "core/plan/plan.h"
#include "core/serve/serve_work.h"

/* Parameters of an EAGLE-3 draft for the plan's model, 0 where another or none drafts. */
double serve_draft_params(const struct plan *p);

/* Seconds that all drafts of a step take for `requests` of such a length. */
double serve_draft_seconds(const struct serve_work *w, double requests, double length,
    struct ledger *ledger);
#endif
