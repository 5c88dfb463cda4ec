/*
 * result_table.c - the rows of result.def, and the formulas of those that are no sum of terms.
 */
#include "core/estimate/result.h"

#include <math.h>
#include <stddef.h>

#include "core/base/text.h"
#include "core/framework/checkpoints.h"
#include "core/model/kv.h"
#include "core/serve/serve_setup.h"
#include "core/train/schedule.h"

/* Each takes what it needs of the plan p, its estimate e and the stage. */
#define FORMULA(name) \
	static void name##_formula(MAYBE const struct plan *p, MAYBE const struct estimate *e, \
	    MAYBE int64_t stage, char *buf, size_t size)

/* One text is all that it says; where a condition holds. */
#define SAYS(name, ...) SAYS_IF(name, true, __VA_ARGS__)
#define SAYS_IF(name, condition, ...) FORMULA(name) { if (condition) text_put(buf, size, __VA_ARGS__); }

/* ---- sizes and memory --------------------------------------------------------------- */

FORMULA(fits)
{
	text_put(buf, size, "%s of %s", UNITS_SHORT(BYTES, e->peak_low),
	    UNITS_SHORT(BYTES, e->capacity));
	if (e->served)
		text_add(buf, size, "; the engine: %s", e->serve.fits ? "yes" : "no");
}

FORMULA(tight)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;

	text_put(buf, size, "%s to %s of %s", UNITS_SHORT(BYTES, e->peak_low),
	    UNITS_SHORT(BYTES, e->peak_high), UNITS_SHORT(BYTES, e->capacity));
	if (!e->served)
		text_add(buf, size, ": overhead %s to %s, and %.3g %% of activations, logits and buffers, "
		    "at least %d MiB", UNITS_SHORT(BYTES, m->overhead_low),
		    UNITS_SHORT(BYTES, m->overhead_high), 100 * MEMORY_ERROR, MEMORY_ERROR_LEAST);
}

FORMULA(world)
{
	char node[PLAN_LIST_SIZE + 8];

	text_put(buf, size, "%lld nodes*%s GPUs", (long long)p->cluster.nodes, plan_node_text(p, node, sizeof node));
}

SAYS(microbatches, "global batch / (micro-batch*DP) = %lld / (%lld*%lld)", (long long)p->training.global_batch_size,
    (long long)p->training.micro_batch_size, (long long)e->dp)

FORMULA(most)
{
	int64_t most = 0;

	for (int64_t i = 1; i < e->stages; i++)
		if (e->stage[i].params > e->stage[most].params)
			most = i;
	text_put(buf, size, "stages.params of stage %lld", (long long)most);
}

SAYS(capacity, "%.6g GiB - %.6g GiB", p->cluster.memory_gib, p->cluster.reserved_gib)
SAYS(peak, "memory.total of stage %lld", (long long)e->peak_stage)

FORMULA(allocated)
{
	double bytes;

	for (enum result_id id = RESULT_PARAMETERS; id <= RESULT_BUFFERS && stage < e->stages; id++)
		if ((bytes = result_read(&result_table[id], &e->stage[stage])) > 0)
			text_add(buf, size, "%s%s %s", buf[0] != '\0' ? " + " : "", result_table[id].label,
			    UNITS_SHORT(BYTES, bytes));
}

/* Of an engine; in training it is the sum of its terms. */
FORMULA(buffers)
{
	const double graphs = e->serve.graph_bytes;

	if (e->served)
		text_put(buf, size, "CUDA graphs %s + what weights take beside their parameters %s",
		    UNITS_SHORT(BYTES, graphs),
		    UNITS_SHORT(BYTES, e->stage[stage].memory.buffers - graphs));
}

FORMULA(range)
{
	const struct memory *m = &e->stage[stage].memory;

	text_put(buf, size, "%s to %s, %s usually", UNITS_SHORT(BYTES, m->overhead_low),
	    UNITS_SHORT(BYTES, m->overhead_high), UNITS_SHORT(BYTES, m->overhead));
}

