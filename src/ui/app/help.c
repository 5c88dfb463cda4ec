/* The commands and their keys, as a list; what is typed finds fields and topics as well. */
#include <string.h>

#include "core/base/text.h"
#include "ui/app/command.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"

enum {
	KEYS_COLUMNS = 16, KEYS_WIDE = 18, /* columns, */
	NAME_COLUMNS = 18, NAME_WIDE = 21, /* which are wider, so that all is in line, */
	WIDE_FROM = 96,      /* from here on; */
	HANG_FROM = 60,      /* and there is room beside them for more lines from here on */
};

/* Where a command works, as the list is parted. */
static const struct {
	const char *title;
	unsigned contexts;
} places[] = {
	{ "Everywhere", CONTEXT_PANES }, { "In the plan", CONTEXT_FORM }, { "On the map", CONTEXT_MAP },
	{ "On the pipeline", CONTEXT_PIPELINE }, { "On numbers", CONTEXT_MEMORY },
	{ "In lists", CONTEXT_LIST }, { "In the search", CONTEXT_SEARCH },
	{ "In a diagnosis", CONTEXT_DIAGNOSE }
};

static int
keys_width(const struct rows *rows)
{
	return rows->width >= WIDE_FROM ? KEYS_WIDE : KEYS_COLUMNS;
}

/* "keys :name what it is"; lines after the first go on under the last. */
static void
add_entry(struct rows *rows, int target, const char *keys, const char *name, const char *help)
{
	const int keys_w = keys_width(rows);
	const int name_w = rows->width >= WIDE_FROM ? NAME_WIDE : NAME_COLUMNS;
	const int hang = rows->hang;
	char text[2 * ROW_TEXT_SIZE];

	if (rows->width >= HANG_FROM)
		rows->hang = keys_w + name_w + 3;
	/* two blanks at least part columns (prefs/texts.h) */
	text_put(text, sizeof text, "%-*s :%-*s%s %s", keys_w, keys, name_w, name,
	    strlen(name) >= (size_t)name_w ? " " : "", help);
	rows_wrapped(rows, rows->items++, target, ROLE_TEXT, 0, text);
	rows->hang = hang;
}

static void
add_command(struct rows *rows, const struct state *s, size_t i)
{
	const struct command *c = &command_table[i];
	char keys[64], name[64];

	command_keys(c, &s->settings, COMMAND_KEYS_MAX, keys, sizeof keys);
	text_put(name, sizeof name, c->argument[0] != '\0' ? "%s %s" : "%s", c->name, c->argument);
	add_entry(rows, (int)i, keys, name, c->help);
}

static void
add_place(struct rows *rows, const struct state *s, size_t place)
{
	rows_heading(rows, places[place].title);
	for (size_t i = 0; i < command_count; i++) {
		const unsigned contexts = command_table[i].contexts;
		const bool everywhere = contexts == 0 || (contexts & CONTEXT_PANES) == CONTEXT_PANES;

		if (place == 0 ? everywhere : !everywhere && (contexts & places[place].contexts) != 0)
			add_command(rows, s, i);
	}
}

/* The list below, or the pane, comes first; a search is a list with more of its own. */
static void
add_commands(struct rows *rows, const struct state *s)
{
	const unsigned here = (unsigned)command_context_of(s, s->below.kind);
	const size_t count = sizeof places / sizeof *places;

	for (size_t place = count; place-- > 1;)
		if ((places[place].contexts & here) != 0)
			add_place(rows, s, place);
	for (size_t place = 0; place < count; place++)
		if (place == 0 || (places[place].contexts & here) == 0)
			add_place(rows, s, place);
}

static void
add_signs(struct rows *rows)
{
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

/* ---- what was typed names ---------------------------------------------------------------- */

/* Targets: commands, then fields, models, GPUs and topics. */
static int
field_target(enum field_id f)
{
	return (int)command_count + (int)f;
}

static int
model_target(size_t i)
{
	return field_target(FIELD_COUNT) + (int)i;
}

static int
gpu_target(const struct state *s, size_t i)
{
	return model_target(s->catalog->models.count + i);
}

static int
topic_target(const struct state *s, size_t at)
{
	return gpu_target(s, s->catalog->gpus.count + at);
}

/* Whether an entry answers with a name as good as `match`, or with other words about it: then what
 * is added next has that rank. */
static bool
answers(struct rows *rows, enum match match, const char *const about[])
{
	rows->rank = (int)match;
	return rows->loose ? match < MATCH_NONE : rows_finds(rows, about);
}

static void
find_commands(struct rows *rows, const struct state *s)
{
	char keys[64];

	for (size_t i = 0; i < command_count; i++) {
		const struct command *c = &command_table[i];
		const char *const about[] = { keys, c->name, c->help, NULL };

		command_keys(c, &s->settings, COMMAND_KEYS_MAX, keys, sizeof keys);
		if (answers(rows, match_name(c->name, rows->filter), about))
			add_command(rows, s, i);
	}
}

static void
find_fields(struct rows *rows, const struct state *s)
{
	char line[2 * ROW_TEXT_SIZE], value[64], label[TEXTS_SIZE], help[TEXTS_SIZE];

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const struct field *row = &field_table[f];
		const char *const about[] = { row->label, field_short(f), row->path, row->help, NULL };

		if (!field_applies(f, &s->plan) || !answers(rows, fields_match(f, rows->filter), about))
			continue;
		field_format(f, &s->plan, value, sizeof value);
		/* each by itself, as a help line has semicolons of its own */
		text_put(line, sizeof line, "%s = %s; %s", texts_say(rows->texts, row->label, label, sizeof label),
		    value[0] != '\0' ? value : "-", texts_say(rows->texts, row->help, help, sizeof help));
		add_entry(rows, field_target(f), "field", field_short(f), line);
	}
}

