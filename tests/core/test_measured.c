/* test_measured.c - what a series of steps comes to, steady state, period of peaks, drift; peaks of
 * memory; and which causes a plan can have. */
#include <stdlib.h>
#include <string.h>
#include <math.h>

#include "core/base/text.h"
#include "core/diagnose/cause.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/measured.h"
#include "core/diagnose/quantity.h"
#include "core/diagnose/room.h"
#include "core/diagnose/trial.h"
#include "core/diagnose/words.h"
#include "settings.h"

static struct measured run;

/* Steps 0 to n - 1; the first is that of the warm-up. */
static void
take(int n, double (*seconds)(int step))
{
	memset(&run, 0, sizeof run);
	for (int i = 0; i < n; i++)
		measured_add(&run, MEASURED_STEP, i, seconds(i), (struct place){ 0 });
}

static double
even(int step)
{
	return step < 3 ? 9 : 2;
}

/* 1.00, 1.01, ...: the median of the first quarter is known. */
static double
rising(int step)
{
	return 1 + step / 100.;
}

static double
saving(int step)
{
	return step % 10 == 7 ? 8 : 2;
}

static double
uneven(int step)
{
	return step == 17 || step == 27 || step == 45 || step == 61 ? 8 : 2;
}

static void
near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

TEST(test_steady)
{
	struct steady s;

	take(40, even);
	s = measured_steady(&run, MEASURED_STEP);
	assert_true(s.samples > 20 && !s.first_alone);
	near(s.median, 2);
	near(s.low, 2);
	near(s.high, 2);
	take(1, even);
	s = measured_steady(&run, MEASURED_STEP);
	assert_true(s.first_alone == (s.samples == 1) && s.median > 0);
	take(0, even);
	assert_int_equal(measured_steady(&run, MEASURED_STEP).samples, 0);
}

/* Medians of the first and the last quarter, whatever lies between. */
TEST(test_drift)
{
	take(4, rising);
	near(series_drift(&run.series[MEASURED_STEP]), 1);
	take(60, even);
	near(series_drift(&run.series[MEASURED_STEP]), 1);
	take(42, rising); /* 39 that are not of the warm-up */
	near(series_drift(&run.series[MEASURED_STEP]), 1);
	take(43, rising);
	assert_true(series_drift(&run.series[MEASURED_STEP]) > 1.2);
	for (int n = 60; n < 64; n++) { /* n samples, of which the first ones are of the warm-up */
		const struct series *s = &run.series[MEASURED_STEP];
		size_t left, quarter;
		double first;

		take(n, rising);
		left = s->kept - s->warm;
		quarter = left / 4;
		first = s->sample[s->warm];
		near(series_drift(&run.series[MEASURED_STEP]), (first + ((double)(left - quarter) +
		    (double)(quarter - 1) / 2) / 100) / (first + (double)(quarter - 1) / 200));
	}
}

TEST(test_period)
{
	double mean = 0;

	take(80, saving);
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 10);
	assert_true(mean > 1.5 * measured_steady(&run, MEASURED_STEP).median);
	take(80, uneven);
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 0);
	take(80, even);
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 0);
	take(30, saving); /* steps 7, 17 and 27: three are enough, two are not */
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 10);
	near(mean, 8);
	take(20, saving);
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 0);
}

/* A rank's peaks are the most that it had of each kind; one that says nothing of them is none. */
TEST(test_peaks)
{
	static const struct measured_memory seen[] = {
		{ .rank = 1, .reserved = 5, .iterations = 1 }, { .rank = 1, .allocated = 3, .iterations = 4 },
		{ .rank = 1, .reserved = 4, .used = 9 }, { .rank = 2, .used = 1 }, { .rank = 2, .stage = 1, .used = 2 },
		{ .rank = 3, .iterations = 7 }
	};

	memset(&run, 0, sizeof run);
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		measured_memory(&run, &seen[i]);
	assert_int_equal(run.memories, 3);
	near(run.memory[0].reserved, 5);
	near(run.memory[0].allocated, 3);
	near(run.memory[0].used, 9);
	assert_int_equal(run.memory[0].iterations, 4);
	near(run.memory[1].used, 1);
	near(run.memory[2].used, 2);
}

