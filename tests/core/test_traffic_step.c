/* Traffic in the time of a step: sums of terms, what is exposed, and what is done round it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trafficcase.h"

static const char *const plans[] = {
	"tp=2", "tp=8 pp=4", "tp=4 pp=2 vpp=4", "cp=2 tp=2", "zero_stage=3", "pp=8 schedule=zb-1p",
	"tp=2 pp=4 recompute=full", "tp=16 sequence_parallel=false", MOE, MOE "tp=2 pp=2 etp=2",
	"layout=torchtitan zero_stage=3 dp_replicate=2 tp=4", "layout=deepspeed zero_stage=2",
	"tied_embeddings=true pp=4 tp=2", "v_head_dim=64 mtp_layers=2", "offload=optimizer",
	"pp=4 schedule=v-half", "pp=4 schedule=dualpipev", "pp=4 schedule=dualpipe",
	MOE "pp=4 schedule=dualpipe",
	"recompute=full recompute_method=block recompute_layers=2 tp=2 pp=4",
	"pp=4 tp=4 cp=2 cp_comm=a2a precision=fp16",
};

TEST(sums)
{
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct plan p = plan_of(plans[i]);
		const struct traffic t = traffic_of(&p);
		double exposed = 0;

		near(noted(QUANTITY_TRAFFIC, NULL), bytes_of(&t, TRAFFIC_DIMS));
		near(noted(QUANTITY_STEP, NULL), timed.seconds);
		near(noted(QUANTITY_FLOPS, NULL),
		    timed.model_tflops_per_gpu * 1e12 * 64 * timed.seconds);
		for (size_t r = 0; r < t.count; r++) {
			const struct traffic_row *row = &t.row[r];

			assert_true(row->span.size > 1 && row->calls > 0 && row->bytes > 0);
			assert_true(row->seconds > 0 && row->exposed_seconds >= 0);
			assert_true(row->exposed_seconds <= row->seconds * (1 + 1e-9));
			exposed += row->exposed_seconds;
		}
		assert_true(timed.mfu > 0.01 && timed.mfu < 0.8 && timed.hfu < 0.9);
		near(exposed, timed.exposed_comm_seconds);
	}
}

/* A reader can tell the terms of traffic and of the step apart by their names. */
TEST(names)
{
	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct plan p = plan_of(plans[i]);

		traffic_of(&p);
		for (size_t a = 0; a < ledger.count; a++)
			for (size_t b = 0; b < a; b++)
				if (terms[a].quantity == terms[b].quantity &&
				    (terms[a].quantity == QUANTITY_STEP ||
				    terms[a].quantity == QUANTITY_TRAFFIC) &&
				    strcmp(terms[a].name, terms[b].name) == 0)
					fail_msg("%s: '%s' twice", plans[i], terms[a].name);
	}
}

/* Buckets below the framework's pay for each; one above it leaves more that nothing hides; one of its
 * own size is what the framework has. The wider DP is, the more small ones cost. */
TEST(buckets)
{
	static const char *const sizes[] = { "5e6", "4e7", "5e8" };
	double seconds[3], exposed[3], wide;
	struct plan p = plan_of("zero_stage=1");
	const struct traffic_row *row;
	struct traffic usual = traffic_of(&p), t;

	for (size_t i = 0; i < 3; i++) {
		p.training.bucket_size = (int64_t)strtod(sizes[i], NULL);
		t = traffic_of(&p);
		row = row_of(&t, TRAFFIC_DP, "reduce-scatter");
		seconds[i] = row->seconds;
		exposed[i] = row->exposed_seconds;
	}
	row = row_of(&usual, TRAFFIC_DP, "reduce-scatter");
	assert_true(seconds[0] > 1.2 * seconds[1]);
	assert_true(exposed[2] > 1.1 * row->exposed_seconds);
	near(seconds[2], row->seconds);
	p.training.bucket_size = 64 * 1000000; /* of 64 ranks */
	t = traffic_of(&p);
	near(row_of(&t, TRAFFIC_DP, "reduce-scatter")->exposed_seconds, row->exposed_seconds);
	p.training.bucket_size = 5000000;
	p.cluster.nodes *= 8;
	p.training.global_batch_size *= 8;
	t = traffic_of(&p);
	wide = row_of(&t, TRAFFIC_DP, "reduce-scatter")->seconds;
	assert_true(wide > 2 * seconds[0]);
	p.training.overlap_grad_reduce = false; /* then it goes at once */
	t = traffic_of(&p);
	assert_true(row_of(&t, TRAFFIC_DP, "reduce-scatter")->seconds < wide / 2);
}

