#include "core/run/run.h"

#include <math.h>

#include "core/base/ledger.h"
#include "core/base/number.h"
#include "core/framework/checkpoints.h"
#include "core/framework/framework.h"
#include "core/framework/gpu_types.h"
#include "core/plan/field.h"
#include "core/plan/hardware.h"
#include "core/plan/pool.h"
#include "core/rules/check.h"
#include "core/train/host.h"

#define SAVES_SHARE 0.01       /* of the time, that saves may cost where nobody says how fast they are */
#define BLOCKING_FIXED 0.5     /* Llama 3 8B on 512 GPUs blocks for no more */
#define SAVE_FIXED 2.0         /* plan and barriers of a save, assumed */
#define MONTH 30.0             /* days */
#define GOODPUT_LEAST 1e-3     /* with less nobody goes on */

#define DALY "Daly 2006, doi 10.1016/j.future.2004.11.016"
#define STEPS "Megatron-LM megatron/training/arguments.py, train_samples"
#define POWER "arXiv 2412.08602; OLMo 3, muxup.com/2025q4/minipost-olmo3-training-cost"
#define ARITHMETIC "hours times what is said of them"

/* ---- steps ------------------------------------------------------------------------------ */

double
run_step(const struct plan *p)
{
	struct facts facts = { .plan = p };
	struct check_list rules;
	struct placement pl;
	struct traffic traffic;
	struct layout l;

	if (!layout_init(&l, p, NULL) || !placement_init(&pl, p, NULL))
		return 0;
	rules = check_list_of(p);
	facts.layout = &l;
	facts.placement = &pl;
	facts.microbatches = check_microbatches(p, l.dp);
	if (!check_legal(&rules, &facts))
		return 0;
	return steptime_estimate(p, &l, &pl, facts.microbatches, &traffic, NULL).seconds;
}

/* Of rollouts a step trains on responses, whatever the batch of an update. */
static void
find_stages(struct run_estimate *out, const struct plan *p, const struct run_inputs *in)
{
	char err[160];

	ramp_of(&out->ramp, p, err, sizeof err);
	if (!plan_has_rl(p))
		return;
	out->ramp.count = 1;
	out->ramp.stage[0] = (struct ramp_stage){ p->training.sequence_length,
		p->training.global_batch_size, p->training.token_budget * 1e9,
		ceil(p->training.token_budget * 1e9 / in->tokens_a_step - 1e-9) };
}

static bool
time_stages(struct run_estimate *out, const struct plan *p, const struct run_inputs *in)
{
	out->steps = out->net_seconds = 0;
	for (int i = 0; i < out->ramp.count; i++) {
		const struct ramp_stage *stage = &out->ramp.stage[i];
		const struct plan q = ramp_plan(p, stage);
		const double seconds = ramp_is_own(stage, p) || plan_has_rl(p) ? in->step_seconds : run_step(&q);

		if (!(seconds > 0)) {
			out->refused = i;
			return false;
		}
		out->step_seconds[i] = seconds;
		out->steps += stage->steps;
		out->net_seconds += stage->steps * seconds;
	}
	return true;
}

/* ---- saves ------------------------------------------------------------------------------ */

/* Seconds to move bytes to or from storage, 0: not known. */
static double
storage_seconds(const struct plan *p, double gbps, double bytes, double node_bytes)
{
	const double node = p->cluster.node_storage_gbps;

	if (!(gbps > 0))
		return 0;
	return SAVE_FIXED + larger(bytes / (gbps * 1e9), node > 0 ? node_bytes / (node * 1e9) : 0);
}

void
run_checkpoint(struct run_estimate *out, const struct plan *p, const struct run_inputs *in,
    struct ledger *ledger)
{
	const struct checkpoint *c = &out->checkpoint;
	const double dp = larger(1, (double)in->layout->dp);
	const double gpus = (double)pool_rest(p);
	double read;

