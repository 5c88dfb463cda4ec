#include "accuracy_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_latency.h"
#include "accuracy_plan.h"
#include "accuracy_step.h"
#include "accuracy_step_row.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"

enum { RUNS_MAX = 2048, JOB = 256 };

/* One of several plans for a job: seconds of a step or of a token. */
struct run {
	char job[JOB];
	double estimated, measured;
};

struct runs {
	size_t count;
	struct run run[RUNS_MAX];
};

static void
put_settings(struct plan *p, const char *settings)
{
	char text[LINE_SIZE], *rest = text, *one;

	snprintf(text, sizeof text, "%s", settings);
	while ((one = strsep(&rest, " ")) != NULL) {
		char *value = strchr(one, '=');

		if (value == NULL)
			continue;
		*value++ = '\0';
		accuracy_put(p, one, value);
	}
}

static void
add_run(struct runs *r, const char *job, double estimated, double measured)
{
	struct run *run = &r->run[r->count];

	if (r->count == RUNS_MAX || !(estimated > 0) || !(measured > 0))
		return;
	snprintf(run->job, sizeof run->job, "%s", job);
	run->estimated = estimated;
	run->measured = measured;
	r->count++;
}

/* ---- rows ------------------------------------------------------------------------- */

/* What all plans of a sweep have in common. */
static void
begin_sweep(struct plan *p, const struct table *t, const config_t *gpus)
{
	const char *gpu = strstr(row_cell(t, "settings"), "cluster.gpu=");
	char id[PLAN_ID_SIZE] = "";

	plan_defaults(p);
	if (gpu != NULL)
		sscanf(gpu, "cluster.gpu=%63s", id);
	accuracy_put_entry(p, gpus, "gpus", "cluster", id);
	put_settings(p, row_cell(t, "settings"));
}

static void
read_sweeps(struct runs *r, const char *top)
{
	static struct estimate e;
	static struct table t;
	FILE *in = table_open(&t, top, "sweeps.tsv");
	struct plan sweep, p;
	config_t gpus;

	config_init(&gpus);
	accuracy_read_catalog(&gpus, top, "gpus.cfg");
	plan_defaults(&sweep);
	while (in != NULL && table_next(&t, in)) {
		if (strcmp(row_cell(&t, "id"), "all") == 0) {
			begin_sweep(&sweep, &t, &gpus);
			continue;
		}
		p = sweep;
		put_settings(&p, row_cell(&t, "settings"));
		plan_resolve(&p, NULL);
		estimate_run(&e, &p, NULL, NULL);
		add_run(r, row_cell(&t, "sweep"), e.legal ? e.step.seconds : 0, row_number(&t, "seconds"));
	}
	if (in != NULL)
		fclose(in);
	config_destroy(&gpus);
}

static void
read_steps(struct runs *r, const char *top, const char *file)
{
	static struct table t;
	FILE *in = table_open(&t, top, file);
	const char *why;
	char job[JOB];
	struct plan p;

	while (in != NULL && table_next(&t, in)) {
		const double seconds = accuracy_step_row(&t, &p, &why);

		snprintf(job, sizeof job, "%.80s %.40s %.50s %.8s %.8s %.8s %.30s", row_cell(&t, "source"),
		    row_cell(&t, "model"), row_cell(&t, "gpu"), row_cell(&t, "n_gpus"), row_cell(&t, "gbs"),
		    row_cell(&t, "seq"), row_cell(&t, "precision"));
		add_run(r, job, seconds, seconds > 0 ? accuracy_step_measured(&p, &t) : 0);
	}
	if (in != NULL)
		fclose(in);
}

static void
take_latency(void *context, const struct latency_row *row)
{
	const struct serving *s = &row->plan->serving;
	char job[JOB];

	snprintf(job, sizeof job, "%d %s %.40s %.40s %d %d %lld %lld %g", (int)s->engine,
	    s->engine_version, row->model, row->plan->cluster.gpu, (int)s->weight_dtype,
	    (int)s->kv_dtype, (long long)s->prompt_tokens, (long long)s->generate_tokens,
	    (double)s->concurrency / (double)plan_world(row->plan));
	if (row->limited < 2)
		add_run(context, job, row->estimated->tpot_seconds, row->measured[LATENCY_TPOT]);
}

/* ---- pairs ------------------------------------------------------------------------ */

/* Estimated to differ by more than `from`, up to `to`, as a share of the faster. */
static void
print_pairs(FILE *out, const struct runs *r, const char *mode, double from, double to)
{
	size_t pairs = 0, right = 0;

	for (size_t i = 0; i < r->count; i++)
		for (size_t k = i + 1; k < r->count; k++) {
			const struct run *a = &r->run[i], *b = &r->run[k];
			const double gap = fmax(a->estimated, b->estimated) /
			    fmin(a->estimated, b->estimated) - 1;

			if (strcmp(a->job, b->job) != 0 || gap <= from || gap > to)
				continue;
			pairs++;
			right += (a->estimated < b->estimated) == (a->measured < b->measured);
		}
	fprintf(out, "AHEAD(%s, %.0f, %zu, %.0f)\n", mode, isinf(to) ? 0 : 100 * to, pairs,
	    100 * (double)right / (double)pairs);
}

static void
print_mode(FILE *out, const struct runs *r, const char *mode)
{
	static const double gap[] = { 0, 0.02, 0.05, 0.1, 0.2, INFINITY };

	for (size_t i = 1; i < sizeof gap / sizeof *gap; i++)
		print_pairs(out, r, mode, gap[i - 1], gap[i]);
}

void
accuracy_pairs(FILE *out, const char *top)
{
	static struct runs train, serve;

	train.count = serve.count = 0;
	read_sweeps(&train, top);
	read_steps(&train, top, "published.tsv");
	read_steps(&train, top, "heldout_steps.tsv");
	read_steps(&train, top, "steps_more.tsv");
	print_mode(out, &train, "MODE_TRAIN");
	accuracy_latency_rows(top, take_latency, &serve);
	print_mode(out, &serve, "MODE_SERVE");
}
