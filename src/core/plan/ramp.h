/*
 * ramp.h - a run in stages: run.batch_schedule, and then the plan's own batch.
 *
 * "4096x4M@252M,8192x8M@2.87T" is sequences of 4,096 tokens and 4M tokens a step until the run has
 * 252 million tokens, then 8,192 and 8M until 2.87 trillion. k, M, B and T of totals are decimal;
 * those of a step too where that is whole sequences, else binary: 4M of 4,096 are 1,024 sequences.
 */
#ifndef CORE_RAMP_H
#define CORE_RAMP_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/plan.h"

enum { RAMP_STAGES_MAX = 16 };

struct ramp_stage {
	int64_t sequence, batch; /* tokens; sequences of a step */
	double tokens, steps;    /* of this stage; steps are whole */
};

struct ramp {
	int count;
	struct ramp_stage stage[RAMP_STAGES_MAX];
};

/* The stages of the run, each with what it does of the token budget: at least one. False, with the
 * reason in err, where the schedule can not be read; the ramp is then the plan's own batch. */
bool ramp_of(struct ramp *r, const struct plan *p, char *err, size_t size);

/* The stage has the plan's own batch. */
bool ramp_is_own(const struct ramp_stage *stage, const struct plan *p);

/* Steps of the run that have the plan's own batch, 0 where the schedule takes the whole budget. */
double ramp_own_steps(const struct plan *p);

/* The plan as one of its stages has it, without a schedule. */
struct plan ramp_plan(const struct plan *p, const struct ramp_stage *stage);

/* Where a run is that has consumed so many sequences: steps done, and of the data epochs and, in the
 * one that is under way, steps. `rounds`: the last step of an epoch is short, as data loaders of
 * accelerate make it; else sequences go on into the next one. Steps of an epoch as large as those of
 * the stage that the run is in. */
struct ramp_place {
	double step, epoch, epoch_step;
};
struct ramp_place ramp_place(const struct ramp *r, const struct plan *p, bool rounds);
#endif
