/*
 * steptime.h - how long one training step takes and where the time goes.
 *
 * Step = micro-batches x slowest stage (forward, backward, recompute and the traffic inside
 * that nothing hides) + bubble + exposed pipeline and data parallel traffic + optimizer.
 * Times of the parts: compute.h, traffic.h, bubble.h. FLOP: Megatron-LM
 * megatron/training/training.py, num_floating_point_operations.
 *
 * Error without calibration against published runs (make accuracy), on the rows that the
 * efficiencies of compute.c were chosen on (none was held out): median 7 %, 90th percentile
 * 22 % over 82 runs described in full, 9 % and 25 % over 70 of which something had to be
 * assumed. Small models on many GPUs, MoE on few H100 and power-limited GPUs (torchtitan's
 * at 500 W, which no field says) come out too fast.
 */
#ifndef CORE_STEPTIME_H
#define CORE_STEPTIME_H
#include "core/layout.h"
#include "core/ledger.h"
#include "core/plan.h"
#include "core/stage.h"
#include "core/traffic.h"

struct steptime {
	double seconds;              /* one step */
	double compute_seconds;      /* forward and backward of the slowest stage, no recompute */
	double recompute_seconds;
	double bubble_fraction;      /* share of the step that the pipeline idles */
	double exposed_comm_seconds;
	double optimizer_seconds;
	double model_tflops_per_gpu; /* TFLOP/s, causal attention counted by half */
	double mfu, hfu;             /* of the dense peak in the plan's precision; hfu counts
	                              * recompute too */
	double mfu_full;             /* MFU with the full attention matrix counted */
	double tokens_per_second, tokens_per_second_per_gpu;
	double efficiency_error;     /* of the uncalibrated estimate, by GPU: 0.15 = 15 % */
};

/*
 * Estimate traffic and time of a legal training plan. microbatches: of one data parallel
 * rank. Fills *traffic too (exposed times depend on compute). ledger may be NULL.
 */
struct steptime steptime_estimate(const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t microbatches, struct traffic *traffic,
    struct ledger *ledger);

/* FLOPs of one token, forward and backward, without recompute; attention causal or full. */
double flops_per_token(const struct plan *p, bool full_attention);
#endif
