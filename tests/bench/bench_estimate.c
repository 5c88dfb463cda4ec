/*
 * bench_estimate - what one key press costs before anything is drawn: resolving the plan,
 * one full estimate, a legal step, the search for fixes; and what a search asks of each plan.
 *
 * Two figures have a limit: a full estimate of the MoE plan, 20 us, and the fullest stage,
 * traffic and step of the dense plan, 3 us. Neither allocates: the core calls no malloc.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "core/advice.h"
#include "core/advice_hints.h"
#include "core/check.h"
#include "core/estimate.h"
#include "core/framework/resolve.h"
#include "core/step.h"

/* An H100's rates: without a catalogue nothing is timed. */
static void
put_rates(struct plan *p)
{
	put(p, FIELD_GENERATION, "hopper");
	put(p, FIELD_FABRIC, "nvlink4");
	put(p, FIELD_MEMORY_GIB, "79.19");
	put(p, FIELD_HBM_GBPS, "3350");
	put(p, FIELD_BF16_TFLOPS, "989");
	put(p, FIELD_FP8_TFLOPS, "1979");
	put(p, FIELD_NVLINK_GBPS, "450");
	put(p, FIELD_PCIE_GBPS, "64");
	plan_resolve(p, NULL);
}

/* A 61-layer mixture of experts on 16 stages, of DeepSeek-V3's size. */
static void
moe_plan(struct plan *p)
{
	static const struct {
		enum field_id field;
		const char *value;
	} values[] = {
		{ FIELD_NODES, "256" }, { FIELD_PP, "16" }, { FIELD_EP, "64" }, { FIELD_ETP, "1" },
		{ FIELD_LAYERS, "61" }, { FIELD_HIDDEN_SIZE, "7168" }, { FIELD_FFN_HIDDEN_SIZE, "18432" },
		{ FIELD_ATTENTION_HEADS, "128" }, { FIELD_KV_HEADS, "128" }, { FIELD_ATTENTION, "mla" },
		{ FIELD_Q_LORA_RANK, "1536" }, { FIELD_KV_LORA_RANK, "512" },
		{ FIELD_QK_NOPE_HEAD_DIM, "128" }, { FIELD_QK_ROPE_HEAD_DIM, "64" },
		{ FIELD_V_HEAD_DIM, "128" }, { FIELD_EXPERTS, "256" }, { FIELD_EXPERTS_PER_TOKEN, "8" },
		{ FIELD_MOE_FFN_HIDDEN_SIZE, "2048" }, { FIELD_SHARED_EXPERT_FFN_HIDDEN_SIZE, "2048" },
		{ FIELD_DENSE_LAYERS, "3" }, { FIELD_GLOBAL_BATCH_SIZE, "2048" },
		{ FIELD_PIPELINE_LAYOUT, "Et*4|(t*4|)*14t*1,L" },
	};

	plan_defaults(p);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		put(p, values[i].field, values[i].value);
	plan_resolve(p, NULL);
}

static void
report(const char *what, double seconds, int times)
{
	printf("%-44s %8.2f us\n", what, seconds / times * 1e6);
}

/* The quickest of a few rounds: the others waited for something else. */
static void
measure_estimates(const struct plan *p, struct estimate *e)
{
	enum { ROUNDS = 20, TIMES = 1000 };
	double full = 1, peak = 1;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now(), middle, end;

		for (int i = 0; i < TIMES; i++)
			estimate_run(e, p, NULL, NULL);
		middle = now();
		if (!e->legal) {
			fprintf(stderr, "bench_estimate: %s\n", e->diags.item[0].message);
			exit(1);
		}
		for (int i = 0; i < TIMES; i++)
			estimate_peak(e, p, NULL);
		end = now();
		full = middle - start < full ? middle - start : full;
		peak = end - middle < peak ? end - middle : peak;
	}
	report("  estimate_run, all stages", full, TIMES);
	report("  estimate_peak, traffic and step", peak, TIMES);
}

/* What is done on request alone: mends of a plan that is not legal, hints of one that is. */
static void
measure_advice(const struct plan *p, const struct plan *broken, struct estimate *e)
{
	enum { TIMES = 10 };
	static struct estimate work;
	struct diag_list diags;
	struct advice advice = { 0 };
	double start = now();

	for (int i = 0; i < TIMES; i++)
		advice_run(&advice, broken, NULL, NULL, &work);
	report("  advice_run of PP 7", now() - start, TIMES);
	printf("%-44s %8zu plans\n", "  which looks at", advice.tried);
	estimate_run(e, p, NULL, NULL);
	start = now();
	for (int i = 0; i < TIMES; i++) {
		diag_clear(&diags);
		advice_hints(p, NULL, e, &work, &diags);
	}
	report("  advice_hints", now() - start, TIMES);
}

static void
measure(const char *name, const struct plan *p, struct estimate *e)
{
	enum { TIMES = 2000 };
	static struct ledger_term terms[16384];
	struct diag_list diags = { 0 };
	struct ledger ledger;
	struct plan q = *p, next;
	double start = now();

	printf("%s\n", name);
	for (int i = 0; i < TIMES; i++)
		plan_resolve(&q, NULL);
	report("  plan_resolve", now() - start, TIMES);
	measure_estimates(p, e);
	start = now();
	for (int i = 0; i < TIMES / 20; i++) {
		ledger_init(&ledger, terms, sizeof terms / sizeof *terms);
		estimate_run(e, p, NULL, &ledger);
	}
	report("  estimate_run with a ledger", now() - start, TIMES / 20);
	start = now();
	for (int i = 0; i < TIMES; i++)
		step_legal(p, NULL, FIELD_TP, 1, &next);
	report("  step_legal of TP", now() - start, TIMES);
	put(&q, FIELD_PP, "7");
	plan_resolve(&q, NULL);
	plan_check(&q, NULL, &diags);
	start = now();
	check_fixes(&q, NULL, NULL, &diags);
	report("  check_fixes of PP 7", now() - start, 1);
	measure_advice(p, &q, e);
}

int
main(void)
{
	struct estimate *e = malloc(sizeof *e);
	struct plan p;

	if (e == NULL)
		return 1;
	plan_builtin(&p);
	put_rates(&p);
	measure("dense, 4 stages", &p, e);
	moe_plan(&p);
	put_rates(&p);
	measure("mixture of experts, 16 stages", &p, e);
	put(&p, FIELD_MODE, "serve");
	put(&p, FIELD_NODES, "2");
	put(&p, FIELD_TP, "16");
	put(&p, FIELD_PP, "1");
	put(&p, FIELD_EP, "1");
	put(&p, FIELD_PIPELINE_LAYOUT, "");
	plan_resolve(&p, NULL);
	measure("serving, mixture of experts, TP 16", &p, e);
	free(e);
	return 0;
}
