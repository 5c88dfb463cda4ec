/*
 * test_serve.c - serving estimates: what engines choose, how memory adds up, how tokens
 * and times follow from a plan. Figures of real logs are in test_accuracy_serve.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <libconfig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/serve/serve.h"
#include "core/serve/serve_setup.h"
#include "settings.h"

static config_t catalogue;
static struct plan p;
static struct layout layout;
static struct placement placement;
static struct ledger_term terms[128];
static struct ledger ledger;

static int
open_catalogue(void **state)
{
	char path[1024];
	const char *top = getenv("TOP");

	(void)state;
	snprintf(path, sizeof path, "%s/share/models.cfg", top != NULL ? top : ".");
	config_init(&catalogue);
	return config_read_file(&catalogue, path) == CONFIG_TRUE ? 0 : -1;
}

static int
close_catalogue(void **state)
{
	(void)state;
	config_destroy(&catalogue);
	return 0;
}

static void
set(const char *path, const char *value)
{
	settings_set(&p, path, value);
}

static void
put_setting(const config_setting_t *s)
{
	char path[96], value[64];

	snprintf(path, sizeof path, "model.%s", config_setting_name(s));
	if (field_find(path) == FIELD_COUNT)
		return; /* id, title, source */
	if (config_setting_type(s) == CONFIG_TYPE_STRING)
		snprintf(value, sizeof value, "%s", config_setting_get_string(s));
	else if (config_setting_type(s) == CONFIG_TYPE_BOOL)
		snprintf(value, sizeof value, "%s", config_setting_get_bool(s) ? "true" : "false");
	else
		snprintf(value, sizeof value, "%lld", config_setting_get_int64(s));
	set(path, value);
}

/* The i-th model of the catalogue on eight H100, or false past the last. */
static bool
load_at(int i)
{
	const config_setting_t *list = config_lookup(&catalogue, "models");
	const config_setting_t *e;
	const char *id = "";

	if (i >= config_setting_length(list))
		return false;
	e = config_setting_get_elem(list, (unsigned)i);
	config_setting_lookup_string(e, "id", &id);
	plan_defaults(&p);
	set("mode", "serve");
	set("layout", "vllm");
	set("model.preset", id);
	for (int k = 0; k < config_setting_length(e); k++)
		put_setting(config_setting_get_elem(e, (unsigned)k));
	set("gpus_per_node", "8");
	set("generation", "hopper");
	set("fabric", "nvlink4");
	set("memory_gib", "79.19");
	set("hbm_gbps", "3350");
	set("bf16_tflops", "989");
	set("fp8_tflops", "1979");
	set("nvlink_gbps", "450");
	set("pcie_gbps", "64");
	return true;
}

static void
load(const char *id)
{
	for (int i = 0; load_at(i); i++)
		if (strcmp(p.model.preset, id) == 0)
			return;
	fail_msg("no model %s", id);
}

static void
gpus(const char *n)
{
	set("gpus_per_node", n);
}

static struct serve
estimate(void)
{
	struct diag_list diags = { .count = 0 };

	plan_resolve(&p, NULL);
	if (!layout_init(&layout, &p, &diags) || !placement_init(&placement, &p, &diags))
		fail_msg("the plan is refused");
	ledger_init(&ledger, terms, sizeof terms / sizeof terms[0]);
	return serve_estimate(&p, &layout, &placement, &ledger);
}

static double
noted(enum quantity q)
{
	double sum = 0;

	assert_true(ledger.count <= ledger.capacity);
	for (size_t i = 0; i < ledger.count; i++)
		if (terms[i].quantity == q)
			sum += terms[i].value;
	return sum;
}

static bool
near(double a, double b, double share)
{
	return fabs(a - b) <= share * fabs(b) + 1e-9;
}

/* ---- what engines choose ------------------------------------------------------------ */

