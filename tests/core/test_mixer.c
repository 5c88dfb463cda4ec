/*
 * test_mixer.c - layers by pattern: letters, stages, what Mamba-2 and the kinds of linear
 * attention hold, keep and work, against numbers worked out by hand from the published shapes.
 */
#include "kept.h"
#include "settings.h"

#include <math.h>

#include "core/framework/stage.h"
#include "core/model/activation.h"
#include "core/model/flops.h"
#include "core/model/kv.h"
#include "core/plan/pattern.h"
#include "core/train/compute.h"

#define RATES "hbm_gbps=3350 bf16_tflops=989 generation=hopper "
#define NANO "layer_pattern=MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME hidden_size=2688 " \
	"ffn_hidden_size=1856 attention_heads=32 kv_heads=2 head_dim=128 vocab_size=131072 " \
	"gated_mlp=false position=none mamba_heads=64 mamba_head_dim=64 mamba_state=128 " \
	"mamba_groups=8 experts=128 experts_per_token=6 moe_ffn_hidden_size=1856 " \
	"shared_expert_ffn_hidden_size=3712 router_bias=true "
#define KIMI "layer_pattern=G-GEGE+EGEGEGE+EGEGEGE+EGEGEGE+EGEGEGE+EGEGEGE+EGEGE+E hidden_size=2304 " \
	"ffn_hidden_size=9216 attention_heads=32 kv_heads=32 head_dim=72 attention=mla " \
	"kv_lora_rank=512 qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128 vocab_size=163840 " \
	"linear_attention=true linear_kind=kda linear_key_heads=32 linear_value_heads=32 " \
	"linear_key_head_dim=128 linear_value_head_dim=128 linear_conv_kernel=4 experts=256 " \
	"experts_per_token=8 moe_ffn_hidden_size=1024 shared_expert_ffn_hidden_size=1024 "
#define LIGHTNING "layers=80 hidden_size=6144 ffn_hidden_size=9216 attention_heads=64 kv_heads=8 " \
	"head_dim=128 vocab_size=200064 global_layer_every=8 linear_attention=true " \
	"linear_kind=lightning linear_key_heads=64 linear_value_heads=64 linear_key_head_dim=128 " \
	"linear_value_head_dim=128 experts=32 experts_per_token=2 moe_ffn_hidden_size=9216 "

static struct plan
plan_of(const char *settings)
{
	return settings_plan("", settings);
}

static void
near(double is, double should)
{
	if (!(fabs(is - should) <= 1e-9 * fabs(should)))
		fail_msg("%.17g is not %.17g", is, should);
}

TEST(letters)
{
	struct plan p = plan_of("layer_pattern=ME|M*E/*E/*E");
	struct layer_kinds k;

	assert_int_equal(p.model.layers, 5);
	assert_int_equal(p.model.mtp_layers, 2);
	k = params_kinds(&p.model, 1, 3);
	assert_true(k.moe == 1 && k.mamba == 1 && k.global == 1 && k.all == 3 && k.local == 0);
	k = params_mtp_kinds(&p.model);
	assert_true(k.all == 2 && k.global == 1 && k.moe == 1);
	assert_int_equal(params_kind(&p.model, 0), LAYER_NO_MLP | LAYER_MAMBA);
	assert_int_equal(params_kind(&p.model, 1), LAYER_NO_MIXER | LAYER_MOE);
	assert_int_equal(params_kind(&p.model, 3), LAYER_NO_MLP);
	assert_int_equal(pattern_stages("ME|M*E/*E"), 2);
	assert_int_equal(pattern_stage("ME|M*E/*E", 1), 3);
	assert_int_equal(pattern_fault("ME*-GDSCHW+|/"), '\0');
	assert_int_equal(pattern_fault("MxE"), 'x');
	/* without a pattern an MTP layer is like the last one */
	p = plan_of("experts=8 dense_layers=31 mtp_layers=1");
	assert_true(params_mtp_kinds(&p.model).moe == 1 && params_mtp_kinds(&p.model).global == 1);
}

/* Experts beside the block behind them share its norm. */
TEST(shortcut)
{
	struct plan p = plan_of("layer_pattern=*S-*- hidden_size=512 experts=8 experts_per_token=3 "
	    "zero_experts=4 moe_ffn_hidden_size=128 router_bias=true");
	const struct layer_kinds k = params_kinds(&p.model, 0, 5);

	assert_true(k.all == 5 && k.global == 2 && k.dense == 2 && k.moe == 1 && k.shortcut == 1);
	assert_int_equal(params_kind(&p.model, 1), LAYER_NO_MIXER | LAYER_MOE);
	/* no norm of their own; the router chooses among experts that compute nothing too */
	near(params_layer(&p.model, 1).replicated, 512 * 12 + 12);
	near(params_layer(&p.model, 1).expert, 8.0 * 3 * 512 * 128);
	near(params_experts_met(&p.model), 2);
	settings_put(&p, "layer_pattern", "*E-*-");
	near(params_layer(&p.model, 1).replicated, 512 * 12 + 12 + 512);
}

