/* What each dimension sends, against the volumes of the frameworks. */
#include <math.h>
#include <string.h>

#include "trafficcase.h"

/* Megatron tensor_parallel/layers.py: 8(t-1)/t A a layer, with SP 10(t-1)/t A, a full
 * recompute adds 4(t-1)/t A. */
TEST(tensor)
{
	const double a = 4096.0 * 4096 * 2, m = 64 / 8.0, layers = 32;
	struct plan p = plan_of("tp=8");

	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, "TP gathered inputs") +
	    noted(QUANTITY_TRAFFIC, "TP scattered outputs"), 10 * 7 / 8.0 * a * m * layers);
	settings_put(&p, "recompute", "full");
	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, "TP gathered inputs, recomputed") +
	    noted(QUANTITY_TRAFFIC, "TP scattered outputs, recomputed"),
	    (14 - 10) * 7 / 8.0 * a * m * layers);
	p = plan_of("tp=8 sequence_parallel=false");
	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, "TP outputs and input gradients"),
	    8 * 7 / 8.0 * a * m * layers);
}

/* Transformer Engine context_parallel.py: 3(c-1)K by ring or gather, 2(c-1)/c (2Q+K) by
 * all-to-all, a layer and micro-batch. */
TEST(context_parallel)
{
	const double k = 2 * (4096.0 / 4) * 8 * 128 * 2, q = (4096.0 / 4) * 32 * 128 * 2;
	const double times = 32 * (64 / 16.0);
	struct plan p = plan_of("cp=4");
	struct traffic t = traffic_of(&p);

	near(bytes_of(&t, TRAFFIC_CP), 3 * 3 * k * times);
	settings_put(&p, "cp_comm", "allgather");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_CP), 3 * 3 * k * times);
	/* two rings forward, two back, and gradients of the whole sequence summed: 8 (c-1) of a half */
	settings_put(&p, "cp_comm", "ring-qk");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_CP), 4 * 3 * k * times);
	settings_put(&p, "cp_comm", "a2a");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_CP), 2 * 3 / 4.0 * (2 * q + k) * times);
	settings_put(&p, "cp_comm", "a2a+p2p");
	settings_put(&p, "hierarchical_cp", "2x2");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_CP), (2 * 1 / 2.0 * (2 * q + k) + 3 * k) * times);
	/* without sizes: heads inside the NVLink domain, as far as there are any */
	settings_put(&p, "hierarchical_cp", "");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_CP), 2 * 3 / 4.0 * (2 * q + k) * times);
	settings_put(&p, "nvlink_domain", "2");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_CP), (2 * 1 / 2.0 * (2 * q + k) + 3 * k) * times);
}

/* Method block: the first layers of each chunk run again, whichever kind they are, and none
 * in part (transformer_block.py, _checkpointed_forward). */
