#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/plan/catalog.h"

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

const struct catalog_entry *
catalog_find(const struct catalog_list *list, const char *id)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcasecmp(list->entry[i].id, id) == 0)
			return &list->entry[i];
	for (size_t i = list->count; i > 0; i--)
		if (has_alias(&list->entry[i - 1], id))
			return &list->entry[i - 1];
	return NULL;
}

/* Edits from a name to a candidate; the beginning of a name is near to it, the shorter the
 * rest the nearer. */
static size_t
distance(const char *candidate, const char *id)
{
	if (*id != '\0' && strncasecmp(candidate, id, strlen(id)) == 0)
		return 1;
	return text_distance(id, candidate);
}

const char *
catalog_near(const struct catalog_list *list, const char *id)
{
	const char *best = NULL;
	size_t least = (strlen(id) + 1) / 2; /* half of the letters wrong is another name, */
	char alias[PLAN_ID_SIZE];

	if (least > 3)
		least = 3; /* and so are three edits: llama-2-7b, gemma-2-2b */
	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *entry = &list->entry[i];
		size_t d = distance(entry->id, id);

		for (int64_t k = 0; catalog_alias(entry, k, alias, sizeof alias); k++)
			if (distance(alias, id) < d)
				d = distance(alias, id);
		if (d < least) {
			least = d;
			best = entry->id;
		}
	}
	return best;
}

/* What follows the maker's name. */
static const char *
without_maker(const char *name)
{
	static const char *const makers[] = { "nvidia", "amd", "tesla" };

	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		const size_t n = strlen(makers[i]);

		if (strncasecmp(name, makers[i], n) == 0 && strchr(" _", name[n]) != NULL &&
		    name[n] != '\0')
			return name + n + 1;
	}
	return name;
}

/* Bytes of `name` that `known` is, letters of any case and _ for a blank; 0 unless it is the
 * beginning of it, in whole words. */
static size_t
begins(const char *name, const char *known)
{
	size_t n = 0;

	for (; known[n] != '\0'; n++)
		if (tolower((unsigned char)known[n]) != tolower((unsigned char)name[n]) &&
		    !(known[n] == ' ' && name[n] == '_'))
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