static void
assert_causes(const struct plan *p, const char *ids, bool can)
{
	char list[512], *save = NULL;

	text_put(list, sizeof list, "%s", ids);
	for (char *id = strtok_r(list, " ", &save); id != NULL; id = strtok_r(NULL, " ", &save)) {
		const struct cause *c = cause_find(id);

		assert_non_null(c);
		if ((c->applies == NULL || c->applies(p)) != can)
			fail_msg("%s, of what a plan %s have", id, can ? "can" : "can not");
	}
}

/* No cause is asked after that the plan rules out: links that no group uses, splits that are not
 * made, formats that are not computed in, the trainer's of an engine and an engine's of a trainer. */
#define ONE_NODE "cluster.nodes=1 cluster.gpus_per_node=8 parallel.cp=1 parallel.ep=1 parallel.pp=1 "
TEST(test_causes)
{
#define HARDWARE "cluster.nvlink_gbps=450 cluster.nics_per_node=8 cluster.nic_gbps=400 cluster.tdp_watts=700 " \
	"cluster.bf16_tflops=989 cluster.fp8_tflops=1979 cluster.fp32_tflops=67"
#define NETWORK "sockets gdr_off acs network_below_rate network_drops proxy_latency"
#define COPIES "grad_reduce_overlap_off param_gather_overlap_off gradients_32bit"
#define TENSORS "sequence_parallel_off tp_overlap_off"
#define MIXTURE ONE_NODE "parallel.tp=1 parallel.etp=1 model.experts=16 model.experts_per_token=2 " \
	"model.moe_ffn_hidden_size=1024 "
#define EXPERTS "dispatcher_allgather experts_split_by_tp"
	static const struct {
		const char *settings, *can, *can_not;
	} row[] = {
		{ "cluster.nodes=1 cluster.gpus_per_node=1 parallel.tp=1 parallel.pp=1",
		    "recompute_full unfused_attention products_32bit heat",
		    NETWORK " " COPIES " " TENSORS " " EXPERTS " p2p_off p2p_by_host pcie_narrow slow_rank "
		    "mixed_gpus uneven_stages expert_imbalance padding int8_products fp8_without_gain "
		    "zero3_in_node zero3_between_nodes host_slow engine_slow no_pool generation_tail" },
		{ ONE_NODE "parallel.tp=8", TENSORS " p2p_off slow_rank",
		    NETWORK " " COPIES " uneven_stages p2p_by_host" },
		{ ONE_NODE "parallel.tp=4", COPIES " " TENSORS, NETWORK " uneven_stages" },
		{ ONE_NODE "parallel.tp=1 parallel.zero_stage=3", COPIES " zero3_in_node", TENSORS " zero3_between_nodes" },
		{ ONE_NODE "cluster.nodes=2 parallel.tp=1 parallel.zero_stage=3", NETWORK " one_nic zero3_between_nodes",
		    "zero3_in_node" },
		{ ONE_NODE "cluster.nodes=2 parallel.tp=1 parallel.zero_stage=3 parallel.dp_replicate=2", NETWORK,
		    "zero3_in_node zero3_between_nodes" },
		{ ONE_NODE "cluster.nodes=2 parallel.tp=1 parallel.zero_stage=2", COPIES, "zero3_between_nodes" },
		{ ONE_NODE "cluster.nodes=2 cluster.nvlink_domain=16 parallel.tp=1 parallel.zero_stage=3", "zero3_in_node",
		    NETWORK " one_nic zero3_between_nodes" },
		{ ONE_NODE "cluster.nodes=2 cluster.nics_per_node=1 parallel.tp=8 parallel.pp=2",
		    NETWORK " uneven_stages", "one_nic " COPIES },
		{ ONE_NODE "cluster.nodes=2 parallel.tp=1", "", "experts_over_network" },
		{ MIXTURE "cluster.nodes=2 parallel.ep=16", "experts_over_network", "" },
		{ MIXTURE "cluster.nodes=2 parallel.ep=8", "", "experts_over_network" },
		{ MIXTURE "cluster.nodes=1 parallel.ep=8", "", "experts_over_network" },
		{ ONE_NODE "cluster.nvlink_gbps=0 parallel.tp=8", "p2p_by_host pcie_narrow", "p2p_off" },
		{ ONE_NODE "cluster.gpu_power_watts=500 parallel.tp=8", "heat", "power_cap" },
		{ ONE_NODE "parallel.tp=8 training.precision=fp8 finetune.method=lora",
		    "fp8_without_gain padding int8_products power_cap", "" },
		{ ONE_NODE "mode=serve parallel.tp=8 training.precision=fp8 finetune.method=lora parallel.zero_stage=3",
		    "host_slow engine_slow no_pool p2p_off generation_tail",
		    TENSORS " " COPIES " " EXPERTS " uneven_stages recompute_full unfused_attention products_32bit "
		    "products_tf32 fp8_without_gain padding int8_products zero3_in_node tp_over_network weight_format" },
		{ ONE_NODE "mode=serve cluster.nodes=2 parallel.tp=16", "tp_over_network one_nic", "uneven_stages" },
		{ ONE_NODE "mode=serve cluster.nodes=2 parallel.tp=8", "one_nic", "tp_over_network" },
		{ ONE_NODE "mode=serve parallel.tp=8 serving.concurrency=1", "no_pool", "pool_full prompts_crowd client_bound" },
		{ ONE_NODE "mode=serve parallel.tp=8 serving.concurrency=2", "pool_full prompts_crowd client_bound", "" },
		{ ONE_NODE "mode=serve parallel.tp=8 serving.weight_dtype=fp8", "", "weight_format" },
		{ ONE_NODE "mode=serve parallel.tp=8 serving.weight_dtype=fp8 cluster.fp8_tflops=0", "weight_format", "" },
		{ ONE_NODE "mode=serve parallel.tp=8 serving.weight_dtype=mxfp4 cluster.fp4_tflops=0", "weight_format", "" },
		{ ONE_NODE "mode=serve parallel.tp=8 serving.weight_dtype=fp16", "", "weight_format" },
		{ ONE_NODE "mode=serve parallel.tp=8 serving.weight_dtype=int4", "weight_format", "" },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct plan p = settings_plan(HARDWARE, row[i].settings);

		assert_causes(&p, row[i].can, true);
		assert_causes(&p, row[i].can_not, false);
	}
}

