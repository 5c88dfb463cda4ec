/*
 * test_serve.c - serving estimates: what engines choose, how memory adds up, how tokens follow
 * from a plan. Figures of real logs are in test_accuracy_serve.c.
 */
#include "core/base/number.h"
#include "core/serve/serve_model.h"
#include "servecase.h"

/* ---- what engines choose ------------------------------------------------------------ */

TEST(test_versions)
{
	int64_t patch;

	assert_int_equal(engine_version("0.19", &patch), 19);
	assert_int_equal(patch, 0);
	assert_int_equal(engine_version("v0.6.3.post1", &patch), 6);
	assert_int_equal(patch, 3);
	assert_int_equal(engine_version("V0", &patch), 0);
	assert_int_equal(engine_version("1.2", &patch), 102);
	assert_int_equal(engine_version("", &patch), INT32_MAX);
	assert_int_equal(engine_version("main", &patch), INT32_MAX);
	assert_int_equal(patch, INT32_MAX);
	assert_true(engine_version("99999999999999999999.99999999999999999999", &patch) > 100);
}

static void
limits(double seqs, double tokens, double share)
{
	const struct serve_setup s = serve_setup_of(&p);

	if (s.seqs != seqs || s.tokens != tokens || fabs(s.share - share) > 1e-9)
		fail_msg("%.0f sequences, %.0f tokens, share %.4f", s.seqs, s.tokens, s.share);
}

TEST(test_engine_defaults)
{
	load("llama-3.1-8b");
	set("gpu_memory_utilization", "0");
	limits(1024, 8192, 0.9);
	set("generation", "ampere");
	limits(256, 2048, 0.9);
	set("nvlink_gbps", "200"); /* an A800 */
	limits(1024, 8192, 0.9);
	set("generation", "hopper");
	set("memory_gib", "178");
	limits(1024, 8192, 0.9);
	set("engine_version", "0.22");
	limits(1024, 8192, 0.92);
	set("engine_version", "0.28"); /* vllm-project/vllm#51726 */
	limits(1024, 16384, 0.92);
	set("engine_version", "V0");
	limits(256, 8192, 0.9); /* whole prompts */
	set("max_num_seqs", "8");
	set("max_batched_tokens", "512");
	limits(8, 512, 0.9);
	load("llama-3.1-8b");
	set("gpu_memory_utilization", "0");
	set("engine", "sglang"); /* at least 10 GiB stay outside */
	set("memory_gib", "80");
	limits(4096, 8192, 0.836); /* 1 - (512 + 1.5*8192 + 128 + 512)/81920 */
	set("engine_version", "0.4.6");
	limits(4096, 8192, 0.88);
	set("engine_version", "0.19");
	set("engine", "trtllm");
	limits(2048, 8192, 0.9);
}

/* ---- memory ------------------------------------------------------------------------- */

/* Every model, engine and split: the ledger adds up and nothing is out of bounds. */
static void
check_sums(void)
{
	const struct serve s = estimate();
	const double memory = p.cluster.memory_gib * GIB;

	if (!near(noted(QUANTITY_SERVE_MEMORY), memory, 1e-9) ||
	    !near(noted(QUANTITY_KV_TOKEN), s.kv_bytes_per_token, 1e-12) ||
	    !near(noted(QUANTITY_TTFT), s.ttft_seconds, 1e-9) ||
	    !near(noted(QUANTITY_TPOT), s.tpot_seconds, 1e-9))
		fail_msg("%s, engine %d, TP %d: terms do not add up", p.model.preset,
		    (int)p.serving.engine, (int)p.parallel.tp);
	if (!isfinite(s.kv_tokens) || !isfinite(s.kv_blocks) || !isfinite(s.max_concurrency) ||
	    s.kv_pool_bytes < 0 || !(s.ttft_seconds > 0) || !(s.tpot_seconds > 0) ||
	    !isfinite(s.tokens_per_second) || !isfinite(s.transfer_seconds) ||
	    !(s.weight_bytes > 0) || (s.fits && s.max_concurrency < 1))
		fail_msg("%s, engine %d, TP %d: out of bounds", p.model.preset,
		    (int)p.serving.engine, (int)p.parallel.tp);
}

