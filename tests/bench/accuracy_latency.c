#include "accuracy_latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "accuracy_plan.h"
#include "core/base/number.h"
#include "core/framework/layout.h"
#include "core/framework/resolve.h"
#include "core/framework/stage.h"
#include "core/plan/field.h"
#include "core/serve/serve.h"

enum column {
	C_ID, C_ENGINE, C_VERSION, C_MODEL, C_GPU, C_WEIGHT, C_KV, C_TP, C_DP, C_EP, C_PROMPT,
	C_GENERATE, C_REQUESTS, C_SPREAD, C_TOKENS, C_INTERVAL, C_WAIT, C_WAIT_SHARE,
	C_TTFT, C_TPOT, C_LIMITED, COLUMNS
};

static void
put_cell(struct plan *p, const char *path, const char *cell)
{
	if (strcmp(cell, "0") != 0 && strcmp(cell, "-") != 0)
		accuracy_put(p, path, cell);
}

/* False for a model or a GPU that the catalogue lacks. */
static bool
express(struct plan *p, char *const *cell, const config_t *models, const config_t *gpus)
{
	const double dp = accuracy_number(cell[C_DP]), tp = accuracy_number(cell[C_TP]);

	plan_defaults(p);
	accuracy_put(p, "mode", "serve");
	accuracy_put(p, "layout", "vllm");
	if (!accuracy_put_entry(p, models, "models", "model", cell[C_MODEL]) ||
	    !accuracy_put_entry(p, gpus, "gpus", "cluster", cell[C_GPU]))
		return false;
	accuracy_put(p, "gpu", cell[C_GPU]);
	accuracy_put(p, "model.preset", cell[C_MODEL]);
	accuracy_put_number(p, "gpus_per_node", tp * dp);
	accuracy_put_number(p, "tp", tp * dp);
	accuracy_put(p, "dp_attention", dp > 1 ? "true" : "false");
	accuracy_put(p, "ep", cell[C_EP]);
	accuracy_put(p, "engine", cell[C_ENGINE]);
	put_cell(p, "engine_version", cell[C_VERSION]);
	accuracy_put(p, "weight_dtype", cell[C_WEIGHT]);
	accuracy_put(p, "kv_dtype", cell[C_KV]);
	accuracy_put(p, "concurrency", cell[C_REQUESTS]);
	accuracy_put(p, "prompt_tokens", cell[C_PROMPT]);
	accuracy_put(p, "generate_tokens", cell[C_GENERATE]);
	accuracy_put_number(p, "context_length",
	    accuracy_number(cell[C_PROMPT]) + accuracy_number(cell[C_GENERATE]));
	accuracy_put(p, "gpu_memory_utilization", "0.95"); /* not recorded; these did run */
	accuracy_put(p, "length_spread", cell[C_SPREAD]);
	put_cell(p, "max_batched_tokens", cell[C_TOKENS]);
	put_cell(p, "poll_interval", cell[C_INTERVAL]);
	put_cell(p, "batch_wait_steps", cell[C_WAIT]);
	put_cell(p, "batch_wait_share", cell[C_WAIT_SHARE]);
	plan_resolve(p, NULL);
	return true;
}

static struct latency_errors *
group_named(struct latency_errors *groups, int *count, const char *name)
{
	int i = 0;

	while (i < *count && strcmp(groups[i].name, name) != 0)
		i++;
	if (i == *count && *count < LATENCY_GROUPS_MAX) {
		snprintf(groups[i].name, sizeof groups->name, "%s", name);
		++*count;
	}
	return &groups[i];
}

static const char *
load_name(double requests)
{
	return requests <= 4 ? "1 to 4 requests" : requests <= 16 ? "5 to 16 requests" :
	    requests <= 64 ? "17 to 64 requests" : "more than 64";
}

/* Where rows go. */
struct sink {
	void (*take)(void *context, const struct latency_row *row);
	void *context;
	FILE *complaints; /* of rows that no plan says; NULL: nobody reads them */
};

static void
measure_row(const struct sink *to, char *const *cell, const config_t *models, const config_t *gpus)
{
	static struct plan p;
	static struct layout layout;
	static struct placement placement;
	struct serve s;

	if (!express(&p, cell, models, gpus) || !layout_init(&layout, &p, NULL) ||
	    !placement_init(&placement, &p, NULL)) {
		if (to->complaints != NULL)
			fprintf(to->complaints, "%s not expressed\n", cell[C_ID]);
		return;
	}
	s = serve_estimate(&p, &layout, &placement, NULL, NULL);
	to->take(to->context, &(struct latency_row){ cell[C_ID], cell[C_MODEL], &p, &s,
		{ accuracy_number(cell[C_TPOT]) / 1e3, accuracy_number(cell[C_TTFT]) / 1e3 },
		atoi(cell[C_LIMITED]) });
}

