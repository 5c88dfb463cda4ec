#include "cli/session/given.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/framework/resolve.h"
#include "core/plan/naming.h"
#include "core/plan/phrase.h"
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

/* Of a fine-tune that the catalogue does not have, which shape it is taken to have. */
static void
tell_assumed(const char *name, const struct catalog *catalog)
{
	const struct catalog_entry *entry = naming_assumed(&catalog->models, name);

	if (entry != NULL)
		complain("%s is taken for a %s: the name has other words too (fix: import its config.json, if its shape "
		    "is another)", name, entry->id);
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
		if (model && naming_settings(list, given->value, said, sizeof said)) {
			tell_assumed(given->value, catalog);
			return put_said(g, said);
		}
		entry = shorthand_entry(list, given->value, said, sizeof said);
	}
	g->setting[g->count++] = (struct setting){ given->field, entry != NULL ? entry->id : given->value };
	return true;
}

/* "tp=8" */
static bool
read_equals(struct given *g, const char *word, const struct catalog *catalog)
{
	const char *equals = strchr(word, '=');
	char name[128];
	enum field_id f;

	text_put(name, sizeof name, "%.*s", (int)(equals - word), word);
	if ((f = field_find(name)) != FIELD_NONE)
		return read_setting(g, &(struct setting){ f, equals + 1 }, catalog);
	usage_error("'%s': no field %s ('shardplan fields' lists them)", word, name);
	return false;
}

static bool
gives_nodes(const struct given *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->setting[i].field == FIELD_NODES)
			return true;
	return false;
}

/* So many GPUs beside a number of nodes: of one node, or as many as those have. Others may be meant for each node. */
static bool
put_gpus(struct given *g, const char *word, const struct plan *now)
{
	const long long gpus = strtoll(word + strcspn(word, "0123456789"), NULL, 10), nodes = now->cluster.nodes;

	if (gpus == nodes * now->cluster.gpus_per_node)
		return true;
	if (nodes == 1)
		return put_said(g, TEXT_OF(SAID_SIZE, "%s=%lld", field_table[FIELD_GPUS_PER_NODE].path, gpus));
	usage_error("%lld GPUs beside %lld nodes: all, or those of each? (fix: --gpus-per-node=N in its place)", gpus, nodes);
	return false;
}

/* "dp8": said, where a word begins with the name of a result. */
static bool
tells_result(const char *word)
{
	const size_t n = strcspn(word, "0123456789");
	char name[64];

	text_put(name, sizeof name, "%.*s", (int)n, word);
	if (word[n] == '\0' || result_find(name) == RESULT_COUNT)
		return false;
	usage_error("'%s': not a field but a result: %s", word, result_table[result_find(name)].help);
	return true;
}

static bool
read_word(struct given *g, const struct options *o, const char *word, const struct plan *p,
    const struct catalog *catalog)
{
	char said[SAID_SIZE], joined[PLAN_ID_SIZE];
	const char *near = o->word_first ? subcommand_near(o->commands, word) : NULL;
	enum shorthand is;

	if (strchr(word, '=') != NULL && strncmp(word, "gpus=", 5) != 0)
		return read_equals(g, word, catalog);
	text_put(joined, sizeof joined, "%s", word);
	for (char *c = joined; *c != '\0'; c++)
		if (*c == ' ')
			*c = '-';
	if ((is = shorthand_gpus(joined, p, said, sizeof said)) == SHORTHAND_SAYS && gives_nodes(g))
		return put_gpus(g, joined, p);
	if (is == SHORTHAND_NONE)
		is = shorthand_read(joined, p, catalog, said, sizeof said);
	if (is == SHORTHAND_SAYS) {
		tell_assumed(word, catalog);
		return put_said(g, said);
	}
	if (is == SHORTHAND_UNCLEAR)
		usage_error("%s", said);
	else if (tells_result(word))
		return false;
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

/* What the plan is for, which says which format is meant; other words; and all GPUs, in nodes that those tell of. */
enum pass { PASS_MODE, PASS_WORDS, PASS_GPUS, PASSES };

static enum pass
pass_of(const char *word, const struct plan *p)
{
	char said[SAID_SIZE];

	if (shorthand_gpus(word, p, said, sizeof said) != SHORTHAND_NONE)
		return PASS_GPUS;
	return field_choice_index(FIELD_MODE, word) >= 0 ? PASS_MODE : PASS_WORDS;
}

/* Two words that say different things of one field: neither is what was meant for certain. */
static bool
is_told_twice(const struct given *g, size_t from)
{
	for (size_t i = from; i < g->count; i++)
		for (size_t k = from; k < i; k++)
			if (g->setting[k].field == g->setting[i].field && !text_equal(g->setting[k].value, g->setting[i].value)) {
				usage_error("words say both %s and %s of %s", g->setting[k].value, g->setting[i].value,
				    field_table[g->setting[i].field].path);
				return true;
			}
	return false;
}

/* Words as shorthand has them, what belongs together as one or two; their number, -1 without memory. */
static int
put_phrases(struct given *g, const struct options *o, const struct catalog *catalog, const char **word)
{
	char phrase[PLAN_ID_SIZE], *text;
	int words = 0;

	for (int i = 0, taken; i < o->words; i += taken > 0 ? taken : 1) {
		taken = phrase_read(o->word + i, o->words - i, catalog, phrase);
		if (taken == 0) {
			word[words++] = o->word[i];
			continue;
		}
		if ((text = strdup(phrase)) == NULL)
			return -1;
		g->text[g->texts++] = text;
		while (*phrase != '\0' && text != NULL)
			word[words++] = strsep(&text, "\n");
	}
	return words;
}

static bool
read_words(struct given *g, const struct options *o, const struct plan *p, const struct catalog *catalog)
{
	const size_t options = g->count;
	const char **word = calloc((size_t)o->words * 2, sizeof *word);
	const int words = word != NULL ? put_phrases(g, o, catalog, word) : -1;
	struct plan now;
	bool ok = words >= 0;

	if (!ok)
		out_of_memory();
	for (enum pass pass = 0; ok && pass < PASSES; pass++) {
		put_given(g, p, catalog, &now);
		for (int i = 0; ok && i < words; i++)
			if (pass_of(word[i], &now) == pass)
				ok = read_word(g, o, word[i], &now, catalog);
	}
	free(word);
	return ok && !is_told_twice(g, options);
}

bool
given_read(struct given *g, const struct options *o, const struct plan *p, const struct catalog *catalog)
{
	const size_t most = o->settings + (size_t)o->words;
	bool ok;

	*g = (struct given){ .setting = calloc(most * SAYS_MOST + 1, sizeof *g->setting),
		.text = calloc(2 * most + 1, sizeof *g->text) };
	ok = g->setting != NULL && g->text != NULL;
	if (!ok)
		out_of_memory();
	for (size_t i = 0; ok && i < o->settings; i++)
		ok = read_setting(g, &o->setting[i], catalog);
	return ok && (o->words == 0 || read_words(g, o, p, catalog));
}

void
given_free(struct given *g)
{
	for (size_t i = 0; i < g->texts; i++)
		free(g->text[i]);
	free(g->text);
	free(g->setting);
}
