#include "accuracy_rate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy_cells.h"
#include "accuracy_plan.h"
#include "core/base/number.h"
#include "core/framework/layout.h"
#include "core/framework/resolve.h"
#include "core/framework/stage.h"
#include "core/plan/field.h"
#include "core/plan/pool.h"
#include "core/rate/rate_within.h"
#include "core/serve/serve_open.h"

enum column {
	C_ID, C_FAMILY, C_ENGINE, C_VERSION, C_MODEL, C_GPU, C_WEIGHT, C_KV, C_TP, C_PP, C_REPLICAS, C_EP,
	C_PROMPT, C_PROMPT_KIND, C_PROMPT_SD, C_ANSWER, C_ANSWER_KIND, C_ANSWER_SD, C_RATE, C_BURSTINESS,
	C_REQUESTS, C_TOKENS, C_SEQS, C_HIT, C_KV_TOKENS, C_LOAD, C_REACHED, C_TTFT, C_TTFT_P50,
	C_TTFT_P99, C_TPOT, C_TPOT_P50, C_TPOT_P99, C_GAP_P99, C_LIFE, C_NOTE, C_SOURCE, COLUMNS
};
enum { ROUNDS = 5, LINE_SIZE = 1024 };

struct open_row {
	char line[LINE_SIZE], *cell[COLUMNS];
	struct plan plan;
	bool expressed;
};

static struct open_row row[OPEN_ROWS_MAX];
static struct layout layout;
static struct placement placement;
static struct rate_room room;

static bool
is_said(const char *cell)
{
	return strcmp(cell, "-") != 0;
}

static bool
is_mlperf(const struct open_row *r)
{
	return strncmp(r->cell[C_FAMILY], "mlperf", 6) == 0;
}

/* A submission's own release of its engine is not told: compiled ones then. */
static const char *
version_of(char *const *cell)
{
	return strcmp(cell[C_VERSION], "5.1 submission") == 0 ? "0.20" : cell[C_VERSION];
}

/* GPUs of the prefill workers that a note names, and those in the plan. */
static double
put_pool(struct plan *p, char *const *cell)
{
	const char *said = strstr(cell[C_NOTE], "prefill ");
	char workers[32] = "";

	if (said == NULL || sscanf(said, "prefill %31s", workers) != 1)
		return 0;
	accuracy_put(p, "prefill_workers", workers);
	return (double)pool_gpus(p);
}

static void
put_said(struct plan *p, const char *path, const char *cell)
{
	if (is_said(cell))
		accuracy_put(p, path, cell);
}

/* What is asked of the engine. */
static void
express_traffic(struct plan *p, char *const *cell)
{
	const double prompt = accuracy_number(cell[C_PROMPT]), answer = accuracy_number(cell[C_ANSWER]);

	accuracy_put_number(p, "prompt_tokens", floor(prompt + .5));
	accuracy_put_number(p, "generate_tokens", floor(answer + .5));
	accuracy_put_number(p, "context_length", larger(4096, floor(2 * (prompt + answer))));
	accuracy_put(p, "traffic.rate", cell[C_RATE]);
	accuracy_put(p, "burstiness", strcmp(cell[C_BURSTINESS], "inf") == 0 ? "10000" : cell[C_BURSTINESS]);
	if (is_said(cell[C_PROMPT_SD]))
		accuracy_put_number(p, "prompt_spread", accuracy_number(cell[C_PROMPT_SD]) / prompt);
	if (is_said(cell[C_ANSWER_SD]))
		accuracy_put_number(p, "generate_spread", accuracy_number(cell[C_ANSWER_SD]) / answer);
	put_said(p, "traffic.requests", cell[C_REQUESTS]);
	if (strstr(cell[C_NOTE], "hit share unknown") != NULL || strstr(cell[C_NOTE], "100 distinct prompts") != NULL) {
		accuracy_put(p, "prefixes", "100"); /* inference-perf: ten groups of ten prompts */
		accuracy_put_number(p, "prefix_tokens", prompt);
	} else {
		put_said(p, "prefix_hit", cell[C_HIT]);
	}
	put_said(p, "max_batched_tokens", cell[C_TOKENS]);
	put_said(p, "max_num_seqs", cell[C_SEQS]);
}

