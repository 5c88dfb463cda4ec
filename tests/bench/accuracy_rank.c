/*
 * accuracy_rank.c - the search against what experts chose.
 *
 * Who ran on thousands of GPUs tried many plans. A good search puts theirs among its first, or
 * its own first one is really faster, or an estimate flatters it. Free is what `search` frees by
 * itself; what else the row says, the software and its switches, holds for all plans.
 */
#include "accuracy_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accuracy_step.h"
#include "accuracy_step_row.h"
#include "core/base/number.h"
#include "core/search/search.h"
#include "core/search/search_make.h"

enum { CHOICE = 96, CHOICES_MAX = 512 };

/* A choice among so many plans that fit; share: those that are estimated to be faster. */
struct standing {
	uint64_t faster, fitting;
	double share, own, best, real; /* seconds of a step: estimated, and measured */
	bool fits, tight;
	char choice[CHOICE], ours[CHOICE];
	char group[64], family[192]; /* family: model, GPU and sequence */
};

static struct search_worker *worker;
static struct search_space *space;
static struct estimate *estimate;
static int threads;

static void
describe(const struct plan *p, char *buf, size_t size)
{
	static const char *const recompute[] = { "", " selective", " full" };
	const struct parallel *par = &p->parallel;

	snprintf(buf, size, "TP %lld CP %lld PP %lld/%lld", (long long)par->tp, (long long)par->cp,
	    (long long)par->pp, (long long)par->vpp);
	if (p->model.experts > 0)
		snprintf(buf + strlen(buf), size - strlen(buf), " EP %lld/%lld", (long long)par->ep,
		    (long long)par->etp);
	snprintf(buf + strlen(buf), size - strlen(buf), " Z%lld mb %lld%s", (long long)par->zero_stage,
	    (long long)p->training.micro_batch_size, recompute[p->training.recompute]);
}

/* By an objective, of which the name is known to hold. */
static const struct search_counts *
run(struct search *s, const char *objective)
{
	struct search_control control = { .next = 0 };
	char err[256];

	s->objectives = 1;
	target_find(&s->objective[0], objective, &space->plan, err, sizeof err);
	search_run(s, worker, threads, &control);
	return &worker[0].counts;
}

/* The best plan; then, by objectives that no time decides, how many fit, and how many of them are
 * faster than the choice. False with the reason where there is no such space, or no rank in it. */
static bool
rank_choice(const struct plan *p, struct standing *of, const char **why)
{
	struct search s = { .space = space };
	struct wishes wishes;
	struct plan best;
	static char err[512];

	*why = err;
	wishes_usual(&wishes, p);
	wishes_fix_group(&wishes, WISH_SWITCHES, p); /* counts of sizes: each plan of them is looked at */
	wishes_fix(&wishes, FIELD_DP_REPLICATE);
	estimate_run(estimate, p, NULL, NULL);
	if (!estimate->legal || estimate->step.seconds <= 0) {
		snprintf(err, sizeof err, "%s", estimate->diags.count > 0 ?
		    estimate->diags.item[0].message : "no time");
		return false;
	}
	of->own = estimate->step.seconds;
	of->fits = estimate->fits;
	of->tight = estimate->tight;
	describe(p, of->choice, sizeof of->choice);
	if (!space_make(space, p, NULL, &wishes, err, sizeof err))
		return false;
	run(&s, "time");
	snprintf(err, sizeof err, "nothing fits");
	if (worker[0].kept == 0)
		return false;
	of->best = worker[0].key[0].score[0];
	space_plan(space, worker[0].key[0].index, &best);
	describe(&best, of->ours, sizeof of->ours);
	s.condition[0] = (struct search_condition){ .target = s.objective[0],
		.limit = of->own * (1 - 1e-9) };
	of->fitting = run(&s, "memory")->evaluated;
	s.conditions = 1;
	of->faster = run(&s, "gpus")->qualified;
	of->share = (double)of->faster / (double)of->fitting;
	return true;
}

/* The first row of a family stands for all. */
static bool
is_new(struct standing *all, size_t n, const struct table *t)
{
	snprintf(all[n].group, sizeof all[n].group, "%s", row_cell(t, "group"));
	snprintf(all[n].family, sizeof all[n].family, "%.60s %.60s %.20s", row_cell(t, "model"),
	    row_cell(t, "gpu"), row_cell(t, "seq"));
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].family, all[n].family) == 0)
			return false;
	return true;
}

