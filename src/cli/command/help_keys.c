/* `help keys`: the command table of the screen. */
#include "cli/base/complain.h"
#include "cli/base/output.h"
#include "cli/command/help.h"
#include "core/base/text.h"
#include "ui/app/command.h"

/* Where the keys of a command work. */
static void
format_contexts(char *buf, size_t size, unsigned contexts)
{
	static const struct {
		unsigned bits;
		const char *name;
	} part[] = {
		{ CONTEXT_FORM, "form" }, { CONTEXT_MAP, "map" }, { CONTEXT_PIPELINE, "pipeline" },
		{ CONTEXT_MEMORY, "numbers" }, { CONTEXT_LIST, "lists" },
		{ CONTEXT_SEARCH, "search" }, { CONTEXT_DIAGNOSE, "diagnosis" },
	};

	text_put(buf, size, contexts == 0 ? "prompt" : "");
	if (contexts == CONTEXT_ALL || contexts == CONTEXT_PANES) {
		text_put(buf, size, contexts == CONTEXT_ALL ? "everywhere" : "panes");
		return;
	}
	if ((contexts & CONTEXT_PANES) == CONTEXT_PANES) {
		text_put(buf, size, "panes");
		contexts &= ~(unsigned)CONTEXT_PANES;
	}
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		if ((contexts & part[i].bits) != 0)
			text_add(buf, size, "%s%s", buf[0] != '\0' ? "," : "", part[i].name);
}

int
help_keys(void)
{
	struct table t;
	char keys[64], name[64], where[64];

	table_init(&t, 4);
	table_row(&t, (const char *[]){ "keys", "command", "where", "meaning" });
	for (size_t i = 0; i < command_count; i++) {
		const struct command *c = &command_table[i];

		/* without keys: as one types it */
		if (command_keys(c, NULL, COMMAND_KEYS_MAX, keys, sizeof keys) == 0)
			text_put(keys, sizeof keys, ":%s", c->name);
		text_put(name, sizeof name, "%s%s%s", c->name, *c->argument != '\0' ? " " : "",
		    c->argument);
		format_contexts(where, sizeof where, c->contexts);
		table_row(&t, (const char *[]){ keys, name, where, c->help });
	}
	return table_print(&t) ? STATUS_OK : STATUS_ERROR;
}
