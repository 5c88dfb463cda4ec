/* The one call: what it computes, what it leaves out when a plan is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/estimate/estimate.h"
#include "core/estimate/result.h"
#include "core/estimate/scope.h"
#include "core/framework/resolve.h"
#include "core/model/flops.h"
#include "settings.h"

static struct estimate storage, *const estimate = &storage;

TEST(builtin)
{
	/* Llama 3.1 8B: 32 layers of 218,112,000; table and head 128256 x 4096; TP 2, PP 4:
	 * a middle stage holds 8 layers, norms (2 x 4096 a layer) whole, the rest halved. */
	const double layer = (218112000.0 - 8192) / 2 + 8192;
	const struct memory *m;
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "cluster.memory_gib", "79.19");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal && estimate->laid_out && estimate->placed && estimate->fits);
	assert_int_equal(estimate->world, 16);
	assert_int_equal(estimate->dp, 2);
	assert_int_equal(estimate->microbatches, 32);
	assert_int_equal(estimate->stages, 4);
	assert_true(estimate->params.total > 8030261248.0 - 0.5 && estimate->params.total < 8030261248.0 + 0.5);
	assert_int_equal((int64_t)estimate->stage[1].params, (int64_t)(8 * layer));
	assert_int_equal((int64_t)estimate->stage[0].params, (int64_t)(8 * layer + 128256.0 * 4096 / 2));
	/* bf16 weights, fp32 gradients, 12 bytes of optimizer over DP 2 */
	m = &estimate->stage[1].memory;
	assert_int_equal((int64_t)(m->parameters + m->gradients + m->optimizer),
	    (int64_t)(8 * layer * (2 + 4 + 6)));
	assert_true(m->activations > 0 && m->buffers > 0 && m->overhead > 0);
	assert_int_equal(estimate->peak_stage, 0); /* holds most micro-batches */
}

TEST(refused)
{
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "parallel.tp", "3");
	estimate_run(estimate, &p, NULL, NULL);
	assert_false(estimate->legal || estimate->laid_out || estimate->fits);
	assert_true(estimate->placed);
	assert_int_equal(estimate->stages, 0);
	assert_int_equal(estimate->dp, 0);
	assert_true(estimate->params.total > 8e9);
	assert_true(diag_has(&estimate->diags, "world_not_divisible"));
}

TEST(too_large)
{
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "cluster.memory_gib", "8");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal);
	assert_false(estimate->fits);
	assert_true(diag_has(&estimate->diags, "does_not_fit"));
	settings_put(&p, "cluster.memory_gib", "80");
	settings_put(&p, "cluster.reserved_gib", "70");
	estimate_run(estimate, &p, NULL, NULL);
	assert_false(estimate->fits);
}

/* Of GPUs whose memory nobody told nothing is said to fit or not to, whatever the plan does. */
TEST(unknown_memory)
{
	static const char *const plans[] = { "parallel.pp=4", "finetune.method=lora",
		"mode=serve parallel.layout=vllm parallel.pp=1",
		("parallel.layout=torchtitan parallel.pp=1 parallel.tp=1 rl.algorithm=grpo rl.prompts=128 "
		"rl.responses=8 rl.response_tokens=1500") };

	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct plan p;

		plan_builtin(&p);
		settings_put_all(&p, plans[i]);
		settings_put(&p, "cluster.memory_gib", "0");
		estimate_run(estimate, &p, NULL, NULL);
		assert_true(estimate->legal);
		assert_false(estimate_has_fit(estimate));
		for (size_t k = 0; k < estimate->diags.count; k++)
			assert_null(strstr(estimate->diags.item[k].message, " of 0.0 GiB"));
		assert_false(diag_has(&estimate->diags, "does_not_fit") || diag_has(&estimate->diags, "tight") ||
		    diag_has(&estimate->diags, "engine_does_not_start"));
	}
}

/* What a run may take lies round the estimate: only where even the low end is too much does
 * a plan not fit, and between the ends it is tight. */