/* How a number that is out of line is called follows from what it is of. */
TEST(test_verdicts)
{
	static const struct {
		enum measured_id id;
		const char *slower, *faster;
	} of[] = {
		{ MEASURED_STEP, "slower", "faster" }, { MEASURED_RESERVED, "fuller", "emptier" },
		{ MEASURED_KV_TOKENS, "smaller", "larger" }, { MEASURED_TPOT, "slower", "faster" },
	};
	char text[128], want[128];

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (int slower = 0; slower <= 1; slower++) {
			const struct diagnosed_term t = { .id = of[i].id, .error = .12,
				.verdict = slower ? TERM_SLOWER : TERM_FASTER };

			diagnosed_verdict(&t, text, sizeof text);
			text_put(want, sizeof want, "%s than the estimate's error, 12 %%",
			    slower ? of[i].slower : of[i].faster);
			assert_string_equal(text, want);
		}
	diagnosed_verdict(&(struct diagnosed_term){ .verdict = TERM_AS_ESTIMATED, .error = .09 }, text, sizeof text);
	assert_string_equal(text, "as estimated (+-9 %)");
}

/* What is excluded, or of no number, has no amount; a range is told where it is one. */
TEST(test_amounts)
{
	static struct diagnosis d;
	struct diagnosed_cause c = { .certainty = CERTAINTY_POSSIBLE, .low = 2, .high = 2.01 };
	char text[128];

	d.leading = MEASURED_STEP;
	diagnosed_amount(&d, &c, text, sizeof text);
	assert_string_equal(text, "2.000 s");
	c.high = 3;
	diagnosed_amount(&d, &c, text, sizeof text);
	assert_string_equal(text, "2.000 s to 3.000 s");
	c.certainty = CERTAINTY_EXCLUDED;
	diagnosed_amount(&d, &c, text, sizeof text);
	assert_string_equal(text, "");
	c.certainty = CERTAINTY_POSSIBLE;
	d.leading = MEASURED_COUNT;
	diagnosed_amount(&d, &c, text, sizeof text);
	assert_string_equal(text, "");
}

