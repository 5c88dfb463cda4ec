/*
 * test_serve_alloc.c - what PyTorch's allocator adds to weights, by tensor and by stage.
 */
#include <math.h>

#include "core/base/number.h"
#include "core/base/segment.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/serve/serve.h"
#include "core/serve/serve_alloc.h"
#include "settings.h"

static struct plan p;
static struct layout layout;
static struct placement placement;

static void
assert_near(double a, double b, double epsilon)
{
	if (!(fabs(a - b) <= epsilon))
		fail_msg("%.10g != %.10g", a, b);
}

static void
set(const char *path, const char *value)
{
	settings_set(&p, path, value);
}

/* Qwen2.5-7B-Instruct: config.json on Hugging Face. */
static void
qwen(const char *tp, const char *pp)
{
	static const char *const model[][2] = {
		{ "layers", "28" }, { "hidden_size", "3584" }, { "ffn_hidden_size", "18944" },
		{ "attention_heads", "28" }, { "kv_heads", "4" }, { "head_dim", "128" },
		{ "vocab_size", "152064" }, { "max_position", "32768" }, { "qkv_bias", "true" },
		{ "gated_mlp", "true" }, { "tied_embeddings", "false" }, { "norm", "rmsnorm" },
		{ "position", "rope" },
	};

	plan_defaults(&p);
	set("mode", "serve");
	set("layout", "vllm");
	for (size_t i = 0; i < sizeof model / sizeof model[0]; i++)
		set(model[i][0], model[i][1]);
	set("memory_gib", "79.19");
	set("gpus_per_node", tp[0] > pp[0] ? tp : pp);
	set("tp", tp);
	set("pp", pp);
}

static void
resolve(void)
{
	plan_resolve(&p, NULL);
	assert_true(layout_init(&layout, &p, NULL));
	assert_true(placement_init(&placement, &p, NULL));
}

static double
stage_mib(int64_t stage)
{
	return serve_alloc_stage(&p, &placement, stage, 19) / MIB;
}

/* A rest of 1 MiB is not split off, a larger one is. */
TEST(test_tensor)
{
	assert_near(segment_left(16 * MIB), 0, 0);
	assert_near(segment_left(15.75 * MIB), 0.25 * MIB, 0);
	assert_near(segment_left(15 * MIB), MIB, 0);
	assert_near(segment_left(14.75 * MIB), 0, 0);
	assert_near(segment_left(9.75 * MIB), 0.25 * MIB, 0); /* two in a segment of 20 MiB */
	assert_near(segment_left(9 * MIB), 0, 0);
	assert_near(segment_left(MIB), 0, 0);
}

/* A layer at TP 1: 31.5, 24.5, 259 and 129.5 MiB; each table 1039.5. */
TEST(test_stage)
{
	qwen("1", "1");
	resolve();
	assert_near(stage_mib(0), 28 * (0.5 + 1 + 0.5) + 2 * 0.5, 1e-9);
	qwen("2", "1"); /* 15.75, 12.25, 129.5, 64.75; 519.75 */
	resolve();
	assert_near(stage_mib(0), 28 * (0.25 + 0.5) + 2 * 0.25, 1e-9);
	qwen("1", "2");
	resolve();
	assert_near(stage_mib(0), 14 * 2 + 0.5, 1e-9);
	assert_near(stage_mib(1), 14 * 2 + 0.5, 1e-9);
	qwen("1", "1");
	set("weight_dtype", "fp8"); /* 15.75, 12.25, 129.5, 64.75; tables stay in 16 bits */
	resolve();
	assert_near(stage_mib(0), 28 * (0.25 + 0.5) + 2 * 0.5, 1e-9);
}

TEST(test_not_counted)
{
	qwen("1", "1");
	resolve();
	assert_near(serve_alloc_stage(&p, &placement, 0, 7), 0, 0);
	set("engine", "sglang");
	assert_near(stage_mib(0), 0, 0);
	set("engine", "vllm");
	set("weight_dtype", "mxfp4");
	assert_near(stage_mib(0), 0, 0);
}