TEST(tight)
{
	static const struct {
		double share; /* of the way from the low end to the high one */
		bool fits, tight;
	} of[] = { { -0.01, false, false }, { 0.01, true, true }, { 0.99, true, true },
		{ 1.01, true, false } };
	double low, high;
	struct plan p;
	char gib[32];

	plan_builtin(&p);
	settings_put(&p, "cluster.reserved_gib", "0");
	estimate_run(estimate, &p, NULL, NULL);
	low = estimate->peak_low;
	high = estimate->peak_high;
	assert_true(low < estimate->peak_total && estimate->peak_total < high);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		snprintf(gib, sizeof gib, "%.9f", (low + of[i].share * (high - low)) / GIB);
		settings_put(&p, "cluster.memory_gib", gib);
		estimate_run(estimate, &p, NULL, NULL);
		assert_int_equal(estimate->fits, of[i].fits);
		assert_int_equal(estimate->tight, of[i].tight);
		assert_int_equal(diag_has(&estimate->diags, "tight"), of[i].tight);
		assert_int_equal(diag_has(&estimate->diags, "does_not_fit"), !of[i].fits);
	}
	settings_put_all(&p, "mode=serve parallel.layout=vllm cluster.memory_gib=30");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->served && !estimate->tight);
}

/* With a ledger attached the numbers are the same, and its terms sum up to them. */
TEST(ledger_sums)
{
	static struct ledger_term terms[4096];
	struct ledger ledger;
	struct plan p;
	double total = 0, bytes = 0;

	plan_builtin(&p);
	ledger_init(&ledger, terms, sizeof terms / sizeof *terms);
	estimate_run(estimate, &p, NULL, &ledger);
	assert_in_range(ledger.count, 1, 4096);
	for (size_t i = 0; i < ledger.count; i++) {
		const struct ledger_term *t = &terms[i];

		if (t->quantity == QUANTITY_PARAMS_TOTAL)
			total += t->value;
		if (t->stage == 2 && t->quantity >= QUANTITY_PARAMETERS && t->quantity <= QUANTITY_OVERHEAD)
			bytes += t->value;
		assert_true(strlen(t->formula) > 0 && strlen(t->source) > 0 && strlen(t->name) > 0);
	}
	assert_int_equal((int64_t)total, 8030261248);
	assert_int_equal((int64_t)bytes, (int64_t)estimate->stage[2].memory.total);
}

/* Days of a run: the tokens over those of a second; nothing without a budget or a rate. */
TEST(token_budget)
{
	struct plan p;
	double days;

	plan_builtin(&p);
	settings_put(&p, "cluster.hbm_gbps", "3350");
	settings_put(&p, "cluster.nvlink_gbps", "450");
	settings_put(&p, "training.token_budget", "15000");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->timed && estimate->step.training_seconds <= 0);
	settings_put(&p, "cluster.bf16_tflops", "989");
	estimate_run(estimate, &p, NULL, NULL);
	days = 15e12 / estimate->step.tokens_per_second / 86400;
	assert_true(days > 1000 && days < 4000); /* 8 billion parameters on 16 GPUs */
	assert_true(fabs(estimate->step.training_seconds / 86400 - days) < 1e-6);
	settings_put(&p, "training.token_budget", "0");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->step.training_seconds <= 0);
}

/* Llama 4: three of four layers attend within chunks, to half of one on average (transformers
 * models/llama4/modeling_llama4.py, attention_chunk_size); all of it counted, to a chunk. */
TEST(chunked_attention)
{
	const double work = 6.0 * 24 * 32 * 2 * 128; /* of 24 layers, for each key of a query */
	struct plan p;
	double causal, full;

	plan_builtin(&p);
	causal = flops_sum(flops_of_token(&p, false));
	full = flops_sum(flops_of_token(&p, true));
	settings_put(&p, "model.global_layer_every", "4");
	assert_true(fabs(flops_sum(flops_of_token(&p, false)) - causal) < 1);
	settings_put(&p, "model.attention_chunk", "1024");
	assert_true(fabs(causal - flops_sum(flops_of_token(&p, false)) - work * (2048 - 512)) <
	    1);
	assert_true(fabs(full - flops_sum(flops_of_token(&p, true)) - work * (4096 - 1024)) <
	    1);
	settings_put(&p, "model.attention_chunk", "8192"); /* longer than the sequence */
	assert_true(fabs(flops_sum(flops_of_token(&p, false)) - causal) < 1);
}

