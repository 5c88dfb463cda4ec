/* What a run left behind: numbers, facts and words of each program's lines, whatever is round
 * them. */
#include "runtest.h"

#include "core/base/number.h"
#include "core/base/text.h"

static bool
read_text(const char *text)
{
	errors = (struct file_errors){ 0 };
	memset(run, 0, sizeof *run);
	return run_read_text(run, "a.log", text, strlen(text), &errors);
}

static bool
read_data(const char *name)
{
	const char *top = getenv("TOP");
	char path[512];

	text_put(path, sizeof path, "%s/tests/data/logs/%s", top != NULL ? top : ".", name);
	errors = (struct file_errors){ 0 };
	memset(run, 0, sizeof *run);
	return run_read(run, path, &errors);
}

/* A text of lines with numbers in them, from `first` to `last`; %d is the number. */
static char *
lines(const char *fmt, int first, int last)
{
	static char text[1 << 16];
	size_t n = 0;

	for (int i = first; i <= last; i++) {
		for (const char *c = fmt; *c != '\0' && n + 16 < sizeof text; c++) {
			if (c[0] == '%' && c[1] == 'd') {
				n += (size_t)snprintf(text + n, 16, "%d", i);
				c++;
			} else {
				text[n++] = *c;
			}
		}
	}
	text[n] = '\0';
	return text;
}

TEST(test_megatron)
{
	assert_true(read_data("megatron.log"));
	assert_string_equal(run->file[0].kind, "megatron");
	near(median(MEASURED_STEP), 2.2);
	assert_int_equal(measured_steady(run, MEASURED_STEP).samples, 3); /* of 6, without the first three */
	near(median(MEASURED_TFLOPS), 372.7);
	assert_string_equal(fact(FIELD_GLOBAL_BATCH_SIZE), "64");
	assert_int_equal(run->memories, 3);
	near(run->memory[0].allocated, 20480.5 * MIB);
	assert_int_equal(run->memory[2].rank, 12);
}

TEST(test_megatron_parts)
{
	assert_true(read_text(
	    "12: using world size: 16, data-parallel size: 1, context-parallel size: 1, "
	    "hierarchical context-parallel sizes: None, tensor-model-parallel size: 8, "
	    "pipeline-model-parallel size: 2\n"
	    "0: ------------------------ arguments ------------------------\n"
	    "0:   micro_batch_size ................................ 4\n"
	    "0:   recompute_granularity ........................... full\n"
	    "0:   sequence_parallel ............................... False\n"
	    "0:   use_distributed_optimizer ....................... True\n"
	    "0: -------------------- end of arguments ---------------------\n"
	    "0:   seq_length ...................................... 9\n"
	    "(min, max) time across ranks (ms):\n"
	    "    forward-backward ...............................: (5012.30, 5049.17)\n"
	    "    all-grads-sync .................................: (10.11, 12.50)\n"
	    "    optimizer ......................................: (30.00, 31.00)\n"
	    "    batch-generator ................................: (1.00, 2.00)\n"
	    "| MnRtt/Rnk: 3000.00ms/8 | MxRtt/Rnk: 3600.00ms/0 |\n"));
	assert_string_equal(fact(FACT_WORLD), "16");
	assert_string_equal(fact(FIELD_TP), "8");
	assert_string_equal(fact(FIELD_MICRO_BATCH_SIZE), "4");
	assert_string_equal(fact(FIELD_RECOMPUTE), "full");
	assert_string_equal(fact(FIELD_SEQUENCE_PARALLEL), "false");
	assert_string_equal(fact(FIELD_ZERO_STAGE), "1");
	assert_null(measured_find(run, FIELD_SEQUENCE_LENGTH)); /* past the end of the list */
	near(median(MEASURED_FORWARD_BACKWARD), 5.04917);
	near(median(MEASURED_GRADS_SYNC), 0.0125);
	near(median(MEASURED_OPTIMIZER), 0.031);
	near(median(MEASURED_DATA), 0.002);
	assert_true(measured_says(run, EVIDENCE_STRAGGLER));
}