FORMULA(reserved)
{
	const struct memory *m = &e->stage[stage].memory;

	if (m->reserved > 0)
		text_put(buf, size, "allocated %s + what the allocator keeps free %s",
		    UNITS_SHORT(BYTES, m->allocated), UNITS_SHORT(BYTES, m->reserved - m->allocated));
}

FORMULA(total)
{
	const struct memory *m = &e->stage[stage].memory;

	text_put(buf, size, "allocated %s + overhead %s", UNITS_SHORT(BYTES, m->allocated),
	    UNITS_SHORT(BYTES, m->overhead));
}

/* With VPP these are pairs of a chunk and a micro-batch, as many to a micro-batch's worth. */
FORMULA(flight)
{
	const struct share unit = { .input = 0 };
	const struct placement *pl = &e->placement;
	const long long vpp = (long long)pl->vpp;
	const struct flight f = schedule_flight(p, pl, e->microbatches, stage, &unit);

	text_put(buf, size, vpp > 1 ? "(%s) / VPP" : "%s", f.rule);
	text_add(buf, size, ", m %lld, PP %lld, VPP %lld, r %lld; source: %s",
	    (long long)e->microbatches, (long long)pl->pp, vpp, (long long)stage, f.source);
}

/* ---- reading --------------------------------------------------------------------- */

double
result_read(const struct result *r, const void *from)
{
	const void *at = (const char *)from + r->at;

	switch (r->form) {
	case FORM_ANSWER:
		return *(const bool *)at;
	case FORM_WHOLE:
		return (double)*(const int64_t *)at;
	case FORM_COUNT:
	case FORM_BYTES:
	case FORM_REAL:
		return *(const double *)at;
	case FORM_TEXT:
		break;
	}
	return 0;
}

double
result_of_flow(enum result_id id, const struct traffic_row *row)
{
	return result_read(&result_table[id], row);
}

/* ---- traffic ------------------------------------------------------------------------ */

/* "tp all-gather 0.41 s + dp all-reduce ...": what the rows have of it. */
static void
put_rows(const struct estimate *e, enum result_id id, const char *between, char *buf,
    size_t size)
{
	for (size_t i = 0; i < e->traffic.count; i++) {
		const struct traffic_row *row = &e->traffic.row[i];

		text_add(buf, size, "%s%s %s", i > 0 ? between : "", traffic_dim_name(row->dim),
		    row->collective);
		if (id == RESULT_FLOW_SPAN)
			text_add(buf, size, " %s", span_name(row->span.kind));
		else if (result_table[id].form != FORM_TEXT)
			text_add(buf, size, " %s", units_exact((char[UNITS_SIZE]){ 0 }, UNITS_SIZE,
			    result_table[id].measure, result_of_flow(id, row)));
	}
}