/* What a GPU is called decides nothing: its fields do. */
TEST(names_decide_nothing)
{
	static const char *const names[] = {
		"our-h100", "v100", "a100", "h100", "b200", "gb200", "gaudi2", "mi300x", "x"
	};
	static const char *const modes[] = { "train", "serve" };
	struct plan p;

	for (size_t k = 0; k < 2; k++) {
		struct steptime step = { 0 };
		struct serve serve = { 0 };
		double peak = 0;

		plan_builtin(&p);
		settings_put_all(&p, "memory_gib=79.19 hbm_gbps=3350 bf16_tflops=989 "
		    "fp8_tflops=1979 nvlink_gbps=450 generation=hopper fabric=nvlink4 "
		    "serving.max_num_seqs=0 precision=fp8 micro_batch_size=2");
		settings_put(&p, "mode", modes[k]);
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			settings_put(&p, "cluster.gpu", names[i]);
			estimate_run(estimate, &p, NULL, NULL);
			if (i == 0) {
				step = estimate->step;
				serve = estimate->serve;
				peak = estimate->peak_total;
			}
			if (memcmp(&step, &estimate->step, sizeof step) != 0 ||
			    memcmp(&serve, &estimate->serve, sizeof serve) != 0 ||
			    memcmp(&peak, &estimate->peak_total, sizeof peak) != 0)
				fail_msg("%s of %s changes with its name", names[i], modes[k]);
		}
		assert_true(k == 1 ? serve.tpot_seconds > 0 : step.seconds > 0);
	}
}

/* A bias can not take more than there is, and what it can is told apart (both modes). */
TEST(bias_has_bounds)
{
	static const char *const modes[] = { "mode=train", "mode=serve layout=vllm pp=1" };
	struct plan p;

	for (size_t k = 0; k < 2; k++) {
		plan_builtin(&p);
		settings_put_all(&p, "memory_gib=79.19 memory_bias_gib=-64");
		settings_put_all(&p, modes[k]);
		estimate_run(estimate, &p, NULL, NULL);
		for (int64_t s = 0; s < estimate->stages; s++) {
			const struct memory *m = &estimate->stage[s].memory;

			assert_true(m->activations >= 0 && m->logits >= 0 && m->buffers >= 0 &&
			    m->overhead >= 0 && m->kv_cache >= 0);
			assert_true(m->allocated >= m->parameters + m->gradients + m->optimizer);
			assert_true(estimate->peak_total >= m->total);
		}
		assert_true(diag_has(&estimate->diags, "memory_bias_too_large"));
		settings_put(&p, "memory_bias_gib", "-0.01");
		estimate_run(estimate, &p, NULL, NULL);
		assert_false(diag_has(&estimate->diags, "memory_bias_too_large"));
	}
}

/* A refused plan is refused at once; a catalogue that lacks the GPU refuses as well. */
TEST(quick_refusals)
{
	static const struct catalog empty;
	const struct enough all = { { INFINITY, INFINITY }, INFINITY };
	struct scope scope;
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "cluster.memory_gib", "79.19");
	scope_init(&scope, NULL);
	assert_int_equal(estimate_peak(estimate, &scope, &p, &all), VERDICT_ESTIMATED);
	assert_true(estimate->fits);
	assert_int_equal(estimate->stage[0].memory.total, estimate->peak_total);
	settings_put(&p, "parallel.tp", "3");
	assert_int_equal(estimate_peak(estimate, &scope, &p, &all), VERDICT_ILLEGAL);
	assert_false(estimate->legal);
	settings_put(&p, "parallel.tp", "2");
	scope_init(&scope, &empty);
	assert_int_equal(estimate_peak(estimate, &scope, &p, &all), VERDICT_ILLEGAL);
}