TEST(test_torchtitan)
{
	assert_true(read_data("torchtitan.log"));
	assert_string_equal(run->file[0].kind, "torchtitan");
	near(median(MEASURED_TOKENS_GPU), 5762);
	assert_string_equal(fact(FACT_GPU_NAME), "NVIDIA H100 80GB HBM3");
	near(measured_find(run, FACT_PEAK)->number / 1e12, 23.81 / .0241);
	near(run->memory[0].reserved, 64.21 * GIB);
	/* a GPU that no line names: by its capacity and its peak */
	assert_true(read_text(lines("step: %d  loss: 1.0  memory: 47.61GiB(60.15%)  tps: 2,931  "
	    "tflops: 169.77  mfu: 54.42%\n", 1, 9)));
	near(measured_find(run, FACT_CAPACITY)->number, 47.61 * GIB / .6015);
	near(measured_find(run, FACT_PEAK)->number, 169.77e12 / .5442);
	/* what loading took of steps, from its metrics */
	assert_true(read_text(lines("step: %d  loss: 1.0  memory: 47.61GiB(60.15%)  tps: 2,931  tflops: 169.77  mfu: 54.42%\n"
	    "{\"time_metrics/end_to_end(s)\": 2.0, \"time_metrics/data_loading(%)\": 12.5}\n", 1, 9)));
	near(median(MEASURED_DATA), 0.25);
}

TEST(test_nanotron)
{
	assert_true(read_data("nanotron.log"));
	near(median(MEASURED_STEP), 1.29);
	near(run->memory[1].allocated, 11776.75 * MIB);
	assert_int_equal(run->memory[1].stage, 1);
	/* since 2025-03 */
	assert_true(read_text(lines("[INFO|DP=0|PP=0|TP=0|n1]: iteration: %d / 15 | "
	    "time_per_iteration_ms: 1.2K | tokens_per_sec_per_gpu: 25K | "
	    "model_tflops_per_gpu: 350\n", 1, 8)));
	near(median(MEASURED_STEP), 1.2);
	near(median(MEASURED_TOKENS_GPU), 25000);
}

TEST(test_deepspeed)
{
	assert_true(read_text(lines(
	    "[2025-01-01 10:00:00,000] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | "
	    "fwd_microstep: 376.6 | bwd_microstep: 864.6 | bwd_inner_microstep: 860.1 | "
	    "bwd_allreduce_microstep: 4.0 | step_microstep: 22880.9\n"
	    "[2025-01-01 10:00:00,000] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | "
	    "fwd: 376.6 | bwd: 864.6 | bwd_inner: 860.1 | bwd_allreduce: 4.0 | step: 2288%d\n"
	    "[2025-01-01] epoch=0/micro_step=%d/global_step=%d, RunningAvgSamplesPerSec=3.9, "
	    "CurrSamplesPerSec=4.0, MemAllocated=1.5GB, MaxMemAllocated=2.5GB\n", 1, 5)));
	assert_string_equal(run->file[0].kind, "deepspeed");
	near(median(MEASURED_FORWARD), 0.3766);
	near(median(MEASURED_OPTIMIZER), 22.8835);
	near(median(MEASURED_STEP), 0.3766 + 0.8646 + 22.8835);
	near(median(MEASURED_SAMPLES), 4);
	near(run->memory[0].allocated, 2.5 * GIB);
	assert_true(read_text("[INFO] [init_distributed] world size: 48, rank: 0\n"));
	near(measured_find(run, FACT_WORLD)->number, 48);
}

TEST(test_progress)
{
	static const char text[] =
	    "Loading checkpoint shards: 100%|##| 4/4 [00:08<00:00,  2.1s/it]\n"
	    "  0%|          | 0/377 [00:00<?, ?it/s]\r  0%| | 1/377 [01:00<6:16:00, 60.00s/it]\r"
	    "  1%| | 2/377 [01:50<5:40:00, 55.00s/it]\r  1%| | 4/377 [03:30<5:20:03, 52.33s/it]\r"
	    "  2%| | 6/377 [05:10<5:20:03, 52.33s/it]\r"
	    "Evaluating: 100%|##| 50/50 [00:50<00:00, 1.00s/it]\n"
	    "{'train_runtime': 106.5, 'train_samples_per_second': 4.69, "
	    "'train_steps_per_second': 0.01, 'train_loss': 1.5}\n";
	char bar[sizeof text];

	assert_true(read_text(text));
	/* the mean with warm-up and evaluations is what the trainer says; without it the bar */
	near(median(MEASURED_STEP), 100);
	strcpy(bar, text);
	*strstr(bar, "{'train") = '\0';
	assert_true(read_text(bar));
	near(median(MEASURED_STEP), 50);
}