/* False for a model or a GPU that the catalogue lacks. */
static bool
express(struct plan *p, char *const *cell, const config_t *models, const config_t *gpus)
{
	const double tp = accuracy_number(cell[C_TP]), pp = accuracy_number(cell[C_PP]);

	plan_defaults(p);
	accuracy_put(p, "mode", "serve");
	accuracy_put(p, "layout", "vllm");
	if (!accuracy_put_entry(p, models, "models", "model", cell[C_MODEL]) ||
	    !accuracy_put_entry(p, gpus, "gpus", "cluster", cell[C_GPU]))
		return false;
	accuracy_put(p, "gpu", cell[C_GPU]);
	accuracy_put(p, "model.preset", cell[C_MODEL]);
	accuracy_put_number(p, "gpus_per_node", put_pool(p, cell) + tp * pp * accuracy_number(cell[C_REPLICAS]));
	accuracy_put(p, "tp", cell[C_TP]);
	accuracy_put(p, "pp", cell[C_PP]);
	accuracy_put(p, "ep", cell[C_EP]);
	accuracy_put(p, "replicas", cell[C_REPLICAS]);
	if (strstr(cell[C_NOTE], "attention DP") != NULL && tp > 1)
		accuracy_put(p, "dp_attention", "true");
	accuracy_put(p, "engine", cell[C_ENGINE]);
	accuracy_put(p, "engine_version", version_of(cell));
	accuracy_put(p, "weight_dtype", cell[C_WEIGHT]);
	accuracy_put(p, "kv_dtype", cell[C_KV]);
	express_traffic(p, cell);
	plan_resolve(p, NULL);
	return true;
}

/* Longest prompts and answers of MLPerf's data sets, and of ShareGPT as it is filtered. */
static void
cut_lengths(struct serve_rate *r, const struct open_row *w)
{
	static const struct {
		const char *model;
		double prompt, answer;
	} longest[] = {
		{ "llama-2-70b", 1024, 1024 }, { "mixtral-8x7b", 2048, 1024 }, { "llama-3.1-8b", 2540, 128 },
		{ "llama-3.1-405b", 20000, 2000 }, { "deepseek-v3", 3136, 20000 },
	};

	r->load_of_one.prompt.most = r->load_of_one.answer.most = 0;
	if (strcmp(w->cell[C_PROMPT_KIND], "sharegpt") == 0) {
		r->load_of_one.prompt.most = 1024;
		r->load_of_one.answer.most = 2048;
	}
	for (size_t i = 0; i < sizeof longest / sizeof *longest && is_mlperf(w); i++)
		if (strcmp(longest[i].model, w->cell[C_MODEL]) == 0) {
			r->load_of_one.prompt.most = longest[i].prompt;
			r->load_of_one.answer.most = longest[i].answer;
		}
}

/* What a row tells that no plan says: a harness without HTTP, the cache as it was logged. */
static struct serve
estimate(const struct open_row *w, const struct plan *p)
{
	struct serve s = serve_estimate(p, &layout, &placement, NULL, NULL);
	struct serve_rate *r = &s.rate;

	if (!r->known)
		return s;
	if (is_mlperf(w) || strcmp(w->cell[C_FAMILY], "llmservingsim") == 0)
		r->engine.answer = .004;
	if (is_said(w->cell[C_KV_TOKENS]))
		r->engine.kv_tokens = accuracy_number(w->cell[C_KV_TOKENS]);
	if (strncmp(w->cell[C_PROMPT_KIND], "uniform", 7) == 0)
		r->load_of_one.prompt.spread = r->load_of_one.answer.spread = SPREAD_UNIFORM;
	cut_lengths(r, w);
	return s;
}

static bool
place_row(const struct open_row *w)
{
	return w->expressed && layout_init(&layout, &w->plan, NULL) &&
	    placement_init(&placement, &w->plan, NULL);
}

static void
note(struct rate_errors *e, double estimated, const char *cell, double unit)
{
	if (is_said(cell) && e->count < OPEN_ROWS_MAX)
		e->error[e->count++] = estimated / (accuracy_number(cell) * unit) - 1;
}

static struct rate_times
times_of(const struct serve_times *t)
{
	return (struct rate_times){ t->mean, t->p50, t->p90, t->p95, t->p99, t->asked };
}

