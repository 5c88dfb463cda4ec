#include <ctype.h>
#include <string.h>

#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/plan/field.h"
#include "ui/app/actions.h"
#include "ui/app/command.h"
#include "ui/list/list.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"
#include "ui/screen/input.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"

#define FORM CONTEXT_FORM
#define MAP CONTEXT_MAP
#define PIPELINE CONTEXT_PIPELINE
#define NUMBERS CONTEXT_MEMORY
#define LIST CONTEXT_LIST
#define SEARCH CONTEXT_SEARCH
#define DIAGNOSE CONTEXT_DIAGNOSE
#define PANES CONTEXT_PANES
#define ALL CONTEXT_ALL

static unsigned command_help(struct state *s, const char *argument);

/* Commands that are but a flag. */
static unsigned
pass_flag(MAYBE struct state *s, int flag)
{
	return (unsigned)flag;
}

/* Footer hints are shown in this order, so the most useful commands come first. */
const struct command command_table[] = {
	{ "up", { INPUT_UP, 'k' }, ALL, "", NULL, "move up", .step = move_lines, .way = -1 },
	{ "down", { INPUT_DOWN, 'j' }, ALL, "", "arrows|move", "move down",
	    .step = move_lines, .way = 1 },
	{ "more", { '+', INPUT_RIGHT, 'l', '=' }, FORM, "", "+/-|change",
	    "the next value of the field, of the legal ones if there is any",
	    .step = edit_step, .way = 1 },
	{ "less", { '-', INPUT_LEFT, 'h' }, FORM, "", NULL,
	    "the previous value of the field, of the legal ones if there is any",
	    .step = edit_step, .way = -1 },
	{ "accept", { INPUT_ENTER }, LIST, "", "Enter|take", "take the selected entry",
	    .act = list_accept },
	{ "pick", { ' ' }, LIST, "", NULL, "take it, or one more beside those taken",
	    .act = list_more },
	{ "close", { INPUT_ESCAPE, 'q' }, LIST, "", "Esc|close", "close the list",
	    .act = list_close },
	{ "help", { '?', INPUT_F1 }, ALL, "[NAME]", "?|help", "find keys, commands, fields, "
	    "topics; what is known of one", .run = command_help, .source = SOURCE_HELP },
	{ "quit", { 'q', INPUT_F10 }, PANES, "", "q|quit", "leave", .act = file_quit },
	{ "edit", { INPUT_ENTER }, FORM, "", "Enter|edit",
	    "type a value, or choose a model or GPU from a list (a digit begins as well)",
	    .act = fields_edit },
	{ "toggle", { ' ' }, FORM, "", NULL, "switch on or off, or the next choice",
	    .act = fields_toggle },
	{ "reset", { 'x', INPUT_BACKSPACE, INPUT_DELETE }, FORM, "", NULL,
	    "back to what it follows, or to the default", .act = edit_reset },
	{ "filter", { '/' }, LIST, "", "/|filter", "show only entries with some text",
	    .act = prompt_filter },
	{ "fix", { 'f' }, ALL, "", "f|fix", "what would mend the plan, best first", .act = diags_fix },
	{ "left", { INPUT_LEFT, 'h' }, MAP | PIPELINE | NUMBERS | LIST, "", NULL, "move left",
	    .step = move_aside, .way = -1 },
	{ "right", { INPUT_RIGHT, 'l' }, MAP | PIPELINE | NUMBERS | LIST, "", NULL, "move right",
	    .step = move_aside, .way = 1 },
	{ "next", { 'n' }, MAP | PIPELINE, "", "n/N|next",
	    "the next GPU that holds what was looked for, else the next member of the group",
	    .step = inspect_next, .way = 1 },
	{ "previous", { 'N' }, MAP | PIPELINE, "", NULL, "the one before",
	    .step = inspect_next, .way = -1 },
	{ "go", { 'g' }, MAP | PIPELINE, "WHAT", "g|go to",
	    "go to a rank, node N, stage N, layer N, expert N", .run = inspect_go,
	    .source = SOURCE_WHERE },
	{ "inspect", { 'i', INPUT_F4 }, PANES, "[WHAT]", "i|inspect", "everything about the GPU under "
	    "the cursor", .run = inspect_open, .source = SOURCE_WHERE },
	{ "peers", { INPUT_ENTER, ' ' }, MAP, "", "Enter|peers",
	    "colour the cursor's groups alone, or all groups", .act = move_peers },
	{ "why", { 'W' }, PANES, "", NULL,
	    "the terms of the selected number, or of the selected stage's memory",
	    .act = why_selected },
	{ "why-number", { INPUT_ENTER, ' ' }, PIPELINE | NUMBERS, "", "Enter|why",
	    "the terms of the selected number", .act = why_selected },
	{ "next-pane", { INPUT_TAB }, PANES, "[NAME]", "Tab|pane",
	    "the next pane, or plan, map, memory, traffic (or load, phases) or step",
	    .run = move_to_pane, .step = move_pane, .way = 1, .source = SOURCE_PANE },
	{ "color", { 'c' }, PANES, "[KIND,...]", "c|colour", "colour the map by the next of what tells most",
	    .run = move_to_kinds, .step = move_kind, .way = 1, .source = SOURCE_KINDS },
	{ "kinds", { 'd' }, PANES, "", "d|dimensions", "choose what colours the map",
	    .step = list_show, .way = LIST_KINDS },
	{ "zoom", { 'z' }, PANES, "[NAME]", "z|zoom", "show GPUs, or time in the pipeline, larger",
	    .run = move_to_zoom, .step = move_zoom, .way = 1, .source = SOURCE_ZOOM },
	{ "maximize", { 'm' }, PANES, "", "m|maximize", "the pane in focus alone, and back",
	    .act = move_alone },
	{ "pipeline", { 'p', INPUT_F5 }, PANES, "", "p|pipeline",
	    "the schedule of the pipeline in place of the map, and back", .act = move_picture },
	{ "undo", { 'u' }, PANES, "", "u|undo", "undo the last change",
	    .step = edit_walk, .way = -1 },
	{ "save", { 's', INPUT_F2 }, PANES, "[FILE]", "s|save", "save the plan",
	    .run = file_save, .source = SOURCE_PATH },
	{ "again", { 'r' }, SEARCH, "", "r|again", "search anew", .act = search_view_again },
	{ "change", { 'e' }, SEARCH, "", "e|change", "change what is searched for",
	    .act = search_view_change },
	{ "where", { 'w' }, SEARCH, "", "w|where", "one more condition of the search",
	    .act = search_view_add_condition },
	{ "let", { 'F' }, SEARCH, "", "F|free", "one more field for the search to choose",
	    .act = search_view_add_free },
	{ "without", { 'x', INPUT_BACKSPACE, INPUT_DELETE }, SEARCH, "", "x|without",
	    "the search without its last condition or free field", .act = search_view_drop },
	{ "search", { 'S', INPUT_F8 }, PANES, "[QUESTION] [KEY=VALUE]", "S|search",
	    "the best plans among all values of the free fields", .run = search_view_open,
	    .source = SOURCE_SEARCH },
	{ "free", { 'F' }, FORM, "[FIELD]", NULL, "let a search choose the field, or keep its value",
	    .run = search_view_free_field, .source = SOURCE_FIELD },
	{ "steps", { 'v' }, PANES, "", NULL, "what one step of each field would do",
	    .step = list_show, .way = LIST_STEPS },
	{ "run", { 'V' }, PANES, "", NULL, "the whole run: days, checkpoints, money, energy; and on other "
	    "numbers of nodes", .step = list_show, .way = LIST_RUN },
	{ "find", { '/', INPUT_F3 }, PANES, "[NAME]", "/|find field", "find a field by name",
	    .run = fields_open, .source = SOURCE_FIELD },
	{ "errors", { 'e', '!' }, PANES, "", "e|errors", "all errors, warnings and hints",
	    .act = diags_open },
	{ "redo", { INPUT_CTRL('R') }, PANES, "", NULL, "redo what was undone",
	    .step = edit_walk, .way = 1 },
	{ "compare", { 'D', INPUT_F6 }, PANES | SEARCH | DIAGNOSE, "[FILE]", "D|compare",
	    "this plan beside the pinned or saved one, the run's, or a file's", .run = compare_open,
	    .source = SOURCE_PATH },
	{ "pin", { 'P' }, PANES, "", "P|pin", "hold changes against the plan as it is now; again: "
	    "against the saved one", .act = compare_pin },
	{ "diagnose", { 'R' }, PANES, "[FILE ...]", "R|run",
	    "why a run is slower or fuller than the plan: its logs, traces, benchmarks",
	    .run = diagnose_open, .source = SOURCE_PATH },
	{ "history", { 'U' }, PANES, "", NULL, "all changes of this session, to go back to one",
	    .step = list_show, .way = LIST_HISTORY },
	{ "topics", { 't', INPUT_F7 }, PANES, "[NAME]", "t|topics",
	    "what each kind of parallelism is and costs, to read", .run = topics_open,
	    .source = SOURCE_TOPIC },
	{ "language", { 'L' }, ALL, "[NAME]", "L|language", "the screen and the topics in English or Chinese",
	    .run = topics_language, .source = SOURCE_SETTING_VALUE },
	{ "settings", { 'O' }, PANES, "[NAME VALUE]", NULL, "colours, mouse, language, keys",
	    .run = options_open, .source = SOURCE_SETTING },
	{ "all-fields", { 'a' }, PANES, "", "a|all fields",
	    "show every field, or those that most plans need", .act = edit_all_fields },
	{ "open", { 'o' }, PANES, "[FILE]", "o|open", "open a plan: files here or of late, a new one, an example",
	    .run = file_open, .source = SOURCE_PATH },
	{ "new", { 0 }, 0, "", NULL, "begin a new plan", .act = file_new },
	{ "save-as", { 'w' }, PANES, "FILE", NULL, "save under another name",
	    .run = file_save_as, .source = SOURCE_PATH },
	{ "zoom-out", { 'Z' }, PANES, "", NULL, "show GPUs, or time in the pipeline, smaller",
	    .step = move_zoom, .way = -1 },
	{ "color-back", { 'C' }, PANES, "", NULL, "colour the map by the one before",
	    .step = move_kind, .way = -1 },
	{ "one", { '1' }, MAP, "", NULL, "colour by one kind", .step = move_dimensions, .way = 1 },
	{ "two", { '2' }, MAP, "", NULL, "colour by two kinds at once",
	    .step = move_dimensions, .way = 2 },
	{ "three", { '3' }, MAP, "", NULL, "colour by three kinds at once",
	    .step = move_dimensions, .way = 3 },
	{ "four", { '4' }, MAP, "", NULL, "colour by four kinds at once",
	    .step = move_dimensions, .way = 4 },
	{ "previous-pane", { INPUT_BACK_TAB }, PANES, "", NULL, "the pane before",
	    .step = move_pane, .way = -1 },
	{ "page-up", { INPUT_PAGE_UP, INPUT_CTRL('B'), INPUT_CTRL('U') }, ALL, "", NULL, "a page up",
	    .step = move_page, .way = -1 },
	{ "page-down", { INPUT_PAGE_DOWN, INPUT_CTRL('F'), INPUT_CTRL('D') }, ALL, "", NULL, "a page down",
	    .step = move_page, .way = 1 },
	{ "first", { INPUT_HOME }, ALL, "", NULL, "to the first", .step = move_end, .way = -1 },
	{ "top", { 'g' }, FORM | NUMBERS | LIST, "", NULL, "to the first",
	    .step = move_end, .way = -1 },
	{ "last", { INPUT_END, 'G' }, ALL, "", NULL, "to the last", .step = move_end, .way = 1 },
	{ "discard", { 0 }, 0, "", NULL, "leave without saving (q!)", .step = pass_flag, .way = EVENT_QUIT },
	{ "save-quit", { 0 }, 0, "", NULL, "save, then leave (wq)", .act = file_save_quit },
	{ "import", { 0 }, 0, "FILE", NULL, "what others launch, a model or machines", .run = file_import,
	    .source = SOURCE_PATH },
	{ "export", { 0 }, 0, "TARGET FILE", NULL, "write what launches the plan", .run = file_export,
	    .source = SOURCE_EXPORT },
	{ "command", { ':' }, ALL, "[NAME]", NULL, "run a command by its name",
	    .run = prompt_command, .source = SOURCE_COMMAND },
	{ "set", { 0 }, 0, "PATH=VALUE ...", NULL, "set fields, all of them before anything is "
	    "checked (tp=8 seq8k 64xh100)", .run = edit_set, .source = SOURCE_FIELD },
	{ "ascii", { 'A' }, PANES, "[VALUE]", NULL, "draw with ASCII alone, or not",
	    .set = options_set, .source = SOURCE_SETTING_VALUE },
	{ "palette", { 'T' }, PANES, "[NAME]", NULL, "the next palette of colours",
	    .set = options_set, .source = SOURCE_SETTING_VALUE },
	{ "mouse", { 'M' }, PANES, "[VALUE]", NULL,
	    "use the mouse (Shift selects text then), or not", .set = options_set,
	    .source = SOURCE_SETTING_VALUE },
	{ "remember", { 0 }, 0, "", NULL, "keep the settings as they are now for later sessions",
	    .act = options_remember },
	{ "repaint", { INPUT_CTRL('L') }, ALL, "", NULL, "send the whole screen again",
	    .step = pass_flag, .way = EVENT_REPAINT },
	{ "yank", { 'y' }, ALL, "", NULL, "copy the number or line under the cursor",
	    .act = yank_cursor },
	{ "copy", { 'Y' }, ALL, "[WHAT]", NULL, "copy options, a command, the file's path, the table "
	    "shown or an address in it", .run = yank_named, .source = SOURCE_YANK },
	{ "suspend", { INPUT_CTRL('Z') }, ALL, "", NULL, "stop; the shell's fg goes on",
	    .step = pass_flag, .way = EVENT_SUSPEND },
};
const size_t command_count = sizeof command_table / sizeof *command_table;