	out->refused = -1;
	out->stuck = false;
	out->checkpoint = checkpoint_of(p, in->placement, gpus, in->params, ledger);
	/* Each replica reads the weights, each shard of the optimizer is read once. */
	read = c->weights * dp + c->optimizer;
	out->save_seconds = storage_seconds(p, p->cluster.storage_gbps, c->all, c->node);
	out->load_seconds = storage_seconds(p, p->cluster.storage_read_gbps, read,
	    read / gpus * (double)p->cluster.gpus_per_node);
	out->storage_bytes = c->all * (double)(p->run.checkpoint_keep + 1);
}

/* What a save blocks that takes no more than its share of the time between two. */
static double
blocking_allowed(const struct plan *p, double mean)
{
	double blocking = 0;

	if (p->run.checkpoint_interval > 0)
		return SAVES_SHARE * p->run.checkpoint_interval;
	if (isinf(mean))
		return 0;
	for (int i = 0; i < 40; i++)
		blocking = SAVES_SHARE * failure_interval(larger(blocking, 1e-4 * mean), mean);
	return blocking;
}

/* Of a save beside steps: the copy of the rank's part to its host. */
static double
blocking_async(const struct run_estimate *out, const struct plan *p)
{
	const double rate = HOST_COPY_SHARE * host_link(p);

	return BLOCKING_FIXED + (rate > 0 ? out->checkpoint.rank / rate : 0);
}

/* Seconds between saves: as said or the best, whole steps, and no less than one takes to be written. */
static double
interval_of(const struct plan *p, const struct failures *f, double step)
{
	const double best = p->run.checkpoint_interval > 0 ? p->run.checkpoint_interval :
	    failure_interval(f->blocking, f->mean);
	const double steps = larger(1, larger(floor(best / step + 0.5), ceil(f->writing / step)));

	return isinf(best) ? INFINITY : steps * step;
}

/* How long saves block and are written: known, or the most that costs no more than allowed. */
static void
find_saves(struct run_estimate *out, const struct plan *p, const struct run_inputs *in)
{
	const bool async = checkpoint_is_async(p);
	struct failures *f = &out->failures;
	double allowed;

	f->mean = failure_mean((double)p->cluster.nodes, p->run.failures_per_1000_node_days);
	f->restart = 60 * p->run.restart_minutes;
	f->writing = 0;
	f->blocking = async ? blocking_async(out, p) :
	    out->save_seconds > 0 ? out->save_seconds : blocking_allowed(p, f->mean);
	allowed = async ? interval_of(p, f, in->step_seconds) : blocking_allowed(p, f->mean);
	if (async)
		allowed = smaller(allowed, SAVES_SHARE * f->mean);
	out->gbps_needed = allowed > 0 && !isinf(allowed) ? out->checkpoint.all / allowed / 1e9 : 0;
	if (async)
		f->writing = out->save_seconds > 0 ? out->save_seconds : isinf(allowed) ? 0 : allowed;
	out->interval = interval_of(p, f, in->step_seconds);
}

/* ---- days ------------------------------------------------------------------------------- */

/* Goodput at other failures and restarts than the plan's, where it does not say them. */
static double
goodput_at(const struct run_estimate *out, const struct plan *p, double rate, double restart)
{
	struct failures f = out->failures;

	if (!field_is_set(FIELD_FAILURES, p))
		f.mean = failure_mean((double)p->cluster.nodes, rate);
	if (!field_is_set(FIELD_RESTART_MINUTES, p))
		f.restart = restart;
	return failure_goodput(&f, out->interval);
}

static double
evaluation_seconds(const struct run_estimate *out, const struct plan *p)
{
	return p->run.eval_interval > 0 ? floor(out->steps / (double)p->run.eval_interval) *
	    p->run.eval_seconds : 0;
}

static void
add_stages(struct run_estimate *out, struct ledger *ledger)
{
	for (int i = 0; i < out->ramp.count; i++) {
		const double steps = out->ramp.stage[i].steps, seconds = out->step_seconds[i];

		LEDGER_TERM(ledger, out->net_days, QUANTITY_RUN, i == 0 ? "steps" :
		    "steps of the next stage", STEPS, steps * seconds / DAY, IS(steps),
		    AS("seconds of one", seconds), AS("86400 s", DAY));
	}
}