/* One tensor for all experts, one for the shared ones; DeepSeek-V2-Lite. */
TEST(test_experts_and_mla)
{
	static const char *const model[][2] = {
		{ "layers", "27" }, { "hidden_size", "2048" }, { "ffn_hidden_size", "10944" },
		{ "attention_heads", "16" }, { "kv_heads", "16" }, { "head_dim", "128" },
		{ "vocab_size", "102400" }, { "qkv_bias", "false" }, { "attention", "mla" },
		{ "q_lora_rank", "0" }, { "kv_lora_rank", "512" }, { "qk_nope_head_dim", "128" },
		{ "qk_rope_head_dim", "64" }, { "v_head_dim", "128" }, { "experts", "64" },
		{ "experts_per_token", "6" }, { "moe_ffn_hidden_size", "1408" },
		{ "shared_expert_ffn_hidden_size", "2816" }, { "dense_layers", "1" },
	};

	double whole;

	qwen("1", "1");
	for (size_t i = 0; i < sizeof model / sizeof model[0]; i++)
		set(model[i][0], model[i][1]);
	resolve();
	/* of MoE layers the shared experts' down-projection, 11 MiB; of the dense one 85.5 */
	assert_near(stage_mib(0), 26 * 1 + 0.5, 1e-9);
	/* queries of a wider model come from all of it, 13.5 MiB, and from a latent of 1536, 9 MiB */
	set("hidden_size", "2304");
	resolve();
	whole = stage_mib(0);
	set("q_lora_rank", "1536");
	resolve();
	assert_near(whole - stage_mib(0), 27 * (segment_left(16 * 192 * 2304 * 2) - segment_left(16 * 192 * 1536 * 2) +
	    segment_left(576 * 2304 * 2) - segment_left((1536 + 576) * 2304 * 2)) / MIB, 1e-9);
}

/* On AMD's GPUs experts of Qwen3-30B-A3B: 768 and 384 MiB a layer, rows of 4,096 and 1,536 bytes, get 48
 * and 64 MiB; the second ones lie in the first ones' segments, and the last second one is left. Rows of
 * 768 bytes stay as they are. */
TEST(test_rocm)
{
	static const char *const model[][2] = {
		{ "layers", "48" }, { "hidden_size", "2048" }, { "attention_heads", "32" }, { "experts", "128" },
		{ "experts_per_token", "8" }, { "moe_ffn_hidden_size", "768" }, { "qkv_bias", "false" },
	};
	double held[2];

	for (int split = 0; split < 2; split++)
		for (int rocm = 0; rocm < 2; rocm++) {
			qwen(split ? "2" : "1", "1");
			for (size_t i = 0; i < sizeof model / sizeof model[0]; i++)
				set(model[i][0], model[i][1]);
			set("generation", rocm ? "cdna3" : "hopper");
			resolve();
			held[rocm] = serve_estimate(&p, &layout, &placement, NULL, NULL).weight_bytes / MIB;
			if (rocm)
				assert_near(held[1] - held[0], 256 + (split ? 48 * 24 + 384 :
				    48 * (48 + 64 + (768 - 448)) + 384), 1e-6);
		}
}

/* vLLM 0.10.1.1 logs of Qwen2-7B-Instruct: dennislee22/vLLM-benchmarking log/. */
TEST(test_measured)
{
	static const struct {
		const char *tp;
		double gib;
	} logs[] = { { "1", 14.2488 }, { "2", 7.1217 } };

	for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
		qwen(logs[i].tp, "1");
		resolve();
		assert_near(serve_estimate(&p, &layout, &placement, NULL, NULL).weight_bytes / GIB,
		    logs[i].gib, 0.0003);
	}
}

/* What TensorRT-LLM prints for its pool is what tokens fill: 68.69 GiB hold 643136 tokens
 * of 28 layers, 8 heads of 128. */
TEST(test_trtllm_pool)
{
	struct serve s;

	qwen("1", "1");
	set("engine", "trtllm");
	resolve();
	s = serve_estimate(&p, &layout, &placement, NULL, NULL);
	assert_true(s.kv_pool_bytes > 0);
	assert_near(s.kv_tokens * s.kv_bytes_per_token / s.kv_pool_bytes, 1, 1e-4);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
