/* Lines of programs in all the forms that their releases print them in: what test_run.c has not. */
#include "runtest.h"

#include "core/base/number.h"

static void
reads(const char *text, const char *kind)
{
	errors = (struct file_errors){ 0 };
	memset(run, 0, sizeof *run);
	if (!run_read_text(run, "a.log", text, strlen(text), &errors))
		fail_msg("%s", errors.line[0]);
	assert_string_equal(run->file[0].kind, kind);
}

/* Every rank on a line of its own, the slowest of which counts; the last timer ends with the file. */
TEST(megatron_timers)
{
	reads("times across ranks (ms):\n"
	    "  forward-backward:\n     rank  0: 5012.30\n     rank  1: 5049.17\n"
	    "  forward-compute:\n     rank  0: 1000.00\n     rank  1: 1300.00\n"
	    "  optimizer:\n     rank  0: 90.10\n     rank  1: 95.33\n", "megatron");
	near(median(MEASURED_FORWARD_BACKWARD), 5.04917);
	near(median(MEASURED_OPTIMIZER), 0.09533);
	assert_true(measured_says(run, EVIDENCE_UNEVEN));
	reads("3:     forward-compute ................................: (1000.00, 1010.00)\n"
	    "3:     batch-generator ................................: 12.50\n", "megatron");
	near(median(MEASURED_DATA), 0.0125);
	assert_false(measured_says(run, EVIDENCE_UNEVEN));
}

/* Rates of large messages that all ranks send; of a broadcast one does. */
TEST(deepspeed)
{
	reads("Comm. Op            Message Size        Count               Total Latency(ms)   "
	    "Avg Latency(ms)     tput_avg (Gbps)     busbw_avg (Gbps)    \n"
	    "broadcast\n"
	    "                    98.25 MB            1                   8317.12             8317.12             0.20                0.19                \n"
	    "reduce_scatter_tensor\n"
	    "                    2.0 KB              80                  15.36               0.46                4.52                1.23             \n"
	    "                    678.86 MB           80                  1527.36             9.46                1204.52             1129.23             \n"
	    "[2025-05-01 10:00:00] done: 800.0 MB\n", "deepspeed");
	near(median(MEASURED_JOB_BUS), 1129.23e9 / 8);
	assert_int_equal(run->series[MEASURED_JOB_BUS].count, 1);
	reads("[INFO] [config.py:1001:print]   train_batch_size ............. 64\n"
	    "[INFO] [config.py:1001:print]   train_micro_batch_size_per_gpu  4\n"
	    "[INFO] [config.py:1001:print]   zero_optimization_stage ...... 3\n"
	    "[INFO] [timer.py:193:stop] 0/50, SamplesPerSec=8.5, MemAllocated=0.93GB, MaxMemAllocated=12.5GB\n",
	    "deepspeed");
	near(median(MEASURED_SAMPLES), 8.5);
	near(run->memory[0].allocated, 12.5 * GIB);
	assert_string_equal(fact(FIELD_GLOBAL_BATCH_SIZE), "64");
	assert_string_equal(fact(FIELD_MICRO_BATCH_SIZE), "4");
	assert_string_equal(fact(FIELD_ZERO_STAGE), "3");
}

TEST(torchtitan)
{
	reads("[titan] Peak FLOPS used for computing MFU: 3.120e+14\n"
	    "[titan] Trainer is initialized with local batch size 1, global batch size 8, gradient accumulation "
	    "steps 1, sequence length 8192, total steps 10 (warmup 2)\n", "torchtitan");
	near(measured_find(run, FACT_PEAK)->number, 312e12);
	assert_string_equal(fact(FIELD_GLOBAL_BATCH_SIZE), "8");
	assert_string_equal(fact(FIELD_MICRO_BATCH_SIZE), "1");
	assert_string_equal(fact(FIELD_SEQUENCE_LENGTH), "8192");
}