enum context
command_context_of(const struct state *s, enum list_kind list)
{
	if (list == LIST_SEARCH)
		return (enum context)(LIST | SEARCH);
	if (list == LIST_DIAGNOSE)
		return (enum context)(LIST | DIAGNOSE);
	return list != LIST_NONE ? LIST : pane_type(s, s->focus)->context;
}

enum context
command_context(const struct state *s)
{
	return command_context_of(s, s->list.kind);
}

const struct command *
command_of_key(int32_t key, enum context context)
{
	for (size_t i = 0; i < command_count; i++)
		if ((command_table[i].contexts & context) != 0)
			for (int k = 0; k < COMMAND_KEYS_MAX && command_table[i].key[k] != 0; k++)
				if (command_table[i].key[k] == key)
					return &command_table[i];
	return NULL;
}

const struct command *
command_find(const char *name)
{
	static const struct {
		const char *alias, *name;
	} aliases[] = { { "q", "quit" }, { "w", "save" }, { "e", "open" }, { "colour", "color" },
		{ "maximise", "maximize" },
		{ "q!", "discard" }, { "wq", "save-quit" }, { "rank", "go" } };

	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (text_equal(aliases[i].alias, name))
			name = aliases[i].name;
	for (size_t i = 0; i < command_count; i++)
		if (text_equal(command_table[i].name, name))
			return &command_table[i];
	return NULL;
}