/* FSDP behind compute: PyTorch runs ahead in the forward pass whatever is switched off; a
 * pipeline of torchtitan gathers once and scatters beside nothing. */
TEST(fully_sharded)
{
	struct plan p = plan_of("layout=torchtitan zero_stage=3");
	const struct traffic both = traffic_of(&p);
	struct plan q = plan_of("layout=torchtitan zero_stage=3 overlap_param_gather=false");
	const struct traffic post = traffic_of(&q);
	struct plan r = plan_of("layout=deepspeed zero_stage=3 overlap_param_gather=false");
	const struct traffic none = traffic_of(&r);
	const double all = row_of(&post, TRAFFIC_DP, "all-gather")->seconds;
	const double exposed = row_of(&post, TRAFFIC_DP, "all-gather")->exposed_seconds;
	struct plan s = plan_of("layout=torchtitan zero_stage=3 pp=4");
	const struct traffic pipe = traffic_of(&s);
	const struct traffic_row *scatter = row_of(&pipe, TRAFFIC_DP, "reduce-scatter");

	assert_true(row_of(&both, TRAFFIC_DP, "all-gather")->exposed_seconds < exposed);
	assert_true(exposed > 0.5 * all && exposed < 0.7 * all);
	near(row_of(&none, TRAFFIC_DP, "all-gather")->exposed_seconds,
	    row_of(&none, TRAFFIC_DP, "all-gather")->seconds);
	near(scatter->exposed_seconds, scatter->seconds);
	assert_true(scatter->calls <= 9); /* a quarter of 32 layers, of 16 micro-batches one */
	near(row_of(&pipe, TRAFFIC_DP, "all-gather")->calls, scatter->calls);
}

/* DeepSpeed's pipeline in bf16 shards its optimizer without ZeRO: weights are gathered. Its stages send what
 * ranks of TP all hold in parts, which then are gathered, forward and backward. */
TEST(deepspeed_pipeline)
{
	struct plan p = plan_of("layout=deepspeed pp=4 tp=4 sequence_parallel=false zero_stage=0");
	const struct traffic parts = traffic_of(&p);
	const double sent = row_of(&parts, TRAFFIC_PP, "send")->bytes;
	struct traffic whole;

	near(row_of(&parts, TRAFFIC_DP, "all-reduce")->bytes, 2 * row_of(&parts, TRAFFIC_DP, "all-gather")->bytes);
	near(row_of(&parts, TRAFFIC_TP, "all-gather")->bytes, 3 * sent);
	settings_put(&p, "precision", "fp16");
	whole = traffic_of(&p);
	near(2 * bytes_of(&parts, TRAFFIC_DP), 3 * bytes_of(&whole, TRAFFIC_DP));
	settings_put(&p, "layout", "megatron");
	whole = traffic_of(&p);
	near(row_of(&whole, TRAFFIC_PP, "send")->bytes, 4 * sent);
}

/* Megatron-DeepSpeed and nanotron have the loss of old Megatron-LM, and no fused one. */
TEST(losses)
{
	assert_int_equal(plan_of("layout=deepspeed").training.cross_entropy, CE_UNFUSED);
	assert_int_equal(plan_of("layout=nanotron").training.cross_entropy, CE_UNFUSED);
	assert_int_equal(plan_of("layout=megatron").training.cross_entropy, CE_TE);
	assert_int_equal(plan_of("layout=deepspeed finetune.method=full").training.cross_entropy, CE_HF);
}

/* What hides behind a pass takes 0.3 of its time from it, besides a bucket that nothing hides, and over
 * NVLink as much as 24 of the GPU's SMs would do; what does not overlap is open as a whole. */
