/*
 * accuracy_step.c - estimate every published training run that a plan can express.
 *
 * A row says what was run; what it leaves open is assumed (sequence parallelism with TP,
 * no recompute, one chunk a rank) and the row then counts as partly described. No row is
 * calibrated.
 */
#include "accuracy_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_step_row.h"
#include "core/base/number.h"
#include "core/estimate/calibration.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/model/flops.h"
#include "core/rules/check.h"
#include "core/train/steptime.h"

enum { ROWS_MAX = 512 };

/* ---- measured and estimated ------------------------------------------------------- */

double
accuracy_step_measured(const struct plan *p, const struct table *t)
{
	const double tokens = row_number(t, "gbs") * row_number(t, "seq");
	const double value = row_number(t, "value");
	const double count = row_number(t, "n_gpus");
	const bool causal = row_starts(t, "group", "moezoo") || row_starts(t, "group", "bridge");
	const double flops = flops_sum(flops_of_token(p, !causal)) * tokens;

	if (row_has(t, "metric2", "iteration time"))
		return row_number(t, "value2");
	if (row_has(t, "metric", "iteration time"))
		return row_starts(t, "group", "simumax") || row_starts(t, "group", "megatron20") ?
		    value / 1e3 : value;
	if (row_has(t, "metric", "tokens/s/GPU"))
		return tokens / (value * count);
	if (row_has(t, "metric", "TFLOP/s"))
		return flops / (value * 1e12 * count);
	return flops / (value / 100 * p->cluster.bf16_tflops * 1e12 * count); /* MFU, % */
}

static double
estimated(const struct plan *p, struct traffic *traffic, const char **why)
{
	static struct placement placement;
	static struct diag_list diags;
	struct layout layout;
	int64_t m;

	*why = NULL;
	diag_clear(&diags);
	if (!layout_init(&layout, p, &diags) || !placement_init(&placement, p, &diags)) {
		*why = diags.item[0].message;
		return 0;
	}
	m = p->training.global_batch_size / (layout.dp * p->training.micro_batch_size);
	if (m < 1)
		*why = "fewer sequences than data parallel ranks";
	if (m < 1)
		return 0;
	return steptime_estimate(p, &layout, &placement, m, traffic, NULL).seconds;
}

/* ---- the scores ------------------------------------------------------------------- */

struct sample {
	char group[64], family[192]; /* family: source, model, GPU and precision */
	bool full;
	double error, real;
	struct plan plan;
};

static void
score(struct step_score *s, double *errors, size_t n)
{
	s->rows = n;
	if (n == 0)
		return;
	qsort(errors, n, sizeof *errors, ascending);
	s->bias = n % 2 != 0 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
	for (size_t i = 0; i < n; i++)
		errors[i] = fabs(errors[i]);
	qsort(errors, n, sizeof *errors, ascending);
	s->median = n % 2 != 0 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
	s->ninety = errors[(size_t)ceil(0.9 * (double)n) - 1];
	s->worst = errors[n - 1];
}