static void
sort_group(struct latency_errors *g)
{
	for (int i = 0; i < LATENCIES; i++) {
		const size_t n = (size_t)g->count[i];

		qsort(g->error[i], n, sizeof(double), ascending);
		g->bias[i] = n > 0 ? g->error[i][n / 2] : 0;
		qsort(g->error[i], n, sizeof(double), by_size);
	}
}

static void
measure_rows(const struct sink *to, FILE *in, const config_t *models, const config_t *gpus)
{
	char line[1024];

	while (fgets(line, sizeof line, in) != NULL) {
		char *cell[COLUMNS];
		const int n = accuracy_cells(line, cell, COLUMNS);

		if (line[0] != '#' && n == COLUMNS && strcmp(cell[C_ID], "id") != 0)
			measure_row(to, cell, models, gpus);
	}
}

static bool
read_rows(const char *top, const struct sink *to)
{
	config_t models, gpus;
	char path[1024];
	bool read;
	FILE *in;

	snprintf(path, sizeof path, "%s/tests/data/serving_latency.tsv", top);
	if ((in = fopen(path, "r")) == NULL)
		return false;
	config_init(&models);
	config_init(&gpus);
	read = accuracy_read_catalog(&models, top, "models.cfg") &&
	    accuracy_read_catalog(&gpus, top, "gpus.cfg");
	if (read)
		measure_rows(to, in, &models, &gpus);
	config_destroy(&gpus);
	config_destroy(&models);
	fclose(in);
	return read;
}

bool
accuracy_latency_rows(const char *top, void (*take)(void *context, const struct latency_row *row),
    void *context)
{
	return read_rows(top, &(struct sink){ take, context, NULL });
}

/* Where groups are noted, and rows printed. */
struct comparison {
	struct latency_errors *groups;
	int count;
	FILE *rows;
};

/* What a row tells: with unknown limits nothing, with the start in it no first token. */
static void
note(struct latency_errors *g, const double *error, int limited)
{
	for (int i = 0; i < LATENCIES; i++)
		if (limited == 0 || (limited == 1 && i == LATENCY_TPOT))
			g->error[i][g->count[i]++] = error[i];
}

static void
compare(void *context, const struct latency_row *row)
{
	struct comparison *c = context;
	const struct serve *s = row->estimated;
	const struct serving *serving = &row->plan->serving;
	const double error[LATENCIES] = { s->tpot_seconds / row->measured[LATENCY_TPOT] - 1,
		s->ttft_seconds / row->measured[LATENCY_TTFT] - 1 };
	char engine[32];
	const char *names[] = { "all", engine, row->plan->cluster.gpu, row->model,
		load_name((double)serving->concurrency) };

	field_format(FIELD_ENGINE, row->plan, engine, sizeof engine);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		note(group_named(c->groups, &c->count, names[i]), error, row->limited);
	if (c->rows != NULL)
		fprintf(c->rows, "%-12s TPOT %+6.1f%%  TTFT %+6.1f%%  slots %.0f limited %d  %s\n", row->model,
		    100 * error[LATENCY_TPOT], 100 * error[LATENCY_TTFT], s->slots, row->limited, row->id);
}

int
accuracy_latency_measure(struct latency_errors *groups, const char *top, FILE *rows)
{
	struct comparison c = { groups, 0, rows };

	if (!read_rows(top, &(struct sink){ compare, &c, rows }))
		return -1;
	for (int i = 0; i < c.count; i++)
		sort_group(&groups[i]);
	return c.count;
}

double
accuracy_latency_at(const struct latency_errors *g, enum latency what, double share)
{
	const int n = g->count[what], at = (int)ceil(share * n) - 1;

	return n > 0 ? fabs(g->error[what][at < 0 ? 0 : at]) : 0;
}

void
accuracy_latency(FILE *out, const char *top)
{
	static struct latency_errors groups[LATENCY_GROUPS_MAX];
	static const char *const names[LATENCIES] = { "TPOT, %", "TTFT, %" };
	int count;

	fprintf(out, "\nServing under load, row by row\n");
	count = accuracy_latency_measure(groups, top, out);
	fprintf(out, "\n%-22s %-10s %5s %8s %8s %8s\n", "Serving under load", "error of", "rows",
	    "median", "90th", "bias");
	for (int what = 0; what < LATENCIES; what++)
		for (int i = 0; i < count; i++)
			fprintf(out, "%-22s %-10s %5d %8.1f %8.1f %+8.1f\n", groups[i].name, names[what],
			    groups[i].count[what],
			    100 * accuracy_latency_at(&groups[i], (enum latency)what, 0.5),
			    100 * accuracy_latency_at(&groups[i], (enum latency)what, 0.9),
			    100 * groups[i].bias[what]);
}
