#include "cli/command/calibrate_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/report/report.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/calibration.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/serve/serve_setup.h"
#include "out/out.h"

enum { FIT_ROUNDS = 5 };

/* ---- the table ------------------------------------------------------------------ */

/* One quantity, estimated and measured; what the log does not say has no row. */
static void
add_row(struct table *t, const char *name, double estimate, double measured,
    enum measure m)
{
	char left[64], right[64], off[32] = "";

	if (!(measured > 0))
		return;
	if (estimate > 0)
		text_put(off, sizeof off, "%+.1f%%", 100 * (estimate - measured) / measured);
	table_row(t, (const char *[]){ name,
	    estimate > 0 ? units_exact(left, sizeof left, m, estimate) : "",
	    units_exact(right, sizeof right, m, measured), off });
}

static void
start_table(struct table *t)
{
	table_init(t, 4);
	table_row(t, (const char *[]){ "quantity", ">estimate", ">measured", ">estimate off by" });
}

/* ---- time ------------------------------------------------------------------------- */

/* Seconds of a step as the log says, directly or by tokens; 0 where it does not. */
static double
measured_step(const struct plan *p, const struct log_report *log)
{
	const double tokens = (double)p->training.global_batch_size *
	    (double)p->training.sequence_length;

	if (log->seconds > 0)
		return log->seconds;
	if (log->tokens_per_second_per_gpu > 0)
		return tokens / (log->tokens_per_second_per_gpu * (double)plan_world(p));
	return 0;
}

/* Where trials are estimated. */
struct trial {
	const struct session *session;
	struct estimate *work;
};

static double
trial_seconds(const struct plan *plain, void *context)
{
	const struct trial *t = context;
	struct plan p = *plain;

	plan_resolve(&p, &t->session->catalog);
	estimate_run(t->work, &p, &t->session->catalog, NULL);
	return t->work->timed ? t->work->step.seconds : 0;
}

/* The efficiency from low to high at which the estimate takes as long as what was
 * measured; NAN when none does it. */
static double
fit_efficiency(const struct session *s, const struct plan *plain, double low, double high,
    double measured)
{
	struct trial trial = { s, calloc(1, sizeof *trial.work) };
	double efficiency = NAN;

	if (trial.work != NULL)
		efficiency = calibration_efficiency(plain, low, high, measured, trial_seconds, &trial);
	free(trial.work);
	return efficiency;
}

/* ---- memory ------------------------------------------------------------------------- */

/* The stage whose memory a line of the log is about; the fullest where it does not say. */
static int64_t
stage_of(const struct estimate *e, const struct log_report *log, const struct measured_memory *m)
{
	/* torchtitan prints on rank 0 unless LOG_RANK says otherwise */
	const int64_t rank = m->rank < 0 && log->kind == LOG_TORCHTITAN ? 0 : m->rank;

	if (m->stage >= 0)
		return m->stage < e->stages ? m->stage : -1;
	if (rank < 0)
		return e->peak_stage;
	return rank < e->layout.world ? layout_pipeline_rank(&e->layout, rank) : -1;
}

static double
measured_peak(const struct measured_memory *m)
{
	return m->allocated > 0 ? m->allocated : m->reserved;
}

/* The fullest process on a stage, NULL where the log has none of it. */
static const struct measured_memory *
fullest_measured(const struct estimate *e, const struct log_report *log, int64_t stage)
{
	const struct measured_memory *most = NULL;

	for (size_t i = 0; i < log->run.memories; i++)
		if (stage_of(e, log, &log->run.memory[i]) == stage &&
		    (most == NULL || measured_peak(&log->run.memory[i]) > measured_peak(most)))
			most = &log->run.memory[i];
	return most;
}

/* Rows for the stages of the log; the bias is that of the stage measured fullest. */
static void
add_memory(struct table *t, const struct estimate *e, const struct log_report *log,
    struct fit *fit)
{
	double most = 0;

	for (int64_t stage = 0; stage < e->stages; stage++) {
		const struct measured_memory *m = fullest_measured(e, log, stage);
		const double estimate = e->stage[stage].memory.allocated;

		if (m == NULL)
			continue;
		add_row(t, TEXT_OF(64, "max %s, stage %" PRId64, m->allocated > 0 ? "allocated" : "reserved", stage),
		    estimate, measured_peak(m), MEASURE_BYTES);
		if (measured_peak(m) > most) {
			most = measured_peak(m);
			fit->bias_gib = (most - estimate) / GIB;
			fit->peak_gib = most / GIB;
		}
	}
}

/* What a reader of the memory rows should know about the log. */
static void
note_memory(const struct estimate *e, const struct log_report *log)
{
	bool reserved = false, first = false;

	for (size_t i = 0; i < log->run.memories; i++) {
		reserved = reserved || !(log->run.memory[i].allocated > 0);
		first = first || (log->kind == LOG_MEGATRON && log->run.memory[i].iterations == 1);
		if (stage_of(e, log, &log->run.memory[i]) < 0) {
			complain("the log has ranks or stages that the plan lacks; they are left out");
			break;
		}
	}
	if (reserved)
		out_text(stdout, "note         reserved memory is the allocated and what the allocator "
		    "keeps for reuse,\n             a few percent more: the bias holds both\n");
	if (first)
		out_text(stdout, "note         peaks of the first iteration, before the optimizer made "
		    "its state:\n             later ones may be higher\n");
}

