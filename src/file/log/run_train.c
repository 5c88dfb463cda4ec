/*
 * Programs that train: Megatron-LM megatron/training/training.py (training_log), utils/
 * common_utils.py (report_memory), core/timers.py, core/utils.py (StragglerDetector), training/
 * arguments.py (_print_args); Megatron-Bridge training/utils/train_utils.py; NeMo callbacks;
 * torchtitan components/metrics.py, tools/utils.py; nanotron trainer.py (train_step_logs);
 * DeepSpeed utils/timer.py, runtime/utils.py, utils/comms_logging.py.
 */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run_rows.h"

/* ---- Megatron-LM ------------------------------------------------------------------------- */

/* " iteration 3/ 100 | ... | elapsed time per iteration (ms): 1234.5 | throughput per GPU
 * (TFLOP/s/GPU): 412.3 | ... | global batch size: 128 | ..." */
static void
megatron_step(struct run_reader *r, const char *line, const char *after)
{
	const int64_t step = log_integer_after(line, " iteration ");

	run_add(r, MEASURED_STEP, step, log_number_after(after, "") / 1e3);
	run_add(r, MEASURED_TFLOPS, step, log_number_after(line, "throughput per GPU (TFLOP/s/GPU):"));
	run_fact_number(r, FIELD_GLOBAL_BATCH_SIZE, log_number_after(line, "global batch size:"));
}

/* "[Rank 0] (after 2 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.0 | reserved: 3.0
 * | max reserved: 4.0 | total device memory used: 5.0": MB are MiB. */
static void
megatron_memory(struct run_reader *r, const char *line, const char *after)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[Rank "),
		.stage = -1, .iterations = log_integer_after(line, "after "),
		.allocated = log_number_after(after, "max allocated:") * MIB,
		.reserved = log_number_after(after, "max reserved:") * MIB,
		.used = log_number_after(after, "total device memory used:") * MIB });
}

/* "    forward-backward ...............................: (5012.30, 5049.17)", the largest; where all
 * ranks are told by a line each ("     rank  0: 5.01") nothing follows the colon. */
static double
timer(const char *after)
{
	const char *times = strchr(after, '(');
	const char *second = times != NULL ? strchr(times, ',') : NULL;

	if (second != NULL)
		return log_number_after(second + 1, "") / 1e3;
	return log_number_after(after, ":") / 1e3;
}

static void
timer_passes(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_FORWARD_BACKWARD, -1, timer(after));
}

static void
timer_grads(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_GRADS_SYNC, -1, timer(after));
}

static void
timer_params(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_PARAMS_GATHER, -1, timer(after));
}

static void
timer_optimizer(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_OPTIMIZER, -1, timer(after));
}

static void
timer_data(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_add(r, MEASURED_DATA, -1, timer(after));
}

/* "... | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | ... | MnDRtt/Rnk: 14.27ms/23": a rank
 * that is a tenth slower than the fastest holds all up. */
static void
straggler(struct run_reader *r, const char *line, const char *after)
{
	const double least = log_number_after(after, ""), most = log_number_after(line, "MxRtt/Rnk:");

	if (least > 0 && most > 1.1 * least)
		run_say(r, EVIDENCE_STRAGGLER, line, most / least);
	run_add(r, MEASURED_DATA, -1, log_number_after(line, "MxDRtt/Rnk:") / 1e3);
}

/* "using world size: 16, data-parallel size: 1, context-parallel size: 1,
 * ... tensor-model-parallel size: 8, pipeline-model-parallel size: 2" */
static void
world_size(struct run_reader *r, const char *line, const char *after)
{
	run_fact_number(r, FACT_WORLD, log_number_after(after, ""));
	run_fact_number(r, FIELD_TP, log_number_after(line, "tensor-model-parallel size:"));
	run_fact_number(r, FIELD_PP, log_number_after(line, "pipeline-model-parallel size:"));
	run_fact_number(r, FIELD_CP, log_number_after(line, "context-parallel size:"));
}

