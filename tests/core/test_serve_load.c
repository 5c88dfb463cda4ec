/*
 * test_serve_load.c - serving under load: how times follow from a plan, its requests and its pools.
 * Figures of real benchmarks are in test_accuracy_latency.c.
 */
#include "core/plan/acceptance.h"
#include "core/serve/serve_curve.h"
#include "core/serve/serve_experts.h"
#include "core/serve/serve_rates.h"
#include "servecase.h"

/* TP over two pairs of a node goes over PCIe, whatever its NIC. */
TEST(test_pairs)
{
	struct serve fast, slow;

	load("llama-3.1-8b");
	set("nvlink_domain", "2");
	set("tp", "4");
	fast = estimate();
	set("nics_per_node", "1");
	set("nic_gbps", "1");
	slow = estimate();
	assert_true(near(slow.ttft_seconds, fast.ttft_seconds, 1e-12));
	assert_true(near(slow.tpot_seconds, fast.tpot_seconds, 1e-12));
	set("nvlink_domain", "8");
	assert_true(estimate().ttft_seconds < fast.ttft_seconds);
}

/* DeepSeek-V3 in SGLang, prefill over four nodes of H100 and decode over nine. */
static void
load_pools(void)
{
	load("deepseek-v3");
	set("engine", "sglang");
	set("nodes", "13");
	set("tp", "72");
	set("ep", "72");
	set("dp_attention", "true");
	set("prefill_workers", "1xdp32");
	set("max_batched_tokens", "16384");
	set("dense_whole", "true");
	set("two_batch_overlap", "true");
	set("concurrency", "4096");
}

/* Two halves of a batch: SGLang prefills a quarter to a third more (lmsys.org/blog/2025-05-05-large-scale-ep:
 * 27 to 35 %); one request has no second half, and terms add up. */
TEST(test_two_batches)
{
	struct serve whole, halves;

	load_pools();
	halves = estimate();
	assert_true(near(noted(QUANTITY_PREFILL), halves.prefill_seconds, 1e-9));
	set("two_batch_overlap", "false");
	whole = estimate();
	assert_true(halves.prefill_rate > 1.2 * whole.prefill_rate);
	assert_true(halves.prefill_rate < 1.5 * whole.prefill_rate);
	set("concurrency", "72"); /* one on each rank */
	whole = estimate();
	set("two_batch_overlap", "true");
	assert_true(near(estimate().step_seconds, whole.step_seconds, 1e-12));
}

/* Where MLPs of dense layers are split over 32 ranks of DP attention, all their tokens cross the network;
 * vLLM's ranks have them whole always. */
TEST(test_whole_dense_layers)
{
	double whole;

	load_pools();
	whole = estimate().prefill_rate;
	set("dense_whole", "false");
	assert_true(estimate().prefill_rate < .7 * whole);
	set("engine", "vllm");
	whole = estimate().prefill_rate;
	set("dense_whole", "true");
	assert_true(near(estimate().prefill_rate, whole, 1e-12));
}

/* MLPerf's best on one H200: Mixtral-8x7B in FP8, whose experts are 14,336 wide, takes 52 requests a second
 * (inference_results_v5.1, HPE Cray XD670); each of DeepSeek-V3 is 2,048 wide, as tables have them. */
TEST(test_wide_experts)
{
	double whole, split;

	load("mixtral-8x7b");
	gpus("1");
	set("tp", "1");
	set("engine", "trtllm");
	set("weight_dtype", "fp8");
	set("prompt_tokens", "8000");
	set("max_batched_tokens", "8192");
	whole = estimate().prefill_seconds;
	assert_true(whole > .25 && whole < .40); /* 0.41 at the share of the peak that narrow ones reach */
	gpus("8");
	set("tp", "8"); /* 1,792 on each */
	split = estimate().prefill_seconds;
	assert_true(split > .17 * whole);
}

