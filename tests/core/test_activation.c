/*
 * test_activation.c - bytes that layers keep for their backward pass, against formulas of
 * the literature and sums by hand.
 */
#include <math.h>
#include <string.h>

#include "core/model/activation.h"
#include "core/plan/field.h"
#include "../unit.h"
#include "kept.h"

static struct plan p;

static void
near(double have, double want)
{
	if (!(fabs(have - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g, not %.17g", have, want);
}

/* The layer of Korthikanti et al.: GPT, f = 4h, as many KV heads as query heads. */
static void
setup_gpt(double s, double b, double h, double n, double t)
{
	memset(&p, 0, sizeof p);
	p.model.layers = 4;
	p.model.hidden_size = (int64_t)h;
	p.model.ffn_hidden_size = (int64_t)(4 * h);
	p.model.attention_heads = p.model.kv_heads = (int64_t)n;
	p.model.head_dim = (int64_t)(h / n);
	p.model.norms_per_layer = 2;
	p.model.moe_layer_every = 1;
	p.parallel.tp = (int64_t)t;
	p.parallel.cp = p.parallel.ep = p.parallel.etp = 1;
	p.parallel.sequence_parallel = t > 1;
	p.training.sequence_length = (int64_t)s;
	p.training.micro_batch_size = (int64_t)b;
	p.training.precision = PRECISION_BF16;
	p.training.flash_attention = 1;
}

/* DeepSeek-V2 like: MLA, routed and shared experts. */
static void
setup_moe(void)
{
	setup_gpt(4096, 1, 5120, 128, 1);
	p.model.gated_mlp = 1;
	p.model.attention = ATTENTION_MLA;
	p.model.q_lora_rank = 1536;
	p.model.kv_lora_rank = 512;
	p.model.qk_nope_head_dim = p.model.v_head_dim = 128;
	p.model.qk_rope_head_dim = 64;
	p.model.experts = 160;
	p.model.experts_per_token = 6;
	p.model.moe_ffn_hidden_size = 1536;
	p.model.shared_expert_ffn_hidden_size = 3072;
}

/* Of one layer that attends to everything. */
static double
layer(void)
{
	const struct activation c = activation_init(&p);
	const bool moe = p.model.experts > 0;
	const struct share one = { .kept = { .all = 1, .global = 1, .moe = moe, .dense = !moe } };
	const struct share unit = activation_units(&c);
	double sum = 0;

	activation_add(&c, &one, NULL, &sum);
	near(share_bytes(&one, &unit), sum);
	return sum;
}

/* 34*s*b*h + 5*a*s^2*b of the paper, divided by TP with sequence parallelism; without it
 * norms, residuals and masks (10 of the 34) are not. */
TEST(test_korthikanti)
{
	const double s = 2048, b = 2, h = 6144, n = 64;

	for (int t = 1; t <= 8; t *= 2) {
		setup_gpt(s, b, h, n, t);
		p.training.flash_attention = 0;
		p.training.hidden_dropout = p.training.attention_dropout = 0.1;
		near(layer(), s * b * h * (34 + 5 * n * s / h) / t);
		p.parallel.sequence_parallel = 0;
		near(layer(), s * b * h * (10 + 24.0 / t + 5 * n * s / h / t));
		p.training.recompute = RECOMPUTE_SELECTIVE;
		strcpy(p.training.recompute_modules, "core_attn");
		near(layer(), s * b * h * (10 + 24.0 / t));
	}
}

/* Llama 3 70B, TP 8: 268.25 MiB a layer. */
TEST(test_grouped_queries)
{
	setup_gpt(8192, 1, 8192, 64, 8);
	p.model.kv_heads = 8;
	p.model.ffn_hidden_size = 28672;
	p.model.gated_mlp = 1;
	near(layer(), 268.25 * 1048576);
	p.parallel.tp = 16; /* half a KV head each: they are repeated, so there is a whole one */
	p.parallel.sequence_parallel = 0;
	near(layer(), 8 * 8192.0 * 8192 +
	    8192.0 * ((4 * 64 * 128 + 6 * 28672.0) / 16 + 4 * 128) + 4 * 8192.0 * 64 / 16);
}

TEST(test_context_parallel)
{
	double whole, p2p;

	setup_gpt(32768, 1, 4096, 32, 1);
	whole = layer();
	p.parallel.cp = 4;
	p2p = layer();
	near(p2p, whole / 4);
	p.parallel.cp_comm = CP_COMM_A2A; /* the output is kept twice */
	near(layer(), p2p + 2 * 8192.0 * 4096);
	p.parallel.cp_comm = CP_COMM_ALLGATHER;
	near(layer(), p2p);
}

TEST(test_experts)
{
	const double t = 4096, heads = 128, routed = 6 * t;
	const double mla = 2 * t * heads * (2 * 192 + 2 * 128) + 4 * t * heads +
	    4 * (1536 + 512) * t + 2 * 64 * t;
	const double moe = routed * (2 * 5120 + 6 * 1536) + 9 * 160 * t + 6 * 3072 * t;
	double balanced;

	setup_moe();
	balanced = layer();
	near(balanced, 4 * 2 * 5120 * t + mla + moe);
	p.training.moe_imbalance = 1.5;
	near(layer(), balanced); /* nobody measured it: the busiest rank is another in each layer */
	field_mark(FIELD_MOE_IMBALANCE, &p, true);
	near(layer(), balanced + routed / 2 * (2 * 5120 + 6 * 1536));
	p.training.moe_capacity_factor = 2; /* then capacity decides */
	near(layer(), balanced + routed * (2 * 5120 + 6 * 1536));
	p.training.moe_capacity_factor = 0;
	p.training.moe_imbalance = 1;
	p.parallel.ep = 8; /* other experts, as many tokens */
	near(layer(), balanced);
	p.parallel.ep = 1;
	p.parallel.etp = 2; /* twice the tokens, half of each expert */
	near(layer(), balanced + routed * 2 * 5120);
	p.parallel.etp = 1;
	p.model.gated_mlp = 0; /* less a gate, and one more output of experts */
	near(layer(), balanced - 2 * 3072 * t);
}

TEST(test_modules)
{
	static const struct {
		const char *list;
		double less;
	} cases[] = {
		{ "core_attn", 4 * 4096.0 * 128 },
		{ "layernorm", 2 * 2 * 5120 * 4096.0 },
		{ "mla_up_proj", 2 * 4096.0 * 128 * (2 * 192 + 128) },
		{ "moe_act", 2 * 1536 * 6 * 4096.0 },
		{ "shared_experts", 6 * 3072 * 4096.0 },
		{ "moe_act,shared_experts", 2 * 1536 * 6 * 4096.0 + 6 * 3072 * 4096.0 },
		{ "moe", 6 * 4096.0 * (2 * 5120 + 6 * 1536) + 9 * 160 * 4096.0 + 6 * 3072 * 4096.0 },
		{ "mlp", 0 }, { "", 0 }, { "core", 0 },
	};
	double whole;

	setup_moe();
	whole = layer();
	p.training.recompute = RECOMPUTE_SELECTIVE;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		strcpy(p.training.recompute_modules, cases[i].list);
		near(layer(), whole - cases[i].less);
	}
	setup_gpt(4096, 1, 4096, 32, 1);
	whole = layer();
	p.training.recompute = RECOMPUTE_SELECTIVE;
	strcpy(p.training.recompute_modules, "mlp");
	near(layer(), whole - 4.0 * 4096 * 16384);
}

TEST(test_precisions)
{
	double bf16;

	setup_gpt(4096, 1, 4096, 32, 1);
	bf16 = layer();
	p.training.precision = PRECISION_FP16;
	near(layer(), bf16);
	p.training.precision = PRECISION_FP32;
	near(layer(), 2 * bf16 - 4 * 4096.0 * 32);
	p.training.precision = PRECISION_FP8;
	assert_true(layer() < bf16 && layer() > bf16 / 2);
}

TEST(test_qk_norm)
{
	double without;

	setup_gpt(4096, 1, 4096, 32, 1);
	p.model.kv_heads = 8;
	without = layer();
	p.model.qk_norm = 1; /* norms keep their inputs */
	near(layer(), without + 2 * 4096.0 * (32 + 8) * 128);
	p.model.qk_norm = 0;
	p.model.attention_output_gate = 1;
	near(layer(), without + 2 * 2 * 4096.0 * 4096);
}

/* The flash-attn package keeps its output twice where a micro-batch has more than one
 * sequence; cuDNN, on Hopper and later, does not, but for dropout on Blackwell. */
TEST(test_attention_kernels)
{
	const double out = 2 * 2 * 4096.0 * 4096;
	double one, two;

	setup_gpt(4096, 1, 4096, 32, 1);
	one = layer();
	p.training.micro_batch_size = 2;
	near(layer(), 2 * one + out);
	p.cluster.fp8_tflops = 1979;
	p.cluster.nvlink_gbps = 450;
	p.cluster.generation = GENERATION_ADA;
	near(layer(), 2 * one + out); /* rates say nothing of the kernels */
	p.cluster.generation = GENERATION_HOPPER;
	two = layer();
	near(two, 2 * one);
	p.training.attention_dropout = 0.1;
	near(layer(), two);
	p.cluster.generation = GENERATION_BLACKWELL;
	near(layer(), two + out);
	p.parallel.layout = LAYOUT_TORCHTITAN;
	near(layer(), two);
	p.parallel.layout = LAYOUT_NANOTRON;
	near(layer(), two + out);
}

/* nanotron's GLUActivation takes two steps, and the second keeps what the first gave. */
TEST(test_nanotron_gate)
{
	double one;

	setup_gpt(4096, 1, 4096, 32, 1);
	p.model.gated_mlp = 1;
	p.parallel.layout = LAYOUT_TORCHTITAN;
	one = layer();
	p.parallel.layout = LAYOUT_NANOTRON;
	near(layer(), one + 2 * 4096.0 * (double)p.model.ffn_hidden_size);
}

TEST(test_rest)
{
	struct activation c;
	struct share unit;

	setup_gpt(4096, 2, 4096, 32, 1);
	c = activation_init(&p);
	unit = activation_units(&c);
	near(unit.input, 2 * 4096.0 * 8192);
	near(unit.mtp, 10 * 4096.0 * 8192 + 8 * 8192);
	near(unit.embedding, 8 * 8192);
	p.training.hidden_dropout = 0.1;
	c = activation_init(&p);
	unit = activation_units(&c);
	near(unit.embedding, (8 + 4096.0) * 8192);
}

/* A layer that takes keys and values of an earlier one keeps none of its own, and of an MLP twice
 * as wide twice as much. */
TEST(test_borrowing)
{
	const struct layer_kinds own = { .all = 1, .global = 1, .dense = 1 };
	const struct share all = { .kept = { .all = 1, .global = 1, .dense = 1, .borrowing_global = 1 } };
	const double keys = 2 * 4096 * 2.0 * 8 * 128;
	struct activation c;
	struct share unit;

	setup_gpt(4096, 1, 8192, 64, 1);
	p.model.kv_heads = 8;
	p.model.borrowing_layers = 1;
	p.model.gated_mlp = 1;
	c = activation_init(&p);
	unit = activation_units(&c);
	near(kept_by(&c, &own) - keys, share_bytes(&all, &unit));
	p.model.borrowing_mlp_twice = 1;
	unit = activation_units(&c);
	near(kept_by(&c, &own) - keys + 3 * 2 * 4096 * 4.0 * 8192, share_bytes(&all, &unit));
	c.eager = true; /* as modules of Hugging Face do */
	unit = activation_units(&c);
	near(kept_by(&c, &all.kept), share_bytes(&all, &unit));
	near(kept_by(&c, &own) + 4 * 2 * 4096 * 4.0 * 8192, share_bytes(&all, &unit));
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