/* As events; of separate pools what can be said of them. */
static struct rate_served
follow(const struct serve_rate *r, const struct plan *p)
{
	struct serve_rate pools = *r;
	struct rate_served at;

	if (!r->split) {
		rate_loop(&at, &r->engine, &r->load_of_one, 99, &room);
		return at;
	}
	serve_percentiles(&pools, p, &room, NULL);
	return (struct rate_served){ .ttft = times_of(&pools.ttft), .tpot = times_of(&pools.tpot),
		.life = times_of(&pools.life) };
}

/* One row against an estimate of it; true where it is below 0.9 of the saturation. */
static bool
judge_row(struct rate_errors errors[OPEN_QUANTITIES], const struct open_row *w, const struct plan *p,
    FILE *out)
{
	const struct serve s = estimate(w, p);
	const struct serve_rate *r = &s.rate;
	const double load = r->load_of_one.rate * r->engines / r->saturation;
	const bool judged = strcmp(w->cell[C_LOAD], "stable") == 0 || strcmp(w->cell[C_LOAD], "finite") == 0;
	const struct rate_served at = follow(r, p);

	if (out != NULL)
		fprintf(out, "%-18s %-16s %-8s load %5.2f TTFT %+5.0f%% p99 %+5.0f%% TPOT %+5.0f%%  %s\n",
		    w->cell[C_MODEL], w->cell[C_GPU], w->cell[C_LOAD], load,
		    100 * (at.ttft.p50 / accuracy_number(w->cell[C_TTFT_P50]) * 1e3 - 1),
		    100 * (at.ttft.p99 / accuracy_number(w->cell[C_TTFT_P99]) * 1e3 - 1),
		    100 * (at.tpot.mean / accuracy_number(w->cell[C_TPOT]) * 1e3 - 1), w->cell[C_ID]);
	if (strcmp(w->cell[C_LOAD], "overload") == 0 && strcmp(w->cell[C_REPLICAS], "1") == 0 &&
	    strstr(w->cell[C_NOTE], "failures") == NULL)
		note(&errors[OPEN_REACHED], at.reached, w->cell[C_REACHED], 1);
	if (!judged || load >= .9)
		return false;
	note(&errors[OPEN_TTFT_P50], at.ttft.p50, w->cell[C_TTFT_P50], 1e-3);
	note(&errors[OPEN_TTFT_P99], at.ttft.p99, w->cell[C_TTFT_P99], 1e-3);
	note(&errors[OPEN_TPOT], at.tpot.mean, w->cell[C_TPOT], 1e-3);
	note(&errors[OPEN_TPOT_P99], at.tpot.p99, w->cell[C_TPOT_P99], 1e-3);
	note(&errors[OPEN_LIFE], at.life.mean, w->cell[C_LIFE], 1e-3);
	return true;
}

/* ---- one measured row ------------------------------------------------------------------- */

static bool
same_setting(const struct open_row *a, const struct open_row *b)
{
	static const enum column same[] = { C_FAMILY, C_MODEL, C_GPU, C_ENGINE, C_VERSION, C_WEIGHT, C_TP,
		C_PP };

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (strcmp(a->cell[same[i]], b->cell[same[i]]) != 0)
			return false;
	return true;
}

static bool
can_fit(const struct open_row *w)
{
	return w->expressed && !is_mlperf(w) && is_said(w->cell[C_TPOT]) &&
	    (strcmp(w->cell[C_LOAD], "stable") == 0 || strcmp(w->cell[C_LOAD], "finite") == 0);
}

/* Tokens a second that are asked for. */
static double
tokens_asked(const struct open_row *w)
{
	return accuracy_number(w->cell[C_RATE]) / accuracy_number(w->cell[C_REPLICAS]) *
	    accuracy_number(w->cell[C_ANSWER]);
}

/* The middle one of the rows of a configuration; NULL where it is alone. */
static const struct open_row *
middle_row(const struct open_row *w, int count)
{
	const struct open_row *of[OPEN_ROWS_MAX];
	int n = 0;

	for (int i = 0; i < count; i++) {
		int at = n;

		if (!can_fit(&row[i]) || !same_setting(&row[i], w))
			continue;
		for (; at > 0 && tokens_asked(of[at - 1]) > tokens_asked(&row[i]); at--)
			of[at] = of[at - 1];
		of[at] = &row[i];
		n++;
	}
	return n > 1 ? of[(n - 1) / 2] : NULL;
}

static double
kept_scale(double v, double least, double most)
{
	return v < least ? least : v > most ? most : v;
}

