#include "core/diagnose/quantity.h"

#include <math.h>

#include "core/base/number.h"
#include "core/estimate/result.h"
#include "core/framework/error.h"
#include "core/framework/link.h"
#include "core/serve/serve_setup.h"

/* Errors of what has no table of its own: peaks of the allocator (shardplan-estimates(7), memory),
 * bus rates of NCCL (tests/data/nccl_summary.tsv), phases of a step with rollouts. */
#define PEAK_ERROR 0.05
#define RESERVED_ERROR 0.12 /* and what the allocator keeps for reuse */
#define BUS_ERROR 0.25
#define PHASE_ERROR 0.5

/* What comes and goes of a load that is meant to be as large all the time. */
#define LOAD_ERROR 0.3

/* How programs count FLOP differs by the other half of attention and by the head. */
#define COUNTING 0.10

/* nine of ten lie within so many deviations */
#define NINE_OF_TEN 1.645

enum error_kind { ERROR_NONE, ERROR_STEP, ERROR_MEMORY, ERROR_RL, ERROR_TTFT, ERROR_TPOT, ERROR_LINK,
	ERROR_LOAD };

static const struct {
	enum error_kind error;
	enum result_id result;
} rows[] = {
#define MEASURED(id, path, label, measure, error, result) { ERROR_##error, result },
#include "core/diagnose/measured.def"
};

/* ---- terms that no result has ------------------------------------------------------- */

static double
exposed_of(const struct estimate *e, enum traffic_dim dim, bool gathers)
{
	double sum = 0;

	for (size_t i = 0; i < e->traffic.count; i++) {
		const struct traffic_row *row = &e->traffic.row[i];
		const bool gather = text_equal(row->collective, collective_name(COLLECTIVE_ALL_GATHER));

		if (row->dim == dim && gather == gathers)
			sum += row->exposed_seconds;
	}
	return sum;
}

/* All calls of a collective, as if nothing else ran. */
static double
busy_with(const struct estimate *e, enum collective what)
{
	double sum = 0;

	for (size_t i = 0; i < e->traffic.count; i++)
		if (text_equal(e->traffic.row[i].collective, collective_name(what)))
			sum += e->traffic.row[i].seconds;
	return sum;
}

static double
data_parallel(const struct estimate *e, bool gathers)
{
	return exposed_of(e, TRAFFIC_DP, gathers) + exposed_of(e, TRAFFIC_EDP, gathers);
}

/* Forward and backward passes as timers around them see them: with what they wait for. ZeRO-3
 * gathers weights in both, so half of that is in each. */
static double
passes_of_step(const struct plan *p, const struct estimate *e)
{
	const bool inside = p->parallel.zero_stage == 3;

	return e->step.seconds - e->step.optimizer_seconds -
	    (inside ? 0 : data_parallel(e, true) + data_parallel(e, false));
}

/* Of forward work and twice as much backward; what is recomputed is of the backward pass. */
static double
forward_seconds(const struct plan *p, const struct estimate *e)
{
	const bool inside = p->parallel.zero_stage == 3;
	const double gathers = inside ? data_parallel(e, true) : 0;
	const double reductions = inside ? data_parallel(e, false) : 0;

	return (passes_of_step(p, e) - gathers - reductions - e->step.recompute_seconds) / 3 + gathers / 2;
}

/* A large all-reduce over two nodes, or over one: bytes a second on the bus. */
static double
bus_rate(const struct plan *p, int64_t nodes)
{
	const double payload = 1 << 30;
	const int64_t gpus = p->cluster.gpus_per_node * nodes;
	const struct span s = link_stride(p, gpus, 1);
	const double seconds = collective_seconds(p, COLLECTIVE_ALL_REDUCE, payload, &s, NULL);

	return seconds > 0 ? collective_bytes(COLLECTIVE_ALL_REDUCE, payload, gpus) / seconds : 0;
}

/* What a GPU sends to experts of another node, bytes a second, as tests of DeepEP tell it. */
static double
experts_rate(const struct plan *p)
{
	const double payload = 1 << 30;
	const int64_t gpus = p->cluster.gpus_per_node * 2;
	const struct span s = link_stride(p, gpus, 1);
	const double seconds = collective_seconds(p, COLLECTIVE_ALL_TO_ALL, payload, &s, NULL);

	return seconds > 0 && p->cluster.nodes > 1 ? payload / 2 / seconds : 0;
}

