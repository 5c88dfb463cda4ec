/*
 * test_run.c - the whole run: intervals and goodput against trials, checkpoints by framework and
 * format, stages of batches, where a run goes on, spare nodes, power and money.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/estimate/estimate.h"
#include "core/plan/ramp.h"
#include "core/plan/nodes.h"
#include "core/run/failure.h"
#include "core/run/lost.h"
#include "core/train/step_stages.h"
#include "settings.h"

/* H100 and Llama 3.1 8B as the catalogue has them. */
#define H100 "generation=hopper fabric=nvlink4 memory_gib=79.19 hbm_gbps=3350 bf16_tflops=989 " \
	"fp8_tflops=1979 nvlink_gbps=450 pcie_gbps=64 tdp_watts=700 "
#define BASE H100 "nodes=8 global_batch_size=512 training.token_budget=1000 "
#define BYTES_8B 8030261248.0

static struct estimate storage, *const estimate = &storage;

static const struct run_estimate *
run(const char *settings)
{
	const struct plan p = settings_plan(BASE, settings);

	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal);
	assert_true(estimate->ran);
	return &estimate->run;
}

static void
near(double is, double expected, double share)
{
	if (!(fabs(is - expected) <= share * fabs(expected)))
		fail_msg("%.10g is not %.10g within %g", is, expected, share);
}

static double
goodput(double interval, double blocking, double mean, double restart, double writing)
{
	return failure_goodput(&(struct failures){ mean, blocking, restart, writing }, interval);
}

/* ---- failures ----------------------------------------------------------------------------- */

TEST(best_interval)
{
	static const double cases[][2] = { { 10, 11000 }, { 60, 1800 }, { 600, 1800 }, { 5000, 1800 },
		{ 0.5, 1e6 }, { 1e-3, 1e7 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double b = cases[i][0], m = cases[i][1], t = failure_interval(b, m);

		near((1 - t / m) * exp((t + b) / m), 1, 1e-6);
		for (int k = 200; k < 3000; k++)
			assert_true(goodput(t * k / 1000, b, m, 600, 60) <= goodput(t, b, m, 600, 60) * (1 + 1e-12));
	}
	near(failure_interval(1e-4, 1e6), sqrt(2 * 1e-4 * 1e6), 1e-4); /* Young 1974 */
	near(failure_interval(1e5, 1000), 1000, 1e-6);
	assert_true(isinf(failure_interval(10, INFINITY)));
	near(goodput(90, 10, INFINITY, 600, 60), 0.9, 1e-12); /* nothing fails: saves alone */
	near(goodput(0, 0, 6000, 500, 100), exp(-0.1), 1e-12); /* saves that take no time, always */
	near(goodput(1e-3, 0, 6000, 500, 100), goodput(0, 0, 6000, 500, 100), 1e-6);
	assert_true(failure_interval(0, 1000) <= 0);
}

/* Seconds to advance by `steps` intervals, with interruptions drawn one by one: also while a save
 * is made and while the job restarts. */
static double
trial(uint64_t *seed, double interval, double blocking, double mean, double restart, int steps)
{
	double now = 0, left = 0;
	int done = 0;
	bool up = true;

	while (done < steps) {
		const double need = up ? interval + blocking : restart;

		if (!(left > 0)) {
			*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			left = -mean * log(((double)(*seed >> 11) + 0.5) / 9007199254740992.0);
		}
		if (need <= left) {
			now += need;
			left -= need;
			done += up;
			up = true;
		} else {
			now += left;
			left = 0;
			up = false;
		}
	}
	return now;
}

TEST(goodput_of_trials)
{
	static const double cases[][4] = { { 450, 10, 11000, 600 }, { 300, 60, 1800, 600 },
		{ 2000, 30, 1080, 600 } };
	uint64_t seed = 42;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double t = cases[i][0], b = cases[i][1], m = cases[i][2], r = cases[i][3];
		const double seconds = trial(&seed, t, b, m, r, 200000);

		near(goodput(t, b, m, r, 0), 200000 * t / seconds, 0.01);
	}
}

