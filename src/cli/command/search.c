/* `search`: the best plans among all values of free fields. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/run.h"
#include "cli/command/question_first.h"
#include "cli/command/search_progress.h"
#include "cli/report/report_search.h"
#include "cli/session/search_live.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/framework/resolve.h"
#include "core/plan/words.h"
#include "core/rules/values.h"
#include "core/search/question.h"
#include "core/search/search_make.h"
#include "core/search/search_rank.h"

enum { TOP = 10, TRIED = 32, FRONT_MAX = 16384, SEQUENCES_EACH = 4 };

#define GAIN_LEAST 1.1 /* that another batch is worth a word */

/* What a question asks for goes before what else is asked, which may say it otherwise. */
static bool
take_question(struct search_job *job, const struct options *o, const char *const *asked, int words)
{
	char err[QUESTION_SIZE];
	const int taken = question_ask(&job->session.plan, &job->session.catalog, search_today(), asked, words,
	    job->options, err);

	if (taken < 0) {
		usage_error("search %s: %s", asked[0], err);
		return false;
	}
	for (int i = taken; i < words; i++)
		if (!words_is_little(asked[i])) {
			usage_error("search %s: '%s' is neither a word of this question nor of a plan", asked[0], asked[i]);
			return false;
		}
	for (int i = 0; i < taken; i++)
		text_add(job->question, sizeof job->question, "%s%s", i > 0 ? " " : "", asked[i]);
	job->word = calloc(o->asks + QUESTION_SIZE / 2, sizeof *job->word);
	if (job->word == NULL)
		return out_of_memory(), false;
	text_put(job->cut, sizeof job->cut, "%s", job->options);
	job->words = search_ask_words(job->cut, job->word, QUESTION_SIZE / 2);
	for (size_t i = 0; i < o->asks; i++)
		job->word[job->words++] = o->ask[i];
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
	enum field_id idle;
	struct wishes wishes;
	char err[256];
	size_t room;

	job->threads = o->threads > 0 ? (int)o->threads : search_threads();
	job->top = o->top > 0 ? (size_t)o->top : TOP;
	if (!search_ask(&job->search, &wishes, p, job->word, job->words, &idle, err, sizeof err)) {
		usage_error(wishes.count > 0 ? "--%s" : "search: %s", err);
		return false;
	}
	if (idle != FIELD_NONE) {
		usage_error("--fix %s: it is not free", field_table[idle].path);
		return false;
	}
	job->search.space = job->space;
	job->search.around = (int)o->around;
	job->search.tight = o->tight;
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
	search_look(&job->search, job->worker->key[0].index, &p, job->estimate[0]);
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

/* A question that a plan to train refuses is of one to serve where that takes it, or refuses it for another reason, and
 * nobody said what the plan is for. */
static void
suppose_serving(struct search_job *job, const struct options *o, const char *const *asked, int words)
{
	struct session *s = &job->session;
	const struct plan before = s->plan;
	const struct field_set said = s->asked;
	char options[QUESTION_SIZE], refused[QUESTION_SIZE], err[QUESTION_SIZE], note[512];
	const char *serve[] = { "serve" };
	struct options one = *o;

	one.word = serve;
	one.words = 1;
	one.settings = 0;
	if (words == 0 || o->operands > 0 || before.mode == MODE_SERVE || field_set_has(&said, FIELD_MODE) ||
	    question_ask(&before, &s->catalog, search_today(), asked, words, options, refused) >= 0)
		return;
	if (session_set(s, &one, &s->plan, note, sizeof note) &&
	    (question_ask(&s->plan, &s->catalog, search_today(), asked, words, options, err) >= 0 ||
	    !text_equal(err, refused)))
		return;
	s->plan = before;
	s->asked = said;
}

static bool
has_objective(const struct options *o)
{
	for (size_t i = 0; i < o->asks; i++)
		if (text_equal(o->ask[i].name, "objective"))
			return true;
	return false;
}

/* What is asked of a session that is open, in so many words of a question and then others. */
static int
ask_words(struct search_job *job, const struct options *o, const char **word, int words)
{
	const char *const *asked = (const char *const *)word;
	const char *usual;

	if (!take_words(job, o, word, words) || !take_prices(&job->session, o))
		return STATUS_ERROR;
	suppose_serving(job, o, asked, words);
	usual = words == 0 && !has_objective(o) ? question_usual(&job->session.plan) : NULL;
	if (usual != NULL) {
		asked = &usual;
		words = 1;
	}
	return take_question(job, o, asked, words) && make_job(job, o) ? run_job(job, o) : STATUS_ERROR;
}

static int
ask_job(struct search_job *job, const struct options *o)
{
	const char **word = calloc(2 * ((size_t)o->words + 1), sizeof *word);
	struct options said = *o;
	int status = STATUS_ERROR, words;

	if (word == NULL)
		return out_of_memory();
	said.word = word + o->words + 1;
	said.words = question_words(&job->session, o, said.word);
	if (question_first(&job->session, &said, word, &words))
		status = ask_words(job, &said, word, words);
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
	free(job->word);
	free(job->worker);
	free(job->key);
	free(job->space);
	free(job);
	return status;
}
