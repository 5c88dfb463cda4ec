/*
 * test_rl.c - phases of rollouts and updates: what they hold, how long they take, and how steps of
 * published runs compare.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_rl.h"
#include "core/base/number.h"
#include "core/estimate/estimate.h"
#include "core/plan/field_source.h"
#include "core/rl/rl_engine.h"
#include "settings.h"

/* H100 and Qwen2.5-7B as the catalogue has them; verl's way: FSDP, state put away. */
#define H100 "generation=hopper fabric=nvlink4 memory_gib=79.19 hbm_gbps=3350 bf16_tflops=989 " \
	"fp8_tflops=1979 nvlink_gbps=450 pcie_gbps=64 "
#define QWEN_7B "layers=28 hidden_size=3584 ffn_hidden_size=18944 attention_heads=28 kv_heads=4 " \
	"vocab_size=152064 qkv_bias=true "
#define GRPO H100 QWEN_7B "layout=torchtitan zero_stage=3 recompute=full global_batch_size=256 " \
	"rl.algorithm=grpo rl.prompts=128 rl.responses=8 rl.response_tokens=1500 " \
	"gpu_memory_utilization=0.6 "

static struct estimate storage, *const estimate = &storage;

static const struct rl_estimate *
run(const char *settings)
{
	const struct plan p = settings_plan(GRPO, settings);

	estimate_run(estimate, &p, NULL, NULL);
	for (size_t i = 0; i < estimate->diags.count; i++)
		if (estimate->diags.item[i].severity == SEVERITY_ERROR)
			fail_msg("%s: %s", settings, estimate->diags.item[i].message);
	assert_true(estimate->reinforced);
	return &estimate->rl;
}

static bool
near(double a, double b, double share)
{
	return fabs(a - b) <= share * fabs(b);
}

static double
linear_step(const void *context, double requests, double length)
{
	(void)context;
	(void)length;
	return 0.012 + 0.00006 * requests;
}

/* A row of the trainer is as long as a prompt and its response, of which other fields know nothing. */
TEST(sources)
{
	struct plan p = settings_plan(GRPO, "");
	const struct field_source row = field_source(FIELD_SEQUENCE_LENGTH, &p);

	assert_true(row.from == FROM_FIELDS && row.follows[0] == FIELD_RL_PROMPT_TOKENS &&
	    row.follows[1] == FIELD_RL_RESPONSE_LIMIT);
	for (int f = 0; f < FIELD_COUNT; f++)
		assert_true(f == FIELD_SEQUENCE_LENGTH || f == FIELD_CONTEXT_LENGTH ||
		    field_source((enum field_id)f, &p).follows[0] != FIELD_RL_PROMPT_TOKENS ||
		    field_table[f].follows[0] == FIELD_RL_PROMPT_TOKENS);
	p = settings_plan("", "");
	assert_true(field_source(FIELD_SEQUENCE_LENGTH, &p).follows[0] != FIELD_RL_PROMPT_TOKENS);
	assert_true(field_source(FIELD_CONTEXT_LENGTH, &p).follows[0] != FIELD_RL_PROMPT_TOKENS);
}

/* An engine that is awake holds the share of the GPU that it was given and its graphs beside, and asleep what sleep can not give back. */
TEST(engine_bytes)
{
	const struct plan p = settings_plan(GRPO, "");
	struct rl_engine e;

	assert_true(rl_engine_of(&e, &p, NULL));
	assert_true(near(e.awake, p.serving.gpu_memory_utilization * e.total + (.32 + .0164 * 28) * GIB, 1e-6));
	assert_true(e.asleep < .1 * e.awake && e.weights < .5 * e.awake);
}

