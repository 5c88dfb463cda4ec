#include "cli/session/given.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/naming.h"
#include "core/plan/shorthand.h"

enum { SAID_SIZE = 512, SAYS_MOST = 4 }; /* bytes and settings of one word */

/* "cluster.nodes=8 cluster.gpus_per_node=8": settings, whose text is kept. */
static bool
put_said(struct given *g, const char *said)
{
	char *text = strdup(said), *word;

	if (text == NULL) {
		out_of_memory();
		return false;
	}
	g->text[g->texts++] = text;
	while ((word = strsep(&text, " ")) != NULL) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		g->setting[g->count++] = (struct setting){ field_find(word), value };
	}
	return true;
}

/* A value as it is, or the entry that it means. */
static bool
read_setting(struct given *g, const struct setting *given, const struct catalog *catalog)
{
	const bool model = given->field == FIELD_PRESET;
	const struct catalog_list *list = model ? &catalog->models : &catalog->gpus;
	const struct catalog_entry *entry = NULL;
	char said[SAID_SIZE];

	if ((model || given->field == FIELD_GPU) && catalog_find(list, given->value) == NULL) {
		if (model && naming_settings(list, given->value, said, sizeof said))
			return put_said(g, said);
		entry = shorthand_entry(list, given->value, said, sizeof said);
	}
	g->setting[g->count++] = (struct setting){ given->field, entry != NULL ? entry->id : given->value };
	return true;
}

static bool
read_word(struct given *g, const struct options *o, const char *word, const struct plan *p,
    const struct catalog *catalog)
{
	char said[SAID_SIZE], joined[PLAN_ID_SIZE];
	const char *near = o->word_first ? subcommand_near(o->commands, word) : NULL;
	enum shorthand is;

	text_put(joined, sizeof joined, "%s", word);
	for (char *c = joined; *c != '\0'; c++)
		if (*c == ' ')
			*c = '-';
	if ((is = shorthand_gpus(joined, p, said, sizeof said)) == SHORTHAND_NONE)
		is = shorthand_read(joined, p, catalog, said, sizeof said);
	if (is == SHORTHAND_SAYS)
		return put_said(g, said);
	if (is == SHORTHAND_UNCLEAR)
		usage_error("%s", said);
	else if (near != NULL)
		usage_error("'%s' is neither a command nor a file (did you mean %s?)", word, near);
	else
		usage_error("'%s' is neither a file nor a word of a plan, such as llama-3.1-70b, 64xh100 or tp8%s", word,
		    o->word_first ? ", nor a command" : "");
	return false;
}

/* The plan with what was given so far. What is wrong with that is told where it is put into the plan itself. */
static void
put_given(const struct given *g, const struct plan *p, const struct catalog *catalog, struct plan *out)
{
	const struct setting *wrong;
	struct overrides dropped;
	char err[640];

	*out = *p;
	overrides_put(g->setting, g->count, out, &dropped, &wrong, err, sizeof err);
	plan_resolve(out, catalog);
}

static bool
read_words(struct given *g, const struct options *o, const struct plan *p, const struct catalog *catalog, bool gpus)
{
	char said[SAID_SIZE];
	struct plan now;
	bool ok = true;

	put_given(g, p, catalog, &now);
	for (int i = 0; ok && i < o->words; i++)
		if ((shorthand_gpus(o->word[i], &now, said, sizeof said) != SHORTHAND_NONE) == gpus)
			ok = read_word(g, o, o->word[i], &now, catalog);
	return ok;
}

bool
given_read(struct given *g, const struct options *o, const struct plan *p, const struct catalog *catalog)
{
	const size_t most = o->settings + (size_t)o->words;
	bool ok;

	*g = (struct given){ .setting = calloc(most * SAYS_MOST + 1, sizeof *g->setting),
		.text = calloc(most + 1, sizeof *g->text) };
	ok = g->setting != NULL && g->text != NULL;
	if (!ok)
		out_of_memory();
	for (size_t i = 0; ok && i < o->settings; i++)
		ok = read_setting(g, &o->setting[i], catalog);
	if (o->words > 0)
		ok = ok && read_words(g, o, p, catalog, false) && read_words(g, o, p, catalog, true);
	return ok;
}

void
given_free(struct given *g)
{
	for (size_t i = 0; i < g->texts; i++)
		free(g->text[i]);
	free(g->text);
	free(g->setting);
}