/* The dump of arguments, "  micro_batch_size ................................ 1". */
static const struct argument {
	const char *name;
	int id;
	const char *values; /* "None=none|full=full"; NULL: a number */
} arguments[] = {
	{ "world_size", FACT_WORLD, NULL },
	{ "micro_batch_size", FIELD_MICRO_BATCH_SIZE, NULL },
	{ "global_batch_size", FIELD_GLOBAL_BATCH_SIZE, NULL },
	{ "seq_length", FIELD_SEQUENCE_LENGTH, NULL },
	{ "num_layers", FIELD_LAYERS, NULL },
	{ "hidden_size", FIELD_HIDDEN_SIZE, NULL },
	{ "ffn_hidden_size", FIELD_FFN_HIDDEN_SIZE, NULL },
	{ "num_attention_heads", FIELD_ATTENTION_HEADS, NULL },
	{ "num_query_groups", FIELD_KV_HEADS, NULL },
	{ "kv_channels", FIELD_HEAD_DIM, NULL },
	{ "padded_vocab_size", FIELD_VOCAB_SIZE, NULL },
	{ "swiglu", FIELD_GATED_MLP, "True=true|False=false" },
	{ "untie_embeddings_and_output_weights", FIELD_TIED_EMBEDDINGS, "True=false|False=true" },
	{ "moe_ffn_hidden_size", FIELD_MOE_FFN_HIDDEN_SIZE, NULL },
	{ "num_experts", FIELD_EXPERTS, NULL },
	{ "moe_router_topk", FIELD_EXPERTS_PER_TOKEN, NULL },
	{ "tensor_model_parallel_size", FIELD_TP, NULL },
	{ "pipeline_model_parallel_size", FIELD_PP, NULL },
	{ "context_parallel_size", FIELD_CP, NULL },
	{ "expert_model_parallel_size", FIELD_EP, NULL },
	{ "expert_tensor_parallel_size", FIELD_ETP, NULL },
	{ "sequence_parallel", FIELD_SEQUENCE_PARALLEL, "True=true|False=false" },
	{ "use_distributed_optimizer", FIELD_ZERO_STAGE, "True=1|False=0" },
	{ "recompute_granularity", FIELD_RECOMPUTE, "None=none|full=full|selective=selective" },
	{ "overlap_grad_reduce", FIELD_OVERLAP_GRAD_REDUCE, "True=true|False=false" },
	{ "overlap_param_gather", FIELD_OVERLAP_PARAM_GATHER, "True=true|False=false" },
	{ "tp_comm_overlap", FIELD_TP_OVERLAP, "True=true|False=false" },
	{ "moe_token_dispatcher_type", FIELD_MOE_DISPATCHER, "allgather=allgather|alltoall=alltoall" },
	{ "fp8", FIELD_PRECISION, "hybrid=fp8|e4m3=fp8" },
};

static void
argument(struct run_reader *r, const struct argument *a, const char *value)
{
	char word[64], pair[64];
	size_t n;

	run_word(word, sizeof word, value);
	if (a->id == FIELD_KV_HEADS && !r->grouped) /* 1 where nothing is grouped */
		return;
	if (a->values == NULL) {
		run_fact_number(r, a->id, log_number_after(word, ""));
		return;
	}
	n = strlen(word);
	for (int64_t i = 0; n > 0 && text_choice(a->values, i, pair, sizeof pair); i++)
		if (strncmp(pair, word, n) == 0 && pair[n] == '=')
			run_fact(r, a->id, pair + n + 1);
}

static bool
arguments_line(struct run_reader *r, const char *line)
{
	const char *dots = strstr(line, " ..");
	const char *name = line;

	if (strstr(line, "end of arguments") != NULL)
		return false;
	if (dots == NULL)
		return true;
	for (const char *c = line; c < dots; c++)
		if (*c == ' ')
			name = c + 1;
	if (strncmp(name, "group_query_attention ", 22) == 0)
		r->grouped = strstr(dots, "True") != NULL;
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		if (strncmp(name, arguments[i].name, strlen(arguments[i].name)) == 0 &&
		    name + strlen(arguments[i].name) == dots)
			argument(r, &arguments[i], dots + 1 + strspn(dots + 1, "."));
	return true;
}

static void
arguments_begin(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	(void)after;
	r->next = arguments_line;
}

/* "Step Time : 5.36s GPU utilization: 243.6MODEL_TFLOP/s/GPU" */
static void
bridge_step(struct run_reader *r, const char *line, const char *after)
{
	run_add(r, MEASURED_STEP, -1, log_number_after(after, ""));
	run_add(r, MEASURED_TFLOPS, -1, log_number_after(line, "GPU utilization:"));
}