TEST(block)
{
	static const struct {
		const char *settings;
		double moe, again, moe_again; /* layers of the rank, and of those run again */
	} cases[] = {
		{ "recompute_layers=2", 10, 2, 0 }, { "recompute_layers=3", 10, 3, 1 },
		{ "recompute_layers=99", 10, 12, 10 }, { "recompute_method=uniform", 10, 12, 10 },
		{ "experts=0 ep=1 pp=2 schedule=zb-v", 0, 2, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan p = plan_of("nodes=1 tp=2 ep=2 etp=1 experts=4 experts_per_token=2 "
		    "moe_ffn_hidden_size=1024 dense_layers=2 layers=12 recompute=full "
		    "recompute_method=block global_batch_size=64");
		struct traffic t;
		double calls = 0, m;

		settings_put_all(&p, cases[i].settings);
		t = traffic_of(&p);
		m = 64 / (4.0 / (double)p.parallel.pp);
		for (size_t r = 0; r < t.count; r++)
			calls += t.row[r].dim == TRAFFIC_EP ? t.row[r].calls : 0;
		near(calls, m * (4 * cases[i].moe + 2 * cases[i].moe_again));
		near(noted(QUANTITY_TRAFFIC, "TP gathered inputs, recomputed"),
		    m * (2 * cases[i].again - cases[i].moe_again) * 4096 * 4096 * 2 / 2);
	}
}

/* transformer_layer.py: with the module mlp the MLP's half of the forward pass runs again, of
 * layers with experts the shared ones with shared_experts or moe; core_attn gathers nothing. */
TEST(tensor_again)
{
	static const struct {
		const char *modules;
		double layers; /* of which an MLP is gathered and scattered again: 2 dense, 2 MoE */
	} cases[] = {
		{ "core_attn", 0 }, { "mlp", 2 }, { "shared_experts", 2 }, { "mlp,moe", 4 },
	};
	const double a = 4096.0 * 2048 * 2, m = 64 / 32.0;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan p = plan_of("tp=2 layers=4 hidden_size=2048 experts=8 dense_layers=2 "
		    "experts_per_token=2 moe_ffn_hidden_size=1024 shared_expert_ffn_hidden_size=512");
		struct traffic t = traffic_of(&p);
		const double once = bytes_of(&t, TRAFFIC_TP);

		settings_put(&p, "recompute", "selective");
		settings_put(&p, "recompute_modules", cases[i].modules);
		t = traffic_of(&p);
		near(bytes_of(&t, TRAFFIC_TP) - once, cases[i].layers * 2 * a / 2 * m);
	}
}

/* MLA exchanges queries and keys of 192, values and outputs of 128, 32 heads of each. */
TEST(context_parallel_latent)
{
	const double all = (4096.0 / 4) * 32 * (2 * 192 + 2 * 128) * 2, times = 32 * (64 / 16.0);
	const struct plan p = plan_of("cp=4 cp_comm=a2a attention=mla kv_lora_rank=512 "
	    "qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128");
	const struct traffic t = traffic_of(&p);

	near(bytes_of(&t, TRAFFIC_CP), 2 * 3 / 4.0 * all * times);
}

/* tensor_parallel/random.py: a recompute runs the forward pass of attention again, and with
 * it what its ranks exchange. */
TEST(context_parallel_again)
{
	static const struct {
		const char *comm;
		double more; /* with recompute, of what there is without */
	} cases[] = { { "p2p", 4 / 3.0 }, { "allgather", 4 / 3.0 }, { "a2a", 3 / 2.0 } };
	static const char *const recompute[] = { "full", "selective" };

	for (size_t i = 0; i < 6; i++) {
		struct plan p = plan_of("cp=4");
		struct traffic t;
		double once;

		settings_put(&p, "cp_comm", cases[i / 2].comm);
		t = traffic_of(&p);
		once = bytes_of(&t, TRAFFIC_CP);
		settings_put(&p, "recompute", recompute[i % 2]);
		t = traffic_of(&p);
		near(bytes_of(&t, TRAFFIC_CP), once * cases[i / 2].more);
	}
}

/* Megatron pipeline_parallel/schedules.py: a middle stage sends 2 m v times. */
TEST(pipeline_parallel)
{
	const double a = 4096.0 * 4096 * 2;
	struct plan p = plan_of("pp=4");
	struct traffic t = traffic_of(&p);

	near(bytes_of(&t, TRAFFIC_PP), 2 * 4 * a);
	settings_put(&p, "vpp", "2");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_PP), 2 * 4 * 2 * a);
	p = plan_of("pp=4 tp=2");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_PP), 2 * 8 * a / 2);
}

/* Two ranks whose chunks fold back: one sends the first chunk's output on, the other the
 * second's back, and gradients the other way. */
TEST(pipeline_folded)
{
	const double a = 4096.0 * 4096 * 2;
	const struct plan p = plan_of("pp=2 schedule=zb-v");
	const struct traffic t = traffic_of(&p);

	near(bytes_of(&t, TRAFFIC_PP), 2 * 2 * a);
}