TEST(published_goodput)
{
	const double llama = 54 * 86400 / 419.0, b = 10;

	/* Llama 3: above 0.90 asks for fast saves and short restarts; FT-HSDP: 0.44 with a failure
	 * every 18 minutes and restarts of 10. */
	near(goodput(failure_interval(b, llama), b, llama, 600, 60), 0.903, 0.002);
	near(goodput(failure_interval(30, 1080), 30, 1080, 600, 0), 0.449, 0.003);
	near(failure_mean(2048, 6.5), 1.8 * 3600, 0.01);
	near(failure_mean(16384, 6.5), 0.23 * 3600, 0.03);
	assert_true(isinf(failure_mean(2048, 0)));
}

TEST(spare_nodes)
{
	assert_int_equal(failure_spares(512, 4, 72), 13);
	assert_int_equal(failure_spares(1, 4, 72), 1);
	assert_int_equal(failure_spares(8, 0, 72), 0);
	assert_true(failure_spares(2000000, 4, 72) > 24000);
	assert_true(failure_spares(2000000, 4, 72) < 24800);
	assert_int_equal(failure_spares(3, 1e6, 1e6), 3);
}

/* ---- checkpoints ------------------------------------------------------------------------- */

TEST(bytes_of_formats)
{
	static const struct {
		const char *settings;
		double bytes;  /* a parameter */
	} cases[] = {
		{ "", 14 }, { "zero_stage=0", 14 }, { "precision=fp32 tf32=true zero_stage=0", 12 },
		{ "precision=fp32 zero_stage=1", 16 }, { "optimizer=sgd", 10 },
		{ "precision_aware_optimizer=true moments_dtype=bf16", 10 },
		{ "run.checkpoint_format=torch", 14 }, { "parallel.layout=deepspeed zero_stage=3", 14 },
		{ "parallel.layout=deepspeed zero_stage=1 parallel.offload=optimizer", 14 },
		{ "parallel.layout=torchtitan zero_stage=3", 12 }, { "parallel.layout=nanotron tp=2", 14 },
		{ "parallel.layout=deepspeed zero_stage=0 tp=1 run.checkpoint_format=safetensors "
		  "parallel.zero_stage=0", 6 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		near(run(cases[i].settings)->checkpoint.all, cases[i].bytes * BYTES_8B, 1e-3);
}

/* Whatever the sizes, each parameter once; a padded vocabulary counts. */
TEST(once)
{
	near(run("tp=2 pp=4")->checkpoint.all, 14 * BYTES_8B, 1e-9);
	near(run("vocab_multiple=4096 tp=8")->checkpoint.all,
	    14 * (BYTES_8B + (131072 - 128256) * 4096.0 * 2), 1e-9);
	near(run("tp=2 zero_stage=3 cp=2")->checkpoint.all, 14 * BYTES_8B, 1e-9);
}

TEST(adapters_alone)
{
	const struct run_estimate *r = run("finetune.method=lora finetune.rank=16 tp=1");

	near(r->checkpoint.all, 14 * estimate->params_trainable, 1e-9);
	assert_true(r->checkpoint.all < 1e9);
	r = run("parallel.layout=deepspeed zero_stage=0 finetune.method=lora finetune.adapter_dtype=fp32");
	near(r->checkpoint.all, 12 * estimate->params_trainable, 1e-9);
	assert_true(r->checkpoint.writers <= 1);
}

TEST(who_writes)
{
	const double all = 14 * BYTES_8B;

	near(run("tp=2 pp=1")->checkpoint.rank, all / 64, 1e-3);
	near(run("tp=2 pp=1 run.checkpoint_format=torch")->checkpoint.rank, all / 2, 1e-3);
	near(run("tp=2 pp=1 run.checkpoint_format=torch")->checkpoint.node, all, 1e-3);
	near(run("parallel.layout=deepspeed zero_stage=1 tp=2")->checkpoint.rank,
	    BYTES_8B * (2.0 / 2 + 12.0 / 64), 1e-3);
	near(run("parallel.layout=deepspeed zero_stage=3")->checkpoint.rank, all / 64, 1e-3);
	near(run("parallel.layout=deepspeed zero_stage=3 run.gather_16bit=true")->checkpoint.host,
	    2 * BYTES_8B, 1e-3);
	near(estimate->run.checkpoint.all, 16 * BYTES_8B, 1e-3);
	/* torch_dist waits in host memory, also while steps wait: bytes over nodes. */
	near(run("run.checkpoint_async=false")->checkpoint.host, all / 8, 1e-3);
	assert_true(run("parallel.layout=deepspeed zero_stage=3")->checkpoint.host <= 0);
}

TEST(seconds_of_saves)
{
	const struct run_estimate *r = run("");

	assert_true(r->save_seconds <= 0 && r->load_seconds <= 0);
	near(r->gbps_needed, 14 * BYTES_8B / 1e9 / smaller(r->interval, 0.01 * r->failures.mean), 0.01);
	r = run("cluster.storage_gbps=10 cluster.storage_read_gbps=20");
	near(r->save_seconds, 2 + 14 * BYTES_8B / 10e9, 1e-3);
	near(r->load_seconds, 2 + (2 * 64 + 12) * BYTES_8B / 20e9, 1e-3);
	near(run("cluster.storage_gbps=10 cluster.node_storage_gbps=0.5")->save_seconds,
	    2 + 14 * BYTES_8B / 8 / 0.5e9, 1e-3);
	/* Steps that wait: b is the save. Beside them: written before the next one. */
	r = run("cluster.storage_gbps=1 run.checkpoint_async=false");
	near(r->failures.blocking, r->save_seconds, 1e-9);
	r = run("cluster.storage_gbps=0.1 run.checkpoint_interval=60");
	assert_true(r->interval >= r->save_seconds);
	/* Saves stand between steps: the number of these that comes nearest to what is asked for. */
	for (int halves = 20; halves < 23; halves++) {
		char text[64];
		double step;

		r = run("cluster.storage_gbps=100");
		step = r->step_seconds[0];
		text_put(text, sizeof text, "cluster.storage_gbps=100 run.checkpoint_interval=%.9g", (halves + 0.2) / 2 * step);
		near(run(text)->interval / step, (halves + 1) / 2, 1e-6);
	}
	near(run("run.checkpoint_keep=4")->storage_bytes, 5 * 14 * BYTES_8B, 1e-3);
	/* Without a rate, steps that wait for saves do so for 1 % of the time. */
	r = run("run.checkpoint_async=false");
	near(r->failures.blocking / failure_interval(r->failures.blocking, r->failures.mean), 0.01, 1e-3);
	near(r->gbps_needed, r->checkpoint.all / r->failures.blocking / 1e9, 1e-9);
}

/* ---- stages ------------------------------------------------------------------------------ */

static bool
read_ramp(struct ramp *ramp, const char *schedule, const char *budget)
{
	struct plan p = settings_plan(BASE, "sequence_length=8192 global_batch_size=2048");
	char err[256];

	settings_set(&p, "training.token_budget", budget);
	settings_set(&p, "run.batch_schedule", schedule);
	return ramp_of(ramp, &p, err, sizeof err);
}

TEST(stages)
{
	struct ramp r;

	assert_true(read_ramp(&r, "4096x4M@252M,8192x8M@2.87T", "15600"));
	assert_int_equal(r.count, 3);
	assert_int_equal(r.stage[0].sequence, 4096);
	assert_int_equal(r.stage[0].batch, 1024);  /* 4M that are whole sequences: 4 x 2^20 */
	assert_int_equal(r.stage[1].batch, 1024);
	near(r.stage[0].steps, ceil(252e6 / (1024 * 4096)), 0);
	near(r.stage[1].tokens, 2.87e12 - 252e6, 1e-12);
	assert_int_equal(r.stage[2].batch, 2048);
	near(r.stage[2].tokens, 15.6e12 - 2.87e12, 1e-12);
	assert_true(read_ramp(&r, "8000x8M", "1"));
	assert_int_equal(r.stage[0].batch, 1000);  /* decimal where that is whole */
	assert_int_equal(r.count, 1);
	assert_true(read_ramp(&r, "4096x4M@5T", "100"));   /* the budget ends first */
	assert_int_equal(r.count, 1);
	near(r.stage[0].tokens, 100e9, 1e-12);
}

TEST(bad_stages)
{
	static const char *const bad[] = { "4096", "x", "4096x", "x4M", "4096x5000@1B", "4096x4M@",
		"4096x4M@1B,8192x8M@1B", "4096x4M@0", "4096x4M@-1B", "0x4M", "4096x4Q", "nanx4M",
		"4096x4M@1B,,8192x8M", "1e30x1e30", "4096x4M@infB", "-4096x-4M",
		"4096x1e300T", "4096x-4M", "nanx4M@nan", "4096x4M@nan" };
	struct ramp r;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (read_ramp(&r, bad[i], "15600"))
			fail_msg("%s was read", bad[i]);
		assert_int_equal(r.count, 1);
	}
}

/* Nemotron-4 340B: 200B tokens at 768 x 4096 and 10.3 s, 200B at 1,536, 7,600B at 2,304 and 8 s:
 * 85.9 days (arXiv 2406.11704, table 2). */
TEST(nemotron)
{
	static const double seconds[] = { 10.3, 10.3, 8.0 };
	struct plan p = settings_plan(BASE, "sequence_length=4096 global_batch_size=2304 "
	    "training.token_budget=8000 run.batch_schedule=4096x3145728@200B,4096x6291456@400B");
	struct ramp r;
	char err[256];
	double sum = 0;

	assert_true(ramp_of(&r, &p, err, sizeof err));
	assert_int_equal(r.count, 3);
	for (int i = 0; i < 3; i++)
		sum += r.stage[i].steps * seconds[i];
	near(sum / 86400, 85.9, 0.002);
}

TEST(staged_run)
{
	const struct run_estimate *r = run("run.batch_schedule=4096x524288@100B");

	assert_int_equal(r->ramp.count, 2);
	assert_int_equal(r->ramp.stage[0].batch, 128);
	assert_true(r->step_seconds[0] < r->step_seconds[1]);
	near(r->net_seconds, r->ramp.stage[0].steps * r->step_seconds[0] +
	    r->ramp.stage[1].steps * r->step_seconds[1], 1e-12);
	assert_true(r->net_days * 86400 > estimate->step.training_seconds);
}

/* A page of accelerate's: 110 batches, accumulated by 2: step 150 is epoch 2, step 40. */
TEST(goes_on)
{
	const struct run_estimate *r = run("parallel.layout=deepspeed zero_stage=1 global_batch_size=64 "
	    "sequence_length=4096 training.token_budget=1 run.dataset_tokens=0.01441792 "
	    "run.consumed_samples=9600");

	near(r->place.step, 150, 0);
	near(r->place.epoch, 2, 0);
	near(r->place.epoch_step, 40, 0);
	/* 3,500 sequences are 54.7 steps of 64: accelerate has 55 in an epoch, Megatron-LM goes on. */
	r = run("parallel.layout=deepspeed zero_stage=1 global_batch_size=64 training.token_budget=1 "
	    "run.dataset_tokens=0.014336 run.consumed_samples=10560");
	near(r->place.epoch, 3, 0);
	near(r->place.epoch_step, 0, 0);
	r = run("global_batch_size=64 training.token_budget=1 run.dataset_tokens=0.014336 "
	    "run.consumed_samples=10560");
	near(r->place.epoch, 3, 0);
	near(r->place.epoch_step, 0, 0);
	assert_true(10560 - 3 * 3500 == 60);
	near(r->epochs, 1 / 0.014336, 1e-9);
}

/* ---- days, power, money ------------------------------------------------------------------- */

TEST(days)
{
	const struct run_estimate *r = run("run.eval_interval=1000 run.eval_seconds=30");
	const double busy = r->net_seconds + floor(r->steps / 1000) * 30;

	near(r->days * 86400, busy / r->goodput, 1e-9);
	near(r->days, r->net_days + floor(r->steps / 1000) * 30 / 86400 + r->saving_days + r->lost_days, 1e-9);
	assert_true(r->days_low < r->days && r->days < r->days_high);
	assert_true(r->goodput_low < r->goodput && r->goodput < r->goodput_high);
	near(r->interruptions, r->days * 8 * 4 / 1000, 1e-9);
	near(r->gpu_hours, r->days * 24 * 64, 1e-9);
	r = run("run.failures_per_1000_node_days=0");
	near(r->goodput, 1, 1e-12);
	near(r->days, r->net_days, 1e-12);
	assert_true(r->interruptions <= 0 && r->interval <= 0);
	/* What the plan says has no range. */
	r = run("run.failures_per_1000_node_days=4 run.restart_minutes=10");
	near(r->goodput_low, r->goodput_high, 1e-12);
}

TEST(range_at_scale)
{
	const struct run_estimate *r = run("nodes=2048 tp=8 global_batch_size=2048 zero_stage=1");

	assert_true(r->goodput_low > 0.66 && r->goodput_low < 0.78);
	assert_true(r->goodput_high > 0.95 && r->goodput_high < 0.98);
}

TEST(power)
{
	const struct run_estimate *r = run("");
	double waits;

	waits = (estimate->step.exposed_comm_seconds + estimate->step.bubble_seconds) /
	    estimate->step.seconds;
	assert_true(r->gpu_watts < 700 && r->gpu_watts > 700 * (1 - waits) * 0.9);
	near(r->host_watts, 2500, 1e-9);
	near(r->mwh, r->gpu_hours * (r->gpu_watts + 2500 / 8.0) * 1.2 / 1e6, 1e-9);
	near(r->joules_per_token, (r->gpu_watts + 2500 / 8.0) * 64 / estimate->step.tokens_per_second, 1e-9);
	near(run("cluster.gpu_power_watts=400")->gpu_watts, 400, 1e-9);
	r = run("cluster.kwh_co2_kg=0.385");
	near(r->co2_tonnes, r->mwh * 0.385, 1e-9);
	/* Nobody has published the host of others. */
	assert_true(run("generation=cdna3")->mwh <= 0);
	assert_true(run("generation=cdna3 cluster.host_watts=3000")->mwh > 0);
}

TEST(money)
{
	const struct run_estimate *r = run("cluster.gpu_hour_price=2");

	near(r->cost, 2 * r->gpu_hours, 1e-12);
	r = run("cluster.gpu_hour_price=2 run.spare_nodes=2 cluster.tb_month_price=20 cluster.kwh_price=0.1");
	near(r->cost, 2 * r->gpu_hours * 1.25 + r->storage_bytes / 1e12 * 20 * r->days / 30 +
	    1000 * r->mwh * 0.1, 1e-9);
	assert_true(run("")->cost <= 0);
}

/* ---- nodes ------------------------------------------------------------------------------- */

TEST(names_of_nodes)
{
	static const struct {
		const char *list;
		int64_t count;
		int64_t i;
		const char *name;
	} cases[] = {
		{ "n[001-064]", 64, 16, "n017" }, { "a,b,c", 3, 1, "b" }, { "n[1,3-4]x", 3, 2, "n4x" },
		{ "a[1-2]b[1-2]", 4, 2, "a2b1" }, { "n[1,3,5-6]", 4, 3, "n6" }, { "fat1,n[8-10]", 4, 3, "n10" }, { "tux", 1, 0, "tux" },
		{ "", 0, 0, "" }, { "n[", -1, 0, "" }, { "n]", -1, 0, "" }, { "n[3-1]", -1, 0, "" },
		{ "n[a]", -1, 0, "" }, { "n[]", -1, 0, "" }, { ",", -1, 0, "" }, { "n[[1]]", -1, 0, "" },
		{ "n[1-99999999999999999999]", -1, 0, "" }, { "n[0-9999][0-9999]", -1, 0, "" },
	};
	char name[NODE_NAME_SIZE];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (nodes_count(cases[i].list) != cases[i].count)
			fail_msg("%s: %lld", cases[i].list, (long long)nodes_count(cases[i].list));
		if (cases[i].count >= 0) {
			nodes_name(cases[i].list, cases[i].i, name, sizeof name);
			assert_string_equal(name, cases[i].name);
		}
	}
}