/* which: the rows of a group, or NULL for all; full: of those described in full or not. */
static void
collect(struct step_score *s, const struct sample *samples, size_t n, const char *group,
    bool full)
{
	double errors[ROWS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (samples[i].full == full &&
		    (group == NULL || strcmp(samples[i].group, group) == 0))
			errors[count++] = samples[i].error;
	snprintf(s->group, sizeof s->group, "%s", group != NULL ? group : "all");
	score(s, errors, count);
}

static void
print_score(FILE *out, const struct step_score *s, const char *note)
{
	if (out != NULL && s->rows > 0)
		fprintf(out, "%-26s %4zu %8.1f %8.1f %8.1f %+8.1f %s\n", s->group, s->rows,
		    100 * s->median, 100 * s->ninety, 100 * s->worst, 100 * s->bias, note);
}

static void
summarise(struct step_accuracy *a, const struct sample *samples, size_t n, FILE *out)
{
	if (out != NULL)
		fprintf(out, "\nStep time, error in %%, nothing calibrated\n"
		    "%-26s %4s %8s %8s %8s %8s\n", "group", "rows", "median", "90 %", "worst", "bias");
	for (int full = 1; full >= 0; full--) {
		for (size_t i = 0; i < n; i++) {
			bool seen = samples[i].full != (full == 1);

			for (size_t j = 0; j < i && !seen; j++)
				seen = samples[j].full == samples[i].full &&
				    strcmp(samples[j].group, samples[i].group) == 0;
			if (seen || a->groups == STEP_GROUPS_MAX)
				continue;
			collect(&a->group[a->groups], samples, n, samples[i].group, full == 1);
			print_score(out, &a->group[a->groups++], full ? "" : "partly described");
		}
		collect(full ? &a->full : &a->partial, samples, n, NULL, full == 1);
		print_score(out, full ? &a->full : &a->partial,
		    full ? "described in full" : "partly described");
	}
}

/* ---- calibrated with one other row --------------------------------------------------- */

static double
trial_seconds(const struct plan *p, void *context)
{
	struct traffic traffic;
	const char *why;

	(void)context;
	return estimated(p, &traffic, &why);
}

/* Each row of a family is the measured point once, and all others of it are estimated with
 * the efficiency that it gives: errors of all pairs. */
static void
calibrated(struct step_accuracy *a, const struct sample *samples, size_t n, FILE *out)
{
	enum { PAIRS_MAX = 2048 };
	static double errors[PAIRS_MAX];
	size_t pairs = 0;

	for (size_t i = 0; i < n; i++) {
		double efficiency = NAN;

		for (size_t j = 0; j < n && pairs < PAIRS_MAX; j++) {
			struct plan p = samples[j].plan;

			if (j == i || strcmp(samples[i].family, samples[j].family) != 0)
				continue;
			if (isnan(efficiency))
				efficiency = calibration_efficiency(&samples[i].plan, 0.01, 10,
				    samples[i].real, trial_seconds, NULL);
			if (isnan(efficiency))
				break;
			p.calibration.compute_efficiency = efficiency;
			errors[pairs++] = trial_seconds(&p, NULL) / samples[j].real - 1;
			if (out != NULL && getenv("PAIRS") != NULL)
				fprintf(out, "pair %-60s %5.3f %+6.1f%%\n", samples[i].family, efficiency,
				    100 * errors[pairs - 1]);
		}
	}
	snprintf(a->calibrated.group, sizeof a->calibrated.group, "all");
	score(&a->calibrated, errors, pairs);
	print_score(out, &a->calibrated, "pairs: calibrated with one other row of the model");
}

double
accuracy_step_row(const struct table *t, struct plan *p, const char **why)
{
	struct traffic traffic;

	if ((*why = row_refusal(t)) != NULL)
		return 0;
	row_plan(p, t);
	return estimated(p, &traffic, why);
}

static void
take_row(struct step_accuracy *a, const struct table *t, FILE *out, struct sample *samples,
    size_t *n)
{
	const char *why;
	struct plan p;
	double real;
	const double guess = accuracy_step_row(t, &p, &why);

	if (why != NULL || guess <= 0) {
		a->left_out++;
		if (out != NULL)
			fprintf(out, "%s %s %s: left out: %s\n", row_cell(t, "id"), row_cell(t, "group"),
			    row_cell(t, "model"), why != NULL ? why : "no estimate");
		return;
	}
	real = accuracy_step_measured(&p, t);
	snprintf(samples[*n].group, sizeof samples[*n].group, "%s", row_cell(t, "group"));
	snprintf(samples[*n].family, sizeof samples[*n].family, "%s %s %s %s", row_cell(t, "group"),
	    row_cell(t, "model"), row_cell(t, "gpu"), row_cell(t, "precision"));
	samples[*n].full = row_is_full(t);
	samples[*n].plan = p;
	samples[*n].real = real;
	samples[(*n)++].error = guess / real - 1;
	if (out != NULL && getenv("ROWS") != NULL)
		fprintf(out, "%s %-20.20s %-16.16s n%s tp%s pp%s cp%s ep%s s%s %-10.10s "
		    "%8.3f %8.3f %+6.1f%%\n",
		    row_cell(t, "id"), row_cell(t, "group"), row_cell(t, "model"),
		    row_cell(t, "n_gpus"), row_cell(t, "tp"), row_cell(t, "pp"), row_cell(t, "cp"),
		    row_cell(t, "ep"), row_cell(t, "seq"), row_cell(t, "precision"), real, guess,
		    100 * (guess / real - 1));
}

bool
accuracy_step_score(struct step_accuracy *a, const char *file, FILE *out, const char *top)
{
	static struct sample samples[ROWS_MAX];
	static struct table t;
	size_t n = 0;
	FILE *in = table_open(&t, top, file);

	memset(a, 0, sizeof *a);
	if (in == NULL)
		return false;
	while (n < ROWS_MAX && table_next(&t, in))
		take_row(a, &t, out, samples, &n);
	fclose(in);
	summarise(a, samples, n, out);
	calibrated(a, samples, n, out);
	return n > 0;
}

void
accuracy_step(FILE *out, const char *top)
{
	static struct step_accuracy a;

	for (size_t i = 0; i < step_file_count; i++) {
		if (step_files[i].afterwards)
			fprintf(out, "\nRuns that were looked up after everything was chosen\n");
		if (!accuracy_step_score(&a, step_files[i].name, out, top))
			fprintf(out, "no %s/tests/data/%s\n", top, step_files[i].name);
	}
}
