#include "ui/state/search_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/search/search_ahead.h"
#include "core/search/search_ask.h"
#include "core/search/search_make.h"
#include "core/search/question.h"
#include "core/search/search_try.h"
#include "core/search/search_why.h"
#include "ui/state/summary.h"

enum { WORDS_SIZE = QUESTION_SIZE + LINE_SIZE };

/* ---- what is asked for ------------------------------------------------------------- */

/* The question that a plan asks by itself, unless an objective is said, and what else is asked. */
static void
put_words(const char *ask, const struct plan *p, char *words)
{
	const char *usual = question_usual(p);
	char err[QUESTION_SIZE];

	*words = '\0';
	if (usual != NULL && strstr(ask, "objective=") == NULL)
		question_ask(p, NULL, 0, &usual, 1, words, err);
	text_add(words, WORDS_SIZE, " %s", ask);
}

/* Read what is asked of a search of a plan. What it points to is in `words`, of WORDS_SIZE. */
static bool
read_ask(const char *ask, const struct plan *p, struct search *s, struct wishes *w, char *words,
    char *err, size_t size)
{
	struct search_word word[WORDS_SIZE / 2];
	enum field_id idle; /* a mark that another plan left */

	put_words(ask, p, words);
	return search_ask(s, w, p, word, search_ask_words(words, word, WORDS_SIZE / 2), &idle, err, size);
}

struct field_set
search_view_free_fields(const struct state *s)
{
	struct field_set set = { { 0 } };
	char words[WORDS_SIZE], err[256];
	struct search search;
	struct wishes w;

	if (!s->search->own)
		return set;
	read_ask(s->search->ask, &s->plan, &search, &w, words, err, sizeof err);
	for (int i = 0; i < w.count; i++)
		field_set_add(&set, w.item[i].field);
	return set;
}

/* The text without what it says of a field being free. */
static void
forget_field(struct state *s, enum field_id f)
{
	struct search_word word[LINE_SIZE / 2];
	char text[LINE_SIZE], name[96];
	size_t words;

	text_put(text, sizeof text, "%s", s->search->ask);
	words = search_ask_words(text, word, LINE_SIZE / 2);
	s->search->ask[0] = '\0';
	for (size_t i = 0; i < words; i++) {
		text_put(name, sizeof name, "%.*s", (int)strcspn(word[i].value, "="), word[i].value);
		if ((text_equal(word[i].name, "free") || text_equal(word[i].name, "fix")) && field_find(name) == f)
			continue;
		text_add(s->search->ask, sizeof s->search->ask, "%s%s%s%s", s->search->ask[0] != '\0' ? " " : "",
		    word[i].name, *word[i].value != '\0' ? "=" : "", word[i].value);
	}
}

void
search_view_toggle(struct state *s, enum field_id f)
{
	struct search_view *l = s->search;
	struct field_set now, usual;

	if (f >= FIELD_COUNT)
		return;
	l->own = true;
	now = search_view_free_fields(s);
	forget_field(s, f);
	usual = search_view_free_fields(s);
	if (field_set_has(&now, f) == field_set_has(&usual, f))
		text_add(l->ask, sizeof l->ask, "%s%s=%s", l->ask[0] != '\0' ? " " : "",
		    field_set_has(&now, f) ? "fix" : "free", field_table[f].path);
}

/* ---- beginning and ending ---------------------------------------------------------- */

static bool
has_memory(struct search_view *l)
{
	if (l->found == NULL)
		l->found = calloc(SEARCH_VIEW_ROOM, sizeof *l->found);
	if (l->key == NULL)
		l->key = calloc(SEARCH_VIEW_ROOM, sizeof *l->key);
	for (int i = 0; i < 2; i++)
		if (l->work[i] == NULL)
			l->work[i] = malloc(sizeof *l->work[i]);
	return l->found != NULL && l->key != NULL && l->work[0] != NULL && l->work[1] != NULL;
}

/* A question is written out; what follows it stays as it is. */
static bool
write_out(const struct state *s, const char *ask, char *asked, char *err, size_t size)
{
	char words[LINE_SIZE], options[QUESTION_SIZE], why[QUESTION_SIZE], *rest = words;
	const char *word[LINE_SIZE / 2];
	int n = 0, taken;

	text_put(words, sizeof words, "%s", ask);
	for (char *next; (next = strsep(&rest, " \t")) != NULL;)
		if (*next != '\0')
			word[n++] = next;
	taken = question_ask(&s->plan, s->catalog, s->files->today(), word, n, options, why);
	if (taken < 0)
		text_put(err, size, "%s: %s", word[0], why);
	text_put(asked, LINE_SIZE, "%s", taken > 0 ? options : ask);
	for (int i = taken; taken > 0 && i < n; i++)
		text_add(asked, LINE_SIZE, " %s", word[i]);
	return taken >= 0;
}

