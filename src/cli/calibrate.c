/* `calibrate`: a log against the estimates, and what makes them agree into the plan. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/run.h"
#include "core/base/number.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/diagnose/diagnose.h"
#include "core/estimate/calibration.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/serve/serve_setup.h"
#include "file/plan/pathname.h"
#include "file/log/log.h"
#include "out/out.h"

/* What the section will say; a value of NAN stays out. */
struct fit {
	double efficiency, bias_gib, tpot_scale, ttft_scale;
	double peak_gib; /* measured, of the stage that the bias is of; NAN for serving */
};

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
fullest(const struct estimate *e, const struct log_report *log, int64_t stage)
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
	char name[64];

	for (int64_t stage = 0; stage < e->stages; stage++) {
		const struct measured_memory *m = fullest(e, log, stage);
		const double estimate = e->stage[stage].memory.allocated;

		if (m == NULL)
			continue;
		text_put(name, sizeof name, "max %s, stage %" PRId64,
		    m->allocated > 0 ? "allocated" : "reserved", stage);
		add_row(t, name, estimate, measured_peak(m), MEASURE_BYTES);
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

/* The plan with the requests of the benchmark, and a word where these are others. */
static void
take_workload(struct plan *p, const struct measured_load *b, const struct catalog *catalog)
{
	const struct serving old = p->serving, *v = &p->serving;

	put_count(p, FIELD_PROMPT_TOKENS, b->prompt_tokens);
	put_count(p, FIELD_GENERATE_TOKENS, b->generate_tokens);
	put_count(p, FIELD_CONCURRENCY, b->concurrency);
	plan_resolve(p, catalog);
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

/* Both times are fitted by themselves; a benchmark that tells of none has its tokens a second
 * set both. */
static void
fit_times(struct fit *fit, const struct serve *v, const struct measured_load *b)
{
	fit->tpot_scale = ratio(b->tpot_seconds, v->tpot_seconds);
	fit->ttft_scale = ratio(b->ttft_seconds, v->ttft_seconds);
	if (isnan(fit->tpot_scale) && isnan(fit->ttft_scale))
		fit->tpot_scale = fit->ttft_scale = ratio(v->tokens_per_second, b->tokens_per_second);
}

static bool
compare_benchmark(const struct session *s, const struct plan *plain,
    const struct measured_load *b, struct fit *fit)
{
	struct plan p = *plain;
	struct estimate *e = calloc(1, sizeof *e);
	struct table t;
	bool ok;

	if (e == NULL) {
		out_of_memory();
		return false;
	}
	take_workload(&p, b, &s->catalog);
	estimate_run(e, &p, &s->catalog, NULL);
	start_table(&t);
	add_row(&t, "time to first token", e->serve.ttft_seconds, b->ttft_seconds,
	    MEASURE_SECONDS);
	add_row(&t, "time per output token", e->serve.tpot_seconds, b->tpot_seconds,
	    MEASURE_SECONDS);
	add_row(&t, "generated tokens a second", e->serve.tokens_per_second,
	    b->tokens_per_second, MEASURE_REAL);
	ok = table_print(&t);
	if (ok && b->rate_limited)
		out_text(stdout, "note         requests came at a given rate, not as others ended: their "
		    "times\n             are not fitted\n");
	else if (ok)
		fit_times(fit, &e->serve, b);
	free(e);
	return ok;
}

static void
print_benchmark(const struct measured_load *b)
{
	out_part(stdout, ": %" PRId64 " requests", b->completed);
	if (b->results > 1)
		out_part(stdout, ", the last of %zu results", b->results);
}

static void
print_log(const char *name, const struct log_report *log)
{
	out_part(stdout, "log          %s, written by %s", name, log_kind_name(log->kind));
	if (log->iterations > 0)
		out_part(stdout, ": median of %zu iteration%s, the first ones left out", log->iterations,
		    TEXT_S(log->iterations));
	else if (log->first_alone)
		out_part(stdout, ": the first iteration alone, which is slower than others");
	else if (log->kind == LOG_BENCHMARK)
		print_benchmark(&log->run.load);
	out_end(stdout);
}

/* ---- the plan ----------------------------------------------------------------------- */

/* The plan as if nothing were measured of what the log tells. */
static void
clear_fit(struct plan *p, const struct log_report *log, const struct catalog *catalog)
{
	static const enum field_id run[] = { FIELD_COMPUTE_EFFICIENCY, FIELD_MEMORY_BIAS_GIB },
	    benchmark[] = { FIELD_TPOT_SCALE, FIELD_TTFT_SCALE };

	for (int i = 0; i < 2; i++) {
		const enum field_id f = log->kind == LOG_BENCHMARK ? benchmark[i] : run[i];
		char err[640];

		field_put_real(f, p, 0, err, sizeof err);
		field_mark(f, p, false);
	}
	plan_resolve(p, catalog);
}

/* One value of the section, where the log told it; digits: as many as it is worth. */
static bool
put_value(struct plan *p, enum field_id f, double value, char *err, size_t size)
{
	if (isnan(value))
		return true;
	if (!field_put_real(f, p, value, err, size))
		return false;
	out_line(stdout, "calibration  %s = %.4g", strchr(field_table[f].path, '.') + 1, value);
	return true;
}

static double
rounded(double value, double to)
{
	return round(value * to) / to;
}

static bool
put_fit(struct plan *p, const struct fit *fit, const char *source)
{
	char err[640] = "", shown[PLAN_NAME_SIZE];
	const bool ok = put_value(p, FIELD_COMPUTE_EFFICIENCY, fit->efficiency, err, sizeof err) &&
	    put_value(p, FIELD_MEMORY_BIAS_GIB, rounded(fit->bias_gib, 1e3), err, sizeof err) &&
	    put_value(p, FIELD_TPOT_SCALE, rounded(fit->tpot_scale, 1e4), err, sizeof err) &&
	    put_value(p, FIELD_TTFT_SCALE, rounded(fit->ttft_scale, 1e4), err, sizeof err);

	show_path(shown, sizeof shown, source);
	if (ok && field_put_text(FIELD_CALIBRATION_SOURCE, p, shown, err, sizeof err))
		return true;
	complain("calibration: %s", err);
	return false;
}

/*
 * A bias makes up for what the estimate does not know: fragments, versions, buffers of
 * libraries. More than half of the measured peak, or a quarter of the GPU's memory, is not
 * that, but another run than the plan's: the estimates of the runs in tests/data are off by
 * less. A small run may be off by a context's worth of memory all the same.
 */
static double
most_bias(const struct plan *p, const struct fit *fit)
{
	const double context = 2; /* GiB */
	const double share = p->cluster.memory_gib / 4;
	const double most = fit->peak_gib / 2 < share ? fit->peak_gib / 2 : share;

	return most > context ? most : context;
}

/* Whether the bias may be written: a strange one only if the user, at a terminal, says so. */
static bool
accepts_bias(const struct session *s, const struct fit *fit, const char *source)
{
	const double most = most_bias(&s->plan, fit);
	char path[256], answer[16];

	if (isnan(fit->bias_gib) || fabs(fit->bias_gib) <= most)
		return true;
	show_path(path, sizeof path, s->file.path);
	complain("calibration.memory_bias_gib would be %.4g GiB, more than the %.4g GiB that an "
	    "estimate may be off by on %s: is %s of another run? (fix: give the plan of that run, "
	    "or what differs with --set)", fit->bias_gib, most, s->plan.cluster.gpu, source);
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
		out_part(stderr, "shardplan: write it into %s all the same? [y/N] ", path);
		return fgets(answer, sizeof answer, stdin) != NULL &&
		    (answer[0] == 'y' || answer[0] == 'Y');
	}
	complain("%s is as it was", path);
	return false;
}

/* What the command line sets is for the comparison: the file gets the calibration alone. */
static int
write_fit(struct session *s, const struct fit *fit, const char *source)
{
	struct plan plan = s->read;
	char note[1024] = "", path[PLANFILE_PATH_SIZE];

	if (isnan(fit->efficiency) && isnan(fit->bias_gib) && isnan(fit->tpot_scale) &&
	    isnan(fit->ttft_scale)) {
		show_path(path, sizeof path, s->file.path);
		complain("nothing of the log can be fitted; %s is as it was", path);
		return STATUS_NO;
	}
	if (!accepts_bias(s, fit, source))
		return STATUS_NO;
	if (!put_fit(&plan, fit, source) || !text_copy(path, sizeof path, s->file.path))
		return STATUS_ERROR;
	plan_resolve(&plan, &s->catalog);
	if (planfile_write(&s->file, &plan, path, &s->catalog, false, note, sizeof note) !=
	    PLANFILE_SAVED) {
		complain("%s", note);
		return STATUS_ERROR;
	}
	out_line(stdout, "plan         %s", note);
	return STATUS_OK;
}

/* Whether the plan is of a run as the log's. */
static bool
suits(const struct session *s, const struct log_report *log, const char *name)
{
	static const int64_t engine[LOG_KINDS] = { [LOG_VLLM] = ENGINE_VLLM,
		[LOG_SGLANG] = ENGINE_SGLANG, [LOG_TRTLLM] = ENGINE_TRTLLM };
	static const char *const word[] = { "vllm", "sglang", "trtllm" };
	const bool serves = log->kind >= LOG_VLLM;
	char plan[256];

	show_path(plan, sizeof plan, s->file.path);
	if (serves != (s->plan.mode == MODE_SERVE)) {
		complain("%s is the log of %s, a run of the other mode than %s (fix: mode = \"%s\"; "
		    "in the plan, or the plan of that run)", name, log_kind_name(log->kind), plan,
		    serves ? "serve" : "train");
		return false;
	}
	if (serves && log->kind != LOG_BENCHMARK && s->plan.serving.engine != engine[log->kind]) {
		complain("%s is the log of %s, another engine than that of %s (fix: "
		    "serving: { engine = \"%s\"; }; in the plan, or the plan of that run)", name,
		    log_kind_name(log->kind), plan, word[engine[log->kind]]);
		return false;
	}
	return true;
}

/* Of another GPU, or another size of job, nothing is to be fitted: scales would hide that. */
static bool
is_same_job(struct session *s, const struct log_report *log, const char *name)
{
	struct mismatch found[DIAGNOSE_MISMATCHES];
	struct plan run;
	char note[512], plan[256];
	size_t n;

	if (!session_whole_catalog(s, note, sizeof note)) {
		complain("%s", note);
		return false;
	}
	show_path(plan, sizeof plan, s->file.path);
	n = diagnose_mismatches(found, &run, &log->run, &s->plan, &s->catalog);
	for (size_t i = 0; i < n; i++) {
		const enum field_id f = found[i].field;

		if (f != FIELD_GPU && f != FIELD_NODES && f != FIELD_GPUS_PER_NODE)
			continue;
		complain("%s is the log of another run than %s: %s is %s there, not %s (fix: "
		    "--set %s=%s, or the plan of that run; shardplan diagnose tells more)", name, plan,
		    field_table[f].path, found[i].run, found[i].plan, field_table[f].path, found[i].run);
		return false;
	}
	return true;
}

static bool
compare(const struct session *s, const struct plan *plain, const struct estimate *e,
    const struct log_report *log, struct fit *fit)
{
	if (log->kind == LOG_BENCHMARK)
		return compare_benchmark(s, plain, &log->run.load, fit);
	if (s->plan.mode == MODE_SERVE)
		return compare_serving(plain, e, log, fit);
	return compare_training(s, plain, e, log, fit);
}

static int
calibrate(struct session *s, const struct log_report *log, const char *name)
{
	struct session plain = *s;
	struct fit fit = { NAN, NAN, NAN, NAN, NAN };
	struct estimate *e;
	int status = STATUS_ERROR;

	if (!suits(s, log, name) || !is_same_job(s, log, name))
		return STATUS_ERROR;
	clear_fit(&plain.plan, log, &s->catalog);
	if ((e = session_estimate(&plain, NULL)) == NULL)
		return STATUS_ERROR;
	if (!e->legal) {
		session_complain(&e->diags, SEVERITY_ERROR);
		status = STATUS_NO;
	} else {
		print_log(name, log);
		if (compare(s, &plain.plan, e, log, &fit))
			status = write_fit(s, &fit, name);
	}
	free(e);
	return status;
}

int
calibrate_run(const struct options *o)
{
	const char *path = o->operand[1];
	const char *name = text_equal(path, "-") ? "standard input" : pathname_last(path);
	struct file_errors errors = { 0 };
	struct log_report *log;
	struct session s;
	char shown[512];
	int status = STATUS_ERROR;

	if (text_equal(o->operand[0], "-"))
		return usage_error("calibrate writes into the plan: it needs a file, not '-'");
	if ((log = malloc(sizeof *log)) == NULL)
		return out_of_memory();
	if (!log_read(log, path, &errors)) {
		session_print_errors(&errors);
	} else if (session_open(&s, o, o->operand[0])) {
		show_path(shown, sizeof shown, name);
		status = calibrate(&s, log, shown);
		session_close(&s);
	}
	free(log);
	return status;
}
