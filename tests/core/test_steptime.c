/* Step time: FLOP conventions against published tables, bubbles, shares and directions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate/calibration.h"
#include "core/model/flops.h"
#include "core/plan/field.h"
#include "core/rules/check.h"
#include "core/train/bubble.h"
#include "core/train/compute.h"
#include "core/train/steptime.h"
#include "core/train/timeline.h"
#include "settings.h"

static struct placement placement;

static struct plan
plan_of(const char *settings)
{
	return settings_plan(
	    "nodes=8 generation=hopper fabric=nvlink4 bf16_tflops=989 fp8_tflops=1979 "
	    "hbm_gbps=3350 nvlink_gbps=450",
	    settings);
}

static struct steptime
time_of(const char *settings)
{
	const struct plan p = plan_of(settings);
	struct diag_list diags = { 0 };
	struct layout l;
	struct traffic t;

	if (!layout_init(&l, &p, &diags) || !placement_init(&placement, &p, &diags))
		fail_msg("%s", diags.item[0].message);
	return steptime_estimate(&p, &l, &placement, check_microbatches(&p, l.dp), &t, NULL);
}

static void
near(double a, double b, double error)
{
	if (!(fabs(a - b) <= error * fmax(fabs(a), fabs(b))))
		fail_msg("%.9g is not %.9g", a, b);
}

#define GPT3 "layers=96 hidden_size=12288 ffn_hidden_size=49152 attention_heads=96 " \
	"kv_heads=96 head_dim=128 vocab_size=51200 gated_mlp=false sequence_length=2048"
#define LLAMA_70B "layers=80 hidden_size=8192 ffn_hidden_size=28672 attention_heads=64 " \
	"kv_heads=8 head_dim=128 vocab_size=128256 sequence_length=8192"
#define DEEPSEEK "layers=61 hidden_size=7168 ffn_hidden_size=18432 attention_heads=128 " \
	"kv_heads=128 attention=mla q_lora_rank=1536 kv_lora_rank=512 qk_nope_head_dim=128 " \
	"qk_rope_head_dim=64 v_head_dim=128 experts=256 experts_per_token=8 " \
	"moe_ffn_hidden_size=2048 shared_expert_ffn_hidden_size=2048 dense_layers=3 " \
	"vocab_size=129280 sequence_length=4096 etp=1"
#define QWEN "layers=94 hidden_size=4096 ffn_hidden_size=12288 attention_heads=64 " \
	"kv_heads=4 head_dim=128 experts=128 experts_per_token=8 moe_ffn_hidden_size=1536 " \
	"vocab_size=151936 sequence_length=4096 etp=1"

/* TFLOP/s by tokens/s of published tables: NeMo 24.07 counts the whole attention matrix,
 * Megatron-Bridge the causal half; DeepSeek-V3 with its MTP layer 260.0 GFLOP a token. */