/* Rows of the ZeRO paper (Rajbhandari et al. 2020) with this plan's number formats. */
TEST(data_parallel)
{
	const double n = 64, held = 8030261248.0, share = (n - 1) / n;
	static const struct {
		const char *zero;
		double weights, gradients; /* times that they travel; two micro-batches */
	} cases[] = { { "0", 0, 2 }, { "1", 1, 1 }, { "2", 1, 2 }, { "3", 4, 2 } };

	for (size_t i = 0; i < 4; i++) {
		struct plan p = plan_of("global_batch_size=128");
		struct traffic t;

		settings_put(&p, "zero_stage", cases[i].zero);
		t = traffic_of(&p);
		near(bytes_of(&t, TRAFFIC_DP),
		    share * held * (2 * cases[i].weights + 4 * cases[i].gradients));
	}
}

/* Copies cross what lies between them, where pipelines are inner as well. */
TEST(copies_apart)
{
	static const char *const orders[] = { "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp" };

	for (int i = 0; i < 2; i++) {
		const struct plan p = settings_plan("gpus_per_node=8 nodes=16 tp=8 pp=4 dp_replicate=2 nvlink_gbps=450 "
		    "levels=8:450,64:50,128:50", "");
		struct plan q = p;
		struct placement pl;
		struct traffic t;
		struct layout l;
		bool found = false;

		settings_put(&q, "order", orders[i]);
		assert_true(layout_init(&l, &q, NULL));
		assert_true(placement_init(&pl, &q, NULL));
		steptime_estimate(&q, &l, &pl, 16, &t, NULL);
		for (size_t k = 0; k < t.count; k++)
			if (t.row[k].dim == TRAFFIC_DP && strcmp(t.row[k].collective, "all-reduce") == 0) {
				assert_int_equal(t.row[k].span.level.unit, i == 0 ? 64 : 128);
				found = true;
			}
		assert_true(found);
	}
}

TEST(replicated)
{
	/* 4 copies of shards over 16 ranks: scatter and gather inside, all-reduce across. */
	const double held = 8030261248.0;
	static const char *const layouts[] = { "megatron", "torchtitan" };
	struct plan p;
	struct traffic t;

	for (int i = 0; i < 2; i++) {
		p = plan_of("dp_replicate=4");
		settings_put(&p, "layout", layouts[i]);
		t = traffic_of(&p);
		near(bytes_of(&t, TRAFFIC_DP), 15 / 16.0 * held * (2 + 4) + 2 * 3 / 4.0 * held * 4 / 16);
	}
	/* MiCS of DeepSpeed: 4 groups of 16 neighbours */
	p = plan_of("layout=deepspeed zero_stage=3 dp_replicate=4");
	t = traffic_of(&p);
	for (size_t r = 0; r < t.count; r++)
		if (t.row[r].dim == TRAFFIC_DP && strcmp(t.row[r].collective, "all-reduce") != 0)
			assert_int_equal(t.row[r].span.size, 16);
}

/* PyTorch's FSDP2 puts nothing off to the last micro-batch, of which there are four; stages of a
 * pipeline do. Stages 1 and 2 keep what they gathered until backward. */
