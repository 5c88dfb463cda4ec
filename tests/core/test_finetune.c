/*
 * test_finetune.c - adapters counted, memory and time of fine-tuning, against what public
 * frameworks report and against measured runs.
 */
#include <stdlib.h>

#include "../bench/accuracy_finetune.c"
#include "core/base/number.h"
#include "core/model/flops.h"
#include "core/model/mixer.h"
#include "core/model/modules.h"
#include "core/rules/check.h"
#include "core/train/compute_adapters.h"
#include "kept.h"
#include "settings.h"

#define LLAMA_3B "layers=28 hidden_size=3072 attention_heads=24 kv_heads=8 " \
	"ffn_hidden_size=8192 model.vocab_size=128256 vocab_multiple=1 tied_embeddings=true "
#define MOE "layers=4 hidden_size=2048 attention_heads=32 kv_heads=4 ffn_hidden_size=6144 " \
	"experts=128 experts_per_token=8 moe_ffn_hidden_size=768 "
#define HF "layout=torchtitan gpus_per_node=1 zero_stage=0 global_batch_size=1 "
#define LORA "finetune.method=lora "

static struct estimate e;

static struct plan
plan_of(const char *settings)
{
	return settings_plan("", settings);
}

static double
trained(const char *settings)
{
	const struct plan p = plan_of(settings);

	return adapters_total(&p, 0, NULL);
}

static const struct memory *
memory_of(const char *settings)
{
	const struct plan p = plan_of(settings);

	estimate_run(&e, &p, NULL, NULL);
	assert_true(e.legal);
	return &e.stage[0].memory;
}

/* Settings that trained texts of these lengths, and what nvidia-smi said of them where it is told, GiB: ArcticTraining
 * projects/sequence-parallelism/ *.yml, those with Liger's modules. */
TEST(long_texts)
{
	static const char all[] = "layout=deepspeed zero_stage=3 recompute=full finetune.method=full finetune.kernels=liger "
	    "cp_comm=a2a gpus_per_node=8 memory_gib=%s %s";
#define LLAMA_8B "layers=32 hidden_size=4096 attention_heads=32 kv_heads=8 ffn_hidden_size=14336 vocab_size=128256 "
#define LLAMA_70B "layers=80 hidden_size=8192 attention_heads=64 kv_heads=8 ffn_hidden_size=28672 vocab_size=128256 "
#define QWEN3_32B "layers=64 hidden_size=5120 attention_heads=64 kv_heads=8 head_dim=128 ffn_hidden_size=25600 " \
	"vocab_size=151936 qk_norm=true "
#define ONE "gpus_per_node=1 global_batch_size=1 offload=optimizer+params "
#define TEXT(n) "sequence_length=" #n " max_position=" #n " "
	static const struct {
		const char *memory, *settings;
		double measured;
	} runs[] = {
		{ "79.19", LLAMA_8B ONE "offload_layers=32 mlp_tiles=123 " TEXT(500000), 0 },
		{ "79.19", QWEN3_32B ONE "offload_layers=64 mlp_tiles=45 " TEXT(230000), 0 },
		{ "79.19", LLAMA_8B "offload=optimizer cp=8 " TEXT(1100000), 0 },
		{ "79.19", LLAMA_8B "offload=optimizer cp=8 offload_layers=32 " TEXT(2400000), 0 },
		{ "79.19", LLAMA_8B "offload=optimizer cp=8 mlp_tiles=37 " TEXT(1200000), 0 },
		{ "79.19", LLAMA_8B "offload=optimizer cp=8 offload_layers=32 mlp_tiles=116 " TEXT(3800000), 0 },
		{ "79.19", QWEN3_32B "offload=optimizer cp=8 offload_layers=64 mlp_tiles=38 " TEXT(1550000), 0 },
		{ "79.19", LLAMA_8B "nodes=4 offload=optimizer cp=32 offload_layers=32 mlp_tiles=119 " TEXT(15500000), 0 },
		{ "79.19", LLAMA_70B "nodes=4 offload=optimizer cp=32 offload_layers=80 mlp_tiles=16 " TEXT(4000000), 47.70 },
		{ "79.19", QWEN3_32B "nodes=4 offload=optimizer cp=32 offload_layers=64 mlp_tiles=43 " TEXT(7000000), 71.55 },
		{ "79.19", LLAMA_70B "nodes=8 offload=optimizer cp=64 offload_layers=80 mlp_tiles=20 " TEXT(10000000), 53.83 },
		{ "79.19", QWEN3_32B "nodes=8 offload=optimizer cp=64 offload_layers=64 mlp_tiles=46 " TEXT(15000000), 71.00 },
		{ "139.80", LLAMA_8B ONE TEXT(300000), 134.96 },
		{ "139.80", LLAMA_8B ONE "offload_layers=32 " TEXT(650000), 126.81 },
		{ "139.80", LLAMA_8B ONE "offload_layers=32 mlp_tiles=293 " TEXT(1200000), 136.15 },
	};

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		const double room = strtod(runs[i].memory, NULL);
		char settings[1024];
		struct plan p;
		double total;

		snprintf(settings, sizeof settings, all, runs[i].memory, runs[i].settings);
		p = plan_of(settings);
		estimate_run(&e, &p, NULL, NULL);
		assert_true(e.legal);
		total = e.stage[0].memory.total / GIB;
		if (total > room || (runs[i].measured > 0 && fabs(total / runs[i].measured - 1) > 0.19))
			fail_msg("%s: %.2f GiB of %.2f", runs[i].settings, total, room);
	}
}