/* The scales that make a row's median times come true. */
static void
fit_row(const struct open_row *w, double *decode, double *prefill)
{
	const double tpot = accuracy_number(w->cell[is_said(w->cell[C_TPOT_P50]) ? C_TPOT_P50 : C_TPOT]) / 1e3;
	const bool half = is_said(w->cell[C_TTFT_P50]);
	const double ttft = accuracy_number(w->cell[half ? C_TTFT_P50 : C_TTFT]) / 1e3;
	struct plan p = w->plan;

	*decode = *prefill = 1;
	for (int i = 0; i < ROUNDS; i++) {
		struct rate_served at;
		struct serve s;

		accuracy_put_number(&p, "tpot_scale", *decode);
		accuracy_put_number(&p, "ttft_scale", *prefill);
		s = estimate(w, &p);
		rate_loop(&at, &s.rate.engine, &s.rate.load_of_one, 99, &room);
		*decode = kept_scale(*decode * kept_scale(tpot / (is_said(w->cell[C_TPOT_P50]) ? at.tpot.p50 :
		    at.tpot.mean), .33, 3), .2, 5);
		*prefill = kept_scale(*prefill * pow(kept_scale(ttft / (half ? at.ttft.p50 : at.ttft.mean), .33, 3),
		    .8), .2, 5);
	}
}

static void
judge_fitted(struct rate_errors errors[OPEN_QUANTITIES], int count)
{
	for (int i = 0; i < count; i++) {
		const struct open_row *by = can_fit(&row[i]) ? middle_row(&row[i], count) : NULL;
		double decode, prefill;
		struct plan p;

		if (by == NULL || by == &row[i] || !place_row(by))
			continue;
		fit_row(by, &decode, &prefill);
		if (!place_row(&row[i]))
			continue;
		p = row[i].plan;
		accuracy_put_number(&p, "tpot_scale", decode);
		accuracy_put_number(&p, "ttft_scale", prefill);
		judge_row(errors, &row[i], &p, NULL);
	}
}

/* ---- limits ----------------------------------------------------------------------------- */

/* mlcommons/inference_policies, Server and Interactive of round 5.1: seconds at p99. */
static bool
limits_of(const struct open_row *w, struct rate_limits *limits)
{
	static const struct {
		const char *model;
		char scenario;
		double ttft, tpot;
	} of[] = {
		{ "llama-2-70b", 'S', 2, .2 }, { "llama-2-70b", 'I', .45, .04 }, { "llama-3.1-8b", 'S', 2, .1 },
		{ "llama-3.1-8b", 'I', .5, .03 }, { "llama-3.1-405b", 'S', 6, .175 },
		{ "llama-3.1-405b", 'I', 4.5, .08 }, { "mixtral-8x7b", 'S', 2, .2 }, { "deepseek-v3", 'S', 2, .08 },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strcmp(of[i].model, w->cell[C_MODEL]) == 0 && of[i].scenario == w->cell[C_NOTE][0]) {
			*limits = (struct rate_limits){ of[i].ttft, of[i].tpot, 99 };
			return true;
		}
	return false;
}

static bool
same_submission(const struct open_row *a, const struct open_row *b)
{
	static const enum column same[] = { C_MODEL, C_GPU, C_WEIGHT, C_TP, C_TOKENS };

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (strcmp(a->cell[same[i]], b->cell[same[i]]) != 0)
			return false;
	return is_mlperf(a) && is_mlperf(b) && a->cell[C_NOTE][0] == b->cell[C_NOTE][0] &&
	    strstr(a->cell[C_NOTE], "disagg") == NULL && strstr(b->cell[C_NOTE], "disagg") == NULL;
}

static void
judge_limits(struct rate_errors *e, int count, FILE *out)
{
	for (int i = 0; i < count; i++) {
		struct rate_limits limits;
		double best = 0, inside;
		bool first = true;
		struct serve s;

		for (int k = 0; k < count; k++)
			if (same_submission(&row[i], &row[k])) {
				first &= k >= i;
				best = larger(best, accuracy_number(row[k].cell[C_RATE]) /
				    accuracy_number(row[k].cell[C_REPLICAS]));
			}
		if (!first || !(best > 0) || !limits_of(&row[i], &limits) || !place_row(&row[i]))
			continue;
		s = estimate(&row[i], &row[i].plan);
		inside = rate_within(&s.rate.engine, &s.rate.load_of_one, &limits, 0, &room).least;
		e->error[e->count++] = inside / best - 1;
		if (out != NULL)
			fprintf(out, "%-18s %-16s inside the limits %6.2f, submitted %6.2f  %s\n",
			    row[i].cell[C_MODEL], row[i].cell[C_GPU], inside, best, row[i].cell[C_ID]);
	}
}

