/*
 * steptime.h - how long one training step takes and where the time goes.
 *
 * Step = micro-batches x slowest stage (forward, backward, recompute and the traffic inside
 * that nothing hides) + bubble + exposed pipeline and data parallel traffic + optimizer.
 * Times of the parts: compute.h, traffic.h, bubble.h. FLOP: Megatron-LM
 * megatron/training/training.py, num_floating_point_operations.
 *
 * Error without calibration against published runs (make accuracy), on the rows that the
 * efficiencies of compute.c were chosen on: median 3 %, 90th percentile 11 % over 193 runs
 * described in full, 5 % and 15 % over 191 of which something had to be assumed; on 99 runs
 * looked up afterwards, 5 % and 27 %; on 32 described before an estimate was seen, 8 % and 16 %.
 * Calibrated with one run, another one of the same model, source, GPU and precision is off by
 * 3 % in the median and 15 % at the 90th percentile of 354 pairs.
 */
#ifndef CORE_STEPTIME_H
#define CORE_STEPTIME_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"
#include "core/train/traffic.h"

struct step_setup; /* step_setup.h, */
struct step_run;   /* as well */

struct steptime {
	double seconds;              /* one step */
	double compute_seconds;      /* forward and backward of the slowest stage, no recompute */
	double recompute_seconds;
	double bubble_seconds, bubble_fraction; /* that the pipeline idles, also as a share */
	double exposed_comm_seconds;
	double host_seconds;         /* waiting for it: between steps, for data, and to launch layers */
	double optimizer_seconds;
	double slow_seconds;         /* waiting for nodes that are slower than others */
	/* FLOP of the step on all GPUs: causal attention counted by half; with recompute too;
	 * with the full attention matrix instead. */
	double model_flops, hardware_flops, full_flops;
	double model_tflops_per_gpu; /* TFLOP/s */
	double mfu, hfu, mfu_full;   /* the three, of the dense peak in the plan's precision */
	double tokens_per_second, tokens_per_second_per_gpu;
	double training_seconds;     /* for training.token_budget at this rate, 0 without one */
	double error;                /* without calibration, of this kind of plan: core/framework/error.h */
};

/* One step of a training plan without the work of its data parallel ranks: the same for
 * plans that differ in how their state is sharded alone. */
void steptime_run(struct step_run *r, struct step_setup *s, const struct plan *p,
    const struct layout *l, const struct placement *pl, int64_t microbatches);

/* The step of a legal plan. Ends where the time is known to be above `limit` seconds (INFINITY
 * for none), with `seconds` above it and nothing else in what it returns. */
struct steptime steptime_within(const struct step_run *r, double limit, const struct plan *p,
    const struct placement *pl, struct traffic *traffic, struct ledger *ledger);

/* Seconds that a step takes at least, wherever the layers are: the slowest stage works no less than
 * all of them on average, whatever the PP. `piped`: with this PP, of which s has the groups
 * (step_setup_plan), and what traffic and host add; and with the bubble of no more than `chunks` a
 * rank (0: of any number) where the schedule is one whose step grows with the slowest stage's work
 * more than it falls with what others fill (GPipe, 1F1B). 0 where the GPU's rates are not known. */
double steptime_least(struct step_setup *s, const struct plan *p, bool piped, int64_t chunks);

/* No step takes less, whatever the sizes, the micro-batch and the switches: the products with weights of layers on GPUs that do
 * nothing else. 0 where not known. */
double steptime_floor(const struct plan *p);

/* A pass without gradients over the sequences of a step that computes, sends what nothing hides and idles
 * for `work` seconds, and waits for launches; and no more than that of a step whose shards are not
 * known yet. */
double steptime_pass(const struct plan *p, double work, double launches);
double steptime_run_pass(const struct step_run *r, const struct plan *p);

/*
 * Estimate traffic and time of a legal training plan. microbatches: of one data parallel
 * rank. Fills *traffic too (exposed times depend on compute). ledger may be NULL.
 */
struct steptime steptime_estimate(const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t microbatches, struct traffic *traffic,
    struct ledger *ledger);

/* One micro-batch on one model chunk, traffic that nothing hides included; seconds. */
struct chunk_time {
	double forward;
	double backward; /* recompute and weight gradients included */
	double weight;   /* of backward: weight gradients */
};

/* Every chunk of a legal training plan, in the order of struct placement: pp x vpp rows.
 * False, and nothing filled in, where the plan does not say how fast the GPU is. */
bool steptime_chunks(const struct plan *p, const struct layout *l, const struct placement *pl,
    struct chunk_time *out);
#endif