static void
near(double a, double b, double share)
{
	if (!(fabs(a - b) <= share * fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

/* As PEFT's print_trainable_parameters has them: VeRA's 256 + out, IA3's keys, values and what goes down, each
 * a size of a layer. */
TEST(other_adapters)
{
	static const char qv[] = LLAMA_3B HF LORA "finetune.kernels=eager finetune.target=qv finetune.rank=32 ";
	static const struct {
		const char *more;
		double layer;
	} of[] = {
		{ "", 32 * (6144 + 4096) },
		{ "finetune.tuner=adalora", 32 * (6144 + 4096 + 2) },
		{ "finetune.tuner=loha", 2 * 32 * (6144 + 4096) },
		{ "finetune.tuner=oft", 2 * 3072 / 32 * (32 * 31 / 2) },
		{ "finetune.tuner=vera finetune.rank=256", 256 + 3072 + 256 + 1024 },
		{ "finetune.tuner=ia3 finetune.target=k+v+down", 1024 + 1024 + 8192 },
		{ "finetune.tuner=miss", 32 * (3072 + 1024) },
		/* 3072 = 48 * 64, 1024 = 32 * 32: below 32 the larger weight is two factors */
		{ "finetune.tuner=lokr", 48 * 48 + 64 * 64 + 32 * 48 + 32 * 64 },
		{ "finetune.tuner=lokr finetune.rank=8", 48 * 48 + 8 * 128 + 32 * 48 + 8 * 96 },
	};
	char text[512];

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		text_put(text, sizeof text, "%s%s", qv, of[i].more);
		near(trained(text), 28 * of[i].layer, 1e-12);
	}
}

/* Between LoRA and others: what stays of an input, an output or a whole weight. */
TEST(what_other_adapters_keep)
{
	static const char qv[] = LLAMA_3B HF LORA "finetune.kernels=eager finetune.target=qv micro_batch_size=1 "
	    "sequence_length=1024 training.cross_entropy=liger finetune.adapter_dtype=bf16 finetune.dropout=0 ";
	double kept[4];
	static const char *const of[4] = { "miss finetune.rank=32", "oft finetune.rank=32", "ia3", "loha" };
	char text[512];

	for (int i = 0; i < 4; i++) {
		text_put(text, sizeof text, "%sfinetune.tuner=%s", qv, of[i]);
		kept[i] = memory_of(text)->activations + memory_of(text)->gradients; /* which come in their place */
	}
	near(kept[1] - kept[0], 28 * 2 * 1024.0 * (2 * 3072 - 2 * 32), 1e-3);
	near(kept[2] - kept[0], 28 * 2 * 1024.0 * (3072 + 1024 - 2 * 32), 1e-3);
	near(kept[3] - kept[1], 28 * 2 * 3072.0 * (3072 + 1024), 1e-3);
}

/* PyTorch's attention with a mask, which padding needs, has keys and values repeated for every
 * query head; those of a latent are made for every head as they are. */
TEST(padding_repeats_keys)
{
	static const char latent[] = HF LORA "finetune.kernels=eager attention=mla kv_lora_rank=512 "
	    "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128 kv_heads=4 finetune.packing=";
	static const char grouped[] = HF LORA "finetune.kernels=eager layers=4 attention_heads=32 "
	    "kv_heads=8 head_dim=128 micro_batch_size=1 sequence_length=4096 finetune.packing=";
	char packed[512], padded[512];
	double kept;

	text_put(packed, sizeof packed, "%strue", latent);
	text_put(padded, sizeof padded, "%sfalse", latent);
	kept = memory_of(packed)->activations;
	near(memory_of(padded)->activations, kept, 1e-12);
	text_put(packed, sizeof packed, "%strue", grouped);
	text_put(padded, sizeof padded, "%sfalse", grouped);
	kept = memory_of(packed)->activations;
	near(memory_of(padded)->activations - kept, 4 * 2 * 4096.0 * (32 - 8) * (128 + 128), 1e-9);
}

/* Counts that logs of PEFT and MLPerf print. */
TEST(counts)
{
	near(trained(HF LLAMA_3B LORA "finetune.rank=32 finetune.target=qv"), 9175040, 0);
	near(trained(HF LLAMA_3B LORA "finetune.rank=10 finetune.target=mlp"), 9461760, 0);
	near(trained(HF LLAMA_3B "finetune.method=dora finetune.rank=32 finetune.target=qv"), 9289728, 0);
	near(trained("layers=80 hidden_size=8192 attention_heads=64 kv_heads=8 " LORA
	    "finetune.rank=16 finetune.target=qkv+proj"), 44564480, 0);
	/* separate modules have an A each */
	near(trained(HF LLAMA_3B LORA "finetune.rank=1 finetune.target=qkv") + 2 * 28 * 3072,
	    trained(HF LLAMA_3B LORA "finetune.rank=1 finetune.target=q+k+v"), 0);
	/* a trained copy is the whole table */
	near(trained(HF LLAMA_3B LORA "finetune.rank=32 finetune.target=qv "
	    "finetune.modules_to_save=head"), 9175040 + 128256.0 * 3072, 0);
}

/* Experts: one adapter for all of a rank, or one each. Megatron's linear_fc1 and linear_fc2 are
 * layers of experts, stacked weights elsewhere are none. */
TEST(experts)
{
	const double attention = trained(MOE LORA "finetune.target=attention");
	const double one = 4 * 16 * ((2048 + 2 * 768) + (768 + 2048));

	near(trained("layout=torchtitan " MOE LORA), trained("layout=torchtitan " MOE LORA
	    "finetune.target=attention"), 0);
	near(trained(MOE LORA), attention + one, 0);
	near(trained(MOE LORA "finetune.target=attention+fc1"), attention + 4 * 16 * (2048 + 2 * 768), 0);
	near(trained(MOE LORA "finetune.target=attention+fc2"), attention + 4 * 16 * (768 + 2048), 0);
	near(trained(MOE LORA "finetune.target=attention+experts"), attention + one, 0);
	near(trained(MOE LORA "finetune.target=attention+experts finetune.expert_adapters=separate"),
	    attention + 128 * one, 0);
}

/* Megatron divides all of an adapter over TP; elsewhere the factor beside the whole side stays
 * whole. */
TEST(sharded)
{
	const struct plan p = plan_of("tp=4 " LORA "finetune.target=qkv+proj");
	const struct plan q = plan_of("layout=torchtitan tp=4 " LORA "finetune.target=q+o");
	const struct rank_layers r = { .kinds = { .all = 1, .global = 1, .dense = 1 } };

	near(adapters_held(&p, &r).dense, 16 * ((4096 + 6144) + (4096 + 4096)) / 4.0, 0);
	near(adapters_held(&q, &r).dense, 16 * ((4096 + 4096 / 4.0) + (4096 / 4.0 + 4096)), 0);
}

static double
seconds_of_adapters(const char *settings)
{
	const struct plan p = plan_of(settings);
	const struct machine g = machine_of(&p);
	struct layer_job j = { .p = &p, .g = &g };

	compute_adapters(&j, 0, 0); /* a dense layer of full attention */
	assert_true(j.w.forward > 0 && isfinite(j.w.backward));
	assert_true(j.w.forward > 0);
	return j.w.forward + j.w.backward;
}

/* A rank of TP 4 does for its adapters what one GPU does in a model with a quarter of the heads and of the MLP. */
TEST(work_is_sharded)
{
#define RANK "layout=torchtitan sequence_parallel=false generation=hopper hbm_gbps=3350 bf16_tflops=989 "
	static const char *const targets[] = { "q", "o", "up+gate", "down" };

	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		char whole[256], quarter[256];

		text_put(whole, sizeof whole, RANK "tp=4 attention_heads=32 kv_heads=8 head_dim=128 ffn_hidden_size=8192 " LORA "finetune.target=%s", targets[i]);
		text_put(quarter, sizeof quarter, RANK "tp=1 attention_heads=8 kv_heads=2 head_dim=128 ffn_hidden_size=2048 " LORA "finetune.target=%s", targets[i]);
	near(seconds_of_adapters(whole), seconds_of_adapters(quarter), 1e-12);
	}
}

/* Bytes of a frozen weight, of an adapter's, and nothing beside them. */
TEST(state_bytes)
{
	const struct memory *m = memory_of(HF LORA "finetune.target=qv");
	const double pl = e.params_trainable, all = e.params.total;
	const double linear = 32 * (4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336);

	near(m->parameters, 2 * all + 4 * pl, 1e-12);
	near(m->gradients, 4 * pl, 1e-12);
	near(m->optimizer, 8 * pl, 1e-12);
	m = memory_of(HF LORA "finetune.target=qv finetune.kernels=torchtune");
	near(m->parameters + m->gradients + m->optimizer, 2 * all + 8 * pl, 1e-12);
	m = memory_of("gpus_per_node=8 global_batch_size=8 " LORA "finetune.target=qkv");
	near(m->parameters, 2 * all + 2 * e.params_trainable, 1e-12);
	near(m->gradients, 4 * e.params_trainable, 1e-12);
	near(m->optimizer, 12 * e.params_trainable / 8, 1e-12);
	m = memory_of(HF "finetune.method=qlora finetune.quantization=nf4 finetune.target=qv");
	near(m->parameters, 0.5625 * linear + 2 * (all - linear) + 4 * pl, 1e-12);
	m = memory_of(HF "finetune.method=qlora finetune.target=qv");
	near(m->parameters, (0.5 + 1 / 64.0 + 4 / 16384.0) * linear + 2 * (all - linear) + 4 * pl +
	    32 * 7 * (4 + 64 + 1024), 1e-12);
	m = memory_of(HF "finetune.method=qlora finetune.quantization=int8 finetune.target=qv");
	near(m->parameters, linear + 4 * 32 * (6144 + 4096 + 2 * 14336 + 4096) + 2 * (all - linear) +
	    4 * pl, 1e-12);
}

/* Experts were linear layers, which are quantised, until transformers 5.0 stacked them in one parameter. */
TEST(stacked_experts)
{
#define EXPERTS HF "finetune.method=qlora finetune.quantization=nf4 finetune.target=qv experts=8 experts_per_token=2 " \
	"moe_ffn_hidden_size=14336 "
	const double experts = 32 * 8 * 3 * 4096.0 * 14336;
	const double stacked = memory_of(EXPERTS)->parameters, apart = memory_of(EXPERTS "release=202404")->parameters;

	near(stacked - apart, (2 - 0.5625) * experts, 1e-9);
	near(memory_of(EXPERTS "release=202601")->parameters, stacked, 1e-12);
}

/* A frozen base of Transformer Engine is in the format of its products alone; blocks along one
 * direction can not be turned round. */
TEST(frozen_in_eight_bits)
{
#define RATES "fp8_tflops=1979 fp4_tflops=9000"
	static const struct { const char *precision; double first, second; } rows[] = {
		{ "generation=hopper precision=fp8 " RATES, 1, 0 },
		{ "generation=hopper precision=fp8 fp8_param_gather=true " RATES, 1, 0 },
		{ "generation=hopper precision=fp8-block " RATES, 1 + 4.0 / (128 * 128), 0 },
		{ "precision=mxfp8 generation=blackwell " RATES, 1 + 1.0 / 32, 1 + 1.0 / 32 },
		{ "precision=nvfp4 generation=blackwell " RATES, 0.5625, 0.5625 },
	};
	char settings[512];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double whole, linear;

		whole = memory_of(LORA "layout=megatron gpus_per_node=1 global_batch_size=1 zero_stage=1 "
		    "precision=bf16")->parameters;
		text_put(settings, sizeof settings, LORA "layout=megatron gpus_per_node=1 "
		    "global_batch_size=1 zero_stage=1 %s", rows[i].precision);
		linear = (whole - memory_of(settings)->parameters) / (2 - rows[i].first - rows[i].second);
		assert_true(linear > 0.9 * (e.params.total - 2 * e.params.embedding));
		assert_true(linear < e.params.total);
	}
}