/* ---- all -------------------------------------------------------------------------------- */

static void
sort_errors(struct rate_errors e[OPEN_QUANTITIES])
{
	for (int i = 0; i < OPEN_QUANTITIES; i++) {
		qsort(e[i].error, (size_t)e[i].count, sizeof(double), ascending);
		e[i].bias = e[i].count > 0 ? e[i].error[e[i].count / 2] : 0;
		qsort(e[i].error, (size_t)e[i].count, sizeof(double), by_size);
	}
}

static int
read_rows(FILE *in, const config_t *models, const config_t *gpus)
{
	int count = 0;

	while (count < OPEN_ROWS_MAX && fgets(row[count].line, LINE_SIZE, in) != NULL) {
		struct open_row *w = &row[count];
		const int n = accuracy_cells(w->line, w->cell, COLUMNS);

		if (w->line[0] == '#' || n != COLUMNS || strcmp(w->cell[C_ID], "id") == 0)
			continue;
		w->expressed = express(&w->plan, w->cell, models, gpus);
		count++;
	}
	return count;
}

static int
load_rows(const char *top)
{
	config_t models, gpus;
	char path[1024];
	int count = -1;
	FILE *in;

	snprintf(path, sizeof path, "%s/tests/data/serving_rate.tsv", top);
	if ((in = fopen(path, "r")) == NULL)
		return -1;
	config_init(&models);
	config_init(&gpus);
	if (accuracy_read_catalog(&models, top, "models.cfg") && accuracy_read_catalog(&gpus, top, "gpus.cfg"))
		count = read_rows(in, &models, &gpus);
	config_destroy(&gpus);
	config_destroy(&models);
	fclose(in);
	return count;
}

int
accuracy_rate_measure(struct rate_errors plain[OPEN_QUANTITIES],
    struct rate_errors fitted[OPEN_QUANTITIES], const char *top, FILE *rows)
{
	const int count = load_rows(top);
	int judged = 0;

	memset(plain, 0, OPEN_QUANTITIES * sizeof *plain);
	memset(fitted, 0, OPEN_QUANTITIES * sizeof *fitted);
	for (int i = 0; i < count; i++)
		if (place_row(&row[i]))
			judged += judge_row(plain, &row[i], &row[i].plan, rows);
	judge_limits(&plain[OPEN_INSIDE], count, rows);
	judge_fitted(fitted, count);
	sort_errors(plain);
	sort_errors(fitted);
	return count < 0 ? -1 : judged;
}

double
accuracy_rate_at(const struct rate_errors *e, double share)
{
	const int at = (int)ceil(share * e->count) - 1;

	return e->count > 0 ? fabs(e->error[at < 0 ? 0 : at]) : 0;
}

void
accuracy_rate(FILE *out, const char *top)
{
	static struct rate_errors plain[OPEN_QUANTITIES], fitted[OPEN_QUANTITIES];
	static const char *const names[OPEN_QUANTITIES] = { "TTFT p50", "TTFT p99", "TPOT mean", "TPOT p99",
		"end to end", "requests/s reached", "rate in limits" };

	fprintf(out, "\nServing at a rate, row by row\n");
	accuracy_rate_measure(plain, fitted, top, out);
	fprintf(out, "\n%-22s %-18s %5s %8s %8s %8s\n", "Serving at a rate", "error of", "rows", "median",
	    "90th", "bias");
	for (int fit = 0; fit < 2; fit++)
		for (int i = 0; i < OPEN_QUANTITIES; i++) {
			const struct rate_errors *e = fit ? &fitted[i] : &plain[i];

			if (e->count > 0)
				fprintf(out, "%-22s %-18s %5d %8.1f %8.1f %+8.1f\n",
				    fit ? "one row measured" : "nothing measured", names[i], e->count,
				    100 * accuracy_rate_at(e, .5), 100 * accuracy_rate_at(e, .9), 100 * e->bias);
		}
}