/* transformers 5 prints numbers as texts; a summary has a line for each. */
TEST(trainers)
{
	reads("{'loss': '1.1', 'memory/max_allocated (GiB)': '38', 'memory/device_reserved (GiB)': '41.5', "
	    "'tokens/train_per_sec_per_gpu': '2931.5'}\n", "tuner");
	near(median(MEASURED_TOKENS_GPU), 2931.5);
	near(run->memory[0].allocated, 38 * GIB);
	near(run->memory[0].reserved, 41.5 * GIB);
	reads("***** Running training *****\n"
	    "  Instantaneous batch size per device = 4\n"
	    "  Total train batch size (w. parallel, distributed & accumulation) = 128\n"
	    "***** train metrics *****\n  train_steps_per_second   =       0.5\n", "huggingface");
	near(median(MEASURED_STEP), 2);
	assert_string_equal(fact(FIELD_GLOBAL_BATCH_SIZE), "128");
	assert_string_equal(fact(FIELD_MICRO_BATCH_SIZE), "4");
	reads("{'loss': 1.2, 'memory(GiB)': 40.5, 'train_speed(iter/s)': 0.4}\n", "tuner");
	near(median(MEASURED_STEP), 2.5);
	near(run->memory[0].reserved, 40.5 * GIB);
	reads("{\"current_steps\": 1, \"throughput\": 10000}\n{\"current_steps\": 2, \"throughput\": 12000}\n"
	    "{\"current_steps\": 3, \"throughput\": 12000, \"effective_tokens_per_sec\": 6000}\n", "tuner");
	near(median(MEASURED_TOKENS), 12000);
	assert_true(measured_says(run, EVIDENCE_PADDED));
}

TEST(engines)
{
	static const char step[] = "[TRT-LLM] [RANK 0] [I] iter = 8, global_rank = 0, rank = 0, "
	    "host_step_time = 20.5ms, prev_device_step_time = 19.9ms, states = {'num_ctx_requests': 0, "
	    "'num_ctx_tokens': 0, 'num_generation_tokens': 32}\n";
	static const char prompt[] = "[TRT-LLM] [RANK 0] [I] iter = 9, global_rank = 0, rank = 0, "
	    "host_step_time = 90.5ms, prev_device_step_time = 89.9ms, states = {'num_ctx_requests': 1, "
	    "'num_ctx_tokens': 4096, 'num_generation_tokens': 32}\n";
	char text[4096] = "";

	text_put(text, sizeof text, "%s%s%s", step, prompt, step);
	reads(text, "trtllm");
	near(median(MEASURED_DECODE), 0.0205);
	text_put(text, sizeof text, "Decode batch, #running-req: 8, gen throughput (token/s): 100, #queue-req: 0\n");
	for (int i = 0; i < 11; i++)
		text_add(text, sizeof text, "Prefill batch, #new-seq: 1, #new-token: 512, #running-req: 8\n");
	reads(text, "sglang");
	assert_true(measured_says(run, EVIDENCE_PREFILLS));
	reads("server_args=ServerArgs(model_path='m', tp_size=16, pp_size=2, disable_cuda_graph=True)\n",
	    "sglang");
	assert_string_equal(fact(FIELD_TP), "16");
	assert_string_equal(fact(FIELD_PP), "2");
	reads("Initializing a V1 LLM engine (v0.9.1) with config: model='m', tensor_parallel_size=4, "
	    "pipeline_parallel_size=1, enforce_eager=True\n", "vllm");
	assert_string_equal(fact(FIELD_TP), "4");
	assert_true(measured_says(run, EVIDENCE_EAGER));
}

/* What waits for data is a share of the step. */
TEST(waits)
{
	reads(" iteration 1/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
	    " iteration 2/ 9 | elapsed time per iteration (ms): 1000.0 |\n"
	    "    batch-generator ................................: (100.00, 200.00)\n", "megatron");
	assert_true(measured_says(run, EVIDENCE_DATA_SLOW));
	near(run->evidence[EVIDENCE_DATA_SLOW].most, 0.2);
}

