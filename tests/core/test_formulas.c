/*
 * test_formulas.c - what a term says it is, is what it is: the right side of every formula
 * that the ledger notes comes to the term's value, in all sorts of plans.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "core/estimate/result.h"
#include "expression.h"
#include "settings.h"
#include "../torture/random.h"

enum { TERMS = 8192, PLANS = 3000 };

static struct estimate storage, *const estimate = &storage;
static struct ledger_term terms[TERMS];

/* What a number of a formula is in: bytes and seconds, but where it says otherwise. */
static double
unit_of(const char *text)
{
	if (strncmp(text, " GB", 3) == 0)
		return 1e9;
	return strncmp(text, " GiB", 4) == 0 ? 1073741824.0 : 1;
}

/* The term's formula comes to its value. Bytes are told whole, those of parts as well. */
static void
check_term(const struct ledger_term *t)
{
	const struct result *of = &result_table[result_of_quantity(t->quantity)];
	const double whole = of->form == FORM_BYTES ? 4 : 0;
	const char *at = strstr(t->formula, " = ");
	double v;

	assert_true(strlen(t->formula) + 1 < sizeof t->formula);
	at = at != NULL ? at + 3 : t->formula;
	v = expression_sum(&at) * unit_of(at);
	if (isnan(v) || strchr(" ,:", *at) == NULL)
		fail_msg("%s: %s: no number at \"%s\"", t->name, t->formula, at);
	if (!(fabs(v - t->value) <= 1e-6 * fabs(t->value) + whole))
		fail_msg("%s: %s comes to %.10g, not %.10g", t->name, t->formula, v, t->value);
}

static void
check(const struct plan *p, int *checked)
{
	struct ledger ledger;

	ledger_init(&ledger, terms, TERMS);
	estimate_run(estimate, p, NULL, &ledger);
	assert_true(ledger.count <= TERMS);
	for (size_t i = 0; i < ledger.count; i++) {
		check_term(&terms[i]);
		checked[terms[i].quantity]++;
	}
}

/* Adapters of any kind, in a layout that takes them. */
static void
tune(struct plan *p, struct dice *dice)
{
	static const char *const targets[] = { "all-linear", "qv", "mlp", "all-linear+experts",
		"qkv+o+head", "down+embedding+router" };
	static const int64_t layouts[] = { LAYOUT_MEGATRON, LAYOUT_DEEPSPEED, LAYOUT_TORCHTITAN };
	static const char *const saved[] = { "", "head", "embedding+head" };
	char err[128];

	settings_int(p, FIELD_LAYOUT, layouts[dice_below(dice, 3)]);
	settings_int(p, FIELD_FINETUNE, 1 + dice_below(dice, 4));
	settings_int(p, FIELD_ADAPTER_RANK, 16 << dice_below(dice, 3));
	settings_int(p, FIELD_EXPERT_ADAPTERS, dice_below(dice, 2));
	settings_int(p, FIELD_PACKING, dice_below(dice, 2));
	if (p->parallel.layout != LAYOUT_MEGATRON)
		settings_int(p, FIELD_KERNELS, dice_below(dice, 5));
	field_put_text(FIELD_ADAPTER_TARGET, p, targets[dice_below(dice, 6)], err, sizeof err);
	field_put_text(FIELD_MODULES_TO_SAVE, p, saved[dice_below(dice, 3)], err, sizeof err);
	field_put_real(FIELD_ADAPTER_DROPOUT, p, 0.1 * (double)dice_below(dice, 2), err, sizeof err);
	if (p->parallel.layout != LAYOUT_MEGATRON && dice_below(dice, 2) == 0)
		settings_int(p, FIELD_OPTIMIZER, OPTIMIZER_PAGED_ADAM + dice_below(dice, 2));
	plan_resolve(p, NULL);
}

TEST(formulas_are_values)
{
	struct dice dice = { .state = 11 };
	int checked[QUANTITY_COUNT] = { 0 };

	for (int i = 0; i < PLANS; i++) {
		struct plan p = random_plan(&dice);

		if (i % 4 == 0) {
			settings_int(&p, FIELD_MODE, MODE_SERVE);
			settings_int(&p, FIELD_LAYOUT, LAYOUT_VLLM);
			settings_int(&p, FIELD_ENGINE, dice_below(&dice, 3));
			settings_int(&p, FIELD_DRAFT_TOKENS, dice_below(&dice, 3));
			p.serving.eager = dice_below(&dice, 2);
			p.serving.accepted_tokens = (double)p.serving.draft_tokens / 2;
			p.serving.prefix_hit = p.serving.kv_host_gib = (double)dice_below(&dice, 2) / 2;
			p.calibration.tpot_scale = (double)dice_below(&dice, 3) / 2;
			if (dice_below(&dice, 4) == 0)
				strcpy(p.serving.prefill_workers, "1xtp1");
			plan_resolve(&p, NULL);
		}
		if (i % 4 == 1) {
			const bool split = dice_below(&dice, 2) == 0;

			settings_int(&p, FIELD_RL_ALGORITHM, 1 + dice_below(&dice, 5));
			settings_int(&p, FIELD_RL_PLACEMENT, split ? RL_SPLIT : RL_COLOCATED);
			settings_int(&p, FIELD_NODES, split ? 2 * p.cluster.nodes : p.cluster.nodes);
			settings_int(&p, FIELD_ROLLOUT_GPUS, split ? plan_world(&p) / 2 : 0);
			settings_int(&p, FIELD_STALENESS, split ? dice_below(&dice, 2) : 0);
			settings_int(&p, FIELD_RL_PROMPTS, p.training.global_batch_size);
			settings_int(&p, FIELD_RL_OFFLOAD, dice_below(&dice, 4));
			settings_int(&p, FIELD_ENGINE_SLEEP, dice_below(&dice, 3));
			settings_int(&p, FIELD_RL_RESPONSE_TOKENS, p.training.sequence_length / 4 + 1);
			settings_int(&p, FIELD_RL_RESPONSE_LIMIT, p.training.sequence_length / 2 + 1);
			settings_int(&p, FIELD_RL_PROMPT_TOKENS, p.training.sequence_length / 8 + 1);
			plan_resolve(&p, NULL);
		}
		if (i % 4 == 3)
			tune(&p, &dice);
		if (i % 4 == 2) {
			settings_int(&p, FIELD_LAYOUT, LAYOUT_DEEPSPEED);
			settings_int(&p, FIELD_PP, 1);
			settings_int(&p, FIELD_VPP, 1);
			settings_int(&p, FIELD_CP, 1);
			settings_int(&p, FIELD_ZERO_STAGE, 3);
			settings_int(&p, FIELD_OFFLOAD, dice_below(&dice, 3));
			settings_int(&p, FIELD_OFFLOAD_TO, dice_below(&dice, 3));
			plan_resolve(&p, NULL);
		}
		settings_put(&p, "training.token_budget", "300");
		p.cluster.gpu_hour_price = (double)dice_below(&dice, 4);
		p.cluster.tb_month_price = p.cluster.kwh_price = (double)dice_below(&dice, 2);
		p.cluster.host_watts = p.cluster.tdp_watts = 500;
		p.run.spare_nodes = dice_below(&dice, 3);
		p.run.eval_interval = dice_below(&dice, 50);
		p.run.eval_seconds = 10;
		check(&p, checked);
	}
	for (int q = 0; q < QUANTITY_COUNT; q++)
		if (checked[q] < 100)
			fail_msg("%s: only %d formulas", result_table[result_of_quantity((enum quantity)q)].path, checked[q]);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