static double
of_step(enum measured_id id, const struct plan *p, const struct estimate *e)
{
	switch (id) {
	case MEASURED_SAMPLES: return (double)p->training.global_batch_size / e->step.seconds;
	case MEASURED_FORWARD: return forward_seconds(p, e);
	case MEASURED_BACKWARD: return passes_of_step(p, e) - forward_seconds(p, e);
	case MEASURED_FORWARD_BACKWARD: return passes_of_step(p, e);
	case MEASURED_DATA: return p->training.data_seconds;
	case MEASURED_GRADS_SYNC: return data_parallel(e, false);
	case MEASURED_PARAMS_GATHER: return data_parallel(e, true);
	case MEASURED_COMPUTE: return e->step.compute_seconds + e->step.recompute_seconds +
	    e->step.optimizer_seconds;
	case MEASURED_ALL_REDUCE: return busy_with(e, COLLECTIVE_ALL_REDUCE);
	case MEASURED_ALL_GATHER: return busy_with(e, COLLECTIVE_ALL_GATHER);
	case MEASURED_REDUCE_SCATTER: return busy_with(e, COLLECTIVE_REDUCE_SCATTER);
	case MEASURED_ALL_TO_ALL: return busy_with(e, COLLECTIVE_ALL_TO_ALL);
	case MEASURED_SEND: return busy_with(e, COLLECTIVE_SEND);
	default: return 0;
	}
}

/* Of programs that time both in one. */
static double
logprobs(const struct plan *p, const struct estimate *e)
{
	return quantity_estimate(MEASURED_RL_OLD_LOGPROB, p, e) +
	    quantity_estimate(MEASURED_RL_REF_LOGPROB, p, e);
}

double
quantity_estimate(enum measured_id id, const struct plan *p, const struct estimate *e)
{
	double v = 0;

	if (id == MEASURED_RL_ROLLOUT && e->served) /* an engine alone: one response after its prompt */
		return e->serve.ttft_seconds + e->serve.tpot_seconds * ((double)p->serving.generate_tokens - 1);
	if (rows[id].result != RESULT_COUNT)
		return result_value(rows[id].result, e, e->peak_stage, &v) ? v : 0;
	if (id == MEASURED_RUNNING && e->served)
		return e->serve.running / (at_least_one(p->serving.replicas) * (double)serve_setup_of(p).dp);
	if (id == MEASURED_RL_LOGPROBS)
		return logprobs(p, e);
	if (id == MEASURED_JOB_BUS)
		return bus_rate(p, p->cluster.nodes);
	if (id == MEASURED_NETWORK_BUS || id == MEASURED_NVLINK_BUS)
		return bus_rate(p, id == MEASURED_NETWORK_BUS ? 2 : 1);
	if (id == MEASURED_EXPERTS_BUS)
		return experts_rate(p);
	return estimate_has_step(e) ? of_step(id, p, e) : 0;
}

/* ---- errors --------------------------------------------------------------------------- */

double
quantity_error(enum measured_id id, const struct plan *p, const struct estimate *e)
{
	switch (rows[id].error) {
	case ERROR_STEP: return estimate_has_step(e) ? e->step.error : error_of_step(p);
	case ERROR_MEMORY: return id == MEASURED_RESERVED ? RESERVED_ERROR : PEAK_ERROR;
	case ERROR_RL: return PHASE_ERROR;
	case ERROR_TTFT: return error_of_ttft(p);
	case ERROR_TPOT: return error_of_tpot(p);
	case ERROR_LINK: return BUS_ERROR;
	case ERROR_LOAD: return LOAD_ERROR;
	case ERROR_NONE: break;
	}
	return 0;
}

double
quantity_deviation(enum measured_id id, const struct plan *p, const struct estimate *e)
{
	const double one = log1p(quantity_error(id, p, e)) / NINE_OF_TEN;

	return id == MEASURED_TFLOPS ? hypot(one, COUNTING) : one;
}

int
quantity_way(enum measured_id id)
{
	const bool rate = measured_measure(id) == MEASURE_REAL || measured_measure(id) == MEASURE_WIRE;

	return rate || id == MEASURED_POOL ? -1 : 1;
}

double
quantity_cost(enum measured_id id, double value, const struct plan *p,
    const struct estimate *e)
{
	const double estimate = quantity_estimate(id, p, e);
	double unit = 1;

	if (quantity_way(id) > 0 || !(value > 0))
		return value;
	if (id >= MEASURED_JOB_BUS)
		return 1e9 / value;
	if (id > MEASURED_TFLOPS || !result_value(RESULT_STEP, e, e->peak_stage, &unit))
		return 1 / value;
	return unit * estimate / value;
}