TEST(behind)
{
	struct plan p = plan_of("micro_batch_size=4 global_batch_size=256");
	struct plan one = plan_of("nodes=1 micro_batch_size=4 global_batch_size=256");
	const struct traffic inside = traffic_of(&one), t = traffic_of(&p);
	const struct traffic_row *row = row_of(&t, TRAFFIC_DP, "all-gather");
	const struct traffic_row *near_by = row_of(&inside, TRAFFIC_DP, "all-gather");
	const double open = 64e6 / 8030261248.0, few = 40e6 / 8030261248.0; /* of 64 ranks, of eight */

	near(row->exposed_seconds, row->seconds * (open + 0.3 * (1 - open)));
	near(near_by->exposed_seconds, near_by->seconds * (few + 24 / 132.0 * (1 - few)));
	settings_put(&p, "overlap_param_gather", "false");
	near(noted(QUANTITY_EXPOSED, "DP gathered parameters"), row->exposed_seconds);
	traffic_of(&p);
	near(noted(QUANTITY_EXPOSED, "DP gathered parameters"), row->seconds);
}

/* Traffic that takes longer than the work beside it is slowed by that work: of a network as slow as
 * this, 0.15 of the pass. */
TEST(slowed)
{
	struct plan p = plan_of("zero_stage=1 nic_gbps=2"), q = p;
	double open[2], pass[2];

	for (int i = 0; i < 2; i++) {
		const struct traffic t = traffic_of(i == 0 ? &p : &q);
		const struct traffic_row *row = row_of(&t, TRAFFIC_DP, "all-gather");

		pass[i] = noted(QUANTITY_STEP, "forward");
		open[i] = row->seconds - row->exposed_seconds;
		near(open[i], 0.85 * pass[i]);
		settings_put(&q, "calibration.compute_efficiency", "0.5");
	}
	assert_true(open[1] > 1.9 * open[0]);
}

/* nanotron copies slices of parameters one by one: 32 layers of 6, embedding, norm and head,
 * for 64 ranks; without ZeRO there are none. */
TEST(slices)
{
	struct plan p = plan_of("layout=nanotron zero_stage=1 tp=1 pp=1");
	struct plan q = plan_of("layout=nanotron zero_stage=0 tp=1 pp=1");

	traffic_of(&p);
	near(noted(QUANTITY_STEP, "slices of parameters"), 195 * 64 * 15e-6);
	traffic_of(&q);
	assert_true(noted(QUANTITY_STEP, "slices of parameters") <= 0);
}

/* PyTorch keeps what TP gathered, 8(t-1)/t A a layer, and hides none of it behind weight
 * gradients; nanotron gathers again and hides none either. */
TEST(in_turn)
{
	const double a = 4096.0 * 4096 * 2, m = 64 / 8.0, layers = 32;
	struct plan p = plan_of("tp=8 layout=torchtitan zero_stage=3");
	struct traffic t = traffic_of(&p);
	const struct traffic_row *row = row_of(&t, TRAFFIC_TP, "reduce-scatter");

	near(noted(QUANTITY_TRAFFIC, "TP gathered inputs") +
	    noted(QUANTITY_TRAFFIC, "TP scattered outputs"), 8 * 7 / 8.0 * a * m * layers);
	near(row->exposed_seconds, row->seconds);
	assert_false(traffic_hides_tensors(&p));
	p = plan_of("tp=8 layout=nanotron");
	t = traffic_of(&p);
	row = row_of(&t, TRAFFIC_TP, "reduce-scatter");
	near(row->exposed_seconds, row->seconds);
	p = plan_of("tp=8");
	t = traffic_of(&p);
	row = row_of(&t, TRAFFIC_TP, "reduce-scatter");
	assert_true(row->exposed_seconds < 0.9 * row->seconds);
	assert_true(traffic_hides_tensors(&p));
	p = plan_of("tp=8 sequence_parallel=false release=202104"); /* Megatron-LM 2.1 */
	t = traffic_of(&p);
	row = row_of(&t, TRAFFIC_TP, "all-reduce");
	near(row->exposed_seconds, row->seconds);
}