/* Frozen weights are whole under DDP and ZeRO-2, split under ZeRO-3. */
TEST(frozen_shards)
{
	static const char run[] = "layout=deepspeed gpus_per_node=8 global_batch_size=8 " LORA
	    "finetune.target=qv zero_stage=";
	char settings[256];
	double bytes[4];

	for (int zero = 0; zero < 4; zero++) {
		text_put(settings, sizeof settings, "%s%d", run, zero);
		bytes[zero] = memory_of(settings)->parameters;
	}
	near(bytes[0], bytes[2], 0);
	near(bytes[3], bytes[0] / 8, 1e-12);
}

/* What adapters keep of their inputs, for each token and layer of Llama 3.2 3B. */
TEST(kept)
{
	static const char base[] = HF LLAMA_3B LORA "finetune.target=qv training.sequence_length=1024 "
	    "training.cross_entropy=hf-held finetune.packing=false finetune.rank=32 ";
	const double tokens = 1024 * 28.0;
	const struct plan p = plan_of(base);
	const struct activation c = activation_init(&p);
	const struct layer_kinds one = { .all = 1, .global = 1, .dense = 1 };

	/* 8h + 8h + 8nd + 6f, log-sum-exp and what is inside of two adapters */
	near(kept_by(&c, &one) / 1024, 122880 + 4 * 24 + 8 * 32, 1e-12);
	near(memory_of(base)->activations + memory_of(base)->gradients,
	    tokens * (122880 + 4 * 24 + 8 * 32) + 8 * 1024, 1e-6);
}

