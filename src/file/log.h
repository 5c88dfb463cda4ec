/*
 * log.h - what the log of a training or serving run says about time and memory.
 *
 * Which program wrote it is recognised by its lines, each as these print them:
 * Megatron-LM megatron/training/training.py (training_log) and utils.py (report_memory);
 * torchtitan torchtitan/components/metrics.py; nanotron src/nanotron/trainer.py
 * (train_step_logs) and logging (log_memory); vLLM vllm/v1/worker/gpu_worker.py,
 * gpu_model_runner.py and vllm/v1/core/kv_cache_utils.py, and the older
 * vllm/worker/worker.py.
 */
#ifndef FILE_LOG_H
#define FILE_LOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_kind { LOG_MEGATRON, LOG_TORCHTITAN, LOG_NANOTRON, LOG_VLLM, LOG_KINDS };
const char *log_kind_name(enum log_kind kind);

enum { LOG_MEMORIES_MAX = 1024 };

/* Peak memory of one process, in bytes; 0 what its program does not print. */
struct log_memory {
	int64_t rank, stage;   /* -1 where the line does not say */
	int64_t iterations;    /* after how many it was printed, -1 unknown */
	double allocated;      /* PyTorch's max_memory_allocated */
	double reserved;       /* max_memory_reserved */
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
	/* Serving: of the fullest worker. */
	double weight_bytes, kv_pool_bytes, kv_tokens, kv_blocks;
	double max_concurrency;
	double context_length; /* the request that max_concurrency is about */
};

/* Read a log, "-" for standard input, of any length. Large: allocate the report. False,
 * with the reason in why, when it can not be read or holds nothing that is known. */
bool log_read(struct log_report *out, const char *path, char *why, size_t size);
#endif
