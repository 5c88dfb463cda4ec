/*
 * log_bench.h - results of serving benchmarks.
 *
 * Keys as these write them: vLLM vllm/benchmarks/serve.py (--save-result), before that
 * benchmarks/benchmark_serving.py; SGLang python/sglang/bench_serving.py (--output-file,
 * one result a line; medians instead of means before 0.4); TensorRT-LLM
 * tensorrt_llm/bench/dataclasses/reporting.py (trtllm-bench --report_json). And the tables that
 * all of these print, trtllm-bench's of 0.13 on. Of clients alone: triton-inference-server/perf_analyzer genai-perf,
 * ai-dynamo/aiperf, kubernetes-sigs/inference-perf inference_perf/reportgen/base.py.
 */
#ifndef FILE_LOG_BENCH_H
#define FILE_LOG_BENCH_H
#include <stddef.h>

#include "core/diagnose/measured.h"
#include "file/plan/planfile.h"

/* A title of GenAI-Perf's and AIPerf's tables, and what stands between their columns. */
#define LOG_BENCH_TITLE "| LLM Metrics"
#define LOG_BENCH_BAR "\xe2\x94\x82"

/* What the lines of a table have told; all zero is the beginning. Seconds, totals of all
 * requests, or means of one (prompt, answer). */
struct log_table {
	size_t results; /* tables that were begun */
	double completed, limit, concurrency, rate, burstiness;
	double prompts, generated, prompt, answer;
	double requests, tokens, ttft, tpot;
	double life; /* from a request to its last token */
};

/* Take one line of a log; false where it is none of a table. */
bool log_bench_line(struct log_table *t, const char *line);

/* Put together what the lines have told. */
void log_bench_end(struct measured_load *b, const struct log_table *t);

/* False, with a complaint, for a benchmark without a request that came to its end. */
bool log_bench_check(const struct measured_load *b, const char *file,
    struct file_errors *errors);

/* Read a result of n bytes, which a NUL follows. False after a complaint. */
bool log_bench_read(struct measured_load *b, const char *text, size_t n, const char *file,
    struct file_errors *errors);
#endif