/* A frozen base has no weight gradients: 4 FLOP of a weight, and its attention as before. */
TEST(flops)
{
	const struct plan full = plan_of("layers=80"), lora = plan_of("layers=80 " LORA);
	const struct flops a = flops_of_token(&full, false), b = flops_of_token(&lora, false);

	near(b.projections + b.mlp + b.head, (a.projections + a.mlp + a.head) * 4 / 6, 1e-12);
	near(b.core, a.core, 0);
	near(b.adapters, 6 * adapters_total(&lora, 0, NULL), 1e-12);
}

/* Data parallel ranks add up the gradients of adapters alone. */
TEST(traffic)
{
	double bytes = 0;

	memory_of("gpus_per_node=8 zero_stage=0 global_batch_size=8 " LORA);
	for (size_t i = 0; i < e.traffic.count; i++)
		bytes += e.traffic.row[i].bytes;
	near(bytes, 2 * 4 * e.params_trainable * 7 / 8, 1e-9);
}

/* Mixers without keys and values: what they keep is not less where they are frozen, and their
 * projections have adapters, as many layers as the framework makes of them. */
#define NEMOTRON "layer_pattern=M-M*M- hidden_size=2688 attention_heads=32 kv_heads=2 " \
	"head_dim=128 ffn_hidden_size=8192 mamba_heads=64 mamba_head_dim=64 mamba_groups=8 " \
	"mamba_state=128 finetune.rank=8 " LORA
#define HYBRID "layers=4 hidden_size=2048 attention_heads=16 kv_heads=2 head_dim=256 " \
	"ffn_hidden_size=5120 linear_attention=true global_layer_every=4 linear_value_heads=32 " \
	"linear_value_head_dim=128 linear_key_head_dim=128 linear_conv_kernel=4 finetune.rank=8 " LORA

TEST(mixers)
{
	const struct plan p = plan_of(HF NEMOTRON "finetune.target=mlp"),
	    q = plan_of("tp=8 " NEMOTRON "finetune.target=in_proj+out_proj");
	const struct activation c = activation_init(&p);
	const struct layer_kinds one = { .all = 1, .mamba = 1 }, none = { .all = 1 };
	const struct rank_layers rank = { .kinds = one };
	const struct mixer x = mixer_mamba(&p.model);
	const double in = 2 * 4096 + 2 * 8 * 128 + 64, mamba = 8 * ((2688 + in) + (4096 + 2688));
	static const struct {
		const char *layout, *kind, *target;
		double counted; /* a layer, rank 8 */
	} rows[] = {
		/* Qwen3-Next: in_proj_qkvz 2048 -> 12288, in_proj_ba -> 64, out_proj 4096 -> 2048 */
		{ HF, "linear_kind=gdn linear_key_heads=16 ", "in_proj", 8 * (2048 + 12288 + 2048 + 64) },
		{ HF, "linear_kind=gdn linear_key_heads=16 ", "in_proj_qkvz", 8 * (2048 + 12288) },
		{ HF, "linear_kind=gdn linear_key_heads=16 ", "in_proj_qkv+in_proj_z+in_proj_b+in_proj_a",
		    8 * (4 * 2048 + 8192 + 4096 + 32 + 32) },
		{ HF, "linear_kind=gdn linear_key_heads=16 ", "out_proj", 8 * (4096 + 2048) },
		{ "", "linear_kind=gdn linear_key_heads=16 ", "in_proj", 8 * (2048 + 12288 + 64) },
		/* Kimi: f_a, f_b, g_a, g_b, b beside q, k, v and o */
		{ HF, "linear_kind=kda linear_key_heads=32 ", "k", 8 * (2048 + 4096) },
		{ HF, "linear_kind=kda linear_key_heads=32 ", "in_proj", 0 },
	};

	/* what goes in, all that it makes, and the output before gate, norm and projection */
	near(kept_by(&c, &one) - kept_by(&c, &none),
	    2 * c.tokens * (5 * x.value + 2 * x.key + x.heads), 1e-12);
	near(adapters_sums(&p, &one, false).modules, 0, 0);
	near(trained("" NEMOTRON "finetune.target=in_proj+out_proj"), 3 * mamba, 0);
	near(adapters_held(&q, &rank).dense, mamba / 8, 0);
	near(trained(HF NEMOTRON "finetune.target=all-linear"),
	    trained(HF NEMOTRON "finetune.target=q+k+v+o+gate+up+down") + 3 * mamba, 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char settings[1024];
		double without;

		text_put(settings, sizeof settings, "%s" HYBRID "%sfinetune.target=up", rows[i].layout,
		    rows[i].kind);
		without = trained(settings);
		text_add(settings, sizeof settings, "+%s", rows[i].target);
		/* of the 4 layers one attends, and has a k of its own */
		near(trained(settings) - without, 3 * rows[i].counted +
		    (text_equal(rows[i].target, "k") ? 8 * (2048 + 2 * 256) : 0), 0);
	}
	near(trained(HF HYBRID "linear_kind=kda linear_key_heads=32 finetune.target=all-linear") -
	    trained(HF HYBRID "linear_kind=kda linear_key_heads=32 finetune.target=q+k+v+o+gate+up+down"),
	    3 * 8 * ((2048 + 32) + 2 * (2048 + 128) + 2 * (128 + 4096)), 0);
}

