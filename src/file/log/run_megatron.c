/*
 * Megatron-LM megatron/training/training.py (training_log), utils/common_utils.py (report_memory),
 * core/timers.py, core/utils.py (StragglerDetector), training/arguments.py (_print_args);
 * Megatron-Bridge training/utils/train_utils.py; NeMo callbacks.
 */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run_rows.h"

/* ---- Megatron-LM ------------------------------------------------------------------------- */

/* " iteration 3/ 100 | ... | elapsed time per iteration (ms): 1234.5 | throughput per GPU
 * (TFLOP/s/GPU): 412.3 | ... | global batch size: 128 | ..." */
TAKES(megatron_step)
{
	const int64_t step = log_integer_after(line, " iteration ");

	if (strchr(after, '|') == NULL) /* cut in the number, or before it */
		return;
	run_add(r, MEASURED_STEP, step, log_number_after(after, "") / 1e3);
	run_add(r, MEASURED_TFLOPS, step, log_number_after(line, "throughput per GPU (TFLOP/s/GPU):"));
	run_fact_number(r, FIELD_GLOBAL_BATCH_SIZE, log_number_after(line, "global batch size:"));
}

/* "elapsed time per iteration (s): 105.22 | .. | TFLOPs: 149.02 |" of Megatron-DeepSpeed
 * (megatron/training.py), whose FLOP count what is computed again. */
TAKES(megatron_seconds)
{
	if (strchr(after, '|') == NULL)
		return;
	run_add(r, MEASURED_STEP, log_integer_after(line, " iteration "), log_number_after(after, ""));
	run_fact_number(r, FIELD_GLOBAL_BATCH_SIZE, log_number_after(line, "global batch size:"));
}

/* "hip mem usage/free/total/usage_ratio: 153.81GB/102.17GB/255.98GB/60.09%" in the line of a step
 * (AMD-AGI/Primus primus/backends/megatron): GB are GiB. */
TAKES(primus_memory)
{
	const char *total = after;

	for (int i = 0; i < 2 && total != NULL; i++)
		total = (total = strchr(total, '/')) != NULL ? total + 1 : NULL;
	if (total == NULL)
		return;
	run_fact_number(r, FACT_CAPACITY, log_number_after(total, "") * GIB);
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.used = log_number_after(after, "") * GIB });
}

/* "[Rank 0] (after 2 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.0 | reserved: 3.0
 * | max reserved: 4.0 | total device memory used: 5.0": MB are MiB. */
TAKES(megatron_memory)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[Rank "),
		.stage = -1, .iterations = log_integer_after(line, "after "),
		.allocated = log_number_after(after, "max allocated:") * MIB,
		.reserved = log_number_after(after, "max reserved:") * MIB,
		.used = log_number_after(after, "total device memory used:") * MIB });
}

/* Timers whose seconds are numbers of a step. */
static const struct {
	const char *name;
	enum measured_id id;
} timers[] = {
	{ "forward-backward", MEASURED_FORWARD_BACKWARD }, { "all-grads-sync", MEASURED_GRADS_SYNC },
	{ "params-all-gather", MEASURED_PARAMS_GATHER }, { "optimizer", MEASURED_OPTIMIZER },
	{ "batch-generator", MEASURED_DATA },
};

/* Ranks whose passes differ so much have stages, or GPUs, that do. */
#define UNEVEN 1.15

static void
take_timer(struct run_reader *r, const char *line, const char *name, size_t length, double least,
    double most)
{
	for (size_t i = 0; i < sizeof timers / sizeof *timers; i++)
		if (strlen(timers[i].name) == length && strncmp(timers[i].name, name, length) == 0)
			run_add(r, timers[i].id, -1, most / 1e3);
	if (length == 15 && strncmp(name, "forward-compute", length) == 0 && most > UNEVEN * least &&
	    least > 0)
		run_say(r, EVIDENCE_UNEVEN, line, most / least);
}

/* "    forward-backward ...............................: (5012.30, 5049.17)" of the fastest and the
 * slowest rank, or of the slowest alone. */
TAKES(timer_line)
{
	const char *name = line + strspn(line, " ");
	const char *second = strchr(after, ',');
	double least, most;

	if (second != NULL && strchr(after, '(') != NULL) {
		least = log_number_after(after, "(");
		most = log_number_after(second + 1, "");
	} else {
		least = most = log_number_after(after, ":");
	}
	while (strstr(name, "  ") != NULL && strstr(name, "  ") < after) /* what a launcher puts before */
		name = strstr(name, "  ") + strspn(strstr(name, "  "), " ");
	take_timer(r, line, name, strcspn(name, " "), least, most);
}