TEST(test_rollouts)
{
	assert_true(read_text(lines(
	    "(TaskRunner pid=77) step:%d - perf/mfu/actor:1.018 - perf/max_memory_allocated_gb:25.9 - "
	    "perf/max_memory_reserved_gb:61.6 - response_length/mean:300.0 - "
	    "response_length/max:1024.0 - timing_s/gen:np.float64(74.02) - timing_s/old_log_prob:4.5 - "
	    "timing_s/ref:4.0 - timing_s/values:1.0 - timing_s/update_critic:2.0 - "
	    "timing_s/update_actor:9.5 - timing_s/step:96.6 - perf/throughput:100\n", 1, 6)));
	assert_string_equal(run->file[0].kind, "verl");
	near(median(MEASURED_RL_ROLLOUT), 74.02);
	near(median(MEASURED_RL_CRITIC), 3);
	near(median(MEASURED_RL_STEP), 96.6);
	near(run->memory[0].reserved, 61.6 * GIB);
	assert_true(measured_says(run, EVIDENCE_TAIL));
	assert_true(measured_says(run, EVIDENCE_WRONG_COUNT));
	assert_true(read_text(lines("Global step %d: {'timing/generation': 30.5, "
	    "'timing/ppo_train': 12.0, 'timing/broadcast': 1.5, 'timing/step_total': 50.0}\n", 1, 5)));
	assert_string_equal(run->file[0].kind, "openrlhf");
	near(median(MEASURED_RL_SYNC), 1.5);
	assert_true(read_text("Timing:\n  \xe2\x80\xa2 Total step time: 96.55s\n"
	    "  \xe2\x80\xa2 generation: 40.30s (41.7%)\n  \xe2\x80\xa2 policy_training: 30.00s (31%)\n"));
	assert_string_equal(run->file[0].kind, "nemo-rl");
	near(median(MEASURED_RL_ROLLOUT), 40.3);
	assert_true(read_text("perf 3: {'perf/step_time': 50.5, 'perf/actor_train_time': 20.5, "
	    "'perf/log_probs_time': 3.5}\n"));
	assert_string_equal(run->file[0].kind, "slime");
	near(median(MEASURED_RL_TRAIN), 20.5);
}

TEST(test_engines)
{
	assert_true(read_text(lines("INFO 01-01 10:00:0%d [loggers.py:111] Engine 000: Avg prompt "
	    "throughput: 6102.8 tokens/s, Avg generation throughput: 1221.7 tokens/s, Running: 259 "
	    "reqs, Waiting: 535 reqs, GPU KV cache usage: 95.3%, Prefix cache hit rate: 32.2%\n", 1, 6)));
	assert_string_equal(run->file[0].kind, "vllm");
	near(median(MEASURED_GENERATED), 1221.7);
	assert_true(measured_says(run, EVIDENCE_POOL_FULL));
	assert_true(read_text(lines("[2025-01-01 10:00:0%d TP0] Decode batch. #running-req: 64, "
	    "#token: 131072, token usage: 0.46, accept len: 2.50, cuda graph: True, gen throughput "
	    "(token/s): 3200.0, #queue-req: 7, \n", 1, 6)));
	assert_string_equal(run->file[0].kind, "sglang");
	near(median(MEASURED_DECODE), 0.05); /* 64 requests, 2.5 tokens each, at 3200 a second */
	assert_true(measured_says(run, EVIDENCE_GRAPHS));
	assert_true(measured_says(run, EVIDENCE_POOL_EMPTY));
	assert_true(read_data("vllm_bench.json"));
	near(median(MEASURED_TPOT), 0.0149);
	near(run->load.generate_tokens, 256);
	assert_true(read_data("trtllm_bench.txt"));
	assert_string_equal(run->file[0].kind, "benchmark");
	near(median(MEASURED_TTFT), 0.2105);
}