/* A profile's sums by class are told as of a step with the plan's compute, whatever its length, first class and
 * last alike; and of a run that tells no FLOP/s nothing is said of them. */
TEST(test_profile)
{
	static struct diagnosis once, again;
	static struct estimate work;
	const struct plan p = settings_plan(HARDWARE " cluster.generation=hopper cluster.hbm_gbps=3350 "
	    "cluster.fabric=nvlink4", ONE_NODE "parallel.tp=8");
	double of[2] = { 0 };

	memset(&run, 0, sizeof run);
	measured_add(&run, MEASURED_PRODUCTS, -1, 4, (struct place){ 0 });
	measured_add(&run, MEASURED_SEND, -1, 1, (struct place){ 0 });
	run.profiled = 8;
	diagnose_run(&once, &run, &p, defaults_catalog(), &work);
	run.profiled = 16;
	diagnose_run(&again, &run, &p, defaults_catalog(), &work);
	assert_int_equal(once.terms, 2);
	for (int i = 0; i < 2; i++) {
		near(again.term[i].measured, once.term[i].measured / 2);
		of[i] = once.term[i].measured;
	}
	near(of[0], 4 * of[1]);
	for (size_t i = 0; i < once.measures; i++)
		assert_null(strstr(once.measure[i], "FLOP a step"));
}

/* What a GPU lacked is what was asked for beyond what was free: another process or pieces give so much, or not. */
TEST(test_room)
{
	static struct estimate work;
	const struct plan p = settings_plan(HARDWARE " cluster.generation=hopper cluster.hbm_gbps=3350 cluster.fabric=nvlink4 "
	    "cluster.memory_gib=79.19", ONE_NODE "parallel.tp=8 training.global_batch_size=64");
	struct room room;

	memset(&run, 0, sizeof run);
	run.oom = (struct measured_oom){ .count = 1, .rank = -1, .asked = 3e9, .free = 1e9, .unallocated = 2.5e9 };
	diagnose_room(&room, &run, &p, defaults_catalog(), &work);
	near(room.lacked, 2e9);
	assert_int_equal(room.by, ROOM_PIECES);
	run.oom.others = 2e9;
	diagnose_room(&room, &run, &p, defaults_catalog(), &work);
	assert_int_equal(room.by, ROOM_OTHERS);
	run.oom.others = run.oom.unallocated = 1.9e9;
	diagnose_room(&room, &run, &p, defaults_catalog(), &work);
	assert_true(room.by != ROOM_OTHERS && room.by != ROOM_PIECES);
}