/* Means of 400 runs of the same queue with lengths drawn one by one. */
TEST(generation_walks_the_queue)
{
	static const struct {
		double responses, mean, longest, slots, seconds;
	} cases[] = {
		{ 512, 1966.7, 8192, 256, 178.4 }, { 512, 1966.7, 8192, 1024, 158.8 },
		{ 64, 622, 1536, 64, 20.8 }, { 1024, 475.1, 1500, 128, 87.1 },
		{ 16, 4345.6, 8192, 16, 102.2 }, { 128, 5949.6, 28672, 200, 377.5 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct rl_batch b = { cases[i].responses, cases[i].slots, cases[i].mean,
			cases[i].longest, 0 };
		const struct rl_decode d = rl_decode_of(&b, linear_step, NULL);
		const double seconds = d.steps * d.seconds;
		const double one = linear_step(NULL, 1, 0);

		if (!near(seconds, cases[i].seconds, 0.05))
			fail_msg("case %zu: %.1f s, not %.1f", i, seconds, cases[i].seconds);
		assert_true(d.steps <= 2 * b.longest + b.responses / b.slots * b.longest);
		assert_true(seconds > 0.5 * b.responses * b.mean / b.slots * one);
	}
}

/* Log-probs of tokens that the engine is asked for take its host 18 us of each decode step and response: more of one
 * with many. A trainer that takes them has asked for them. */
TEST(engine_gives_logprobs)
{
	const struct plan p = settings_plan(GRPO, ""), asked = settings_plan(GRPO, "rl.engine_logprobs=true");
	const struct plan taken = settings_plan(GRPO, "rl.old_logprob=false");
	struct rl_engine plain, with, without_pass;

	assert_true(rl_engine_of(&plain, &p, NULL) && rl_engine_of(&with, &asked, NULL) &&
	    rl_engine_of(&without_pass, &taken, NULL));
	assert_true(with.seconds > 1.01 * plain.seconds && with.seconds < 1.5 * plain.seconds);
	assert_true(near(with.seconds, without_pass.seconds, 1e-9));
}

/* More requests than anybody counts through: each life of full slots takes as long as the last. */
TEST(long_queues_repeat)
{
	static const double means[] = { 475.1, 1450 };

	for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
		const struct rl_batch few = { 4000, 8, means[i], 1500, 0 }, many = { 4e9, 8, means[i], 1500, 0 };
		const struct rl_decode a = rl_decode_of(&few, linear_step, NULL);
		const struct rl_decode b = rl_decode_of(&many, linear_step, NULL);

		assert_true(near(b.steps, 1e6 * a.steps, 0.01) && near(b.seconds, a.seconds, 0.01));
		assert_true(near(a.steps, 4000 * means[i] / 8, 0.05));
	}
}

/* The tail: with room for all, twice the engines do not halve the time. */
TEST(last_responses_run_alone)
{
	const double few = run("nodes=2 rl.rollout_tp=1")->phase[PHASE_ROLLOUT].seconds;
	const double many = run("nodes=32 global_batch_size=1024 rl.rollout_tp=1")->phase[PHASE_ROLLOUT].seconds;

	assert_true(many < few);
	assert_true(many > few / 8);
}

/* With its padding each response takes as long as the longest of the step. */
TEST(padded_rows)
{
	const struct rl_estimate *r = run("nodes=1 rl.response_tokens=500 rl.prompt_tokens=100 rl.response_limit=8192");
	const double packed = r->phase[PHASE_TRAIN].seconds, pass = r->phase[PHASE_OLD_LOGPROB].seconds;
	const struct plan p = settings_plan(GRPO, "rl.response_tokens=500 rl.response_limit=8192");

	/* the mean of 1,024 draws' largest, of an exponential that is never cut */
	assert_true(near(rl_longest(&p, 1024), 500 * (log(1024) + .5772), .01));
	assert_true(near(rl_longest(&p, 1e9), 8192, 1e-9));
	r = run("nodes=1 rl.response_tokens=500 rl.prompt_tokens=100 rl.response_limit=8192 finetune.packing=false");
	assert_true(r->phase[PHASE_TRAIN].seconds > 5 * packed && r->phase[PHASE_TRAIN].seconds < 8 * packed);
	assert_true(r->phase[PHASE_OLD_LOGPROB].seconds > 4 * pass);
}

/* A batch takes its way to workers and back whatever their number: 8,192 sequences of verl's table took 36 s of
 * old log-probs on 32, 64 and 128 GPUs, padding among them; without it, what is left of them. */
