/*
 * rl_memory.h - what one GPU of the fullest stage holds in each phase. Private to core.
 */
#ifndef CORE_RL_MEMORY_H
#define CORE_RL_MEMORY_H
#include "core/base/ledger.h"
#include "core/plan/plan.h"
#include "core/rl/rl.h"
#include "core/rl/rl_engine.h"
#include "core/train/memory.h"

/* A model that trains or is evaluated on the trainer's GPUs. It points into itself. */
struct rl_model {
	bool present;
	struct plan plan;             /* with its micro-batches */
	const struct placement *placement;
	struct memory_setup memory;
};

struct rl_models {
	const struct plan *p;
	const struct layout *l;
	struct rl_model actor, critic, reward;
	struct placement critic_layers, reward_layers;
	struct rl_engine engine;      /* of plans that generate */
};

/* Bytes that a trainer keeps which has put its state away. */
double rl_memory_rest(const struct plan *p);

/* All of the state of a trainer stays where the engine generates. */
bool rl_memory_holds(const struct plan *p);

/* Fill in what the phases that run hold, and the fullest of them; terms of that one. */
void rl_memory(struct rl_estimate *out, const struct rl_models *m, struct ledger *ledger);
#endif
