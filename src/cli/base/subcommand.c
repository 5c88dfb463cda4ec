#include "cli/base/subcommand.h"

#include <string.h>

#include "core/base/text.h"

const struct subcommand *
subcommand_find(const struct subcommand *table, const char *name)
{
	for (const struct subcommand *c = table + 1; c->name != NULL; c++)
		if (text_equal(c->name, name))
			return c;
	return NULL;
}

const char *
subcommand_near(const struct subcommand *table, const char *name)
{
	const char *best = NULL;
	size_t least = 3; /* farther than two edits is another word */

	for (const struct subcommand *c = table + 1; c->name != NULL; c++) {
		const size_t d = text_distance(name, c->name);

		if (d < least && d < strlen(c->name) / 2 + 1) {
			least = d;
			best = c->name;
		}
	}
	return best;
}