TEST(conventions)
{
	static const struct {
		const char *model;
		bool full;
		double flops, error;
	} rows[] = {
		{ GPT3, true, 888e12 / 825, .002 },
		{ "sequence_length=8192", true, 711e12 / 12273, .002 },
		{ LLAMA_70B, true, 734e12 / 1524, .002 },
		{ LLAMA_70B, false, 728e12 / 1621, .002 },
		{ QWEN, false, 233e12 / 1575, .005 },
		{ DEEPSEEK " mtp_layers=1", false, 260.0e9, .002 },
		{ DEEPSEEK, false, 249.7e9, .002 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct plan p = plan_of(rows[i].model);

		near(flops_sum(flops_of_token(&p, rows[i].full)), rows[i].flops,
		    rows[i].error);
	}
}

/* Qwen3-Next: three of four layers are gated delta networks, of h*(2k + 3v + 2*heads) weights,
 * whose core, 8 FLOP for each number of the state, goes with the sequence, not with its square. */
TEST(linear_layers)
{
	struct plan p = plan_of("layers=4 hidden_size=2048 attention_heads=16 kv_heads=2 "
	    "head_dim=256 linear_attention=true linear_key_heads=16 linear_value_heads=32 "
	    "linear_key_head_dim=128 linear_value_head_dim=128 global_layer_every=4 "
	    "sequence_length=4096");
	const struct flops f = flops_of_token(&p, false);
	const struct machine g = machine_of(&p);
	double core[2];

	near(f.projections, 6 * (3 * 33685504.0 + 18874368), 1e-12);
	near(f.core, 6 * 16 * 2048.0 * 512 + 3 * 3 * 8.0 * 32 * 128 * 128, 1e-12);
	core[0] = compute_layer(&p, &g, LAYER_LOCAL, NULL).core - g.launch;
	core[1] = compute_layer(&p, &g, 0, NULL).core - g.launch;
	settings_put(&p, "sequence_length", "8192");
	near(compute_layer(&p, &g, LAYER_LOCAL, NULL).core - g.launch, 2 * core[0], 1e-9);
	/* with the square, but for what a longer sequence fills the GPU better */
	assert_true(compute_layer(&p, &g, 0, NULL).core - g.launch < 4 * core[1]);
	assert_true(compute_layer(&p, &g, 0, NULL).core - g.launch > 3 * core[1]);
}

/* Layers with a window may have KV heads of their own number. */
TEST(local_heads)
{
	struct plan p = plan_of("layers=6 hidden_size=4096 attention_heads=32 kv_heads=8 "
	    "head_dim=128 sliding_window=1024 global_layer_every=3");
	const double before = flops_of_token(&p, false).projections;
	const struct machine g = machine_of(&p);
	const double layer = compute_layer(&p, &g, LAYER_LOCAL, NULL).forward;

	settings_put(&p, "local_kv_heads", "4");
	near(before - flops_of_token(&p, false).projections, 6 * 4 * 4096.0 * 4 * 256, 1e-9);
	assert_true(compute_layer(&p, &g, LAYER_LOCAL, NULL).forward < layer);
}

/* Korthikanti et al. 2022, Table 5: MFU of 22B to 1T from the iteration time. */
TEST(korthikanti)
{
	static const struct {
		const char *model;
		double batch, seconds, gpus, mfu;
	} rows[] = {
		{ "layers=48 hidden_size=6144 attention_heads=64 head_dim=96 ffn_hidden_size=24576",
		    4, 1.10, 8, .415 },
	};

	for (size_t i = 0; i < 1; i++) {
		struct plan p = plan_of(rows[i].model);

		settings_put(&p, "kv_heads", "64");
		settings_put(&p, "vocab_size", "51200");
		settings_put(&p, "gated_mlp", "false");
		settings_put(&p, "sequence_length", "2048");
		near(flops_sum(flops_of_token(&p, true)) * 2048 * rows[i].batch /
		    (rows[i].seconds * rows[i].gpus * 312e12), rows[i].mfu, .01);
	}
}

/* Tables of Narayanan 2021, the zero-bubble README and the DualPipe README. */
TEST(bubbles)
{
	/* four equal ranks, forward 1, backward 2 of which weight gradients 1 */
	struct pipeline_times t = { 4, 1, 3, 12, 1, 1, 16 };

	near(bubble_seconds(SCHEDULE_1F1B, &t), 3 * 3.0, 1e-12);
	near(bubble_seconds(SCHEDULE_GPIPE, &t), 3 * 3.0, 1e-12);
	near(bubble_seconds(SCHEDULE_ZB_1P, &t), 3 * 1.0, 1e-12);
	near(bubble_seconds(SCHEDULE_ZB_2P, &t), 0, 1e-12);
	near(bubble_seconds(SCHEDULE_V_HALF, &t), 2.5, 1e-12);
	near(bubble_seconds(SCHEDULE_V_MIN, &t), 5.5, 1e-12);
	near(bubble_seconds(SCHEDULE_DUALPIPE, &t), 2, 1e-12);
	t.chunks = 3;
	near(bubble_seconds(SCHEDULE_1F1B, &t), 3, 1e-12);
	near(bubble_seconds(SCHEDULE_ZB_1P, &t), 1, 1e-12);
	t.sum = 10; /* other ranks are quicker: they fill the pipeline sooner */
	near(bubble_seconds(SCHEDULE_1F1B, &t), 7 / 3.0, 1e-12);
	t.stages = 1;
	assert_true(bubble_seconds(SCHEDULE_1F1B, &t) <= 0);
}

TEST(directions)
{
	const struct steptime base = time_of("tp=2 pp=4");
	const struct steptime again = time_of("tp=2 pp=4 recompute=full");

	assert_true(base.seconds > 0 && base.mfu > 0.2 && base.mfu < 0.7);
	near(base.mfu, base.hfu, 1e-12);
	assert_true(base.mfu_full > base.mfu);
	near(base.tokens_per_second, 64 * 4096 / base.seconds, 1e-12);
	near(base.tokens_per_second_per_gpu * 64, base.tokens_per_second, 1e-12);
	assert_true(time_of("tp=2 pp=4 vpp=4").bubble_fraction < base.bubble_fraction);
	assert_true(time_of("tp=2 pp=4 schedule=zb-1p").seconds < base.seconds);
	assert_true(time_of("tp=2 pp=4 global_batch_size=512").bubble_fraction <
	    base.bubble_fraction);
	assert_true(again.recompute_seconds > 0.25 * base.compute_seconds);
	assert_true(again.hfu > again.mfu);
	assert_true(time_of("tp=2 pp=4 tp_overlap=true").exposed_comm_seconds <
	    base.exposed_comm_seconds);
	assert_true(time_of("overlap_grad_reduce=false").exposed_comm_seconds >
	    time_of("tp=1").exposed_comm_seconds);
	assert_true(time_of("tp=2 pp=4 precision=fp8").seconds < base.seconds);
	assert_true(time_of("tp=16 pp=4").exposed_comm_seconds >
	    4 * time_of("tp=8 pp=4").exposed_comm_seconds / 2);
	assert_true(base.error > 0);
}

/* Half the compute rate: compute takes twice as long, to what launches take. */
TEST(calibrated)
{
	const struct steptime a = time_of("tp=2 pp=4");
	const struct steptime b = time_of("tp=2 pp=4 compute_efficiency=0.5");

	near(b.compute_seconds, 2 * a.compute_seconds, .02);
	assert_true(b.seconds > a.seconds);
}

/* A power limit slows matrix products by the cube root of the power above an eighth of the
 * design power; memory keeps its rate. It means nothing above or without a design power. */
TEST(limited)
{
	const struct plan p = plan_of("tdp_watts=700");
	const struct plan q = plan_of("tdp_watts=700 gpu_power_watts=500");
	const struct plan r = plan_of("tdp_watts=700 gpu_power_watts=800");
	const struct plan s = plan_of("gpu_power_watts=500");
	const struct machine a = machine_of(&p), b = machine_of(&q);
	const double clock = cbrt((500 / 700.0 - 0.125) / 0.875);

	near(clock, 0.876, .001);
	near(b.linear.reached / a.linear.reached, clock, 1e-12);
	near(b.plain.reached / a.plain.reached, clock, 1e-12);
	near(b.scale / a.scale, clock, 1e-12);
	near(b.hbm.reached, a.hbm.reached, 1e-12);
	near(b.vector.reached, a.vector.reached, 1e-12);
	near(b.peak, a.peak, 1e-12);
	near(machine_of(&r).linear.reached, a.linear.reached, 1e-12);
	near(machine_of(&s).linear.reached, a.linear.reached, 1e-12);
}

/* Casting to FP8 goes with the width of a layer, its products with the square. */
TEST(cast)
{
	const double small = time_of("tp=1 layers=8 hidden_size=2048 ffn_hidden_size=8192 "
	    "attention_heads=16 precision=fp8").compute_seconds /
	    time_of("tp=1 layers=8 hidden_size=2048 ffn_hidden_size=8192 "
	    "attention_heads=16").compute_seconds;
	const double large = time_of("tp=1 layers=8 hidden_size=8192 ffn_hidden_size=32768 "
	    "attention_heads=64 precision=fp8").compute_seconds /
	    time_of("tp=1 layers=8 hidden_size=8192 ffn_hidden_size=32768 "
	    "attention_heads=64").compute_seconds;

	assert_true(large < 0.8);
	assert_true(small > large + 0.04);
}

static double
seconds_of(const struct plan *p, void *context)
{
	struct diag_list diags = { 0 };
	struct layout l;
	struct traffic t;

	(*(int *)context)++;
	if (!layout_init(&l, p, &diags) || !placement_init(&placement, p, &diags))
		return 0;
	return steptime_estimate(p, &l, &placement, check_microbatches(p, l.dp), &t, NULL).seconds;
}

/* The efficiency that a measured step stands for is found again, where there is one. */
TEST(efficiency)
{
	const struct plan p = plan_of("tp=2 pp=4");
	int calls = 0;

	near(calibration_efficiency(&p, 0.01, 10,
	    time_of("tp=2 pp=4 compute_efficiency=0.8").seconds, seconds_of, &calls), 0.8, 1e-3);
	assert_in_range(calls, 30, 70);
	assert_true(isnan(calibration_efficiency(&p, 0.01, 10, 1e9, seconds_of, &calls)));
	assert_true(isnan(calibration_efficiency(&p, 0.5, 2,
	    time_of("tp=2 pp=4 compute_efficiency=0.3").seconds, seconds_of, &calls)));
}

/* A full recompute runs the layers forward once more: 4/3 of their FLOP; by the method block
 * the first ones of each chunk, here three dense ones and one with experts. */
TEST(recomputed)
{
	static const char *const all[] = { "tp=2 pp=4 recompute=full",
		"pp=1 tp=8 ep=8 recompute=full " DEEPSEEK };
	const char *block = "pp=1 tp=8 ep=8 recompute=full recompute_method=block "
	    "recompute_layers=4 " DEEPSEEK;
	const struct plan p = plan_of(block);
	const struct steptime t = time_of(block);
	const struct flops f = flops_of_token(&p, false);

	for (size_t i = 0; i < 2; i++) {
		const struct plan q = plan_of(all[i]);
		const struct steptime s = time_of(all[i]);
		const struct flops g = flops_of_token(&q, false);

		near(s.hfu / s.mfu, 1 + (flops_sum(g) - g.head) / 3 / flops_sum(g), 1e-9);
	}
	near(t.hfu / t.mfu, 1 + (3 * flops_forward_of_layer(&p, 0) +
	    flops_forward_of_layer(&p, LAYER_MOE)) / flops_sum(f), 1e-9);
	assert_true(t.recompute_seconds < 0.1 * time_of(all[1]).recompute_seconds);
}

/* Shares of a layer's forward FLOP that selective recompute runs again: only what the module
 * named does, each once. */
TEST(recomputed_modules)
{
	static const char model[] = "pp=1 tp=8 ep=8 " DEEPSEEK " recompute=selective ";
	static const char *const modules[] = { "core_attn", "mla_up_proj", "mlp", "moe",
		"shared_experts", "moe,shared_experts" };
	const struct plan p = plan_of("pp=1 tp=8 ep=8 " DEEPSEEK);
	const struct flops f = flops_of_token(&p, false);
	const double again[] = { f.core, f.up, f.mlp, f.experts + f.shared, f.shared,
		f.experts + f.shared };
	double whole = 0;

	assert_true(f.up > 0 && f.up < f.projections);
	near(f.mlp, 3 * 6 * 3 * 7168.0 * 18432, 1e-12);
	near(f.shared, 58 * 6 * 3 * 7168.0 * 2048, 1e-12);
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		char settings[768];
		struct steptime t;

		snprintf(settings, sizeof settings, "%srecompute_modules=%s", model, modules[i]);
		t = time_of(settings);
		near(t.hfu / t.mfu, 1 + again[i] / 3 / flops_sum(f), 1e-9);
		assert_true(t.recompute_seconds > 0);
		if (i == 3)
			whole = t.recompute_seconds;
	}
	near(time_of("pp=1 tp=8 ep=8 " DEEPSEEK
	    " recompute=selective recompute_modules=moe,moe_act").recompute_seconds, whole, 1e-12);
}