/* Room for adapters: rank 16 on all linear layers of Llama-3.1-8B are 41,943,040 parameters (PEFT prints as
 * many). Qwen3.5-35B-A3B in SGLang keeps 0.72 to 0.77 of its tokens with four (sgl-project/sglang#28091). */
TEST(test_adapters)
{
	struct serve none, some;

	load("llama-3.1-8b");
	gpus("1");
	none = estimate();
	set("max_loras", "4");
	some = estimate();
	assert_true(near(some.weight_bytes - none.weight_bytes, 4 * 2 * 41943040.0, 1e-9));
	set("max_lora_rank", "64");
	assert_true(near(estimate().weight_bytes - none.weight_bytes, 16 * 2 * 41943040.0, 1e-9));
	assert_true(some.step_seconds > none.step_seconds && some.ttft_seconds > none.ttft_seconds);
	load("qwen3.5-35b-a3b");
	gpus("1");
	set("engine", "sglang");
	set("weight_dtype", "fp8");
	none = estimate();
	set("max_loras", "4");
	some = estimate();
	assert_true(some.tokens_per_second > .7 * none.tokens_per_second);
	assert_true(some.tokens_per_second < .85 * none.tokens_per_second);
}

/* The busiest rank of experts over nodes decides, and copies that EPLB places take that away for memory:
 * of 9 experts a rank instead of 8, an eighth more. Within a node the measured rates hold it. */
TEST(test_copied_experts)
{
	struct serve plain, copies;

	load("deepseek-v3");
	set("engine", "sglang");
	set("weight_dtype", "fp8");
	set("nodes", "4");
	set("tp", "32");
	set("ep", "32");
	set("dp_attention", "true");
	set("concurrency", "4096");
	plain = estimate();
	assert_true(near(serve_hottest(&p), 2.4, .01));
	set("redundant_experts", "32");
	copies = estimate();
	assert_true(near(serve_hottest(&p), 1.11, 1e-9));
	assert_true(copies.step_seconds < .7 * plain.step_seconds);
	assert_true(copies.weight_bytes - plain.weight_bytes > 58 * 3 * 7168.0 * 2048); /* an expert a layer */
	assert_true(copies.weight_bytes - plain.weight_bytes < 1.01 * 58 * 3 * 7168.0 * 2048);
	set("nic_gbps", "0"); /* not known: nothing is told of what goes over it */
	assert_true(estimate().step_seconds < copies.step_seconds);
	set("nic_gbps", "400");
	set("nodes", "1");
	set("tp", "8");
	set("ep", "8");
	assert_true(near(serve_hottest(&p), 1, 1e-12));
}

/* Images go through the tower before their prompt: as many tokens take as long. */
TEST(test_images)
{
	double none, one;

	load("qwen3-vl-8b");
	set("vision_params", "576.4");
	gpus("1");
	set("tp", "1");
	set("max_batched_tokens", "8192");
	set("prompt_tokens", "4096");
	none = estimate().prefill_seconds;
	set("serving.images", "1");
	set("serving.image_tokens", "1000");
	one = estimate().prefill_seconds;
	assert_true(one > none);
	set("serving.images", "3");
	assert_true(near(estimate().prefill_seconds - none, 3 * (one - none), 1e-9));
	set("serving.image_tokens", "3000");
	set("serving.images", "1");
	assert_true(near(estimate().prefill_seconds - none, 3 * (one - none), 1e-9));
}

/* What is accepted follows from shares by place: Kimi-K2.5's EAGLE-3 draft gives 1.83, 2.43 and, of 3, 5
 * and 8, 2.88, 3.46 and 3.77 tokens a step (InferenceX golden_al_distribution/kimik2.5_eagle3.yaml). Each
 * kind of draft has its memory and time; n-grams have none, and drafts pay while weights are what is read. */
