/*
 * run.h - the whole run: when it is done, what of its time advances it, what it costs.
 *
 *   days    = (steps of each stage x their time + evaluations) / goodput
 *   energy  = GPU hours x (power of a GPU + its share of the host) x PUE
 *   money   = GPU hours x price, of spare nodes as well; storage; energy where that has a price
 *
 * Goodput is failure.h's. Its range is that of what is published of failures and restarts, where the
 * plan does not say them; that of days also has the error of the step in it; that of energy is
 * RUN_ENERGY_ERROR.
 *
 * Where nobody says how fast the storage is, saves are taken as fast as they need to be to cost no
 * more than 1 % of the time (checkpoint_gbps_needed); other times of them are then not known.
 *
 * Not modelled: people who wind a run back, time in a queue, worse rates of new clusters.
 */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H
#include <stdbool.h>

#include "core/plan/ramp.h"
#include "core/run/checkpoint.h"
#include "core/run/failure.h"
#include "core/train/steptime.h"

/* A GPU takes its design power in kernels, and of that so much while it waits for others and
 * while it waits for its host. Found on OLMo 3 (648 W of 700 at 16 % of waits); 8 x H100 while
 * training take 76 % of 10.2 kW (arXiv 2412.08602). */
#define RUN_POWER_WAITS 0.55
#define RUN_POWER_IDLE 0.12
#define RUN_ENERGY_ERROR 0.15

struct run_estimate {
	struct ramp ramp;
	double step_seconds[RAMP_STAGES_MAX]; /* of each stage, */
	int refused;                  /* of which the first that the framework would refuse, -1: none */
	bool stuck;                   /* it stops more often than it gets anywhere: no days */
	double steps, net_seconds;    /* without interruptions and evaluations */
	double net_days, days, days_low, days_high;
	struct failures failures;
	double goodput, goodput_low, goodput_high;
	double interruptions, lost_days, saving_days; /* of the days, to interruptions and to saves */
	struct checkpoint checkpoint; /* bytes; holds of any training plan */
	double save_seconds;          /* until a save is on disk, 0: not known */
	double load_seconds;          /* the same of reading it */
	double interval;              /* seconds of steps between two saves */
	double gbps_needed, storage_bytes;
	double spares;
	double gpu_hours, cost, mwh, joules_per_token, co2_tonnes;
	double gpu_watts, host_watts; /* of a GPU; of a node without its GPUs; 0: not known */
	double epochs;                /* of the data, 0: not said */
	struct ramp_place place;      /* after run.consumed_samples */
};

/* Of a legal plan: what the run is worked out of. */
struct run_inputs {
	const struct layout *layout;
	const struct placement *placement;
	const struct steptime *step;
	double step_seconds;  /* of all phases */
	double tokens_a_step; /* that the budget is counted in */
	double params;        /* that are saved */
};

/* What a save takes of a plan that is placed. ledger may be NULL, as below. */
void run_checkpoint(struct run_estimate *out, const struct plan *p, const struct run_inputs *in,
    struct ledger *ledger);

/* All else of a plan with a token budget whose step has a time. False where a stage of its schedule
 * would be refused, or where it does not get anywhere. */
bool run_work(struct run_estimate *out, const struct plan *p, const struct run_inputs *in,
    struct ledger *ledger);

/* Seconds of one step of a resolved training plan, whatever the run is; 0 where the framework would
 * refuse it, or its GPU's rates are not known. */
double run_step(const struct plan *p);

/* Seconds that a step takes at most which takes so many joules of a GPU with its share of the host: it computes for
 * so many seconds at least, and no less than its products take (steptime_floor), and rests at worst in the time that is left. */
double run_step_most(const struct plan *p, double joules, double busy);
#endif
