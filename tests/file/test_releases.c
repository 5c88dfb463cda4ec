/*
 * Lines that programs print differently from one release to the next, each as its source has it:
 * nccl-tests src/util.cu and src/common.cu, NCCL src/graph/topo.cc and paths.cc, PyTorch
 * c10/cuda/CUDACachingAllocator.cpp, vLLM v1/metrics/loggers.py and v1/engine/core.py, amdsmi
 * amdsmi_cli/amdsmi_commands.py, Transformer Engine pytorch/attention, Unsloth models/loader.py.
 */
#include "runtest.h"

#include "core/base/number.h"

/* Read a text as a file of its own. */
static bool
read_text(const char *text)
{
	memset(run, 0, sizeof *run);
	memset(&errors, 0, sizeof errors);
	return run_read_text(run, "run.log", text, strlen(text), &errors);
}

TEST(test_nccl_tests)
{
	/* -I: quantiles of iterations stand between the rates */
	assert_true(read_text(
	    "#  Rank  0 Group  0 Pid   1 on  node1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
	    "#  Rank  8 Group  0 Pid   2 on  node2 device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
	    "#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min    i_max    "
	    "i_p99   i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%\n"
	    "  1073741824     268435456     float     sum      -1  23000.0   46.68   87.53       0  22900.0  23100.0  "
	    "23090.0    0.2  22900.0   46.89   87.92       0  22800.0  23000.0  22990.0     0.2\n"
	    "# Avg bus bandwidth    : 70.0\n"));
	near(median(MEASURED_NETWORK_BUS), 87.92e9);
	/* before 2.13: no root, errors instead of counts, and another heading of ranks */
	assert_true(read_text(
	    "#   Rank  0 Pid  20772 on    mel2037 device  0 [0x03] A100-SXM4-40GB\n"
	    "#   Rank  4 Pid  20773 on    mel2038 device  0 [0x03] A100-SXM4-40GB\n"
	    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
	    "   268435456       2097152   float     sum    11812   22.72   42.61  5e-07    11919   22.52   42.23  5e-07\n"
	    "# Avg bus bandwidth    : 25.6327\n"));
	near(median(MEASURED_NETWORK_BUS), 42.61e9);
	assert_string_equal(fact(FACT_GPU_NAME), "A100-SXM4-40GB");
	/* an operation that a collective has none of is left blank */
	assert_true(read_text(
	    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
	    "   268435456       2097152   float            1812   148.1   138.9  0e+00    1819   147.5   138.3  0e+00\n"
	    "# Avg bus bandwidth    : 25.6327\n"));
	near(median(MEASURED_NVLINK_BUS), 138.9e9);
}

TEST(test_nccl)
{
	assert_true(read_text("NCCL INFO GPU Direct RDMA Disabled for GPU ca000 / HCA 0 (distance 7 > 4)\n"));
	assert_true(measured_says(run, EVIDENCE_NO_GDR));
	assert_true(read_text("NCCL INFO NET/AWS Libfabric : GPU Direct RDMA Disabled for HCA 0 'rdmap16s27'\n"));
	assert_true(measured_says(run, EVIDENCE_NO_GDR));
	assert_true(read_text("n1:1:9 [0] NCCL INFO Channel 01 : 9[101d0] -> 0[101c0] [send] via NET/AWS Libfabric/0\n"));
	assert_true(measured_says(run, EVIDENCE_NO_GDR));
	assert_true(read_text("n1:1:9 [0] NCCL INFO Channel 01/0 : 8[0] -> 0[0] [send] via NET/Socket/0\n"));
	assert_false(measured_says(run, EVIDENCE_NO_GDR));
	assert_true(read_text("n1:1:9 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:1<0>\n"));
	assert_true(measured_says(run, EVIDENCE_NICS));
	assert_false(measured_says(run, EVIDENCE_ONE_NIC));
}

