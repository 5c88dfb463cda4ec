/* `calibrate`: a log against the estimates, and what makes them agree into the plan. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command/calibrate_fit.h"
#include "cli/report/report.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/diagnose/diagnose.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "file/plan/pathname.h"
#include "out/out.h"

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
	const bool serves = log->kind >= LOG_VLLM;
	char plan[256], word[32];

	show_path(plan, sizeof plan, s->file.path);
	if (serves != (s->plan.mode == MODE_SERVE)) {
		complain("%s is the log of %s, a run of the other mode than %s (fix: mode = \"%s\"; "
		    "in the plan, or the plan of that run)", name, log_kind_name(log->kind), plan,
		    serves ? "serve" : "train");
		return false;
	}
	if (serves && log->kind != LOG_BENCHMARK && s->plan.serving.engine != engine[log->kind]) {
		field_choice(FIELD_ENGINE, engine[log->kind], word, sizeof word);
		complain("%s is the log of %s, another engine than that of %s (fix: "
		    "serving: { engine = \"%s\"; }; in the plan, or the plan of that run)", name,
		    log_kind_name(log->kind), plan, word);
		return false;
	}
	return true;
}

/* What a benchmark sends is compared as it was sent; a release that the plan does not say is none of its own. */
static bool
is_passed_over(enum field_id f, const struct plan *p)
{
	return f == FIELD_PROMPT_TOKENS || f == FIELD_GENERATE_TOKENS || f == FIELD_CONCURRENCY ||
	    (f == FIELD_ENGINE_VERSION && !field_is_set(f, p));
}

/* Of another GPU, or another job, nothing is to be fitted: scales would hide that. */
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
		const struct mismatch *x = &found[i];
		char fix[256] = "";

		if (is_passed_over(x->field, &s->plan))
			continue;
		if (x->field != FIELD_NONE)
			text_put(fix, sizeof fix, "--set %s=%s, or ", mismatch_path(x), x->run);
		complain("%s is the log of another run than %s: %s is %s there, not %s (fix: %sthe plan of "
		    "that run; shardplan diagnose --adopt takes what it says)", name, plan, mismatch_path(x),
		    x->run, x->plan, fix);
		return false;
	}
	return true;
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
		if (fit_compare(s, &plain.plan, e, log, &fit))
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
	if (!log_read(log, (const char *const *)o->operand + 1, o->operands - 1, &errors)) {
		session_print_errors(&errors);
	} else if (session_open(&s, o, o->operand[0])) {
		show_path(shown, sizeof shown, name);
		if (s.file.path[0] == '\0')
			complain("calibrate writes into a plan, and a launch is none (fix: shardplan import LAUNCH -o PLAN.cfg)");
		else
			status = calibrate(&s, log, shown);
		session_close(&s);
	}
	free(log);
	return status;
}