/* Layers that PyTorch unpacks keep the unpacked weights of what is not recomputed, of one layer
 * otherwise; the largest weight passes through int32 and int8. */
TEST(unpacked)
{
	static const char run[] = HF "finetune.method=qlora finetune.target=qv finetune.quantization=";
	const double layer = 4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336;
	char settings[512];
	double bytes[2][2];

	for (int i = 0; i < 4; i++) {
		const struct memory *m;

		text_put(settings, sizeof settings, "%s%s recompute=%s", run, i & 1 ? "int4" : "int8",
		    i & 2 ? "full" : "none");
		m = memory_of(settings);
		bytes[i >> 1][i & 1] = m->activations + m->logits + m->buffers;
	}
	near(bytes[0][1] - bytes[0][0], 32 * 2 * layer + 3 * 4096.0 * 14336, 1e-9);
	assert_true(bytes[1][1] - bytes[1][0] <= 2 * layer + 3 * 4096.0 * 14336);
}

/* NF4 weights are split over ranks or kept on the host, their scales are whole. */
TEST(scales_stay_whole)
{
	static const char run[] = "layout=torchtitan gpus_per_node=4 global_batch_size=4 zero_stage=3 "
	    "finetune.method=qlora finetune.quantization=nf4 finetune.target=qv offload=";
	const double linear = 32 * (4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336);
	char settings[512];

	text_put(settings, sizeof settings, "%snone", run);
	near(memory_of(settings)->parameters, linear * (0.5 / 4 + 4 / 64.0) +
	    2 * (e.params.total - linear) / 4 + 4 * e.params_trainable / 4, 1e-9);
	text_put(settings, sizeof settings, "%soptimizer+params", run);
	near(memory_of(settings)->parameters, linear * 4 / 64.0, 1e-9);
	text_put(settings, sizeof settings, "%snone finetune.kernels=torchtune", run); /* torchao's */
	near(memory_of(settings)->parameters, (linear * (0.5 + 4 / 64.0) +
	    2 * (e.params.total - linear) + 2 * e.params_trainable) / 4, 1e-9);
}

/* Bytes of a logit by what computes the loss; DeepSpeed's gradients are there from the start. */
TEST(moment_of_the_loss)
{
	static const char run[] = HF LORA "finetune.target=qv sequence_length=65536 max_position=65536 "
	    "recompute=full training.cross_entropy=";
	static const char zero3[] = "layout=deepspeed gpus_per_node=8 finetune.method=full zero_stage=3 "
	    "recompute=full global_batch_size=";
	static const struct {
		const char *kind;
		double bytes;
	} kinds[] = { { "hf", 12 }, { "hf-held", 14 }, { "hf-old", 16 } };
	const double logits = 65536.0 * 128256;
	char settings[512];
	double activations[2];

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		text_put(settings, sizeof settings, "%s%s model.vocab_size=128256 vocab_multiple=1", run,
		    kinds[i].kind);
		near(memory_of(settings)->logits, kinds[i].bytes * logits + 2 * 2 * 4096 * 65536.0, 1e-9);
	}
	for (int i = 0; i < 2; i++) {
		text_put(settings, sizeof settings, "%s%d", zero3, i == 0 ? 8 : 16);
		activations[i] = memory_of(settings)->activations;
	}
	near(activations[0], activations[1], 1e-12);
}

/* TRL's loss in chunks of 256 tokens (trl/trainer/sft_trainer.py, _chunked_cross_entropy_loss): a
 * slice's gradient is as long as all tokens, and logits are there four times in fp32. */
TEST(moment_of_chunks)
{
	static const char run[] = HF "global_batch_size=2 sequence_length=1024 recompute=full "
	    "model.vocab_size=1000000 vocab_multiple=1 training.cross_entropy=chunked-nll finetune.method=";
	const double tokens = (2 + 3) * 2 * 4096 * 1024.0, chunk = 16 * 256 * 1e6;
	char settings[512];

	text_put(settings, sizeof settings, "%slora finetune.rank=8 finetune.target=qv", run);
	near(memory_of(settings)->logits, tokens + chunk, 1e-9);
	text_put(settings, sizeof settings, "%slora finetune.modules_to_save=head", run);
	near(memory_of(settings)->logits, tokens + chunk + 2 * 2 * 1e6 * 4096, 1e-9);
}

/* huggingface/trl docs/source/long_context_training.md: one GPU, Qwen3-4B in bf16, 96k tokens: 48.8
 * with inputs of layers on the host, 59.9 without; a band of 0.47 for an input tells that these
 * are GiB. examples/sft_qwen3_8b_1m_context (trl#6846): 56.2 a GPU, GB or GiB. */
TEST(long_rows)
{
	static const char qwen[] = HF "vocab_size=151936 vocab_multiple=1 qk_norm=true attention_heads=32 "
	    "kv_heads=8 head_dim=128 layers=36 max_position=1048576 recompute=full "
	    "finetune.method=full training.cross_entropy=chunked-nll ";
	static const char four[] = "hidden_size=2560 ffn_hidden_size=9728 tied_embeddings=true "
	    "sequence_length=98304 finetune.adapter_dtype=bf16 training.offload_layers=";
	static const char eight[] = "hidden_size=4096 ffn_hidden_size=12288 gpus_per_node=8 cp=8 "
	    "zero_stage=3 sequence_length=1048576 training.offload_layers=36";
	const double gib = 1073741824;
	char settings[768];

	text_put(settings, sizeof settings, "%s%s36", qwen, four);
	near(memory_of(settings)->allocated, 48.8 * gib, 0.06);
	text_put(settings, sizeof settings, "%s%s0", qwen, four);
	near(memory_of(settings)->allocated, 59.9 * gib, 0.03);
	text_put(settings, sizeof settings, "%s%s", qwen, eight);
	near(memory_of(settings)->allocated, (56.2 * gib + 56.2e9) / 2, 0.06);
}