TEST(test_memory)
{
	/* in a container the driver's number of this process is another one */
	assert_true(read_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 546.00 MiB. GPU 0 has a "
	    "total capacity of 15.77 GiB of which 514.19 MiB is free. Process 562167 has 15.25 GiB memory in use. Of "
	    "the allocated memory 13.73 GiB is allocated by PyTorch, with 46.00 MiB allocated in private pools (e.g., "
	    "CUDA Graphs), and 736.86 MiB is reserved by PyTorch but unallocated.\n"));
	assert_false(measured_says(run, EVIDENCE_OTHER_PROCESS));
	near(run->oom.process, 15.25 * GIB);
	assert_false(measured_says(run, EVIDENCE_GRAPH_POOLS)); /* that is little */
	assert_true(measured_says(run, EVIDENCE_FRAGMENTS));
	/* 2.1 and 2.2 wrote it so */
	assert_true(read_text("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a "
	    "total capacty of 23.69 GiB of which 7.11 GiB is free. Process 2006998 has 256.00 MiB memory in use. "
	    "Including non-PyTorch memory, this process has 16.31 GiB memory in use. Of the allocated memory 16.01 GiB "
	    "is allocated by PyTorch, and 7.47 MiB is reserved by PyTorch but unallocated.\n"));
	near(run->oom.capacity, 23.69 * GIB);
	near(run->oom.others, 256 * MIB);
	assert_true(measured_says(run, EVIDENCE_OTHER_PROCESS));
	/* peaks of both, a third of which was never given out at once */
	assert_true(read_text("Step 20 | loss:1.2 lr:0.0001 tokens_per_second_per_gpu:3250.0 peak_memory_alloc:9.10 "
	    "peak_memory_reserved:16.39\n"));
	assert_true(measured_says(run, EVIDENCE_SPARE));
	assert_true(read_text("Step 20 | loss:1.2 lr:0.0001 tokens_per_second_per_gpu:3250.0 peak_memory_alloc:15.10 "
	    "peak_memory_reserved:16.39\n"));
	assert_false(measured_says(run, EVIDENCE_SPARE));
}

TEST(test_engines)
{
	assert_true(read_text("INFO Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 90.0 tokens/s, "
	    "Running: 64 reqs, Waiting: 3 reqs, Preemptions: 7, GPU KV cache usage: 88.3%, Prefix cache hit rate: 0.0%\n"));
	assert_true(measured_says(run, EVIDENCE_PREEMPTED));
	assert_true(read_text("INFO [core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: model='m', "
	    "tensor_parallel_size=4, pipeline_parallel_size=1, enforce_eager=False, kv_cache_dtype=auto\n"));
	assert_true(measured_says(run, EVIDENCE_GRAPHS));
	/* that graphs are asked for is less than that steps run without */
	assert_true(read_text("server_args=ServerArgs(model_path='m', tp_size=8, pp_size=1, disable_cuda_graph=False)\n"
	    "Decode batch. #running-req: 300, #token: 300, token usage: 0.30, cuda graph: False, gen throughput (token/s): "
	    "900.0, #queue-req: 0\n"));
	assert_true(measured_says(run, EVIDENCE_EAGER));
	assert_false(measured_says(run, EVIDENCE_GRAPHS));
}

/* Programs of their own lines. */
TEST(test_trainers)
{
	assert_true(read_text("[default7]: iteration    12695/  115311 | consumed samples:      9841584 | elapsed time per "
	    "iteration (s): 105.22 | learning rate: 5.969E-05 | global batch size:  2048 | TFLOPs: 149.02 |\n"));
	near(median(MEASURED_STEP), 105.22);
	assert_string_equal(fact(FIELD_GLOBAL_BATCH_SIZE), "2048");
	assert_true(read_text("2025-09-01 07:13:37 | INFO | root | step 2 | epoch 0 | loss 10.1146 | grad_norm 6.0312 | lr "
	    "6.15e-05 | mem 38.63 GiB | tps 146246.38(73123.19/gpu) | num_label_tokens 524288\n"));
	assert_string_equal(run->file[0].kind, "automodel");
	near(median(MEASURED_TOKENS_GPU), 73123.19);
	near(run->memory[0].allocated, 38.63 * GIB);
	assert_true(read_text("[batch=40/40]:\n\t Train throughput/tokens_per_sec: 39079.992\n"
	    "\t Train throughput/device/tokens_per_sec: 4884.9990\n"));
	assert_string_equal(run->file[0].kind, "composer");
	near(median(MEASURED_TOKENS_GPU), 4884.999);
	assert_true(read_text("completed step: 12, seconds: 17.012, TFLOP/s/device: 420.500, Tokens/s/device: 963.214, "
	    "total_weights: 2097152, loss: 7.123\n"));
	assert_string_equal(run->file[0].kind, "maxtext");
	near(median(MEASURED_STEP), 17.012);
	near(median(MEASURED_TOKENS_GPU), 963.214);
}

