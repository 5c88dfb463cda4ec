#include "cli/base/subcommand.h"

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
	const char *near = NULL;

	for (const struct subcommand *c = table + 1; c->name != NULL; c++)
		near = text_nearer(name, near, c->name);
	return near;
}
