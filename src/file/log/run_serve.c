/*
 * Programs that serve: start-up lines, weights, pools and tokens; tables of benchmarks (log_bench.h); and what
 * engines say now and then: vLLM v1/metrics/loggers.py, SGLang srt/managers/
 * scheduler_metrics_mixin.py.
 */
#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run_rows.h"

/* Shares of the pool at which it is full, at which requests of some length were just evicted from it or
 * find no room, and at which it is mostly free. */
#define FULL 0.9
#define NEAR_FULL 0.75
#define FREE 0.5

/* ---- as an engine starts ------------------------------------------------------------------ */

static void
keep_most(double *kept, double v)
{
	if (v > *kept)
		*kept = v;
}

/* Workers share one number of blocks, so the least pool counts. */
static void
keep_least(double *kept, double v)
{
	if (v > 0 && (!(*kept > 0) || v < *kept))
		*kept = v;
}

TAKES(vllm_weights)
{
	keep_most(&r->m->engine.weight_bytes, log_number_after(after, "") * GIB);
}

TAKES(vllm_pool)
{
	keep_least(&r->m->engine.kv_pool_bytes, log_number_after(after, "") * GIB);
}

TAKES(vllm_tokens)
{
	keep_least(&r->m->engine.kv_tokens, log_number_after(after, ""));
}

TAKES(vllm_blocks)
{
	keep_least(&r->m->engine.kv_blocks, log_number_after(after, ""));
}

/* "Maximum concurrency for 32,768 tokens per request: 4.29x" */
TAKES(vllm_requests)
{
	const char *rest = log_after(line, "tokens per request:");
	double v;

	if (rest == NULL || !log_number(after, &v))
		return;
	r->m->engine.context_length = v;
	if (log_number(rest, &v))
		r->m->engine.max_concurrency = v;
}

/* "Load weight begin. avail mem=21.63 GB" */
TAKES(sglang_free)
{
	r->pools.free_before = log_number_after(after, "avail mem=") * GIB;
}

/* "Load weight end. type=Qwen2ForCausalLM, ..., avail mem=6.09 GB, mem usage=15.54 GB.", the usage since 0.4.3 */
TAKES(sglang_weights)
{
	const double left = log_number_after(after, "avail mem=") * GIB;
	const double used = log_number_after(after, "mem usage=") * GIB;

	keep_most(&r->m->engine.weight_bytes, used > 0 ? used : left > 0 ? r->pools.free_before - left : 0);
}

/*
 * "KV Cache is allocated. #tokens: 46611, K size: 1.42 GB, V size: 1.42 GB", of a latent
 * cache "KV size: 17.99 GB", lately "dtype: torch.bfloat16, #tokens: ...", before 0.4.3
 * without tokens. A draft model has a smaller one of its own.
 */
TAKES(sglang_pool)
{
	double bytes = log_number_after(after, "KV size:");

	if (strstr(line, "VirtualKV Cache") != NULL) {
		r->said[SOURCE_SGLANG]--; /* kvcached's, which is no pool */
		return;
	}
	if (!(bytes > 0))
		bytes = log_number_after(after, " K size:") + log_number_after(after, " V size:");
	keep_most(&r->pools.kv, bytes * GIB);
	keep_most(&r->pools.listed_tokens, log_number_after(after, "#tokens:"));
}

TAKES(sglang_windows)
{
	keep_most(&r->pools.windowed, log_number_after(after, "") * GIB);
	keep_most(&r->pools.listed_tokens, log_number_after(after, "full size:"));
}

TAKES(sglang_states)
{
	keep_most(&r->pools.states, (log_number_after(after, "conv_state size:") +
	    log_number_after(after, "ssm_state size:")) * GIB);
}

/* "max_total_num_tokens=46611, chunked_prefill_size=2048, ..." */
TAKES(sglang_tokens)
{
	keep_least(&r->pools.running_tokens, log_number_after(after, ""));
}

/* "Memory used after loading model weights (inside torch) in memory usage profiling: 63.52 GiB" */
TAKES(trtllm_weights)
{
	keep_most(&r->m->engine.weight_bytes, log_number_after(after, "profiling:") * GIB);
}

/* Of built engines "Loaded engine size: 6678 MiB". */
TAKES(trtllm_built)
{
	keep_most(&r->m->engine.weight_bytes, log_number_after(after, "") * MIB);
}

/* "[MemUsageChange] Allocated 62.99 GiB for max tokens in paged KV cache (294848).": the first pool only measures, so
 * the last one counts. */