bool
search_view_begin(struct state *s, const char *ask, char *err, size_t size)
{
	struct search_view *l = s->search;
	struct search_space *space = malloc(sizeof *space + WORDS_SIZE);
	char *words, asked[LINE_SIZE];
	struct search search;
	struct wishes w;

	if (space == NULL || !has_memory(l) || s->files->search == NULL) {
		text_put(err, size, "there is nothing to search with");
		free(space);
		return false;
	}
	words = (char *)(space + 1); /* values of texts stay where they stand */
	if (!write_out(s, ask, asked, err, size) ||
	    !read_ask(asked, &s->plan, &search, &w, words, err, size) ||
	    !space_make(space, &s->plan, s->catalog, &w, err, size)) {
		free(space);
		return false;
	}
	search.space = space;
	if (!search_is_known(&search, &s->plan, err, size)) {
		free(space);
		return false;
	}
	search_view_stop(s);
	if (!s->files->search(s->files->context, &search, SEARCH_VIEW_ROOM, err, size)) {
		free(space);
		return false;
	}
	free(l->space);
	text_put(l->ask, sizeof l->ask, "%s", asked);
	text_put(l->asked, sizeof l->asked, "%s", asked);
	l->own = l->own || l->ask[0] != '\0';
	l->space = space;
	l->search = search;
	l->sort = (struct search_view_column){ .by = SEARCH_VIEW_RANK };
	search_view_forget(s);
	l->news = (struct search_news){ .runs = true };
	l->stopped = false;
	return true;
}

void
search_view_stop(struct state *s)
{
	if (!s->search->news.runs)
		return;
	s->files->search_stop(s->files->context, false);
	s->search->stopped = true;
}

bool
search_view_init(struct state *s)
{
	s->search = calloc(1, sizeof *s->search);
	return s->search != NULL;
}

void
search_view_free(struct state *s)
{
	struct search_view *l = s->search;

	if (l == NULL)
		return;
	if (l->news.runs)
		s->files->search_stop(s->files->context, true);
	free(l->space);
	free(l->found);
	free(l->key);
	free(l->work[0]);
	free(l->work[1]);
	free(l);
	s->search = NULL;
}

/* ---- what was found ---------------------------------------------------------------- */

static const enum result_id train_numbers[SEARCH_VIEW_NUMBERS] = {
	RESULT_STEP, RESULT_PEAK_TOTAL, RESULT_MFU, RESULT_WORLD, RESULT_COUNT
};
static const enum result_id phase_numbers[SEARCH_VIEW_NUMBERS] = {
	RESULT_RL_STEP, RESULT_RL_PEAK, RESULT_RL_ROLLOUT, RESULT_RL_TOKENS_GPU, RESULT_WORLD
};
static const enum result_id serve_numbers[SEARCH_VIEW_NUMBERS] = {
	RESULT_TPOT, RESULT_PEAK_TOTAL, RESULT_TTFT, RESULT_GENERATED_GPU, RESULT_WORLD
};

enum result_id
search_view_number(const struct search_view *l, int i)
{
	return i >= SEARCH_VIEW_NUMBERS ? RESULT_COUNT :
	    l->space->plan.mode == MODE_SERVE ? serve_numbers[i] :
	    plan_has_rl(&l->space->plan) ? phase_numbers[i] : train_numbers[i];
}

double
search_view_objective(const struct search_view *l, const struct search_view_row *f, int i)
{
	return l->search.objective[i].more ? -f->key.score[i] : f->key.score[i];
}

static void
work_out(struct search_view *l, struct search_view_row *f)
{
	struct estimate *e = l->work[0];
	struct plan p;

	search_look(&l->search, f->key.index, &p, e);
	for (int i = 0; i < SEARCH_VIEW_NUMBERS; i++) {
		const enum result_id id = search_view_number(l, i);

		if (id == RESULT_COUNT || !result_value(id, e, e->peak_stage, &f->number[i]))
			f->number[i] = NAN;
	}
	for (int i = 0; i < l->search.conditions; i++)
		if (!target_value(&l->search.condition[i].target, &p, e, &f->asked[i]))
			f->asked[i] = NAN;
	f->capacity = e->capacity_known ? e->capacity : 0;
	f->binds = search_binds(&p, e);
}

/* Of a search that goes on they may be others soon. */
static void
mark_tries(struct search_view *l)
{
	size_t at[TRIES_MAX], n = l->news.runs ? 0 : search_try(&l->search, l->key, l->news.kept, at);

	for (size_t i = 0; i < l->news.kept; i++)
		l->found[i].tried = false;
	while (n-- > 0)
		l->found[at[n]].tried = true;
}

/* Put the keys in, with what is known of those that were there already. */
static void
take_keys(struct search_view *l, size_t before)
{
	struct search_view_row *was = malloc((before + 1) * sizeof *was);

	l->taken++;
	if (was == NULL)
		before = 0;
	else
		memcpy(was, l->found, before * sizeof *was);
	for (size_t i = 0; i < l->news.kept; i++) {
		size_t k = 0;

		while (k < before && was[k].key.index != l->key[i].index)
			k++;
		if (k < before)
			l->found[i] = was[k];
		l->found[i].key = l->key[i];
		if (k == before)
			work_out(l, &l->found[i]);
	}
	free(was);
	mark_tries(l);
}

