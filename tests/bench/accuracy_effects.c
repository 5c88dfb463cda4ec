#include "accuracy_effects.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "accuracy_plan.h"
#include "core/base/number.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "core/plan/pool.h"
#include "core/serve/serve_experts.h"
#include "core/serve/serve_loop.h"

enum column { C_KIND, C_MODEL, C_GPU, C_SETTING, C_METRIC, C_WITHOUT, C_WITH, C_QUANTITY, C_BASIS,
	C_CHANGE, C_SOURCE, COLUMNS };
enum { LINE_SIZE = 2048 };

/* ---- quantities --------------------------------------------------------------------------- */

static double
ttft(const struct estimate *e, const struct plan *p)
{
	(void)p;
	return e->serve.rate.followed ? e->serve.rate.ttft.mean : e->serve.ttft_seconds;
}

static double
ttft_p99(const struct estimate *e, const struct plan *p)
{
	(void)p;
	return e->serve.rate.ttft.p99;
}

static double
tpot(const struct estimate *e, const struct plan *p)
{
	(void)p;
	return e->serve.rate.followed ? e->serve.rate.tpot.mean : e->serve.tpot_seconds;
}

static double
gap_p99(const struct estimate *e, const struct plan *p)
{
	(void)p;
	return e->serve.rate.gap;
}

static double
throughput(const struct estimate *e, const struct plan *p)
{
	(void)p;
	return e->serve.tokens_per_second;
}

static double
inside(const struct estimate *e, const struct plan *p)
{
	(void)p;
	return e->serve.rate.inside;
}

static double
joules(const struct estimate *e, const struct plan *p)
{
	(void)p;
	return e->serve.rate.joules;
}

static double
tokens_of_step(const struct estimate *e, const struct plan *p)
{
	(void)e;
	return serve_tokens_a_step(p);
}

static double
hottest(const struct estimate *e, const struct plan *p)
{
	(void)e;
	return serve_hottest(p);
}

/* Of a node: prompts that fill it, and answers. */
static double
node_prompts(const struct estimate *e, const struct plan *p)
{
	return e->serve.prefill_rate * (double)p->serving.prompt_tokens *
	    at_least_one(p->cluster.gpus_per_node) / (double)pool_gpus(p);
}

static double
node_answers(const struct estimate *e, const struct plan *p)
{
	return e->serve.running / e->serve.step_seconds / at_least_one(p->cluster.nodes);
}

static const struct {
	const char *name;
	double (*of)(const struct estimate *e, const struct plan *p);
} quantities[] = {
	{ "ttft", ttft }, { "ttft_p99", ttft_p99 }, { "tpot", tpot }, { "gap_p99", gap_p99 },
	{ "throughput", throughput }, { "inside", inside }, { "joules", joules },
	{ "tokens_a_step", tokens_of_step }, { "hottest", hottest }, { "prefill_node", node_prompts }, { "decode_node", node_answers },
};

/* ---- rows --------------------------------------------------------------------------------- */

/* NAN where it is no plan or nothing comes out. */
static double
estimated(const char *basis, const char *change, const char *quantity, const struct accuracy_catalogs *c)
{
	static struct estimate e;
	struct plan p;

	plan_defaults(&p);
	accuracy_put(&p, "mode", "serve");
	accuracy_put(&p, "layout", "vllm");
	if (!accuracy_put_settings(&p, basis, c) || !accuracy_put_settings(&p, change, c))
		return NAN;
	plan_resolve(&p, NULL);
	estimate_run(&e, &p, NULL, NULL);
	for (size_t i = 0; i < sizeof quantities / sizeof *quantities && e.legal && e.served; i++)
		if (strcmp(quantities[i].name, quantity) == 0)
			return quantities[i].of(&e, &p);
	return NAN;
}

static struct effect_kind *
kind_of(struct effect_kind kind[EFFECT_KINDS_MAX], int *kinds, const char *name)
{
	for (int i = 0; i < *kinds; i++)
		if (strcmp(kind[i].name, name) == 0)
			return &kind[i];
	if (*kinds == EFFECT_KINDS_MAX)
		return NULL;
	kind[*kinds] = (struct effect_kind){ .rows = 0 };
	snprintf(kind[*kinds].name, sizeof kind->name, "%s", name);
	return &kind[(*kinds)++];
}

