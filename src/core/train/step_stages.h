/*
 * step_stages.h - the stages of a step on their GPUs, which may be of several types or slow. Private
 * to core.
 */
#ifndef CORE_STEP_STAGES_H
#define CORE_STEP_STAGES_H
#include "core/framework/gpu_types.h"
#include "core/train/step_setup.h"

/* The GPUs of a step: the plan and the setup of each type, and the types of each stage, one bit each (NULL:
 * there is one). A stage takes as long as on the slowest of its types. */
struct step_gpus {
	int types;
	const struct plan *plan[GPU_TYPES_MAX];
	struct step_setup *set[GPU_TYPES_MAX];
	const unsigned *stage;
};

/* GPUs of a plan with several types, and what they point to; setups of others are made in `other`. */
struct step_types {
	struct step_gpus gpus;
	double peak; /* of a GPU, in the mean */
	unsigned stage[STAGE_CHUNKS_MAX];
	struct plan room[PLAN_OTHERS_MAX];
};
void step_types_init(struct step_types *t, struct step_setup *other, struct step_setup *own,
    const struct plan *p, const struct layout *l);

/* n chunks in a row as a stage works on them. */
void step_stages_time(struct stage *s, const struct step_gpus *gpus, const struct chunk *chunk, int64_t n,
    int64_t stage);

/* All stages: the slowest one, and what they come to. */
void step_stages_run(struct step_run *r, const struct step_gpus *gpus, const struct plan *p,
    const struct placement *pl);

/* What part of the speed of others each stage reaches; false where all reach it. */
bool step_stages_slowness(double factor[STAGE_CHUNKS_MAX], const struct plan *p, const struct layout *l);

/* Seconds by which slow nodes make a step longer. */
double step_stages_slow(const struct step_run *r, const struct step_gpus *gpus, const struct plan *p,
    const struct placement *pl);
#endif
