#include "cli/command/question_first.h"

#include <string.h>

#include "cli/base/complain.h"
#include "cli/session/search_live.h"
#include "core/base/text.h"
#include "core/plan/phrase.h"
#include "core/plan/shorthand.h"
#include "core/plan/words.h"
#include "core/search/question.h"

/* Where the words have the name of a question, else their number. */
static int
question_at(const struct options *o)
{
	int i = 0;

	while (i < o->words && question_find(o->word[i]) == NULL)
		i++;
	return i;
}

static bool
is_shorthand(const struct session *s, const char *word)
{
	char said[512];

	return shorthand_gpus(word, &s->plan, said, sizeof said) != SHORTHAND_NONE ||
	    shorthand_read(word, &s->plan, &s->catalog, said, sizeof said) != SHORTHAND_NONE;
}

/* "tp8", "tp=8" */
static bool
is_of_plan(const struct session *s, const char *word)
{
	const size_t n = strcspn(word, "=");

	return word[n] == '=' ? field_find(TEXT_OF(128, "%.*s", (int)n, word)) != FIELD_NONE : is_shorthand(s, word);
}

/* How many of the words from one on say something of the plan, together; 0 where that may be the question's. */
static int
plan_words(const struct session *s, const struct options *o, int from)
{
	char phrase[PLAN_ID_SIZE], *rest = phrase, *word;
	const int taken = phrase_read(o->word + from, o->words - from, &s->catalog, phrase);

	if (taken == 0)
		return is_of_plan(s, o->word[from]);
	while ((word = strsep(&rest, "\n")) != NULL)
		if (!is_of_plan(s, word))
			return 0;
	return taken;
}

/* Whether all words from one on say something of the plan, or nothing at all. */
static bool
are_of_plan(const struct session *s, const struct options *o, int from)
{
	for (int taken; from < o->words; from += taken > 0 ? taken : 1)
		if ((taken = plan_words(s, o, from)) == 0 && !words_is_little(o->word[from]))
			return false;
	return true;
}

/* Whether a word is the question's, of the plan, or of neither: "on". */
enum word_part { PART_QUESTION, PART_PLAN, PART_NEITHER, PARTS };

static enum word_part
part_of(const struct session *s, const struct options *o, int i, int *taken)
{
	*taken = plan_words(s, o, i);
	if (*taken > 0)
		return PART_PLAN;
	*taken = 1;
	return words_is_little(o->word[i]) && words_count(o->word[i]) == 0 ? PART_NEITHER : PART_QUESTION;
}

/* The question's name and then all words, those that may be its own first; how many these are. */
static int
part_words(const struct session *s, const struct options *o, int at, const char **word)
{
	int n = 0, taken, first = 0;

	word[n++] = o->word[at];
	for (enum word_part part = PART_QUESTION; part < PARTS; part++) {
		for (int i = 0; i < o->words; i += i == at ? 1 : taken)
			if (part_of(s, o, i, &taken) == part)
				for (int k = i; i != at && k < i + taken; k++)
					word[n++] = o->word[k];
		if (part == PART_QUESTION)
			first = n;
	}
	return first;
}

/* Words of the question first, which may stand among those of the plan: "8xh100 budget 1e6 llama-3.1-8b 2T". How many
 * they are: where it can not be asked of this plan, it may of what the others say. */
static int
order_words(const struct session *s, const struct options *o, int at, const char **word)
{
	char options[QUESTION_SIZE], err[QUESTION_SIZE];
	int taken = question_ask(&s->plan, &s->catalog, search_today(), o->word + at, o->words - at, options, err), first;

	if (taken > 0 && are_of_plan(s, o, at + taken)) {
		memcpy(word, o->word + at, (size_t)taken * sizeof *word);
		memcpy(word + taken, o->word, (size_t)at * sizeof *word);
		memcpy(word + taken + at, o->word + at + taken, (size_t)(o->words - at - taken) * sizeof *word);
		return taken;
	}
	first = part_words(s, o, at, word);
	taken = question_ask(&s->plan, &s->catalog, search_today(), word, first, options, err);
	return taken > 0 ? taken : first;
}

/* A first word that says nothing, where there is no question: which one may be meant. */
static bool
knows_first(const struct session *s, const struct options *o)
{
	const char *first = o->words > 0 ? o->word[0] : "", *near = NULL;

	if (o->words == 0 || question_at(o) < o->words || strchr(first, '=') != NULL || are_of_plan(s, o, 0) ||
	    plan_words(s, o, 0) > 0)
		return true;
	for (size_t i = 0; i < question_count; i++)
		near = text_nearer(first, near, question_table[i].name);
	usage_error("search: '%s' is no question, no file and no word of a plan (%s)", first,
	    near != NULL ? TEXT_OF(64, "did you mean %s?", near) : "'shardplan help search' lists questions");
	return false;
}

/* "can i train X on Y", "does X fit on Y": a search answers these, whatever verb stands there. */
static bool
is_verb(const char *word)
{
	return text_choice_index("can|could|should|does|do|will|would|it|what|is|are|fit|fits|train|run|take|takes|need|needs|"
	    "way|plan|config|configuration|we|you|me|that", word) >= 0;
}

int
question_words(const struct session *s, const struct options *o, const char **word)
{
	int n = 0;

	for (int i = 0; i < o->words; i++)
		if (!is_verb(o->word[i]) || plan_words(s, o, i) > 0)
			word[n++] = o->word[i];
	return n;
}

bool
question_first(const struct session *s, const struct options *o, const char **word, int *question)
{
	const int at = question_at(o);

	*question = 0;
	if (!knows_first(s, o))
		return false;
	if (at < o->words)
		*question = order_words(s, o, at, word);
	else
		memcpy(word, o->word, (size_t)o->words * sizeof *word);
	return true;
}