/* The command that a line begins with; NULL for a field. */
static const struct command *
command_of_line(const char *line)
{
	char name[64];
	const size_t n = strcspn(line, " \t=");

	text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, line);
	return command_find(name);
}

static unsigned
contexts_of_line(const char *line)
{
	const struct command *command = command_of_line(line);

	if (line[0] == '\0')
		return ALL;
	return command != NULL && command->contexts != 0 ? command->contexts : PANES;
}

const struct settings_key *
command_own_key(const struct state *s, int32_t key)
{
	for (size_t i = 0; i < s->settings.keys; i++) {
		const struct settings_key *own = &s->settings.key[i];

		if (input_of_name(own->key) == key &&
		    (contexts_of_line(own->command) & command_context(s)) != 0)
			return own;
	}
	return NULL;
}

bool
command_is_known(const char *name)
{
	return name[0] == '!' || command_find(name) != NULL || field_find(name) != FIELD_NONE;
}

bool
command_is_of_panes(const char *line)
{
	line += strspn(line, " \t:");
	return command_is_known(TEXT_OF(64, "%.*s", (int)strcspn(line, " \t="), line)) && (contexts_of_line(line) &
	    LIST) == 0;
}

/* Whether the label begins with the name, blanks and dashes between words apart. */
static bool
begins_alike(const char *label, const char *name)
{
	static const char between[] = " -_";

	for (;; label++, name++) {
		label += strspn(label, between);
		name += strspn(name, between);
		if (*name == '\0')
			return true;
		if (tolower((unsigned char)*label) != tolower((unsigned char)*name))
			return false;
	}
}