TEST(batches_are_handed_over)
{
	static const char rows[] = "global_batch_size=512 rl.prompts=512 rl.responses=16 rl.prompt_tokens=2048 "
	    "rl.response_tokens=1500 rl.response_limit=28672 release=";
	char settings[256];
	double seconds[2][2];

	for (int old = 0; old < 2; old++)
		for (int i = 0; i < 2; i++) {
			snprintf(settings, sizeof settings, "%s%s nodes=%d", rows, old ? "202506" : "202606", i ? 16 : 4);
			seconds[old][i] = run(settings)->phase[PHASE_OLD_LOGPROB].seconds;
		}
	assert_true(near((4 * seconds[1][1] - seconds[1][0]) / 3, 36, .05));
	assert_true(near((4 * seconds[0][1] - seconds[0][0]) / 3, 36 * 3548 / 30720., .3));
}

TEST(phases_follow_the_algorithm)
{
	static const struct {
		const char *settings;
		bool runs[PHASES]; /* rollout reward old ref critic train sync */
	} cases[] = {
		{ "nodes=2", { true, false, true, true, false, true, true } },
		{ "nodes=2 rl.old_logprob=false rl.reference=false", { true, false, false, false, false, true, true } },
		{ "nodes=2 rl.algorithm=dapo", { true, false, true, false, false, true, true } },
		{ "nodes=2 rl.algorithm=ppo", { true, false, true, true, true, true, true } },
		{ "nodes=2 rl.algorithm=dpo", { false, false, false, true, false, true, false } },
		{ "nodes=2 rl.algorithm=rm", { false, false, false, false, false, true, false } },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct rl_estimate *r = run(cases[i].settings);
		double sum = 0;

		for (int k = 0; k < PHASES; k++) {
			assert_int_equal(r->phase[k].runs, cases[i].runs[k]);
			assert_int_equal(r->phase[k].seconds > 0, cases[i].runs[k]);
			assert_int_equal(r->phase[k].memory > 0, cases[i].runs[k]);
			sum += r->phase[k].seconds;
		}
		assert_true(near(r->step_seconds, 1.04 * sum, 1e-9));
	}
}

/* A pass without gradients waits for launches as an update does: for a third of them, a fourth
 * where recompute repeats the forward pass. */