/* Days of a run: its steps, and all that comes to them. */
static void
find_days(struct run_estimate *out, const struct plan *p, const struct run_inputs *in,
    struct ledger *ledger)
{
	const double evaluations = evaluation_seconds(out, p);
	const double error = in->step->error, blocking = out->failures.blocking;
	double busy, goodput, interval, busy_days, saving_days;

	out->goodput = goodput = failure_goodput(&out->failures, out->interval);
	out->goodput_low = goodput_at(out, p, FAILURES_HIGH, RESTART_HIGH);
	out->goodput_high = goodput_at(out, p, FAILURES_LOW, RESTART_LOW);
	out->net_days = 0;
	add_stages(out, ledger);
	out->days = out->net_days;
	if (evaluations > 0)
		LEDGER_TERM(ledger, out->days, QUANTITY_RUN, "evaluations", STEPS, evaluations / DAY,
		    IS(evaluations), AS("86400 s", DAY));
	busy = out->net_seconds + evaluations;
	busy_days = busy / DAY;
	interval = out->interval;
	out->saving_days = out->lost_days = 0;
	if (!isinf(interval))
		LEDGER_TERM(ledger, out->saving_days, QUANTITY_RUN, "waiting for saves", DALY,
		    busy_days * blocking / interval, AS("days of steps and evaluations", busy_days),
		    AS("b", blocking), AS("t", interval));
	saving_days = out->saving_days;
	LEDGER_TERM(ledger, out->lost_days, QUANTITY_RUN, "interruptions", DALY,
	    busy_days * (1 / goodput - 1) - saving_days,
	    AS("days of steps and evaluations", busy_days), IS(goodput),
	    AS("days that steps wait for saves", saving_days));
	out->days += out->saving_days + out->lost_days;
	out->days_low = busy_days * (1 - error) / out->goodput_high;
	out->days_high = busy_days * (1 + error) / out->goodput_low;
	out->interruptions = out->days * DAY / out->failures.mean;
}

/* ---- power and money -------------------------------------------------------------------- */

/* Power of a node beside its GPUs: as the plan says, or as measured of its generation; 0: not
 * known. */
static double
run_host_watts(const struct plan *p)
{
	if (p->cluster.host_watts > 0)
		return p->cluster.host_watts;
	return generation_of(p)->host_watts * (double)p->cluster.gpus_per_node;
}

/* Of a GPU over a step: in kernels, waiting for other GPUs, waiting for the host. */
static double
gpu_watts(const struct plan *p, const struct steptime *s)
{
	const double waits = (s->exposed_comm_seconds + s->bubble_seconds) / s->seconds;
	const double idle = s->host_seconds / s->seconds, busy = larger(0, 1 - waits - idle);
	const double watts = gpu_types_mean(p, FIELD_TDP_WATTS) *
	    (busy + RUN_POWER_WAITS * waits + RUN_POWER_IDLE * idle);

	return p->cluster.gpu_power_watts > 0 ? smaller(watts, p->cluster.gpu_power_watts) : watts;
}

double
run_step_most(const struct plan *p, double joules, double busy)
{
	const double tdp = gpu_types_mean(p, FIELD_TDP_WATTS), limit = p->cluster.gpu_power_watts;
	const double host = run_host_watts(p) / (double)p->cluster.gpus_per_node, idle = RUN_POWER_IDLE * tdp;

	if (limit > 0 && limit < tdp) /* which may hold all the time */
		return joules / (smaller(idle, limit) + host);
	return (joules - (tdp - idle) * larger(busy, steptime_floor(p))) / (idle + host);
}