/* The field that is shown by a label which begins so, of several one that most plans need; NULL for none. */
static const char *
field_labelled(const char *name)
{
	const char *any = NULL;

	for (enum field_id f = 0; f < FIELD_COUNT && strlen(name) >= 3; f++) {
		if (!begins_alike(field_table[f].label, name))
			continue;
		if (field_table[f].flag != NULL)
			return field_key(f);
		any = any != NULL ? any : field_key(f);
	}
	return any;
}

const char *
command_near(const char *name)
{
	const char *label = field_labelled(name), *near = NULL;

	for (size_t i = 0; i < command_count; i++)
		near = text_nearer(name, near, command_table[i].name);
	return label != NULL ? label : near != NULL ? near : field_near(name);
}

/* Whether a key of the user's own means something else where the command works. */
static bool
is_taken(const struct settings *settings, const struct command *command, int32_t key)
{
	for (size_t i = 0; i < settings->keys; i++)
		if (input_of_name(settings->key[i].key) == key &&
		    (contexts_of_line(settings->key[i].command) & command->contexts) != 0)
			return true;
	return false;
}

size_t
command_keys(const struct command *command, const struct settings *settings, int most, char *buf,
    size_t size)
{
	char name[SETTINGS_KEY_SIZE];
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; settings != NULL && i < settings->keys && most > 0; i++)
		if (command_find(settings->key[i].command) == command) {
			n = text_add(buf, size, n > 0 ? " %s" : "%s", settings->key[i].key);
			most--;
		}
	for (int i = 0; i < COMMAND_KEYS_MAX && command->key[i] != 0 && most > 0; i++)
		if (settings == NULL || !is_taken(settings, command, command->key[i])) {
			input_name(command->key[i], name, sizeof name);
			n = text_add(buf, size, n > 0 ? " %s" : "%s", name);
			most--;
		}
	return n;
}