TEST(passes_are_launched)
{
#define SMALL_EXPERTS "hidden_size=1024 attention_heads=8 experts=32 experts_per_token=2 " \
	"moe_ffn_hidden_size=128 etp=1 layout=megatron zero_stage=1 moe_capacity_factor=1 "
	static const struct {
		const char *slow, *quick;
		double share;
	} cases[] = {
		{ SMALL_EXPERTS "recompute=none", SMALL_EXPERTS "recompute=none cuda_graph=full", 1 / 3.0 },
		{ SMALL_EXPERTS, SMALL_EXPERTS "cuda_graph=full", 1 / 4.0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct rl_estimate slow = *run(cases[i].slow);
		const struct rl_estimate *quick = run(cases[i].quick);
		const double update = slow.phase[PHASE_TRAIN].seconds -
		    quick->phase[PHASE_TRAIN].seconds;
		const double pass = slow.phase[PHASE_REF_LOGPROB].seconds -
		    quick->phase[PHASE_REF_LOGPROB].seconds;

		assert_true(update > 0.2 * slow.phase[PHASE_TRAIN].seconds);
		assert_true(near(pass, cases[i].share * update, 0.02));
	}
}

/* A policy on FSDP is made of Hugging Face's modules, whose norms and rotations are operations of their own; Megatron's has
 * its own. */
TEST(modules_of_a_policy)
{
	const double on_fsdp = run("")->phase[PHASE_TRAIN].seconds;
	const double bare = run("finetune.kernels=te")->phase[PHASE_TRAIN].seconds;
	const double megatron = run("layout=megatron zero_stage=1")->phase[PHASE_TRAIN].seconds;

	/* whose log-probs are of whole logits in fp32, those of FSDP in place */
	assert_int_equal(settings_plan(GRPO, "layout=megatron zero_stage=1").training.cross_entropy, CE_UNFUSED);
	assert_int_equal(settings_plan(GRPO, "").training.cross_entropy, CE_TE);
	assert_true(on_fsdp > 1.05 * bare);
	assert_true(near(run("layout=megatron zero_stage=1 finetune.method=full")->phase[PHASE_TRAIN].seconds, megatron, 1e-12));
}

/* A critic is another actor; a pair two sequences; updates count. */
TEST(models_and_batches)
{
	const double ppo = run("rl.algorithm=ppo rl.offload=all")->phase[PHASE_CRITIC].seconds;
	struct rl_estimate r = *run("rl.algorithm=ppo rl.offload=all");
	double one;

	assert_true(near(ppo, r.phase[PHASE_TRAIN].seconds + r.phase[PHASE_OLD_LOGPROB].seconds, 1e-9));
	assert_true(r.phase[PHASE_CRITIC].held[HELD_MODELS] >
	    r.phase[PHASE_OLD_LOGPROB].held[HELD_MODELS]);
	assert_true(near(r.updates, 4, 1e-12));
	one = run("rl.algorithm=ppo rl.prompts=256")->phase[PHASE_TRAIN].seconds;
	assert_true(near(one, 2 * r.phase[PHASE_TRAIN].seconds, 1e-9));
	one = run("rl.algorithm=dpo")->responses;
	assert_true(near(one, 512, 1e-12));
}

/* What leaves the GPU is on the host, to the byte; a sleeping engine of level 1 as well. */
TEST(state_goes_to_the_host)
{
	const struct rl_estimate all = *run("rl.offload=none");
	const double weights = estimate->stage[0].memory.parameters;
	const double optimizer = estimate->stage[0].memory.optimizer;
	struct rl_estimate less = *run("rl.offload=optimizer");

	/* FSDP's reference is on the host in any case */
	assert_true(near(all.host_bytes_per_node, 8 * weights, 1e-9));
	assert_true(near(all.phase[PHASE_ROLLOUT].memory - less.phase[PHASE_ROLLOUT].memory, optimizer, 1e-9));
	assert_true(near(less.host_bytes_per_node, 8 * (weights + optimizer), 1e-9));
	less = *run("rl.offload=optimizer+params");
	assert_true(near(all.phase[PHASE_ROLLOUT].memory - less.phase[PHASE_ROLLOUT].memory,
	    optimizer + weights, 1e-9));
	assert_true(near(all.phase[PHASE_TRAIN].memory, less.phase[PHASE_TRAIN].memory, 1e-9));
	assert_true(run("rl.engine_sleep=1")->host_bytes_per_node >
	    all.host_bytes_per_node + 8 * 2 * 7e9);
	assert_true(run("rl.engine_sleep=0")->phase[PHASE_TRAIN].memory >
	    all.phase[PHASE_TRAIN].memory + 40 * GIB);
}

/* Parameters of a layer of Qwen2.5-7B, and of its embedding or head. */
static const double layer = 3584.0 * (3584 + 2 * 512) + 3584 + 2 * 512 + 3584.0 * 3584 +
    3 * 3584.0 * 18944 + 2 * 3584, table = 152064.0 * 3584;

/* A pass without gradients: of each token 12 hidden and 6 MLP widths of one layer in bf16, 7 bytes
 * a logit, and under ZeRO-3 two gathered layers, embedding and head. */
TEST(passes_hold_one_layer)
{
	static const char row[] = "micro_batch_size=2 rl.prompt_tokens=512 rl.response_limit=3584 ";
	static const struct {
		const char *settings;
		double tokens, tp;
		bool gathers;
	} cases[] = {
		{ "", 2 * 4096, 1, true }, { "parallel.cp=2", 4096, 1, true },
		{ "zero_stage=2", 2 * 4096, 1, false },
		{ "zero_stage=2 parallel.tp=2", 2 * 4096, 2, false },
	};
	char settings[256];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const double t = cases[i].tokens, tp = cases[i].tp;
		const double work = t * (12 * 3584 + 6 * 18944.0) / tp + 7 * t * 152064 / tp +
		    (cases[i].gathers ? 2 * (2 * layer + 2 * table) : 0);
		const struct rl_estimate *e;

		text_put(settings, sizeof settings, "%s%s", row, cases[i].settings);
		e = run(settings);
		assert_true(near(e->phase[PHASE_OLD_LOGPROB].held[HELD_WORK], work, 1e-3));
		assert_true(near(e->phase[PHASE_REF_LOGPROB].held[HELD_WORK], work, 1e-3));
	}
}

/* FSDP over 8 GPUs: fp32 weights, gradients and both moments. A step works with what the stage of
 * the trainer has beside them: at its fullest with gathered layers, or with logits. */
