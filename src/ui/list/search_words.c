/* What a search asks for, in words: "fewest GPUs, then fastest; 70.6B, 512 x 8,192 tokens a step". */
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/search_table.h"

/* What people call the best of a number. */
static const struct {
	enum result_id id;
	const char *best;
} words[] = {
	{ RESULT_STEP, "fastest" }, { RESULT_RL_STEP, "fastest" }, { RESULT_TPOT, "fastest for a user" },
	{ RESULT_TTFT, "soonest first token" }, { RESULT_PEAK_TOTAL, "least memory" },
	{ RESULT_RL_PEAK, "least memory" }, { RESULT_WORLD, "fewest GPUs" },
	{ RESULT_TOKENS_GPU, "most tokens of a GPU" }, { RESULT_GENERATED_GPU, "most tokens of a GPU" },
	{ RESULT_RL_TOKENS_GPU, "most tokens of a GPU" }, { RESULT_RUN, "shortest run" },
	{ RESULT_DAYS, "shortest run" }, { RESULT_PARAMS_TOTAL, "largest model" },
};

static const char *
label_of(const struct search_target *t)
{
	const char *label = t->kind == TARGET_FIELD ? field_table[t->id].label :
	    t->kind == TARGET_RESULT ? result_table[t->id].label : NULL;

	return label != NULL ? label : target_name(t);
}

static void
add_aim(const struct search_target *t, char *buf, size_t size)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (t->kind == TARGET_RESULT && t->id == (int)words[i].id) {
			text_add(buf, size, "%s", words[i].best);
			return;
		}
	if (t->kind == TARGET_COST)
		text_add(buf, size, "cheapest");
	else if (t->kind == TARGET_GPU_HOURS)
		text_add(buf, size, "fewest GPU hours");
	else
		text_add(buf, size, "%s %s", t->more ? "most" : "least", label_of(t));
}

/* "memory at most 70GiB": the limit as it was typed. */
static void
add_condition(const struct search_condition *c, char *buf, size_t size)
{
	const char *limit = strpbrk(c->text, "<>");

	text_add(buf, size, ", %s %s %s", label_of(&c->target), c->least ? "at least" : "at most",
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

	for (int i = 0; i < l->search.objectives; i++) {
		text_add(buf, size, "%s", i > 0 ? ", then " : "");
		add_aim(&l->search.objective[i], buf, size);
	}
	if (l->space != NULL)
		add_work(&l->space->plan, s->estimate, buf, size);
	for (int i = 0; i < l->search.conditions; i++)
		add_condition(&l->search.condition[i], buf, size);
}
