#include "file/plan/errors.h"
#include "file/log/jsonin.h"
#include "file/log/log_bench.h"

/* A figure that is there and above 0, in units of `scale`; else 0. */
static double
figure(const struct jsonin *j, const char *key, double scale)
{
	double v = 0;

	return jsonin_real(j, key, 0, 1e18, &v) && v >= 1e-12 ? v * scale : 0;
}

/*
 * Requests at once, on average: SGLang says it. By Little's law it is the rate times the
 * time a request takes, which is below the limit that was asked for when few came.
 */
static double
concurrency(const struct jsonin *j, const struct log_benchmark *b)
{
	const double said = figure(j, "concurrency", 1);
	const double limit = figure(j, "max_concurrency", 1);
	const double steps = b->generate_tokens > 1 ? b->generate_tokens - 1 : 0;
	const double mean = b->requests_per_second * (b->ttft_seconds + steps * b->tpot_seconds);

	if (said > 0)
		return said;
	return mean > 0 && !(limit > 0 && limit < mean) ? mean : limit;
}

/* A limit on the rate at which requests came: a number; "inf" and Infinity are none. */
static bool
has_rate(const struct jsonin *j)
{
	struct file_errors ignored = { 0 };
	const struct jsonin quiet = { .root = j->root, .file = j->file, .errors = &ignored };
	double rate;

	return jsonin_real(&quiet, "request_rate", 0, 1e18, &rate);
}

/* False when it is no result of a benchmark. */
static bool
read_figures(struct log_benchmark *b, const struct jsonin *j)
{
	double prompt, generated, tokens;
	int64_t completed = 0;

	if (!jsonin_int(j, "completed", 0, INT64_MAX, &completed) ||
	    !jsonin_real(j, "output_throughput", 0, 1e18, &tokens))
		return false;
	prompt = figure(j, "total_input_tokens", 1);
	generated = figure(j, "total_output_tokens", 1);
	b->completed = completed;
	if (completed > 0) {
		b->prompt_tokens = prompt / (double)completed;
		b->generate_tokens = generated / (double)completed;
	}
	b->ttft_seconds = figure(j, "mean_ttft_ms", 1e-3);
	b->tpot_seconds = figure(j, "mean_tpot_ms", 1e-3);
	b->tokens_per_second = tokens;
	b->requests_per_second = figure(j, "request_throughput", 1);
	b->concurrency = concurrency(j, b);
	b->rate_limited = has_rate(j);
	return true;
}

bool
log_bench_read(struct log_report *out, FILE *in, const char *file, struct file_errors *errors)
{
	struct log_benchmark *b = &out->benchmark;
	struct jsonin j;
	bool ok = jsonin_load(&j, in, file, errors);
	const size_t before = errors->count;

	if (!ok && !feof(in) && !ferror(in)) /* more than the reader takes */
		errors_add(errors, file, 0, "", "a benchmark's result is short without its lists of "
		    "every request (fix: jq -c 'del(.[] | arrays)' %s | shardplan calibrate PLAN -)",
		    file);
	if (ok) {
		out->kind = LOG_BENCHMARK;
		b->results = j.texts;
		ok = read_figures(b, &j);
		if (!ok && errors->count == before)
			errors_add(errors, file, 0, "", "is JSON, but no result of a serving benchmark: "
			    "'completed' or 'output_throughput' of vllm bench serve --save-result or "
			    "sglang.bench_serving --output-file is missing");
		ok = ok && errors->count == before;
	}
	if (ok && (b->completed == 0 || !(b->tokens_per_second > 0))) {
		errors_add(errors, file, 0, "", "no request of this benchmark was completed");
		ok = false;
	}
	jsonin_free(&j);
	return ok;
}