/* Layers with a sparse index, and those of them with an indexer of their own. */
TEST(indexed_layers)
{
	struct plan p = plan_of("layers=20 index_heads=4 index_head_dim=128");
	struct layer_kinds k = params_kinds(&p.model, 0, 20);

	assert_true(k.sparse == 20 && k.indexed == 20);
	settings_put(&p, "index_dense_layers", "3");
	k = params_kinds(&p.model, 0, 20);
	assert_true(k.sparse == 17 && k.indexed == 17);
	k = params_kinds(&p.model, 2, 2);
	assert_true(k.sparse == 1 && k.indexed == 1);
	/* layers 0, 1, 2, 6, 10, 14, 18 */
	settings_put(&p, "index_dense_layers", "0");
	settings_put(&p, "index_own_layers", "3");
	settings_put(&p, "index_every", "4");
	assert_true(params_kinds(&p.model, 0, 20).indexed == 7);
	assert_true(params_kinds(&p.model, 3, 3).indexed == 0);
	assert_true(params_kinds(&p.model, 6, 1).indexed == 1);
	assert_true(params_kinds(&p.model, 0, 20).sparse == 20);
	/* queries and one key of each indexer, and their norms */
	near(params_layer(&p.model, 6).sharded - params_layer(&p.model, 5).sharded, 4096.0 * 4 * 128);
	near(params_layer(&p.model, 6).replicated - params_layer(&p.model, 5).replicated,
	    4096.0 * 128 + 2 * 128);
}

/* Local layers with heads of their own, and where the first global one comes. */
TEST(local_heads)
{
	struct plan p = plan_of("layers=9 hidden_size=1024 attention_heads=8 kv_heads=2 head_dim=64 "
	    "sliding_window=128 global_layer_every=4 global_layer_offset=3 local_attention_heads=12 "
	    "local_kv_heads=4 local_head_dim=32 shared_key_value=true attention_head_gate=true");

	assert_true(params_kinds(&p.model, 0, 9).global == 3);
	assert_true(params_is_global_layer(&p.model, 0) && params_is_global_layer(&p.model, 8));
	assert_true(!params_is_global_layer(&p.model, 3));
	/* queries, gates, one projection to keys and values, output; then those of a local layer */
	near(params_layer(&p.model, 0).sharded - params_layer(&p.model, 1).sharded,
	    1024.0 * (8 * 64 + 8 + 2 * 64 + 8 * 64) - 1024.0 * (12 * 32 + 12 + 2 * 4 * 32 + 12 * 32));
}

/* Megatron-LM: equal numbers of letters, or what | says, chunk after chunk. */
TEST(stages)
{
	static const struct {
		const char *settings, *reason; /* NULL: placed, */
		int64_t first, count;          /* the last chunk so */
	} rows[] = {
		{ "layer_pattern=MEM*EMEM pp=4 nodes=1", NULL, 6, 2 },
		{ "layer_pattern=MEM*EMEM pp=3 nodes=3", "layers_not_divisible_by_pp", 0, 0 },
		{ "layer_pattern=MEM|*|EM|EM pp=2", NULL, 6, 2 },
		{ "layer_pattern=MEM|*|EMEM pp=2", "pattern_stages_not_divisible", 0, 0 },
		{ "layer_pattern=MEM*EMEM pp=2 vpp=2", "pattern_with_vpp", 0, 0 },
		{ "layer_pattern=MEM|*EMEM pp=2 first_stage_layers=4", "pattern_with_uneven_stages", 0, 0 },
		{ "layer_pattern=MEM*EMEM pp=2 first_stage_layers=6", NULL, 6, 2 },
		{ "layer_pattern=MEM|*EMEM", "interleaved_needs_pp2", 0, 0 },
		{ "layer_pattern=MEM*EMEM pp=2 pipeline_layout=Etttt|ttttL", "layout_with_pattern", 0, 0 },
		{ "layer_pattern=MEM*EM pp=2 account_for_embedding=true account_for_loss=true", "account_with_pattern", 0, 0 },
	};
	static struct placement pl;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct plan p = plan_of(rows[i].settings);
		struct diag_list diags = { 0 };
		const struct chunk *last;

		if (placement_init(&pl, &p, &diags) != (rows[i].reason == NULL))
			fail_msg("%s", rows[i].settings);
		if (rows[i].reason != NULL) {
			assert_true(diag_has(&diags, rows[i].reason));
			continue;
		}
		last = placement_chunk(&pl, pl.pp - 1, pl.vpp - 1);
		assert_true(last->first == rows[i].first && last->count == rows[i].count && last->loss);
	}
}