/* With a name: to that command, else what is known of the field, else all that has it. */
static unsigned
command_help(struct state *s, const char *argument)
{
	const struct command *command = command_find(argument + strspn(argument, ":"));
	const enum field_id f = command == NULL ? field_find(argument) : FIELD_NONE;
	char range[160];

	if (f != FIELD_NONE) {
		field_range(f, range, sizeof range);
		list_leave(s);
		if (field_applies(f, &s->plan)) {
			s->form.field = f;
			state_focus(s, PANE_FORM);
		}
		state_say(s, ROLE_DIM, "%s (:%s): %s%s%s%s%s", field_table[f].path, field_short(f),
		    field_table[f].help,
		    range[0] != '\0' ? "; " : "", range, range[0] != '\0' ? " " : "",
		    field_table[f].unit);
		return 0;
	}
	list_open(s, LIST_HELP);
	if (command != NULL)
		list_select(s, (int)(command - command_table));
	else
		text_put(s->list.filter, sizeof s->list.filter, "%s", argument);
	return 0;
}

unsigned
app_event(struct state *s, const struct command *command, const char *argument)
{
	if (argument[0] == '\0' && command->step != NULL)
		return command->step(s, command->way);
	if (command->act != NULL)
		return command->act(s);
	if (command->set != NULL)
		return command->set(s, command->name, argument);
	return command->run(s, argument);
}

