/*
 * test_scope.c - the quick estimate, that of a search, says what the whole one says, to the
 * bit: whatever plans its scope saw before, and wherever it ends.
 */
#include <math.h>
#include <stdlib.h>

#include "core/estimate/estimate.h"
#include "core/estimate/scope.h"
#include "core/framework/resolve.h"
#include "core/rules/step.h"
#include "core/train/update.h"
#include "settings.h"
#include "share.h"
#include "../torture/random.h"

static const struct enough all = { { INFINITY, INFINITY }, INFINITY };
static struct estimate *whole, *quick;
static struct scope scope;
static struct dice dice;

static void
same(double a, double b)
{
	assert_memory_equal(&a, &b, sizeof a);
}

static void
compare_traffic(const struct traffic *a, const struct traffic *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct traffic_row *x = &a->row[i], *y = &b->row[i];

		assert_int_equal(x->dim, y->dim);
		assert_string_equal(x->collective, y->collective);
		assert_int_equal(x->span.size, y->span.size);
		assert_int_equal(x->span.kind, y->span.kind);
		same(x->calls, y->calls);
		same(x->bytes, y->bytes);
		same(x->seconds, y->seconds);
		same(x->exposed_seconds, y->exposed_seconds);
	}
}

static void
compare(void)
{
	assert_int_equal(quick->peak_stage, whole->peak_stage);
	same(quick->peak_total, whole->peak_total);
	same(quick->capacity, whole->capacity);
	assert_int_equal(quick->fits, whole->fits);
	assert_int_equal(quick->tight, whole->tight);
	same(quick->peak_low, whole->peak_low);
	same(quick->peak_high, whole->peak_high);
	assert_int_equal(quick->microbatches, whole->microbatches);
	assert_memory_equal(&quick->stage[quick->peak_stage].memory,
	    &whole->stage[whole->peak_stage].memory, sizeof(struct memory));
	assert_int_equal(quick->timed, whole->timed);
	assert_int_equal(quick->served, whole->served);
	if (whole->timed) {
		compare_traffic(&quick->traffic, &whole->traffic);
		assert_memory_equal(&quick->step, &whole->step, sizeof quick->step);
	}
	if (whole->served) {
		same(quick->serve.kv_pool_bytes, whole->serve.kv_pool_bytes);
		same(quick->serve.tokens_per_second, whole->serve.tokens_per_second);
	}
}

/* The bounds of a search are no more than what they bound: the state of all layers by stages,
 * their work by stages without and with what recompute repeats, the pipeline without shards, products alone. */
static void
bounded(const struct plan *p)
{
	struct plan none = *p;

	scope_follow(&scope, p);
	assert_true(memory_least(scope_memory(&scope, p)) <= whole->peak_low);
	if (!whole->timed || p->parallel.layout == LAYOUT_VLLM)
		return;
	assert_true(scope_place(&scope, p) && scope_step(&scope, p)->least <= whole->step.seconds);
	assert_true(update_least(p) <= whole->step.optimizer_seconds);
	assert_true(steptime_floor(p) <= whole->step.seconds);
	assert_true(steptime_least(scope_batch(&scope, p), p, false, 0) <= whole->step.seconds);
	assert_true(steptime_least(scope_flows(&scope, p), p, true, p->parallel.vpp) <= whole->step.seconds);
	none.training.recompute = RECOMPUTE_NONE;
	scope_follow(&scope, &none);
	assert_true(steptime_least(scope_batch(&scope, &none), &none, false, 0) <= whole->step.seconds);
}

/* Plans that have nothing in common, one after the other. */
TEST(quick_is_whole)
{
	int legal[LAYOUT_SEED + 1] = { 0 }, refused = 0, later = 0, serving = 0, small = 0;

	dice.state = 1;
	scope_init(&scope, NULL);
	for (int i = 0; i < 60000; i++) {
		struct plan p = random_plan(&dice);

		if (dice_rarely(&dice, 20)) {
			settings_int(&p, FIELD_MODE, MODE_SERVE);
			settings_int(&p, FIELD_LAYOUT, LAYOUT_VLLM);
			plan_resolve(&p, NULL);
		}
		estimate_run(whole, &p, NULL, NULL);
		assert_int_equal(estimate_peak(quick, &scope, &p, &all) == VERDICT_ESTIMATED, whole->legal);
		if (!whole->legal) {
			refused++;
			continue;
		}
		compare();
		legal[p.parallel.layout]++;
		later += whole->peak_stage > 0;
		serving += whole->served;
		small += !whole->fits;
	}
	print_message("%d refused; by layout", refused);
	for (int k = 0; k <= LAYOUT_SEED; k++) {
		print_message(" %d", legal[k]);
		assert_true(legal[k] > 100);
	}
	print_message("; peak not on stage 0: %d; serving %d; not fitting %d\n", later, serving,
	    small);
	assert_true(later > 200 && serving > 20 && small > 500);
}