/* ---- the kinds of log ------------------------------------------------------------------ */

static bool
compare_training(const struct session *s, const struct plan *plain, const struct estimate *e,
    const struct log_report *log, struct fit *fit)
{
	const double measured = measured_step(plain, log);
	struct table t;

	start_table(&t);
	add_row(&t, "step", e->step.seconds, measured, MEASURE_SECONDS);
	add_row(&t, "tokens a second, one GPU", e->step.tokens_per_second_per_gpu,
	    log->tokens_per_second_per_gpu, MEASURE_REAL);
	/* each program counts FLOPs in its own way: shown, not fitted */
	add_row(&t, "TFLOP/s of a GPU", e->step.model_tflops_per_gpu, log->tflops_per_gpu,
	    MEASURE_REAL);
	add_memory(&t, e, log, fit);
	if (measured > 0)
		fit->efficiency = fit_efficiency(s, plain, 0.01, 10, measured);
	if (!table_print(&t))
		return false;
	note_memory(e, log);
	if (measured > 0 && isnan(fit->efficiency))
		complain("no compute efficiency from 0.01 to 10 makes a step of %.4g s: "
		    "is this the plan of the log?", measured);
	return true;
}

static bool
compare_serving(const struct plan *p, const struct estimate *e, const struct log_report *log,
    struct fit *fit)
{
	const struct serve *v = &e->serve;
	const double context = (double)p->serving.context_length;
	/* the bias is not of the pool but of the memory, of which the others take a share */
	const double share = serve_setup_of(p).pool_share;
	/* vLLM's hybrid caches cut tokens otherwise; elsewhere blocks are comparable if equal */
	const double block = log->run.engine.kv_blocks > 0 && log->kind != LOG_VLLM ?
	    log->run.engine.kv_tokens / log->run.engine.kv_blocks : (double)p->serving.block_size;
	const bool same = !(fabs(block - (double)p->serving.block_size) > 0);
	struct table t;

	start_table(&t);
	add_row(&t, "weights", v->weight_bytes, log->run.engine.weight_bytes, MEASURE_BYTES);
	add_row(&t, "KV pool", v->kv_pool_bytes, log->run.engine.kv_pool_bytes, MEASURE_BYTES);
	add_row(&t, "tokens in the pool", v->kv_tokens, log->run.engine.kv_tokens, MEASURE_COUNT);
	add_row(&t, "blocks in the pool", v->kv_blocks, same ? log->run.engine.kv_blocks : 0, MEASURE_COUNT);
	add_row(&t, "requests at once", v->max_concurrency, log->run.engine.max_concurrency, MEASURE_REAL);
	if (!table_print(&t))
		return false;
	if (log->run.engine.context_length > 0 && fabs(log->run.engine.context_length - context) > 0)
		out_line(stdout, "note         the log's requests are of %.0f tokens, the plan's of %.0f",
		    log->run.engine.context_length, context);
	if (!same)
		out_line(stdout, "note         the log's blocks are of %.5g tokens, the plan's of %"
		    PRId64, block, p->serving.block_size);
	/* the pool is what everything else leaves */
	if (log->run.engine.kv_pool_bytes > 0 && v->kv_pool_bytes > 0)
		fit->bias_gib = (v->kv_pool_bytes - log->run.engine.kv_pool_bytes) / share / GIB;
	return true;
}

static void
put_count(struct plan *p, enum field_id f, double n)
{
	char err[640];

	if (n > 0)
		field_put_int(f, p, n > 1 ? llround(n) : 1, err, sizeof err);
}

/* What came at a rate: so many requests, to an engine that is empty before and after. Limits are the
 * plan's own matter. */
static void
put_arrivals(struct plan *p, const struct measured_load *b)
{
	char err[640];

	p->traffic.ttft_limit = p->traffic.tpot_limit = 0;
	field_put_real(FIELD_RATE, p, b->rate, err, sizeof err);
	if (!b->rate_limited)
		return;
	if (b->burstiness > 0)
		field_put_real(FIELD_BURSTINESS, p, b->burstiness, err, sizeof err);
	put_count(p, FIELD_REQUESTS, (double)b->completed);
}