static size_t
rank_rows(FILE *out, const char *top, const char *file, struct standing *all, size_t n)
{
	static struct table t;
	const char *why;
	struct plan p;
	FILE *in = table_open(&t, top, file);

	while (in != NULL && n < CHOICES_MAX && table_next(&t, in)) {
		struct standing *of = &all[n];

		if (row_refusal(&t) != NULL || row_number(&t, "mbs") <= 0 ||
		    row_number(&t, "n_gpus") < 8 || !is_new(all, n, &t))
			continue;
		row_plan(&p, &t);
		if (!rank_choice(&p, of, &why)) {
			fprintf(out, "%-5s %-20.20s left out: %.60s\n", row_cell(&t, "id"),
			    row_cell(&t, "model"), why);
			continue;
		}
		of->real = accuracy_step_measured(&p, &t);
		fprintf(out, "%-5s %-20.20s %5s %6llu of %-6llu %5.1f %8.3f %8.3f %8.3f  %s%s; %s\n",
		    row_cell(&t, "id"), row_cell(&t, "model"), row_cell(&t, "n_gpus"),
		    (unsigned long long)of->faster + 1, (unsigned long long)of->fitting,
		    100 * of->share, of->real, of->own, of->best, of->choice,
		    !of->fits ? " (does not fit)" : of->tight ? " (tight)" : "", of->ours);
		n++;
	}
	if (in != NULL)
		fclose(in);
	return n;
}

static double
quantile(double *v, size_t n, double q)
{
	qsort(v, n, sizeof *v, ascending);
	return v[(size_t)ceil(q * (double)n) - 1];
}

/* Of a group, or of all (NULL). */
static void
print_summary(FILE *out, const struct standing *all, size_t n, const char *group)
{
	static double share[CHOICES_MAX], gain[CHOICES_MAX];
	size_t count = 0, unfit = 0, tight = 0;

	for (size_t i = 0; i < n; i++) {
		if (group != NULL && strcmp(all[i].group, group) != 0)
			continue;
		share[count] = all[i].share;
		gain[count++] = all[i].own / all[i].best;
		unfit += !all[i].fits;
		tight += all[i].tight;
	}
	fprintf(out, "%-26s %7zu %8.1f %8.1f %8.2f %8.2f %8zu %8zu\n", group != NULL ? group : "all",
	    count, 100 * quantile(share, count, 0.5), 100 * quantile(share, count, 0.9),
	    quantile(gain, count, 0.5), quantile(gain, count, 0.9), unfit, tight);
}

static void
print_summaries(FILE *out, const struct standing *all, size_t n)
{
	fprintf(out, "\nPercent of the plans that are faster, and how many times as fast the best is\n"
	    "%-26s %7s %8s %8s %8s %8s %8s %8s\n", "group", "choices", "median", "90 %", "median", "90 %",
	    "unfit", "tight");
	for (size_t i = 0; i < n; i++) {
		size_t first = 0;

		while (strcmp(all[first].group, all[i].group) != 0)
			first++;
		if (first == i)
			print_summary(out, all, n, all[i].group);
	}
	if (n > 0)
		print_summary(out, all, n, NULL);
}

static bool
allocate(void)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	threads = cores < 1 ? 1 : cores < SEARCH_THREADS_MAX ? (int)cores : SEARCH_THREADS_MAX;
	space = malloc(sizeof *space);
	estimate = calloc(1, sizeof *estimate);
	worker = calloc((size_t)threads, sizeof *worker);
	for (int i = 0; worker != NULL && i < threads; i++) {
		worker[i].room = 1;
		if ((worker[i].key = calloc(1, sizeof *worker[i].key)) == NULL)
			return false;
	}
	return space != NULL && estimate != NULL && worker != NULL;
}

static void
release(void)
{
	for (int i = 0; worker != NULL && i < threads; i++)
		free(worker[i].key);
	free(worker);
	free(estimate);
	free(space);
}

void
accuracy_rank(FILE *out, const char *top)
{
	static struct standing all[CHOICES_MAX];
	size_t n;

	if (allocate()) {
		fprintf(out, "\nWhat was run, among all plans that fit: rank, percent that are faster, seconds of a\n"
		    "step measured, estimated, and of our best; the choice, and our best\n");
		n = rank_rows(out, top, "published.tsv", all, 0);
		n = rank_rows(out, top, "heldout_steps.tsv", all, n);
		n = rank_rows(out, top, "mlperf_steps.tsv", all, n);
		print_summaries(out, all, n);
	}
	release();
}
