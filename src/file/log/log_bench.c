#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/plan/errors.h"
#include "file/log/jsonin.h"
#include "file/log/log_bench.h"
#include "file/log/log_words.h"

/* The first figure that is there and above 0, of keys joined by blanks, in units of `scale`;
 * else 0. */
static double
figure(const struct jsonin *j, const char *keys, double scale)
{
	double v = 0;

	for (size_t n; *keys != '\0'; keys += n + strspn(keys + n, " ")) {
		n = strcspn(keys, " ");
		if (jsonin_real(j, TEXT_OF(64, "%.*s", (int)n, keys), 0, 1e18, &v) && v >= 1e-12)
			return v * scale;
	}
	return 0;
}

static const double halved = .6; /* of the time after the first token, by the mean of a token */

/*
 * Times that follow from others, and requests at once, on average: SGLang says it. By Little's
 * law it is the rate times the time a request takes, which is below the limit that was asked for
 * when few came. Where nothing tells, all came at once that no rate held back.
 */
static void
complete(struct measured_load *b, double life, double said, double limit)
{
	const double steps = b->generate_tokens > 1 ? b->generate_tokens - 1 : 0;
	double mean = 0;

	if (!(b->tokens_per_second > 0))
		b->tokens_per_second = b->requests_per_second * b->generate_tokens;
	if (!(b->tpot_seconds > 0) && b->ttft_seconds > 0 && life > b->ttft_seconds && steps > 0)
		b->tpot_seconds = (life - b->ttft_seconds) / steps;
	/* inference-perf counted empty chunks as tokens in early 2026 */
	b->tpot_halved = b->tpot_seconds > 0 && b->ttft_seconds > 0 && steps > 0 &&
	    b->tpot_seconds * steps < halved * (life - b->ttft_seconds);
	if (b->tpot_halved)
		b->tpot_seconds = (life - b->ttft_seconds) / steps;
	if (!(life > 0) && (b->tpot_seconds > 0 || !(steps > 0)))
		life = b->ttft_seconds + steps * b->tpot_seconds;
	mean = b->requests_per_second * life;
	b->concurrency = said > 0 ? said : mean > 0 && !(limit > 0 && limit < mean) ? mean : limit;
	if (!(b->concurrency > 0) && !b->rate_limited)
		b->concurrency = (double)b->completed;
}

/* Requests a second that came: 0 and what no client sends (trtllm-bench: 1e15) are no limit. */
static bool
is_rate(double rate)
{
	return rate > 0 && rate < 1e9;
}

/* The rate at which requests came: a number; "inf" and Infinity are none. */
static void
put_rate(struct measured_load *b, double rate, double burstiness)
{
	b->rate_limited = is_rate(rate);
	b->rate = b->rate_limited ? rate : 0;
	b->burstiness = b->rate_limited ? burstiness : 0;
}

/* A figure that may be another word. */
static double
quiet_figure(const struct jsonin *j, const char *key)
{
	struct file_errors ignored = { 0 };
	const struct jsonin quiet = { .root = j->root, .file = j->file, .errors = &ignored };
	double v;

	return jsonin_real(&quiet, key, 0, 1e18, &v) ? v : 0;
}

/* Means of one request from totals. */
static void
divide_totals(struct measured_load *b, double prompt, double generated)
{
	if (b->completed > 0) {
		b->prompt_tokens = prompt / (double)b->completed;
		b->generate_tokens = generated / (double)b->completed;
	}
}

/* The report of trtllm-bench. */
static bool
read_report(struct measured_load *b, const struct jsonin *j)
{
	if (!jsonin_int(j, "request_info.num_requests", 0, INT64_MAX, &b->completed) ||
	    !jsonin_has(j, "performance.request_throughput_req_s"))
		return false;
	b->tokens_per_second = figure(j, "performance.system_output_throughput_tok_s", 1);
	b->prompt_tokens = figure(j, "request_info.avg_input_length", 1);
	b->generate_tokens = figure(j, "request_info.avg_output_length", 1);
	b->ttft_seconds = figure(j, "streaming_metrics.avg_ttft_ms", 1e-3);
	b->tpot_seconds = figure(j, "streaming_metrics.avg_tpot_ms", 1e-3);
	b->requests_per_second = figure(j, "performance.request_throughput_req_s", 1);
	put_rate(b, figure(j, "world_info.issue_rate", 1), 0);
	complete(b, figure(j, "performance.avg_request_latency_ms", 1e-3),
	    figure(j, "request_info.avg_num_concurrent_requests", 1), 0);
	return true;
}