/* "train_step_timing in s: 5.36 | TFLOPS_per_GPU: 243.6" */
static void
nemo_step(struct run_reader *r, const char *line, const char *after)
{
	const int64_t step = log_integer_after(line, "global_step:");

	run_add(r, MEASURED_STEP, step, log_number_after(after, ""));
	run_add(r, MEASURED_TFLOPS, step, log_number_after(line, "TFLOPS_per_GPU:"));
}

/* ---- torchtitan ----------------------------------------------------------------------------- */

/* A share as "81.05%" after a figure in a form such as "77.01GiB(81.05%)". */
static double
percent_after(const char *text, const char *word)
{
	return log_number_after(text, word) / 100;
}

/* "step: 10  loss: 7.1  grad_norm: 1.0  memory: 77.01GiB(81.05%)  tps: 5,762  tflops: 333.1
 * mfu: 33.7%", the tokens those of one GPU ("wps" in older versions). The percentages tell the
 * GPU's memory and the peak that is divided by. */
static void
titan_step(struct run_reader *r, const char *line, const char *after)
{
	const int64_t step = log_integer_after(line, "step:");
	const char *memory = log_after(line, " memory:");
	const double tflops = log_number_after(line, " tflops:");
	const double mfu = percent_after(line, " mfu:"), held = log_number_after(memory != NULL ?
	    memory : "", "");
	const char *share = memory != NULL ? strchr(memory, '(') : NULL;
	const double filled = share != NULL ? percent_after(share + 1, "") : 0;

	if (step < 0 || strstr(line, "validate step") != NULL)
		return;
	run_add(r, MEASURED_TOKENS_GPU, step, log_number_after(after, ""));
	run_add(r, MEASURED_TFLOPS, step, tflops);
	if (filled > 0)
		run_fact_number(r, FACT_CAPACITY, held * GIB / filled);
	if (mfu > 0.01)
		run_fact_number(r, FACT_PEAK, tflops * 1e12 / mfu);
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[rank"),
		.stage = -1, .iterations = step, .reserved = held * GIB });
}

/* "CUDA capacity: NVIDIA H100 80GB HBM3 with 79.19GiB memory" */
static void
titan_gpu(struct run_reader *r, const char *line, const char *after)
{
	const char *with = strstr(after, " with ");
	char name[MEASURED_TEXT];

	(void)line;
	if (with == NULL)
		return;
	text_put(name, sizeof name, "%.*s", (int)(with - after - 1), after + 1);
	run_fact(r, FACT_GPU_NAME, name);
	run_fact_number(r, FACT_CAPACITY, log_number_after(with, " with ") * GIB);
}

/* "time_metrics/data_loading(%)": 12.5, of the step. */
static void
titan_data(struct run_reader *r, const char *line, const char *after)
{
	const double share = percent_after(after, ":"), step = log_number_after(line,
	    "time_metrics/end_to_end(s)\":");

	run_add(r, MEASURED_DATA, -1, share * step);
}

/* ---- nanotron ---------------------------------------------------------------------------------- */

/* "[INFO|DP=0|PP=0|TP=0|node]: iteration: 3 / 15 | ... | elapsed_time_per_iteration_ms: 1.2K
 * | tokens_per_sec: 200K | tokens_per_sec_per_gpu: 25K | global_batch_size: 64 | ...
 * | model_tflops_per_gpu: 350"; without "elapsed_" since 2025-03. */
static void
nanotron_step(struct run_reader *r, const char *line, const char *after)
{
	const int64_t step = log_integer_after(line, "iteration:");

	run_add(r, MEASURED_STEP, step, log_number_after(after, "") / 1e3);
	run_add(r, MEASURED_TOKENS_GPU, step, log_number_after(line, "tokens_per_sec_per_gpu:"));
	run_add(r, MEASURED_TFLOPS, step, log_number_after(line, "model_tflops_per_gpu:"));
	run_fact_number(r, FIELD_GLOBAL_BATCH_SIZE, log_number_after(line, "global_batch_size:"));
}

