/*
 * bench_estimate - what one key press costs before anything is drawn: resolving the plan,
 * one full estimate, a legal step, the search for fixes; and what a search asks of each plan,
 * of one plan again and again and of random candidates, which flatter no branch prediction.
 *
 * Three figures have a limit: a full estimate of the MoE plan, 12 us, the fullest stage, traffic
 * and step of the dense plan, 3 us, and a serving plan with its times under load, 5 us. None
 * allocates: the core calls no malloc.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "candidates.h"
#include "core/base/text.h"
#include "core/estimate/estimate.h"
#include "core/estimate/scope.h"
#include "core/framework/resolve.h"
#include "core/plan/catalog.h"
#include "core/rules/check.h"
#include "core/rules/step.h"
#include "core/search/advice.h"
#include "core/search/advice_hints.h"

/* A catalogue of the usual GPU, an H100, and the usual model; it spares parsing defaults anew. */
static struct catalog catalog;

static void
catalog_fill(void)
{
	static struct catalog_entry gpu, model;
	static const struct {
		enum field_id field;
		const char *value;
	} rates[] = {
		{ FIELD_GENERATION, "hopper" }, { FIELD_FABRIC, "nvlink4" }, { FIELD_MEMORY_GIB, "79.19" },
		{ FIELD_HBM_GBPS, "3350" }, { FIELD_BF16_TFLOPS, "989" }, { FIELD_FP8_TFLOPS, "1979" },
		{ FIELD_NVLINK_GBPS, "450" }, { FIELD_PCIE_GBPS, "64" },
	};

	plan_defaults(&catalog.defaults);
	catalog.has_defaults = true;
	text_put(gpu.id, sizeof gpu.id, "%s", catalog.defaults.cluster.gpu);
	text_put(model.id, sizeof model.id, "%s", catalog.defaults.model.preset);
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		put(&gpu.values, rates[i].field, rates[i].value);
	catalog.gpus = (struct catalog_list){ &gpu, 1 };
	catalog.models = (struct catalog_list){ &model, 1 };
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
	plan_resolve(p, &catalog);
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
	const struct enough all = { { INFINITY, INFINITY }, INFINITY };
	struct scope scope;
	double full = 1, peak = 1;

	scope_init(&scope, &catalog);
	for (int round = 0; round < ROUNDS; round++) {
		double start = now(), middle, end;

		for (int i = 0; i < TIMES; i++)
			estimate_run(e, p, &catalog, NULL);
		middle = now();
		if (!e->legal) {
			fprintf(stderr, "bench_estimate: %s\n", e->diags.item[0].message);
			exit(1);
		}
		for (int i = 0; i < TIMES; i++)
			estimate_peak(e, &scope, p, &all);
		end = now();
		full = middle - start < full ? middle - start : full;
		peak = end - middle < peak ? end - middle : peak;
	}
	report("  estimate_run, all stages", full, TIMES);
	report("  estimate_peak, traffic and step", peak, TIMES);
}