TEST(test_every_model)
{
	static const char *const engines[] = { "vllm", "sglang", "trtllm" };
	static const char *const versions[] = { "V0", "0.11", "0.19", "0.22" };
	static const char *const splits[][4] = { /* TP, PP, EP, DP attention */
		{ "1", "1", "1", "false" }, { "8", "1", "1", "false" }, { "2", "4", "1", "false" },
		{ "8", "1", "8", "true" }, { "1", "8", "1", "false" },
	};
	static const char *const formats[][2] = {
		{ "bf16", "bf16" }, { "fp8", "fp8" }, { "mxfp4", "fp16" }, { "nvfp4", "nvfp4" },
	};

	for (int i = 0; load_at(i); i++)
		for (int k = 0; k < 3 * 4 * 5 * 4; k++) {
			const int split = k / 12 % 5, format = k / 60;

			set("engine", engines[k % 3]);
			set("engine_version", versions[k / 3 % 4]);
			set("tp", splits[split][0]);
			set("pp", splits[split][1]);
			set("ep", p.model.experts % 8 == 0 && p.model.experts ? splits[split][2] : "1");
			set("dp_attention", splits[split][3]);
			set("weight_dtype", formats[format][0]);
			set("kv_dtype", formats[format][1]);
			check_sums();
		}
}

/* .95*79.19 - 14.99 - .25 - 1.89 = 58.10: vLLM 0.19 printed 58.11 GiB, 476,016 tokens. */
TEST(test_one_log)
{
	struct serve s;

	load("llama-3.1-8b");
	gpus("1");
	set("gpu_memory_utilization", "0.95");
	s = estimate();
	assert_true(near(s.kv_pool_bytes, 58.11 * GIB, 0.001));
	assert_true(near(s.kv_tokens, 476016, 0.001));
	assert_true(s.kv_blocks * 16 == s.kv_tokens);
	assert_true(near(s.max_concurrency, 58.11, 0.001));
	assert_true(s.kv_bytes_per_token == 131072);
}

/* QwQ-32B (the shape of Qwen2.5-32B) on four L4: SGLang left 6.09 GiB after loading of
 * 21.63 before, so (6.09 - 21.63*.15) GiB, 46,611 tokens. */
TEST(test_sglang_log)
{
	struct serve s;

	load("qwen2.5-32b");
	gpus("4");
	set("tp", "4");
	set("engine", "sglang");
	set("gpu_memory_utilization", "0.85");
	set("memory_gib", "22.03");
	set("nvlink_gbps", "0");
	set("block_size", "1");
	s = estimate();
	assert_true(s.kv_bytes_per_token == 65536);
	assert_true(near(s.kv_tokens, 46611, 0.08));
}

/* Llama-3.1-8B over four stages: 4.26, 3.28, 3.28, 4.26 GiB. The last stage samples, so
 * its pool is the smallest. */
TEST(test_pipeline)
{
	struct serve s;

	load("llama-3.1-8b");
	gpus("4");
	set("pp", "4");
	s = estimate();
	assert_true(near(s.weight_bytes, 4.26 * GIB, 0.006));
	assert_int_equal(terms[0].stage, 3);
	assert_true(s.kv_bytes_per_token == 131072 / 4);
}

TEST(test_newer_versions)
{
	double pool, activations;

	load("llama-3.1-8b");
	gpus("1");
	activations = estimate().activation_bytes;
	set("engine_version", "0.20");
	pool = estimate().kv_pool_bytes;
	set("engine_version", "0.21"); /* graphs are profiled before the pool is made */
	assert_true(near(pool - estimate().kv_pool_bytes, estimate().graph_bytes, 1e-9));
	set("engine_version", "0.16"); /* a heavier sampler: 4.76 GiB */
	assert_true(estimate().activation_bytes > 2 * activations);
	assert_true(near(estimate().activation_bytes, 4.76 * GIB, 0.02));
}