/* ---- plans that differ in little ------------------------------------------------------ */

/* Change one field, to what it is in another random plan or to what those never have. */
static void
change(struct plan *p)
{
	static const struct {
		enum field_id field;
		const char *value;
	} rare[] = {
		{ FIELD_ORDER, "tp-pp-cp-ep-dp" }, { FIELD_ORDER, "tp-cp-ep-dp-pp" },
		{ FIELD_ORDER, "tp-dp-pp" }, { FIELD_CP_COMM, "a2a+p2p" },
		{ FIELD_HIERARCHICAL_CP, "2x2" }, { FIELD_HIERARCHICAL_CP, "2x1" },
		{ FIELD_HIERARCHICAL_CP, "" }, { FIELD_RECOMPUTE_MODULES, "core_attn,mlp" },
		{ FIELD_RECOMPUTE_MODULES, "layernorm" }, { FIELD_RECOMPUTE_MODULES, "moe_act,moe" },
		{ FIELD_GENERATION, "hopper" }, { FIELD_GENERATION, "blackwell" },
		{ FIELD_GENERATION, "ampere" }, { FIELD_FABRIC, "nvlink4" }, { FIELD_FABRIC, "pcie" },
		{ FIELD_NVLINK_DOMAIN, "4" }, { FIELD_NVLINK_DOMAIN, "64" }, { FIELD_HBM_GBPS, "0" },
		{ FIELD_HBM_GBPS, "2000" }, { FIELD_NIC_GBPS, "100" }, { FIELD_ETP, "1" },
		{ FIELD_FP8_TFLOPS, "1979" }, { FIELD_COMPUTE_EFFICIENCY, "0.7" },
		{ FIELD_NETWORK_EFFICIENCY, "0.5" }, { FIELD_MEMORY_BIAS_GIB, "-1" },
		{ FIELD_MOE_IMBALANCE, "1.5" }, { FIELD_MOE_CAPACITY_FACTOR, "1.25" },
		{ FIELD_ATTENTION_DROPOUT, "0.1" }, { FIELD_SEQUENCE_PARALLEL, "false" },
		{ FIELD_MODE, "serve" }, { FIELD_MODE, "train" }, { FIELD_MODE, "train" },
	};

	if (dice_rarely(&dice, 3)) {
		const int64_t i = dice_below(&dice, sizeof rare / sizeof *rare);

		settings_put(p, field_table[rare[i].field].path, rare[i].value);
	} else {
		const struct plan other = random_plan(&dice);
		enum field_id f;

		do
			f = (enum field_id)dice_below(&dice, FIELD_COUNT);
		while (!field_is_set(f, &other));
		field_copy(f, p, &other);
		field_mark(f, p, true);
		plan_resolve(p, NULL);
	}
}

/* It ends for the right reason, with a number that is above what was enough and true. */
static void
ends_early(const struct plan *p)
{
	const double share = (double)(1 + dice_below(&dice, 150)) / 100;
	const double bytes = whole->peak_total * share;
	const bool low = dice_rarely(&dice, 2);
	const struct enough room = { { low ? bytes : INFINITY, low ? INFINITY : bytes }, 0 };
	const struct enough time = { { INFINITY, INFINITY }, whole->step.seconds * share };
	const double end = low ? whole->peak_low : whole->peak_high;
	enum verdict v = estimate_peak(quick, &scope, p, &room);

	assert_int_equal(v, end > bytes ? VERDICT_TOO_LARGE : VERDICT_TOO_SLOW);
	if (v == VERDICT_TOO_LARGE) {
		const double found = low ? quick->peak_low : quick->peak_high;

		assert_true(found > bytes && found <= end);
	} else {
		same(quick->peak_total, whole->peak_total);
	}
	if (!(time.seconds > 0))
		return;
	v = estimate_peak(quick, &scope, p, &time);
	assert_int_equal(v, whole->step.seconds > time.seconds ? VERDICT_TOO_SLOW : VERDICT_ESTIMATED);
	if (v == VERDICT_TOO_SLOW)
		assert_true(quick->step.seconds > time.seconds &&
		    quick->step.seconds <= whole->step.seconds);
}