/* "Memory usage: 1.0MiB. Peak allocated 2.0MiB. Peak reserved: 3.0MiB" */
static void
nanotron_memory(struct run_reader *r, const char *line, const char *after)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = -1,
		.stage = log_integer_after(line, "|PP="), .iterations = -1,
		.allocated = log_number_after(after + (*after == ':'), "") * MIB,
		.reserved = log_number_after(after, "Peak reserved:") * MIB });
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
static void
deepspeed_times(struct run_reader *r, const char *line, const char *after)
{
	const double forward = milliseconds(after, " fwd:", " forward:");
	const double backward = milliseconds(after, " bwd:", " backward:");
	const double step = milliseconds(after, " step:", " step:");

	(void)line;
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
 * MemAllocated=..GB, MaxMemAllocated=..GB": GB are GiB. */
static void
deepspeed_samples(struct run_reader *r, const char *line, const char *after)
{
	run_add(r, MEASURED_SAMPLES, log_integer_after(line, "global_step="),
	    log_number_after(after, ""));
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.allocated = log_number_after(line, "MaxMemAllocated=") * GIB });
}

/* "MA 1.0 GB         Max_MA 2.0 GB         CA 3.0 GB         Max_CA 4 GB" */
static void
deepspeed_memory(struct run_reader *r, const char *line, const char *after)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[Rank "),
		.stage = -1, .iterations = -1, .allocated = log_number_after(after, "") * GIB,
		.reserved = log_number_after(line, "Max_CA ") * GIB });
}

/* "comm op: all_gather | time (ms): 1.20 | msg size: 16.0 MB | algbw (Gbps): .. | busbw (Gbps):
 * 300.1": of large messages. */
static void
deepspeed_collective(struct run_reader *r, const char *line, const char *after)
{
	const char *size = log_after(after, "msg size:");
	const bool large = size != NULL && (strstr(size, " GB") != NULL ||
	    (strstr(size, " MB") != NULL && log_number_after(size, "") >= 8));

	if (large)
		run_add(r, MEASURED_NETWORK_BUS, -1, log_number_after(line, "busbw (Gbps):") * 1e9 / 8);
}

static void
world_of(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	run_fact_number(r, FACT_WORLD, log_number_after(after, ""));
}

const struct run_row run_train_rows[] = {
	{ "elapsed time per iteration (ms):", SOURCE_MEGATRON, megatron_step },
	{ "memory (MB) |", SOURCE_MEGATRON, megatron_memory },
	{ "  forward-backward .", SOURCE_MEGATRON, timer_passes },
	{ "  all-grads-sync .", SOURCE_MEGATRON, timer_grads },
	{ "  params-all-gather .", SOURCE_MEGATRON, timer_params },
	{ "  optimizer .", SOURCE_MEGATRON, timer_optimizer },
	{ "  batch-generator .", SOURCE_MEGATRON, timer_data },
	{ "MnRtt/Rnk:", SOURCE_MEGATRON, straggler },
	{ "using world size:", SOURCE_MEGATRON, world_size },
	{ "------------------------ arguments ------", SOURCE_MEGATRON, arguments_begin },
	{ "Step Time :", SOURCE_BRIDGE, bridge_step },
	{ "train_step_timing in s:", SOURCE_BRIDGE, nemo_step },
	{ "  tps: ", SOURCE_TORCHTITAN, titan_step },
	{ "  wps: ", SOURCE_TORCHTITAN, titan_step },
	{ "CUDA capacity:", SOURCE_TORCHTITAN, titan_gpu },
	{ "time_metrics/data_loading(%)\"", SOURCE_TORCHTITAN, titan_data },
	{ "time_per_iteration_ms:", SOURCE_NANOTRON, nanotron_step },
	{ "Peak allocated", SOURCE_NANOTRON, nanotron_memory },
	{ "time (ms) |", SOURCE_DEEPSPEED, deepspeed_times },
	{ "CurrSamplesPerSec=", SOURCE_DEEPSPEED, deepspeed_samples },
	{ "Max_MA ", SOURCE_DEEPSPEED, deepspeed_memory },
	{ "comm op:", SOURCE_DEEPSPEED, deepspeed_collective },
	{ "[init_distributed] world size:", SOURCE_DEEPSPEED, world_of },
	{ .words = NULL },
};
