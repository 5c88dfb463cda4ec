/*
 * Other programs that train: torchtitan components/metrics.py, tools/utils.py; nanotron trainer.py
 * (train_step_logs); NeMo AutoModel recipes (train_ft.py), Composer loggers/console_logger.py, MaxText
 * common/metric_logger.py; DeepSpeed utils/timer.py, runtime/utils.py, runtime/config.py,
 * utils/comms_logging.py.
 */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run_rows.h"

/* ---- torchtitan ----------------------------------------------------------------------------- */

/* A share of the memory that tells all of it. */
#define TOLD 0.05

/* A share as "81.05%" after a figure in a form such as "77.01GiB(81.05%)". */
static double
percent_after(const char *text, const char *word)
{
	return log_number_after(text, word) / 100;
}

/* "step: 10  loss: 7.1  grad_norm: 1.0  memory: 77.01GiB(81.05%)  tps: 5,762  tflops: 333.1
 * mfu: 33.7%", the tokens those of one GPU ("wps" in older versions). The percentages tell the
 * GPU's memory and the peak that is divided by. */
TAKES(titan_step)
{
	const int64_t step = log_integer_after(line, "step:");
	const char *memory = log_after(line, " memory:");
	const double tflops = log_number_after(line, " tflops:"), tokens = log_number_after(after, "");
	const double mfu = percent_after(line, " mfu:"), held = log_number_after(memory != NULL ?
	    memory : "", "");
	const char *share = memory != NULL ? strchr(memory, '(') : NULL;
	const double filled = share != NULL ? percent_after(share + 1, "") : 0;

	if (step < 0 || strstr(line, "validate step") != NULL)
		return;
	run_add(r, MEASURED_TOKENS_GPU, step, tokens);
	if (tokens > 0)
		run_fall_back(r, FALLBACK_PACE, step, 1 / tokens);
	run_add(r, MEASURED_TFLOPS, step, tflops);
	if (filled > TOLD) /* both are rounded */
		run_fact_number(r, FACT_CAPACITY, held * GIB / filled);
	if (mfu > 0.01)
		run_fact_number(r, FACT_PEAK, tflops * 1e12 / mfu);
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[rank"),
		.stage = -1, .iterations = step, .reserved = held * GIB });
}

/* "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.19GiB memory" */
TAKES(titan_gpu)
{
	const char *with = strstr(after, " with ");

	if (with == NULL)
		return;
	run_fact(r, FACT_GPU_NAME, TEXT_OF(MEASURED_TEXT, "%.*s", (int)(with - after - 1), after + 1));
	run_fact_number(r, FACT_CAPACITY, log_number_after(with, " with ") * GIB);
}

/* "Trainer is initialized with local batch size 1, global batch size 8, gradient accumulation steps 1,
 * sequence length 8192, total steps 10 (warmup 2)" */
TAKES(titan_start)
{
	run_fact_number(r, FIELD_MICRO_BATCH_SIZE, log_number_after(after, "local batch size "));
	run_fact_number(r, FIELD_GLOBAL_BATCH_SIZE, log_number_after(after, "global batch size "));
	run_fact_number(r, FIELD_SEQUENCE_LENGTH, log_number_after(after, "sequence length "));
}

/* "time_metrics/data_loading(%)": 12.5, of the step. */
TAKES(titan_data)
{
	const double share = percent_after(after, ":"), step = log_number_after(line,
	    "time_metrics/end_to_end(s)\":");

	run_add(r, MEASURED_DATA, -1, share * step);
}

/* ---- nanotron ---------------------------------------------------------------------------------- */

/* "[INFO|DP=0|PP=0|TP=0|node]: iteration: 3 / 15 | ... | elapsed_time_per_iteration_ms: 1.2K
 * | tokens_per_sec: 200K | tokens_per_sec_per_gpu: 25K | global_batch_size: 64 | ...
 * | model_tflops_per_gpu: 350"; without "elapsed_" since 2025-03. */
TAKES(nanotron_step)
{
	const int64_t step = log_integer_after(line, "iteration:");

	run_add(r, MEASURED_STEP, step, log_number_after(after, "") / 1e3);
	run_add(r, MEASURED_TOKENS_GPU, step, log_number_after(line, "tokens_per_sec_per_gpu:"));
	run_add(r, MEASURED_TFLOPS, step, log_number_after(line, "model_tflops_per_gpu:"));
	run_fact_number(r, FIELD_GLOBAL_BATCH_SIZE, log_number_after(line, "global_batch_size:"));
}

