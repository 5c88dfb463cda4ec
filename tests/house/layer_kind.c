/*
 * layer_kind - what a model of 8 Mamba layers comes to, and what it should be more with a matrix
 * of h x 3*h in each (layer_kind.sh).
 */
#include <stdio.h>

#include "core/framework/resolve.h"
#include "core/model/activation.h"
#include "core/model/adapters.h"
#include "core/model/flops.h"
#include "core/plan/batch.h"
#include "core/plan/field.h"
#include "core/train/compute.h"

static struct plan plan;

static void
put(enum field_id f, const char *value)
{
	char err[128];

	if (!field_parse(f, &plan, value, err, sizeof err))
		fprintf(stderr, "%s\n", err);
}

static double
kept_by_layers(void)
{
	const struct activation act = activation_init(&plan);
	const struct share layers = { .kept = { .all = 8, .mamba = 8 } };
	double sum = 0;

	activation_add(&act, &layers, NULL, &sum);
	return sum;
}

int
main(void)
{
	const double h = 4096, layers = 8, weights = layers * h * 3 * h;
	struct product more = { .times = 1, .n = 3 * h, .k = h };
	struct machine g;
	struct work w;

	plan_defaults(&plan);
	put(FIELD_LAYER_PATTERN, "MMMMMMMM");
	put(FIELD_HIDDEN_SIZE, "4096");
	put(FIELD_MAMBA_HEADS, "64");
	put(FIELD_MAMBA_HEAD_DIM, "64");
	put(FIELD_MAMBA_STATE, "128");
	put(FIELD_MAMBA_GROUPS, "8");
	put(FIELD_BF16_TFLOPS, "989");
	put(FIELD_HBM_GBPS, "3350");
	put(FIELD_TP, "1");
	plan_resolve(&plan, NULL);
	g = machine_of(&plan);
	w = compute_layer(&plan, &g, params_kind(&plan.model, 0), NULL);
	printf("parameters %.17g %.17g\n", params_model(&plan, NULL).total, weights);
	printf("flop %.17g %.17g\n", flops_of_token(&plan, false).projections, 6 * weights);
	more.rate = &g.linear;
	more.m = batch_tokens(&plan);
	printf("activations %.17g %.17g\n", kept_by_layers(), layers * 2 * batch_tokens(&plan) * 3 * h);
	printf("seconds %.17g %.17g\n", w.forward, job_product_seconds(&g, &more));
	put(FIELD_FINETUNE, "lora");
	put(FIELD_ADAPTER_TARGET, "all-linear");
	put(FIELD_ADAPTER_RANK, "16");
	printf("adapters %.17g %.17g\n", adapters_total(&plan, 0, NULL), layers * 16 * (h + 3 * h));
	return 0;
}
