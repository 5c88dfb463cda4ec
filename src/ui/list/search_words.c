/* What a search asks for, in words: "fewest GPUs, then fastest; 70.6B, 512 x 8,192 tokens a step". */
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/search_table.h"

/* What people call the best of a number, and a time that the percentile asked for stays within. */
static const struct {
	enum result_id id;
	const char *best, *within;
} words[] = {
	{ RESULT_TPOT_WITHIN, NULL, "TPOT" }, { RESULT_TTFT_WITHIN, "soonest first token", "TTFT" },
	{ RESULT_STEP, "fastest", NULL }, { RESULT_RL_STEP, "fastest", NULL }, { RESULT_TPOT, "fastest for a user", NULL },
	{ RESULT_TTFT, "soonest first token", NULL }, { RESULT_PEAK_TOTAL, "least memory", NULL },
	{ RESULT_RL_PEAK, "least memory", NULL }, { RESULT_WORLD, "fewest GPUs", NULL },
	{ RESULT_TOKENS_GPU, "most tokens of a GPU", NULL }, { RESULT_GENERATED_GPU, "most tokens of a GPU", NULL },
	{ RESULT_RL_TOKENS_GPU, "most tokens of a GPU", NULL }, { RESULT_RUN, "shortest run", NULL },
	{ RESULT_DAYS, "shortest run", NULL }, { RESULT_PARAMS_TOTAL, "largest model", NULL },
};

enum { WORDS = sizeof words / sizeof *words };

/* WORDS where it has none. */
static size_t
words_of(int id)
{
	size_t i = 0;

	while (i < WORDS && (int)words[i].id != id)
		i++;
	return i;
}

/* "TPOT p99", else what the number is called in short or, in a sentence, in full. */
static const char *
name_of(const struct search_view *l, const struct search_target *t, bool full, char buf[SEARCH_NAME])
{
	const size_t at = t->kind == TARGET_RESULT ? words_of(t->id) : WORDS;
	const char *name = t->kind == TARGET_FIELD ? field_table[t->id].label : t->kind != TARGET_RESULT ? NULL :
	    full && result_table[t->id].label != NULL ? result_table[t->id].label : result_table[t->id].brief;

	if (at == WORDS || words[at].within == NULL)
		return name != NULL ? name : target_name(t);
	text_put(buf, SEARCH_NAME, "%s p%.4g", words[at].within, l->space->plan.traffic.percentile);
	return buf;
}

const char *
search_target_name(const struct search_view *l, const struct search_target *t, char buf[SEARCH_NAME])
{
	return name_of(l, t, false, buf);
}

static void
add_aim(const struct search_view *l, const struct search_target *t, char *buf, size_t size)
{
	const size_t at = t->kind == TARGET_RESULT ? words_of(t->id) : WORDS;
	char name[SEARCH_NAME];

	if (at < WORDS && words[at].best != NULL)
		text_add(buf, size, "%s", words[at].best);
	else if (t->kind == TARGET_COST)
		text_add(buf, size, "cheapest");
	else if (t->kind == TARGET_GPU_HOURS)
		text_add(buf, size, "fewest GPU hours");
	else
		text_add(buf, size, "%s %s", t->more ? "most" : "least", name_of(l, t, true, name));
}

/* The limit as it was typed. */
void
search_add_condition(const struct search_view *l, int i, char *buf, size_t size)
{
	const struct search_condition *c = &l->search.condition[i];
	const char *limit = strpbrk(c->text, "<>");
	char name[SEARCH_NAME];

	text_add(buf, size, "%s %s %s", name_of(l, &c->target, true, name), c->least ? "at least" : "at most",
	    limit != NULL ? limit + strspn(limit, "<>=") : c->text);
}

static void
add_work(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	double params = 0;

	if (result_value(RESULT_PARAMS_TOTAL, e, 0, &params) && params > 0)
		text_add(buf, size, "; %sB", UNITS_EXACT(COUNT, (double)(int64_t)(params / 1e9 + 0.5)));
	if (p->mode == MODE_SERVE)
		text_add(buf, size, p->traffic.rate > 0 ? ", %s requests a second of %s + %s tokens" :
		    ", %s requests of %s + %s tokens", p->traffic.rate > 0 ?
		    UNITS_EXACT(REAL, p->traffic.rate) : UNITS_EXACT(COUNT, (double)p->serving.concurrency),
		    UNITS_EXACT(COUNT, (double)p->serving.prompt_tokens),
		    UNITS_EXACT(COUNT, (double)p->serving.generate_tokens));
	else
		text_add(buf, size, ", %s x %s tokens a step",
		    UNITS_EXACT(COUNT, (double)p->training.global_batch_size),
		    UNITS_EXACT(COUNT, (double)p->training.sequence_length));
}

void
search_words(const struct state *s, char *buf, size_t size)
{
	const struct search_view *l = s->search;

	if (l->space == NULL)
		return;
	for (int i = 0; i < l->search.objectives; i++) {
		text_add(buf, size, "%s", i > 0 ? ", then " : "");
		add_aim(l, &l->search.objective[i], buf, size);
	}
	add_work(&l->space->plan, s->estimate, buf, size);
	for (int i = 0; i < l->search.conditions; i++) {
		text_add(buf, size, ", ");
		search_add_condition(l, i, buf, size);
	}
}