/* By operation each second product is run again (keys, output, up), what attention gives is not, and of TP's
 * collectives the gathers are; a compiler leaves out the output projection before a scatter that is kept. */
TEST(recomputed_operations)
{
	static const char selective[] = "nodes=1 layout=torchtitan tp=1 recompute=selective " LLAMA_70B;
	static const char split[] = "nodes=1 layout=torchtitan tp=8 sequence_parallel=true recompute=selective " LLAMA_70B;
	static const char compiled[] = "nodes=1 layout=torchtitan tp=8 sequence_parallel=true recompute=selective "
	    "torch_compile=true " LLAMA_70B;
	const double keys = 8192.0 * 1024, output = 8192.0 * 8192, up = 8192.0 * 28672;
	const struct plan p = plan_of(selective);
	const struct flops f = flops_of_token(&p, false);
	const struct steptime one = time_of(selective);

	near(one.hfu / one.mfu, 1 + 80 * 2 * (keys + output + up) / flops_sum(f), 1e-9);
	near(time_of(split).hfu / time_of(split).mfu, one.hfu / one.mfu, 1e-9);
	near(time_of(compiled).hfu / time_of(compiled).mfu, 1 + 80 * 2 * (keys + up) / flops_sum(f), 1e-9);
	assert_true(one.recompute_seconds > 0.08 * one.compute_seconds);
	assert_true(one.recompute_seconds < 0.2 * one.compute_seconds);
	/* twice the tokens of one sequence: attention, which takes four times as long, is not among it */
	near(time_of("nodes=1 layout=torchtitan tp=1 recompute=selective " LLAMA_70B " sequence_length=16384")
	    .recompute_seconds / one.recompute_seconds, 2, 0.02);
}