/* "Memory usage: 1.0MiB. Peak allocated 2.0MiB. Peak reserved: 3.0MiB" */
TAKES(nanotron_memory)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = -1,
		.stage = log_integer_after(line, "|PP="), .iterations = -1,
		.allocated = log_number_after(after + (*after == ':'), "") * MIB,
		.reserved = log_number_after(after, "Peak reserved:") * MIB });
}

/* ---- NeMo AutoModel, Composer, MaxText ------------------------------------------------------------- */

/* "step 2 | epoch 0 | loss 10.1 | grad_norm 6.0 | lr 6.15e-05 | mem 38.63 GiB | tps 146246.38(73123.19/gpu)
 * | num_label_tokens 524288" */
TAKES(automodel_step)
{
	const int64_t step = log_integer_after(line, " step ");
	const char *each = strchr(after, '(');

	run_add(r, MEASURED_TOKENS_GPU, step, log_number_after(each != NULL ? each : "", "("));
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = step,
		.allocated = log_number_after(line, "| mem ") * GIB });
}

/* "completed step: 12, seconds: 17.012, TFLOP/s/device: 420.5, Tokens/s/device: 963.2, .." */
TAKES(maxtext_step)
{
	const int64_t step = log_integer_after(after, "");

	run_add(r, MEASURED_STEP, step, log_number_after(line, ", seconds:"));
	run_add(r, MEASURED_TOKENS_GPU, step, log_number_after(line, "Tokens/s/device:"));
}

/* ---- DeepSpeed ------------------------------------------------------------------------------------ */

static double
milliseconds(const char *line, const char *new_key, const char *old_key)
{
	const double v = log_number_after(line, new_key);

	return (v > 0 ? v : log_number_after(line, old_key)) / 1e3;
}

/* "time (ms) | fwd: 376.6 | bwd: 864.6 | bwd_inner: .. | bwd_allreduce: .. | step: 22880.9" of a
 * step; "forward:", "backward:" before 0.13. Of micro-steps (fwd_microstep) the last one is
 * followed by that. */
TAKES(deepspeed_times)
{
	const double forward = milliseconds(after, " fwd:", " forward:");
	const double backward = milliseconds(after, " bwd:", " backward:");
	const double step = milliseconds(after, " step:", " step:");

	if (!(forward > 0) || !(backward > 0))
		return;
	run_add(r, MEASURED_FORWARD, -1, forward);
	run_add(r, MEASURED_BACKWARD, -1, backward);
	run_add(r, MEASURED_OPTIMIZER, -1, step);
	run_add(r, MEASURED_GRADS_SYNC, -1, milliseconds(after, " bwd_allreduce:",
	    " backward_allreduce:"));
	run_fall_back(r, FALLBACK_PARTS, -1, forward + backward + step);
}

/* "epoch=0/micro_step=8/global_step=2, RunningAvgSamplesPerSec=.., CurrSamplesPerSec=..,
 * MemAllocated=..GB, MaxMemAllocated=..GB", before 0.8 "0/50, SamplesPerSec=..,": GB are GiB. */
TAKES(deepspeed_samples)
{
	run_add(r, MEASURED_SAMPLES, log_integer_after(line, "global_step="),
	    log_number_after(after, ""));
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.allocated = log_number_after(line, "MaxMemAllocated=") * GIB });
}

/* "steps: 10 loss: 5.5508 iter time (s): 0.936 samples/sec: 136.7" of pipelines
 * (runtime/pipe/engine.py). */
TAKES(deepspeed_pipeline)
{
	run_add(r, MEASURED_STEP, log_integer_after(line, "steps:"), log_number_after(after, ""));
}

/* "MA 1.0 GB         Max_MA 2.0 GB         CA 3.0 GB         Max_CA 4 GB" */
TAKES(deepspeed_memory)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[Rank "),
		.stage = -1, .iterations = -1, .allocated = log_number_after(after, "") * GIB,
		.reserved = log_number_after(line, "Max_CA ") * GIB });
}

/* Messages that are large enough for the links' rate, as nccl-tests show it: 64 MB, "678.86 MB". */
static bool
is_large(const char *size)
{
	return strstr(size, " GB") != NULL || (strstr(size, " MB") != NULL &&
	    log_number_after(size, "") >= 64);
}

/* "comm op: all_gather | time (ms): 1.20 | msg size: 16.0 MB | algbw (Gbps): .. | busbw (Gbps):
 * 300.1" */
TAKES(deepspeed_collective)
{
	const char *size = log_after(after, "msg size:");

	if (size != NULL && is_large(size))
		run_add(r, MEASURED_JOB_BUS, -1, log_number_after(line, "busbw (Gbps):") * 1e9 / 8);
}