TAKES(trtllm_pool)
{
	r->m->engine.kv_pool_bytes = log_number_after(line, "Allocated ") * GIB;
	r->m->engine.kv_tokens = log_number_after(after, "");
}

/* "Max KV cache blocks per sequence: 65 [window size=2049], tokens per block=32, primary blocks=13189", before "Number
 * of blocks in KV cache primary pool: 4607" */
TAKES(trtllm_blocks)
{
	r->m->engine.kv_blocks = log_number_after(after, "");
}

/* ---- what benchmarks and engines say ------------------------------------------------------ */

TAKES(bench_line)
{
	if (!log_bench_line(&r->table, line))
		r->said[SOURCE_BENCHMARK]--;
}

/* What waits and what is used of the pool tells what an engine lacks. */
static void
say_pool(struct run_reader *r, const char *line, double waiting, double used)
{
	if (waiting > 0 && used >= FULL)
		run_say(r, EVIDENCE_POOL_FULL, line, waiting);
	else if (waiting > 0 && used >= NEAR_FULL)
		run_say(r, EVIDENCE_POOL_NEAR, line, waiting);
	else if (used > 0 && used < FREE)
		run_say(r, waiting > 0 ? EVIDENCE_POOL_EMPTY : EVIDENCE_POOL_FREE, line, waiting);
}

/* Engines whose lines are numbered, from 0. */
static void
count_engine(struct run_reader *r, int64_t number)
{
	if (number >= r->engines && number < 1000000)
		r->engines = number + 1;
}

/* What stands before " Engines Aggregated: ", whose line is of all of them. */
static double
aggregated(const char *line)
{
	const char *word = strstr(line, " Engines Aggregated:");
	const char *from = word;

	while (from != NULL && from > line && from[-1] >= '0' && from[-1] <= '9')
		from--;
	return word != NULL ? larger(1, log_number_after(from, "")) : 1;
}

/* "Engine 000: Avg prompt throughput: 6102.8 tokens/s, Avg generation throughput: 1221.7 tokens/s,
 * Running: 259 reqs, Waiting: 535 reqs, GPU KV cache usage: 82.3%, Prefix cache hit rate: 32.2%" */
TAKES(vllm_rates)
{
	const double rate = log_number_after(after, "");

	if (!(log_number_after(line, "Running:") > 0))
		return;
	run_add(r, MEASURED_GENERATED, -1, rate);
	run_add(r, MEASURED_RUNNING, -1, log_number_after(line, "Running:") / aggregated(line));
	count_engine(r, log_integer_after(line, "Engine "));
	if (log_number_after(line, "Preemptions:") > 0) /* since 0.16, of the ten seconds */
		run_say(r, EVIDENCE_PREEMPTED, line, 0);
	say_pool(r, line, log_number_after(line, "Waiting:") + log_number_after(line, "Pending:"),
	    log_number_after(line, "KV cache usage:") / 100);
}

/* "Decode batch. #running-req: 64, #token: 131072, token usage: 0.46, accept len: 2.50, cuda graph:
 * True, gen throughput (token/s): 2310.5, #queue-req: 0": a step gives each request its token, or
 * those that were accepted. */
TAKES(sglang_decode)
{
	const double running = log_number_after(line, "#running-req:");
	const double accepted = larger(1, log_number_after(line, "accept len:"));
	const double rate = log_number_after(after, "");

	if (!(running > 0) || !(rate > 0))
		return;
	r->decodes++;
	count_engine(r, log_integer_after(line, " DP"));
	run_add(r, MEASURED_GENERATED, -1, rate);
	run_add(r, MEASURED_RUNNING, -1, running);
	run_add(r, MEASURED_DECODE, -1, running * accepted / rate);
	say_pool(r, line, log_number_after(line, "#queue-req:"), log_number_after(line, "token usage:"));
}

/* "Prefill batch, #new-seq: 4, #new-token: 8192, .., #running-req: 10, #queue-req: 100": while others
 * generate, they wait. */
TAKES(sglang_prefill)
{
	r->prefills += log_number_after(line, "#running-req:") > 0;
}

/* "iter = 8, global_rank = 0, .., host_step_time = 20.5ms, prev_device_step_time = 19.9ms, .., states =
 * {'num_ctx_requests': 0, 'num_ctx_tokens': 0, 'num_generation_tokens': 32}" of steps without prompts. */
TAKES(trtllm_step)
{
	if (run_value(line, "'num_ctx_tokens'") > 0 || !(run_value(line, "'num_generation_tokens'") > 0))
		return;
	run_add(r, MEASURED_DECODE, log_integer_after(line, "iter ="), log_number_after(after, "") / 1e3);
}