/* Muon's products: 30*m FLOP a weight, divided over ranks with the optimizer. */
TEST(muon)
{
	const char *one = "pp=1 tp=8 zero_stage=0 optimizer=muon";
	const double added = time_of(one).optimizer_seconds -
	    time_of("pp=1 tp=8 zero_stage=0").optimizer_seconds;
	const double split = time_of("pp=1 tp=8 zero_stage=1 optimizer=muon").optimizer_seconds -
	    time_of("pp=1 tp=8 zero_stage=1").optimizer_seconds;

	/* Llama 3 8B: 6.98e9 weights of matrices over TP 8, m = 14336/8, 0.72 of 989 TFLOP/s */
	near(added, 30 * 6.98e9 / 8 * 1792 / (0.72 * 989e12), 0.01);
	near(added, 8 * split, 1e-9);
}

/* A first stage with fewer layers makes room for the embedding, a long last one costs. */
TEST(unequal)
{
	const struct steptime even = time_of("pp=4 layers=32");
	const struct steptime last = time_of("pp=4 layers=32 last_stage_layers=5");
	const struct steptime long_ = time_of("pp=4 layers=32 last_stage_layers=14");

	assert_true(last.seconds < even.seconds);
	assert_true(long_.seconds > even.seconds);
}

/* Seconds that the slowest rank waits when every operation of the plan runs in its order. */
static double
waited(const struct plan *p, const struct layout *l, double *total)
{
	struct chunk_time time[32];
	struct timeline t;
	const char *why;
	const int64_t m = check_microbatches(p, l->dp);
	double busy = 0;

	if (!timeline_init(&t, p, &placement, m, &why))
		fail_msg("%s", why);
	assert_true(steptime_chunks(p, l, &placement, time));
	t.op = calloc(timeline_ops(&t, m), sizeof *t.op);
	t.order = calloc(timeline_entries(&t, m), sizeof *t.order);
	t.rank = calloc((size_t)t.stages, sizeof *t.rank);
	timeline_run(&t, m, time);
	for (int64_t r = 0; r < t.stages; r++)
		busy = fmax(busy, t.rank[r].busy);
	*total = t.seconds;
	free(t.op);
	free(t.order);
	free(t.rank);
	return t.seconds - busy;
}

