/*
 * bubble.h - how long a pipeline idles while it fills and drains.
 *
 * Narayanan et al. 2021 (arXiv 2104.04473) for GPipe, 1F1B and interleaving. The others are
 * what the orders of timeline.h give for equal stages and any times of forward, backward and
 * weight gradients; where these are equal, the published forms: Qi et al. 2023 and 2024
 * (arXiv 2401.10241, 2405.15362) and DeepSeek's DualPipe README.md.
 */
#ifndef CORE_BUBBLE_H
#define CORE_BUBBLE_H
#include <stdint.h>

/* Seconds of one micro-batch. */
struct pipeline_times {
	int64_t stages, chunks;
	double slowest;  /* forward and backward of the slowest rank */
	double sum;      /* the same of all ranks: stages need not be equal */
	double forward, weight;  /* of slowest: forward alone; weight gradients */
	double microbatches;     /* of the step */
};

/* By how much fewer micro-batches than stages a chunk but the last waits for the first to come
 * back round: the share of the others that are missing, 0 without chunks. */
double bubble_late(double stages, double chunks, double microbatches);

/* Seconds that the slowest rank waits in one step. */
double bubble_seconds(int64_t schedule, const struct pipeline_times *t);
#endif