/* Which numbers a cause without fields makes worse. */
TEST(test_effects)
{
	static const struct {
		enum effect effect;
		enum measured_id id;
		bool adds;
	} of[] = {
		{ EFFECT_TOKEN, MEASURED_TTFT, false }, { EFFECT_TOKEN, MEASURED_TPOT, true },
		{ EFFECT_TOKEN, MEASURED_GENERATED, true }, { EFFECT_WAIT, MEASURED_TTFT, true },
		{ EFFECT_WAIT, MEASURED_GENERATED, true }, { EFFECT_WAIT, MEASURED_STEP, false },
		{ EFFECT_STEP, MEASURED_STEP, true }, { EFFECT_STEP, MEASURED_TFLOPS, true },
		{ EFFECT_STEP, MEASURED_FORWARD, false }, { EFFECT_STEP, MEASURED_IDLE, true },
		{ EFFECT_PASSES, MEASURED_FORWARD, true }, { EFFECT_PASSES, MEASURED_FORWARD_BACKWARD, true },
		{ EFFECT_PASSES, MEASURED_OPTIMIZER, false }, { EFFECT_MEMORY, MEASURED_ALLOCATED, true },
		{ EFFECT_MEMORY, MEASURED_TOTAL, true }, { EFFECT_MEMORY, MEASURED_STEP, false },
		{ EFFECT_ROLLOUT, MEASURED_RL_STEP, true }, { EFFECT_ROLLOUT, MEASURED_STEP, false },
		{ EFFECT_FIELDS, MEASURED_STEP, false },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (trial_adds_to(of[i].effect, of[i].id) != of[i].adds)
			fail_msg("row %zu", i);
}

/* Without a number only what lines state is a cause, and only of a plan that can have it. */
TEST(test_stated_alone)
{
	static struct diagnosis d;
	static struct estimate work;
	struct plan p = settings_plan(HARDWARE " cluster.pcie_gbps=64", ONE_NODE "parallel.tp=8");

	memset(&run, 0, sizeof run);
	diagnose_run(&d, &run, &p, defaults_catalog(), &work);
	assert_int_equal(d.causes, 0);
	measured_say(&run, EVIDENCE_NARROW_PCIE, "x4", 0, (struct place){ 0 });
	diagnose_run(&d, &run, &p, defaults_catalog(), &work);
	assert_int_equal(d.causes, 0);
	settings_put_all(&p, "cluster.nvlink_gbps=0");
	diagnose_run(&d, &run, &p, defaults_catalog(), &work);
	assert_int_equal(d.causes, 1);
	assert_string_equal(diagnosed_id(&d.cause[0]), "pcie_narrow");
}

/* Parts of a step are what the step is made of, and a response is its first token and those that follow. */
TEST(test_quantities)
{
	static struct estimate e;
	const char *const job = "cluster.generation=hopper cluster.hbm_gbps=3350 cluster.fabric=nvlink4 cluster.nodes=2 "
	    "parallel.tp=8 parallel.pp=2 training.global_batch_size=64 training.recompute=full";
	struct plan p = settings_plan(HARDWARE, job);

	estimate_run(&e, &p, defaults_catalog(), NULL);
	assert_true(e.legal && e.step.seconds > 0);
	near(quantity_estimate(MEASURED_SAMPLES, &p, &e) * e.step.seconds, 64);
	near(quantity_estimate(MEASURED_FORWARD, &p, &e) + quantity_estimate(MEASURED_BACKWARD, &p, &e),
	    quantity_estimate(MEASURED_FORWARD_BACKWARD, &p, &e));
	assert_true(quantity_estimate(MEASURED_BACKWARD, &p, &e) > 2 * quantity_estimate(MEASURED_FORWARD, &p, &e));
	assert_true(quantity_estimate(MEASURED_FORWARD_BACKWARD, &p, &e) < e.step.seconds);
	near(quantity_estimate(MEASURED_COMPUTE, &p, &e), e.step.compute_seconds + e.step.recompute_seconds +
	    e.step.optimizer_seconds);
	p = settings_plan(HARDWARE, ONE_NODE "mode=serve layout=vllm parallel.tp=8 serving.generate_tokens=101");
	memset(&e, 0, sizeof e);
	e.served = true;
	e.serve.ttft_seconds = 1;
	e.serve.tpot_seconds = .01;
	near(quantity_estimate(MEASURED_RL_ROLLOUT, &p, &e), 2);
	e.serve.running = 48; /* an engine's log tells its own */
	near(quantity_estimate(MEASURED_RUNNING, &p, &e), 48);
	settings_put_all(&p, "cluster.nodes=2 serving.replicas=2");
	near(quantity_estimate(MEASURED_RUNNING, &p, &e), 24);
}

/* What the run says of itself explains a slow step where it makes steps longer, not where it makes them shorter. */
TEST(test_mismatches)
{
	static struct diagnosis d;
	static struct estimate work;
	const struct plan p = settings_plan(HARDWARE " cluster.generation=hopper cluster.hbm_gbps=3350 "
	    "cluster.fabric=nvlink4", ONE_NODE "parallel.tp=8 training.global_batch_size=64");
	double seconds;

	estimate_run(&work, &p, defaults_catalog(), NULL);
	seconds = work.step.seconds;
	for (int batch = 32; batch <= 128; batch *= 4) {
		size_t own = 0;

		memset(&run, 0, sizeof run);
		for (int step = 0; step < 20; step++)
			measured_add(&run, MEASURED_STEP, step, 1.8 * seconds, (struct place){ 0 });
		measured_fact(&run, FIELD_GLOBAL_BATCH_SIZE, batch == 32 ? "32" : "128", batch, (struct place){ 0 });
		diagnose_run(&d, &run, &p, defaults_catalog(), &work);
		assert_int_equal(d.mismatches, 1);
		near(d.difference, .8 * seconds);
		for (size_t i = 0; i < d.causes; i++)
			own += d.cause[i].cause == NULL;
		assert_int_equal(own, batch == 128);
		for (size_t i = 0; i < d.measures; i++)
			assert_null(strstr(d.measure[i], "FLOP a step")); /* it tells none */
	}
}

/* Another number of GPUs is other nodes where they are whole, of few another node, else the job's. */
TEST(test_other_worlds)
{
	static const struct {
		double world;
		enum field_id field;
		const char *run;
	} of[] = { { 64, FIELD_NODES, "8" }, { 4, FIELD_GPUS_PER_NODE, "4" }, { 20, FIELD_NONE, "20" } };
	const struct plan p = settings_plan(HARDWARE, "nodes=2 gpus_per_node=8");

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct mismatch found[DIAGNOSE_MISMATCHES];
		struct plan other;

		memset(&run, 0, sizeof run);
		measured_fact(&run, FACT_WORLD, "", of[i].world, (struct place){ 0 });
		assert_int_equal(diagnose_mismatches(found, &other, &run, &p, defaults_catalog()), 1);
		assert_int_equal(found[0].field, of[i].field);
		assert_string_equal(found[0].run, of[i].run);
		if (of[i].field != FIELD_NONE)
			assert_int_equal(plan_world(&other), (int64_t)of[i].world);
	}
}