static double
step_with(const char *settings)
{
	run(settings);
	return estimate->step.seconds;
}

/* All wait for the slowest: on one stage by as much as its work, on another stage than the fullest
 * by less, and no more for two that are as slow. */
TEST(slow_nodes_wait)
{
	const double plain = step_with("tp=8");
	const double work = estimate->step.compute_seconds;
	double last, first;

	near(step_with("tp=8 slow_nodes=n3*0.8"), plain + work / 4, 1e-9);
	near(step_with("tp=8 slow_nodes=n3*0.8,n5*0.8"), plain + work / 4, 1e-9);
	near(step_with("tp=8 slow_nodes=n0-n7*0.5"), plain + work, 1e-9);
	near(step_with("tp=8 slow_nodes=n3*1"), plain, 1e-12);
	first = step_with("tp=8 pp=4 slow_nodes=n2*0.8"); /* a middle stage, */
	last = step_with("tp=8 pp=4 slow_nodes=n7*0.8");  /* and one with the head */
	assert_true(first < last && first > step_with("tp=8 pp=4"));
	near(step_with("tp=8 node_list=a-[1-8] slow_nodes=a-4*0.8"), plain + work / 4, 1e-9);
}

/* Of a node with fewer GPUs the places that have none are in no stage. */
TEST(slow_small_node)
{
	const struct plan p = settings_plan(BASE, "nodes=2 node_gpus=8,4 tp=4 pp=3 layers=33 global_batch_size=64 "
	    "slow_nodes=n1*0.5");
	double factor[STAGE_CHUNKS_MAX];
	struct layout l;

	assert_true(layout_init(&l, &p, NULL));
	assert_true(step_stages_slowness(factor, &p, &l));
	near(factor[0], 1, 1e-12);
	near(factor[1], 1, 1e-12);
	near(factor[2], 0.5, 1e-12);
}