/* vLLM 0.10.1.1 on an A100 of 79.25 GiB: Qwen2-7B takes 14.25, and 5.01 of a quarter of the memory
 * are left where FlashInfer samples. Its 0.10.2 on an RTX 4090 of 23.53 with PyTorch's sampler: 1.40
 * of activations and 0.02 beside PyTorch, where Qwen3-8B takes 8.8 in FP8. */
TEST(test_samplers)
{
	load("qwen2.5-7b");
	gpus("1");
	set("engine_version", "0.10.1.1");
	set("generation", "ampere");
	set("memory_gib", "79.25");
	set("gpu_memory_utilization", "0.25");
	set("flashinfer_sampler", "true");
	assert_true(near(estimate().kv_pool_bytes, 5.01 * GIB, 0.02));
	load("qwen3-8b");
	gpus("1");
	set("engine_version", "0.10.2");
	set("generation", "ada");
	set("memory_gib", "23.53");
	set("weight_dtype", "fp8");
	assert_true(near(estimate().activation_bytes, 1.40 * GIB, 0.01));
	assert_true(estimate().non_torch_bytes < 0.06 * GIB);
}

/* Qwen3-Next on two H200, vLLM 0.10.2: 5.58 GiB, the sampler's, which covers what experts need. */
TEST(test_buffers_of_experts)
{
	double before;

	load("qwen3-next-80b-a3b");
	gpus("2");
	set("tp", "2");
	set("memory_gib", "139.81");
	set("engine_version", "0.10.2");
	before = estimate().activation_bytes;
	assert_true(near(before, 5.58 * GIB, 0.02));
	set("model.moe_ffn_hidden_size", "1024");
	assert_true(estimate().activation_bytes == before);
	set("engine_version", "0.19");
	before = estimate().activation_bytes;
	set("model.moe_ffn_hidden_size", "8192");
	assert_true(estimate().activation_bytes > before);
}

/* Qwen3-VL 30B on an H200: 64.23 GiB in vLLM 0.13, 63.73 in 0.14, whose pool of workspaces keeps the half GiB of
 * its experts. Nemotron 3 Nano in FP8: 93.13 in 0.13, 92.64 in 0.14, 93.09 in 0.16, where FlashInfer's kernels
 * keep one row a token; 0.18 pads its 1856 to 1920 for them, 0.88 GiB. */
TEST(test_experts_that_stay)
{
	double before, weights;

	load("qwen3-vl-30b-a3b");
	gpus("1");
	set("memory_gib", "139.81");
	set("engine_version", "0.13");
	before = estimate().kv_pool_bytes;
	set("engine_version", "0.14.1");
	assert_true(near(before - estimate().kv_pool_bytes, 0.5 * GIB, 1e-3));
	load("nemotron-3-nano-30b-a3b");
	gpus("1");
	set("memory_gib", "139.81");
	set("weight_dtype", "fp8");
	set("engine_version", "0.13");
	before = estimate().kv_pool_bytes;
	set("engine_version", "0.14.1");
	assert_true(near(before - estimate().kv_pool_bytes, 0.49 * GIB, 0.01));
	set("engine_version", "0.16");
	assert_true(near(before - estimate().kv_pool_bytes, 0.041 * GIB, 0.01));
	weights = estimate().weight_bytes;
	set("engine_version", "0.18");
	assert_true(near(estimate().weight_bytes - weights, 0.94 * GIB, 0.01));
}

/* vLLM's state of Qwen3-Next is in 16 bits: pages of 544 tokens, 16 of them and 3 states for 8,192, where one in
 * fp32 would want twice the page. SGLang's is in fp32 always. */
