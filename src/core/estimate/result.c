/*
 * result.c - the rows of result.def, the formulas of those that are no sum of terms, and how
 * they are read.
 */
#include "core/estimate/result.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/kv.h"
#include "core/serve/serve_setup.h"
#include "core/train/schedule.h"

#if defined __GNUC__
#define MAYBE __attribute__((unused))
#else
#define MAYBE
#endif

/* Each takes what it needs of the plan p, its estimate e and the stage. */
#define FORMULA(name) \
	static void name##_formula(MAYBE const struct plan *p, MAYBE const struct estimate *e, \
	    MAYBE int64_t stage, char *buf, size_t size)

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
	text_put(buf, size, "%lld nodes*%lld GPUs", (long long)p->cluster.nodes,
	    (long long)p->cluster.gpus_per_node);
}

FORMULA(microbatches)
{
	text_put(buf, size, "global batch / (micro-batch*DP) = %lld / (%lld*%lld)",
	    (long long)p->training.global_batch_size, (long long)p->training.micro_batch_size,
	    (long long)e->dp);
}

FORMULA(most)
{
	int64_t most = 0;

	for (int64_t i = 1; i < e->stages; i++)
		if (e->stage[i].params > e->stage[most].params)
			most = i;
	text_put(buf, size, "stages.params of stage %lld", (long long)most);
}

FORMULA(capacity)
{
	text_put(buf, size, "%.6g GiB - %.6g GiB", p->cluster.memory_gib, p->cluster.reserved_gib);
}

FORMULA(peak)
{
	text_put(buf, size, "memory.total of stage %lld", (long long)e->peak_stage);
}

