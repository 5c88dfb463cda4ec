/*
 * accuracy_rl.c - published steps of reinforcement learning: NeMo-RL's performance summary, whose
 * recipes say all but the split of a sequence into prompt and response, and verl's tables of
 * phases. Nothing is fitted to a row.
 */
#include "accuracy_rl.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "accuracy_plan.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"

enum column {
	C_GROUP, C_FRAMEWORK, C_ALGORITHM, C_MODEL, C_GPU, C_TOTAL, C_TRAIN, C_ROLLOUT, C_PLACEMENT,
	C_BACKEND, C_TP, C_PP, C_CP, C_EP, C_FSDP, C_ENGINE, C_ENGINE_TP, C_UTIL, C_OFFLOAD, C_PROMPTS,
	C_RESPONSES, C_BATCH, C_MICRO, C_PROMPT, C_LIMIT, C_MEAN, C_LORA, C_STALENESS, C_METRIC, C_VALUE,
	C_UNIT, C_PHASES, C_COMPLETE, C_SOURCE, C_NOTE, COLUMNS
};

enum { LINE_SIZE = 2048 };

/* A prompt of OpenMathInstruct-2 with its template, of sequences whose mean is published. */
#define PROMPT 150

/* GPUs of the rows, as the catalogue has them, with a port of 400 Gb/s each. */
static const struct {
	const char *name, *entry;
	int node, domain;
} gpus[] = { { "H100", "h100-sxm-80gb", 8, 8 }, { "GB200", "gb200", 4, 72 } };

/* Words "path=value" of a cell. */
static void
put_words(struct plan *p, const char *cell)
{
	char list[LINE_SIZE], *save = NULL;

	text_put(list, sizeof list, "%s", cell);
	for (char *w = strtok_r(list, " ;", &save); w != NULL; w = strtok_r(NULL, " ;", &save)) {
		char *equals = strchr(w, '=');

		if (equals == NULL)
			continue;
		*equals = '\0';
		accuracy_put(p, w, equals + 1);
	}
}

static bool
put_run(struct plan *p, char *const *cell, const config_t *models, const config_t *catalogue)
{
	char model[64];
	size_t g = 0;

	text_put(model, sizeof model, "%s", cell[C_MODEL]);
	for (char *c = model; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	while (g < sizeof gpus / sizeof *gpus && strcmp(gpus[g].name, cell[C_GPU]) != 0)
		g++;
	plan_defaults(p);
	if (g == sizeof gpus / sizeof *gpus ||
	    !accuracy_put_entry(p, models, "models", "model", model) ||
	    !accuracy_put_entry(p, catalogue, "gpus", "cluster", gpus[g].entry))
		return false;
	accuracy_put_number(p, "gpus_per_node", gpus[g].node);
	accuracy_put_number(p, "nics_per_node", gpus[g].node);
	accuracy_put_number(p, "nvlink_domain", gpus[g].domain);
	accuracy_put_number(p, "nodes", accuracy_number(cell[C_TOTAL]) / gpus[g].node);
	accuracy_put(p, "nic_gbps", "400");
	return true;
}

/* False where lengths or layout are not said, or nothing here has the model. */
static bool
express(struct plan *p, char *const *cell, const config_t *models, const config_t *catalogue)
{
	static const struct {
		enum column column;
		const char *path;
	} same[] = {
		{ C_TP, "tp" }, { C_PP, "pp" }, { C_CP, "cp" }, { C_EP, "ep" },
		{ C_ENGINE_TP, "rl.rollout_tp" }, { C_UTIL, "gpu_memory_utilization" },
		{ C_PROMPTS, "rl.prompts" }, { C_RESPONSES, "rl.responses" },
		{ C_BATCH, "global_batch_size" }, { C_LIMIT, "training.sequence_length" },
		{ C_LIMIT, "context_length" }, { C_LIMIT, "max_position" }, { C_STALENESS, "rl.staleness" },
	};
	const double mean = accuracy_number(cell[C_MEAN]), limit = accuracy_number(cell[C_LIMIT]);

	if (!(mean > 0) || strcmp(cell[C_BACKEND], "megatron") != 0 || strstr(cell[C_NOTE], "fp8") ||
	    !put_run(p, cell, models, catalogue))
		return false;
	/* NVIDIA-NeMo/RL examples/configs/grpo_math_1B.yaml, which the recipes start from */
	put_words(p, "layout=megatron zero_stage=1 etp=1 gradient_accumulation_fusion=false "
	    "rl.algorithm=grpo");
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		accuracy_put(p, same[i].path, cell[same[i].column]);
	accuracy_put_number(p, "rl.prompt_tokens", PROMPT);
	accuracy_put_number(p, "rl.response_tokens", mean - PROMPT);
	accuracy_put_number(p, "rl.response_limit", limit - PROMPT);
	if (strcmp(cell[C_PLACEMENT], "split") == 0) {
		accuracy_put(p, "rl.placement", "split");
		accuracy_put(p, "rl.rollout_gpus", cell[C_ROLLOUT]);
	} else {
		accuracy_put(p, "rl.offload", "optimizer+params");
	}
	put_words(p, cell[C_NOTE]);
	plan_resolve(p, NULL);
	return true;
}

/* Sum of "gen 357.41 old_log_prob 107.71 ref  update 269.8; ...". */
static double
sum_phases(const char *cell)
{
	double sum = 0;

	if (strncmp(cell, "gen ", 4) != 0)
		return 0;
	for (const char *at = cell; *at != '\0' && *at != ';';) {
		if (isdigit((unsigned char)*at) && at > cell && at[-1] == ' ') {
			char *end;

			sum += strtod(at, &end);
			at = end;
		} else {
			at++;
		}
	}
	return sum;
}

static void
read_row(struct rl_row *row, char *const *cell, const config_t *models, const config_t *catalogue)
{
	static struct plan p;
	static struct estimate e;

	memset(row, 0, sizeof *row);
	text_put(row->group, sizeof row->group, "%s %s", cell[C_MODEL], cell[C_GPU]);
	text_put(row->what, sizeof row->what, "%s, %s %s, %s, %s behind", cell[C_MODEL], cell[C_TOTAL],
	    cell[C_GPU], cell[C_PLACEMENT], cell[C_STALENESS]);
	row->step = accuracy_number(cell[C_VALUE]);
	row->phases = sum_phases(cell[C_PHASES]);
	if (!express(&p, cell, models, catalogue))
		return;
	estimate_run(&e, &p, NULL, NULL);
	row->estimated = e.reinforced ? e.rl.step_seconds : 0;
}

size_t
accuracy_rl_rows(const char *top, struct rl_row *rows, size_t max)
{
	char line[LINE_SIZE], *cell[COLUMNS];
	config_t models, catalogue;
	size_t n = 0;
	FILE *f;

	text_put(line, sizeof line, "%s/tests/data/rl_published.tsv", top);
	f = fopen(line, "r");
	config_init(&models);
	config_init(&catalogue);
	if (f != NULL && accuracy_read_catalog(&models, top, "models.cfg") &&
	    accuracy_read_catalog(&catalogue, top, "gpus.cfg"))
		while (n < max && fgets(line, sizeof line, f) != NULL)
			if (accuracy_cells(line, cell, COLUMNS) == COLUMNS && strcmp(cell[C_METRIC], "step time") == 0)
				read_row(&rows[n++], cell, &models, &catalogue);
	config_destroy(&models);
	config_destroy(&catalogue);
	if (f != NULL)
		fclose(f);
	return n;
}

struct rl_order
accuracy_rl_order(const struct rl_row *rows, size_t count)
{
	struct rl_order o = { 0, 0 };

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++) {
			if (!(rows[i].estimated > 0) || !(rows[j].estimated > 0) ||
			    strcmp(rows[i].group, rows[j].group) != 0)
				continue;
			o.pairs++;
			o.right += (rows[i].step < rows[j].step) == (rows[i].estimated < rows[j].estimated);
		}
	return o;
}