TEST(test_draft_kinds)
{
	struct serve none, layer, eagle, grams;

	load("llama-3.1-8b");
	gpus("1");
	set("concurrency", "8");
	none = estimate();
	assert_true(!(none.draft_gain > 0));
	set("acceptance", "0.83,0.60");
	set("draft_tokens", "3");
	layer = estimate();
	assert_true(near(1 + p.serving.accepted_tokens, 2.88, .01));
	set("draft", "eagle3");
	eagle = estimate();
	set("draft", "ngram");
	grams = estimate();
	assert_true(near(grams.weight_bytes, none.weight_bytes, 1e-12));
	assert_true(eagle.weight_bytes - none.weight_bytes > .7 * GIB); /* EAGLE3-LLaMA3.1-Instruct-8B: 0.85 GB */
	assert_true(eagle.weight_bytes - none.weight_bytes < .9 * GIB);
	assert_true(layer.step_seconds > grams.step_seconds && eagle.step_seconds > grams.step_seconds);
	assert_true(grams.draft_gain > eagle.draft_gain && eagle.draft_gain > 1);
	set("draft", "eagle3");
	set("prompt_tokens", "64");
	set("generate_tokens", "64");
	set("max_num_seqs", "4096");
	set("draft_tokens", "8");
	eagle = estimate();
	assert_true(eagle.draft_batch > 8 && eagle.draft_batch < 1024);
	set("concurrency", "4096");
	assert_true(estimate().draft_gain < 1);
	set("acceptance", "0.6,0.83");
	assert_true(acceptance_tokens(p.serving.acceptance, 2) < 0);
}

/* Two ranks that share a prompt have half of the work each, and gather keys and values. */
TEST(test_prefill_context_parallel)
{
	struct serve one, two;

	load("llama-3.1-8b");
	set("prompt_tokens", "65536");
	set("context_length", "131072");
	gpus("1");
	one = estimate();
	gpus("2");
	set("cp", "2");
	two = estimate();
	assert_true(two.prefill_seconds < 0.6 * one.prefill_seconds);
	assert_true(two.prefill_seconds > 0.5 * one.prefill_seconds);
	assert_true(near(noted(QUANTITY_PREFILL), two.prefill_seconds, 1e-9));
	assert_true(near(noted(QUANTITY_TTFT), two.ttft_seconds, 1e-9));
	assert_true(near(two.max_concurrency, 2 * one.max_concurrency, 0.1));
}

/* Llama-3.1-70B fp8 by TensorRT-LLM on two H200, four requests of 922 tokens. */
static void
load_of_four(const char *generated)
{
	load("llama-3.1-70b");
	set("memory_gib", "139.8");
	set("hbm_gbps", "4800");
	set("weight_dtype", "fp8");
	set("engine", "trtllm");
	set("context_length", "16384");
	set("kv_dtype", "fp8");
	set("prompt_tokens", "922");
	set("generate_tokens", generated);
	set("length_spread", "0.2");
	set("concurrency", "4");
	gpus("2");
	set("tp", "2");
}

/* SemiAnalysisAI/InferenceX benchmarks/70b_fp8_h200_trt_slurm.sh holds prompts back for 20 steps where answers have
 * 1,024 tokens, and not where they have 8,192: 340 ms of 4 requests on two GPUs, 1,148 ms of 128. */
TEST(test_prompts_held_back)
{
	double without;

	load_of_four("922");
	set("max_batched_tokens", "16384");
	without = estimate().ttft_seconds;
	set("batch_wait_steps", "20");
	assert_true(near(estimate().ttft_seconds, without, 1e-9)); /* until any tokens are there */
	set("batch_wait_share", "0.9");
	assert_true(near(estimate().ttft_seconds, 340.3e-3, 0.2));
	assert_true(near(noted(QUANTITY_TTFT), estimate().ttft_seconds, 1e-9));
	set("concurrency", "128");
	assert_true(near(estimate().ttft_seconds, 1147.5e-3, 0.2));
	set("batch_wait_share", "0.06"); /* one prompt with the requests that run */
	assert_true(estimate().ttft_seconds < 1);
	set("batch_wait_share", "0.9");
	set("dp_attention", "true");
	without = estimate().ttft_seconds;
	set("batch_wait_steps", "0");
	assert_true(near(estimate().ttft_seconds, without, 1e-9));
}