bool
search_view_follow(struct state *s)
{
	struct search_view *l = s->search;
	const size_t before = l->news.kept;
	struct plan p;

	if (!l->news.runs)
		return false;
	s->files->search_news(s->files->context, &l->news, l->key);
	take_keys(l, before);
	if (!l->news.runs && l->news.has_nearest) {
		search_look(&l->search, l->news.nearest.index, &p, l->work[0]);
		search_missed(&l->search, &p, l->work[0], l->missed, sizeof l->missed);
	}
	return l->news.runs;
}

bool
search_view_is_of_plan(const struct state *s)
{
	const struct search_space *space = s->search->space;

	if (space == NULL)
		return false;
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const bool set = field_is_set(f, &s->plan);

		if (space_place(space, f) < 0 && (set != field_is_set(f, &space->plan) ||
		    (set && !field_same(f, &s->plan, &space->plan))))
			return false;
	}
	return true;
}

/* Two plans agree in all fields that free field i sets. */
static bool
same_fields(const struct search_space *space, int i, const struct plan *a, const struct plan *b)
{
	const enum field_id *fields;
	const int n = space_fields(space, i, &fields);

	for (int k = 0; k < n; k++)
		if (!field_same(fields[k], a, b))
			return false;
	return true;
}

static bool
index_of(const struct search_space *space, const struct plan *plan, uint64_t *index)
{
	struct plan p = *plan;

	*index = 0;
	for (int i = 0; i < space->count; i++) {
		int digit = 0;

		for (; digit < space->field[i].count; digit++) {
			p.parallel.vpp = space->field[i].splits ? plan->parallel.vpp : p.parallel.vpp;
			space_put(space, i, digit, &p);
			if (same_fields(space, i, &p, plan))
				break;
		}
		if (digit == space->field[i].count)
			return false;
		*index += (uint64_t)digit * space->field[i].stride;
	}
	return true;
}

bool
search_view_own_index(const struct state *s, uint64_t *index)
{
	struct placement placement;
	struct plan p = s->plan;

	if (!search_view_is_of_plan(s))
		return false;
	if (index_of(s->search->space, &p, index))
		return true;
	if (!placement_init(&placement, &p, NULL))
		return false;
	p.parallel.vpp = placement.vpp; /* a layout took its place */
	return index_of(s->search->space, &p, index);
}

bool
search_view_plan(const struct state *s, int at, struct plan *p)
{
	const struct search_view *l = s->search;

	if (at < 0 || (size_t)at >= l->news.kept)
		return false;
	space_plan(l->space, l->found[at].key.index, p);
	return true;
}

void
search_view_settings(const struct search_view *l, uint64_t index, char *buf, size_t size)
{
	char value[PLAN_ID_SIZE];

	*buf = '\0';
	for (int i = 0; i < l->space->count; i++) {
		if (space_digit(l->space, i, index) == l->space->field[i].own)
			continue;
		space_format(l->space, i, index, value, sizeof value);
		text_add(buf, size, "%s%s %s", *buf != '\0' ? ", " : "",
		    field_table[l->space->field[i].field].label, value);
	}
	if (*buf == '\0')
		text_put(buf, size, "the plan that was searched from");
}

void
search_view_forget(struct state *s)
{
	s->search->told.space = NULL;
}

void
search_view_tell(struct state *s, size_t at)
{
	struct search_view *l = s->search;
	const uint64_t index = l->found[at].key.index;
	const bool last = at + 1 >= l->news.kept;
	const uint64_t next = last ? index : l->found[at + 1].key.index;
	struct summary was, is;
	struct ahead ahead;
	struct plan p, q;

	if (l->told.space == l->space && l->told.index == index && l->told.next == next)
		return;
	l->told.space = l->space;
	l->told.index = index;
	l->told.next = next;
	search_view_settings(l, index, l->told.set, sizeof l->told.set);
	search_look(&l->search, index, &p, l->work[0]);
	was = summary_of(s->estimate);
	is = summary_of(l->work[0]);
	summary_delta(&was, &is, l->told.change, sizeof l->told.change);
	l->told.why[0] = '\0';
	l->told.ahead = 0;
	if (last || l->search.front)
		return;
	if (search_ahead(&l->search.objective[0], &p, l->found[at].key.score[0],
	    l->found[at + 1].key.score[0], &ahead))
		l->told.ahead = ahead.share;
	search_look(&l->search, next, &q, l->work[1]);
	search_why(&l->search.objective[0], &p, l->work[0], &q, l->work[1], l->told.why,
	    sizeof l->told.why);
	if (l->told.why[0] == '\0')
		text_put(l->told.why, sizeof l->told.why, "as good, and simpler");
}