/* Nearly equal stages: the estimate's bubble is that of the picture, within a thousandth of
 * the step for the exact forms and a hundredth for v-half and v-min. */
TEST(drawn)
{
	static const char *const schedules[] = { "gpipe", "1f1b", "zb-1p", "zb-2p", "zb-v",
		"v-half", "v-min", "dualpipe", "dualpipev" };
	static const char *const recompute[] = { "none", "full" };

	for (int i = 0; i < 18; i++) {
		struct plan p = plan_of(LLAMA_70B " vocab_size=128 tp=1 pp=8 global_batch_size=256");
		const bool near_only = strncmp(schedules[i / 2], "v-", 2) == 0;
		struct diag_list diags = { 0 };
		struct steptime step;
		struct traffic traffic;
		struct layout l;
		double seconds, total, bubble;

		if (near_only && i % 2 == 1)
			continue; /* recompute makes I more than 1.6 F */
		settings_put(&p, "schedule", schedules[i / 2]);
		settings_put(&p, "recompute", recompute[i % 2]);
		if (!layout_init(&l, &p, &diags) || !placement_init(&placement, &p, &diags))
			fail_msg("%s", diags.item[0].message);
		step = steptime_estimate(&p, &l, &placement, check_microbatches(&p, l.dp), &traffic,
		    NULL);
		seconds = waited(&p, &l, &total);
		bubble = step.bubble_fraction * step.seconds;
		if (!(fabs(bubble - seconds) <= (near_only ? .01 : .001) * total))
			fail_msg("%s, recompute %s: bubble %g s, drawn %g of %g s", schedules[i / 2],
			    recompute[i % 2], bubble, seconds, total);
	}
}