/* "Decode 0. Batch size: 4, latency: 0.01189 s, throughput: 336.47 token/s" of sglang.bench_one_batch;
 * before 2025 without the size. */
TAKES(one_batch_size)
{
	if (strstr(line, "Decode ") != NULL)
		run_fact_number(r, FIELD_CONCURRENCY, log_number_after(after, ""));
}

/* "kv_cache_dtype=fp8_e5m2", with quotes in SGLang; "auto" is that of the weights. */
static void
cache_format(struct run_reader *r, const char *after)
{
	char word[16];

	run_word(word, sizeof word, log_after(after, " kv_cache_dtype="));
	if (strncmp(word, "fp8", 3) == 0)
		run_fact(r, FIELD_KV_DTYPE, "fp8");
}

/* Graphs are asked for; whether steps run them other lines say. */
static void
graphs_asked(struct run_reader *r, const char *line, const char *words)
{
	if (strstr(line, words) == NULL)
		return;
	run_say(r, EVIDENCE_GRAPHS, line, 0);
	r->graphs_asked++;
}

/* A line with all arguments is the engine's launch (file/launches/engine_log.h). */
TAKES(vllm_arguments)
{
	run_launch(r, line, false);
}

/* A line of all arguments: "tensor_parallel_size=2, pipeline_parallel_size=1" of vLLM; "tp_size=16,
 * pp_size=1" of SGLang. */
TAKES(vllm_config)
{
	run_fact_number(r, FIELD_TP, log_number_after(after, "tensor_parallel_size="));
	run_fact_number(r, FIELD_PP, log_number_after(after, "pipeline_parallel_size="));
	cache_format(r, after);
	graphs_asked(r, line, "enforce_eager=False");
	run_launch(r, line, false);
	run_release(r, line, "vllm", after);
}

TAKES(sglang_config)
{
	run_fact_number(r, FIELD_TP, log_number_after(after, " tp_size="));
	run_fact_number(r, FIELD_PP, log_number_after(after, " pp_size="));
	cache_format(r, after);
	graphs_asked(r, line, "disable_cuda_graph=False");
	run_launch(r, line, false);
}

/* Times of a load that came as it was served; at a given rate they are of that rate. */
void
run_serve_load(struct run_reader *r)
{
	const struct measured_load *b = &r->m->load;

	run_fact_number(r, FIELD_PROMPT_TOKENS, round(b->prompt_tokens));
	run_fact_number(r, FIELD_GENERATE_TOKENS, round(b->generate_tokens));
	run_fact_number(r, FIELD_CONCURRENCY, round(b->concurrency));
	if (b->rate_limited)
		return;
	run_add(r, MEASURED_TTFT, -1, b->ttft_seconds);
	run_add(r, MEASURED_TPOT, -1, b->tpot_seconds);
	run_add(r, MEASURED_GENERATED, -1, b->tokens_per_second);
}

/* SGLang says every 40th step of generation, and each of prompts. */
#define STEPS_SAID 40
#define CROWDED 0.25

void
run_serve_end(struct run_reader *r)
{
	struct measured *m = r->m;
	struct measured_engine *e = &m->engine;
	const double share = (double)r->prefills / (STEPS_SAID * larger(1, (double)r->decodes));

	if (m->evidence[EVIDENCE_EAGER].count > 0 && m->evidence[EVIDENCE_GRAPHS].count == r->graphs_asked)
		m->evidence[EVIDENCE_GRAPHS] = (struct evidence){ 0 };
	if (r->engines > 1) /* the rate that is estimated is of all */
		series_scale(&m->series[MEASURED_GENERATED], (double)r->engines);
	if (r->decodes > 0 && share > CROWDED)
		run_say(r, EVIDENCE_PREFILLS, TEXT_OF(MEASURED_TEXT, "%zu batches of prompts in about %zu steps",
		    r->prefills, STEPS_SAID * r->decodes), share);
	if (r->said[SOURCE_SGLANG] > r->said[SOURCE_VLLM] + r->said[SOURCE_TRTLLM]) {
		e->kv_pool_bytes = (r->pools.windowed > 0 ? r->pools.windowed : r->pools.kv) + r->pools.states;
		e->kv_tokens = r->pools.running_tokens > 0 ? r->pools.running_tokens : r->pools.listed_tokens;
	}
	if (r->said[SOURCE_BENCHMARK] > 0)
		log_bench_end(&m->load, &r->table);
	run_add(r, MEASURED_WEIGHTS, -1, e->weight_bytes);
	run_add(r, MEASURED_POOL, -1, e->kv_pool_bytes);
	run_add(r, MEASURED_KV_TOKENS, -1, e->kv_tokens);
	run_serve_load(r);
}

