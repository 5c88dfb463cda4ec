/*
 * update.h - what a step does after its micro-batches: the optimizer, on the GPU, on the host or
 * over drives, and copies round the collectives of sharded state. Each term has its source.
 */
#ifndef CORE_UPDATE_H
#define CORE_UPDATE_H
#include "core/base/ledger.h"
#include "core/train/memory.h"

struct step_run;

/* Seconds of the optimizer at least, wherever the layers are and however state is sharded: the stage that
 * holds most holds no less than the mean, and no GPU less than an equal share of it. With the sizes of
 * TP and experts, and the offload, of p. */
double update_least(const struct plan *p);

/* Over how many ranks the optimizer's state is split. */
struct shards update_shards(const struct step_run *r, const struct plan *p);

/* Seconds; terms of QUANTITY_STEP. The optimizer alone takes no less with a lower ZeRO stage, or with more
 * copies of what is sharded. */
double update_optimizer(const struct step_run *r, const struct plan *p, struct ledger *ledger);
double update_seconds(const struct step_run *r, const struct plan *p, struct ledger *ledger);
#endif