/* GBS 2,048 on DP 127: 2,032 sequences, or 64 ranks. */
TEST(one_node_lost)
{
	struct plan p = settings_plan(BASE, "nodes=256 tp=8 pp=2 global_batch_size=2048");
	struct lost_nodes lost;

	lost = lost_of(&p, 1);
	assert_int_equal(lost.dp, 127);
	assert_int_equal(lost.less.batch, 2032);
	assert_int_equal(lost.less.idle, 8);
	assert_true(lost.less.seconds > 0);
	assert_int_equal(lost.same.dp, 64);
	assert_int_equal(lost.same.idle, 255 * 8 - 64 * 16);
	assert_true(lost.same.seconds > 1.5 * lost.less.seconds);
	settings_put(&p, "global_batch_size", "2032");
	settings_put(&p, "nodes", "254");
	lost = lost_of(&p, 0);
	assert_int_equal(lost.same.dp, 127);
	assert_int_equal(lost.same.idle, 0);
	lost = lost_of(&p, 254);
	assert_int_equal(lost.dp, 0);
}

/* Nodes beyond the plan's stand in for those that are down, each for one of them. */
TEST(dead_nodes_replaced)
{
	static const struct {
		const char *settings;
		int64_t missing, at;     /* nodes down; and the one that serves as node 3, -1: none does */
	} cases[] = {
		{ "dead_nodes=3", 1, -1 }, { "dead_nodes=n3", 1, -1 }, { "dead_nodes=n2-n4", 3, -1 }, { "dead_nodes=7", 1, 3 },
		{ "dead_nodes=3 run.spare_nodes=1", 0, 8 }, { "dead_nodes=1,3 run.spare_nodes=2", 0, 9 },
		{ "run.spare_nodes=2 dead_nodes=3,8", 0, 9 }, { "run.spare_nodes=2 dead_nodes=3,8-9", 1, -1 },
		{ "node_list=a[1-8] dead_nodes=a4", 1, -1 }, { "node_list=a[1-9] dead_nodes=a4", 0, 8 },
		{ "node_list=a[1-10] dead_nodes=a[2,4,9]", 1, -1 }, { "node_list=a[1-8] dead_nodes=a4 run.spare_nodes=1", 0, 8 },
	};
	char name[NODE_NAME_SIZE];
	struct dead_nodes dead;
	struct plan p;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		p = settings_plan(BASE, cases[i].settings);
		assert_true(nodes_dead(&dead, &p, name, sizeof name));
		if (nodes_missing(&p) != cases[i].missing || nodes_serving(&dead, &p, 3) != cases[i].at)
			fail_msg("%s: %lld, %lld", cases[i].settings, (long long)nodes_missing(&p),
			    (long long)nodes_serving(&dead, &p, 3));
	}
	p = settings_plan(BASE, "node_list=a[1-9] dead_nodes=a4");
	nodes_call(&p, 3, name, sizeof name);
	assert_string_equal(name, "a9");
	assert_int_equal(nodes_missing(&(struct plan){ .cluster.nodes = 4 }), 0);
}