TEST(updates_hold_the_state)
{
	static const char *const settings[] = { "rl.engine_sleep=2", "micro_batch_size=8" };
	const double params = 28 * layer + 2 * table + 3584;
	const struct memory *m = &estimate->stage[0].memory;
	double logits = 0, buffers = 0;

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct rl_phase_estimate *train = &run(settings[i])->phase[PHASE_TRAIN];
		double sum = 0;

		assert_true(near(train->held[HELD_WEIGHTS], 4 * params / 8, 1e-3));
		assert_true(near(train->held[HELD_GRADIENTS], 4 * params / 8, 1e-3));
		assert_true(near(train->held[HELD_OPTIMIZER], 8 * params / 8, 1e-3));
		assert_true(near(train->held[HELD_WORK], m->activations + m->logits + m->buffers, 1e-9));
		for (int k = 0; k < HELD_PARTS; k++)
			sum += train->held[k];
		assert_true(near(train->memory, sum, 1e-9));
		logits += m->logits;
		buffers += m->buffers;
	}
	assert_true(logits > 1e9 && buffers > 1e9);
}

/* Weights on the way to the engine: the trainer's, one bucket of 2 GiB, and of an engine that
 * wakes 16-bit weights over its TP. */
TEST(weights_go_to_the_engine)
{
	const struct rl_phase_estimate *sync = &run("rl.offload=none rl.rollout_tp=2")->phase[PHASE_SYNC];
	const double params = 28 * layer + 2 * table + 3584;
	const double asleep = estimate->rl.phase[PHASE_TRAIN].held[HELD_ENGINE];

	assert_true(near(sync->held[HELD_WEIGHTS], 4 * params / 8, 1e-3));
	assert_true(near(sync->held[HELD_WORK], 2 * GIB, 1e-12));
	assert_true(near(sync->held[HELD_ENGINE] - asleep, 2 * params / 2, 0.02));
}

static const struct diag *
told(const char *reason)
{
	for (size_t i = 0; i < estimate->diags.count; i++)
		if (text_equal(estimate->diags.item[i].reason, reason))
			return &estimate->diags.item[i];
	fail_msg("%s is not told", reason);
	return NULL;
}

/* An engine that keeps its weights on the host can drop them; one that has dropped them, or none,
 * is no way out. */
TEST(hosts_are_freed_by_engines)
{
	static const char full[] = "rl.offload=all host_memory_gib=64 rl.engine_sleep=";
	char settings[128];
	struct plan p;

	for (int sleep = 0; sleep <= 2; sleep++) {
		text_put(settings, sizeof settings, "%s%d", full, sleep);
		run(settings);
		assert_int_equal(told("host_does_not_fit")->fix_field == FIELD_ENGINE_SLEEP, sleep == 1);
	}
	p = settings_plan(H100 QWEN_7B, "layout=deepspeed zero_stage=3 offload=optimizer+params "
	    "host_memory_gib=16 rl.engine_sleep=1");
	estimate_run(estimate, &p, NULL, NULL);
	assert_int_not_equal(told("host_does_not_fit")->fix_field, FIELD_ENGINE_SLEEP);
}

/* verl docs/perf/device_tuning.rst: GRPO of Qwen2.5-14B on four H800 80 GB starts with state put
 * away, and not without. */
TEST(smallest_known_configuration)
{
	static const char base[] = "gpus_per_node=4 layers=48 hidden_size=5120 ffn_hidden_size=13824 "
		"attention_heads=40 kv_heads=8 rl.rollout_tp=4 gpu_memory_utilization=0.5 "
		"micro_batch_size=8 rl.prompt_tokens=512 rl.response_tokens=512 rl.response_limit=1024 ";
	char settings[512];

	text_put(settings, sizeof settings, "%srl.offload=optimizer+params", base);
	run(settings);
	assert_true(estimate->fits);
	text_put(settings, sizeof settings, "%srl.offload=none", base);
	run(settings);
	assert_false(estimate->fits);
	assert_true(diag_has(&estimate->diags, "engine_does_not_start"));
	for (size_t i = 0; i < estimate->diags.count; i++)
		if (text_equal(estimate->diags.item[i].reason, "engine_does_not_start"))
			assert_string_equal(estimate->diags.item[i].fix_value, "optimizer");
	text_put(settings, sizeof settings, "%srl.offload=all cluster.host_memory_gib=64", base);
	run(settings);
	assert_true(diag_has(&estimate->diags, "host_does_not_fit"));
	/* a GPU of unknown memory is too small for nothing */
	text_put(settings, sizeof settings, "%srl.offload=none memory_gib=0", base);
	run(settings);
	assert_false(diag_has(&estimate->diags, "engine_does_not_start") || diag_has(&estimate->diags, "does_not_fit"));
}