TEST(amd)
{
	reads("GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI300X\n"
	    "    LIMIT:\n        MAX_POWER: 750 W\n        MIN_POWER: 0 W\n        SOCKET_POWER: 500 W\n", "amd-smi");
	assert_string_equal(fact(FACT_GPU_NAME), "AMD Instinct MI300X");
	assert_string_equal(fact(FIELD_GPU_POWER_WATTS), "500");
	assert_true(measured_says(run, EVIDENCE_POWER_LIMIT));
	reads("GPU: 0\n    POWER:\n        SOCKET_POWER: 745 W\n    THROTTLE:\n"
	    "        SOCKET_THERMAL_VIOLATION_STATUS: ACTIVE\n        PPT_VIOLATION_STATUS: NOT ACTIVE\n", "amd-smi");
	assert_true(measured_says(run, EVIDENCE_THERMAL));
	assert_false(measured_says(run, EVIDENCE_POWER_CAP));
	reads("GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   PVIOL  VRAM_USAGE\n"
	    "  0  745 W    60 C    50 C  1200 MHz  100 %    35 %  180.0/ 192.0 GB\n", "amd-smi");
	assert_true(measured_says(run, EVIDENCE_POWER_CAP));
}

/* Sums by class, of names with commas in them. */
TEST(nsys)
{
	reads("\"Time (%)\",\"Total Time (ns)\",\"Instances\",\"Avg (ns)\",\"Name\"\n"
	    "40.0,4000000000,9600,434375.0,nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NTN\n"
	    "20.0,2000000000,640,3140625.0,\"ncclDevKernel_AllGather_RING_LL(Args<(unsigned long)4096>)\"\n"
	    "10.0,1000000000,640,1562500.0,\"void flash_fwd_kernel<Traits<128, 128>>(params)\"\n"
	    "5.0,500000000,640,1.0,\"void cutlass::GroupedGemm<a, b>\"\n"
	    "5.0,500000000,640,1.0,void rmsnorm_fwd_kernel\n", "nsys");
	near(median(MEASURED_PRODUCTS), 4);
	near(median(MEASURED_ALL_GATHER), 2);
	near(median(MEASURED_ATTENTION), 1);
	near(median(MEASURED_EXPERTS), 0.5);
	near(median(MEASURED_NORMS), 0.5);
	near(run->profiled, 6);
	assert_true(measured_says(run, EVIDENCE_FUSED));
}

/* Phases on lines of their own; an evaluation's rollouts are none of a step. */
TEST(rollouts)
{
	reads("  \xe2\x80\xa2 Total step time: 35.70s\n  \xe2\x80\xa2 policy_training: 10.97s (30.7%)\n"
	    "  \xe2\x80\xa2 exposed_generation: 4.95s (13.9%)\n  \xe2\x80\xa2 policy_and_reference_logprobs: 3.14s (8.8%)\n"
	    "  \xe2\x80\xa2 policy_logprobs: 2.00s (5.0%)\n  \xe2\x80\xa2 weight_sync: 0.60s (1.7%)\n", "nemo-rl");
	near(median(MEASURED_RL_STEP), 35.7);
	near(median(MEASURED_RL_ROLLOUT), 4.95);
	near(median(MEASURED_RL_LOGPROBS), 3.14);
	near(median(MEASURED_RL_OLD_LOGPROB), 2);
	near(median(MEASURED_RL_SYNC), 0.6);
	reads("eval 0: {'perf/rollout_time': 2000.0}\n"
	    "perf 0: {'perf/rollout_time': 100.0, 'rollout/response_len/mean': 300, 'rollout/response_len/max': 900}\n"
	    "perf 0: {'perf/actor_train_time': 30.0, 'perf/train_wait_time': 60.0, 'perf/step_time': 140.0}\n", "slime");
	near(median(MEASURED_RL_ROLLOUT), 100);
	near(median(MEASURED_RL_TRAIN), 30);
	assert_true(measured_says(run, EVIDENCE_TAIL));
}