/* Of a timer whose ranks are told by a line each: "  forward-backward:", "     rank  0: 5012.30". */
static void
end_timer(struct run_reader *r, const char *line)
{
	if (r->timer.most > 0)
		take_timer(r, line, r->timer.name, strlen(r->timer.name), r->timer.least, r->timer.most);
	r->timer.least = r->timer.most = 0;
}

static bool
timers_line(struct run_reader *r, const char *line)
{
	const char *rank = log_after(line, " rank ");
	const double seconds = rank != NULL ? log_number_after(rank, ":") : 0;
	const char *name = strstr(line, "  ");
	size_t n;

	if (seconds > 0) {
		r->timer.least = r->timer.most > 0 ? smaller(r->timer.least, seconds) : seconds;
		r->timer.most = larger(r->timer.most, seconds);
		return true;
	}
	end_timer(r, line);
	name = name != NULL ? name + strspn(name, " ") : "";
	n = strcspn(name, ":");
	text_put(r->timer.name, sizeof r->timer.name, "%.*s", (int)smaller((double)n, 63), name);
	return name[n] == ':' && name[n + 1] == '\0';
}

TAKES(timers_begin)
{
	r->timer.least = r->timer.most = 0;
	r->next = timers_line;
}

/* "... | MnRtt/Rnk: 3453.08ms/8 | MxRtt/Rnk: 3468.20ms/0 | ... | MnDRtt/Rnk: 14.27ms/23": a rank
 * that is a tenth slower than the fastest holds all up. */
TAKES(straggler)
{
	const double least = log_number_after(after, ""), most = log_number_after(line, "MxRtt/Rnk:");

	if (least > 0 && most > 1.1 * least)
		run_say(r, EVIDENCE_STRAGGLER, line, most / least);
	run_add(r, MEASURED_DATA, -1, log_number_after(line, "MxDRtt/Rnk:") / 1e3);
}

/* "using world size: 16, data-parallel size: 1, context-parallel size: 1,
 * ... tensor-model-parallel size: 8, pipeline-model-parallel size: 2" */
TAKES(world_size)
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

	if (r->launches)
		run_launch(r, line, true);
	if (strstr(line, "end of arguments") != NULL)
		return r->launches = false;
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

TAKES(arguments_begin)
{
	r->launches = r->m->launch[0] == '\0';
	run_launch(r, line, false);
	r->next = arguments_line;
}

/* "Step Time : 5.36s GPU utilization: 243.6MODEL_TFLOP/s/GPU" */
TAKES(bridge_step)
{
	run_add(r, MEASURED_STEP, -1, log_number_after(after, ""));
	run_add(r, MEASURED_TFLOPS, -1, log_number_after(line, "GPU utilization:"));
}

/* "train_step_timing in s: 5.36 | TFLOPS_per_GPU: 243.6" */
TAKES(nemo_step)
{
	const int64_t step = log_integer_after(line, "global_step:");

	run_add(r, MEASURED_STEP, step, log_number_after(after, ""));
	run_add(r, MEASURED_TFLOPS, step, log_number_after(line, "TFLOPS_per_GPU:"));
}

const struct run_row run_megatron_rows[] = {
	{ "elapsed time per iteration (ms):", SOURCE_MEGATRON, BY(megatron_step) },
	{ "elapsed time per iteration (s):", SOURCE_MEGATRON, BY(megatron_seconds) },
	{ "hip mem usage/free/total/usage_ratio:", SOURCE_ASIDE, BY(primus_memory) },
	{ "memory (MB) |", SOURCE_MEGATRON, BY(megatron_memory) },
	{ "  forward-backward .", SOURCE_MEGATRON, BY(timer_line) },
	{ "  all-grads-sync .", SOURCE_MEGATRON, BY(timer_line) },
	{ "  params-all-gather .", SOURCE_MEGATRON, BY(timer_line) },
	{ "  optimizer .", SOURCE_MEGATRON, BY(timer_line) },
	{ "  batch-generator .", SOURCE_MEGATRON, BY(timer_line) },
	{ "  forward-compute .", SOURCE_MEGATRON, BY(timer_line) },
	{ "times across ranks (ms):", SOURCE_MEGATRON, BY(timers_begin) },
	{ "MnRtt/Rnk:", SOURCE_MEGATRON, BY(straggler) },
	{ "using world size:", SOURCE_MEGATRON, BY(world_size) },
	{ "------------------------ arguments ------", SOURCE_MEGATRON, BY(arguments_begin) },
	{ "Step Time :", SOURCE_BRIDGE, BY(bridge_step) },
	{ "train_step_timing in s:", SOURCE_BRIDGE, BY(nemo_step) },
	{ .words = NULL },
};