double
accuracy_rl_error(const struct rl_row *rows, size_t count, int of_phases, double share, size_t *n)
{
	double errors[RL_ROWS_MAX];

	*n = 0;
	for (size_t i = 0; i < count && *n < RL_ROWS_MAX; i++) {
		const double is = of_phases ? (1 + RL_OTHERS) * rows[i].phases : rows[i].estimated;

		if (is > 0)
			errors[(*n)++] = fabs(is / rows[i].step - 1);
	}
	if (*n == 0)
		return 0;
	qsort(errors, *n, sizeof *errors, ascending);
	return errors[(size_t)(share * (double)(*n - 1) + 0.5)];
}

void
accuracy_rl(FILE *out, const char *top)
{
	static const char *const of[2] = { "estimated", "from its published phases" };
	struct rl_row rows[RL_ROWS_MAX];
	const size_t count = accuracy_rl_rows(top, rows, RL_ROWS_MAX);
	const struct rl_order order = accuracy_rl_order(rows, count);

	fprintf(out, "\nsteps of reinforcement learning against published ones\n\n%-30s %5s %8s %8s\n",
	    "step", "rows", "median %", "p90 %");
	for (int i = 0; i < 2; i++) {
		size_t n;
		const double median = accuracy_rl_error(rows, count, i, 0.5, &n);

		fprintf(out, "%-30s %5zu %8.2f %8.2f\n", of[i], n, median * 100,
		    accuracy_rl_error(rows, count, i, 0.9, &n) * 100);
	}
	fprintf(out, "%zu of %zu pairs of one model and GPU in the published order\n\n", order.right,
	    order.pairs);
	fprintf(out, "%-60s %10s %10s %8s %18s\n", "row", "published", "estimated", "error %",
	    "step over phases");
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%-60.60s %8.1f s", rows[i].what, rows[i].step);
		if (rows[i].estimated > 0)
			fprintf(out, " %8.1f s %+8.1f", rows[i].estimated,
			    (rows[i].estimated / rows[i].step - 1) * 100);
		if (rows[i].phases > 0)
			fprintf(out, " %38.3f", rows[i].step / rows[i].phases);
		fputc('\n', out);
	}
}
