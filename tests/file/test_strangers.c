/* Logs as strangers paste them: prefixed by launchers, without their escapes, cut, of older and newer
 * releases. Lines are as the programs named print them. */
#include "runtest.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/kernels.h"

static void
reads(const char *text)
{
	errors = (struct file_errors){ 0 };
	memset(run, 0, sizeof *run);
	if (!run_read_text(run, "a.log", text, strlen(text), &errors))
		fail_msg("%s", errors.line[0]);
}

#define ESCAPE(e) "[rank0]:" e "[36mstep:  4  " e "[32mloss: 12.2  " e "[33mmemory: 45.67GiB(57.7%)  " \
	e "[34mwps: 5,766  " e "[35mmfu: 33.68%" e "[39m\n"

/* torchtitan before 2025 in an issue: escapes lost, or written out. */
TEST(test_colours)
{
	static const char *const text[] = { ESCAPE(""), ESCAPE("^["), ESCAPE("\\u001b"), ESCAPE("#033"),
		ESCAPE("\033") };

	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		reads(text[i]);
		near(median(MEASURED_TOKENS_GPU), 5766);
		near(run->memory[0].reserved, 45.67 * GIB);
		assert_int_equal(run->memory[0].rank, 0);
	}
}

/* A table of nccl-tests, the last row of which may be left out. */
static void
bench_text(char *buf, size_t size, const char *prefix, bool large)
{
	static const char *const line[] = {
		"#  Rank  0 Group  0 Pid 12 on     node1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3",
		"#  Rank  1 Group  0 Pid 13 on     node2 device  0 [0000:04:00] NVIDIA H100 80GB HBM3",
		"#       size         count      type   redop    root     time   algbw   busbw #wrong     time"
		"   algbw   busbw #wrong",
		"#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)"
		"  (GB/s)  (GB/s)",
		"     8388608       2097152     float     sum      -1    412.1   20.36   20.36      0    410.0"
		"   20.46   20.46      0",
		"  1073741824     268435456     float     sum      -1  22412.1   47.91   47.91      0  22410.0"
		"   47.91   47.91      0",
		"# Avg bus bandwidth    : 34.3227" };

	*buf = '\0';
	for (size_t i = 0; i < sizeof line / sizeof *line; i++)
		if (large || i != 5)
			text_add(buf, size, "%s%s\n", prefix, line[i]);
}

/* What mpirun --tag-output, srun -l and Kubernetes put before a table; of small messages alone it tells
 * no rate. */
TEST(test_bench_prefix)
{
	static const char *const prefix[] = { "", "[1,0]<stdout>:", "0: ", "3  ", "2026-01-01T00:00:00Z stdout F " };
	char text[4096];

	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++) {
		bench_text(text, sizeof text, prefix[i], true);
		reads(text);
		near(median(MEASURED_NETWORK_BUS), 47.91e9);
		assert_false(measured_says(run, EVIDENCE_COLLAPSE));
		assert_string_equal(fact(FACT_GPU_NAME), "NVIDIA H100 80GB HBM3");
	}
	bench_text(text, sizeof text, "", false);
	reads(text);
	assert_int_equal(run->series[MEASURED_NETWORK_BUS].count, 0);
}

TEST(test_nccl_words)
{
	reads("n1:1:2 [0] NCCL INFO Assigned NET plugin Socket to comm\n");
	assert_true(measured_says(run, EVIDENCE_SOCKETS));
	reads("n1:1:2 [0] NCCL INFO Assigned NET plugin IB to comm\n"
	    "n1:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n");
	assert_true(measured_says(run, EVIDENCE_RDMA));
	assert_true(measured_says(run, EVIDENCE_NO_GDR));
	reads("n1:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IBext_v8/0/GDRDMA\n");
	assert_true(measured_says(run, EVIDENCE_RDMA));
	assert_true(measured_says(run, EVIDENCE_GDR));
	assert_false(measured_says(run, EVIDENCE_NO_GDR));
}

/* DeepSpeed runtime/pipe/engine.py */
TEST(test_pipeline)
{
	reads("steps: 1 loss: 10.5508 iter time (s): 9.936 samples/sec: 16.3\n"
	    "steps: 10 loss: 5.5508 iter time (s): 0.936 samples/sec: 136.7\n"
	    "steps: 20 loss: 5.5508 lm loss: 5.51 moe loss: 0.04 iter time (s): 0.936 samples/sec: 136.7\n");
	near(median(MEASURED_STEP), 0.936);
	assert_string_equal(run->file[0].kind, "deepspeed");
}