TEST(test_states)
{
	struct serve s;

	load("qwen3-next-80b-a3b");
	gpus("1");
	set("memory_gib", "139.81");
	set("context_length", "8192");
	set("weight_dtype", "fp8");
	set("model.state_fp32", "false");
	s = estimate();
	assert_true(near(s.max_concurrency, s.kv_blocks / 19, 1e-9));
	set("model.state_fp32", "true");
	s = estimate();
	assert_true(near(s.max_concurrency, s.kv_blocks / 11, 1e-9));
	set("engine", "sglang");
	s = estimate();
	set("model.state_fp32", "false");
	assert_true(estimate().max_concurrency == s.max_concurrency);
}

/* What a checkpoint in FP8 leaves in 16 bits is a byte more each, split over TP, and read in each step. */
TEST(test_kept)
{
	double weights, step;

	load("qwen3-next-80b-a3b");
	gpus("2");
	set("tp", "2");
	set("weight_dtype", "fp8");
	weights = estimate().weight_bytes;
	step = estimate().step_seconds;
	set("kept_params", "1213");
	assert_true(near(estimate().weight_bytes - weights, 1213e6 / 2, 1e-3));
	assert_true(estimate().step_seconds > step);
	set("weight_dtype", "bf16");
	weights = estimate().weight_bytes;
	set("kept_params", "0");
	assert_true(estimate().weight_bytes == weights);
}

/* Groups of 32 in 4 bits have a scale of two bytes each, and half a byte of zero point where there is one; experts
 * alone are so unless said otherwise. */
TEST(test_groups)
{
	double by_default, narrow, zeros, dense;

	load("qwen3-30b-a3b");
	gpus("1");
	set("tp", "1");
	set("weight_dtype", "int4");
	by_default = estimate().weight_bytes;
	set("weight_group", "32");
	narrow = estimate().weight_bytes;
	assert_true(near(narrow - by_default, 48.0 * 128 * 3 * 768 * 2048 * (2.0 / 32 - 2.0 / 128), 1e-3));
	set("zero_points", "true");
	zeros = estimate().weight_bytes;
	assert_true(near(zeros - narrow, 48.0 * 128 * 3 * 768 * 2048 / 64, 1e-3));
	set("dense_dtype", "int4");
	dense = estimate().weight_bytes;
	assert_true(near(zeros - dense, 48.0 * 2048 * (2 * 4096 + 2 * 512) * (2 - 0.578125), 2e-2));
	load("kimi-k2.5");
	(void)estimate();
	assert_int_equal(p.serving.weight_group, 32);
}

/* "Model loading took" of gpt-oss-120b, GiB: 64.38 with Triton on an H100 (vllm-project/vllm#33155, 0.14.1), 65.9651 with
 * Marlin (vllm-project/vllm#23278, 0.10). */
TEST(test_padding)
{
	load("gpt-oss-120b");
	gpus("1");
	set("tp", "1");
	set("weight_dtype", "mxfp4");
	set("generation", "hopper");
	set("engine_version", "0.14.1");
	assert_true(near(estimate().weight_bytes / 1073741824, 64.38, 4e-3));
	set("engine_version", "0.10.1");
	assert_true(near(estimate().weight_bytes / 1073741824, 65.9651, 2e-3));
}

static double
activations_of(const char *version)
{
	set("engine_version", version);
	return estimate().activation_bytes;
}

/* Three images of 2448 tokens in 8192, each laid out for all 8192 in 0.11; one where it is larger than a pass. */
TEST(test_images)
{
	double before;

	load("llama-4-scout-17b-16e");
	set("vision_params", "871.9");
	before = activations_of("0.11.2");
	assert_true(near(before - activations_of("0.12"), 2 * 5120.0 * 3 * (8192 - 2448), 1e-6));
	set("max_batched_tokens", "2048");
	before = activations_of("0.12");
	set("model.vision_tokens", "0");
	assert_true(near(before - activations_of("0.12"), 2 * 5120.0 * 2448, 1e-6));
}