/* Mends of a plan that is not legal; hints, which are looked for on request alone. */
static void
measure_advice(const struct plan *p, const struct plan *broken, struct estimate *e)
{
	enum { TIMES = 10 };
	static struct estimate work;
	struct diag_list diags;
	struct advice advice = { 0 };
	double start = now();

	for (int i = 0; i < TIMES; i++)
		advice_run(&advice, broken, &catalog, NULL, &work);
	report("  advice_run of PP 7", now() - start, TIMES);
	printf("%-44s %8zu plans\n", "  which looks at", advice.tried);
	estimate_run(e, p, &catalog, NULL);
	start = now();
	for (int i = 0; i < TIMES; i++) {
		diag_clear(&diags);
		advice_hints(p, &catalog, e, &work, &diags);
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
		plan_resolve(&q, &catalog);
	report("  plan_resolve", now() - start, TIMES);
	measure_estimates(p, e);
	start = now();
	for (int i = 0; i < TIMES / 20; i++) {
		ledger_init(&ledger, terms, sizeof terms / sizeof *terms);
		estimate_run(e, p, &catalog, &ledger);
	}
	report("  estimate_run with a ledger", now() - start, TIMES / 20);
	start = now();
	for (int i = 0; i < TIMES; i++)
		step_legal(p, &catalog, FIELD_TP, 1, &next);
	report("  step_legal of TP", now() - start, TIMES);
	put(&q, FIELD_PP, "7");
	plan_resolve(&q, &catalog);
	plan_check(&q, &catalog, &diags);
	start = now();
	check_fixes(&q, &catalog, NULL, &diags);
	report("  check_fixes of PP 7", now() - start, 1);
	measure_advice(p, &q, e);
}

/* ---- what a search asks --------------------------------------------------------------- */

enum { CANDIDATES = 4096, DRAWN = 1 << 18, WALKS = 20 };

/* Seconds of the quickest walk over the candidates. */
static double
walk_fits(struct estimate *e, struct plan *p, const struct candidate *c, int n, int *fitting)
{
	const struct enough room = { { memory_capacity(p), INFINITY }, 0 };
	struct scope scope;
	double least = 1e9;

	scope_init(&scope, &catalog);
	for (int walk = 0; walk < WALKS; walk++) {
		const double start = now();

		*fitting = 0;
		for (int i = 0; i < n; i++) {
			candidate_put(&c[i], p);
			*fitting += estimate_peak(e, &scope, p, &room) > VERDICT_TOO_LARGE;
		}
		least = now() - start < least ? now() - start : least;
	}
	return least;
}

/* Every bit of a result counts. */
static uint64_t
sum_up(uint64_t sum, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return (sum ^ bits) * UINT64_C(0x100000001b3);
}

static double
walk_times(struct estimate *e, struct plan *p, const struct candidate *c, int n, uint64_t *sum)
{
	const struct enough all = { { INFINITY, INFINITY }, INFINITY };
	struct scope scope;
	double least = 1e9;

	scope_init(&scope, &catalog);
	for (int walk = 0; walk < WALKS; walk++) {
		const double start = now();

		*sum = 0;
		for (int i = 0; i < n; i++) {
			candidate_put(&c[i], p);
			if (estimate_peak(e, &scope, p, &all) != VERDICT_ESTIMATED)
				exit(1);
			*sum = sum_up(sum_up(*sum, e->step.seconds), e->peak_total);
		}
		least = now() - start < least ? now() - start : least;
	}
	return least;
}

/* Keep the legal ones alone; returns how many there are. */
static int
keep_legal(struct candidate *c, int n, struct plan *p)
{
	int kept = 0;

	for (int i = 0; i < n; i++) {
		candidate_put(&c[i], p);
		if (plan_is_legal(p, &catalog))
			c[kept++] = c[i];
	}
	return kept;
}

static void
measure_search(const struct job *j, struct estimate *e)
{
	static struct candidate any[CANDIDATES], legal[DRAWN];
	struct plan p = job_plan(j);
	double seconds;
	uint64_t sum;
	int fitting, n;

	printf("search of %s\n", j->name);
	candidates_draw(j, any, CANDIDATES);
	seconds = walk_fits(e, &p, any, CANDIDATES, &fitting);
	printf("  %-42s %8.0f a second; %d are and do\n", "4,096 random: are they legal, do they fit",
	    (double)CANDIDATES / seconds, fitting);
	candidates_draw(j, legal, DRAWN);
	n = keep_legal(legal, DRAWN, &p);
	if (n < CANDIDATES)
		exit(1);
	for (int i = 0; i < CANDIDATES; i++) /* from all over the walk */
		legal[i] = legal[(size_t)i * (size_t)n / CANDIDATES];
	seconds = walk_times(e, &p, legal, CANDIDATES, &sum);
	printf("  %-42s %8.0f a second, checksum %016" PRIx64 "\n", "4,096 legal: memory, traffic and step",
	    (double)CANDIDATES / seconds, sum);
}

int
main(void)
{
	struct estimate *e = malloc(sizeof *e);
	struct plan p;

	if (e == NULL)
		return 1;
	catalog_fill();
	plan_builtin(&p);
	plan_resolve(&p, &catalog);
	measure("dense, 4 stages", &p, e);
	moe_plan(&p);
	measure("mixture of experts, 16 stages", &p, e);
	put(&p, FIELD_MODE, "serve");
	put(&p, FIELD_NODES, "2");
	put(&p, FIELD_TP, "16");
	put(&p, FIELD_PP, "1");
	put(&p, FIELD_EP, "1");
	put(&p, FIELD_PIPELINE_LAYOUT, "");
	plan_resolve(&p, &catalog);
	measure("serving, mixture of experts, TP 16", &p, e);
	for (int i = 0; i < job_count; i++)
		measure_search(&jobs[i], e);
	free(e);
	return 0;
}