static struct chunk_time
chunk_of(const char *settings)
{
	const struct plan p = plan_of(settings);
	struct diag_list diags = { 0 };
	struct chunk_time time[1];
	struct layout l;

	if (!layout_init(&l, &p, &diags) || !placement_init(&placement, &p, &diags))
		fail_msg("%s", diags.item[0].message);
	assert_true(steptime_chunks(&p, &l, &placement, time));
	return time[0];
}

/* A micro-batch's passes, with the traffic and the launches that nothing hides, are what a further one adds to
 * the step. */
TEST(passes)
{
#define RANKS "nodes=1 gpus_per_node=8 tp=8 pp=1 recompute=none "
	static const char *const models[] = { LLAMA_70B,
		"layers=16 hidden_size=1024 ffn_hidden_size=4096 attention_heads=8 kv_heads=8 sequence_length=512" };

	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		char few[512], many[512];
		struct chunk_time t;

		text_put(few, sizeof few, RANKS "global_batch_size=4 %s", models[i]);
		text_put(many, sizeof many, RANKS "global_batch_size=5 %s", models[i]);
		t = chunk_of(few);
		near(time_of(many).seconds - time_of(few).seconds, t.forward + t.backward, 1e-9);
	}
}

/* nanotron's ZeRO-1 copies slices of weights for each of its ranks: of one there is nothing to cut. */
TEST(slices)
{
#define NANOTRON "layout=nanotron gpus_per_node=8 tp=8 pp=1 layers=32 hidden_size=4096 ffn_hidden_size=14336 "
	const double at_one = time_of(NANOTRON "nodes=1 zero_stage=1 global_batch_size=8").seconds;

	near(at_one, time_of(NANOTRON "nodes=1 zero_stage=0 global_batch_size=8").seconds, 1e-9);
	assert_true(time_of(NANOTRON "nodes=8 zero_stage=1 global_batch_size=64").seconds > at_one + 32 * 6 * 8 * 15e-6);
}