static void
test_versions(void **state)
{
	(void)state;
	assert_int_equal(serve_version("0.19"), 19);
	assert_int_equal(serve_version("v0.6.3.post1"), 6);
	assert_int_equal(serve_version("V0"), 0);
	assert_int_equal(serve_version("1.2"), 102);
	assert_int_equal(serve_version(""), INT32_MAX);
	assert_int_equal(serve_version("main"), INT32_MAX);
	assert_true(serve_version("99999999999999999999.99999999999999999999") > 100);
}

static void
limits(double seqs, double tokens, double share)
{
	const struct serve_setup s = serve_setup_of(&p);

	if (s.seqs != seqs || s.tokens != tokens || fabs(s.share - share) > 1e-9)
		fail_msg("%.0f sequences, %.0f tokens, share %.4f", s.seqs, s.tokens, s.share);
}

static void
test_engine_defaults(void **state)
{
	(void)state;
	load("llama-3.1-8b");
	set("gpu_memory_utilization", "0");
	limits(1024, 8192, 0.9);
	set("generation", "ampere");
	limits(256, 2048, 0.9);
	set("nvlink_gbps", "200"); /* an A800 */
	limits(1024, 8192, 0.9);
	set("generation", "hopper");
	set("memory_gib", "178");
	limits(1024, 16384, 0.9);
	set("engine_version", "0.22");
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

static void
test_every_model(void **state)
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

	(void)state;
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
static void
test_one_log(void **state)
{
	struct serve s;

	(void)state;
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
static void
test_sglang_log(void **state)
{
	struct serve s;

	(void)state;
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
static void
test_pipeline(void **state)
{
	struct serve s;

	(void)state;
	load("llama-3.1-8b");
	gpus("4");
	set("pp", "4");
	s = estimate();
	assert_true(near(s.weight_bytes, 4.26 * GIB, 0.006));
	assert_int_equal(terms[0].stage, 3);
	assert_true(s.kv_bytes_per_token == 131072 / 4);
}

static void
test_newer_versions(void **state)
{
	double pool, activations;

	(void)state;
	load("llama-3.1-8b");
	gpus("1");
	pool = estimate().kv_pool_bytes;
	activations = estimate().activation_bytes;
	set("engine_version", "0.21"); /* graphs are profiled before the pool is made */
	assert_true(near(pool - estimate().kv_pool_bytes, estimate().graph_bytes, 1e-9));
	set("engine_version", "0.16"); /* a heavier sampler: 4.76 GiB */
	assert_true(estimate().activation_bytes > 2 * activations);
	assert_true(near(estimate().activation_bytes, 4.76 * GIB, 0.02));
}

static void
test_fits(void **state)
{
	(void)state;
	load("llama-3.1-8b");
	gpus("1");
	assert_true(estimate().fits);
	set("context_length", "128k");
	set("prompt_tokens", "100000");
	assert_false(estimate().fits); /* one does, 64 do not */
	set("concurrency", "1");
	assert_true(estimate().fits);
	set("memory_gib", "24");
	assert_false(estimate().fits);
	set("memory_gib", "12"); /* not even the weights */
	assert_false(estimate().fits);
	assert_true(estimate().kv_pool_bytes == 0 && estimate().kv_tokens == 0);
	assert_true(estimate().tokens_per_second == 0 && estimate().ttft_seconds > 0);
	assert_true(near(noted(QUANTITY_SERVE_MEMORY), 12 * GIB, 1e-9));
}

/* Ranks with requests of their own add up; what is reserved is not used. */
static void
test_replicas_and_ranks(void **state)
{
	double one, rank;

	(void)state;
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

static void
test_decode_context_parallel(void **state)
{
	double one;

	(void)state;
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
static void
test_context_parallel_indexer(void **state)
{
	double one;

	(void)state;
	load("deepseek-v3.2");
	set("memory_gib", "139.8");
	set("weight_dtype", "fp8");
	set("kv_dtype", "fp8");
	set("tp", "8");
	one = estimate().kv_tokens;
	set("dcp", "8");
	assert_true(near(estimate().kv_tokens, 8 * one, 1e-3));
	set("dcp", "1");
	set("engine", "sglang");
	set("engine_version", "0.5");
	one = estimate().kv_tokens;
	set("dcp", "8");
	assert_true(near(estimate().kv_tokens / one, (656 + 132.0) / (656 / 8.0 + 132), 1e-3));
}

/* ---- time --------------------------------------------------------------------------- */

/* TP over two pairs of a node goes over PCIe, whatever its NIC. */
static void
test_pairs(void **state)
{
	struct serve fast, slow;

	(void)state;
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

/* Two ranks that share a prompt have half of the work each, and gather keys and values. */
static void
test_prefill_context_parallel(void **state)
{
	struct serve one, two;

	(void)state;
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

/* ai-dynamo/aiconfigurator systems/silicon_sample.csv: Llama-3.1-70B fp8, TensorRT-LLM
 * on H200, prompt 922, answer 7373, four requests: 12.226 ms TP 2, 8.086 ms TP 4; answer
 * 922, 128 requests, that wait for each other's prompts: 27.007 and 19.276 ms. */
static void
test_measured_decode(void **state)
{
	(void)state;
	load("llama-3.1-70b");
	set("memory_gib", "139.8");
	set("hbm_gbps", "4800");
	set("weight_dtype", "fp8");
	set("engine", "trtllm");
	set("context_length", "16384");
	set("kv_dtype", "fp8");
	set("prompt_tokens", "922");
	set("generate_tokens", "7373");
	set("length_spread", "0.2");
	set("concurrency", "4");
	gpus("2");
	set("tp", "2");
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
test_times_follow(void **state)
{
	struct serve a, b;

	(void)state;
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
static void
test_drafts(void **state)
{
	struct serve plain, drafted;

	(void)state;
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
static void
test_prefix(void **state)
{
	struct serve plain, cached, host;

	(void)state;
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
	/* 3072 tokens of 40 KiB at 0.27 of 64 GB/s */
	assert_true(near(host.ttft_seconds - cached.ttft_seconds, 3072 * 40960 / 17.28e9, 0.05));
}

/* Prefill workers of their own take prompts away from those that decode. */
static void
test_pools(void **state)
{
	struct serve one, two;

	(void)state;
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
	set("prefill_workers", "2xtp1");
	gpus("5");
	assert_true(estimate().fits && estimate().prefill_gpu_bytes > 65 * GIB); /* all of it */
	set("memory_gib", "64");
	assert_false(estimate().fits); /* on one GPU it has no room */
}

/* Measured over estimated: both times and what follows from them. */
static void
test_scales(void **state)
{
	struct serve a, b;

	(void)state;
	load("llama-3.1-8b");
	a = estimate();
	set("tpot_scale", "1.5");
	set("ttft_scale", "2");
	b = estimate();
	assert_true(near(b.tpot_seconds, 1.5 * a.tpot_seconds, 1e-9));
	assert_true(near(b.ttft_seconds, 2 * a.ttft_seconds, 1e-9));
	assert_true(near(noted(QUANTITY_TPOT), b.tpot_seconds, 1e-9));
	assert_true(b.tokens_per_second < a.tokens_per_second / 1.4);
}

/* More requests than slots wait for one, and add nothing to what is generated. */
static void
test_waiting(void **state)
{
	struct serve all, more;

	(void)state;
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
static void
test_transfer(void **state)
{
	(void)state;
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_engine_defaults),
		cmocka_unit_test(test_every_model),
		cmocka_unit_test(test_one_log),
		cmocka_unit_test(test_sglang_log),
		cmocka_unit_test(test_pipeline),
		cmocka_unit_test(test_newer_versions),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_replicas_and_ranks),
		cmocka_unit_test(test_decode_context_parallel),
		cmocka_unit_test(test_context_parallel_indexer),
		cmocka_unit_test(test_prefill_context_parallel),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_measured_decode),
		cmocka_unit_test(test_times_follow),
		cmocka_unit_test(test_drafts),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_scales),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_transfer),
	};

	return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