TEST(test_eager)
{
	struct serve graphs, eager;

	load("qwen3-0.6b");
	gpus("1");
	set("engine_version", "0.22");
	set("concurrency", "1");
	graphs = estimate();
	set("eager", "true");
	eager = estimate();
	assert_true(eager.graph_bytes == 0 && graphs.graph_bytes > 0);
	set("eager", "false");
	set("max_num_seqs", "2"); /* batches of 1, 2 and 4 of the 51 sizes */
	assert_true(near(estimate().graph_bytes, graphs.graph_bytes * 3 / 51, 1e-9));
	set("draft_tokens", "3"); /* up to 16 tokens */
	assert_true(near(estimate().graph_bytes, graphs.graph_bytes * 5 / 51, 1e-9));
	set("draft_tokens", "0");
	set("max_num_seqs", "0");
	set("eager", "true");
	eager = estimate();
	assert_true(eager.non_torch_bytes < graphs.non_torch_bytes); /* no graph is tried before the pool is made */
	assert_true(near(eager.kv_pool_bytes + eager.non_torch_bytes,
	    graphs.kv_pool_bytes + graphs.graph_bytes + graphs.non_torch_bytes, 1e-9));
	assert_true(eager.step_seconds > 1.5 * graphs.step_seconds); /* launches take longer than work */
	assert_true(near(noted(QUANTITY_DECODE), eager.step_seconds, 1e-9));
	load("llama-3.1-70b");
	set("tp", "1");
	set("concurrency", "1");
	graphs = estimate();
	set("eager", "true");
	assert_true(near(estimate().step_seconds, graphs.step_seconds, 0.01)); /* work takes longer */
}

TEST(test_fits)
{
	load("llama-3.1-8b");
	gpus("1");
	assert_true(estimate().fits);
	set("context_length", "128k");
	set("prompt_tokens", "100000");
	assert_false(estimate().fits); /* one does, 64 do not */
	set("concurrency", "1");
	assert_true(estimate().fits);
	set("gpu_memory_utilization", "1"); /* graphs come on top, */
	assert_false(estimate().fits);
	set("engine_version", "0.21"); /* but here out of it */
	assert_true(estimate().fits);
	set("engine_version", "0.19");
	set("gpu_memory_utilization", "0.9");
	set("memory_gib", "24");
	assert_false(estimate().fits);
	set("memory_gib", "12"); /* not even the weights */
	assert_false(estimate().fits);
	assert_true(estimate().kv_pool_bytes == 0 && estimate().kv_tokens == 0);
	assert_true(estimate().tokens_per_second == 0 && estimate().ttft_seconds > 0);
	assert_true(near(noted(QUANTITY_SERVE_MEMORY), 12 * GIB, 1e-9));
}

/* Ranks with requests of their own add up; what is reserved is not used. */
TEST(test_replicas_and_ranks)
{
	double one, rank;

	load("deepseek-v3");
	set("memory_gib", "139.8");
	set("weight_dtype", "fp8");
	set("tp", "8");
	one = estimate().max_concurrency;
	set("dp_attention", "true");
	set("ep", "8");
	rank = estimate().max_concurrency;
	assert_true(rank > 3 * one); /* the latent is no longer copied eight times */
	load("llama-3.1-8b");
	one = estimate().max_concurrency; /* DP 8 in one engine */
	set("replicas", "8");
	assert_true(near(estimate().max_concurrency * 8, one, 1e-9));
	one = estimate().kv_pool_bytes;
	set("reserved_gib", "10");
	assert_true(near(one - estimate().kv_pool_bytes, (10 - 7.919) * GIB, 1e-6));
}

/* Ranks of one vLLM engine are one layout whichever way it is told: experts are split over DP x TP
 * without EP too, and all else is copied. SGLang's without DP attention are copies. */