/* AMD-AGI/Primus: a line of Megatron-LM with what ROCm says of memory; times now and on average. */
TEST(test_primus)
{
	reads("[20251202 09:12:08][rank-7/8][INFO ] [--------trainer.py:2560] : iteration 126/ 5000 | consumed samples: "
	    "16128 | elapsed time per iteration (ms): 13372.8/13364.7 | hip mem usage/free/total/usage_ratio: "
	    "153.81GB/102.17GB/255.98GB/60.09% | throughput per GPU (TFLOP/s/GPU): 567.6/568.0 | "
	    "global batch size: 128 |\n");
	near(median(MEASURED_STEP), 13.3728);
	near(median(MEASURED_TFLOPS), 567.6);
	near(run->memory[0].used, 153.81 * GIB);
	near(measured_find(run, FACT_CAPACITY)->number, 255.98 * GIB);
}

/* SGLang before 0.5.4 said so of requests that are computed again. */
TEST(test_retracted)
{
	reads("[2025-03-07 12:00:01 TP0] Decode out of memory happened. #retracted_reqs: 2, #new_token_ratio: "
	    "0.5 -> 0.9\n");
	assert_true(measured_says(run, EVIDENCE_PREEMPTED));
	assert_false(measured_says(run, EVIDENCE_NO_POOL));
}

#define RATES "Avg prompt throughput: 6102.8 tokens/s, Avg generation throughput: 1221.5 tokens/s, " \
	"Running: 64 reqs, Waiting: 0 reqs, GPU KV cache usage: 42.3%, Prefix cache hit rate: 32.2%\n"

/* Engines of one deployment say their rates one by one, or added up (vLLM v1/metrics/loggers.py). */
TEST(test_engines_of_one)
{
	reads("INFO 11-01 12:00:00 [loggers.py:257] Engine 000: " RATES "INFO 11-01 12:00:00 [loggers.py:257] Engine 001: " RATES
	    "INFO 11-01 12:00:10 [loggers.py:257] Engine 000: " RATES);
	near(median(MEASURED_GENERATED), 2443);
	near(median(MEASURED_RUNNING), 64);
	assert_true(measured_says(run, EVIDENCE_POOL_FREE));
	reads("INFO 11-01 12:00:00 [loggers.py:257] 2 Engines Aggregated: " RATES);
	near(median(MEASURED_GENERATED), 1221.5);
	near(median(MEASURED_RUNNING), 32);
	reads("[2025-10-01 12:00:00 DP3 TP0 EP0] Decode batch, #running-req: 10, #token: 131072, token usage: 0.46, "
	    "cuda graph: True, gen throughput (token/s): 100.0, #queue-req: 0\n");
	near(median(MEASURED_GENERATED), 400);
	near(median(MEASURED_DECODE), 0.1);
}

#define LIMIT(now, usual) \
	"        SW Power Cap                      : Active\n" \
	"        Current Power Limit               : " now " W\n" \
	"        Default Power Limit               : " usual " W\n"

/* A busy GPU reaches the limit that it is made for. */
TEST(test_power_limits)
{
	reads(LIMIT("700.00", "700.00"));
	assert_true(measured_says(run, EVIDENCE_POWER_CAP));
	assert_true(measured_says(run, EVIDENCE_POWER_FREE));
	assert_false(measured_says(run, EVIDENCE_POWER_LIMIT));
	reads(LIMIT("450.00", "700.00"));
	assert_true(measured_says(run, EVIDENCE_POWER_LIMIT));
}

/* Steps of one length that take unlike times; those of a Trainer, whose lengths differ, may. */
TEST(test_jitter)
{
	char text[8192] = "", other[8192] = "";

	for (int i = 1; i <= 40; i++) {
		text_add(text, sizeof text, " iteration %d/ 100 | elapsed time per iteration (ms): %d.0 |\n", i,
		    1000 + i * 7 % 13 * 100);
		text_add(other, sizeof other, "{'loss': 1.2, 'train_speed(s/it)': %d.%d}\n", 1 + i * 7 % 13, i % 10);
	}
	reads(text);
	assert_true(measured_says(run, EVIDENCE_JITTER));
	reads(other);
	assert_false(measured_says(run, EVIDENCE_JITTER));
}

/* A trace of two steps of 100 us with 20 kernels each: `late` waits before the first one, else gaps
 * lie between them. */
