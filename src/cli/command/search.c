/* `search`: the best plans among all values of free fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/run.h"
#include "cli/command/search_progress.h"
#include "cli/command/question_first.h"
#include "cli/report/report_search.h"
#include "cli/session/search_live.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/framework/resolve.h"
#include "core/rules/values.h"
#include "core/search/question.h"
#include "core/search/search_make.h"
#include "core/search/search_rank.h"

enum { TOP = 10, TRIED = 32, FRONT_MAX = 16384, SEQUENCES_EACH = 4 };

#define GAIN_LEAST 1.1 /* that another batch is worth a word */

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

static bool
is_named(const struct options *o, enum wish_group g)
{
	for (size_t i = 0; i < o->asks; i++)
		if (o->ask[i].what == ASK_FREE && o->ask[i].field == FIELD_COUNT &&
		    wishes_group_find(o->ask[i].text) == g)
			return true;
	return false;
}

/* Who names sizes or switches means those without the others. */
static void
take_groups(const struct options *o, const struct plan *p, struct wishes *w)
{
	const bool sizes = is_named(o, WISH_SIZES), switches = is_named(o, WISH_SWITCHES);

	wishes_usual(w, p);
	if (switches && !sizes)
		wishes_fix_group(w, WISH_SIZES, p);
	if ((sizes && !switches) || o->pareto)
		wishes_fix_group(w, WISH_SWITCHES, p);
}