/* What no framework would run, and what nobody knows, has no figures. */
TEST(unknown)
{
	const struct catalog empty = { .has_defaults = false };
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "training.global_batch_size", "65");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->laid_out && estimate->placed && estimate->model_known);
	assert_false(estimate->legal || estimate->timed || estimate->fits || estimate_has_fit(estimate));
	assert_int_equal(estimate->stages, 0);
	assert_true(estimate->params.total > 8e9);
	plan_builtin(&p);
	estimate_run(estimate, &p, &empty, NULL);
	assert_false(estimate->model_known);
	assert_false(estimate->params.total > 0 || estimate->stages > 0);
	assert_false(diag_has(&estimate->diags, "does_not_fit"));
}

static const struct diag *
about(const char *reason)
{
	for (size_t i = 0; i < estimate->diags.count; i++)
		if (strcmp(estimate->diags.item[i].reason, reason) == 0)
			return &estimate->diags.item[i];
	return NULL;
}

/* More requests than the KV cache holds, or than a batch takes, are told of by their number,
 * and no other number of them is called a mend that was not tried. */
TEST(concurrency)
{
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "mode", "serve");
	settings_put(&p, "nodes", "1");
	settings_put(&p, "tp", "2");
	settings_put(&p, "pp", "1");
	settings_put(&p, "replicas", "4");
	settings_put(&p, "memory_gib", "80");
	settings_put(&p, "concurrency", "64");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->fits);
	assert_null(about("does_not_fit"));
	assert_null(about("requests_wait"));
	settings_put(&p, "max_num_seqs", "8");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->fits);
	assert_non_null(strstr(about("requests_wait")->message, "of 64 requests at once the engines' "
	    "batches take 32"));
	settings_put(&p, "max_num_seqs", "0");
	settings_put(&p, "concurrency", "65536");
	estimate_run(estimate, &p, NULL, NULL);
	assert_false(estimate->fits);
	assert_non_null(strstr(about("does_not_fit")->message, "65536 requests of 4096 + 512 tokens at "
	    "once are more than the KV cache of 4 engines holds"));
	check_fixes(&p, NULL, NULL, &estimate->diags);
	assert_int_equal(about("does_not_fit")->fix_field, FIELD_NONE);
}

/* Of a GPU all of which is reserved it is known that nothing fits; of one without a memory
 * nothing is. */
TEST(capacity)
{
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "cluster.memory_gib", "80");
	settings_put(&p, "cluster.reserved_gib", "90");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->capacity_known && estimate_has_fit(estimate));
	assert_false(estimate->fits || estimate->capacity > 0);
	assert_true(diag_has(&estimate->diags, "does_not_fit"));
	settings_put(&p, "cluster.memory_gib", "0");
	estimate_run(estimate, &p, NULL, NULL);
	assert_false(estimate->capacity_known || estimate_has_fit(estimate) || estimate->fits);
	assert_false(diag_has(&estimate->diags, "does_not_fit"));
}

/* Latent attention has keys of 192 and values of 128 for all its heads, whatever the number of KV heads says; in the
 * backward pass each of them has a gradient. */
TEST(latent_heads)
{
	static struct ledger_term terms[512];

	for (int heads = 1; heads <= 16; heads *= 4) {
		struct ledger ledger;
		double found = 0;
		struct plan p;

		plan_builtin(&p);
		settings_put_all(&p, "attention=mla attention_heads=32 kv_lora_rank=512 qk_nope_head_dim=128 qk_rope_head_dim=64 "
		    "v_head_dim=128 ffn_hidden_size=256 vocab_size=1024 tp=2 micro_batch_size=1 sequence_length=4096");
		settings_int(&p, FIELD_KV_HEADS, heads);
		plan_resolve(&p, NULL);
		ledger_init(&ledger, terms, sizeof terms / sizeof *terms);
		estimate_run(estimate, &p, NULL, &ledger);
		assert_true(estimate->legal);
		for (size_t i = 0; i < ledger.count && i < ledger.capacity; i++)
			if (strcmp(terms[i].name, "gradients of attention heads") == 0)
				found = terms[i].value;
		assert_true(fabs(found - 2 * (16 + 16) * (192 + 128) * 4096.) < 1);
	}
}