/* Projections apart: 2.5 gathers for one forward, which torch.compile joins, and 2.5 scatters for
 * one backward, compiled or not. */
TEST(apart)
{
	const double part = 7 / 8.0 * 4096.0 * 4096 * 2 * 8 * 2 * 32;
	struct plan p = plan_of("tp=8 layout=torchtitan zero_stage=3 tp_apart=true");
	struct plan q = plan_of("tp=8 layout=torchtitan zero_stage=3 tp_apart=true "
	    "torch_compile=true gathered_logits=true");

	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, "TP gathered inputs"), 3.5 * part);
	near(noted(QUANTITY_TRAFFIC, "TP scattered outputs"), 3.5 * part);
	assert_true(noted(QUANTITY_TRAFFIC, "TP gathered logits") <= 0);
	traffic_of(&q);
	near(noted(QUANTITY_TRAFFIC, "TP gathered inputs"), 2 * part);
	near(noted(QUANTITY_TRAFFIC, "TP scattered outputs"), 3.5 * part);
	near(noted(QUANTITY_TRAFFIC, "TP gathered logits"), 7 / 8.0 * 4096 * 128256.0 * 2 * 8);
	assert_true(noted(QUANTITY_TRAFFIC, "TP loss: maximum, target, sum") <= 0);
}

/* Queries and keys of all heads, forward and backward. */
TEST(heads)
{
	struct plan p = plan_of("tp=8 layout=torchtitan zero_stage=3 qk_norm=true release=202509");
	struct plan q = plan_of("tp=8 layout=torchtitan zero_stage=3 qk_norm=true release=202510");

	traffic_of(&p);
	near(noted(QUANTITY_TRAFFIC, "TP gathered queries and keys"),
	    2 * 7 / 8.0 * 4096 * (32 + 8) * 128.0 * 2 * 8 * 32);
	traffic_of(&q);
	assert_true(noted(QUANTITY_TRAFFIC, "TP gathered queries and keys") <= 0);
}

/* Megatron's overlap of TP hides more than PyTorch's. */
TEST(asynchronous)
{
	static const char *const cases[] = {
		"tp=8", "tp=8 layout=torchtitan tp_overlap=true", "tp=8 tp_overlap=true"
	};
	double last = HUGE_VAL;

	for (size_t i = 0; i < 3; i++) {
		struct plan p = plan_of(cases[i]);
		const struct traffic t = traffic_of(&p);
		const double exposed = row_of(&t, TRAFFIC_TP, "reduce-scatter")->exposed_seconds;

		assert_true(exposed < last);
		last = exposed;
	}
}

/* Without the GPU's rates there are bytes, and no step. */
TEST(unknown)
{
	struct plan p = plan_of("tp=4 bf16_tflops=0");
	const struct traffic t = traffic_of(&p);

	assert_true(t.count > 2 && bytes_of(&t, TRAFFIC_DIMS) > 0);
	assert_true(timed.seconds <= 0);
}

/* Attention of one chunk, its keys one part of CP, hides the keys of the next: over slow links, where
 * neither pass hides all, (CP - 1)/CP^2 of all attention is hidden, three quarters as much with CP 4 as 2. */
TEST(rings)
{
	double hidden[2];

	for (int i = 0; i < 2; i++) {
		struct plan p = plan_of(i == 0 ? "cp=2 tp=1 cp_comm=p2p" : "cp=4 tp=1 cp_comm=p2p");
		struct traffic t;
		const struct traffic_row *row;

		settings_put(&p, "sequence_length", "65536");
		settings_put(&p, "nvlink_gbps", "2");
		t = traffic_of(&p);
		row = row_of(&t, TRAFFIC_CP, "send");
		assert_true(row->exposed_seconds > 0.1 * row->seconds);
		hidden[i] = (row->seconds - row->exposed_seconds) / (double)check_microbatches(&p, 64 / p.parallel.cp);
	}
	assert_true(fabs(hidden[1] / hidden[0] - 0.75) < 0.05); /* shorter chunks are a little slower */
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
