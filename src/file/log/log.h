/*
 * log.h - what the log of a training or serving run says about time and memory.
 *
 * Which program wrote it is recognised by its lines, each as these print them:
 * Megatron-LM megatron/training/training.py (training_log) and utils.py (report_memory);
 * torchtitan torchtitan/components/metrics.py; nanotron src/nanotron/trainer.py
 * (train_step_logs) and logging (log_memory); vLLM vllm/v1/worker/gpu_worker.py,
 * gpu_model_runner.py and vllm/v1/core/kv_cache_utils.py, and the older
 * vllm/worker/worker.py; SGLang python/sglang/srt/model_executor/model_runner.py,
 * mem_cache/memory_pool.py and swa_memory_pool.py, managers/scheduler.py; TensorRT-LLM
 * tensorrt_llm/_torch/pyexecutor/_util.py and
 * cpp/tensorrt_llm/batch_manager/kvCacheManager.cpp. A file that begins with '{' is the
 * JSON result of a benchmark (log_bench.h).
 */
#ifndef FILE_LOG_H
#define FILE_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "file/plan/planfile.h"

/* Programs that train, then those that serve. */
enum log_kind {
	LOG_MEGATRON, LOG_TORCHTITAN, LOG_NANOTRON, LOG_VLLM, LOG_SGLANG, LOG_TRTLLM,
	LOG_BENCHMARK, LOG_KINDS
};
const char *log_kind_name(enum log_kind kind);

enum { LOG_MEMORIES_MAX = 1024 };

/* Peak memory of one process, in bytes; 0 what its program does not print. */
struct log_memory {
	int64_t rank, stage;   /* -1 where the line does not say */
	int64_t iterations;    /* after how many it was printed, -1 unknown */
	double allocated;      /* PyTorch's max_memory_allocated */
	double reserved;       /* max_memory_reserved */
};

/* A benchmark of a serving engine: means over the completed requests, 0 where nothing is
 * said. */
struct log_benchmark {
	size_t results;               /* in the file; this is the last one */
	int64_t completed;
	double prompt_tokens, generate_tokens; /* of a request */
	double concurrency;           /* requests at once */
	bool rate_limited;            /* they came at a given rate, not as fast as served */
	double ttft_seconds, tpot_seconds;
	double tokens_per_second;     /* generated */
	double requests_per_second;
};

struct log_report {
	enum log_kind kind;
	/* Training: medians over all iterations but the first; 0 where nothing is printed. */
	size_t iterations;     /* that the medians are over */
	bool first_alone;      /* there was only the first iteration */
	double seconds;        /* one step */
	double tokens_per_second_per_gpu;
	double tflops_per_gpu; /* as the program counts it */
	size_t memories;
	struct log_memory memory[LOG_MEMORIES_MAX]; /* one for each rank or stage */
	struct log_benchmark benchmark;
	/* Serving: of the fullest worker; the pool with the states of linear attention. */
	double weight_bytes, kv_pool_bytes, kv_tokens, kv_blocks;
	double max_concurrency;
	double context_length; /* the request that max_concurrency is about */
};

/* Read a log, "-" for standard input, of any length. Large: allocate the report. False,
 * with a line in errors, when it can not be read or holds nothing that is known. */
bool log_read(struct log_report *out, const char *path, struct file_errors *errors);
#endif