static void
add_trace(const char *name, int microseconds)
{
	char text[512];

	text_put(text, sizeof text, "{\"schemaVersion\": 1, \"traceEvents\": ["
	    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"ts\": 1, \"dur\": 100},"
	    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllGather\", \"ts\": 200, \"dur\": %d}]}",
	    microseconds);
	assert_true(run_read_text(run, name, text, strlen(text), &errors));
}

/* The rank that comes last waits for none: its collective takes what the transfer does. */
TEST(ranks)
{
	memset(run, 0, sizeof *run);
	add_trace("rank0.json", 500);
	near(median(MEASURED_ALL_GATHER), 500e-6);
	assert_false(measured_says(run, EVIDENCE_SKEW));
	add_trace("rank1.json", 50);
	add_trace("rank2.json", 400);
	near(median(MEASURED_ALL_GATHER), 50e-6);
	assert_true(measured_says(run, EVIDENCE_SKEW));
	assert_int_equal(run->files, 3);
}

/* Whole files, and files cut off anywhere: what is left is read as far as it goes. */
TEST(whole_files)
{
	static const struct {
		const char *name, *kind;
	} files[] = {
		{ "timers.log", "megatron bridge" }, { "deepspeed.log", "deepspeed" },
		{ "trainers.log", "tuner progress huggingface" },
		{ "rollouts.log", "nemo-rl verl openrlhf slime" }, { "engines.log", "sglang vllm trtllm" },
		{ "links.txt", "nccl-tests nccl" }, { "gpus.txt", "nvidia-smi amd-smi topology dcgm" },
		{ "memory.txt", "out-of-memory" }, { "kernels.csv", "nsys" },
	};
	const char *top = getenv("TOP");
	char path[512], text[32768];

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		FILE *in;
		size_t n;

		text_put(path, sizeof path, "%s/tests/data/logs/%s", top != NULL ? top : ".", files[i].name);
		in = fopen(path, "r");
		assert_non_null(in);
		n = fread(text, 1, sizeof text - 1, in);
		fclose(in);
		text[n] = '\0';
		reads(text, files[i].kind);
		for (size_t cut = n - 1; cut > 64; cut -= cut / 16 + 1) {
			memset(run, 0, sizeof *run);
			run_read_text(run, "cut.log", text, cut, &errors);
			assert_true(run->files <= 1);
		}
	}
}

/* Rings tell the rate of links; and large messages far below smaller ones lose packets. */
TEST(links)
{
	static const char head[] = "#  Rank  0 Group  0 Pid 1 on n0 device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
	    "#  Rank  1 Group  0 Pid 2 on n1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
	    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n";
	static const char small[] = "   8388608       2097152     float     sum      -1    180.1   46.58   87.33      0    178.2   47.07   88.27      0\n";
	static const char large[] = "1073741824     268435456     float     sum      -1   5500.1   10.22   20.04      0   5490.2   10.57   20.70      0\n";
	static const char end[] = "# Avg bus bandwidth    : 50.0\n";
	char text[4096];

	text_put(text, sizeof text, "%s%s%s%s", head, small, large, end);
	reads(text, "nccl-tests");
	near(median(MEASURED_NETWORK_BUS), 20.7e9);
	assert_true(measured_says(run, EVIDENCE_COLLAPSE));
	text_put(text, sizeof text, "# Collective test starting: alltoall_perf\n%s%s%s", head, large, end);
	reads(text, "nccl-tests");
	assert_int_equal(run->series[MEASURED_NETWORK_BUS].count, 0);
	assert_false(measured_says(run, EVIDENCE_COLLAPSE));
}

int
main(void)
{
	return unit_run(setup, teardown);
}