FORMULA(allocated)
{
	double bytes;

	for (enum result_id id = RESULT_PARAMETERS; id <= RESULT_BUFFERS; id++)
		if (result_value(id, e, stage, &bytes) && bytes > 0)
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

/* What sits at a row's place in `from`: an estimate, a stage or a row of traffic. */
static double
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

FORMULA(bubble)
{
	text_put(buf, size, "%s / %s", UNITS_SHORT(SECONDS, e->step.bubble_seconds),
	    UNITS_SHORT(SECONDS, e->step.seconds));
}

FORMULA(tflops)
{
	text_put(buf, size, "%s / (%s*%lld GPUs)", UNITS_SHORT(FLOP, e->step.model_flops),
	    UNITS_SHORT(SECONDS, e->step.seconds), (long long)e->world);
}

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

FORMULA(tokens)
{
	text_put(buf, size, "%lld*%lld tokens / %s", (long long)p->training.global_batch_size,
	    (long long)p->training.sequence_length, UNITS_SHORT(SECONDS, e->step.seconds));
}

FORMULA(per_gpu)
{
	text_put(buf, size, "%s / %lld GPUs", UNITS_SHORT(COUNT, e->timed ? e->step.tokens_per_second :
	    e->serve.tokens_per_second), (long long)e->world);
}

FORMULA(run)
{
	text_put(buf, size, "%.6g billion tokens / (%s*86400 s)", (double)p->training.token_budget,
	    UNITS_SHORT(COUNT, e->reinforced ? e->rl.tokens_per_second : e->step.tokens_per_second));
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

	if (is_about(e->serve.max_concurrency * length, dp * e->serve.kv_tokens))
		text_put(buf, size, "DP %.0f*%s / %.0f", dp,
		    UNITS_SHORT(COUNT, e->serve.kv_tokens), length);
}

FORMULA(slots)
{
	text_put(buf, size, "of %lld + %lld tokens each; %.0f at most in a batch",
	    (long long)p->serving.prompt_tokens, (long long)p->serving.generate_tokens,
	    e->serve.slots > 0 ? serve_setup_of(p).seqs : 0);
}

FORMULA(generated)
{
	const double n = (double)p->serving.generate_tokens;

	if (e->serve.tokens_per_second > 0)
		text_put(buf, size, "%.0f running requests*%.0f tokens / %s from slot to last token",
		    e->serve.running, n, UNITS_SHORT(SECONDS, e->serve.cycle_seconds));
}

FORMULA(user)
{
	if (e->serve.tpot_seconds > 0)
		text_put(buf, size, "1 / %s", UNITS_SHORT(SECONDS, e->serve.tpot_seconds));
}

FORMULA(transfer)
{
	if (e->serve.state_bytes_per_request > 0)
		return;
	text_put(buf, size, "%.0f tokens*%s in all layers / %s/s of the network cards that send it",
	    (double)p->serving.prompt_tokens, UNITS_SHORT(BYTES, kv_model_bytes(p)),
	    UNITS_SHORT(WIRE, e->serve.transfer_rate));
}

FORMULA(served)
{
	text_put(buf, size, "%.4g requests of %lld tokens at once; %lld of %lld + %lld",
	    e->serve.max_concurrency, (long long)p->serving.context_length,
	    (long long)p->serving.concurrency, (long long)p->serving.prompt_tokens,
	    (long long)p->serving.generate_tokens);
}

/* ---- rollouts and updates ------------------------------------------------------------ */

FORMULA(sync_bytes)
{
	if (e->rl.generates)
		text_put(buf, size, "2*%s parameters / %lld GPUs of an engine",
		    UNITS_SHORT(COUNT, e->params.total), (long long)e->rl.engine_gpus);
}

FORMULA(engines)
{
	text_put(buf, size, "%lld GPUs / %lld", (long long)e->rl.rollout_gpus,
	    (long long)e->rl.engine_gpus);
}

FORMULA(engine_gpus)
{
	text_put(buf, size, p->rl.rollout_tp > 0 ? "rl.rollout_tp = %lld" :
	    "fewest with as much KV cache as weights: %lld", (long long)e->rl.engine_gpus);
}

FORMULA(trained)
{
	text_put(buf, size, "%.0f*%lld tokens / %s", e->rl.responses,
	    (long long)(p->rl.prompt_tokens + p->rl.response_tokens),
	    UNITS_SHORT(SECONDS, e->rl.step_seconds));
}

FORMULA(trained_per_gpu)
{
	(void)p;
	text_put(buf, size, "%s / %lld GPUs", UNITS_SHORT(COUNT, e->rl.tokens_per_second),
	    (long long)e->world);
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
#define RESULT(id, path, label, brief, form, measure, better, scope, rule, at, made, formula, \
    help) \
	[RESULT_##id] = { path, label, brief, help, FORM_##form, MEASURE_##measure, \
	    BETTER_##better, SCOPE_##scope, RULE_##rule, at, made, formula },
#include "core/estimate/result.def"
#undef RESULT
};

/* ---- questions ------------------------------------------------------------------- */

enum result_id
result_of_quantity(enum quantity q)
{
	static const enum result_id sum_of[QUANTITY_COUNT] = {
		[QUANTITY_PARAMS_TOTAL] = RESULT_PARAMS_TOTAL,
		[QUANTITY_PARAMS_ACTIVE] = RESULT_PARAMS_ACTIVE,
		[QUANTITY_PARAMS_TRAINABLE] = RESULT_PARAMS_TRAINABLE,
		[QUANTITY_PARAMS_GPU] = RESULT_PARAMS_GPU,
		[QUANTITY_PARAMETERS] = RESULT_PARAMETERS,
		[QUANTITY_GRADIENTS] = RESULT_GRADIENTS,
		[QUANTITY_OPTIMIZER] = RESULT_OPTIMIZER,
		[QUANTITY_ACTIVATIONS] = RESULT_ACTIVATIONS,
		[QUANTITY_LOGITS] = RESULT_LOGITS,
		[QUANTITY_BUFFERS] = RESULT_BUFFERS,
		[QUANTITY_OVERHEAD] = RESULT_OVERHEAD,
		[QUANTITY_HOST] = RESULT_HOST_BYTES,
		[QUANTITY_TRAFFIC] = RESULT_FLOW_BYTES,
		[QUANTITY_STEP] = RESULT_STEP,
		[QUANTITY_FLOPS] = RESULT_MODEL_FLOPS,
		[QUANTITY_SERVE_MEMORY] = RESULT_SERVE_MEMORY,
		[QUANTITY_KV_TOKEN] = RESULT_KV_TOKEN,
		[QUANTITY_DECODE] = RESULT_DECODE,
		[QUANTITY_PREFILL] = RESULT_PREFILL,
		[QUANTITY_TTFT] = RESULT_TTFT,
		[QUANTITY_TPOT] = RESULT_TPOT,
		[QUANTITY_FORWARD] = RESULT_FORWARD,
		[QUANTITY_BACKWARD] = RESULT_BACKWARD,
		[QUANTITY_RECOMPUTE] = RESULT_REPEATED,
		[QUANTITY_TRAFFIC_SECONDS] = RESULT_FLOW_SECONDS,
		[QUANTITY_EXPOSED] = RESULT_FLOW_EXPOSED,
		[QUANTITY_RL_STEP] = RESULT_RL_STEP,
		[QUANTITY_RL_SECONDS] = RESULT_RL_PHASES,
		[QUANTITY_RL_MEMORY] = RESULT_RL_PEAK,
		[QUANTITY_RL_HOST] = RESULT_RL_HOST,
	};

	return sum_of[q];
}

enum result_id
result_main(enum result_main which, const struct plan *p)
{
	static const struct {
		enum result_id train, phases, serve;
	} of[] = {
		[MAIN_TIME] = { RESULT_STEP, RESULT_RL_STEP, RESULT_TPOT },
		[MAIN_MEMORY] = { RESULT_PEAK_TOTAL, RESULT_RL_PEAK, RESULT_PEAK_TOTAL },
		[MAIN_TOKENS] = { RESULT_TOKENS, RESULT_RL_TOKENS, RESULT_GENERATED },
		[MAIN_TOKENS_GPU] = { RESULT_TOKENS_GPU, RESULT_RL_TOKENS_GPU, RESULT_GENERATED_GPU },
	};

	return p->mode == MODE_SERVE ? of[which].serve : plan_has_rl(p) ? of[which].phases :
	    of[which].train;
}

static bool
ends_with(enum result_id id, const char *name)
{
	const char *dot = strrchr(result_table[id].path, '.');

	return dot != NULL && text_equal(name, dot + 1);
}

/* What a list in JSON tells of each of its rows stands in the table under another path. */
static const struct {
	const char *list, *path;
	enum result_scope scope;
} list_paths[] = {
	{ "stages.", "", SCOPE_STAGE }, { "serving.curve.", "serving.", SCOPE_SERVE },
	{ "rl.phases.seconds", "rl.phase_seconds", SCOPE_RL },
	{ "rl.phases.memory", "rl.peak_bytes", SCOPE_RL },
};

static bool
listed_as(const char *path, const struct result *r)
{
	for (size_t i = 0; i < sizeof list_paths / sizeof *list_paths; i++) {
		const size_t list = strlen(list_paths[i].list), head = strlen(list_paths[i].path);

		if (r->scope == list_paths[i].scope && strncmp(path, list_paths[i].list, list) == 0 &&
		    strncmp(r->path, list_paths[i].path, head) == 0 &&
		    text_equal(path + list, r->path + head))
			return true;
	}
	return false;
}

enum result_id
result_find(const char *path)
{
	int id;

	for (id = 0; id < RESULT_COUNT; id++)
		if (text_equal(path, result_table[id].path) || listed_as(path, &result_table[id]))
			return (enum result_id)id;
	for (int q = 0; q < QUANTITY_COUNT; q++)
		if (ends_with(result_of_quantity((enum quantity)q), path))
			return result_of_quantity((enum quantity)q);
	for (id = 0; id < RESULT_COUNT && !ends_with((enum result_id)id, path); id++)
		continue;
	return (enum result_id)id;
}

/* Bytes of the rows of a dimension. */
static bool
sum_of_dim(const struct traffic *t, enum traffic_dim dim, double *value)
{
	bool known = false;

	for (size_t i = 0; i < t->count; i++)
		if (t->row[i].dim == dim) {
			*value += t->row[i].bytes;
			known = true;
		}
	return known;
}

bool
result_applies(enum result_id id, const struct estimate *e, int64_t stage)
{
	switch (result_table[id].scope) {
	case SCOPE_PLAN:
		return true;
	case SCOPE_MODEL:
		return e->model_known;
	case SCOPE_GRID:
		return e->laid_out;
	case SCOPE_FIT:
		return estimate_has_fit(e);
	case SCOPE_PEAK:
		return e->stages > 0;
	case SCOPE_STAGE:
		return stage >= 0 && stage < e->stages;
	case SCOPE_MEMORY:
		return e->capacity_known;
	case SCOPE_FLOW:
	case SCOPE_DIM:
	case SCOPE_STEP:
		return e->timed;
	case SCOPE_RL:
		return e->reinforced;
	case SCOPE_SERVE:
		return e->served;
	}
	return false;
}

bool
result_value(enum result_id id, const struct estimate *e, int64_t stage, double *value)
{
	const struct result *r = &result_table[id];

	*value = 0;
	if (!result_applies(id, e, stage) || (r->scope == SCOPE_STEP && !estimate_has_step(e)))
		return false;
	if (id == RESULT_STAGE) {
		*value = (double)stage;
		return true;
	}
	if (r->scope == SCOPE_DIM)
		return sum_of_dim(&e->traffic, (enum traffic_dim)r->at, value);
	if (r->at == RESULT_NOWHERE || id == RESULT_FLOW_GROUP)
		return false;
	if (r->scope == SCOPE_FLOW)
		for (size_t i = 0; i < e->traffic.count; i++)
			*value += result_of_flow(id, &e->traffic.row[i]);
	else
		*value = result_read(r, r->scope == SCOPE_STAGE ? (const void *)&e->stage[stage] : e);
	return r->rule != RULE_SIZE || *value > 0;
}

int
result_better(enum result_id id, double was, double is)
{
	const enum better better = result_table[id].better;

	if (better == BETTER_NEITHER || !(is < was || is > was))
		return 0;
	return (is > was) == (better == BETTER_MORE) ? 1 : -1;
}

void
result_formula(enum result_id id, const struct plan *p, const struct estimate *e, int64_t stage,
    char *buf, size_t size)
{
	const struct result *r = &result_table[id];
	double value;
	const bool known = result_value(id, e, stage, &value) ||
	    (r->scope == SCOPE_FLOW && e->timed);

	buf[0] = '\0';
	/* A GPU of unknown rates has no times. */
	if (r->formula != NULL && known)
		r->formula(p, e, stage, buf, size);
}

bool
result_has_term(const struct made_of *made, const struct ledger_term *t)
{
	return t->quantity == made->quantity && (made->part == PART_NONE || t->part == made->part);
}
