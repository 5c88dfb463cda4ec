/*
 * checkpoint.h - what one save holds, who writes how much of it, and what that takes of a host.
 *
 * Saved are weights and optimizer state, each parameter once whatever TP, PP, DP and EP, those of
 * a padded vocabulary and of multi-token prediction among them; of a plan with adapters alone these.
 * Not counted: random states, schedulers, data loaders (megabytes). A parameter takes, with Adam:
 *
 *   Megatron-LM, DeepSpeed, nanotron   2 + 12   bf16 weights; fp32 copy and two moments
 *   the same in fp32                   4 + 8    and 4 more with a distributed optimizer, which
 *                                               keeps an fp32 copy of its own
 *   torchtitan                         4 + 8    fp32 weights are the optimizer's
 *   Hugging Face's Trainer             w + 2w   w bytes of a trained weight, moments as wide
 *
 * Held against MLPerf Storage's checkpoints of Llama 3 (8B 105 GiB, 405B 5,290 GiB; mlcommons/
 * storage Rules.md), BLOOM (2.3 TiB), and GPT-1.5B in fp32 (18 and 24 GB, DLRover): within 4 %.
 */
#ifndef CORE_RUN_CHECKPOINT_H
#define CORE_RUN_CHECKPOINT_H
#include "core/framework/stage.h"
#include "core/model/params.h"
#include "core/plan/plan.h"

struct ledger;

/* Bytes. */
struct checkpoint {
	double weights, optimizer, all; /* all is the sum of both */
	double rank, node;              /* written by the rank, and from the node, that writes most */
	double host;                    /* in the memory of that node until they are written */
	double writers;                 /* ranks that write */
};

/* Parameters that are saved: all of a model as published, or what is trained of it. */
double checkpoint_params(const struct plan *p, const struct model_params *model, double trained);

/* Of a training plan that is placed on so many GPUs, with as many parameters. All 0 without a
 * format. Noted under QUANTITY_CHECKPOINT; ledger may be NULL. */
struct checkpoint checkpoint_of(const struct plan *p, const struct placement *pl, double gpus,
    double params, struct ledger *ledger);
#endif