/* The plan with the requests of the benchmark, and a word where these are others. */
static void
take_workload(struct plan *p, const struct measured_load *b, const struct catalog *catalog)
{
	const struct serving old = p->serving, *v = &p->serving;

	put_count(p, FIELD_PROMPT_TOKENS, b->prompt_tokens);
	put_count(p, FIELD_GENERATE_TOKENS, b->generate_tokens);
	put_count(p, FIELD_CONCURRENCY, b->concurrency);
	put_arrivals(p, b);
	plan_resolve(p, catalog);
	if (b->rate_limited) {
		out_line(stdout, "note         compared at the benchmark's %" PRId64 " + %" PRId64 " tokens, %.6g "
		    "requests a second", v->prompt_tokens, v->generate_tokens, b->rate);
		return;
	}
	if (old.prompt_tokens == v->prompt_tokens && old.generate_tokens == v->generate_tokens &&
	    old.concurrency == v->concurrency)
		return;
	out_line(stdout, "note         compared at the benchmark's %" PRId64 " + %" PRId64
	    " tokens, %" PRId64 " requests at once;", v->prompt_tokens, v->generate_tokens,
	    v->concurrency);
	out_line(stdout, "             the plan's are %" PRId64 " + %" PRId64 " tokens, %" PRId64
	    " at once", old.prompt_tokens, old.generate_tokens, old.concurrency);
}

static double
ratio(double measured, double estimate)
{
	return measured > 0 && estimate > 0 ? measured / estimate : NAN;
}

/* Scales of the times to the first and to each further token; a benchmark that tells neither has its tokens a
 * second set both. */
static void
fit_times(struct fit *fit, const struct serve *v, const struct measured_load *b)
{
	fit->tpot_scale = ratio(b->tpot_seconds, v->tpot_seconds);
	fit->ttft_scale = ratio(b->ttft_seconds, v->ttft_seconds);
	if (isnan(fit->tpot_scale) && isnan(fit->ttft_scale))
		fit->tpot_scale = fit->ttft_scale = ratio(v->tokens_per_second, b->tokens_per_second);
}

static double
kept_scale(double v, double least, double most)
{
	return v < least ? least : v > most ? most : v;
}

/* The scales of steps and prompts with which an open loop has the measured means, told ones alone; e has
 * room for estimates. False where the engines do not take the rate. */
static bool
fit_rate(struct fit *fit, const struct session *s, const struct plan *p, const struct measured_load *b,
    struct estimate *e)
{
	const struct serve_rate *r = &e->serve.rate;
	struct plan q = *p;
	double steps = 1, prompts = 1;

	for (int i = 0; i < FIT_ROUNDS; i++) {
		q.calibration.tpot_scale = steps;
		q.calibration.ttft_scale = prompts;
		estimate_run(e, &q, &s->catalog, NULL);
		if (!e->served || !r->followed || !(r->load < 1)) /* a queue tells of no step */
			return false;
		if (b->tpot_seconds > 0)
			steps = kept_scale(steps * kept_scale(b->tpot_seconds / r->tpot.mean, .33, 3), .2, 5);
		if (b->ttft_seconds > 0)
			prompts = kept_scale(prompts * pow(kept_scale(b->ttft_seconds / r->ttft.mean, .33, 3), .8),
			    .2, 5);
	}
	if (b->tpot_seconds > 0)
		fit->tpot_scale = steps;
	if (b->ttft_seconds > 0)
		fit->ttft_scale = prompts;
	return true;
}

/* Means of both, side by side. */
static bool
print_times(const struct estimate *e, const struct measured_load *b)
{
	const struct serve *v = &e->serve;
	const bool open = v->rate.followed;
	struct table t;

	start_table(&t);
	add_row(&t, "time to first token", open ? v->rate.ttft.mean : v->ttft_seconds, b->ttft_seconds,
	    MEASURE_SECONDS);
	add_row(&t, "time per output token", open ? v->rate.tpot.mean : v->tpot_seconds, b->tpot_seconds,
	    MEASURE_SECONDS);
	add_row(&t, "generated tokens a second", v->tokens_per_second, b->tokens_per_second, MEASURE_REAL);
	return table_print(&t);
}

static bool
compare_benchmark(const struct session *s, const struct plan *plain,
    const struct measured_load *b, struct fit *fit)
{
	struct plan p = *plain;
	struct estimate *e = calloc(1, sizeof *e);
	bool ok;

	if (e == NULL) {
		out_of_memory();
		return false;
	}
	take_workload(&p, b, &s->catalog);
	estimate_run(e, &p, &s->catalog, NULL);
	ok = print_times(e, b);
	if (ok && b->tpot_halved)
		out_text(stdout, "note         the time per token is that of the whole answer: the program told "
		    "half of it\n");
	if (ok && !b->rate_limited)
		fit_times(fit, &e->serve, b);
	else if (ok && !fit_rate(fit, s, &p, b, e))
		out_text(stdout, "note         requests came at a rate that the plan's engines do not take: their "
		    "times\n             are not fitted\n");
	free(e);
	return ok;
}

bool
fit_compare(const struct session *s, const struct plan *plain, const struct estimate *e,
    const struct log_report *log, struct fit *fit)
{
	if (log->kind == LOG_BENCHMARK)
		return compare_benchmark(s, plain, &log->run.load, fit);
	if (s->plan.mode == MODE_SERVE)
		return compare_serving(plain, e, log, fit);
	return compare_training(s, plain, e, log, fit);
}