TEST(scope_follows)
{
	enum { WALKS = 3200, STEPS = 8 };
	int legal = 0, timed = 0;

	dice.state = 2;
	scope_init(&scope, NULL);
	for (int walk = 0; walk < WALKS; walk++) {
		struct plan p;

		if (!in_share((size_t)walk))
			continue;
		dice = dice_of((uint64_t)walk);
		p = random_plan(&dice);
		for (int step = 0; step < STEPS; step++) {
			struct plan next = p;

			change(&next);
			estimate_run(whole, &next, NULL, NULL);
			assert_int_equal(estimate_peak(quick, &scope, &next, &all) ==
			    VERDICT_ESTIMATED, whole->legal);
			if (whole->legal) {
				compare();
				if (whole->timed) {
					ends_early(&next);
					bounded(&next);
				}
			}
			legal += whole->legal;
			timed += whole->timed && whole->step.seconds > 0;
			if (whole->legal || dice_rarely(&dice, 4))
				p = next;
		}
	}
	print_message("%d legal, %d with a time\n", legal, timed);
	assert_true(legal > share_of(4500) && timed > share_of(4000));
}

/* Fine-tuning and training on rollouts, of which any field takes a step, the ZeRO stage and CP's traffic any: what is kept of the plan
 * before is never what that field decides. */
TEST(any_field_steps)
{
	enum { WALKS = 2400, STEPS = 8 };
	static const enum field_id size[] = { FIELD_TP, FIELD_CP, FIELD_PP, FIELD_EP,
		FIELD_MICRO_BATCH_SIZE, FIELD_NODES, FIELD_RECOMPUTE };
	static const char *const stage[] = { "0", "1", "2", "3" };
	static const char *const comm[] = { "p2p", "a2a", "allgather", "a2a+p2p" };
	static const char *const layout[] = { "megatron", "deepspeed", "torchtitan" };
	static const char *const more[] = { "finetune.packing=false", "rl.algorithm=grpo rl.response_tokens=512",
		"rl.algorithm=dpo", "rl.algorithm=ppo rl.response_tokens=256" };
	int legal = 0, tuned = 0, rolled = 0;

	dice.state = 3;
	scope_init(&scope, NULL);
	for (int walk = 0; walk < WALKS; walk++) {
		struct plan p;

		if (!in_share((size_t)walk))
			continue;
		dice = dice_of((uint64_t)walk);
		plan_builtin(&p);
		settings_put_all(&p, "cluster.nodes=2 cluster.bf16_tflops=989 cluster.hbm_gbps=3350 parallel.tp=1 parallel.pp=1 "
		    "parallel.hierarchical_cp=2x1 model.layers=8 model.hidden_size=1024 model.ffn_hidden_size=4096");
		settings_put(&p, "parallel.layout", layout[dice_below(&dice, 3)]);
		settings_put(&p, "parallel.pp", dice_rarely(&dice, 2) ? "2" : "1");
		settings_put(&p, "parallel.cp", dice_rarely(&dice, 2) ? "2" : "1");
		settings_put(&p, "training.recompute", dice_rarely(&dice, 2) ? "full" : "none");
		if (dice_rarely(&dice, 2))
			random_tuning(&dice, &p);
		settings_put_all(&p, more[dice_below(&dice, 4)]);
		for (int step = 0; step < STEPS; step++) {
			const enum field_id f = dice_rarely(&dice, 2) ? size[dice_below(&dice, sizeof size / sizeof *size)] :
			    (enum field_id)dice_below(&dice, FIELD_COUNT);
			struct plan next = p;

			if (dice_rarely(&dice, 4))
				settings_put(&next, "parallel.zero_stage", stage[dice_below(&dice, 4)]);
			else if (p.parallel.cp > 1 && dice_rarely(&dice, 4))
				settings_put(&next, "parallel.cp_comm", comm[dice_below(&dice, 4)]);
			else if (!step_plain(&p, NULL, f, dice_rarely(&dice, 2) ? 1 : -1, &next))
				continue;
			estimate_run(whole, &next, NULL, NULL);
			assert_int_equal(estimate_peak(quick, &scope, &next, &all) == VERDICT_ESTIMATED, whole->legal);
			if (whole->legal) {
				compare();
				same(quick->rl.step_seconds, whole->rl.step_seconds);
			}
			legal += whole->legal;
			tuned += whole->legal && next.finetune.method != FINETUNE_NONE;
			rolled += whole->legal && whole->reinforced;
			if (whole->legal || dice_rarely(&dice, 4))
				p = next;
		}
	}
	print_message("%d legal, %d fine-tuned, %d with rollouts\n", legal, tuned, rolled);
	assert_true(legal > share_of(1000) && tuned > share_of(300) && rolled > share_of(300));
}

