/*
 * step_setup.h - what all stages of a step have in common, and the time of one stage. Private
 * to core.
 */
#ifndef CORE_STEP_SETUP_H
#define CORE_STEP_SETUP_H
#include <stdbool.h>
#include <stdint.h>

#include "core/base/ledger.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/model/flops.h"
#include "core/model/params.h"
#include "core/plan/plan.h"
#include "core/train/traffic.h"

/* Work of every part that a stage may hold, on one micro-batch. */
struct parts {
	struct work layer[LAYER_KINDS]; /* by kind; worked out when a stage has one */
	bool done[LAYER_KINDS];
	struct work embedding, head, mtp;
	int usual;                      /* the kind of the last layer */
};

/* Of all stages of a plan, and of plans which a scope says are alike (scope.h). */
struct step_setup {
	struct machine machine;
	struct parts parts;
	unsigned again;                 /* enum batch_module: what recompute runs again */
	struct flops causal, full;      /* of one token, by what attention counts */
	bool flowing;                   /* flows hold, of the groups that lie so: */
	struct flow_spans spans;
	struct flows flows;
};
void step_setup_batch(struct step_setup *s, const struct plan *p);
void step_setup_plan(struct step_setup *s, const struct plan *p, const struct layout *l);

/* One stage: what it holds, and what one micro-batch takes on it. */
struct stage {
	double kind[LAYER_KINDS];
	double again[LAYER_KINDS]; /* those of them that recompute runs again */
	double layers, mtp, heads;
	bool embedding, loss;
	double forward, backward, weight, recompute, exposed;
	double host;               /* by which the host is slower than all of that */
	int type;                  /* of its slowest GPUs (gpu_types.h) */
	double units[UNIT_COUNT];
};

/* Count the layers of n chunks in a row. */
void stage_count(struct stage *s, const struct plan *p, const struct chunk *chunk, int64_t n,
    int usual);

/* Seconds of a stage, traffic that nothing hides included. */
void stage_time(struct stage *s, struct step_setup *set, const struct plan *p);
double stage_total(const struct stage *s);

/* The pipeline as a whole, and its slowest stage. It points to what it was made of. */
struct step_run {
	struct step_setup *set; /* of the slowest stage's GPUs */
	struct step_setup other[PLAN_OTHERS_MAX]; /* touched where there are GPUs of other types alone */
	double peak;           /* of a GPU, in the mean of all */
	const struct layout *layout;
	struct stage slowest;
	int64_t rank;          /* of the slowest stage */
	double sum;            /* stage_total of all stages */
	double again[LAYER_KINDS]; /* layers of all stages that recompute runs again */
	double microbatches, bubble;
	double slow;           /* seconds by which slow nodes make the step longer */
	double least;          /* seconds that the step takes at least */
	struct stage_params held; /* by the rank that holds most, */
	struct stage_params trained; /* and what is trained of it */
};

/* Note what the stage's forward, backward and recompute are the sums of: the same work
 * counted again, term by term. */
void stage_note(const struct stage *s, const struct plan *p, const struct machine *g,
    struct ledger *ledger);
#endif