/* Where files of clients alone have their figures, and what seconds are in their units. */
struct summary {
	const char *told;  /* where it is one: that key is there */
	const char *count, *tokens, *prompt, *answer, *ttft, *tpot, *life, *requests, *rate, *limit;
	double seconds;
};

/* inference-perf's stage_N_lifecycle_metrics.json, and its summary of all, which has no rate; GenAI-Perf's
 * profile_export_genai_perf.json and AIPerf's profile_export_aiperf.json. */
static const struct summary summaries[] = {
	{ "successes.latency.request_latency.mean", "successes.count", "successes.throughput.output_tokens_per_sec",
	  "successes.prompt_len.mean successes.prompt_tokens.mean", "successes.output_len.mean successes.output_tokens.mean",
	  "successes.latency.time_to_first_token.mean", "successes.latency.time_per_output_token.mean",
	  "successes.latency.request_latency.mean", "successes.throughput.requests_per_sec", "load_summary.requested_rate",
	  "load_summary.concurrency", 1 },
	{ "request_latency.avg", "request_count.avg", "output_token_throughput.avg", "input_sequence_length.avg",
	  "output_sequence_length.avg", "time_to_first_token.avg", "inter_token_latency.avg", "request_latency.avg",
	  "request_throughput.avg", "input_config.loadgen.request_rate input_config.perf_analyzer.stimulus.request_rate "
	  "input_config.request_rate", "input_config.loadgen.concurrency input_config.perf_analyzer.stimulus.concurrency "
	  "input_config.concurrency", 1e-3 },
};

/* As figure(), of keys whose value may be another word. */
static double
quiet_figures(const struct jsonin *j, const char *keys)
{
	double v = 0;

	for (size_t n; *keys != '\0' && !(v > 0); keys += n + strspn(keys + n, " ")) {
		n = strcspn(keys, " ");
		v = quiet_figure(j, TEXT_OF(64, "%.*s", (int)n, keys));
	}
	return v;
}

static bool
read_summary(struct measured_load *b, const struct jsonin *j, const struct summary *s)
{
	if (!jsonin_has(j, s->told))
		return false;
	b->completed = (int64_t)larger(1, figure(j, s->count, 1)); /* GenAI-Perf counts since 0.0.9 */
	b->tokens_per_second = figure(j, s->tokens, 1);
	b->prompt_tokens = figure(j, s->prompt, 1);
	b->generate_tokens = figure(j, s->answer, 1);
	b->ttft_seconds = figure(j, s->ttft, s->seconds);
	b->tpot_seconds = figure(j, s->tpot, s->seconds);
	b->requests_per_second = figure(j, s->requests, 1);
	put_rate(b, quiet_figures(j, s->rate), 0);
	complete(b, figure(j, s->life, s->seconds), 0, quiet_figures(j, s->limit));
	return true;
}

/* False when it is no result of a benchmark. */
static bool
read_figures(struct measured_load *b, const struct jsonin *j)
{
	double duration;

	if (read_report(b, j))
		return true;
	for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++)
		if (read_summary(b, j, &summaries[i]))
			return true;
	if (!jsonin_int(j, "completed", 0, INT64_MAX, &b->completed) ||
	    (!jsonin_has(j, "output_throughput") && !jsonin_has(j, "output_token_throughput")))
		return false;
	divide_totals(b, figure(j, "total_input_tokens total_input", 1),
	    figure(j, "total_output_tokens total_output", 1));
	b->tokens_per_second = figure(j, "output_throughput output_token_throughput", 1);
	b->ttft_seconds = figure(j, "mean_ttft_ms median_ttft_ms median_ttft", 1e-3);
	b->tpot_seconds = figure(j, "mean_tpot_ms median_tpot_ms", 1e-3);
	b->requests_per_second = figure(j, "request_throughput", 1);
	duration = figure(j, "duration benchmark_duration", 1);
	if (!(b->requests_per_second > 0) && duration > 0)
		b->requests_per_second = (double)b->completed / duration;
	put_rate(b, quiet_figure(j, "request_rate"), quiet_figure(j, "burstiness"));
	complete(b, figure(j, "mean_e2el_ms mean_e2e_latency_ms mean_e2e_latency", 1e-3),
	    figure(j, "concurrency", 1), figure(j, "max_concurrency", 1));
	return true;
}