/* Entries that are named so: whatever else is said of them stands in their own lists. */
static void
find_entries(struct rows *rows, const struct catalog_list *list, int target, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *e = &list->entry[i];
		const char *const about[] = { e->id, NULL };

		if (answers(rows, match_name(e->id, rows->filter), about))
			add_entry(rows, target + (int)i, "set", TEXT_OF(ROW_TEXT_SIZE, "%s %s", name, e->id),
			    e->title);
	}
}

static void
find_topics(struct rows *rows, const struct state *s)
{
	const struct topic *page;
	char line[ROW_TEXT_SIZE], name[32];

	for (size_t at = 0; (page = topics_page(s, at)) != NULL; at++) {
		const char *const about[] = { name, page->title, NULL };

		topic_name(page, name, sizeof name);
		if (answers(rows, match_name(name, rows->filter), about)) {
			text_put(line, sizeof line, "topics %s", name);
			add_entry(rows, topic_target(s, at), "to read", line, page->title);
		}
	}
}

static void
help_rows(struct rows *rows, const struct state *s)
{
	if (s->settings.keys > 0)
		rows_heading(rows, "Your own keys");
	options_keys(rows, s, keys_width(rows));
	if (rows->filter[0] == '\0')
		add_commands(rows, s);
	if (rows->filter[0] != '\0') {
		find_commands(rows, s);
		find_fields(rows, s);
		find_entries(rows, &s->catalog->models, model_target(0), "model");
		find_entries(rows, &s->catalog->gpus, gpu_target(s, 0), "gpu");
		find_topics(rows, s);
		rows->rank = MATCH_NONE;
	}
	if (!rows->loose)
		add_signs(rows);
	if (rows->filter[0] != '\0')
		rows_sort(rows);
}

/* ---- what Enter does ---------------------------------------------------------------------- */

/* Where the command works: the list that help was opened over, or a pane. */
static void
go_where_it_works(struct state *s, const struct command *c)
{
	s->list = s->below;
	s->below.kind = LIST_NONE;
	if (c->contexts == 0 || (c->contexts & command_context(s)) != 0)
		return;
	list_leave(s);
	for (int i = 0; i < PANE_COUNT && (c->contexts & command_context(s)) == 0; i++)
		if ((c->contexts & pane_type(s, (enum pane)i)->context) != 0)
			state_focus(s, (enum pane)i);
}

static unsigned
set_entry(struct state *s, enum field_id f, const struct catalog_entry *e)
{
	list_leave(s);
	return edit_set(s, TEXT_OF(PLAN_ID_SIZE + 32, "%s=%s", field_table[f].path, e->id));
}

static unsigned
help_accept(struct state *s, int target)
{
	const struct command *c = &command_table[target];

	if (target < 0)
		return 0;
	if (target >= topic_target(s, 0))
		return topics_list.accept(s, target - topic_target(s, 0));
	if (target >= gpu_target(s, 0))
		return set_entry(s, FIELD_GPU, &s->catalog->gpus.entry[target - gpu_target(s, 0)]);
	if (target >= model_target(0))
		return set_entry(s, FIELD_PRESET, &s->catalog->models.entry[target - model_target(0)]);
	if (target >= field_target(0))
		return fields_list.accept(s, target - field_target(0));
	go_where_it_works(s, c);
	if ((c->contexts & command_context(s)) == 0 && c->contexts != 0) {
		state_say(s, ROLE_DIM, ":%s works in a list: %s", c->name, c->help);
		return 0;
	}
	if (c->argument[0] == '\0' || c->argument[0] == '[')
		return app_event(s, c, "");
	prompt_begin(s, PROMPT_COMMAND, TEXT_OF(LINE_SIZE, "%s ", c->name), false);
	return 0;
}

const struct list_type help_list = { .title = "keys and commands: type a name", .rows = help_rows,
	.accept = help_accept, .types = true, .over = true };