/* ---- warnings ----------------------------------------------------------------------------- */

static bool
warns(const char *settings, const char *reason)
{
	const struct plan p = settings_plan(BASE, settings);

	estimate_run(estimate, &p, NULL, NULL);
	return diag_has(&estimate->diags, reason);
}

/* GBS 2,048 on 127 of 128 ranks; a mend is whole, or there is none. */
TEST(dead_nodes_told)
{
	struct plan p = settings_plan(BASE, "nodes=256 tp=8 pp=2 global_batch_size=2048");
	const struct diag *d = &estimate->diags.item[0];

	settings_put(&p, "dead_nodes", "17");
	estimate_run(estimate, &p, NULL, NULL);
	assert_string_equal(d->reason, "nodes_dead");
	assert_int_equal(d->severity, SEVERITY_WARNING);
	assert_non_null(strstr(d->message, "1 of 256 nodes is down"));
	assert_non_null(strstr(d->message, "DP 127 takes 2032 of 2048 sequences (--decrease-batch-size-if-needed), 1 node idle"));
	assert_int_equal(d->fix_field, FIELD_NONE); /* nodes, batch and what stands in are three */
	settings_put(&p, "node_list", "n[000-255]");
	settings_put(&p, "dead_nodes", "n017");
	estimate_run(estimate, &p, NULL, NULL);
	assert_int_equal(d->fix_field, FIELD_NODES);
	settings_put(&p, "nodes", d->fix_value);
	settings_put(&p, "global_batch_size", d->also_value);
	assert_int_equal(p.cluster.nodes, 254);
	assert_int_equal(p.training.global_batch_size, 2032);
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal);
	assert_false(diag_has(&estimate->diags, "nodes_dead"));
	/* without a run as well; copies of the sharded state divide the ranks, or go as wholes: 15 of 16 */
	p = settings_plan(H100, "layout=torchtitan nodes=128 zero_stage=3 dp_replicate=16 global_batch_size=2048 dead_nodes=5");
	estimate_run(estimate, &p, NULL, NULL);
	assert_non_null(strstr(d->message, "DP 1008 takes 2016 of 2048 sequences"));
	settings_put(&p, "dp_replicate", "128");
	estimate_run(estimate, &p, NULL, NULL);
	assert_non_null(strstr(d->message, "DP 1016 takes 2032 of 2048 sequences"));
	assert_false(warns("nodes=256 tp=8 pp=2 dead_nodes=17 run.spare_nodes=1", "nodes_dead"));
	assert_true(warns("node_list=n[0-7] dead_nodes=n8", "dead_nodes_unreadable"));
	assert_false(warns("dead_nodes=n8", "dead_nodes_unreadable")); /* unnamed: one of other nodes */
	assert_true(warns("dead_nodes=n1,n1", "dead_nodes_unreadable"));
}