static void
gaps_text(char *buf, size_t size, bool late)
{
	text_put(buf, size, "{\"schemaVersion\": 1, \"traceEvents\": [");
	for (int s = 0; s < 2; s++) {
		text_add(buf, size, "%s{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"pid\": 1, "
		    "\"tid\": 1, \"ts\": %d, \"dur\": 100}", s > 0 ? "," : "", s, 100 * s);
		for (int k = 0; k < 20; k++)
			text_add(buf, size, ",{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, "
			    "\"ts\": %d, \"dur\": 3}", 100 * s + (late ? 40 + 3 * k : 5 * k));
	}
	text_add(buf, size, "]}");
}

TEST(test_gaps)
{
	char text[8192];

	gaps_text(text, sizeof text, true);
	reads(text);
	near(median(MEASURED_IDLE), 40e-6);
	assert_true(measured_says(run, EVIDENCE_ONE_GAP));
	assert_false(measured_says(run, EVIDENCE_GAPS));
	gaps_text(text, sizeof text, false);
	reads(text);
	assert_true(measured_says(run, EVIDENCE_GAPS));
	assert_false(measured_says(run, EVIDENCE_ONE_GAP));
}

/* Kernels of engines by what they do, as vLLM, SGLang, FlashInfer and TensorRT-LLM name them. */
TEST(test_engine_kernels)
{
	static const struct {
		const char *name;
		enum kernel_class what;
	} row[] = {
		{ "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>", KERNEL_OPERATION },
		{ "set_mla_kv_buffer_kernel", KERNEL_OPERATION },
		{ "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<", KERNEL_OPERATION },
		{ "void vllm::moe::topkGatingSoftmax<8, 128", KERNEL_OPERATION },
		{ "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>", KERNEL_ALL_REDUCE },
		{ "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<", KERNEL_ALL_REDUCE },
		{ "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", KERNEL_ALL_REDUCE },
		{ "void deep_ep::internode_ll::dispatch<", KERNEL_ALL_TO_ALL },
		{ "void flashinfer::BatchDecodeWithPagedKVCacheKernel<", KERNEL_ATTENTION },
		{ "kernel_unified_attention_2d", KERNEL_ATTENTION },
		{ "_fwd_grouped_kernel_stage1", KERNEL_ATTENTION },
		{ "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90", KERNEL_ATTENTION },
		{ "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>", KERNEL_NORM },
		{ "fused_moe_kernel", KERNEL_EXPERTS },
		{ "bmm_E4m3_E4m3_Fp32_t128x8x512u2_swiGlu_dynBatch_sm100a", KERNEL_EXPERTS },
		{ "void marlin::Marlin<", KERNEL_PRODUCT },
		{ "_w8a8_block_fp8_matmul", KERNEL_PRODUCT },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (kernel_class(row[i].name, strlen(row[i].name)) != row[i].what)
			fail_msg("%s: %d", row[i].name, kernel_class(row[i].name, strlen(row[i].name)));
	assert_false(kernel_is_softmax(row[3].name, strlen(row[3].name)));
}

/* Six steps of an engine, one of them with prompts: those of generation alone count. */
static void
engine_text(char *buf, size_t size, const char *decodes, const char *prompts)
{
	text_put(buf, size, "{\"schemaVersion\": 1, \"traceEvents\": [");
	for (int s = 0; s < 6; s++)
		text_add(buf, size, "%s{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, "
		    "\"ts\": %d, \"dur\": 5}, {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"nvjet_tst\", \"pid\": 0, "
		    "\"tid\": 7, \"ts\": %d, \"dur\": 60}", s > 0 ? "," : "", s == 2 ? prompts : decodes,
		    s > 2 ? 300 + 100 * s : 100 * s, s > 2 ? 320 + 100 * s : 20 + 100 * s);
	text_add(buf, size, "]}");
}

TEST(test_engine_steps)
{
	static const char *const name[][2] = { { "step[DECODE bs=64]", "step[EXTEND bs=2 toks=900]" },
		{ "execute_context_0(0)_generation_64(64)", "execute_context_2(900)_generation_62(62)" } };
	char text[8192];

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		engine_text(text, sizeof text, name[i][0], name[i][1]);
		reads(text);
		near(median(MEASURED_DECODE), 100e-6);
		near(median(MEASURED_PRODUCTS), 60e-6);
		assert_int_equal(run->series[MEASURED_STEP].count, 0);
	}
}