/* Hugging Face's root keeps embedding and head gathered. */
TEST(gathered_by_the_root)
{
	static const char run[] = "layout=torchtitan gpus_per_node=4 global_batch_size=4 model.vocab_size="
	    "128256 vocab_multiple=1 recompute=full finetune.method=lora zero_stage=";
	char settings[512];
	double whole;

	text_put(settings, sizeof settings, "%s2", run);
	whole = memory_of(settings)->buffers;
	text_put(settings, sizeof settings, "%s3", run);
	assert_true(memory_of(settings)->buffers > whole + 2 * 2 * 128256.0 * 4096);
}

/* What the allocator holds beside what is allocated. */
static double
beside(const char *run, const char *setting)
{
	char settings[512];
	const struct memory *m;

	text_put(settings, sizeof settings, "%s%s", run, setting);
	m = memory_of(settings);
	return m->reserved - m->allocated;
}

/* Whole logits do not fit in the blocks of layers whose forward pass keeps nothing; FSDP's stream
 * has 3 layers, of which one counts at the loss and two behind it, and its offload brings their
 * shards and the root's. */
TEST(blocks_that_nothing_fits_in)
{
	static const char one[] = HF LORA "finetune.target=qv sequence_length=32768 max_position=32768 ";
	static const char fsdp[] = "layout=torchtitan gpus_per_node=4 global_batch_size=4 recompute=full "
	    "vocab_multiple=1 finetune.method=lora zero_stage=3 cross_entropy=cce offload=";
	const double f = 14336, h = 4096, layer = 2 * (2 * h * h + 2 * h * h / 4 + 3 * h * f + 2 * h);
	const double root = 2 * 2 * 128256 * h;
	double gathers;

	near(beside(one, "cross_entropy=hf recompute=full"), 2 * 32768 * (3 * f + 4 * h), 1e-9);
	near(beside(one, "cross_entropy=unfused recompute=full"), 2 * 32768 * (3 * f + 4 * h), 1e-9);
	near(beside(one, "cross_entropy=liger recompute=full"), 0, 1);
	near(beside(one, "cross_entropy=hf recompute=none"), 0, 1);
	near(beside(one, "cross_entropy=hf kernels=te recompute=full") / e.stage[0].memory.allocated,
	    0.04, 1e-9);
	gathers = beside(fsdp, "none") - 0.07 * e.stage[0].memory.allocated;
	near(gathers, layer, 1e-9);
	near(beside(fsdp, "optimizer+params") - 0.07 * e.stage[0].memory.allocated,
	    layer + (3 * layer + root) / 4, 1e-9);
}

/* Moments of paged optimizers are outside of PyTorch's allocator, and on the host where need be:
 * 8 bytes in 32 bits whatever the weights have, 2 and their scales in 8. */
TEST(paged_moments)
{
	static const char run[] = HF "finetune.method=full finetune.adapter_dtype=bf16 optimizer=";
	static const struct {
		const char *kind;
		double bytes;
	} kinds[] = { { "paged-adam", 8 }, { "paged-adam8bit", 2 + 2 * 4 / 256.0 } };
	char settings[512];

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		text_put(settings, sizeof settings, "%s%s", run, kinds[i].kind);
		assert_true(memory_of(settings)->optimizer <= 0);
		near(e.stage[0].memory.host, kinds[i].bytes * e.params.total, 1e-9);
		assert_true(e.stage[0].memory.buffers < 2e9); /* no foreach copies */
	}
	text_put(settings, sizeof settings, "%sadam8bit", run);
	near(memory_of(settings)->optimizer, kinds[1].bytes * e.params.total, 1e-9);
	assert_true(e.stage[0].memory.host <= 0);
}

/* MLPerf Training 5.1's LoRA of Llama 2 70B on 8 B200 with CP 1: FP8 or NVFP4, a base in it,
 * dropout before adapters of attention, FP8_DPA=1 and FP8_ACT=1 (Dell's and Nebius's
 * config_DGXB200_1x8x1xtp1pp1cp1*.sh, config_common.sh, train.py). It ran. */
TEST(fp8_attention)
{
	static const char run[] = "layers=80 hidden_size=8192 attention_heads=64 kv_heads=8 "
	    "ffn_hidden_size=28672 vocab_size=32000 max_position=8192 generation=blackwell "
	    "cluster.memory_gib=178.4 nodes=1 tp=1 pp=1 global_batch_size=8 sequence_length=8192 recompute=none "
	    "fp8_param_gather=true fp8_activation_input=true finetune.method=lora "
	    "finetune.target=attention finetune.kernels=te ";
	static const char *const formats[] = { "fp8", "nvfp4" };
	struct plan p;
	const double tokens = 8192, n = 64 * 128, k = 8 * 128, layers = 80;
	char settings[512];
	double all;

	for (size_t i = 0; i < 2; i++) {
		for (int dropout = 0; dropout < 2; dropout++) {
			text_put(settings, sizeof settings, "finetune.dropout=%g training.precision=%s ",
			    dropout * 0.1, formats[i]);
			p = settings_plan(run, settings);
			estimate_run(&e, &p, NULL, NULL);
			all = e.stage[0].memory.activations;
			p.training.fp8_attention = 1;
			estimate_run(&e, &p, NULL, NULL);
			assert_int_equal(diag_count(&e.diags, SEVERITY_ERROR), 0);
			near(all - e.stage[0].memory.activations,
			    layers * tokens * (n + 2 * k + (dropout ? n : -n)), 1e-9);
			assert_true(e.fits);
		}
	}
}

/* What goes to the host and back takes its bytes over 0.84 of the link, twice; what a pass takes
 * hides it, and nothing is told of a faster link. */