TEST(every_backward)
{
	static const struct {
		const char *settings;
		double reduced, gathered, copied; /* bytes a parameter, over a full ring */
	} rows[] = {
		{ "zero_stage=0", 2 * 4 * 4, 0, 0 }, { "zero_stage=1", 4 * 4, 4 * 2, 0 },
		{ "zero_stage=2", 4 * 4, 4 * 2, 0 }, { "zero_stage=3", 4 * 4, 2 * 4 * 2, 0 },
		{ "zero_stage=1 dp_replicate=4", 4 * 4, 4 * 2, 4 * 2 * 4 },
		{ "zero_stage=1 pp=2", 4, 2, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan p = plan_of(rows[i].settings);
		const double copies = (double)p.parallel.dp_replicate;
		struct traffic t;
		double shards;

		settings_put(&p, "layout", "torchtitan");
		p.training.global_batch_size = 4 * plan_world(&p) / p.parallel.pp;
		t = traffic_of(&p);
		shards = (double)plan_world(&p) / (double)p.parallel.pp / copies;
		if (p.parallel.pp == 1)
			near(bytes_of(&t, TRAFFIC_DP), 8030261248.0 * ((shards - 1) / shards *
			    (rows[i].reduced + rows[i].gathered) + (copies - 1) / copies * rows[i].copied / shards));
		else
			assert_true(bytes_of(&t, TRAFFIC_DP) < 8030261248.0 * (rows[i].reduced + rows[i].gathered));
	}
}

/* DualPipe's example_dualpipe.py adds up the gradients of both ranks that hold a stage: an
 * all-reduce of two, of the shard that each has, once a step. */
TEST(mirrored)
{
	static const struct {
		const char *zero;
		double shards;
	} cases[] = { { "0", 1 }, { "1", 16 } };

	for (int i = 0; i < 2; i++) {
		struct plan p = plan_of("pp=4 schedule=dualpipe");
		struct traffic t;
		double held;

		settings_put(&p, "zero_stage", cases[i].zero);
		t = traffic_of(&p);
		/* the first and the last stage: 16 layers and both embeddings */
		held = 16 * 218112000.0 + 2 * 128256.0 * 4096 + 4096;
		near(noted(QUANTITY_TRAFFIC, "DP gradients of mirrored stages"),
		    held * 4 / cases[i].shards);
		assert_true(bytes_of(&t, TRAFFIC_DP) > held * 4);
		settings_put(&p, "schedule", "1f1b");
		traffic_of(&p);
		near(noted(QUANTITY_TRAFFIC, "DP gradients of mirrored stages"), 0);
	}
}

/* token_dispatcher.py: dispatch and combine, each way, (e-1)/e of T*topk*h. */
TEST(experts)
{
	const double s = 4096.0 * 8 * 2048 * 2, layers = 4;
	struct plan p = plan_of(MOE);
	struct traffic t = traffic_of(&p);

	near(bytes_of(&t, TRAFFIC_EP), 4 * 15 / 16.0 * s * layers);
	settings_put(&p, "recompute", "full");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_EP), 6 * 15 / 16.0 * s * layers);
	p = plan_of(MOE "moe_capacity_factor=1.5");
	t = traffic_of(&p);
	near(bytes_of(&t, TRAFFIC_EP), 1.5 * 4 * 15 / 16.0 * s * layers);
	/* experts are reduced over the 4 ranks that hold the same ones */
	near(bytes_of(&t, TRAFFIC_EDP), 3 / 4.0 * (64 / 16 * 3.0 * 2048 * 1024 * layers) * (2 + 4));
}

/* deepseek-ai/DeepEP csrc/hybrid_ep: a byte for each token of the group and each expert is
 * gathered before the dispatch, and again where recompute runs it. */
TEST(routing_map)
{
	const double map = 15 * 4096.0 * 64, layers = 4;
	struct plan p = plan_of(MOE "moe_dispatcher=hybridep");

	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, "EP map of tokens to experts"), map * layers);
	assert_true(noted(QUANTITY_TRAFFIC, "EP map of tokens to experts, recomputed") <= 0);
	settings_put(&p, "recompute", "full");
	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, "EP map of tokens to experts, recomputed"), map * layers);
	p = plan_of(MOE "moe_dispatcher=hybridep tp=2 etp=1");
	traffic_of(&p);
	/* half of it, in twice as many micro-batches */
	near(noted(QUANTITY_TRAFFIC, "EP map of tokens to experts"), map * layers);
	settings_put(&p, "moe_dispatcher", "deepep");
	traffic_of(&p);
	assert_true(noted(QUANTITY_TRAFFIC, "EP map of tokens to experts") <= 0);
}

/* distributed/finalize_model_grads.py: copies of the embedding are summed up, those of a tied
 * head and those of MTP layers. V schedules have both ends on the first rank. */
