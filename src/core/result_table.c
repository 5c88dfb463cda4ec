/*
 * result_table.c - the rows of result.def, and the formulas of those that are no sum of terms.
 */
#include <math.h>
#include <stddef.h>

#include "core/compute.h"
#include "core/kv.h"
#include "core/number.h"
#include "core/result.h"
#include "core/schedule.h"
#include "core/serve_setup.h"
#include "core/text.h"

/* An amount inside a formula. */
#define AMOUNT(m, v) units_short((char[UNITS_SIZE]){ 0 }, UNITS_SIZE, MEASURE_##m, v)

#define FORMULA(name) \
	static void name##_formula(const struct plan *p, const struct estimate *e, int64_t stage, \
	    char *buf, size_t size)

/* ---- sizes and memory --------------------------------------------------------------- */

FORMULA(fits)
{
	(void)p;
	(void)stage;
	text_put(buf, size, "%s of %s", AMOUNT(BYTES, e->peak_total), AMOUNT(BYTES, e->capacity));
	if (e->served)
		text_add(buf, size, "; the engine: %s", e->serve.fits ? "yes" : "no");
}

FORMULA(world)
{
	(void)e;
	(void)stage;
	text_put(buf, size, "%lld nodes*%lld GPUs", (long long)p->cluster.nodes,
	    (long long)p->cluster.gpus_per_node);
}

FORMULA(microbatches)
{
	(void)stage;
	text_put(buf, size, "global batch / (micro-batch*DP) = %lld / (%lld*%lld)",
	    (long long)p->training.global_batch_size, (long long)p->training.micro_batch_size,
	    (long long)e->dp);
}

FORMULA(most)
{
	int64_t most = 0;

	(void)p;
	(void)stage;
	for (int64_t i = 1; i < e->stages; i++)
		if (e->stage[i].params > e->stage[most].params)
			most = i;
	text_put(buf, size, "stages.params of stage %lld", (long long)most);
}

FORMULA(capacity)
{
	(void)e;
	(void)stage;
	text_put(buf, size, "%.6g GiB - %.6g GiB", p->cluster.memory_gib, p->cluster.reserved_gib);
}

FORMULA(peak)
{
	(void)p;
	(void)stage;
	text_put(buf, size, "memory.total of stage %lld", (long long)e->peak_stage);
}

FORMULA(allocated)
{
	const struct memory *m = &e->stage[stage].memory;
	const struct {
		const char *name;
		double bytes;
	} part[] = {
		{ "parameters", m->parameters }, { "gradients", m->gradients },
		{ "optimizer", m->optimizer }, { "activations", m->activations },
		{ "logits", m->logits }, { "KV cache", m->kv_cache }, { "buffers", m->buffers },
	};

	(void)p;
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].bytes > 0)
			text_add(buf, size, "%s%s %s", buf[0] != '\0' ? " + " : "", part[i].name,
			    AMOUNT(BYTES, part[i].bytes));
}

/* Of an engine; in training it is the sum of its terms. */
FORMULA(buffers)
{
	const double graphs = e->serve.graph_bytes;

	(void)p;
	if (e->served)
		text_put(buf, size, "CUDA graphs %s + what weights take beside their parameters %s",
		    AMOUNT(BYTES, graphs), AMOUNT(BYTES, e->stage[stage].memory.buffers - graphs));
}

FORMULA(range)
{
	const struct memory *m = &e->stage[stage].memory;

	(void)p;
	text_put(buf, size, "%s to %s, %s usually", AMOUNT(BYTES, m->overhead_low),
	    AMOUNT(BYTES, m->overhead_high), AMOUNT(BYTES, m->overhead));
}