/* ---- what benchmarks print ------------------------------------------------------------- */

/* A new table begins: what an earlier one said is forgotten. */
static bool
begins_table(const char *line)
{
	return log_after(line, "= Serving Benchmark Result =") != NULL ||
	    log_after(line, "Number of requests:") != NULL || log_after(line, LOG_BENCH_TITLE) != NULL;
}

/* Figures of other tokens, whose words end as those of generated ones. */
static bool
counts_others(const char *line)
{
	return log_after(line, "Total Token Throughput") != NULL ||
	    log_after(line, "Generation Token Throughput") != NULL;
}

/* Behind a row's name its unit stands, where the column has room for it, and not another word. */
static bool
is_row(const char *line, const char *name)
{
	const size_t n = strlen(name);

	if (strncasecmp(line, name, n) != 0)
		return false;
	line += n + strspn(line + n, " ");
	return *line == '(' || strncmp(line, LOG_BENCH_BAR, strlen(LOG_BENCH_BAR)) == 0;
}

/* Rows of the tables of GenAI-Perf and AIPerf, whose capitals differ: a name, a bar, the mean. */
static bool
take_row(struct log_table *t, const char *line)
{
	static const struct {
		const char *name;
		size_t at;
		double scale;
	} rows[] = {
		{ "Time to first token", offsetof(struct log_table, ttft), 1e-3 },
		{ "Inter token latency", offsetof(struct log_table, tpot), 1e-3 },
		{ "Request latency", offsetof(struct log_table, life), 1e-3 },
		{ "Output sequence length", offsetof(struct log_table, answer), 1 },
		{ "Input sequence length", offsetof(struct log_table, prompt), 1 },
		{ "Output token throughput", offsetof(struct log_table, tokens), 1 },
		{ "Request throughput", offsetof(struct log_table, requests), 1 },
		{ "Request count", offsetof(struct log_table, completed), 1 },
	};
	const char *name = log_after(line, LOG_BENCH_BAR);
	double v;

	if (name == NULL || !log_number(log_after(name, LOG_BENCH_BAR), &v))
		return false;
	name += strspn(name, " ");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (is_row(name, rows[i].name)) {
			*(double *)((char *)t + rows[i].at) = v * rows[i].scale;
			return true;
		}
	return false;
}