/* Half of the layers take keys and values of earlier ones, and have MLPs twice as wide: products
 * are those of half the layers with either width, and without keys and values. */
TEST(borrowing_layers)
{
#define BORROWS "layers=32 hidden_size=4096 attention_heads=32 kv_heads=32 head_dim=128 " \
	"sequence_length=4096 "
	const double narrow = time_of(BORROWS "borrowing_layers=16 ffn_hidden_size=8192").compute_seconds;
	const double wide = time_of(BORROWS "borrowing_layers=16 ffn_hidden_size=16384").compute_seconds;
	const double whole = time_of(BORROWS "ffn_hidden_size=8192").compute_seconds;
	const double twice = time_of(BORROWS "borrowing_layers=16 borrowing_mlp_twice=true "
	    "ffn_hidden_size=8192").compute_seconds;

	near(twice, (narrow + wide) / 2, .002);
	/* a third of a QKV product in half of the layers, of 4*h*h + 3*h*f = 10*h*h weights */
	assert_true(narrow > 0.85 * whole && narrow < 0.95 * whole);
}

/* Drives: 32 bytes for each parameter of a rank, over a GPU's share of its node's rate; half the rate
 * takes twice as long, and without one no time is told. */
TEST(drives)
{
	static const char run[] = LLAMA_70B " layout=deepspeed tp=1 zero_stage=3 offload=optimizer ";
	char settings[1024];
	double at[3];

	for (size_t i = 0; i < 3; i++) {
		snprintf(settings, sizeof settings, "%soffload_to=nvme nvme_gbps=%d", run, (int)i * 20);
		at[i] = time_of(settings).seconds;
	}
	snprintf(settings, sizeof settings, "%soffload_to=host", run);
	near(at[0], time_of(settings).seconds, 1e-12);
	near((at[1] - at[0]) / (at[2] - at[0]), 2, 1e-9);
	near(at[2] - at[0], 32 * 70.55e9 / 64 / (40e9 / 8), 1e-3);
}

/* Without fusion values are added one by one, 32 bytes of an H200's memory each, forward and back: a rank of EP 8 has as
 * many rows as tokens x experts per token. HybridEP permutes itself, torchtitan has no such kernels. */
TEST(unfused_permutation)
{
	static const char run[] = "layers=4 hidden_size=2048 ffn_hidden_size=6144 attention_heads=32 kv_heads=4 head_dim=128 "
	    "vocab_size=32000 experts=128 experts_per_token=8 moe_ffn_hidden_size=768 sequence_length=4096 nodes=1 "
	    "gpus_per_node=8 ep=8 etp=1 global_batch_size=8 micro_batch_size=1 hbm_gbps=4800 host_scale=10 ";
	static const struct {
		const char *more;
		bool slower;
	} rows[] = {
		{ "moe_dispatcher=alltoall", true }, { "moe_dispatcher=deepep", true }, { "moe_dispatcher=hybridep", false },
		{ "layout=torchtitan zero_stage=3", false },
	};
	const double values = 4096.0 * 8 * 2048 * 4, seconds = values * 2 / 1.2e11;
	char settings[1024];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct steptime with, without;

		snprintf(settings, sizeof settings, "%s%s", run, rows[i].more);
		with = time_of(settings);
		strcat(settings, " permute_fusion=false");
		without = time_of(settings);
		if (rows[i].slower)
			near(without.seconds - with.seconds, seconds, 0.1);
		else
			near(without.seconds, with.seconds, 1e-12);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