/* ai-dynamo/aiconfigurator systems/silicon_sample.csv: Llama-3.1-70B fp8, TensorRT-LLM
 * on H200, prompt 922, answer 7373, four requests: 12.226 ms TP 2, 8.086 ms TP 4; answer
 * 922, 128 requests, that wait for each other's prompts: 27.007 and 19.276 ms. */
TEST(test_measured_decode)
{
	load_of_four("7373");
	assert_true(near(estimate().tpot_seconds, 12.226e-3, 0.15));
	gpus("4");
	set("tp", "4");
	assert_true(near(estimate().tpot_seconds, 8.086e-3, 0.15));
	set("generate_tokens", "922");
	set("concurrency", "128");
	assert_true(near(estimate().tpot_seconds, 19.276e-3, 0.15));
	gpus("2");
	set("tp", "2");
	assert_true(near(estimate().tpot_seconds, 27.007e-3, 0.17));
}

static void
on_h200(const char *n)
{
	set("memory_gib", "139.8");
	set("hbm_gbps", "4800");
	gpus(n);
	set("tp", n);
	set("context_length", "16384");
	set("length_spread", "0.2");
}

/* The same file: GLM-5 in SGLang on 8 H200, which picks 2048 tokens out of the latent where a prompt
 * has more: 1102 ms to the first token of 7373 and 17.9 ms a token after 922; heads are padded, so
 * fewer of them on a GPU are no less work. */
TEST(test_sparse_prefill)
{
	struct serve eight, four;

	load("glm-5");
	on_h200("8");
	set("weight_dtype", "fp8");
	set("engine", "sglang");
	set("generate_tokens", "922");
	set("concurrency", "4");
	set("prompt_tokens", "922");
	assert_true(near(estimate().tpot_seconds, 17.908e-3, 0.05));
	set("prompt_tokens", "7373");
	eight = estimate();
	assert_true(near(eight.ttft_seconds, 1.102, 0.2));
	set("tp", "4");
	four = estimate();
	set("prompt_tokens", "2048");
	assert_true(estimate().prefill_seconds < 0.26 * four.prefill_seconds);
	assert_true(near(eight.prefill_seconds, four.prefill_seconds, 0.5));
	set("prompt_tokens", "7373");
	set("engine", "trtllm"); /* its kernels take any number of heads */
	assert_true(estimate().prefill_seconds < 0.8 * four.prefill_seconds);
}

/* The same file: gpt-oss-120b in TensorRT-LLM on two H200, prompt 922, answer 7373: 5.743 ms with four
 * requests, 12.54 with 64; in vLLM 0.18 on four 3.913 and 9.135 ms. */
TEST(test_sorted_experts)
{
	load("gpt-oss-120b");
	on_h200("2");
	set("weight_dtype", "mxfp4");
	set("engine", "trtllm");
	set("prompt_tokens", "922");
	set("generate_tokens", "7373");
	set("concurrency", "4");
	assert_true(near(estimate().tpot_seconds, 5.743e-3, 0.06));
	set("concurrency", "64");
	assert_true(near(estimate().tpot_seconds, 12.54e-3, 0.1));
	set("engine", "vllm");
	set("engine_version", "0.18.0");
	gpus("4");
	set("tp", "4");
	assert_true(near(estimate().tpot_seconds, 9.135e-3, 0.12));
	set("concurrency", "4");
	assert_true(near(estimate().tpot_seconds, 3.913e-3, 0.05));
}

