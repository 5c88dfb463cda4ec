#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/plan/catalog.h"

enum { WORDS_FROM = 3 }; /* letters that are no accident */

bool
catalog_alias(const struct catalog_entry *entry, int64_t i, char *buf, size_t size)
{
	return entry->aliases[0] != '\0' && text_choice(entry->aliases, i, buf, size);
}

static bool
has_alias(const struct catalog_entry *entry, const char *id)
{
	char alias[PLAN_ID_SIZE];

	for (int64_t i = 0; catalog_alias(entry, i, alias, sizeof alias); i++)
		if (strcasecmp(alias, id) == 0)
			return true;
	return false;
}

const char *
catalog_bare_name(const char *id)
{
	const char *slash = strrchr(id, '/');

	return slash != NULL ? slash + 1 : id;
}

const struct catalog_entry *
catalog_find(const struct catalog_list *list, const char *id)
{
	id = catalog_bare_name(id);
	for (size_t i = 0; i < list->count; i++)
		if (strcasecmp(list->entry[i].id, id) == 0)
			return &list->entry[i];
	for (size_t i = list->count; i > 0; i--)
		if (has_alias(&list->entry[i - 1], id))
			return &list->entry[i - 1];
	return NULL;
}

/* Bytes of the next word at *at, which is moved to it: letters alone, or a number. */
static size_t
next_word(const char **at)
{
	size_t n;

	while (**at != '\0' && !isalnum((unsigned char)**at))
		++*at;
	n = strspn(*at, "0123456789.");
	if (n == 0)
		while (isalpha((unsigned char)(*at)[n]))
			n++;
	return n;
}

/* Whether a word of n letters is one of m or its beginning; 7 is not that of 70, but 3 of 3.1,
 * and so are the digits that a name ends in. */
static bool
begins_word(const char *word, size_t n, const char *longer, size_t m)
{
	return n <= m && strncasecmp(word, longer, n) == 0 && (n == m || word[n] == '\0' ||
	    longer[n] == '.' || isalpha((unsigned char)*word));
}

/* Twice the words of `few` where `many` has all of them, in their order; one less for each
 * that is but the beginning of a word there; 0 where it has not. */
static int
words_within(const char *few, const char *many)
{
	int score = 0;

	for (size_t n; (n = next_word(&few)) > 0; few += n) {
		size_t m;

		while ((m = next_word(&many)) > 0 && !begins_word(few, n, many, m))
			many += m;
		if (m == 0)
			return 0;
		score += 1 + (m == n);
		many += m;
	}
	return score;
}

static int
shared_words(const char *candidate, const char *id, bool whole)
{
	return whole ? words_within(candidate, id) : words_within(id, candidate);
}

/* The entry with most of the words: one that has all of the name's, "llama-70b", or, whole,
 * one all of whose words the name has, "Llama-3.1-70B-Instruct". Of several the first. */
static const char *
near_by_words(const struct catalog_list *list, const char *id, bool whole)
{
	const char *best = NULL;
	char alias[PLAN_ID_SIZE];
	int most = 0;

	for (size_t i = 0; i < list->count && strlen(id) >= WORDS_FROM; i++) {
		const struct catalog_entry *entry = &list->entry[i];
		const bool begins = !whole && strncasecmp(entry->id, id, strlen(id)) == 0;
		int shared = 2 * shared_words(entry->id, id, whole) + begins;

		for (int64_t k = 0; catalog_alias(entry, k, alias, sizeof alias); k++)
			if (2 * shared_words(alias, id, whole) - 1 > shared)
				shared = 2 * shared_words(alias, id, whole) - 1;
		if (shared > most) {
			most = shared;
			best = entry->id;
		}
	}
	return best;
}

/* The entry whose name is misspelt. */
static const char *
near_by_letters(const struct catalog_list *list, const char *id)
{
	const char *best = NULL;
	size_t least = (strlen(id) + 1) / 2; /* half of the letters wrong is another name, */
	char alias[PLAN_ID_SIZE];

	if (least > 3)
		least = 3; /* and so are three edits: llama-2-7b, gemma-2-2b */
	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *entry = &list->entry[i];
		size_t d = text_distance(id, entry->id);

		for (int64_t k = 0; catalog_alias(entry, k, alias, sizeof alias); k++)
			if (text_distance(id, alias) < d)
				d = text_distance(id, alias);
		if (d < least) {
			least = d;
			best = entry->id;
		}
	}
	return best;
}

const char *
catalog_near(const struct catalog_list *list, const char *id)
{
	const char *best;

	id = catalog_bare_name(id);
	if ((best = near_by_words(list, id, false)) == NULL &&
	    (best = near_by_letters(list, id)) == NULL)
		best = near_by_words(list, id, true);
	return best;
}

/* A name without its maker's. */
static const char *
without_maker(const char *name)
{
	static const char *const makers[] = { "nvidia", "amd", "tesla" };

	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		const size_t n = strlen(makers[i]);

		if (strncasecmp(name, makers[i], n) == 0 && strchr(" _-", name[n]) != NULL &&
		    name[n] != '\0')
			return name + n + 1;
	}
	return name;
}

/* Bytes of `name` that `known` is, letters of any case and _ or, in labels of Kubernetes, - for a blank; 0 unless it is the
 * beginning of it, in whole words. */
static size_t
begins(const char *name, const char *known)
{
	size_t n = 0;

	for (; known[n] != '\0'; n++)
		if (tolower((unsigned char)known[n]) != tolower((unsigned char)name[n]) &&
		    !(known[n] == ' ' && (name[n] == '_' || name[n] == '-')))
			return 0;
	return isalnum((unsigned char)name[n]) || name[n] == '-' ? 0 : n;
}

const struct catalog_entry *
catalog_of_driver(const struct catalog_list *gpus, const char *name, bool *exact)
{
	const struct catalog_entry *best = NULL;
	char known[PLAN_ID_SIZE];
	size_t most = 0;

	name = without_maker(name);
	for (size_t i = 0; i < gpus->count; i++) {
		const struct catalog_entry *entry = &gpus->entry[i];

		for (int64_t k = 0; entry->names[0] != '\0' &&
		    text_choice(entry->names, k, known, sizeof known); k++) {
			const size_t n = begins(name, without_maker(known));

			if (n > most) {
				most = n;
				best = entry;
			}
		}
	}
	*exact = best != NULL && name[most] == '\0';
	return best;
}