/* The estimate's MFU and HFU stand in the message of a reason. */
static void
holds_shares(const char *reason)
{
	char shares[64];

	text_put(shares, sizeof shares, "MFU %.0f %%, HFU %.0f %%", 100 * estimate->step.mfu, 100 * estimate->step.hfu);
	for (size_t i = 0; i < estimate->diags.count; i++)
		if (strcmp(estimate->diags.item[i].reason, reason) == 0 &&
		    strstr(estimate->diags.item[i].message, shares) != NULL)
			return;
	fail_msg("%s without %s", reason, shares);
}

/* Tokens that experts drop count in MFU: then that is what is named, not the rates. */
TEST(dropped_tokens)
{
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "model.experts", "64");
	settings_put(&p, "model.experts_per_token", "64");
	settings_put(&p, "model.moe_ffn_hidden_size", "14336");
	settings_put(&p, "parallel.ep", "1");
	settings_put(&p, "training.moe_capacity_factor", "0.1");
	settings_put(&p, "cluster.bf16_tflops", "989");
	settings_put(&p, "cluster.hbm_gbps", "3350");
	settings_put(&p, "cluster.nvlink_gbps", "450");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal && estimate->step.mfu > 1);
	holds_shares("dropped_tokens_count");
	assert_false(diag_has(&estimate->diags, "faster_than_peak"));
	settings_put(&p, "training.moe_capacity_factor", "0.9");
	settings_put(&p, "calibration.compute_efficiency", "10");
	estimate_run(estimate, &p, NULL, NULL);
	holds_shares("faster_than_peak");
}

/* MFU above 1 is impossible: the field that makes it so is named. */
TEST(faster_than_peak)
{
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "cluster.memory_gib", "79.19");
	settings_put(&p, "cluster.bf16_tflops", "989");
	settings_put(&p, "cluster.hbm_gbps", "3350");
	settings_put(&p, "cluster.nvlink_gbps", "450");
	settings_put(&p, "cluster.nic_gbps", "400");
	estimate_run(estimate, &p, NULL, NULL);
	assert_false(diag_has(&estimate->diags, "faster_than_peak"));
	settings_put(&p, "training.cuda_graph", "full"); /* or the host would be slower */
	settings_put(&p, "calibration.compute_efficiency", "9");
	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal && estimate->step.mfu > 1);
	assert_true(diag_has(&estimate->diags, "faster_than_peak"));
	for (size_t i = 0; i < estimate->diags.count; i++)
		if (estimate->diags.item[i].field == FIELD_COMPUTE_EFFICIENCY)
			return;
	fail_msg("the field is not named");
}

/* Whatever was in the memory that it is written to, such as that of malloc. */
TEST(owes_nothing)
{
	static const char *const plans[] = {
		"tp=2", "tp=3", "tp=16 pp=1", "tp=3 pp=5", "memory_gib=8", "finetune.method=lora pp=1",
		"rl.algorithm=grpo", "rl.algorithm=grpo tp=3", "mode=serve tp=8 pp=1", "mode=serve tp=3 pp=1",
		"bf16_tflops=0",
	};
	static struct estimate other;

	for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
		struct plan p;

		plan_builtin(&p);
		settings_put_all(&p, plans[i]);
		memset(&storage, 0, sizeof storage);
		memset(&other, 0xA5, sizeof other);
		estimate_run(&storage, &p, NULL, NULL);
		estimate_run(&other, &p, NULL, NULL);
		assert_int_equal(storage.legal, other.legal);
		assert_int_equal(storage.diags.count, other.diags.count);
		for (size_t k = 0; k < storage.diags.count; k++)
			assert_string_equal(storage.diags.item[k].message, other.diags.item[k].message);
		for (int id = 0; id < RESULT_COUNT; id++) {
			double a = 0, b = 0;

			if (result_value((enum result_id)id, &storage, 0, &a) !=
			    result_value((enum result_id)id, &other, 0, &b) || !(fabs(a - b) <= 1e-12 * fabs(a)))
				fail_msg("%s: %s is %g and %g", plans[i], result_table[id].path, a, b);
		}
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
