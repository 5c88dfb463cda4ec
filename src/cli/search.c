/* `search`: the best plans among all values of free fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report_search.h"
#include "cli/run.h"
#include "cli/search_live.h"
#include "cli/search_progress.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/rules/values.h"

enum { TOP = 10, FRONT_MAX = 16384 };

/* A field taken away, or a group. */
static bool
take_fix(const struct ask *ask, const struct plan *p, struct wishes *w)
{
	const int before = w->count;

	if (ask->field == FIELD_COUNT) {
		wishes_fix_group(w, wishes_group_find(ask->text), p);
		return true;
	}
	wishes_fix(w, ask->field);
	/* Sizes of experts are held already where there are none. */
	if (w->count < before || ask->field == FIELD_EP || ask->field == FIELD_ETP)
		return true;
	usage_error("--fix %s: it is not free", field_table[ask->field].path);
	return false;
}

/* What is free: the usual fields, more or fewer as asked. */
static bool
take_wishes(const struct options *o, const struct plan *p, struct wishes *w)
{
	wishes_usual(w, p);
	for (size_t i = 0; i < o->asks; i++) {
		const struct ask *ask = &o->ask[i];

		if (ask->what == ASK_FREE && !(ask->field == FIELD_COUNT ?
		    wishes_free_group(w, wishes_group_find(ask->text), p) :
		    wishes_free(w, ask->field, ask->text))) {
			usage_error("--free: more than %d fields", SPACE_FIELDS_MAX);
			return false;
		}
		if (ask->what == ASK_FIX && !take_fix(ask, p, w))
			return false;
	}
	if (w->count == 0)
		usage_error("search: no field is free");
	return w->count > 0;
}

static bool
take_objectives(const struct options *o, const struct plan *p, struct search_job *job)
{
	struct search *s = &job->search;
	const char *text = o->objective != NULL ? o->objective : "time";
	char err[256];

	for (;;) {
		const size_t n = strcspn(text, ",");
		char *name = job->objective[s->objectives];

		if (s->objectives == SEARCH_OBJECTIVES_MAX) {
			usage_error("--objective: more than %d", SEARCH_OBJECTIVES_MAX);
			return false;
		}
		text_put(name, sizeof job->objective[0], "%.*s", (int)n, text);
		if (!target_find(&s->objective[s->objectives++], name, p, err, sizeof err)) {
			usage_error("--objective: %s", err);
			return false;
		}
		if (text[n] == '\0')
			return true;
		text += n + 1;
	}
}

static bool
take_conditions(const struct options *o, const struct plan *p, struct search *s)
{
	char err[256];

	for (size_t i = 0; i < o->asks; i++) {
		if (o->ask[i].what != ASK_WHERE)
			continue;
		if (s->conditions == SEARCH_CONDITIONS_MAX) {
			usage_error("--where: more than %d conditions", SEARCH_CONDITIONS_MAX);
			return false;
		}
		if (!condition_parse(&s->condition[s->conditions++], o->ask[i].text, p, err, sizeof err)) {
			usage_error("--where '%s': %s", o->ask[i].text, err);
			return false;
		}
	}
	return true;
}

static bool
make_job(struct search_job *job, const struct options *o)
{
	const struct plan *p = &job->session.plan;
	struct wishes wishes;
	char err[256];
	size_t room;

	job->search = (struct search){ .space = job->space, .around = (int)o->around,
		.tight = o->tight };
	job->threads = o->threads > 0 ? (int)o->threads : search_threads();
	job->top = o->top > 0 ? (size_t)o->top : TOP;
	if (!take_wishes(o, p, &wishes) || !take_objectives(o, p, job) ||
	    !take_conditions(o, p, &job->search))
		return false;
	if (!space_make(job->space, p, &job->session.catalog, &wishes, err, sizeof err)) {
		usage_error("--free %s", err);
		return false;
	}
	/* One more than are listed: the last one is better than something, too. */
	room = job->search.objectives > 1 ? FRONT_MAX : job->top + 1;
	job->worker = calloc((size_t)job->threads, sizeof *job->worker);
	job->key = calloc((size_t)job->threads * room, sizeof *job->key);
	if (job->worker == NULL || job->key == NULL) {
		out_of_memory();
		return false;
	}
	for (int i = 0; i < job->threads; i++) {
		job->worker[i].key = job->key + (size_t)i * room;
		job->worker[i].room = room;
	}
	return true;
}