/* What TP divides of a Mamba layer, and what each rank has whole: its norm before the block. */
TEST(halves_of_tp)
{
	struct plan p = plan_of(NANO);
	const struct layer_params mamba = params_layer(&p.model, 0), moe = params_layer(&p.model, 1);

	near(mamba.sharded, 2688 * (2 * 4096 + 2 * 1024 + 64) + 5 * (4096 + 2 * 1024) + 3 * 64 + 4096 +
	    4096 * 2688);
	near(mamba.replicated, 2688);
	near(moe.expert, 128.0 * 2 * 2688 * 1856);
	/* experts on a latent: its projections are whole on every rank */
	settings_put(&p, "moe_latent_size", "1024");
	near(params_layer(&p.model, 1).expert, 128.0 * 2 * 1024 * 1856);
	near(params_layer(&p.model, 1).replicated - moe.replicated, 2.0 * 2688 * 1024);
}

/* Bytes of the states of one request, and of a token where keys and values are kept. */
TEST(states_of_a_request)
{
	static const struct {
		const char *settings;
		double bytes, token;
	} rows[] = {
		{ NANO, 49082368, 6144 }, { KIMI, 43417600, 8064 }, { LIGHTNING, 293601280, 40960 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan p = plan_of(rows[i].settings);

		settings_put(&p, "mode", "serve");
		for (int64_t tp = 1; tp <= 2; tp++) {
			struct kv kv;
			struct kv_layers all;

			settings_int(&p, FIELD_TP, tp);
			kv = kv_of(&p, 19, 8192);
			all = kv_layers_of(&p, 0, p.model.layers);
			near(kv_state_bytes(&kv, &all), rows[i].bytes / (double)tp);
			if (tp == 1)
				near(kv_token_bytes(&p, &all, NULL), rows[i].token);
		}
	}
}

/* Of a token, forward and backward, in one layer of each kind. */
TEST(work_of_a_layer)
{
	struct plan p = plan_of(NANO "sequence_length=8192");
	const double di = 4096, gn = 1024;

	near(3 * flops_forward_of_layer(&p, LAYER_NO_MLP | LAYER_MAMBA),
	    6 * (2688 * (2 * di + 2 * gn + 64) + di * 2688) + 6 * (128 * gn + 128 * di + 2 * di * 128));
	near(3 * flops_forward_of_layer(&p, LAYER_NO_MIXER | LAYER_MOE), 12.0 * 2688 * (3712 + 6 * 1856));
	near(3 * flops_forward_of_layer(&p, LAYER_NO_MIXER), 12.0 * 2688 * 1856);
	p = plan_of(KIMI);
	near(3 * flops_forward_of_layer(&p, LAYER_NO_MLP | LAYER_LOCAL), 6 * (2304 * (4 * di + 32) +
	    2 * (2304 * 128 + 128 * di)) + 24 * di * 128);
	p = plan_of(LIGHTNING);
	near(3 * flops_forward_of_layer(&p, LAYER_LOCAL) - 3 * flops_forward_of_layer(&p, LAYER_NO_MIXER),
	    6 * 5.0 * 6144 * 8192 + 3 * (4.0 * 8192 * 128 + 4 * 256 * 8192));
}

static double
seconds_of(const struct ledger *l, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->term[i].name, name) == 0)
			sum += l->term[i].value;
	return sum;
}

/* An indexer's scores are of all keys before, 2 FLOP a number; its loss is of those that were chosen: both of its
 * products back, and attention's own scores once more. Of T tokens the last k choose k, those before all. */
TEST(indexers)
{
	static struct ledger_term terms[64];

	for (int top = 256; top <= 1024; top *= 2) {
		char settings[256];
		struct ledger ledger;
		const struct tally tally = { &ledger, "layers", 1, 0 };
		struct plan p;
		struct machine g;
		double chosen;

		text_put(settings, sizeof settings, RATES "attention_heads=32 kv_heads=8 "
		    "head_dim=128 layers=4 tp=1 sequence_length=4096 micro_batch_size=2 index_heads=16 index_head_dim=64 "
		    "index_topk=%d", top);
		p = plan_of(settings);
		g = machine_of(&p);
		ledger_init(&ledger, terms, sizeof terms / sizeof *terms);
		compute_layer(&p, &g, 0, &tally);
		chosen = top - top * top / 2. / 4096;
		near(seconds_of(&ledger, "indexer scores") * g.plain.reached, 2 * 8192. * 2048 * 16 * 64);
		near(seconds_of(&ledger, "indexer loss") * g.plain.reached,
		    8192 * chosen * (4 * 16 * 64 + 2 * 32 * 128));
	}
}