static void
judge(struct effect_kind *k, char *const *cell, const struct accuracy_catalogs *c, FILE *out)
{
	const double without = accuracy_number(cell[C_WITHOUT]), with = accuracy_number(cell[C_WITH]);
	const bool ratio = without > 0 && strcmp(cell[C_CHANGE], "-") != 0;
	const double measured = ratio ? with / without : with;
	const double plain = ratio ? estimated(cell[C_BASIS], "", cell[C_QUANTITY], c) : 1;
	const double ours = estimated(cell[C_BASIS], cell[C_CHANGE], cell[C_QUANTITY], c) / plain;

	if (!isfinite(ours) || !(ours > 0)) {
		if (out != NULL)
			fprintf(out, "%-14s %-18s nothing comes out: %s\n", k->name, cell[C_MODEL], cell[C_SETTING]);
		return;
	}
	k->error[k->judged++] = ours / measured - 1;
	if (out != NULL)
		fprintf(out, "%-14s %-18s %-14s %s %9.4g, measured %9.4g, %+4.0f%%  %s\n", k->name,
		    cell[C_MODEL], cell[C_QUANTITY], ratio ? "x" : " ", ours, measured, 100 * (ours / measured - 1),
		    cell[C_SETTING]);
}

static int
read_rows(struct effect_kind kind[EFFECT_KINDS_MAX], FILE *in, const struct accuracy_catalogs *c, FILE *out)
{
	char line[LINE_SIZE], *cell[COLUMNS];
	int kinds = 0;

	while (fgets(line, sizeof line, in) != NULL) {
		struct effect_kind *k;

		if (line[0] == '#' || accuracy_cells(line, cell, COLUMNS) != COLUMNS ||
		    strcmp(cell[C_KIND], "kind") == 0 || (k = kind_of(kind, &kinds, cell[C_KIND])) == NULL)
			continue;
		k->rows++;
		if (strcmp(cell[C_QUANTITY], "-") != 0 && k->judged < EFFECT_ROWS_MAX)
			judge(k, cell, c, out);
		else if (out != NULL)
			fprintf(out, "%-14s %-18s %s: %s\n", k->name, cell[C_MODEL], cell[C_BASIS], cell[C_SETTING]);
	}
	return kinds;
}

int
accuracy_effects_measure(struct effect_kind kind[EFFECT_KINDS_MAX], const char *top, FILE *out)
{
	struct accuracy_catalogs c;
	char path[1024];
	int kinds = -1;
	FILE *in;

	snprintf(path, sizeof path, "%s/tests/data/serving_effects.tsv", top);
	if ((in = fopen(path, "r")) == NULL)
		return -1;
	config_init(&c.models);
	config_init(&c.gpus);
	if (accuracy_read_catalog(&c.models, top, "models.cfg") &&
	    accuracy_read_catalog(&c.gpus, top, "gpus.cfg"))
		kinds = read_rows(kind, in, &c, out);
	config_destroy(&c.gpus);
	config_destroy(&c.models);
	fclose(in);
	for (int i = 0; i < kinds; i++) {
		struct effect_kind *k = &kind[i];

		qsort(k->error, (size_t)k->judged, sizeof(double), ascending);
		k->bias = k->judged > 0 ? k->error[k->judged / 2] : 0;
		qsort(k->error, (size_t)k->judged, sizeof(double), by_size);
	}
	return kinds;
}

void
accuracy_effects(FILE *out, const char *top)
{
	static struct effect_kind kind[EFFECT_KINDS_MAX];
	int kinds;

	fprintf(out, "\nWhat mechanisms of serving do, row by row\n");
	kinds = accuracy_effects_measure(kind, top, out);
	fprintf(out, "\n%-16s %5s %7s %8s %8s %8s\n", "Effect", "rows", "judged", "median", "90th", "bias");
	for (int i = 0; i < kinds; i++) {
		const struct effect_kind *k = &kind[i];
		const int last = (int)ceil(.9 * k->judged) - 1;

		fprintf(out, "%-16s %5d %7d", k->name, k->rows, k->judged);
		if (k->judged > 0)
			fprintf(out, " %8.1f %8.1f %+8.1f", 100 * fabs(k->error[(k->judged - 1) / 2]),
			    100 * fabs(k->error[last]), 100 * k->bias);
		fputc('\n', out);
	}
}
