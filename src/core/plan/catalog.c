#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/plan/catalog.h"

const struct catalog_entry *
catalog_find(const struct catalog_list *list, const char *id)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcasecmp(list->entry[i].id, id) == 0)
			return &list->entry[i];
	return NULL;
}

const char *
catalog_near(const struct catalog_list *list, const char *id)
{
	const char *best = NULL;
	size_t least = strlen(id) / 2 + 1; /* half of the letters wrong is another name, */

	if (least > 3)
		least = 3; /* and so are three edits: llama-2-7b, gemma-2-2b */
	for (size_t i = 0; i < list->count; i++) {
		const char *candidate = list->entry[i].id;
		size_t d = text_distance(id, candidate);

		/* The beginning of a name is near to it, the shorter the rest the nearer. */
		if (*id != '\0' && strncasecmp(candidate, id, strlen(id)) == 0)
			d = 1;
		if (d < least) {
			least = d;
			best = candidate;
		}
	}
	return best;
}
