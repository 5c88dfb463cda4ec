/*
 * test_serve_rates.c - what serving kernels reach by the GPU's generation, format and engine.
 */
#include "core/model/kv.h"
#include "core/serve/serve_rates.h"
#include "core/serve/serve_trial.h"
#include "servecase.h"

static double
noted_in(enum quantity q, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < ledger.count; i++)
		if (terms[i].quantity == q && strcmp(terms[i].name, name) == 0)
			sum += terms[i].value;
	return sum;
}

/* Of the estimate's prefill. */
static double
noted_term(const char *name)
{
	return noted_in(QUANTITY_PREFILL, name);
}

static void
on_rtx(const char *memory, const char *hbm, const char *bf16, const char *fp8, const char *fp4,
    const char *pcie)
{
	gpus("1");
	set("generation", "blackwell-rtx");
	set("fabric", "pcie");
	set("memory_gib", memory);
	set("hbm_gbps", hbm);
	set("bf16_tflops", bf16);
	set("fp8_tflops", fp8);
	set("fp4_tflops", fp4);
	set("fp32_tflops", pcie[0] == '0' ? "31" : "117");
	set("nvlink_gbps", "0");
	set("pcie_gbps", pcie);
}

/* RTX's Blackwell has rates of its own. vLLM turns weights in 4 bits into 16 there, as Marlin does; the
 * GB10, whose units for 16 bits have half the rate, comes nearer to their peak: gpt-oss-20b takes 0.75 s for
 * 4,215 tokens in vLLM 0.26 (djangodevreng/dgx-spark-benchmarks). */
TEST(test_small_blackwell)
{
	struct serve_setup setup;
	double turned, share;

	load("gpt-oss-20b");
	set("weight_dtype", "mxfp4");
	set("engine_version", "0.26");
	set("prompt_tokens", "4215");
	set("max_batched_tokens", "8192");
	on_rtx("95.59", "1792", "467.8", "935.6", "1871.2", "64");
	turned = estimate().prefill_seconds;
	setup = serve_setup_of(&p);
	share = serve_rates_of(&p, &setup).attention / 467.8e12;
	set("engine", "trtllm");
	assert_true(estimate().prefill_seconds < .6 * turned);
	set("engine", "vllm");
	on_rtx("111.73", "273", "62", "125", "500", "0");
	assert_true(near(estimate().prefill_seconds, .7, .1));
	setup = serve_setup_of(&p);
	assert_true(serve_rates_of(&p, &setup).attention / 62e12 > 1.2 * share);
}

/* NVML does not tell the GB10's memory, so vLLM takes its smallest batch. */
TEST(test_unified_memory)
{
	load("llama-3.1-8b");
	on_rtx("95.59", "1792", "467.8", "935.6", "1871.2", "64");
	assert_true(near(serve_setup_of(&p).tokens, 8192, 1e-9));
	on_rtx("111.73", "273", "62", "125", "500", "0");
	assert_true(near(serve_setup_of(&p).tokens, 2048, 1e-9) && near(serve_setup_of(&p).seqs, 256, 1e-9));
}

/* What goes into products of 8 bits is quantised first, which takes the memory's time: 32 layers read
 * 3*4096 + 14336 numbers of a token, and TP divides those between two products that it splits. */
TEST(test_quantised_inputs)
{
	const char *const term = "inputs of linear layers quantised";
	const double each = 7 / 3350e9;

	load("llama-3.1-8b");
	gpus("2");
	set("tp", "2");
	set("prompt_tokens", "2048");
	set("weight_dtype", "bf16");
	estimate();
	assert_true(noted_term(term) == 0);
	set("weight_dtype", "fp8");
	estimate();
	assert_true(near(noted_term(term),
	    2048 * 32.0 * (2 * 4096 + (4096 + 14336) / 2.0) * each, 1e-9));
}

/* The H20 has a seventh of the H100's units for 16 bits and all else as it: kernels come nearer to its peak, so a
 * prompt takes less than 6.7 times as long. */
TEST(test_cut_units)
{
	double whole, cut;

	load("qwen3-30b-a3b");
	gpus("1");
	set("prompt_tokens", "16384");
	set("context_length", "20000");
	set("fp32_tflops", "66.9");
	whole = estimate().prefill_seconds;
	set("bf16_tflops", "148");
	set("fp8_tflops", "296");
	set("fp32_tflops", "44");
	cut = estimate().prefill_seconds;
	assert_true(cut > 2.5 * whole && cut < 4 * whole);
	set("fp32_tflops", "0"); /* not known */
	assert_true(estimate().prefill_seconds > 1.5 * cut);
}

/* Norms, positions and gates move bytes of their own in a prompt, but where they are parts of other kernels. */
TEST(test_small_kernels_of_prompts)
{
	const char *const term = "norms, positions and gates";

	load("llama-3.1-8b");
	gpus("1");
	set("prompt_tokens", "1000");
	estimate();
	assert_true(near(noted_term(term), 2 * 1000 * 32.0 * (8 * 4096 + 2 * 4096 + 3 * 14336) /
	    (3350e9 * .762), 1e-9));
	set("engine", "trtllm");
	estimate();
	assert_true(noted_term(term) == 0);
}

