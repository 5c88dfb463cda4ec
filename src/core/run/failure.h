/*
 * failure.h - how often a job stops, when to save, and what share of the time advances it.
 *
 * Interruptions are memoryless, and come while a job saves and restarts as well (Daly 2006,
 * doi 10.1016/j.future.2004.11.016). Between two saves a job computes t seconds; a save blocks it
 * for b; from an interruption to the first new step it takes R; and W is what is lost beside the
 * time since the last save, which was not written out yet. All in seconds; `mean` is the mean time
 * between interruptions of the job, INFINITY where it has none.
 */
#ifndef CORE_RUN_FAILURE_H
#define CORE_RUN_FAILURE_H
#include <stdint.h>

/* Interruptions of a node in 1,000 days, as published for large jobs: RSC-2 2.34 and RSC-1 6.50
 * (Kokolis et al. 2024, arXiv 2410.21680), Llama 3 3.79 (arXiv 2407.21783, table 5). And the time of
 * a restart: a standby node and a checkpoint in memory; a requeue, a start and a load. */
#define FAILURES_LOW 2.3
#define FAILURES_HIGH 6.5
#define RESTART_LOW (5 * 60.0)
#define RESTART_HIGH (30 * 60.0)
#define FAILURE_SOURCE "Kokolis et al. 2024, arXiv 2410.21680; Llama 3, arXiv 2407.21783, table 5"

/* GPUs below which jobs also stop for what no count of nodes tells: 1,024 every 7.9 h, where
 * nodes alone would stop them every 28.8 h (arXiv 2410.21680). */
enum { FAILURE_GPUS_LEAST = 4096 };

struct failures {
	double mean, blocking, restart, writing; /* M, b, R, W */
};

/* Mean time between interruptions of so many nodes in series. */
double failure_mean(double nodes, double per_1000_node_days);

/* The t of the highest goodput: (1 - t/M) e^((t+b)/M) = 1, so t = M (1 + W0(-e^-(1+b/M))) with the
 * principal branch of Lambert's W; R and W do not move it. 0 where a save blocks for no time. */
double failure_interval(double blocking, double mean);

/* The share of the time that advances the run: (t/M) e^(-(R+W)/M) / (e^((t+b)/M) - 1). */
double failure_goodput(const struct failures *f, double interval);

/* Fewest spare nodes with which more are broken at once for no more than 1 % of the time: as many
 * as a Poisson count with the mean nodes x rate x repair time allows. */
int64_t failure_spares(int64_t nodes, double per_1000_node_days, double repair_hours);
#endif