#define FLOW_FORMULA(name, id, between) \
	FORMULA(name) \
	{ \
		put_rows(e, RESULT_##id, between, buf, size); \
	}
FLOW_FORMULA(dims, FLOW_DIM, ", ")
FLOW_FORMULA(groups, FLOW_GROUP, ", ")
FLOW_FORMULA(spans, FLOW_SPAN, ", ")
FLOW_FORMULA(calls, FLOW_CALLS, " + ")

/* ---- a step ------------------------------------------------------------------------- */

SAYS(bubble, "%s / %s", UNITS_SHORT(SECONDS, e->step.bubble_seconds), UNITS_SHORT(SECONDS, e->step.seconds))
SAYS(tflops, "%s / (%s*%lld GPUs)", UNITS_SHORT(FLOP, e->step.model_flops), UNITS_SHORT(SECONDS, e->step.seconds),
    (long long)e->world)

static void
put_utilization(const struct plan *p, const struct estimate *e, double flops, char *buf,
    size_t size)
{
	text_put(buf, size, "%s / (%s*%lld GPUs*%s/s)", UNITS_SHORT(FLOP, flops),
	    UNITS_SHORT(SECONDS, e->step.seconds), (long long)e->world,
	    UNITS_SHORT(FLOP, machine_of(p).peak));
}

#define UTILIZATION_FORMULA(name, member) \
	FORMULA(name) \
	{ \
		put_utilization(p, e, e->step.member, buf, size); \
	}
UTILIZATION_FORMULA(mfu, model_flops)
UTILIZATION_FORMULA(mfu_full, full_flops)
UTILIZATION_FORMULA(hfu, hardware_flops)

SAYS(tokens, "%lld*%lld tokens / %s", (long long)p->training.global_batch_size,
    (long long)p->training.sequence_length, UNITS_SHORT(SECONDS, e->step.seconds))
SAYS(per_gpu, "%s / %lld GPUs", UNITS_SHORT(COUNT, e->timed ? e->step.tokens_per_second :
    e->serve.tokens_per_second), (long long)e->world)
SAYS(run, "%.6g billion tokens / (%s*86400 s)", (double)p->training.token_budget, UNITS_SHORT(COUNT, e->reinforced ?
    e->rl.tokens_per_second : e->step.tokens_per_second))

/* ---- an engine ---------------------------------------------------------------------- */

/* Windows, states and DCP make it no plain division. */
static bool
is_about(double a, double b)
{
	return fabs(a - b) <= 0.02 * b;
}

FORMULA(kv_tokens)
{
	const struct serve *s = &e->serve;

	if (is_about(s->kv_tokens * s->kv_bytes_per_token, s->kv_pool_bytes))
		text_put(buf, size, "%s / %s, in whole blocks", UNITS_SHORT(BYTES, s->kv_pool_bytes),
		    UNITS_SHORT(BYTES, s->kv_bytes_per_token));
}

FORMULA(kv_blocks)
{
	const double block = (double)p->serving.block_size;

	if (is_about(e->serve.kv_blocks * block, e->serve.kv_tokens))
		text_put(buf, size, "%s / %.0f", UNITS_SHORT(COUNT, e->serve.kv_tokens), block);
}

FORMULA(requests)
{
	const double length = (double)p->serving.context_length, dp = serve_setup_of(p).dp;
	const double blocks = ceil(length / (double)p->serving.block_size); /* of a request: whole ones */

	if (is_about(e->serve.max_concurrency * length, dp * e->serve.kv_tokens))
		text_put(buf, size, "DP %.0f*%s / %.0f", dp,
		    UNITS_SHORT(COUNT, e->serve.kv_tokens), length);
	else if (is_about(e->serve.max_concurrency * blocks, dp * e->serve.kv_blocks))
		text_put(buf, size, "DP %.0f*%s blocks / %.0f of a request", dp, UNITS_SHORT(COUNT, e->serve.kv_blocks), blocks);
}

SAYS(slots, "of %lld + %lld tokens each; %.0f at most in a batch", (long long)p->serving.prompt_tokens,
    (long long)p->serving.generate_tokens, e->serve.slots > 0 ? serve_setup_of(p).seqs : 0)

FORMULA(generated)
{
	const double n = (double)p->serving.generate_tokens;

	if (e->serve.tokens_per_second > 0)
		text_put(buf, size, "%.0f running requests*%.0f tokens / %s from slot to last token",
		    e->serve.running, n, UNITS_SHORT(SECONDS, e->serve.cycle_seconds));
}

FORMULA(events)
{
	const struct rate_load *l = &e->serve.rate.load_of_one;

	if (e->serve.rate.split)
		text_put(buf, size, "by formulas of both pools at %.4g requests a second", p->traffic.rate);
	else
		text_put(buf, size, "of an event loop: %.4g requests a second to each of %.0f engine%s, "
		    "prompts of %.0f +- %.0f tokens, answers of %.0f +- %.0f", l->rate,
		    e->serve.rate.engines, TEXT_S(e->serve.rate.engines), l->prompt.mean, l->prompt.sd,
		    l->answer.mean, l->answer.sd);
}

SAYS(little, "where as many end as arrive: %.4g requests a second, %lld tokens of %s", p->traffic.rate,
    (long long)p->serving.generate_tokens, UNITS_SHORT(SECONDS, e->serve.tpot_seconds))
SAYS(rate_load, "%.4g / %.4g requests a second", p->traffic.rate, e->serve.rate.saturation)
SAYS(saturation, "the most b/(b*prompt + answer*step(b)) of b requests in flight, %.0f engine%s",
    e->serve.rate.engines, TEXT_S(e->serve.rate.engines))

FORMULA(inside)
{
	text_put(buf, size, "%.4g %% of the requests within", p->traffic.percentile);
	if (p->traffic.ttft_limit > 0)
		text_add(buf, size, " TTFT %s", UNITS_SHORT(SECONDS, p->traffic.ttft_limit));
	if (p->traffic.tpot_limit > 0)
		text_add(buf, size, " TPOT %s", UNITS_SHORT(SECONDS, p->traffic.tpot_limit));
}

SAYS(cost_million, "%lld GPUs*%.6g an hour / 3600 s * 1000000 / %s tokens/s", (long long)e->world,
    p->cluster.gpu_hour_price, UNITS_SHORT(COUNT, e->serve.tokens_per_second))
SAYS_IF(user, e->serve.tpot_seconds > 0, "1 / %s", UNITS_SHORT(SECONDS, e->serve.tpot_seconds))

FORMULA(transfer)
{
	if (e->serve.state_bytes_per_request > 0)
		return;
	text_put(buf, size, "%.0f tokens*%s in all layers / %s/s of the network cards that send it",
	    (double)p->serving.prompt_tokens, UNITS_SHORT(BYTES, kv_model_bytes(p)),
	    UNITS_SHORT(WIRE, e->serve.transfer_rate));
}

SAYS(served, "%.4g requests of %lld tokens at once; %lld of %lld + %lld", e->serve.max_concurrency,
    (long long)p->serving.context_length, (long long)p->serving.concurrency, (long long)p->serving.prompt_tokens,
    (long long)p->serving.generate_tokens)

/* ---- rollouts and updates ------------------------------------------------------------ */

SAYS_IF(sync_bytes, e->rl.generates, "2*%s parameters / %lld GPUs of an engine", UNITS_SHORT(COUNT, e->params.total),
    (long long)e->rl.engine_gpus)
SAYS(engines, "%lld GPUs / %lld", (long long)e->rl.rollout_gpus, (long long)e->rl.engine_gpus)
SAYS(engine_gpus, p->rl.rollout_tp > 0 ? "rl.rollout_tp = %lld" : "fewest with as much KV cache as weights: %lld",
    (long long)e->rl.engine_gpus)
SAYS(trained, "%.0f*%lld tokens / %s", e->rl.responses, (long long)(p->rl.prompt_tokens + p->rl.response_tokens),
    UNITS_SHORT(SECONDS, e->rl.step_seconds))
SAYS(trained_per_gpu, "%s / %lld GPUs", UNITS_SHORT(COUNT, e->rl.tokens_per_second), (long long)e->world)

/* ---- the whole run -------------------------------------------------------------------- */

FORMULA(net)
{
	text_put(buf, size, "%.0f steps, %s", e->run.steps, UNITS_SHORT(SECONDS, e->run.net_seconds));
	if (e->run.ramp.count > 1)
		text_add(buf, size, " in %d stages", e->run.ramp.count);
}

/* Where a range comes from: published failures and restarts, as far as the plan says none. */
static void
put_range(const struct plan *p, char *buf, size_t size)
{
	if (!field_is_set(FIELD_FAILURES, p))
		text_add(buf, size, "; %.3g to %.3g failures in 1,000 node-days", FAILURES_LOW,
		    FAILURES_HIGH);
	if (!field_is_set(FIELD_RESTART_MINUTES, p))
		text_add(buf, size, "; restarts of %.0f to %.0f min", RESTART_LOW / 60, RESTART_HIGH / 60);
}

FORMULA(days_range)
{
	text_put(buf, size, "step +- %.0f %%, goodput %.3f to %.3f", 100 * e->step.error,
	    e->run.goodput_low, e->run.goodput_high);
	put_range(p, buf, size);
}

FORMULA(goodput)
{
	const struct failures *f = &e->run.failures;

	text_put(buf, size, "(t/M) e^(-(R+W)/M) / (e^((t+b)/M) - 1), t %s between saves, each blocks "
	    "b %s; M %s between interruptions, R %s of a restart, W %s of writing; source: %s",
	    UNITS_SHORT(SECONDS, e->run.interval), UNITS_SHORT(SECONDS, f->blocking),
	    UNITS_SHORT(SECONDS, f->mean), UNITS_SHORT(SECONDS, f->restart),
	    UNITS_SHORT(SECONDS, f->writing), "Daly 2006, doi 10.1016/j.future.2004.11.016");
}

FORMULA(goodput_range)
{
	text_put(buf, size, "as goodput");
	put_range(p, buf, size);
}

SAYS(interruptions, "%s / %.4g h: 1,000 days / (%lld nodes*%.4g)%s", UNITS_SHORT(RUN_DAYS, e->run.days),
    e->run.failures.mean / 3600, (long long)p->cluster.nodes, p->run.failures_per_1000_node_days,
    e->world < FAILURE_GPUS_LEAST ? "; a lower bound below some 4,096 GPUs, whose jobs stop for other causes too" :
    "")
SAYS(gpu_hours, "%lld GPUs*24*%.4g days", (long long)e->world, e->run.days)
SAYS(joules, "(%.0f W of a GPU + %.0f W of a host / %lld)*%lld GPUs / %s tokens/s, PUE not counted; +- %.0f %%",
    e->run.gpu_watts, e->run.host_watts, (long long)p->cluster.gpus_per_node, (long long)e->world, UNITS_SHORT(COUNT,
    e->reinforced ? e->rl.tokens_per_second : e->step.tokens_per_second), 100 * RUN_ENERGY_ERROR)
SAYS(co2, "%s*%.4g kg a kWh", UNITS_SHORT(MWH, e->run.mwh), p->cluster.kwh_co2_kg)

FORMULA(written)
{
	const struct checkpoint *c = &e->run.checkpoint;

	text_put(buf, size, "weights %s, optimizer %s, by %.0f rank%s; format %s",
	    UNITS_SHORT(BYTES, c->weights), UNITS_SHORT(BYTES, c->optimizer), c->writers,
	    TEXT_S(c->writers), checkpoint_format_of(p)->name);
}

SAYS_IF(save, e->run.save_seconds > 0, "2 s + larger of %s / %.4g GB/s and what one node writes, %s",
    UNITS_SHORT(WIRE, e->run.checkpoint.all), p->cluster.storage_gbps, UNITS_SHORT(WIRE, e->run.checkpoint.node))
SAYS_IF(load, e->run.load_seconds > 0, "2 s + (weights %s*DP %lld + optimizer %s) / %.4g GB/s", UNITS_SHORT(WIRE,
    e->run.checkpoint.weights), (long long)e->dp, UNITS_SHORT(WIRE, e->run.checkpoint.optimizer),
    p->cluster.storage_read_gbps)

FORMULA(blocking)
{
	if (checkpoint_is_async(p))
		text_put(buf, size, "0.5 s + %s of a rank to its host", UNITS_SHORT(WIRE,
		    e->run.checkpoint.rank));
	else if (e->run.save_seconds > 0)
		text_put(buf, size, "steps wait for a save");
	else
		text_put(buf, size, "no cluster.storage_gbps: taken as 1 %% of the time");
}

FORMULA(interval)
{
	if (p->run.checkpoint_interval > 0)
		text_put(buf, size, "run.checkpoint_interval, in whole steps");
	else
		text_put(buf, size, "M (1 + W0(-e^-(1+b/M))), M %s between interruptions, b %s that a save "
		    "blocks; in whole steps, and no less than a save is written",
		    UNITS_SHORT(SECONDS, e->run.failures.mean),
		    UNITS_SHORT(SECONDS, e->run.failures.blocking));
}

FORMULA(staged)
{
	if (e->run.checkpoint.host > 0)
		text_put(buf, size, "what a node writes waits in its memory; format %s",
		    checkpoint_format_of(p)->name);
	else
		text_put(buf, size, "steps wait for a save, which format %s writes as it goes",
		    checkpoint_format_of(p)->name);
}

SAYS(needed, checkpoint_is_async(p) ?
    "%s in no more than the time between saves, and 1 %% of that between interruptions" :
    "%s in no more than 1 %% of the time between saves", UNITS_SHORT(WIRE, e->run.checkpoint.all))
SAYS(storage, "(%lld kept + 1)*%s", (long long)p->run.checkpoint_keep, UNITS_SHORT(WIRE, e->run.checkpoint.all))
SAYS(spares,
    "most nodes that are broken at once for 99 %% of the time: Poisson, mean %lld nodes*%.4g/1000*%.4g h/24",
    (long long)p->cluster.nodes, p->run.failures_per_1000_node_days, p->run.repair_hours)
SAYS(epochs, "%.6g of %.6g billion tokens", p->training.token_budget, p->run.dataset_tokens)
SAYS(place, "%lld sequences consumed", (long long)p->run.consumed_samples)

/* ---- the table ---------------------------------------------------------------------- */

#define AT(member) offsetof(struct estimate, member)
#define STAGE(member) offsetof(struct stage_estimate, member)
#define FLOW(member) offsetof(struct traffic_row, member)

#define END { QUANTITY_COUNT, PART_NONE }
#define ALL_OF(q) { QUANTITY_##q, PART_NONE }
#define PART_OF(q, part) { QUANTITY_##q, PART_##part }
#define NO_TERMS { END }
#define TERMS(q) { ALL_OF(q), END }
#define TERMS_AND(q, other) { ALL_OF(q), ALL_OF(other), END }
#define TERMS_OR(q, other, part) { ALL_OF(q), PART_OF(other, part), END } /* by the mode */
#define PART(q, part) { PART_OF(q, part), END }
#define PART_AND(q, part, other) { PART_OF(q, part), ALL_OF(other), END }
#define ALLOCATED \
	ALL_OF(PARAMETERS), ALL_OF(GRADIENTS), ALL_OF(OPTIMIZER), ALL_OF(ACTIVATIONS), \
	    ALL_OF(LOGITS), ALL_OF(BUFFERS), ALL_OF(SERVE_MEMORY)
#define ALL_ALLOCATED { ALLOCATED, END }
#define ALL_MEMORY \
	{ ALLOCATED, ALL_OF(KV_TOKEN), ALL_OF(OVERHEAD), ALL_OF(PARAMS_GPU), END }

const struct result result_table[RESULT_COUNT] = {
#define RESULT(id, path, label, brief, form, measure, better, scope, rule, at, made, formula, \
    help) \
	[RESULT_##id] = { path, label, brief, help, FORM_##form, MEASURE_##measure, \
	    BETTER_##better, SCOPE_##scope, RULE_##rule, at, made, formula },
#include "core/estimate/result.def"
#undef RESULT
};