/* Since 0.14 vLLM schedules the next step while one runs: more requests cost the host less. */
TEST(test_asynchronous)
{
	struct serve before, since;
	struct serve_setup setup;
	double request;

	load("qwen3-32b");
	set("tp", "8");
	set("concurrency", "1");
	set("engine_version", "0.13");
	before = estimate();
	set("engine_version", "0.14");
	since = estimate();
	assert_true(near(since.step_seconds, before.step_seconds, 0.01));
	set("concurrency", "128");
	since = estimate();
	set("engine_version", "0.13");
	before = estimate();
	assert_true(before.step_seconds > since.step_seconds + 128 * 15e-6);
	setup = serve_setup_of(&p);
	setup.version = 14;
	request = serve_rates_of(&p, &setup).request_host;
	setup.ray = true;
	assert_true(serve_rates_of(&p, &setup).request_host > request);
	setup.tp = 1;
	assert_true(serve_rates_of(&p, &setup).request_host == request);
	setup.pp = 2;
	assert_true(serve_rates_of(&p, &setup).request_host > request);
}

/* Without answers all that come at once wait for each other's prompts. */
TEST(test_short_answers)
{
	struct serve none, one, many;

	load("llama-3.1-8b");
	gpus("1");
	set("concurrency", "64");
	set("prompt_tokens", "4096");
	set("generate_tokens", "0");
	none = estimate();
	assert_true(none.ttft_seconds > 60 * 0.6 * none.prefill_seconds);
	assert_true(none.prompts_share_seconds == 0);
	set("generate_tokens", "1");
	one = estimate();
	assert_true(one.tpot_seconds < 3 * one.prefill_seconds);
	assert_true(near(one.cycle_seconds, none.cycle_seconds, 0.1));
	set("generate_tokens", "512"); /* all in the steps that there are */
	many = estimate();
	assert_true(many.queue_seconds < 0.1 * 64 * many.prefill_seconds);
}

/* SGLang before 0.5.6: requests of one length stay together, so their prompts meet. */
TEST(test_waves)
{
	struct serve newer, older;

	load("qwen3-32b");
	set("engine", "sglang");
	set("tp", "8");
	set("concurrency", "128");
	set("length_spread", "0");
	set("engine_version", "0.5.6.post2");
	newer = estimate();
	set("engine_version", "0.5.1.post1");
	older = estimate();
	assert_true(older.queue_seconds > 2 * newer.queue_seconds);
	assert_true(older.tpot_seconds < newer.tpot_seconds); /* what waits before does not after */
	set("engine_version", "0.6");
	assert_true(near(estimate().queue_seconds, newer.queue_seconds, 1e-9));
}

TEST(test_times_follow)
{
	struct serve a, b;

	load("llama-3.1-70b");
	set("weight_dtype", "fp8");
	set("tp", "8");
	a = estimate();
	set("prompt_tokens", "7000");
	b = estimate();
	assert_true(b.ttft_seconds > a.ttft_seconds && b.tpot_seconds > a.tpot_seconds);
	set("prompt_tokens", "4096");
	set("concurrency", "1");
	b = estimate();
	assert_true(b.tpot_seconds < a.tpot_seconds && b.tokens_per_second < a.tokens_per_second);
	assert_true(near(b.tokens_per_second, 8 * b.tokens_per_second_per_gpu, 1e-12));
	set("compute_efficiency", "0.5");
	assert_true(estimate().ttft_seconds > b.ttft_seconds);
	set("generate_tokens", "0");
	assert_true(estimate().tokens_per_second == 0);
}

/* Tokens that are accepted come with a step that costs more, but less than as many steps; the
 * layer that drafts takes memory. */
TEST(test_drafts)
{
	struct serve plain, drafted;

	load("deepseek-v3");
	set("memory_gib", "139.8");
	set("hbm_gbps", "4800");
	set("weight_dtype", "fp8");
	set("tp", "8");
	set("concurrency", "4");
	plain = estimate();
	set("draft_tokens", "3");
	drafted = estimate();
	assert_true(near(noted(QUANTITY_DECODE), drafted.step_seconds, 1e-9));
	assert_true(drafted.tpot_seconds > plain.tpot_seconds); /* none accepted */
	/* one layer with experts more, 61 of them are 79.3 GiB; its latent too */
	assert_true(near(drafted.weight_bytes - plain.weight_bytes, 1.37 * GIB, 0.02));
	assert_true(near(drafted.kv_bytes_per_token * 61, plain.kv_bytes_per_token * 62, 1e-9));
	set("accepted_tokens", "1.6"); /* TensorRT-LLM, MTP 3: 1.83 times as fast at 4 requests */
	drafted = estimate();
	assert_true(near(plain.tpot_seconds / drafted.tpot_seconds, 1.83, 0.15));
}

