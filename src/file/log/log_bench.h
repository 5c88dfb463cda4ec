/*
 * log_bench.h - results of serving benchmarks.
 *
 * Keys as these write them: vLLM vllm/benchmarks/serve.py (--save-result), before that
 * benchmarks/benchmark_serving.py; SGLang python/sglang/bench_serving.py (--output-file,
 * one result a line).
 */
#ifndef FILE_LOG_BENCH_H
#define FILE_LOG_BENCH_H
#include <stdio.h>

#include "file/log/log.h"

/* Read the rest of a stream. False after a complaint. */
bool log_bench_read(struct log_report *out, FILE *in, const char *file,
    struct file_errors *errors);
#endif