TEST(test_links)
{
	assert_true(read_text(
	    "# nThread 1 nGpus 1 minBytes 8388608 maxBytes 1073741824 step: 2(factor)\n"
	    "#  Rank  0 Group  0 Pid   1234 on  node1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
	    "#  Rank  8 Group  0 Pid   1235 on  node2 device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
	    "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
	    "time   algbw   busbw #wrong\n"
	    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
	    "(us)  (GB/s)  (GB/s)       \n"
	    "     8388608       2097152     float     sum      -1    301.1   27.86   52.24      0    "
	    "299.0   28.06   52.60      0\n"
	    "  1073741824     268435456     float     sum      -1  23000.0   46.68   87.53      0  "
	    "22900.0   46.89   87.92    N/A\n"
	    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 70.0\n"));
	assert_string_equal(run->file[0].kind, "nccl-tests");
	near(median(MEASURED_NETWORK_BUS), 87.92e9); /* the largest size, not the mean */
	assert_string_equal(fact(FACT_GPU_NAME), "NVIDIA H100 80GB HBM3");
	assert_true(read_text(
	    "n1:1:9 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
	    "n1:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0\n"
	    "n1:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct\n"));
	assert_string_equal(run->file[0].kind, "nccl");
	assert_true(measured_says(run, EVIDENCE_NO_GDR));
	assert_true(measured_says(run, EVIDENCE_ONE_NIC));
	assert_true(measured_says(run, EVIDENCE_SHM));
	assert_true(measured_says(run, EVIDENCE_RDMA));
	assert_true(read_text(
	    "n1:1:9 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB e<0>\n"
	    "n1:1:9 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA\n"));
	assert_false(measured_says(run, EVIDENCE_NO_GDR));
	assert_false(measured_says(run, EVIDENCE_ONE_NIC));
	/* GPU1 has no NIC on its own socket */
	assert_true(read_text("\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\n"
	    "GPU0\t X \tNV18\tPIX\tSYS\t0-47\t0\nGPU1\tNV18\t X \tSYS\tSYS\t48-95\t1\n"));
	assert_true(measured_says(run, EVIDENCE_CROSS_SOCKET));
	assert_int_equal(run->evidence[EVIDENCE_CROSS_SOCKET].count, 1);
	assert_int_equal(run->evidence[EVIDENCE_CROSS_SOCKET].place.line, 3);
}

TEST(test_hosts)
{
	static const char section[] =
	    "    Product Name                          : NVIDIA GeForce RTX 3090\n"
	    "    PCI\n        GPU Link Info\n            PCIe Generation\n"
	    "                Max                       : 4\n"
	    "                Current                   : 4\n"
	    "            Link Width\n                Max                       : 16x\n"
	    "                Current                   : 4x\n"
	    "        Bridge Chip\n            Type                          : N/A\n"
	    "    Clocks Event Reasons\n"
	    "        SW Power Cap                      : Active\n"
	    "        HW Thermal Slowdown               : Not Active\n"
	    "    Utilization\n        Gpu                               : 99 %\n"
	    "    GPU Power Readings\n"
	    "        Current Power Limit               : 230.00 W\n"
	    "        Default Power Limit               : 350.00 W\n";

	assert_true(read_text(section));
	assert_string_equal(run->file[0].kind, "nvidia-smi");
	assert_string_equal(fact(FACT_GPU_NAME), "NVIDIA GeForce RTX 3090");
	assert_true(measured_says(run, EVIDENCE_POWER_CAP));
	assert_true(measured_says(run, EVIDENCE_NARROW_PCIE));
	assert_false(measured_says(run, EVIDENCE_THERMAL));
	assert_false(measured_says(run, EVIDENCE_MIXED_GPUS));
	assert_true(read_text("index, utilization.gpu [%], clocks_event_reasons.active, power.draw [W]\n"
	    "0, 98 %, 0x0000000000000000, 300\n1, 98 %, 0x0000000000000040, 300\n"));
	assert_true(measured_says(run, EVIDENCE_THERMAL));
	assert_false(measured_says(run, EVIDENCE_POWER_CAP));
}

/* Lines as their programs print them, whose numbers were read as others: a unit that begins with M,
 * rates of small messages, units of times. */
TEST(test_shapes)
{
	assert_true(read_text("Step Time : 35.36s GPU utilization: 243.6MODEL_TFLOP/s/GPU\n"));
	near(median(MEASURED_TFLOPS), 243.6);
	assert_true(read_text("fwd latency:          1.2 s\nbwd latency:          2500.0 ms\n"
	    "step latency:         30.1 ms\n"));
	near(median(MEASURED_FORWARD), 1.2);
	near(median(MEASURED_BACKWARD), 2.5);
	near(median(MEASURED_OPTIMIZER), 0.0301);
	assert_true(read_text("comm op: all_gather | time (ms): 1.20 | msg size: 16.0 MB | algbw (Gbps): 1 | "
	    "busbw (Gbps): 93.30\n"));
	assert_int_equal(run->series[MEASURED_NETWORK_BUS].count, 0);
	assert_true(read_text("|        CUDA OOMs: 1            |        cudaMalloc retries: 12        |\n"
	    "| Allocated memory      |  60000 MiB |  70000 MiB |  900000 MiB |  840000 MiB |\n"
	    "| GPU reserved memory   |  75000 MiB |  76000 MiB |  80000 MiB |   5000 MiB |\n"));
	assert_string_equal(run->file[0].kind, "out-of-memory");
	assert_true(run->memories == 1);
	near(run->memory[0].allocated, 70000 * 1048576.0);
	near(run->memory[0].reserved, 76000 * 1048576.0);
}

/* Columns of tools that watch GPUs: a busy one at a limit, in heat, waiting; an idle one says
 * nothing, and rows end with the table. */
TEST(test_gpu_columns)
{
	static const char busy[] =
	    "| 30%   65C    P2             230W /  230W |  20000MiB /  24576MiB |     99%      Default |\n";

	assert_true(read_text("name, power.draw [W], power.limit [W], power.default_limit [W]\n"
	    "NVIDIA GeForce RTX 3090, 229.80 W, 230.00 W, 350.00 W\n"));
	assert_true(measured_says(run, EVIDENCE_POWER_LIMIT));
	assert_string_equal(fact(FACT_GPU_NAME), "NVIDIA GeForce RTX 3090");
	assert_string_equal(fact(FIELD_GPU_POWER_WATTS), "230");
	assert_true(read_text(busy));
	assert_string_equal(fact(FIELD_GPU_POWER_WATTS), "230");
	assert_false(measured_says(run, EVIDENCE_POWER_CAP)); /* it may be the usual one */
	assert_true(read_text("index, utilization.gpu [%], clocks_throttle_reasons.sw_power_cap, "
	    "pcie.link.gen.current, pcie.link.gen.max, power.draw [W], power.limit [W]\n"
	    "0, 3 %, Active, 1, 5, 70.1 W, 700.00 W\n"
	    "1, 99 %, Not Active, 5, 5, 180.00 W, 700.00 W\n"));
	assert_false(measured_says(run, EVIDENCE_POWER_CAP));
	assert_false(measured_says(run, EVIDENCE_NARROW_PCIE));
	assert_true(measured_says(run, EVIDENCE_LOW_POWER));
	assert_true(read_text("# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk  pviol  tviol\n"
	    "# Idx      W      C      C      %      %      %      %    MHz    MHz      %   bool\n"
	    "    0    498     60     72    100     41      0      0   2619   1380     96      0\n"
	    "    1    300     88     90    100     41      0      0   2619    900      0      1\n"
	    " iteration 5/ 10 | elapsed time per iteration (ms): 1000.0 |\n"));
	assert_string_equal(run->file[0].kind, "megatron nvidia-smi");
	assert_true(measured_says(run, EVIDENCE_POWER_CAP));
	assert_true(measured_says(run, EVIDENCE_THERMAL));
	assert_true(read_text("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-2)\n"));
	assert_false(measured_says(run, EVIDENCE_MIXED_GPUS));
	assert_true(read_text("#  Rank  0 Group  0 Pid 1 on  h device  0 [0x07] NVIDIA A100-SXM4-80GB\n"
	    "#  Rank  1 Group  0 Pid 1 on  h device  1 [0x07] NVIDIA A100-SXM4-40GB\n"
	    "#       size  count type redop root  time   algbw   busbw #wrong\n"
	    " 1048576 262144 float sum -1 10.0 100.0 90.0 0 10.0 100.0 90.0 0\n# Avg bus bandwidth    : 90.0\n"));
	assert_true(measured_says(run, EVIDENCE_MIXED_GPUS));
	assert_true(read_text("#Entity   GPUTL   POWER   SMACT\nID\nGPU 0     98      310.2   0.41\n"));
	assert_string_equal(run->file[0].kind, "dcgm");
}

TEST(test_out_of_memory)
{
	assert_true(read_text("[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
	    "250.00 MiB. GPU 3 has a total capacity of 79.26 GiB of which 104.75 MiB is free. Process "
	    "77 has 3.00 GiB memory in use. Including non-PyTorch memory, this process has 76.14 GiB "
	    "memory in use. Of the allocated memory 69.77 GiB is allocated by PyTorch, with 5.50 GiB "
	    "allocated in private pools (e.g., CUDA Graphs), and 3.87 GiB is reserved by PyTorch but "
	    "unallocated. If reserved but unallocated memory is large try setting\n"));
	assert_string_equal(run->file[0].kind, "out-of-memory");
	assert_int_equal(run->oom.count, 1);
	near(run->oom.asked, 250 * MIB);
	near(run->oom.capacity, 79.26 * GIB);
	near(run->oom.free, 104.75 * MIB);
	near(run->oom.allocated, 69.77 * GIB);
	near(run->oom.unallocated, 3.87 * GIB);
	near(run->oom.pools, 5.5 * GIB);
	near(run->oom.others, 3 * GIB);
	assert_true(measured_says(run, EVIDENCE_FRAGMENTS));
	assert_true(measured_says(run, EVIDENCE_GRAPH_POOLS));
	assert_true(measured_says(run, EVIDENCE_OTHER_PROCESS));
	assert_int_equal(run->memory[0].rank, 3);
	near(run->memory[0].used, 76.14 * GIB + 250 * MIB);
	assert_true(read_text("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.19 GiB "
	    "total capacity; 60.00 GiB already allocated; 1.00 GiB free; 75.00 GiB reserved in total by "
	    "PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb\n"));
	assert_true(run->oom.capacity > 79e9 && run->oom.capacity < 86e9);
	assert_true(run->oom.allocated > 64.4e9 && run->oom.allocated < 64.5e9);
	assert_true(run->oom.unallocated > 16.1e9 && run->oom.unallocated < 16.2e9);
	assert_true(measured_says(run, EVIDENCE_FRAGMENTS));
	assert_false(measured_says(run, EVIDENCE_OTHER_PROCESS));
	/* where, by the outermost call of the traceback before it */
	static const struct {
		const char *call;
		enum oom_phase phase;
	} calls[] = {
		{ "    model = AutoModelForCausalLM.from_pretrained(path)\n    out = self.forward(x)", OOM_LOADING },
		{ "    iteration, _ = load_checkpoint(model, optimizer)", OOM_LOADING },
		{ "    x = y + 1", OOM_UNKNOWN },
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		char text[512];

		snprintf(text, sizeof text, "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n%s\n"
		    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 250.00 MiB. GPU 0 has a total capacity of "
		    "79.26 GiB of which 104.75 MiB is free.\n", calls[i].call);
		assert_true(read_text(text));
		assert_int_equal(run->oom.phase, calls[i].phase);
	}
}

/* Steps of 100 us: a product of 60, a gather of 30 beside it that ends 10 later, a copy of 5. */
static char *
trace(void)
{
	static char text[1 << 16];
	size_t n = (size_t)snprintf(text, sizeof text, "{\n  \"schemaVersion\": 1,\n"
	    "  \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", "
	    "\"totalGlobalMem\": 85029158912}],\n"
	    "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 16},\n"
	    "  \"traceEvents\": [\n");

	for (int i = 0; i < 6; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
		    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a } \\\" {\", \"ts\": 1, \"dur\": 9},\n"
		    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nvjet_hsh\", \"pid\": 0, \"tid\": 7,\n"
		    " \"ts\": %d.0, \"dur\": 60.0, \"args\": {\"stream\": 7}},\n"
		    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllGather\", \"ts\": %d, "
		    "\"dur\": 30, \"args\": {\"Collective name\": \"_allgather_base\"}},\n"
		    "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy HtoD\", \"ts\": %d, \"dur\": 5},\n"
		    "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"ts\": %d, "
		    "\"dur\": 100},\n", 1000 + 100 * i, 1040 + 100 * i, 1080 + 100 * i, i, 1000 + 100 * i);
	snprintf(text + n, sizeof text - n, "{\"ph\": \"M\"}]}\n");
	return text;
}

TEST(test_trace)
{
	char *text;

	assert_true(read_text(trace()));
	assert_string_equal(run->file[0].kind, "trace");
	near(median(MEASURED_STEP), 100e-6);
	near(median(MEASURED_COMPUTE), 60e-6);
	near(median(MEASURED_EXPOSED), 10e-6);
	near(median(MEASURED_IDLE), 25e-6);
	near(median(MEASURED_PRODUCTS), 60e-6);
	near(median(MEASURED_ALL_GATHER), 30e-6);
	assert_int_equal(run->series[MEASURED_ATTENTION].count, 0);
	assert_string_equal(fact(FACT_GPU_NAME), "NVIDIA H100 80GB HBM3");
	assert_string_equal(fact(FACT_WORLD), "16");
	/* cut off where it was written last */
	text = trace();
	text[2000] = '\0';
	assert_true(read_text(text));
	near(median(MEASURED_COMPUTE), 60e-6);
	/* no text of it has a quote within, as in most; without blanks, as other writers have it */
	assert_true(read_text("{\"schemaVersion\":1,\"traceEvents\":["
	    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":1,\"dur\":5,\"args\":{\"a\":1}},"
	    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":9,\"dur\":5}]}"));
	near(median(MEASURED_COMPUTE), 10e-6);
	assert_false(read_text("{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"M\"}]}"));
	assert_non_null(strstr(errors.line[0], "a trace without kernels"));
}

TEST(test_noise)
{
	/* colours, ranks, times and several programs in one file */
	assert_true(read_text(
	    "node1:12:34 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n"
	    "\033[32m3: [rank3]:\033[0m  iteration 8/ 100 | elapsed time per it\033[1meration (ms): "
	    "5361.6 | global batch size: 128 |\n"
	    "using torch.float32 for parameters ...\n"));
	assert_string_equal(run->file[0].kind, "megatron");
	near(median(MEASURED_STEP), 5.3616);
	assert_true(measured_steady(run, MEASURED_STEP).first_alone);
	assert_true(measured_says(run, EVIDENCE_SOCKETS));
	assert_true(measured_says(run, EVIDENCE_FLOAT32));
	assert_int_equal(run->evidence[EVIDENCE_FLOAT32].place.line, 3);
	assert_false(measured_says(run, EVIDENCE_RDMA));
}

#define BRACED "{ no JSON\n iteration 2/ 10 | elapsed time per iteration (ms): 17000.0 |\n"

TEST(test_refused)
{
	assert_false(read_text("hello\n"));
	assert_int_equal(errors.count, 1);
	assert_non_null(strstr(errors.line[0], "no line of a known program"));
	assert_false(read_text("SQLite format 3 and so on"));
	assert_non_null(strstr(errors.line[0], "nsys stats"));
	assert_false(read_text("\x80\x04\x95 pickled"));
	assert_non_null(strstr(errors.line[0], "memory_summary"));
	assert_false(read_text(""));
	errors = (struct file_errors){ 0 };
	assert_false(run_read(run, "/nonexistent.log", &errors));
	assert_int_equal(errors.count, 1);
	/* a log that begins with a brace, which is read as a result first, takes nothing of it back */
	assert_true(run_read_text(run, "run", BRACED, strlen(BRACED), &errors));
	assert_int_equal(errors.count, 1);
}

/* The median and the spread of thousands of steps, in bounded memory. */
TEST(test_series)
{
	struct place place = { 0, 1 };
	double mean = 0;

	memset(run, 0, sizeof *run);
	for (int i = 0; i < 100000; i++)
		measured_add(run, MEASURED_STEP, i, i < 3 ? 50 : i % 500 == 0 ? 9 : 1 + (i % 10) / 10.0,
		    place);
	assert_true(median(MEASURED_STEP) > 1.3 && median(MEASURED_STEP) < 1.7);
	assert_int_equal(series_period(&run->series[MEASURED_STEP], &mean) % 500, 0);
	assert_true(series_drift(&run->series[MEASURED_STEP]) < 1.2);
}

int
main(void)
{
	return unit_run(setup, teardown);
}