/* The multiple of the unit that is nearest to a batch. */
static int64_t
nearest_batch(int64_t batch, int64_t unit)
{
	const int64_t below = batch / unit * unit;

	return below == 0 || batch - below > below + unit - batch ? below + unit : below;
}

/* Tokens a second and GPU of the best plan, 0 without one. */
static double
best_rate(const struct search_job *job)
{
	struct plan p;
	double rate = 0;

	if (job->worker->kept == 0)
		return 0;
	search_look(job, job->worker->key[0].index, &p, job->estimate[0]);
	result_value(result_main(MAIN_TOKENS_GPU, &p), job->estimate[0], 0, &rate);
	return rate;
}

/* Where all nodes can not share the batch, the nearest that they can: the same search again. */
static void
offer_batch(const struct search_job *job, const struct options *o)
{
	const struct plan *p = &job->session.plan;
	const int64_t batch = p->training.global_batch_size, unit = values_batch_unit(p);
	struct search_job other = *job;
	char instead[48] = "";
	double rate, now = best_rate(job);

	if (p->mode == MODE_SERVE || plan_has_rl(p) || unit <= 1 || batch % unit == 0)
		return;
	field_store_int(FIELD_GLOBAL_BATCH_SIZE, &other.session.plan, nearest_batch(batch, unit));
	other.worker = NULL;
	other.key = NULL;
	other.space = malloc(sizeof *other.space);
	if (other.space != NULL && make_job(&other, o) &&
	    search_watched(&other) &&
	    (rate = best_rate(&other)) > now) {
		if (now > 0)
			text_put(instead, sizeof instead, " instead of %.0f", now);
		complain("hint: --global-batch-size=%lld, %.3g %% %s tokens a step, is a batch that all nodes "
		    "can share: %.0f tokens a second on each GPU%s",
		    (long long)other.session.plan.training.global_batch_size,
		    100 * fabs((double)other.session.plan.training.global_batch_size / (double)batch - 1),
		    other.session.plan.training.global_batch_size < batch ? "fewer" : "more",
		    rate, instead);
	}
	free(other.worker);
	free(other.key);
	free(other.space);
}

static int
run_job(struct search_job *job, const struct options *o)
{
	const double start = search_clock();

	job->whole = search_watched(job);
	job->seconds = search_clock() - start;
	if (o->json)
		search_json(job);
	else if (o->csv)
		search_csv(job);
	else if (job->worker->kept > 0 && !search_print(job))
		return STATUS_ERROR;
	if (job->worker->full)
		complain("the front has more than %d plans: not all of them were looked for", FRONT_MAX);
	if (!job->whole) {
		complain("interrupted: what was found by then is not the whole answer");
		return STATUS_INTERRUPTED;
	}
	if (job->worker->kept == 0)
		search_complain(job);
	offer_batch(job, o);
	return job->worker->kept > 0 ? STATUS_OK : STATUS_NO;
}

int
search_command(const struct options *o)
{
	struct search_job *job = calloc(1, sizeof *job);
	int status = STATUS_ERROR;

	if (o->hash) {
		free(job);
		return usage_error("--format: search prints text or csv");
	}
	if (job == NULL)
		return out_of_memory();
	job->space = malloc(sizeof *job->space);
	job->estimate[0] = calloc(1, sizeof *job->estimate[0]);
	job->estimate[1] = calloc(1, sizeof *job->estimate[1]);
	if (job->space == NULL || job->estimate[0] == NULL || job->estimate[1] == NULL) {
		out_of_memory();
	} else if (session_open(&job->session, o, o->operands > 0 ? o->operand[0] : NULL)) {
		if (make_job(job, o))
			status = run_job(job, o);
		session_close(&job->session);
	}
	free(job->estimate[0]);
	free(job->estimate[1]);
	free(job->worker);
	free(job->key);
	free(job->space);
	free(job);
	return status;
}