FORMULA(total)
{
	const struct memory *m = &e->stage[stage].memory;

	(void)p;
	text_put(buf, size, "allocated %s + overhead %s", AMOUNT(BYTES, m->allocated),
	    AMOUNT(BYTES, m->overhead));
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

/* ---- traffic ------------------------------------------------------------------------ */

/* "tp all-gather 0.41 s + dp all-reduce ...": what the rows have of it. */
static void
put_rows(const struct estimate *e, enum result_id id, const char *between, char *buf, size_t size)
{
	char amount[UNITS_SIZE];

	for (size_t i = 0; i < e->traffic.count; i++) {
		const struct traffic_row *row = &e->traffic.row[i];

		text_add(buf, size, "%s%s %s", i > 0 ? between : "", traffic_dim_name(row->dim),
		    row->collective);
		if (id == RESULT_FLOW_SPAN)
			text_add(buf, size, " %s", span_name(row->span.kind));
		else if (result_table[id].form != FORM_TEXT)
			text_add(buf, size, " %s", units_exact(amount, sizeof amount,
			    result_table[id].measure, result_of_flow(id, row)));
	}
}

#define FLOW_FORMULA(name, id, between) \
	FORMULA(name) \
	{ \
		(void)p; \
		(void)stage; \
		put_rows(e, RESULT_##id, between, buf, size); \
	}
FLOW_FORMULA(dims, FLOW_DIM, ", ")
FLOW_FORMULA(groups, FLOW_GROUP, ", ")
FLOW_FORMULA(spans, FLOW_SPAN, ", ")
FLOW_FORMULA(calls, FLOW_CALLS, " + ")
FLOW_FORMULA(alone, FLOW_SECONDS, " + ")
FLOW_FORMULA(exposed, FLOW_EXPOSED, " + ")

/* ---- a step ------------------------------------------------------------------------- */

FORMULA(bubble)
{
	(void)p;
	(void)stage;
	text_put(buf, size, "%s / %s", AMOUNT(SECONDS, e->step.bubble_seconds),
	    AMOUNT(SECONDS, e->step.seconds));
}

FORMULA(tflops)
{
	(void)p;
	(void)stage;
	text_put(buf, size, "%s / (%s*%lld GPUs)", AMOUNT(FLOP, e->step.model_flops),
	    AMOUNT(SECONDS, e->step.seconds), (long long)e->world);
}

static void
put_utilization(const struct plan *p, const struct estimate *e, double flops, char *buf,
    size_t size)
{
	text_put(buf, size, "%s / (%s*%lld GPUs*%s/s)", AMOUNT(FLOP, flops),
	    AMOUNT(SECONDS, e->step.seconds), (long long)e->world, AMOUNT(FLOP, machine_of(p).peak));
}

#define UTILIZATION_FORMULA(name, member) \
	FORMULA(name) \
	{ \
		(void)stage; \
		put_utilization(p, e, e->step.member, buf, size); \
	}
UTILIZATION_FORMULA(mfu, model_flops)
UTILIZATION_FORMULA(mfu_full, full_flops)
UTILIZATION_FORMULA(hfu, hardware_flops)

FORMULA(tokens)
{
	(void)stage;
	text_put(buf, size, "%lld*%lld tokens / %s", (long long)p->training.global_batch_size,
	    (long long)p->training.sequence_length, AMOUNT(SECONDS, e->step.seconds));
}

FORMULA(per_gpu)
{
	(void)p;
	(void)stage;
	text_put(buf, size, "%s / %lld GPUs", AMOUNT(COUNT, e->timed ? e->step.tokens_per_second :
	    e->serve.tokens_per_second), (long long)e->world);
}

FORMULA(run)
{
	(void)stage;
	text_put(buf, size, "%.6g billion tokens / (%s*86400 s)", (double)p->training.token_budget,
	    AMOUNT(COUNT, e->step.tokens_per_second));
}

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

	(void)p;
	(void)stage;
	if (is_about(s->kv_tokens * s->kv_bytes_per_token, s->kv_pool_bytes))
		text_put(buf, size, "%s / %s, in whole blocks", AMOUNT(BYTES, s->kv_pool_bytes),
		    AMOUNT(BYTES, s->kv_bytes_per_token));
}

FORMULA(kv_blocks)
{
	const double block = (double)p->serving.block_size;

	(void)stage;
	if (is_about(e->serve.kv_blocks * block, e->serve.kv_tokens))
		text_put(buf, size, "%s / %.0f", AMOUNT(COUNT, e->serve.kv_tokens), block);
}

FORMULA(requests)
{
	const double length = (double)p->serving.context_length, dp = serve_setup_of(p).dp;

	(void)stage;
	if (is_about(e->serve.max_concurrency * length, dp * e->serve.kv_tokens))
		text_put(buf, size, "DP %.0f*%s / %.0f", dp, AMOUNT(COUNT, e->serve.kv_tokens), length);
}

/* While a request decodes others wait for its prefill, of one stage. */
FORMULA(generated)
{
	const double n = (double)p->serving.generate_tokens;

	(void)stage;
	if (e->serve.tokens_per_second > 0)
		text_put(buf, size, "%.0f requests at once*%.0f tokens / (%s/PP + %.0f*%s)",
		    e->serve.running, n, AMOUNT(SECONDS, e->serve.ttft_seconds), n,
		    AMOUNT(SECONDS, e->serve.tpot_seconds));
}

FORMULA(transfer)
{
	(void)stage;
	if (e->serve.state_bytes_per_request > 0)
		return;
	text_put(buf, size, "%.0f tokens*%s in all layers / %s/s of the network cards that send it",
	    (double)p->serving.prompt_tokens, AMOUNT(BYTES, kv_model_bytes(p)),
	    AMOUNT(WIRE, e->serve.transfer_rate));
}

FORMULA(served)
{
	(void)stage;
	text_put(buf, size, "%.4g requests of %lld tokens at once; %lld of %lld + %lld",
	    e->serve.max_concurrency, (long long)p->serving.context_length,
	    (long long)p->serving.concurrency, (long long)p->serving.prompt_tokens,
	    (long long)p->serving.generate_tokens);
}

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
#define RESULT(id, path, label, brief, form, measure, better, scope, rule, at, made, formula, help) \
	[RESULT_##id] = { path, label, brief, help, FORM_##form, MEASURE_##measure, \
	    BETTER_##better, SCOPE_##scope, RULE_##rule, at, made, formula },
#include "core/result.def"
#undef RESULT
};