TEST(copies_to_the_host)
{
	static const char run[] = "generation=hopper hbm_gbps=3350 bf16_tflops=989 nodes=1 tp=1 pp=1 "
	    "gpus_per_node=1 sequence_length=4096 max_position=4096 micro_batch_size=1 "
	    "global_batch_size=4 cluster.nvlink_gbps=450 training.offload_layers=16 ";
	char settings[512];
	double least, host, bytes;
	struct plan p;

	p = settings_plan(run, "cluster.pcie_gbps=64000");
	estimate_run(&e, &p, NULL, NULL);
	least = e.step.host_seconds;
	bytes = e.stage[0].memory.activations;
	p.training.offload_layers = 0;
	estimate_run(&e, &p, NULL, NULL);
	bytes = (e.stage[0].memory.activations - bytes) * 16 / 15; /* one is on its way */
	text_put(settings, sizeof settings, "cluster.pcie_gbps=%g", 1.0);
	p = settings_plan(run, settings);
	estimate_run(&e, &p, NULL, NULL);
	host = e.step.host_seconds - least;
	near(host + e.step.compute_seconds, 4 * 2 * bytes / 0.84e9, 1e-6);
	p.cluster.host_gbps = 64000;
	estimate_run(&e, &p, NULL, NULL);
	near(e.step.host_seconds, least, 1e-9);
}

/* Copies of all that is trained are held by the step of a loop of one's own, and by the Trainer's
 * of 2024: 4.19 bytes a parameter in fp32 and 2.1 in bf16, measured. Else the largest weight's. */
TEST(steps_by_foreach)
{
	static const char run[] = HF "finetune.method=full sequence_length=512 micro_batch_size=1 "
	    "recompute=full global_batch_size=2 ";
	static const struct {
		const char *settings;
		double bytes; /* a parameter, 0: less than one */
	} rows[] = {
		{ "release=202401 cross_entropy=hf adapter_dtype=fp32", 4.19 },
		{ "release=202401 cross_entropy=hf adapter_dtype=bf16", 2.1 },
		{ "cross_entropy=hf-held adapter_dtype=bf16", 2.1 },
		{ "cross_entropy=hf adapter_dtype=bf16", 0 },
		{ "release=202508 cross_entropy=hf adapter_dtype=fp32", 0 },
		{ "release=202307 cross_entropy=hf adapter_dtype=fp32", 0 },
	};
	char settings[512];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct memory *m;
		double step;

		text_put(settings, sizeof settings, "%s%s", run, rows[i].settings);
		m = memory_of(settings);
		step = (m->buffers + m->activations + m->logits) / e.params.total;
		if (rows[i].bytes > 0)
			assert_true(fabs(step / rows[i].bytes - 1) < 0.06);
		else
			assert_true(step < 1.5);
	}
}

/* DeepSpeed's step has gradients of a sub-group flattened and in fp32, and the Trainer's AdamW of 2024 one copy more; of
 * 1e9 parameters of a rank at once under ZeRO-3, of all else (stage3.py, _prepare_fp32_grad_for_sub_group). What
 * activations leave is too small for them, but that of whole logits. */
TEST(steps_by_groups)
{
	static const char run[] = "layout=deepspeed nodes=1 gpus_per_node=4 tp=1 pp=1 finetune.method=full kernels=liger "
	    "recompute=full micro_batch_size=1 global_batch_size=8 bucket_size=1 sequence_length=";
	static const double workspaces = 2 * 32 * 1048576.0;
	static const struct {
		const char *settings;
		double bytes, most; /* a parameter, of so many of them at most */
	} rows[] = {
		{ "64 zero_stage=3 cross_entropy=liger", 2 + 4, 1e9 },
		{ "64 zero_stage=3 cross_entropy=liger release=202504", 4 + 4 * 1.05, 1e9 },
		{ "64 zero_stage=2 cross_entropy=liger release=202504", 4 + 4 * 1.05, 1e12 },
		{ "64 zero_stage=3 cross_entropy=liger offload=optimizer", 0, 1e12 },
	};
	double blocks[2];
	char settings[512];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct memory *m;
		double n, copied;

		text_put(settings, sizeof settings, "%s%s", run, rows[i].settings);
		m = memory_of(settings);
		n = fmin(e.params.total / 4, rows[i].most);
		copied = m->buffers + m->activations + m->logits - workspaces;
		if (rows[i].bytes > 0)
			near(copied, rows[i].bytes * n, 0.01);
		else
			assert_true(copied < 6e9);
	}
	for (int i = 0; i < 2; i++) {
		const struct memory *m;

		text_put(settings, sizeof settings, "%s8192 zero_stage=3 cross_entropy=%s", run, i == 0 ? "liger" : "hf");
		m = memory_of(settings);
		blocks[i] = m->reserved - 1.07 * m->allocated;
	}
	assert_true(blocks[0] > 1e9);
	near(blocks[1], 2 * 8192.0 * (3 * 14336 + 4 * 4096), 0.01); /* of layers, too small for logits */
}

/* Autocast keeps 16-bit copies of fp32 weights where each GPU holds them whole: on one GPU, and on several that share
 * nothing out (DDP); FSDP casts what it gathers. */
TEST(copies_of_whole_weights)
{
	static const char run[] = HF "finetune.method=full adapter_dtype=fp32 cross_entropy=hf recompute=none ";
	static const struct {
		const char *settings;
		bool copied;
	} rows[] = {
		{ "gpus_per_node=1", true }, { "gpus_per_node=8 global_batch_size=8", true },
		{ "gpus_per_node=1 zero_stage=3", true },
		{ "gpus_per_node=8 global_batch_size=8 zero_stage=1", false },
		{ "gpus_per_node=8 global_batch_size=8 zero_stage=3", false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char settings[512];
		struct plan p;

		text_put(settings, sizeof settings, "%s%s", run, rows[i].settings);
		p = plan_of(settings);
		if (modules_wide(&p) != rows[i].copied)
			fail_msg("%s", rows[i].settings);
	}
}

/* What offload takes from a GPU is on its host, with fp32 gradients for an optimizer that runs
 * there: 16 or 18 bytes a parameter over the ranks; inputs of layers where Unsloth leaves them. */
TEST(on_the_host)
{
	static const struct {
		const char *settings;
		double bytes; /* a parameter over the ranks */
	} rows[] = {
		{ "layout=deepspeed zero_stage=1 offload=optimizer", 12 + 4 },
		{ "layout=deepspeed zero_stage=2 offload=optimizer", 12 + 2 + 4 },
		{ "layout=deepspeed zero_stage=3 offload=optimizer+params", 2 + 12 + 2 + 4 },
		{ "layout=torchtitan zero_stage=3 offload=optimizer+params", 16 },
		{ "layout=megatron offload=optimizer precision_aware_optimizer=true", 12 + 4 },
		{ "layout=torchtitan zero_stage=3", 0 },
	};
	char settings[512];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		text_put(settings, sizeof settings, "gpus_per_node=8 global_batch_size=8 %s",
		    rows[i].settings);
		near(memory_of(settings)->host, rows[i].bytes * e.params.total / 8, 1e-9);
	}
	near(memory_of(HF LORA "finetune.target=qv finetune.kernels=unsloth recompute=full "
	    "sequence_length=8192")->host, 32 * 2 * 4096.0 * 8192, 1e-9);
	text_put(settings, sizeof settings, "gpus_per_node=8 global_batch_size=8 %s "
	    "cluster.host_memory_gib=", rows[2].settings);
	text_add(settings, sizeof settings, "%.0f", 20 * e.params.total / GIB);
	memory_of(settings);
	assert_false(diag_has(&e.diags, "host_does_not_fit"));
	text_add(settings, sizeof settings, " cluster.host_memory_gib=%.0f",
	    0.9 * 20 * e.params.total / GIB);
	memory_of(settings);
	assert_true(diag_has(&e.diags, "host_does_not_fit"));
}