/* What a link is expected to show: inside a node what NVLink gives, between nodes no more than a GPU's NIC,
 * whatever the GPUs of a node, and nearly that of a large message. */
TEST(test_link_rates)
{
	static const char *const gpus[] = { "1", "2", "4", "8" };

	for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
		static struct estimate e;
		struct plan p;
		double bus, experts;

		plan_builtin(&p);
		settings_put(&p, "cluster.nodes", "4");
		settings_put(&p, "cluster.gpus_per_node", gpus[i]);
		settings_put(&p, "cluster.nics_per_node", gpus[i]);
		settings_put(&p, "cluster.nvlink_gbps", "450");
		settings_put(&p, "cluster.nic_gbps", "400");
		estimate_run(&e, &p, NULL, NULL);
		bus = quantity_estimate(MEASURED_NETWORK_BUS, &p, &e);
		experts = quantity_estimate(MEASURED_EXPERTS_BUS, &p, &e);
		assert_true(experts > .5 * 50e9 && experts <= 50e9);
		/* a ring crosses to the next node with all NICs of a node at once */
		assert_true(bus > 0 && bus <= 50e9 * strtod(gpus[i], NULL));
		if (i > 0) /* a switch that adds halves what a link carries */
			assert_true(quantity_estimate(MEASURED_NVLINK_BUS, &p, &e) <= 2 * 450e9);
		settings_put(&p, "cluster.nodes", "1");
		assert_true(quantity_estimate(MEASURED_EXPERTS_BUS, &p, &e) <= 0); /* no other node */
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
