/* The commands and their keys, as a list. */
#include "core/base/text.h"
#include "ui/app/actions.h"
#include "ui/app/command.h"
#include "ui/list/views.h"

enum {
	KEYS_COLUMNS = 16, KEYS_WIDE = 18, /* columns, */
	NAME_COLUMNS = 18, NAME_WIDE = 21, /* which are wider, so that all is in line, */
	WIDE_FROM = 96,      /* from here on; */
	HANG_FROM = 60,      /* and there is room beside them for more lines from here on */
};

static void
help_rows(struct rows *rows, const struct state *s)
{
	static const char *const places[] = {
		"Everywhere", "In the plan", "On the map", "On the pipeline", "On numbers", "In lists",
		"In the search"
	};
	static const unsigned contexts[] = {
		CONTEXT_PANES, CONTEXT_FORM, CONTEXT_MAP, CONTEXT_PIPELINE, CONTEXT_MEMORY,
		CONTEXT_LIST, CONTEXT_SEARCH
	};
	const bool wide = rows->width >= WIDE_FROM;
	const int keys_w = wide ? KEYS_WIDE : KEYS_COLUMNS, name_w = wide ? NAME_WIDE : NAME_COLUMNS;
	const int hang = rows->hang;
	char keys[64], name[64];

	if (s->settings.keys > 0)
		rows_heading(rows, "Your own keys");
	options_keys(rows, s, keys_w);
	if (rows->width >= HANG_FROM)
		rows->hang = keys_w + name_w + 3;
	for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
		rows_heading(rows, places[place]);
		for (size_t i = 0; i < command_count; i++) {
			const struct command *c = &command_table[i];
			bool everywhere = (c->contexts & CONTEXT_PANES) == CONTEXT_PANES ||
			    c->contexts == 0;

			if (place == 0 ? !everywhere : everywhere || (c->contexts & contexts[place]) == 0)
				continue;
			command_keys(c, &s->settings, COMMAND_KEYS_MAX, keys, sizeof keys);
			text_put(name, sizeof name, c->argument[0] != '\0' ? "%s %s" : "%s", c->name,
			    c->argument);
			rows_item(rows, (int)i, ROLE_TEXT, "%-*s :%-*s %s", keys_w, keys, name_w, name,
			    c->help);
		}
	}
	rows->hang = hang;
	rows_heading(rows, "While typing");
	rows_item(rows, -1, ROLE_TEXT, "Enter            takes it, Esc cancels, Tab and Shift-Tab "
	    "complete commands, fields, values and files");
	rows_item(rows, -1, ROLE_TEXT, "Up Down          after :, earlier lines that begin alike; "
	    "Ctrl-P Ctrl-N, all of them");
	rows_item(rows, -1, ROLE_TEXT, "Left Right Home End Backspace Delete Ctrl-A Ctrl-E Ctrl-U "
	    "Ctrl-K Ctrl-W edit");
	rows_heading(rows, "Marks");
	rows_item(rows, -1, ROLE_TEXT, "*  you set this field (the others come from the catalogue, "
	    "a default or a rule)");
	rows_item(rows, -1, ROLE_TEXT, "!  an error or a warning is about this field");
	rows_item(rows, -1, ROLE_TEXT, ">  selected; on the map >13< is the GPU under the cursor, "
	    "[12] or *tp a peer of it");
}

const struct list_type help_list = { .title = "keys and commands", .rows = help_rows,
	.over = true };