/* Layers without adapters keep nothing for adapters. */
TEST(head_alone_has_adapters)
{
	const double inputs = (32 + 32) * 2 * 4096.0 * 8192;
	double blocks;

	blocks = memory_of(HF LORA "finetune.target=qv finetune.kernels=unsloth recompute=none "
	    "sequence_length=8192")->activations;
	assert_true(memory_of(HF LORA "finetune.target=head finetune.kernels=unsloth recompute=none "
	    "sequence_length=8192")->activations < blocks - 0.99 * inputs);
	assert_true(e.legal);
}

/* ---- measured runs ---------------------------------------------------------------- */

static struct finetune_row rows[FINETUNE_ROWS_MAX];

/* Errors of complete rows may only get smaller: median and 90th percentile, percent. */
TEST(measured)
{
	static const struct {
		const char *group;
		size_t rows;
		double median, p90;
	} bounds[] = {
		{ "peft-metamathqa", 3, 1, 1 },
		{ "qwen1-readme", 36, 2.5, 6.5 }, { "answerai-fsdp-qlora", 17, 5.5, 10 },
		{ "llamafactory-long", 14, 3.5, 11 }, { "", 90, 3.9, 14 },
	};
	const size_t count = accuracy_finetune_memory(getenv("TOP"), rows, FINETUNE_ROWS_MAX);
	size_t n;

	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		const double median = accuracy_finetune_error(rows, count, bounds[i].group, 0.5, &n);
		const double p90 = accuracy_finetune_error(rows, count, bounds[i].group, 0.9, &n);

		if (n < bounds[i].rows || median * 100 > bounds[i].median || p90 * 100 > bounds[i].p90)
			fail_msg("%s: %zu rows, %.2f and %.2f %%", bounds[i].group, n, median * 100,
			    p90 * 100);
	}
	for (size_t i = 0; i < count; i++)
		if (rows[i].counted > 0)
			near(rows[i].trained, rows[i].counted, 0);
}

TEST(steps)
{
	const size_t count = accuracy_finetune_steps(getenv("TOP"), rows, FINETUNE_ROWS_MAX);
	size_t n;
	const double median = accuracy_finetune_error(rows, count, "", 0.5, &n);
	const double p90 = accuracy_finetune_error(rows, count, "", 0.9, &n);

	assert_true(n >= 30);
	if (median > 0.049 || p90 > 0.103)
		fail_msg("%zu rows, %.2f and %.2f %%", n, median * 100, p90 * 100);
	for (size_t i = 0; i < count; i++)
		if (rows[i].estimated > 0)
			near(rows[i].trained, rows[i].counted, 0);
}

/* Layers that predict further tokens are in checkpoints, not in Hugging Face's modules nor in nanotron's. */
TEST(heads_that_nobody_runs)
{
	static const char *const layouts[] = { "layout=deepspeed zero_stage=3", "layout=torchtitan zero_stage=3",
		"layout=nanotron" };

	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		static const char plan[] = MOE "gpus_per_node=8 global_batch_size=8 finetune.method=full "
			"training.cross_entropy=unfused mtp_layers=%d %s";
		char text[1024];
		double total, seconds;

		snprintf(text, sizeof text, plan, 0, layouts[i]);
		total = memory_of(text)->total;
		seconds = e.step.seconds;
		snprintf(text, sizeof text, plan, 1, layouts[i]);
		near(memory_of(text)->total, total, 1e-12);
		near(e.step.seconds, seconds, 1e-12);
	}
}

/* The longest context that Unsloth trained Llama-3.1 8B at in so much memory, with CCE and its inputs on the host
 * (unsloth.ai/blog/llama3-3, 2024-12); since 2025-03 adapters add to a product in place: one tensor of the MLP's width less. */
TEST(longest_contexts)
{
	static const struct {
		double gib;
		int64_t tokens;
	} blog[] = { { 24, 78475 }, { 40, 153977 }, { 48, 191728 }, { 80, 342733 } };
	char text[1024];

	for (size_t i = 0; i < sizeof blog / sizeof *blog; i++) {
		static const char plan[] = HF "layers=32 hidden_size=4096 attention_heads=32 kv_heads=8 ffn_hidden_size=14336 "
			"model.vocab_size=128256 vocab_multiple=1 recompute=full finetune.method=qlora finetune.rank=32 "
			"finetune.kernels=unsloth training.optimizer=adam8bit training.cross_entropy=cce memory_gib=80 "
			"sequence_length=%lld release=%d ";
		double then;

		snprintf(text, sizeof text, plan, (long long)blog[i].tokens, 202412);
		then = memory_of(text)->total;
		near(then / GIB, blog[i].gib, 0.04);
		snprintf(text, sizeof text, plan, (long long)blog[i].tokens, 202503);
		near(then - memory_of(text)->total, 2.0 * 14336 * (double)blog[i].tokens, 1e-9);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