/* A cached prefix is not prefilled; one that the host keeps is copied, at a price. */
TEST(test_prefix)
{
	struct serve plain, cached, host;

	load("llama-3.1-70b");
	set("tp", "8");
	plain = estimate();
	set("prefix_hit", "0.75");
	cached = estimate();
	assert_true(cached.prefill_seconds < 0.4 * plain.prefill_seconds);
	assert_true(cached.ttft_seconds < plain.ttft_seconds);
	assert_true(near(cached.step_seconds, plain.step_seconds, 0.02));
	set("kv_host_gib", "64");
	host = estimate();
	/* 3072 tokens of 40 KiB at 0.8 of 64 GB/s */
	assert_true(near(host.ttft_seconds - cached.ttft_seconds, 3072 * 40960 / 51.2e9, 0.05));
}

/* Prefill workers of their own take prompts away from those that decode. */
TEST(test_pools)
{
	struct serve one, two;
	double used;

	load("llama-3.1-70b");
	set("weight_dtype", "fp8");
	set("nodes", "2");
	set("tp", "8");
	set("replicas", "2");
	one = estimate();
	set("replicas", "1");
	set("prefill_workers", "2xtp4");
	two = estimate();
	assert_true(layout.world == 8);
	assert_true(two.prompts_share_seconds <= 0 && two.tpot_seconds < one.tpot_seconds);
	assert_true(near(noted(QUANTITY_TTFT), two.ttft_seconds, 1e-9));
	assert_true(two.prefill_utilisation > 0 && two.prefill_utilisation <= 1.001);
	assert_true(two.prefill_gpus_balanced > 0 && two.prefill_gpus_balanced < 16);
	assert_true(near(two.tokens_per_second / 512,
	    two.prefill_utilisation * two.prefill_rate, 1e-6));
	/* half of the prompts' work: too few, and the others wait */
	set("prefill_workers", "1xtp4");
	gpus("6");
	assert_true(estimate().prefill_utilisation > two.prefill_utilisation);
	/* a request alone comes when its worker rests: it waits for no other */
	set("concurrency", "1");
	one = estimate();
	assert_true(one.queue_seconds < 0.1 * one.prefill_seconds);
	set("concurrency", "2");
	assert_true(estimate().queue_seconds > 0.2 * one.prefill_seconds);
	/* two workers and one request: half of the wait that so busy a worker has */
	set("concurrency", "1");
	set("prefill_workers", "2xtp4");
	gpus("8");
	one = estimate();
	used = 1 / (512 * one.tpot_seconds + one.ttft_seconds - one.queue_seconds) / one.prefill_rate;
	assert_true(near(one.queue_seconds, used / (1 - used) / 2 / one.prefill_rate / 2, 1e-3));
	set("concurrency", "64");
	set("prefill_workers", "2xtp1");
	gpus("5");
	assert_true(estimate().fits && estimate().prefill_gpu_bytes > 65 * GIB); /* all of it */
	set("memory_gib", "64");
	assert_false(estimate().fits); /* on one GPU it has no room */
}

/* A prefill worker has its experts on its own GPUs (vLLM docs/features/disagg_prefill.md: an engine of its own), however
 * many GPUs decode. */
TEST(test_pool_holds_experts)
{
	double few, many;

	load("qwen3-235b-a22b");
	set("gpu", "h200-sxm-141gb");
	set("engine", "vllm");
	set("nodes", "2");
	set("tp", "8");
	set("prefill_workers", "1xtp8");
	few = estimate().prefill_gpu_bytes;
	set("nodes", "8");
	many = estimate().prefill_gpu_bytes;
	assert_true(estimate().fits && near(few, many, 1e-3));
	set("prefill_workers", "8xtp1"); /* 235 billion parameters in 16 bits */
	assert_true(estimate().prefill_gpu_bytes > 430 * GIB && !estimate().fits);
}