/* The field of the plan that answers a name best, but for a slip; of equals one that most plans need. */
static const char *
field_meant(const struct state *s, const char *name)
{
	enum field_id best = FIELD_NONE;
	int least = 2 * MATCH_SLIP + 2;

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const int rank = 2 * (int)fields_match(f, name) + (field_table[f].flag == NULL);

		if (rank < least && field_in_use(f, &s->plan)) {
			least = rank;
			best = f;
		}
	}
	return best != FIELD_NONE ? field_key(best) : NULL;
}

/* What a line may have meant, "global batch 512" too: as many of its words as begin a label. */
static const char *
near_of_line(const struct state *s, const char *text, const char *name)
{
	const char *near = NULL;
	char words[96];

	text_put(words, sizeof words, "%.*s", (int)strcspn(text, "="), text);
	for (char *blank; near == NULL && (blank = strrchr(words, ' ')) != NULL; *blank = '\0')
		near = field_labelled(words);
	if (near == NULL)
		near = command_near(name);
	return near != NULL || strlen(name) < 4 ? near : field_meant(s, name);
}

/* "tp 8", "tp=8", "tp8": a field as a command; alone it opens the field's editor. "memory": the
 * pane of that name, before it could be a part of a model's. */
static unsigned
field_command(struct state *s, const char *text)
{
	const size_t n = strcspn(text, " \t=");
	char name[96];
	const char *near;
	enum field_id f;

	text_put(name, sizeof name, "%.*s", (int)n, text);
	f = field_find(name);
	if (f != FIELD_NONE && text[n + strspn(text + n, " \t")] != '\0')
		return edit_set(s, text);
	if (f == FIELD_NONE && text[n] == '\0' && move_pane_named(s, name) < PANE_COUNT) {
		list_leave(s);
		return move_to_pane(s, name);
	}
	if (f == FIELD_NONE && edit_is_shorthand(s, text)) {
		list_leave(s);
		return edit_set(s, text);
	}
	if (f != FIELD_NONE && !field_applies(f, &s->plan))
		state_say(s, ROLE_ERROR, "%s is of no account in this mode", field_table[f].path);
	else if (f != FIELD_NONE) {
		state_focus(s, PANE_FORM);
		list_leave(s);
		s->form.field = f;
		return fields_edit(s);
	} else if (result_find(name) != RESULT_COUNT)
		state_say(s, ROLE_ERROR, "%s is a result: %s", name,
		    result_table[result_find(name)].help);
	else if ((near = near_of_line(s, text, name)) != NULL)
		state_say(s, ROLE_ERROR, "no command %s; did you mean %s?", name, near);
	else
		state_say(s, ROLE_ERROR, "no command %s; ? lists them", name);
	return 0;
}

/* "!sbatch $1": a command of the user's own, which gets the file as it is on disk. */
static unsigned
shell_command(struct state *s, const char *text)
{
	const char *path = s->files->path(s->files->context);

	if (path == NULL || path[0] == '\0' || state_unsaved(s)) {
		state_say(s, ROLE_WARNING, "save the plan first (s): the command gets its file as $1");
		return 0;
	}
	if (!text_copy(s->shell, sizeof s->shell, text)) {
		state_say(s, ROLE_ERROR, "the command is too long");
		return 0;
	}
	return EVENT_SHELL;
}

unsigned
command_line(struct state *s, const char *text)
{
	const struct command *command;
	char name[64];
	size_t n;

	text += strspn(text, " \t:");
	n = strcspn(text, " \t");
	if (n == 0)
		return 0;
	if (text[0] == '!')
		return shell_command(s, text + 1);
	text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, text);
	command = command_find(name);
	if (command == NULL)
		return field_command(s, text);
	text += n;
	text += strspn(text, " \t");
	if (text[0] != '\0' && command->argument[0] == '\0') {
		state_say(s, ROLE_ERROR, "%s takes no argument", name);
		return 0;
	}
	return app_event(s, command, text);
}