TEST(embedding)
{
	static const struct {
		const char *settings;
		double copies;
	} cases[] = {
		{ "pp=2 tied_embeddings=true", 1 }, { "pp=2 mtp_layers=1", 1 }, { "pp=2", 0 },
		{ "mtp_layers=1", 0 }, { "pp=2 tied_embeddings=true schedule=zb-v", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct plan p = plan_of(cases[i].settings);
		const struct traffic t = traffic_of(&p);

		near(bytes_of(&t, TRAFFIC_EMBD), cases[i].copies * 128256.0 * 4096 * 4);
	}
}

/* Activations in fp32 take 4 bytes on the wire too, and so do gradients. */
TEST(single_precision)
{
	static const enum traffic_dim dims[] = { TRAFFIC_TP, TRAFFIC_CP, TRAFFIC_PP, TRAFFIC_EP };
	struct plan p = plan_of(MOE "tp=2 cp=2 pp=2 global_batch_size=128 sequence_length=65536");
	struct traffic half = traffic_of(&p), single;

	settings_put(&p, "precision", "fp32");
	single = traffic_of(&p);
	for (size_t i = 0; i < 4; i++) /* but for the loss, fp32 in both */
		assert_true(bytes_of(&single, dims[i]) > 1.999 * bytes_of(&half, dims[i]));
	settings_put(&p, "grad_dtype", "bf16");
	half = traffic_of(&p);
	near(bytes_of(&half, TRAFFIC_DP), bytes_of(&single, TRAFFIC_DP));
}

/* Without EP torchtitan shards experts as it shards the rest (mesh fsdp); nanotron has one
 * optimizer group for all (dp_cp). */
TEST(experts_unsplit)
{
	static const char *const layouts[] = { "torchtitan", "nanotron" };

	for (size_t i = 0; i < 2; i++) {
		struct plan p = plan_of("layers=4 hidden_size=2048 experts=8 experts_per_token=2 "
		    "moe_ffn_hidden_size=1024 tp=4 cp=2");
		struct traffic t;

		settings_put(&p, "layout", layouts[i]);
		t = traffic_of(&p);
		for (size_t r = 0; r < t.count; r++)
			if (t.row[r].dim == TRAFFIC_EDP)
				assert_int_equal(t.row[r].span.size, 16);
		assert_true(bytes_of(&t, TRAFFIC_EDP) > 0);
	}
}

/* DeepSpeed keeps gradients in the plan's precision where nothing else is said, and always
 * sends them so (deepspeed/runtime/engine.py). */
TEST(deepspeed_gradients)
{
	struct plan p = plan_of("layout=deepspeed zero_stage=2");
	const struct traffic bf16 = traffic_of(&p);
	const double sent = row_of(&bf16, TRAFFIC_DP, "all-reduce")->bytes;
	struct traffic fp32, before;

	assert_int_equal(p.training.grad_dtype, GRAD_BF16);
	near(sent, 2 * row_of(&bf16, TRAFFIC_DP, "all-gather")->bytes); /* one micro-batch */
	settings_put(&p, "grad_dtype", "fp32");
	fp32 = traffic_of(&p);
	near(sent, row_of(&fp32, TRAFFIC_DP, "all-reduce")->bytes);
	settings_put(&p, "release", "202306");
	before = traffic_of(&p);
	near(sent, 2 * row_of(&before, TRAFFIC_DP, "reduce-scatter")->bytes);
	settings_put(&p, "grad_dtype", "");
	settings_put(&p, "precision", "fp16");
	assert_int_equal(p.training.grad_dtype, GRAD_FP16);
	settings_put(&p, "precision", "fp32");
	assert_int_equal(p.training.grad_dtype, GRAD_FP32);
}

/* The first rank of a TP group sends the batch to the others: tokens and positions where the embedding
 * is, labels and the loss mask where the head is, of whole sequences. Half an all-reduce is as much. */
TEST(batch_within_tp)
{
	static const char first[] = "TP tokens and positions of the batch";
	struct plan p = plan_of("tp=4 cp=2 pp=1 global_batch_size=64");
	const double tokens = 8.0 * 8192; /* of a micro-batch, times micro-batches of a rank */

	settings_put_all(&p, "sequence_length=8192 micro_batch_size=1");
	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, first), tokens * 16 * 3 / 4);
	settings_put(&p, "sequence_parallel", "false");
	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, first), tokens * 16 * 3 / 4);
	near(noted(QUANTITY_TRAFFIC, "TP labels and loss mask of the batch"), tokens * 12 * 3 / 4);
	settings_put_all(&p, "layout=torchtitan");
	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, first), 0);
}