const struct run_row run_serve_rows[] = {
	{ "Model loading took", SOURCE_VLLM, BY(vllm_weights) },
	{ "Loading model weights took", SOURCE_VLLM, BY(vllm_weights) },
	{ "model weights take", SOURCE_VLLM, BY(vllm_weights) },
	{ "Available KV cache memory:", SOURCE_VLLM, BY(vllm_pool) },
	{ "memory reserved for KV Cache is", SOURCE_VLLM, BY(vllm_pool) },
	{ "GPU KV cache size:", SOURCE_VLLM, BY(vllm_tokens) },
	{ "# GPU blocks:", SOURCE_VLLM, BY(vllm_blocks) },
	{ "Maximum concurrency for", SOURCE_VLLM, BY(vllm_requests) },
	{ "Avg generation throughput:", SOURCE_VLLM, BY(vllm_rates) },
	{ "Load weight begin.", SOURCE_SGLANG, BY(sglang_free) },
	{ "Load weight end.", SOURCE_SGLANG, BY(sglang_weights) },
	{ "KV Cache is allocated.", SOURCE_SGLANG, BY(sglang_pool) },
	{ "SWAKVPool mem usage:", SOURCE_SGLANG, BY(sglang_windows) },
	{ "Mamba Cache is allocated.", SOURCE_SGLANG, BY(sglang_states) },
	{ "max_total_num_tokens=", SOURCE_SGLANG, BY(sglang_tokens) },
	{ "gen throughput (token/s):", SOURCE_SGLANG, BY(sglang_decode) },
	{ "Prefill batch", SOURCE_SGLANG, BY(sglang_prefill) },
	{ "server_args=ServerArgs(", SOURCE_SGLANG, BY(sglang_config) },
	{ " LLM engine (v", SOURCE_VLLM, BY(vllm_config) },
	{ "non-default args: {", SOURCE_VLLM, BY(vllm_arguments) },
	{ "args: Namespace(", SOURCE_ASIDE, BY(vllm_arguments) },
	{ ". Batch size: ", SOURCE_ASIDE, BY(one_batch_size) },
	{ "Decode.  median latency:", SOURCE_SGLANG, TELLS(SAMPLE, MEASURED_DECODE, NULL) },
	{ " total tokens/s, ", SOURCE_VLLM, TELLS(SAMPLE, MEASURED_GENERATED, NULL) },
	{ "host_step_time =", SOURCE_TRTLLM, BY(trtllm_step) },
	{ "Memory used after loading model weights (inside torch)", SOURCE_TRTLLM, BY(trtllm_weights) },
	{ "Loaded engine size:", SOURCE_TRTLLM, BY(trtllm_built) },
	{ "for max tokens in paged KV cache (", SOURCE_TRTLLM, BY(trtllm_pool) },
	{ "blocks in KV cache primary pool:", SOURCE_TRTLLM, BY(trtllm_blocks) },
	{ "primary blocks=", SOURCE_TRTLLM, BY(trtllm_blocks) },
	{ "raffic request rate:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Request rate configured (RPS):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Issue Rate (req/sec):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "= Serving Benchmark Result =", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Successful requests:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Maximum request concurrency:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Max request concurrency:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Concurrency:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Total input tokens:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Total generated tokens:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Request throughput (req/s):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Output token throughput (tok/s):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Mean TTFT (ms):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Mean TPOT (ms):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Mean E2EL (ms):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Mean E2E Latency (ms):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Number of requests:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Number of concurrent requests:", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Average Input Length (tokens):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Average Output Length (tokens):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Request Throughput (req/sec):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Output Throughput (tokens/sec):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Token Throughput (tokens/sec):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "Average request latency (ms):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "time-to-first-token", SOURCE_BENCHMARK, BY(bench_line) },
	{ "inter-token latency (ms):", SOURCE_BENCHMARK, BY(bench_line) },
	{ "time-per-output-token", SOURCE_BENCHMARK, BY(bench_line) },
	{ LOG_BENCH_TITLE, SOURCE_BENCHMARK, BY(bench_line) },
	{ LOG_BENCH_BAR " ", SOURCE_BENCHMARK, BY(bench_line) },
	{ .words = NULL },
};
