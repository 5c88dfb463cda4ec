/*
 * log.h - one run's log, for `calibrate`: which program wrote it, and the numbers to fit.
 */
#ifndef FILE_LOG_H
#define FILE_LOG_H
#include <stdbool.h>
#include <stddef.h>

#include "core/diagnose/measured.h"
#include "file/plan/planfile.h"

/* Programs that train, then those that serve. */
enum log_kind {
	LOG_MEGATRON, LOG_TORCHTITAN, LOG_NANOTRON, LOG_DEEPSPEED, LOG_TRAINER, LOG_VLLM, LOG_SGLANG,
	LOG_TRTLLM, LOG_BENCHMARK, LOG_KINDS
};
const char *log_kind_name(enum log_kind kind);

struct log_report {
	enum log_kind kind;
	/* Training: medians of the steady state; 0 where nothing is printed. */
	size_t iterations;     /* that the medians are over */
	bool first_alone;      /* there was only the first iteration */
	double seconds;        /* one step */
	double tokens_per_second_per_gpu;
	double tflops_per_gpu; /* as the program counts it */
	struct measured run;   /* all else that it says */
};

/* Read what one run left in n files, "-" for standard input, of any length. Large: allocate the
 * report. False, with a line in errors, when one can not be read or they hold nothing to fit. */
bool log_read(struct log_report *out, const char *const *path, int n, struct file_errors *errors);
#endif