/* Of 64 k tokens of text that was met before the tokenizer and the copy from the host take little: 111 and 272 ms
 * on an H20 with Qwen3-Coder-30B-A3B in vLLM 0.18, whose blocks are in one piece since 0.12. */
TEST(test_met_before)
{
	double near_cache, host;

	load("qwen3-30b-a3b");
	gpus("1");
	set("hbm_gbps", "4000");
	set("bf16_tflops", "148");
	set("fp32_tflops", "44");
	set("memory_gib", "95");
	set("engine_version", "0.18");
	set("prompt_tokens", "65536");
	set("generate_tokens", "2");
	set("context_length", "70000");
	set("concurrency", "1");
	set("prefix_hit", "0.99976");
	near_cache = estimate().ttft_seconds;
	assert_true(near(near_cache, .111, .4));
	set("kv_host_gib", "64");
	host = estimate().ttft_seconds;
	assert_true(near(host, .272, .15));
	set("engine_version", "0.11");
	assert_true(estimate().ttft_seconds - near_cache > 2.5 * (host - near_cache));
	set("engine_version", "0.18");
	set("pcie_gbps", "0"); /* not known: as if it were near */
	assert_true(near(estimate().ttft_seconds, near_cache, 1e-9));
}

/* Of a decode step, small kernels: so many a layer, one more of a shared expert, two of a state that layers carry
 * on, 16 of an indexer, three where inputs are quantised, and eight around the layers. */
TEST(test_small_kernels_of_steps)
{
	static const struct {
		const char *model, *weights;
		double kernels;
	} of[] = {
		{ "llama-3.1-8b", "bf16", 32 * 9 + 8 }, { "llama-3.1-8b", "fp8", 32 * 12 + 8 },
		{ "qwen3-30b-a3b", "bf16", 48 * 10 + 8 },
		{ "qwen3-next-80b-a3b", "bf16", 48 * (10 + 1) + 36 * 2 + 8 },
		{ "deepseek-v3", "fp8", 61 * (14 + 3) + 58 + 8 },
		{ "deepseek-v3.2", "fp8", 61 * (14 + 3 + 16) + 58 + 8 },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct serve_setup setup;

		load(of[i].model);
		set("nodes", "2");
		set("tp", "16");
		set("weight_dtype", of[i].weights);
		estimate();
		setup = serve_setup_of(&p);
		if (!near(noted_in(QUANTITY_DECODE, "small kernels") / serve_rates_of(&p, &setup).kernel,
		    of[i].kernels, 1e-9))
			fail_msg("%s in %s: %g", of[i].model, of[i].weights, noted_in(QUANTITY_DECODE,
			    "small kernels") / serve_rates_of(&p, &setup).kernel);
	}
}

/* EAGLE-3's layer takes hidden states of three layers and two of its own side by side; its weights are read once a
 * draft while requests are few, and its products take their time where they are many. */
TEST(test_drafts_by_eagle)
{
	const double h = 4096, keys = 1024, inner = 14336;
	const double n = 3 * h * h + 2 * h * (h + 2 * keys) + h * h + 3 * h * inner + 32000 * h;

	load("llama-3.1-8b");
	gpus("1");
	set("prompt_tokens", "64");
	set("generate_tokens", "64");
	set("context_length", "256");
	set("max_num_seqs", "1024");
	set("draft", "eagle3");
	set("draft_tokens", "3");
	for (int many = 0; many <= 1; many++) {
		struct serve_setup setup;
		struct serve_rates r;
		struct serve s;
		double each;

		set("concurrency", many ? "1024" : "1");
		s = estimate();
		setup = serve_setup_of(&p);
		r = serve_rates_of(&p, &setup);
		each = many ? 2 * n * s.running / r.head.flops : 2 * n / r.head.bytes;
		assert_true(near(noted_in(QUANTITY_DECODE, "drafts"), 3 * (each + 14 * r.kernel),
		    many ? .06 : 1e-9)); /* some of those that run wait for their prompts */
	}
}

/* A batch's tokens by release and memory: 16 k from 160 GiB on since 0.28. */
TEST(test_tokens_of_vllm)
{
	static const struct {
		const char *version, *gib;
		double tokens;
	} of[] = { { "0.27", "180", 8192 }, { "0.28", "180", 16384 }, { "0.28", "160", 16384 }, { "0.28", "141", 8192 },
		{ "0.28", "48", 2048 }, { "0.27", "48", 2048 } };

	load("llama-3.1-8b");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		set("engine_version", of[i].version);
		set("memory_gib", of[i].gib);
		assert_true(near(serve_setup_of(&p).tokens, of[i].tokens, 1e-9));
	}
}