/* Measurements without a server, and what engines say of their arguments. */
TEST(test_offline)
{
	reads("Decode 0. Batch size: 4, latency: 0.02000 s, throughput:    200.00 token/s\n"
	    "Decode.  median latency: 0.02000 s, median throughput:    200.00 token/s\n"
	    "Benchmark ...\n"
	    "Prefill. latency: 0.37183 s, throughput:  11015.86 token/s\n"
	    "Decode.  median latency: 0.01178 s, median throughput:    339.57 token/s\n");
	near(median(MEASURED_DECODE), 0.01178); /* the first one warms up */
	assert_string_equal(fact(FIELD_CONCURRENCY), "4");
	reads("Throughput: 4.72 requests/s, 3262.58 total tokens/s, 708.33 output tokens/s\n");
	near(median(MEASURED_GENERATED), 708.33);
	reads("INFO 09-30 10:00:20 [core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: model='m', "
	    "tensor_parallel_size=2, pipeline_parallel_size=1, kv_cache_dtype=fp8_e4m3, seed=0\n");
	assert_string_equal(fact(FIELD_TP), "2");
	assert_string_equal(fact(FIELD_KV_DTYPE), "fp8");
	reads("[2025-10-01] server_args=ServerArgs(model_path='m', kv_cache_dtype='fp8_e5m2', tp_size=4, pp_size=1)\n");
	assert_string_equal(fact(FIELD_TP), "4");
	assert_string_equal(fact(FIELD_KV_DTYPE), "fp8");
	reads("WARNING 07-22 03:07:03 [fused_moe.py:1167] Using default MoE config. Performance might be sub-optimal! Config "
	    "file not found at configs/E=512,N=320,device_name=NVIDIA_GB10.json\n");
	assert_true(measured_says(run, EVIDENCE_UNTUNED));
}

TEST(test_experts_rate)
{
	reads("[tuning] SMs 24, NVL chunk 20, RDMA chunk 28: 42.10 GB/s (RDMA), 40.33 GB/s (NVL)\n"
	    "[tuning] Best dispatch (FP8): SMs 24, NVL chunk 20, RDMA chunk 16: 12.50 GB/s (RDMA), 41.14 GB/s (NVL)\n"
	    "[tuning] Best combine: SMs 24, NVL chunk 2, RDMA chunk 16: 45 + 1234 us, 12.50 GB/s (RDMA), 41.14 GB/s (NVL)\n");
	near(median(MEASURED_EXPERTS_BUS), 12.5e9);
	assert_string_equal(run->file[0].kind, "deepep");
}

/* Requests that wait at four fifths of the pool: some were evicted, which vLLM says in metrics alone. */
TEST(test_nearly_full)
{
	reads("INFO 09-30 10:05:00 [loggers.py:127] Engine 000: Avg prompt throughput: 6102.8 tokens/s, Avg generation "
	    "throughput: 1221.7 tokens/s, Running: 259 reqs, Waiting: 535 reqs, GPU KV cache usage: 82.3%, Prefix cache hit "
	    "rate: 32.2%\n");
	assert_true(measured_says(run, EVIDENCE_POOL_NEAR));
	assert_false(measured_says(run, EVIDENCE_POOL_FULL));
}

#define ITERATION(n) " iteration " n "/ 100 | consumed samples: 64 | elapsed time per iteration (ms): 1500.0 | " \
	"global batch size: 16 |\n"

/* A file that ends within a number, as one that is copied while it is written. */
TEST(test_cut)
{
	reads("ration (ms): 9.0 |\n" ITERATION("4") ITERATION("5") " iteration 6/ 100 | consumed samples: 64 | elapsed time per "
	    "iteration (ms): 15");
	near(median(MEASURED_STEP), 1.5);
	assert_int_equal(run->series[MEASURED_STEP].count, 2);
}

#define USING(devices) "n1:1:2 [0] NCCL INFO NET/IB : Using " devices " [RO]; OOB eth0:10.0.0.1<0>\n"

/* A launcher may give each rank the NIC next to it. */
TEST(test_nic_of_each)
{
	reads(USING("[0]mlx5_0:1/IB") USING("[0]mlx5_0:1/IB"));
	assert_true(measured_says(run, EVIDENCE_ONE_NIC));
	reads(USING("[0]mlx5_0:1/IB") USING("[0]mlx5_1:1/IB") USING("[0]mlx5_1:1/IB"));
	assert_false(measured_says(run, EVIDENCE_ONE_NIC));
}

int
main(void)
{
	return unit_run(setup, teardown);
}