/* The halves of a layer take together what the layer takes, whose two norms are counted with one start. */
TEST(blocks_sum_up)
{
	const struct plan p = plan_of(RATES "layers=4 experts=8 experts_per_token=2 moe_ffn_hidden_size=4096");
	const struct machine g = machine_of(&p);
	const struct work whole = compute_layer(&p, &g, LAYER_MOE, NULL);
	const struct work mixer = compute_layer(&p, &g, LAYER_NO_MLP, NULL);
	const struct work moe = compute_layer(&p, &g, LAYER_NO_MIXER | LAYER_MOE, NULL);
	struct plan blocks = plan_of(RATES "layer_pattern=*E*E*E*E experts=8 experts_per_token=2 "
	    "moe_ffn_hidden_size=4096");
	const struct activation a = activation_init(&p), b = activation_init(&blocks);
	const struct layer_kinds four = params_kinds(&p.model, 0, 4);
	const struct layer_kinds eight = params_kinds(&blocks.model, 0, 8);

	assert_true(mixer.forward > 0 && moe.forward > 0);
	near(mixer.forward + moe.forward - g.kernel, whole.forward);
	assert_true(mixer.backward + moe.backward >= whole.backward &&
	    mixer.backward + moe.backward <= whole.backward + 2 * g.kernel);
	near(kept_by(&b, &eight), kept_by(&a, &four));
	near(flops_sum(flops_of_token(&blocks, false)), flops_sum(flops_of_token(&p, false)));
	near(params_model(&blocks, NULL).total, params_model(&p, NULL).total);
}

/* Bytes that a Mamba layer keeps: both ends of its norm, the one projection, the output before the
 * gate, behind it and behind the norm; TP divides all but the first. */
TEST(kept_by_mamba)
{
	struct plan p = plan_of(NANO "sequence_length=8192 tp=1");
	const struct layer_kinds one = params_kinds(&p.model, 0, 1);

	for (int64_t tp = 1; tp <= 4; tp *= 2) {
		struct activation a;

		settings_int(&p, FIELD_TP, tp);
		plan_resolve(&p, NULL);
		a = activation_init(&p);
		near(kept_by(&a, &one),
		    8192 * (4 * 2688.0 + 2 * (5 * 4096.0 + 2 * 1024 + 64)) / (double)tp);
	}
}

/* The output projection keeps its input in FP8. */
TEST(kept_in_fp8)
{
	struct plan p = plan_of(NANO "sequence_length=8192 tp=1 generation=hopper");
	const struct layer_kinds one = params_kinds(&p.model, 0, 1);
	struct activation a = activation_init(&p);
	double wide;

	wide = kept_by(&a, &one);
	settings_put(&p, "precision", "fp8");
	a = activation_init(&p);
	assert_true(wide - kept_by(&a, &one) >= 8192 * 4096.0);
}

/* What linear attention keeps of a token, whoever runs it: what its projections give, convolved
 * too where it convolves, and what the last projection reads. */
TEST(kept_by_linear_attention)
{
	static const struct {
		const char *settings;
		double bytes; /* of 8192 numbers of keys, as many of values, 64 or 32 heads */
	} kinds[] = {
		{ LIGHTNING, 2 * 5 * 8192.0 },
		{ LIGHTNING "linear_kind=shortconv ", 2 * 6 * 8192.0 },
		{ LIGHTNING "linear_kind=gdn linear_conv_kernel=4 ", 2 * (9 * 8192.0 + 2 * 64) },
		{ LIGHTNING "linear_kind=kda linear_conv_kernel=4 ", 2 * (10 * 8192.0 + 64 + 2 * 128) + 4 * 8192.0 },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (int eager = 0; eager < 2; eager++) {
			const struct layer_kinds one = { .local = 1 };
			struct plan p = plan_of(kinds[i].settings);
			struct activation a;

			settings_put(&p, "tp", "1");
			settings_put(&p, "layout", eager ? "deepspeed" : "megatron");
			settings_put(&p, "method", eager ? "full" : "none");
			settings_put(&p, "kernels", eager ? "eager" : "te");
			a = activation_init(&p);
			assert_int_equal(a.eager, eager);
			near(kept_by(&a, &one), a.tokens * kinds[i].bytes);
		}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
