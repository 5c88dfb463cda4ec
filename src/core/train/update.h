/*
 * update.h - what a step does after its micro-batches: the optimizer, on the GPU, on the host or
 * over drives, and copies round the collectives of sharded state. Each term has its source.
 */
#ifndef CORE_UPDATE_H
#define CORE_UPDATE_H
#include "core/base/ledger.h"
#include "core/train/memory.h"

struct step_run;

/* Over how many ranks the optimizer's state is split. */
struct shards update_shards(const struct step_run *r, const struct plan *p);

/* Seconds; terms of QUANTITY_STEP. */
double update_seconds(const struct step_run *r, const struct plan *p, struct ledger *ledger);
#endif