TEST(test_ranks_of_an_engine)
{
	static const char *const told[][3] = { /* TP, EP, DP attention */
		{ "1", "8", "false" }, { "8", "8", "true" }, { "1", "1", "false" }, { "8", "1", "true" },
	};
	struct serve first = { 0 }, sent = { 0 }, s;

	load("deepseek-v3");
	set("memory_gib", "139.8");
	set("weight_dtype", "fp8");
	for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
		set("tp", told[i][0]);
		set("ep", told[i][1]);
		set("dp_attention", told[i][2]);
		s = estimate();
		if (i % 2 == 0)
			first = s;
		if (i == 0)
			sent = s;
		assert_true(near(s.weight_bytes, sent.weight_bytes, 1e-9));
		assert_true(near(s.tpot_seconds, first.tpot_seconds, 1e-9));
		assert_true(near(s.ttft_seconds, first.ttft_seconds, 1e-9));
	}
	set("tp", "1");
	set("dp_attention", "false");
	set("engine", "sglang");
	assert_true(estimate().weight_bytes > 6 * first.weight_bytes);
	set("engine", "vllm");
	set("nodes", "2");
	set("concurrency", "2048");
	set("ep", "16");
	sent = estimate();
	set("ep", "1");
	assert_true(estimate().step_seconds > 1.1 * sent.step_seconds);
}

/* Seconds that a decode step multiplies, all kinds of linear layers together. */
static double
products(void)
{
	double sum = 0;

	estimate();
	for (size_t i = 0; i < ledger.count; i++)
		if (terms[i].quantity == QUANTITY_DECODE && strncmp(terms[i].name, "linear layers", 13) == 0)
			sum += terms[i].value;
	return sum;
}

/* Weights in 4 bits are read up to 16 rows as fast as one: 3.87 times as fast as 16 bits on an A10 (IST-DASLab/marlin
 * README). Llama-2-7B takes 5.7 ms a token on an RTX 3090 (mlc-ai/llm-perf-bench pull request 35), where 62 rows of
 * arithmetic would be 14. */
TEST(test_few_rows)
{
	static const char *const tera[] = { "125", "71" }, *const gbps[] = { "600", "936" }, *const fp32[] = { "31.2", "35.6" };
	double sixteen[2];

	for (int i = 0; i < 2; i++) {
		load("llama-2-7b");
		set("generation", "ampere-rtx");
		set("memory_gib", "24");
		set("bf16_tflops", tera[i]);
		set("fp32_tflops", fp32[i]);
		set("fp8_tflops", "0");
		set("hbm_gbps", gbps[i]);
		set("nvlink_gbps", "0");
		set("prompt_tokens", "16");
		set("generate_tokens", "256");
		set("context_length", "512");
		set("concurrency", i == 0 ? "16" : "1");
		sixteen[i] = products();
		set("weight_dtype", "int4");
		assert_true(products() < sixteen[i] / 3);
	}
	assert_true(near(estimate().tpot_seconds, 5.7e-3, .35));
}

/* With many requests products are as much work whether ranks split attention's or requests: SGLang's
 * ranks of DP attention gather the tokens of all before an MLP that TP splits. Attention's are of an eighth of them
 * each, and reach less. */
TEST(test_tokens_of_all_ranks)
{
	double split;

	load("qwen3-32b");
	set("engine", "sglang");
	set("tp", "8");
	set("concurrency", "4096"); /* as many as one engine takes */
	set("prompt_tokens", "16");
	set("generate_tokens", "64");
	split = products();
	set("dp_attention", "true");
	assert_true(products() > split);
	assert_true(near(products(), split, .04));
}

/* ai-dynamo/aiconfigurator systems/data/b200_sxm/gemm/trtllm/1.3.0rc10: NVFP4 products of 8,192 x 51,200 take 59 us with
 * 128 rows, 66 with 256, 115 with 512 and 208 with 1,024; of 9 PFLOP/s they reach 0.48, of 7.7 TB/s 0.55. */