/* What the topics sp and zero say in words: gathering inputs again in backward makes a quarter
 * more of TP's bytes; ZeRO-2 scatters gradients in every micro-batch, ZeRO-1 once. */
TEST(topics_say_so)
{
	struct plan p = plan_of("tp=8 sequence_parallel=false global_batch_size=512");
	const struct traffic plain = traffic_of(&p);
	struct traffic split, once, each;

	settings_put(&p, "sequence_parallel", "true");
	split = traffic_of(&p);
	assert_true(fabs(bytes_of(&split, TRAFFIC_TP) / bytes_of(&plain, TRAFFIC_TP) - 1.25) < 0.005);
	settings_put(&p, "layout", "deepspeed");
	once = traffic_of(&p);
	settings_put(&p, "zero_stage", "2");
	each = traffic_of(&p);
	near(row_of(&each, TRAFFIC_DP, "all-reduce")->bytes,
	    512 / 8 * row_of(&once, TRAFFIC_DP, "all-reduce")->bytes);
	near(row_of(&each, TRAFFIC_DP, "all-gather")->bytes, row_of(&once, TRAFFIC_DP, "all-gather")->bytes);
}

/* Which ranks talk changes with the order of the axes, how much they say does not. */
TEST(listing)
{
	static const char *const orders[] = {
		"tp-cp-ep-dp-pp", "tp-pp-dp", "dp-tp-pp", "pp-dp-tp"
	};

	for (size_t i = 1; i < 4; i++) {
		struct plan p = plan_of("tp=4 pp=4"), q = p;
		struct traffic a, b;

		settings_put(&q, "order", orders[i]);
		a = traffic_of(&p);
		b = traffic_of(&q);
		assert_int_equal(a.count, b.count);
		for (size_t r = 0; r < a.count; r++)
			near(a.row[r].bytes, b.row[r].bytes);
	}
}

/* Before it prefetched, ZeRO-3 gathered over one network card at 0.7 of its rate, and of one that nobody knows as over
 * one of 1 Gb/s. */
TEST(gathers_before_prefetch)
{
	static const char job[] = "layout=deepspeed zero_stage=3 parallel.release=202107";
	const double parameters = 8030261248, card = 0.7 * 400e9 / 8;
	struct plan p = settings_plan(job, "nodes=8 nic_gbps=400 nics_per_node=8 nvlink_gbps=450");
	struct traffic t = traffic_of(&p);
	const struct traffic_row *gathered = row_of(&t, TRAFFIC_DP, "all-gather");
	const struct traffic_row *scattered = row_of(&t, TRAFFIC_DP, "reduce-scatter");

	near(gathered->seconds, gathered->calls * 2 * parameters / card);
	near(scattered->seconds, scattered->calls * 2 * parameters / card);
	near(gathered->calls, 2 * scattered->calls);
	settings_put(&p, "cluster.nic_gbps", "0");
	settings_put(&p, "cluster.nics_per_node", "1");
	t = traffic_of(&p);
	near(row_of(&t, TRAFFIC_DP, "all-gather")->seconds, gathered->calls * 2 * parameters / (0.7 * 1e9 / 8));
	assert_true(row_of(&t, TRAFFIC_DP, "all-gather")->exposed_seconds > 100);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