static void
find_energy(struct run_estimate *out, const struct plan *p, const struct run_inputs *in,
    struct ledger *ledger)
{
	const double hours = out->gpu_hours, gpus = (double)p->cluster.gpus_per_node;
	const double watts = gpu_watts(p, in->step), host = run_host_watts(p), pue = p->cluster.pue;
	const enum quantity q = QUANTITY_ENERGY;

	out->mwh = out->joules_per_token = out->co2_tonnes = 0;
	out->gpu_watts = watts;
	out->host_watts = host;
	if (!(watts > 0) || !(host > 0))
		return;
	LEDGER_TERM(ledger, out->mwh, q, "GPUs", POWER, hours * watts / 1e6, AS("GPU hours", hours),
	    AS("W of a GPU", watts));
	LEDGER_TERM(ledger, out->mwh, q, "hosts", POWER, hours * host / gpus / 1e6,
	    AS("GPU hours", hours), AS("W of a host", host), AS("GPUs of a node", gpus));
	LEDGER_TERM(ledger, out->mwh, q, "cooling and losses of the data centre", POWER,
	    hours * (watts + host / gpus) / 1e6 * (pue - 1), AS("GPU hours", hours),
	    AS("W of a GPU", watts), AS("W of a host", host), AS("GPUs of a node", gpus),
	    AS("PUE", pue));
	out->joules_per_token = (watts + host / gpus) * (double)plan_world(p) * in->step_seconds /
	    in->tokens_a_step;
	out->co2_tonnes = out->mwh * p->cluster.kwh_co2_kg;
}

static void
find_cost(struct run_estimate *out, const struct plan *p, struct ledger *ledger)
{
	const double hours = out->gpu_hours, price = gpu_types_mean(p, FIELD_GPU_HOUR_PRICE);
	const double spares = (double)p->run.spare_nodes, nodes = (double)p->cluster.nodes;
	const double months = out->days / MONTH, terabytes = out->storage_bytes / 1e12;
	const double month = p->cluster.tb_month_price, kwh = p->cluster.kwh_price, mwh = out->mwh;
	const enum quantity q = QUANTITY_COST;

	out->cost = 0;
	if (price > 0)
		LEDGER_TERM(ledger, out->cost, q, "GPUs", ARITHMETIC, hours * price,
		    AS("GPU hours", hours), IS(price));
	if (price > 0 && spares > 0)
		LEDGER_TERM(ledger, out->cost, q, "spare nodes", ARITHMETIC, hours * price * spares / nodes,
		    AS("GPU hours", hours), IS(price), IS(spares), IS(nodes));
	if (month > 0)
		LEDGER_TERM(ledger, out->cost, q, "storage", ARITHMETIC, terabytes * month * months,
		    AS("TB", terabytes), AS("price of a TB and month", month), IS(months));
	if (kwh > 0)
		LEDGER_TERM(ledger, out->cost, q, "energy", ARITHMETIC, 1000 * mwh * kwh,
		    AS("MWh", mwh), AS("price of a kWh", kwh));
}

/* ---- all of it -------------------------------------------------------------------------- */

bool
run_work(struct run_estimate *out, const struct plan *p, const struct run_inputs *in,
    struct ledger *ledger)
{
	find_stages(out, p, in);
	out->epochs = p->run.dataset_tokens > 0 ?
	    p->training.token_budget / p->run.dataset_tokens : 0;
	out->place = ramp_place(&out->ramp, p, framework_of(p)->rounds_epochs);
	out->spares = (double)failure_spares(p->cluster.nodes, p->run.failures_per_1000_node_days,
	    p->run.repair_hours);
	if (!time_stages(out, p, in))
		return false;
	find_saves(out, p, in);
	find_days(out, p, in, ledger);
	out->stuck = !(out->goodput > GOODPUT_LEAST);
	if (out->stuck)
		return false;
	out->gpu_hours = out->days * 24 * (double)plan_world(p);
	find_energy(out, p, in, ledger);
	find_cost(out, p, ledger);
	if (isinf(out->interval))
		out->interval = 0; /* nothing fails: none is best */
	return true;
}