TEST(test_products_by_rows)
{
	static const double rows[] = { 128, 256, 512, 1024 }, measured[] = { 58.9e-6, 65.7e-6, 114.6e-6, 207.8e-6 };
	const double weights = 8192. * 51200;
	const struct serve_rates rates = { .least_rows = 62 };

	for (int i = 0; i < 4; i++)
		assert_true(near(norm4(2 * weights * rows[i] / (.48 * 9e15 * serve_reached(&rates, rows[i])),
		    weights * .5625 / (.55 * 7.7e12)), measured[i], .12));
}

/* TensorRT-LLM's ranks have MLPs and head whole, as vLLM's. */
TEST(test_whole_ranks)
{
	double vllm;

	load("deepseek-v3");
	set("memory_gib", "139.8");
	set("weight_dtype", "fp8");
	set("tp", "8");
	set("ep", "8");
	set("dp_attention", "true");
	vllm = estimate().weight_bytes;
	set("engine", "trtllm");
	assert_true(near(estimate().weight_bytes, vllm, .02));
	set("engine", "sglang");
	assert_true(estimate().weight_bytes < vllm - 4 * GIB);
}

/* Ranks that start passes together wait for a prompt that any of them has, unless all have one. */
TEST(test_prompts_of_other_ranks)
{
	struct serve s;
	double own;

	load("deepseek-v3");
	set("memory_gib", "139.8");
	set("weight_dtype", "fp8");
	set("tp", "8");
	set("ep", "8");
	set("dp_attention", "true");
	set("concurrency", "64");
	s = estimate();
	own = 7 * s.prefill_seconds / 512;
	assert_true(s.prompts_share_seconds > 2 * own);
	set("length_spread", "0");
	assert_true(estimate().prompts_share_seconds < 1.02 * own);
}

TEST(test_decode_context_parallel)
{
	double one;

	load("deepseek-v3");
	set("memory_gib", "139.8");
	set("weight_dtype", "fp8");
	set("tp", "8");
	one = estimate().kv_tokens;
	set("dcp", "8");
	assert_true(estimate().kv_tokens == 8 * one);
	assert_true(near(estimate().max_concurrency, one * 8 / 8192, 0.01));
}

/*
 * The indexer's keys: vLLM spreads them over the ranks of decode context parallel as well,
 * SGLang keeps all of them on each (sgl-project/sglang pull request 39330: 3.21 times the
 * tokens at 8 ranks, with a draft model; 3.68 times for the two caches alone).
 */
TEST(test_context_parallel_indexer)
{
	double one;

	load("deepseek-v3.2");
	set("memory_gib", "139.8");
	set("weight_dtype", "fp8");
	set("kv_dtype", "fp8");
	set("tp", "8");
	one = estimate().kv_tokens;
	set("dcp", "8");
	assert_true(near(estimate().kv_tokens, 8 * one, 1e-3));
	set("dcp", "1");
	set("engine_version", "0.18");
	assert_true(near(estimate().kv_bytes_per_token, 61 * (656 + 132), 1e-9));
	set("generation", "blackwell"); /* its kernel takes a latent without scales of its own */
	assert_true(near(estimate().kv_bytes_per_token, 61 * (576 + 132), 1e-9));
	set("engine_version", "0.17");
	assert_true(near(estimate().kv_bytes_per_token, 61 * (656 + 132), 1e-9));
	set("generation", "hopper");
	set("engine", "sglang");
	set("engine_version", "0.5");
	one = estimate().kv_tokens;
	set("dcp", "8");
	assert_true(near(estimate().kv_tokens / one, (656 + 132.0) / (656 / 8.0 + 132), 1e-3));
}

int
main(void)
{
	return unit_run(open_catalogue, close_catalogue);
}