TEST(warnings)
{
	assert_true(warns("host_memory_gib=12", "save_does_not_fit_host"));
	assert_false(warns("host_memory_gib=16", "save_does_not_fit_host"));
	assert_false(warns("", "save_does_not_fit_host"));
	assert_true(warns("tp=8 pp=4 slow_nodes=n7*0.5", "slow_nodes_elsewhere"));
	assert_true(warns("tp=8 slow_nodes=n7*0.5", "slow_nodes_wait"));
	assert_true(warns("run.restart_minutes=1000000", "run_never_ends"));
	assert_false(estimate->ran);
	assert_true(warns("run.failures_per_1000_node_days=1000 run.checkpoint_interval=1e9", "run_never_ends"));
	assert_true(warns("", "node_lost"));
	assert_false(warns("nodes=1 global_batch_size=64", "node_lost"));
	assert_true(warns("nodes=3 tp=8 global_batch_size=48", "nodes_odd"));
	assert_true(warns("nodes=6 tp=8 pp=2 global_batch_size=48", "nodes_odd")); /* DP over every second */
	assert_non_null(strstr(estimate->diags.item[0].message, "on 4, DP 4 with 64 sequences, steps in"));
	assert_false(warns("nodes=3 tp=8 pp=3 global_batch_size=48", "nodes_odd"));
	assert_false(warns("nodes=3 tp=8 global_batch_size=48 nics_per_node=1", "nodes_odd"));
	assert_false(warns("nodes=4 tp=8 global_batch_size=64", "nodes_odd"));
	assert_true(warns("slow_nodes=n8*0.5", "slow_nodes_unreadable"));
	assert_true(warns("slow_nodes=n1", "slow_nodes_unreadable"));
	assert_true(warns("node_list=n[1-7]", "node_list_unreadable"));
	assert_true(warns("run.deadline_days=1", "deadline_missed"));
	assert_true(warns("run.checkpoint_format=dcp", "checkpoint_format_unknown"));
	assert_false(estimate->legal);
	assert_true(warns("run.batch_schedule=nonsense", "batch_schedule_unreadable"));
	assert_true(warns("run.batch_schedule=4096x4096@1B", "batch_schedule_not_divisible"));
	assert_true(warns("nodes=512 tp=8 run.spare_nodes=2 global_batch_size=1024", "spares_run_out"));
	assert_false(warns("nodes=512 tp=8 run.spare_nodes=13 global_batch_size=1024", "spares_run_out"));
	assert_true(warns("run.dataset_tokens=200", "data_repeated"));
	assert_false(warns("run.dataset_tokens=250", "data_repeated"));
	assert_true(warns("run.checkpoint_format=torch run.checkpoint_async=true", "async_save_not_offered"));
	assert_true(warns("pp=4 vpp=2 run.batch_schedule=4096x131072@1B", "batch_schedule_refused"));
	assert_false(estimate->ran);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