/* "                    678.86 MB           80                  1527.36             9.46
 * 1204.52             1129.23", the last of which is the bus rate, below a line with the operation's
 * name; what one rank alone sends tells no rate. */
static bool
deepspeed_summary_row(struct run_reader *r, const char *line)
{
	const size_t blanks = strspn(line, " \t"), n = strlen(line);
	size_t from = n;

	if (blanks < 8 || n == blanks) {
		r->rooted = strstr(line, "broadcast") != NULL || strstr(line, "barrier") != NULL;
		return n > 0 && strchr(line, ':') == NULL && strchr(line, '[') == NULL;
	}
	while (from > 0 && strchr(" \t", line[from - 1]) != NULL)
		from--;
	while (from > 0 && strchr(" \t", line[from - 1]) == NULL)
		from--;
	if (!r->rooted && is_large(line))
		run_add(r, MEASURED_JOB_BUS, -1, log_number_after(line + from, "") * 1e9 / 8);
	return true;
}

TAKES(deepspeed_summary)
{
	if (strstr(line, "busbw_avg (Gbps)") != NULL)
		r->next = deepspeed_summary_row;
}

/* "1.2 s", "30.1 ms", "500.0 us" of the flops profiler. */
static double
seconds_of(const char *text)
{
	double v;

	if (!log_number(text, &v))
		return 0;
	return v * (strstr(text, " ms") != NULL ? 1e-3 : strstr(text, " us") != NULL ? 1e-6 : 1);
}

const struct run_row run_train_rows[] = {
	{ " tps: ", SOURCE_TORCHTITAN, BY(titan_step) },
	{ "  wps: ", SOURCE_TORCHTITAN, BY(titan_step) },
	{ "CUDA capacity:", SOURCE_TORCHTITAN, BY(titan_gpu) },
	{ "Peak FLOPS used for computing MFU:", SOURCE_TORCHTITAN, TELLS(FACT, FACT_PEAK, NULL) },
	{ "Trainer is initialized with", SOURCE_TORCHTITAN, BY(titan_start) },
	{ "time_metrics/data_loading(%)\"", SOURCE_TORCHTITAN, BY(titan_data) },
	{ "time_per_iteration_ms:", SOURCE_NANOTRON, BY(nanotron_step) },
	{ "Peak allocated", SOURCE_NANOTRON, BY(nanotron_memory) },
	{ " GiB | tps ", SOURCE_AUTOMODEL, BY(automodel_step) },
	{ "throughput/device/tokens_per_sec:", SOURCE_COMPOSER, TELLS(SAMPLE, MEASURED_TOKENS_GPU, NULL) },
	{ "completed step:", SOURCE_MAXTEXT, BY(maxtext_step) },
	{ "time (ms) |", SOURCE_DEEPSPEED, BY(deepspeed_times) },
	{ "CurrSamplesPerSec=", SOURCE_DEEPSPEED, BY(deepspeed_samples) },
	{ ", SamplesPerSec=", SOURCE_DEEPSPEED, BY(deepspeed_samples) },
	{ " iter time (s):", SOURCE_DEEPSPEED, BY(deepspeed_pipeline) },
	{ "Max_MA ", SOURCE_DEEPSPEED, BY(deepspeed_memory) },
	{ "fwd latency:", SOURCE_DEEPSPEED, TELLS(SAMPLE, MEASURED_FORWARD, seconds_of) },
	{ "bwd latency:", SOURCE_DEEPSPEED, TELLS(SAMPLE, MEASURED_BACKWARD, seconds_of) },
	{ "step latency:", SOURCE_DEEPSPEED, TELLS(SAMPLE, MEASURED_OPTIMIZER, seconds_of) },
	{ "comm op:", SOURCE_DEEPSPEED, BY(deepspeed_collective) },
	{ "Comm. Op  ", SOURCE_DEEPSPEED, BY(deepspeed_summary) },
	{ "  train_batch_size ...", SOURCE_ASIDE, TELLS(FACT, FIELD_GLOBAL_BATCH_SIZE, NULL) },
	{ "  train_micro_batch_size_per_gpu ", SOURCE_ASIDE, TELLS(FACT, FIELD_MICRO_BATCH_SIZE, NULL) },
	{ "  zero_optimization_stage ...", SOURCE_ASIDE, TELLS(FACT, FIELD_ZERO_STAGE, NULL) },
	{ "[init_distributed] world size:", SOURCE_DEEPSPEED, TELLS(FACT, FACT_WORLD, NULL) },
	{ .words = NULL },
};