TEST(test_attention)
{
	static const char *const unfused[] = { "Running with UnfusedDotProductAttention backend\n",
		"Unsloth: Gemma3 does not support SDPA - switching to fast eager.\n",
		"FlashAttention-2 is not installed, use eager attention.\n" };

	for (size_t i = 0; i < sizeof unfused / sizeof *unfused; i++) {
		assert_true(read_text(unfused[i]));
		assert_true(measured_says(run, EVIDENCE_UNFUSED));
	}
	assert_true(read_text("WARNING - llamafactory.model.patcher - FlashAttention-2 is not installed.\n"));
	assert_false(measured_says(run, EVIDENCE_UNFUSED)); /* PyTorch's own may be fused */
	assert_true(measured_says(run, EVIDENCE_NO_FLASH));
	assert_true(read_text("Running with FusedAttention backend (sub-backend 1)\n"));
	assert_true(measured_says(run, EVIDENCE_FUSED));
}

TEST(test_amd)
{
	assert_true(read_text("GPU: 0\n    LIMIT:\n        PPT0:\n            MAX_POWER_LIMIT: 650 W\n"
	    "            MIN_POWER_LIMIT: 0 W\n            SOCKET_POWER_LIMIT: 500 W\n"));
	assert_true(measured_says(run, EVIDENCE_POWER_LIMIT));
	assert_true(read_text("TIMESTAMP  GPU  XCP  POWER  PWR_CAP\n1786038263    0    0  123 W    750 W\n"));
	assert_string_equal(run->file[0].kind, "amd-smi");
	assert_true(read_text("GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK\n"
	    "  0  200 W     60 C      58 C      99 %   1200 MHz\n"));
	assert_string_equal(run->file[0].kind, "amd-smi");
}

/* Releases that are known to be slower, as each program says its own. */
TEST(test_known)
{
	static const struct {
		const char *line;
		enum evidence_id says;
	} lines[] = {
		{ "n1:1:1 [0] NCCL INFO NCCL version 2.27.6+cuda13.0\n", EVIDENCE_RELEASE_RINGS },
		{ "# nccl-tests version 2.17.6 nccl-headers=22703 nccl-library=22703\n", EVIDENCE_RELEASE_RINGS },
		{ "INFO [pynccl.py:70] vLLM is using nccl==2.25.1\n", EVIDENCE_RELEASE_RINGS },
		{ "NCCL version 2.19.3+cuda12.3\n", EVIDENCE_RELEASE_TREES },
		{ "[INFO] DeepSpeed info: version=0.18.5, git-hash=unknown, git-branch=unknown\n", EVIDENCE_RELEASE_HOOKS },
		{ "[INFO] DeepSpeed info: version=0.5.8+1a2b, git-hash=unknown\n", EVIDENCE_RELEASE_ADAM },
		{ "INFO Initializing a V1 LLM engine (v0.24.0) with config: model='m'\n", EVIDENCE_RELEASE_EXPERTS },
		{ "(APIServer pid=1) INFO vLLM API server version 0.12.0\n", EVIDENCE_RELEASE_EXPERTS },
	};
	static const char *const others[] = { "NCCL version 2.29.2+cuda13.0\n", "NCCL version 2.22.3+cuda12.5\n",
		"# nccl-tests version 2.18.3 nccl-headers=23005 nccl-library=23005\n", "vLLM API server version 0.23.0\n",
		"DeepSpeed info: version=0.18.7, git-hash=unknown\n", "NCCL version 2.99999999999999999999\n" };

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		read_text(lines[i].line);
		assert_true(measured_says(run, lines[i].says));
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		read_text(others[i]);
		for (int id = EVIDENCE_RELEASE_RINGS; id <= EVIDENCE_RELEASE_EXPERTS; id++)
			assert_false(measured_says(run, (enum evidence_id)id));
	}
}

int
main(void)
{
	return unit_run(setup, teardown);
}