/* The reference of adapters is the actor without them. */
TEST(adapters_refer_to_themselves)
{
	static const char lora[] = "layout=megatron zero_stage=1 finetune.method=lora finetune.rank=16 "
	    "rl.offload=";
	char settings[256];

	text_put(settings, sizeof settings, "%snone", lora);
	assert_true(run(settings)->phase[PHASE_REF_LOGPROB].held[HELD_MODELS] <= 0);
	assert_true(estimate->rl.host_bytes_per_node <= 0);
	text_put(settings, sizeof settings, "%sall", lora);
	assert_true(near(run(settings)->phase[PHASE_REF_LOGPROB].held[HELD_WEIGHTS],
	    estimate->stage[0].memory.parameters, 1e-12));
	/* FSDP keeps a reference of its own on the host, of adapters none */
	assert_true(run("finetune.method=lora")->host_bytes_per_node <= 0);
}

/* FSDP trainers of rollouts load frozen weights in fp32 too, and take log-probs where the logits
 * were; a trainer of pairs is none of them. */
TEST(adapters_on_rollouts)
{
	static const char lora[] = "finetune.method=lora rl.response_limit=16384 training.sequence_length="
	    "32768 max_position=40000 ";
	const double frozen = 4 * 7.6e9 / 8, logits = 32768.0 * 152064;
	char pairs[256];

	run(lora);
	assert_true(near(estimate->stage[0].memory.parameters, frozen, 0.02));
	assert_true(estimate->stage[0].memory.logits < 2.2 * logits);
	text_put(pairs, sizeof pairs, "%srl.algorithm=dpo", lora);
	run(pairs);
	assert_true(near(estimate->stage[0].memory.parameters, frozen / 2, 0.02));
	assert_true(estimate->stage[0].memory.logits > 12 * logits);
}

/* Adapters alone are sent to an engine that keeps the base, and to no other. */
TEST(adapters_sent)
{
	static const char lora[] = "finetune.method=lora finetune.rank=32 rl.merge_adapters=";
	const double merged = run("finetune.method=lora finetune.rank=32")->sync_bytes;
	const double gpus = (double)estimate->rl.engine_gpus;
	char settings[256];

	text_put(settings, sizeof settings, "%sfalse", lora);
	assert_true(near(run(settings)->sync_bytes, merged, 1e-12));
	assert_true(diag_has(&estimate->diags, "rl_base_sent"));
	text_put(settings, sizeof settings, "%sfalse rl.engine_sleep=1", lora);
	assert_true(near(run(settings)->sync_bytes, 4 * estimate->params_trainable / gpus, 1e-12));
	assert_false(diag_has(&estimate->diags, "rl_base_sent"));
	text_put(settings, sizeof settings, "%strue rl.engine_sleep=1", lora);
	assert_true(near(run(settings)->sync_bytes, merged, 1e-12));
}

TEST(pools_of_their_own)
{
	struct rl_estimate r = *run("nodes=4 rl.placement=split rl.rollout_gpus=16 rl.staleness=0");
	const double rollout = r.phase[PHASE_ROLLOUT].seconds, sync = r.phase[PHASE_SYNC].seconds;
	struct rl_estimate stale;

	assert_int_equal(r.train_gpus, 16);
	assert_int_equal(estimate->layout.world, 16);
	assert_int_equal(estimate->world, 32);
	assert_true(near(r.step_seconds, 1.04 * (rollout + r.trainer_seconds + sync), 1e-9));
	stale = *run("nodes=4 rl.placement=split rl.rollout_gpus=16 rl.staleness=1");
	/* engines take new weights while they generate, and responses leave them one by one */
	assert_true(stale.phase[PHASE_ROLLOUT].seconds < rollout);
	assert_true(near(stale.step_seconds, 1.04 * larger(stale.phase[PHASE_ROLLOUT].seconds, r.trainer_seconds + sync), 1e-9));
	/* the trainer's pool has no engine, the other nothing else */
	assert_true(r.phase[PHASE_TRAIN].held[HELD_ENGINE] <= 0);
	assert_true(near(r.phase[PHASE_ROLLOUT].memory, r.phase[PHASE_ROLLOUT].held[HELD_ENGINE], 1e-12));
	assert_true(near(r.sync_bytes, 2 * estimate->params.total / (double)r.engine_gpus, 1e-9));
}

