/*
 * rl.h - a step of training on rollouts or on pairs of responses: which phases it has, what a
 * GPU of each pool holds in them, and how long they take.
 *
 * Phases come one after the other where rollouts and trainer share GPUs (verl hybrid engine,
 * NeMo-RL colocated generation, OpenRLHF colocate_all, slime --colocate): what a phase does not
 * need is put away as rl.offload and rl.engine_sleep say. With pools of their own and staleness
 * the slower pool sets the pace.
 *
 * Adapters are set aside for the reference, which then takes no copy of the weights, and are sent
 * merged with them (NeMo-RL, TRL, OpenRLHF), or alone to an engine that keeps the base (verl).
 *
 * Not modelled: responses that dynamic sampling throws away, tools between turns.
 */
#ifndef CORE_RL_H
#define CORE_RL_H
#include <stdbool.h>
#include <stdint.h>

#include "core/base/ledger.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/catalog.h"
#include "core/plan/field.h"
#include "core/plan/plan.h"
#include "core/train/steptime.h"

/* A step less its phases, as a share of them: rewards, advantages, data, moving state between
 * host and GPU (tables of verl docs/advance/fully_async.md: 3 to 8 %, 4 % in the median). */
#define RL_OTHERS 0.04

/* In the order in which they run. */
enum rl_phase {
	PHASE_ROLLOUT, PHASE_REWARD, PHASE_OLD_LOGPROB, PHASE_REF_LOGPROB, PHASE_CRITIC, PHASE_TRAIN,
	PHASE_SYNC, PHASES
};

/* Parts of the memory of a GPU. */
enum rl_part {
	HELD_ENGINE,     /* weights, cache and the rest of an engine that is awake, or asleep */
	HELD_WEIGHTS, HELD_GRADIENTS, HELD_OPTIMIZER, /* of the actor */
	HELD_MODELS,     /* reference, critic and reward model */
	HELD_WORK,       /* activations, logits, buffers of the phase */
	HELD_REST,       /* CUDA context, NCCL, fragmentation of the trainer */
	HELD_PARTS
};

struct rl_phase_estimate {
	bool runs;
	bool rollouts;           /* on the GPUs of the rollout pool */
	double seconds;
	double held[HELD_PARTS]; /* on the fullest GPU of the pool that runs it */
	double memory, low;      /* sum of these; the least that it may come to */
};

struct rl_estimate {
	enum field_id refused;       /* what has no layout: its engine or its other models */
	bool generates, split;
	bool overlaps;               /* rollouts run beside the trainer */
	int64_t train_gpus, rollout_gpus, engine_gpus; /* of one engine */
	int64_t engines;
	double updates;              /* of the weights in a step */
	double responses;            /* of a step: sequences that it trains on */
	struct rl_phase_estimate phase[PHASES];
	enum rl_phase fullest;       /* holds peak_bytes, */
	double peak_bytes, peak_low;
	double trainer_seconds;      /* phases of the trainer's pool */
	double step_seconds;
	double sync_bytes;           /* that reach each GPU of an engine */
	double host_bytes_per_node;
	double tokens_per_second, tokens_per_second_per_gpu; /* prompts and responses; GPUs of all pools */
};

/* "rollout", "old_logprob": as `estimate --json` has it; and as people read it. */
const char *rl_phase_name(enum rl_phase phase);
const char *rl_phase_label(enum rl_phase phase);
const char *rl_part_name(enum rl_part part);

/* Seconds from the beginning of a step until a phase that runs begins. */
double rl_phase_begin(const struct rl_estimate *r, enum rl_phase phase);

struct rl_engine;

/* p resolved and legal, with rollouts or pairs; l and pl of its trainer; its engine, NULL: not
 * known yet. False where something of it has no layout on its pool. ledger may be NULL. */
bool rl_run(struct rl_estimate *out, const struct plan *p, const struct catalog *catalog,
    const struct layout *l, const struct placement *pl, const struct rl_engine *engine,
    struct ledger *ledger);

/* What is the same however the trainer is split: of a plan's step, and of no less than its memory.
 * Memory is INFINITY where rollouts are illegal. */
struct rl_least {
	double beside;           /* bytes of the engine on a GPU while its weights train */
	double memory;           /* bytes on a GPU that generates, without the trainer's state, */
	bool holds;              /* all of which stays there */
	double seconds;          /* of a step, */
	double before, updates;  /* in which the trainer waits so long, and updates so often */
};

/* engine: of a plan with rollouts; NULL for none, or where it has no layout. */
struct rl_least rl_least_of(const struct plan *p, const struct rl_engine *engine);

/* Seconds of a step at least whose updates take so many each; and those that an update may take in a
 * step of so many: INFINITY where nobody knows. */
double rl_step_least(const struct rl_least *r, double update);
double rl_update_most(const struct rl_least *r, double step);

/* Tokens of a step, prompts and responses. */
double rl_step_tokens(const struct plan *p);

/* Make of a plan what an update is worked out of: its rows are as long as responses are on average. l:
 * sizes of its groups. */
void rl_take_update(struct plan *p, const struct layout *l);

/* Of each update, with the passes of the actor that come before: q is that plan, s its step; or r, as
 * long as its shards are not known, and no more than that. */
double rl_actor_seconds(const struct plan *q, const struct steptime *s);
double rl_actor_least(const struct plan *q, const struct step_run *r);

/* GPUs that generate. */
int64_t rl_rollout_gpus(const struct plan *p);
#endif