/* SGLang has a second pool for windows beside full layers; windows alone have the whole of the one. */
TEST(test_pool_of_windows)
{
	struct serve full, alone, both;

	load("llama-3.1-8b");
	gpus("1");
	set("engine", "sglang");
	full = estimate();
	set("sliding_window", "1024");
	set("global_layer_every", "0");
	alone = estimate();
	assert_true(near(alone.kv_tokens, full.kv_tokens, 1e-9));
	set("global_layer_every", "2"); /* half of the layers need 0.8 of it */
	both = estimate();
	assert_true(near(both.kv_tokens, full.kv_tokens / .9, 1e-3));
}

/* SGLang gives states of linear layers 0.9 times what tokens have (mamba_full_memory_ratio): short requests are as
 * many as have room for their state. */
TEST(test_slots_of_states)
{
	struct kv_layers all;
	struct kv kv;
	struct serve s;

	load("qwen3-next-80b-a3b");
	gpus("4");
	set("tp", "4");
	set("engine", "sglang");
	set("context_length", "512");
	set("prompt_tokens", "256");
	set("generate_tokens", "128");
	s = estimate();
	kv = kv_of(&p, serve_setup_of(&p).version, 512);
	all = kv_layers_of(&p, 0, p.model.layers);
	assert_true(near(s.max_concurrency * kv_state_bytes(&kv, &all), s.kv_pool_bytes * .9 / 1.9, .01));
}

/* Graphs are captured of sizes up to twice the requests with all their drafts: 1, 2, 4 and multiples of 8. */
TEST(test_captured_sizes)
{
	double plain;

	load("llama-3.1-8b");
	gpus("1");
	set("max_num_seqs", "16");
	plain = estimate().graph_bytes; /* 4 multiples of 8 up to 32 */
	set("draft", "ngram");
	set("draft_tokens", "1");
	assert_true(near(estimate().graph_bytes, plain * (3 + 8) / (3 + 4), 1e-9));
	set("draft_tokens", "3");
	assert_true(near(estimate().graph_bytes, plain * (3 + 16) / (3 + 4), 1e-9));
	set("max_num_seqs", "256"); /* 31 below 256, and 17 up to 512 */
	assert_true(near(estimate().graph_bytes, plain * (3 + 31 + 17) / (3 + 4), 1e-9));
}

/* FlashInfer's kernels take FP8 experts without a gate in tiles of 128, since 0.17. */
TEST(test_padded_experts)
{
	load("nemotron-3-nano-30b-a3b");
	gpus("1");
	set("weight_dtype", "fp8");
	assert_true(near(serve_trial_padding(&p, 18), 1920. / 1856 - 1, 1e-12) && serve_trial_padding(&p, 16) <= 0);
	set("weight_dtype", "bf16");
	assert_true(serve_trial_padding(&p, 18) <= 0);
	load("qwen3-30b-a3b");
	gpus("1");
	set("moe_ffn_hidden_size", "1856");
	set("weight_dtype", "fp8");
	assert_true(serve_trial_padding(&p, 18) <= 0);
	set("generation", "blackwell");
	assert_true(serve_trial_padding(&p, 18) <= 0);
	load("llama-3.1-8b");
	gpus("1");
	set("weight_dtype", "fp8");
	assert_true(serve_trial_padding(&p, 18) <= 0);
}

/* SGLang goes by the memory of a GPU, below 35, 60 and 160 GiB: the tokens of a chunk and the largest graph
 * (python/sglang/srt/server_args.py). */
TEST(test_memory_of_sglang)
{
	static const struct {
		const char *gib;
		double chunk, one, four; /* requests of the largest graph: of TP 1, of TP 4 */
	} of[] = { { "16", 2048, 8, 8 }, { "20", 2048, 24, 80 }, { "34.9", 2048, 24, 80 }, { "35", 4096, 32, 160 },
		{ "59.9", 4096, 32, 160 }, { "60", 8192, 256, 512 }, { "159.9", 8192, 256, 512 }, { "160", 16384, 512, 512 } };

	load("llama-3.1-8b");
	set("engine", "sglang");
	set("engine_version", "0.5.6");
	set("gpu_memory_utilization", "0");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (int tp = 1; tp <= 4; tp *= 4) {
			const double mib = atof(of[i].gib) * 1024;
			double reserved = 512 + 1.5 * of[i].chunk + tp / 8. * 1024 + 2 * (tp == 1 ? of[i].one : of[i].four);
			struct serve_setup s;

			if (mib > 60 * 1024)
				reserved = larger(reserved, 10240);
			gpus(tp == 1 ? "1" : "4");
			set("tp", tp == 1 ? "1" : "4");
			set("memory_gib", of[i].gib);
			s = serve_setup_of(&p);
			assert_true(near(s.tokens, of[i].chunk, 1e-9));
			assert_true(fabs(s.share - (1 - reserved / mib)) < .00051);
		}
}

int
main(void)
{
	return unit_run(open_catalogue, close_catalogue);
}
