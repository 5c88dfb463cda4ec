/*
 * scope.h - what the estimates of many plans share, worked out once.
 *
 * Plans of a search differ in few fields from one to the next. A scope keeps what it worked
 * out for the plan before, and with every plan looks what of it still holds:
 *
 *   the job       cluster, model, calibration, mode, framework: whether the catalogue knows the
 *                 names, and which rules hold; of training on rollouts the engine that generates
 *                 them, which takes no notice of how its trainer is split
 *   the batch     what one GPU works on of a micro-batch: training and the sizes of TP, CP and
 *                 experts. Memory and work of layers of each kind, operations of a token
 *   the groups    where those of TP, CP and experts lie: traffic of a micro-batch
 *   the pipeline  all but how state is sharded, the ZeRO stage: groups and placement, stages
 *                 that can be the fullest, and what a step takes without its shards
 *
 * So results are the same with any scope, and quick where the batch changes last but for the
 * pipeline, and the ZeRO stage after all. A scope belongs to its caller, and each thread has its
 * own; the catalogue has to outlive it. It points into itself: it can not be copied.
 */
#ifndef CORE_SCOPE_H
#define CORE_SCOPE_H
#include <stdbool.h>

#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/catalog.h"
#include "core/plan/plan.h"
#include "core/rl/rl_engine.h"
#include "core/rules/check.h"
#include "core/train/memory.h"
#include "core/train/step_setup.h"

/* Of a training plan; what was not asked for is not filled in. */
struct pipeline {
	bool tried, placed;                /* placed: layout and placement hold */
	struct layout layout;
	struct placement placement;
	int64_t microbatches;
	bool loaded, run;                  /* these hold, loads of the stages that were looked at: */
	struct memory_loads loads;
	struct step_run step;
};

/* Large, most of it untouched: allocate it, or have one on the stack at most. */
struct scope {
	const struct catalog *catalog;     /* may be NULL */
	bool begun, sized, timed;          /* job, batch in memory and batch in steps hold of: */
	struct plan plan;
	bool named;                        /* the catalogue has its GPU and model */
	struct check_list rules;
	double params;                     /* that a checkpoint has, 0: not worked out yet */
	bool generates;                    /* this holds: */
	struct rl_engine engine;
	struct memory_setup memory;        /* its second half is of the plan before */
	struct step_setup step;
	struct pipeline pipeline;
};

void scope_init(struct scope *s, const struct catalog *catalog);

/* Follow to a plan: its job, and of a training plan its batch and its pipeline. */
void scope_follow(struct scope *s, const struct plan *p);

/* Parts of a training plan that is followed to. Groups and placement, false where
 * the plan has none; memory and its stages; times of its micro-batches; of its step. */
bool scope_place(struct scope *s, const struct plan *p);
struct memory_setup *scope_sizes(struct scope *s, const struct plan *p); /* of a micro-batch alone */
struct memory_setup *scope_memory(struct scope *s, const struct plan *p);
struct memory_loads *scope_loads(struct scope *s); /* as far as they were looked for */
struct step_setup *scope_batch(struct scope *s, const struct plan *p);
struct step_setup *scope_flows(struct scope *s, const struct plan *p); /* with traffic; NULL: no layout */
const struct step_run *scope_step(struct scope *s, const struct plan *p);

/* Parameters that a checkpoint has. */
double scope_params(struct scope *s, const struct plan *p);

/* Of a plan with rollouts; NULL where no engine has a layout. */
const struct rl_engine *scope_engine(struct scope *s, const struct plan *p);

/* The engine of rollouts is known already; NULL: it is not. */
void scope_lend(struct scope *s, const struct plan *p, const struct rl_engine *engine);
#endif