bool
log_bench_line(struct log_table *t, const char *line)
{
	static const struct {
		const char *word;
		size_t at;
		double scale;
	} lines[] = {
		{ "Successful requests:", offsetof(struct log_table, completed), 1 },
		{ "Maximum request concurrency:", offsetof(struct log_table, limit), 1 },
		{ "Max request concurrency:", offsetof(struct log_table, limit), 1 },
		{ "Concurrency:", offsetof(struct log_table, concurrency), 1 },
		{ "Total input tokens:", offsetof(struct log_table, prompts), 1 },
		{ "Total generated tokens:", offsetof(struct log_table, generated), 1 },
		{ "Request throughput (req/s):", offsetof(struct log_table, requests), 1 },
		{ "Output token throughput (tok/s):", offsetof(struct log_table, tokens), 1 },
		{ "Mean TTFT (ms):", offsetof(struct log_table, ttft), 1e-3 },
		{ "Mean TPOT (ms):", offsetof(struct log_table, tpot), 1e-3 },
		{ "Mean E2EL (ms):", offsetof(struct log_table, life), 1e-3 },
		{ "Mean E2E Latency (ms):", offsetof(struct log_table, life), 1e-3 },
		{ "Number of requests:", offsetof(struct log_table, completed), 1 },
		{ "Number of concurrent requests:", offsetof(struct log_table, concurrency), 1 },
		{ "Average Input Length (tokens):", offsetof(struct log_table, prompt), 1 },
		{ "Average Output Length (tokens):", offsetof(struct log_table, answer), 1 },
		{ "Request Throughput (req/sec):", offsetof(struct log_table, requests), 1 },
		{ "Total Output Throughput (tokens/sec):", offsetof(struct log_table, tokens), 1 },
		{ "Token Throughput (tokens/sec):", offsetof(struct log_table, tokens), 1 },
		{ "Average request latency (ms):", offsetof(struct log_table, life), 1e-3 },
		{ "time-to-first-token (ms):", offsetof(struct log_table, ttft), 1e-3 },
		{ "inter-token latency (ms):", offsetof(struct log_table, tpot), 1e-3 },
		{ "time-to-first-token [TTFT] (ms):", offsetof(struct log_table, ttft), 1e-3 },
		{ "time-per-output-token [TPOT] (ms):", offsetof(struct log_table, tpot), 1e-3 },
	};
	const bool others = counts_others(line);
	bool took = take_row(t, line);
	double v;

	/* before the table: of the run that follows */
	if (log_number(log_after(line, "raffic request rate:"), &v) ||
	    log_number(log_after(line, "Request rate configured (RPS):"), &v) ||
	    log_number(log_after(line, "Issue Rate (req/sec):"), &v))
		t->rate = v;
	else if (log_after(line, "raffic request rate:") != NULL)
		t->rate = 0;
	if (log_number(log_after(line, "Burstiness factor:"), &v))
		t->burstiness = v;
	if (begins_table(line))
		*t = (struct log_table){ .rate = t->rate, .burstiness = t->burstiness, .results = t->results + 1 };
	for (size_t i = 0; i < sizeof lines / sizeof *lines && !others; i++)
		if (log_number(log_after(line, lines[i].word), &v)) {
			*(double *)((char *)t + lines[i].at) = v * lines[i].scale;
			took = true;
		}
	return took;
}

void
log_bench_end(struct measured_load *b, const struct log_table *t)
{
	b->results = t->results;
	b->completed = (int64_t)smaller(larger(t->completed, 0), 1e15);
	b->ttft_seconds = t->ttft;
	b->tpot_seconds = t->tpot;
	b->tokens_per_second = t->tokens;
	b->requests_per_second = t->requests;
	put_rate(b, t->rate, t->burstiness);
	divide_totals(b, t->prompts, t->generated);
	if (t->prompt > 0 || t->answer > 0) {
		b->prompt_tokens = t->prompt;
		b->generate_tokens = t->answer;
	}
	complete(b, t->life, t->concurrency, t->limit);
}

/* ---- files ----------------------------------------------------------------------------- */

bool
log_bench_check(const struct measured_load *b, const char *file, struct file_errors *errors)
{
	if (b->completed > 0 && b->tokens_per_second > 0)
		return true;
	errors_add(errors, file, 0, "", "no request of this benchmark was completed");
	return false;
}

bool
log_bench_read(struct measured_load *b, const char *text, size_t n, const char *file,
    struct file_errors *errors)
{
	FILE *in = fmemopen((char *)text, n, "r"); /* as a log's, in which Python's NaN is nothing */
	struct jsonin j;
	bool ok;
	size_t before;

	if (in == NULL) {
		errors_add(errors, file, 0, "", "out of memory");
		return false;
	}
	ok = jsonin_load(&j, in, file, errors);
	before = errors->count;
	fclose(in);
	if (ok) {
		b->results = j.texts;
		ok = read_figures(b, &j);
		if (!ok && errors->count == before)
			errors_add(errors, file, 0, "", "is JSON, but no result of a serving benchmark: "
			    "'completed' or 'output_throughput' of vllm bench serve --save-result or "
			    "sglang.bench_serving --output-file, 'request_info' of trtllm-bench --report_json, "
			    "'request_latency' of GenAI-Perf, AIPerf or, below 'successes', of inference-perf, is missing");
		ok = ok && errors->count == before;
	}
	ok = ok && log_bench_check(b, file, errors);
	jsonin_free(&j);
	return ok;
}