/* Levels of CP, which random plans hardly ever have, decide its traffic alone. */
TEST(levels_of_cp)
{
	static const char *const levels[] = { "2x2", "4x1", "1x4", "2x2" };
	double seconds[4];
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "parallel.tp", "1");
	settings_put(&p, "parallel.pp", "1");
	settings_put(&p, "parallel.cp", "4");
	settings_put(&p, "parallel.cp_comm", "a2a+p2p");
	settings_put(&p, "cluster.bf16_tflops", "989");
	settings_put(&p, "cluster.hbm_gbps", "3350");
	scope_init(&scope, NULL);
	for (int i = 0; i < 4; i++) {
		settings_put(&p, "parallel.hierarchical_cp", levels[i]);
		estimate_run(whole, &p, NULL, NULL);
		assert_int_equal(estimate_peak(quick, &scope, &p, &all), VERDICT_ESTIMATED);
		compare();
		seconds[i] = quick->step.seconds;
	}
	assert_true(seconds[0] < seconds[1] || seconds[0] > seconds[1]);
	same(seconds[0], seconds[3]);
}

/* With data parallel ranks next to each other PP decides how far apart those of TP and CP
 * lie, and nothing else of a micro-batch. */
TEST(groups_move)
{
	static const char *const stages[] = { "1", "2", "8", "16", "1" };
	static const char *const orders[] = { "dp-tp-cp-ep-pp", "dp-cp-tp-ep-pp" };
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "cluster.nodes", "8");
	settings_put(&p, "cluster.bf16_tflops", "989");
	settings_put(&p, "cluster.hbm_gbps", "3350");
	scope_init(&scope, NULL);
	for (int i = 0; i < 20; i++) {
		settings_put(&p, "parallel.order", orders[i % 2]);
		settings_put(&p, "parallel.tp", i / 10 ? "1" : "2");
		settings_put(&p, "parallel.cp", i / 10 ? "2" : "1");
		settings_put(&p, "parallel.pp", stages[i / 2 % 5]);
		estimate_run(whole, &p, NULL, NULL);
		assert_int_equal(estimate_peak(quick, &scope, &p, &all), VERDICT_ESTIMATED);
		compare();
	}
}

/* What a job is besides its sizes: its rollouts, their engine, its machines, adapters. */
TEST(jobs_change)
{
	static const char *const settings[] = { "rl.response_tokens=1024", "rl.prompts=64",
		"rl.offload=optimizer", "rl.engine_sleep=1", "rl.rollout_tp=4", "rl.responses=32",
		"serving.gpu_memory_utilization=0.7", "serving.kv_dtype=fp8", "serving.max_num_seqs=16",
		"cluster.hbm_gbps=2000", "cluster.memory_gib=70", "finetune.method=lora",
		"finetune.rank=64", "calibration.compute_efficiency=0.8", "model.hidden_size=2048" };
	struct plan p;

	plan_builtin(&p);
	settings_put_all(&p, "rl.algorithm=grpo cluster.nodes=8 cluster.bf16_tflops=989 "
	    "cluster.hbm_gbps=3350 parallel.tp=2 parallel.pp=1");
	scope_init(&scope, NULL);
	for (size_t i = 0; i <= sizeof settings / sizeof *settings; i++) {
		estimate_run(whole, &p, NULL, NULL);
		assert_int_equal(estimate_peak(quick, &scope, &p, &all) == VERDICT_ESTIMATED, whole->legal);
		assert_true(whole->legal && whole->reinforced);
		compare();
		same(quick->rl.step_seconds, whole->rl.step_seconds);
		same(quick->rl.peak_bytes, whole->rl.peak_bytes);
		if (i < sizeof settings / sizeof *settings)
			settings_put_all(&p, settings[i]);
	}
}

/* Stages of as many layers that differ in what those have beside: indexers of their own. */
TEST(indexers_of_a_stage)
{
	struct plan p;
	int later = 0;

	plan_builtin(&p);
	settings_put_all(&p, "pp=4 tp=1 layers=16 hidden_size=4096 sequence_length=1024 "
	    "index_heads=64 index_head_dim=128 index_topk=512 index_every=3 recompute=full "
	    "global_batch_size=4 vocab_size=1024");
	scope_init(&scope, NULL);
	for (int own = 0; own < 16; own++) {
		settings_int(&p, FIELD_INDEX_OWN_LAYERS, own);
		estimate_run(whole, &p, NULL, NULL);
		assert_int_equal(estimate_peak(quick, &scope, &p, &all), VERDICT_ESTIMATED);
		compare();
		later += whole->peak_stage > 0 && whole->peak_stage < 3;
	}
	assert_true(later > 0);
}

static int
allocate(UNUSED void **state)
{
	whole = malloc(sizeof *whole);
	quick = malloc(sizeof *quick);
	return whole == NULL || quick == NULL ? -1 : 0;
}

static int
release(UNUSED void **state)
{
	free(whole);
	free(quick);
	return 0;
}

int
main(void)
{
	return unit_run(allocate, release);
}