/* What is free: the usual fields, more or fewer as asked. */
static bool
take_wishes(const struct options *o, const struct plan *p, struct wishes *w)
{
	take_groups(o, p, w);
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

/* A word of a question that is written out: "free=cluster.nodes=1..8". */
static void
put_ask(struct options *o, char *word)
{
	char *value = word + strcspn(word, "="), *values = value + 1 + strcspn(value + 1, "=");
	struct ask ask = { ASK_WHERE, FIELD_COUNT, value + 1 };

	*value++ = '\0';
	if (text_equal(word, "objective")) {
		o->objective = o->objective != NULL ? o->objective : value;
		return;
	}
	if (text_equal(word, "free")) {
		ask.what = ASK_FREE;
		ask.text = *values == '=' ? values + 1 : NULL;
		*values = '\0';
		ask.field = field_find(value);
	}
	o->ask[o->asks++] = ask;
}

/* What a question asks for goes before what else is asked, which may say it otherwise. */
static bool
take_question(struct search_job *job, const struct options *o, const char *const *asked, int words,
    struct options *mine, char *text)
{
	char err[QUESTION_SIZE], *rest = text, *word;
	const int taken = question_ask(&job->session.plan, &job->session.catalog, search_today(), asked, words, job->options, err);

	*mine = *o;
	if (taken < 0) {
		usage_error("search %s: %s", asked[0], err);
		return false;
	}
	for (int i = 0; i < taken; i++)
		text_add(job->question, sizeof job->question, "%s%s", i > 0 ? " " : "", asked[i]);
	text_put(text, QUESTION_SIZE, "%s", job->options);
	mine->ask = calloc(o->asks + QUESTION_SIZE / 8, sizeof *mine->ask);
	if (mine->ask == NULL)
		return out_of_memory(), false;
	mine->asks = 0;
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			put_ask(mine, word);
	memcpy(mine->ask + mine->asks, o->ask, o->asks * sizeof *o->ask);
	mine->asks += o->asks;
	return true;
}

/* Prices of GPUs go into the catalogue, and the plan's own into the plan. */
static bool
take_prices(struct session *s, const struct options *o)
{
	const char *text = o->price;
	char word[PLAN_ID_SIZE + 32], err[256];

	while (text != NULL) {
		const size_t n = strcspn(text, ",");
		const struct catalog_entry *entry;
		char *money;

		text_put(word, sizeof word, "%.*s", (int)n, text);
		money = word + strcspn(word, "=");
		if (*money == '=')
			*money++ = '\0';
		entry = catalog_find(&s->catalog.gpus, word);
		if (entry == NULL || !field_parse(FIELD_GPU_HOUR_PRICE,
		    &s->catalog.gpus.entry[entry - s->catalog.gpus.entry].values, money, err, sizeof err)) {
			usage_error("--price '%s': %s", word, entry == NULL ? "the catalogue has no such GPU" : err);
			return false;
		}
		text = text[n] == ',' ? text + n + 1 : NULL;
	}
	plan_resolve(&s->plan, &s->catalog);
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
		.tight = o->tight, .front = o->pareto };
	job->threads = o->threads > 0 ? (int)o->threads : search_threads();
	job->top = o->top > 0 ? (size_t)o->top : TOP;
	if (!take_wishes(o, p, &wishes) || !take_objectives(o, p, job) ||
	    !take_conditions(o, p, &job->search))
		return false;
	if (!space_make(job->space, p, &job->session.catalog, &wishes, err, sizeof err)) {
		usage_error("--free %s", err);
		return false;
	}
	if (!search_is_known(&job->search, p, err, sizeof err)) {
		usage_error("search: %s", err);
		return false;
	}
	/* One more than are listed: the last one is better than something, too. And enough that those
	 * of several kinds are among them; models of several sizes are not tried beside each other. */
	room = job->search.front ? FRONT_MAX : job->top >= TRIED || rank_is_of_sizes(&job->search) ? job->top + 1 : TRIED;
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

/* The rate of the best plan with another batch: the same search again. */
static double
rate_with(const struct search_job *job, const struct options *o, int64_t batch)
{
	struct search_job other = *job;
	double rate = 0;

	field_store_int(FIELD_GLOBAL_BATCH_SIZE, &other.session.plan, batch);
	other.worker = NULL;
	other.key = NULL;
	other.space = malloc(sizeof *other.space);
	if (other.space != NULL && make_job(&other, o) && search_watched(&other))
		rate = best_rate(&other);
	free(other.worker);
	free(other.key);
	free(other.space);
	return rate;
}

/* Where all nodes can not share the batch, the nearest that they can; where nobody chose it and it
 * is less than a few sequences for each GPU, as many: what each gains. */
static void
offer_batch(const struct search_job *job, const struct options *o)
{
	const struct plan *p = &job->session.plan;
	const int64_t batch = p->training.global_batch_size, unit = values_batch_unit(p);
	const int64_t enough = SEQUENCES_EACH * plan_world(p);
	const bool uneven = unit > 1 && batch % unit != 0;
	const bool few = job->search.objective[0].timed && !field_is_said(FIELD_GLOBAL_BATCH_SIZE, p) && batch < enough;
	const int64_t other = uneven ? nearest_batch(batch, unit) : enough;
	const double now = best_rate(job);
	char instead[48] = "";
	double rate;

	if (p->mode == MODE_SERVE || plan_has_rl(p) || (!uneven && !few) ||
	    space_place(job->space, FIELD_GLOBAL_BATCH_SIZE) >= 0 ||
	    (rate = rate_with(job, o, other)) <= now * (uneven ? 1 : GAIN_LEAST))
		return;
	if (now > 0)
		text_put(instead, sizeof instead, " instead of %.0f", now);
	if (uneven)
		complain("hint: --global-batch-size=%lld, %.3g %% %s tokens a step, is a batch that all nodes "
		    "can share: %.0f tokens a second on each GPU%s", (long long)other,
		    100 * fabs((double)other / (double)batch - 1), other < batch ? "fewer" : "more", rate, instead);
	else
		complain("hint: nobody chose the batch, and %lld sequences are few for %lld GPUs: "
		    "--global-batch-size=%lld has %.0f tokens a second on each%s", (long long)batch,
		    (long long)plan_world(p), (long long)other, rate, instead);
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

/* Words behind the question's say values of the plan. */
static bool
take_words(struct search_job *job, const struct options *o, const char **word, int taken)
{
	struct options words = *o;
	char note[512];

	words.words = o->words - taken;
	words.word = word + taken;
	if (words.words == 0)
		return true;
	if (!session_set(&job->session, &words, &job->session.plan, note, sizeof note))
		return false;
	if (note[0] != '\0')
		complain("%s", note);
	return true;
}

/* What is asked of a session that is open, in so many words of a question and then others. */
static int
ask_words(struct search_job *job, const struct options *o, const char **word, int words)
{
	const char *const *asked = (const char *const *)word;
	const char *usual;
	char text[QUESTION_SIZE];
	int status = STATUS_ERROR;
	struct options mine;

	if (!take_words(job, o, word, words) || !take_prices(&job->session, o))
		return STATUS_ERROR;
	usual = words == 0 && o->objective == NULL ? question_usual(&job->session.plan) : NULL;
	if (usual != NULL) {
		asked = &usual;
		words = 1;
	}
	if (words > 0 && !take_question(job, o, asked, words, &mine, text))
		return STATUS_ERROR;
	if (make_job(job, words > 0 ? &mine : o))
		status = run_job(job, words > 0 ? &mine : o);
	if (words > 0)
		free(mine.ask);
	return status;
}

static int
ask_job(struct search_job *job, const struct options *o)
{
	const char **word = calloc((size_t)o->words + 1, sizeof *word);
	int status = STATUS_ERROR, words;

	if (word == NULL)
		return out_of_memory();
	if (question_first(&job->session, o, word, &words))
		status = ask_words(job, o, word, words);
	free(word);
	return status;
}

int
search_command(const struct options *o)
{
	struct options plain = *o;
	struct search_job *job;
	int status = STATUS_ERROR;

	plain.words = 0;
	job = calloc(1, sizeof *job);
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
	} else if (session_open(&job->session, &plain, o->operands > 0 ? o->operand[0] : NULL)) {
		status = ask_job(job, o);
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
