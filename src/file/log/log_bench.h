/*
 * log_bench.h - results of serving benchmarks.
 *
 * Keys as these write them: vLLM vllm/benchmarks/serve.py (--save-result), before that
 * benchmarks/benchmark_serving.py; SGLang python/sglang/bench_serving.py (--output-file,
 * one result a line; medians instead of means before 0.4); TensorRT-LLM
 * tensorrt_llm/bench/dataclasses/reporting.py (trtllm-bench --report_json). And the tables that
 * all of these print, trtllm-bench's of 0.13 on.
 */
#ifndef FILE_LOG_BENCH_H
#define FILE_LOG_BENCH_H
#include <stdio.h>

#include "file/log/log.h"

/* What the lines of a table have told; all zero is the beginning. Seconds, totals of all
 * requests, or means of one (prompt, answer). */
struct log_table {
	double completed, limit, concurrency, rate;
	double prompts, generated, prompt, answer;
	double requests, tokens, ttft, tpot;
	double life; /* from a request to its last token */
};

/* Take one line of a log; marks as for log_serve_line. */
void log_bench_line(struct log_report *out, struct log_table *t, size_t *marks,
    const char *line);

/* Put together what the lines have told. */
void log_bench_end(struct log_report *out, const struct log_table *t);

/* False, with a complaint, for a benchmark without a request that came to its end. */
bool log_bench_check(const struct log_benchmark *b, const char *file,
    struct file_errors *errors);

/* Read the rest of a stream. False after a complaint. */
bool log_bench_read(struct log_report *out, FILE *in, const char *file,
    struct file_errors *errors);
#endif