/* Measured over estimated: both times and what follows from them. */
TEST(test_scales)
{
	struct serve a, b;

	load("llama-3.1-8b");
	a = estimate();
	set("tpot_scale", "1.5");
	set("ttft_scale", "2");
	b = estimate();
	assert_true(near(b.tpot_seconds, 1.5 * a.tpot_seconds, 1e-9));
	assert_true(near(b.ttft_seconds, 2 * a.ttft_seconds, 1e-9));
	assert_true(near(noted(QUANTITY_TPOT), b.tpot_seconds, 1e-9));
	assert_true(b.tokens_per_second < a.tokens_per_second / 1.4);
	set("prefill_workers", "1xtp1"); /* and so where prompts are prefilled elsewhere */
	b = estimate();
	set("tpot_scale", "0");
	set("ttft_scale", "0");
	assert_true(b.tokens_per_second < estimate().tokens_per_second / 1.4);
}

/* More requests than slots wait for one, and add nothing to what is generated. */
TEST(test_waiting)
{
	struct serve all, more;

	load("llama-3.1-8b");
	gpus("1");
	set("max_num_seqs", "32");
	set("concurrency", "32");
	all = estimate();
	set("concurrency", "64");
	more = estimate();
	assert_true(more.slots == 32);
	assert_true(near(more.tokens_per_second, all.tokens_per_second, 1e-9));
	assert_true(near(more.ttft_seconds - all.ttft_seconds, all.cycle_seconds, 1e-9));
}

/* Llama-3-70B, a prompt of 8192 tokens in bf16: 2.68 GB over eight NICs of 50 GB/s. */
TEST(test_transfer)
{
	load("llama-3.1-70b");
	set("tp", "8");
	set("prompt_tokens", "8192");
	set("context_length", "16384");
	set("nics_per_node", "8");
	set("nic_gbps", "400");
	assert_true(near(estimate().transfer_seconds, 6.71e-3, 0.001));
	set("nics_per_node", "0");
	assert_true(estimate().transfer_seconds == 0);
}

/* The curve holds the plan's own point, and asks the engine for the others; behind its last one nothing is written. */
TEST(test_curve)
{
	struct serve_point point[SERVE_CURVE_MAX], untouched;
	struct serve own, other;
	size_t n, at = 0;

	memset(point, 0xa5, sizeof point);
	memset(&untouched, 0xa5, sizeof untouched);
	load("llama-3.1-8b");
	gpus("1");
	set("concurrency", "24");
	own = estimate();
	n = serve_curve(point, &p, &layout, &placement, &own, NULL);
	assert_true(n >= 6 && n <= SERVE_CURVE_MAX);
	for (size_t i = n; i < SERVE_CURVE_MAX; i++)
		assert_memory_equal(&point[i], &untouched, sizeof untouched);
	for (size_t i = 1; i < n; i++) {
		assert_true(point[i].concurrency > point[i - 1].concurrency);
		assert_true(point[i].tpot_seconds >= point[i - 1].tpot_seconds);
		at = point[i].concurrency == 24 ? i : at;
	}
	assert_true(at > 0 && near(point[at].ttft_seconds, own.ttft_seconds, 1e-12));
	set("concurrency", "8");
	other = estimate();
	assert_true(point[3].concurrency == 8);
	assert_true(near(point[3].tpot_seconds, other.tpot_seconds, 1e-12));
	set("concurrency", "1000000"); /* more than slots: the last */
	other = estimate();
	n = serve_curve(point, &p, &layout, &placement, &other, NULL);
	assert_true(n <= SERVE_CURVE_MAX && point[n - 1].concurrency == 1000000);
}

int
main(void)
{
	return unit_run(open_catalogue, close_catalogue);
}