/* While weights are sent the fuller of two pools counts: what trains with a bucket, or the engine with one. */
TEST(fuller_pool)
{
	int engines = 0, trainers = 0;

	for (int share = 10; share <= 90; share += 2) {
		char settings[160];
		const struct rl_phase_estimate *sync, *rollout, *train, *idle;
		double trainer;

		text_put(settings, sizeof settings, "nodes=2 layout=megatron zero_stage=1 rl.placement=split "
		    "rl.rollout_gpus=8 rl.offload=none gpu_memory_utilization=%g", share / 100.0);
		sync = &run(settings)->phase[PHASE_SYNC];
		rollout = &estimate->rl.phase[PHASE_ROLLOUT];
		train = &estimate->rl.phase[PHASE_TRAIN];
		idle = &estimate->rl.phase[PHASE_OLD_LOGPROB];
		trainer = train->held[HELD_WEIGHTS] + idle->held[HELD_GRADIENTS] + idle->held[HELD_OPTIMIZER] +
		    idle->held[HELD_MODELS] + idle->held[HELD_REST];
		assert_true(idle->held[HELD_GRADIENTS] > GIB);
		assert_true(near(sync->memory, 2 * GIB + larger(trainer, rollout->held[HELD_ENGINE]), 1e-9));
		*(rollout->held[HELD_ENGINE] > trainer ? &engines : &trainers) += 1;
	}
	assert_true(engines > 0 && trainers > 0);
}

/* Steps a batch or more behind run on: an engine has several batches at once, and its last
 * responses delay nobody. */
TEST(batches_at_once)
{
	static const char split[] = "nodes=4 rl.placement=split rl.rollout_gpus=16 rl.rollout_tp=1 rl.staleness=";
	double seconds[3];
	char settings[256];

	for (int i = 0; i < 3; i++) {
		text_put(settings, sizeof settings, "%s%d", split, 1 << (2 * i));
		seconds[i] = run(settings)->phase[PHASE_ROLLOUT].seconds;
	}
	assert_true(seconds[1] < 0.7 * seconds[0]);
	assert_true(seconds[2] < seconds[1]);
	/* no more than all of it at the least a token takes: memory is read once for all that fit */
	assert_true(seconds[2] > seconds[0] / 20);
}

/* NVIDIA-NeMo/RL docs/about/performance-summary.md and verl docs/advance/fully_async.md. Errors
 * may only get smaller: of steps from their phases, of whole steps. */
TEST(published_steps)
{
	static struct rl_row rows[RL_ROWS_MAX];
	const size_t count = accuracy_rl_rows(getenv("TOP"), rows, RL_ROWS_MAX);
	struct rl_order order = accuracy_rl_order(rows, count);
	size_t n;

	assert_true(accuracy_rl_error(rows, count, 1, 0.5, &n) < 0.034 && n >= 8);
	assert_true(accuracy_rl_error(rows, count, 1, 0.9, &n) < 0.04);
	assert_true(accuracy_rl_error(rows, count, 0, 0.5, &n) < 0.168 && n >= 26);
	assert_true(accuracy_rl_error(rows, count, 0, 0.9, &n) < 0.337);
	if (order.pairs < 22 || order.right + 1 < order.pairs)
		fail_msg("%zu of %zu pairs in order", order.right, order.pairs);
	/* 128 GB200 took longer than 64 of them: of H100 none is out of order */
	for (size_t i = 0; i < count; i++)
		if (strstr(rows[i].group, "H100") == NULL)
			rows[i].estimated = 0;
	order = accuracy_rl_order(rows, count);
	assert_int_equal(order.right, order.pairs);
	assert_true(order.pairs >= 9);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
