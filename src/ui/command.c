#include "core/text.h"
#include "ui/actions.h"
#include "ui/command.h"
#include "ui/input.h"

#define FORM CONTEXT_FORM
#define MAP CONTEXT_MAP
#define NUMBERS CONTEXT_MEMORY
#define LIST CONTEXT_LIST
#define PANES CONTEXT_PANES
#define ALL CONTEXT_ALL

/* Footer hints are shown in this order, so the most useful commands come first. */
const struct command command_table[] = {
	{ "up", { INPUT_UP, 'k' }, ALL, "", NULL, "move up", move_up },
	{ "down", { INPUT_DOWN, 'j' }, ALL, "", "arrows|move", "move down", move_down },
	{ "more", { '+', INPUT_RIGHT, 'l', '=' }, FORM, "", "+/-|change",
	    "the next legal value of the field", edit_more },
	{ "less", { '-', INPUT_LEFT, 'h' }, FORM, "", NULL,
	    "the previous legal value of the field", edit_less },
	{ "help", { '?', INPUT_F1 }, ALL, "", "?|help", "this list", overlay_help },
	{ "quit", { 'q', INPUT_F10 }, PANES, "", "q|quit", "leave", prompt_quit },
	{ "edit", { INPUT_ENTER }, FORM, "", "Enter|edit",
	    "type a value, or choose a model or GPU from a list (a digit begins as well)", edit_begin },
	{ "toggle", { ' ' }, FORM, "", NULL, "switch on or off, or the next choice", edit_toggle },
	{ "reset", { 'x', INPUT_BACKSPACE, INPUT_DELETE }, FORM, "", NULL,
	    "back to the value of the catalogue or the default", edit_reset },
	{ "accept", { INPUT_ENTER, ' ' }, LIST, "", "Enter|take", "take the selected entry",
	    overlay_accept },
	{ "close", { INPUT_ESCAPE, 'q' }, LIST, "", "Esc|close", "close the list", overlay_close },
	{ "filter", { '/' }, LIST, "", "/|filter", "show only entries with some text", prompt_filter },
	{ "fix", { 'f' }, ALL, "", "f|fix", "take the proposed fix of the error", edit_fix },
	{ "left", { INPUT_LEFT, 'h' }, MAP | NUMBERS, "", NULL, "move left", move_left },
	{ "right", { INPUT_RIGHT, 'l' }, MAP | NUMBERS, "", NULL, "move right", move_right },
	{ "member", { 'n' }, MAP, "", "n/N|group member", "the next member of the group",
	    move_next_member },
	{ "member-back", { 'N' }, MAP, "", NULL, "the previous member of the group",
	    move_previous_member },
	{ "rank", { 'g' }, MAP, "RANK", "g|rank", "jump to a rank", move_rank },
	{ "peers", { INPUT_ENTER, ' ' }, MAP, "", "Enter|peers",
	    "colour the cursor's groups alone, or all groups", move_peers },
	{ "why", { 'W' }, PANES, "", NULL,
	    "the terms of the selected number, or of the selected stage's memory", overlay_why },
	{ "why-number", { INPUT_ENTER, ' ' }, NUMBERS, "", "Enter|why",
	    "the terms of the selected number", overlay_why },
	{ "next-pane", { INPUT_TAB }, PANES, "[NAME]", "Tab|pane",
	    "the next pane, or plan, map, memory, traffic or step", move_next_pane },
	{ "color", { 'c' }, PANES, "[KIND,...]", "c|colour", "colour the map by the next kind of group",
	    move_next_kind },
	{ "kinds", { 'd' }, PANES, "", "d|dimensions", "choose what colours the map", overlay_kinds },
	{ "zoom", { 'z' }, PANES, "[NAME]", "z|zoom", "show GPUs larger", move_zoom_in },
	{ "undo", { 'u' }, PANES, "", "u|undo", "undo the last change", edit_undo },
	{ "save", { 's', INPUT_F2 }, PANES, "[FILE]", "s|save", "save the plan", prompt_save },
	{ "search", { '/', INPUT_F3 }, PANES, "", "/|find field", "find a field by name",
	    overlay_fields },
	{ "errors", { 'e', '!' }, PANES, "", "e|errors", "all errors, warnings and hints",
	    overlay_diags },
	{ "redo", { INPUT_CTRL('R') }, PANES, "", NULL, "redo what was undone", edit_redo },
	{ "all-fields", { 'a' }, PANES, "", "a|all fields",
	    "show every field, or those that most plans need", edit_all_fields },
	{ "open", { 'o' }, PANES, "FILE", "o|open", "open a plan", prompt_open },
	{ "save-as", { 'S', 'w' }, PANES, "FILE", NULL, "save under another name", prompt_save_as },
	{ "zoom-out", { 'Z' }, PANES, "", NULL, "show GPUs smaller", move_zoom_out },
	{ "color-back", { 'C' }, PANES, "", NULL, "colour the map by the kind before",
	    move_previous_kind },
	{ "one", { '1' }, MAP, "", NULL, "colour by one kind", move_dimensions_1 },
	{ "two", { '2' }, MAP, "", NULL, "colour by two kinds at once", move_dimensions_2 },
	{ "three", { '3' }, MAP, "", NULL, "colour by three kinds at once", move_dimensions_3 },
	{ "four", { '4' }, MAP, "", NULL, "colour by four kinds at once", move_dimensions_4 },
	{ "previous-pane", { INPUT_BACK_TAB }, PANES, "", NULL, "the pane before",
	    move_previous_pane },
	{ "page-up", { INPUT_PAGE_UP, INPUT_CTRL('B') }, ALL, "", NULL, "a page up", move_page_up },
	{ "page-down", { INPUT_PAGE_DOWN, INPUT_CTRL('F') }, ALL, "", NULL, "a page down",
	    move_page_down },
	{ "first", { INPUT_HOME }, ALL, "", NULL, "to the first", move_first },
	{ "top", { 'g' }, FORM | NUMBERS | LIST, "", NULL, "to the first", move_first },
	{ "last", { INPUT_END, 'G' }, ALL, "", NULL, "to the last", move_last },
	{ "discard", { 0 }, 0, "", NULL, "leave without saving (q!)", prompt_discard },
	{ "save-quit", { 0 }, 0, "", NULL, "save, then leave (wq)", prompt_save_quit },
	{ "command", { ':' }, PANES, "", NULL, "run a command by its name", prompt_command },
	{ "set", { 0 }, 0, "PATH VALUE", NULL, "set a field", edit_set },
	{ "ascii", { 'A' }, PANES, "", NULL, "draw with ASCII alone, or not", prompt_ascii },
	{ "repaint", { INPUT_CTRL('L') }, ALL, "", NULL, "send the whole screen again",
	    prompt_repaint },
	{ "suspend", { INPUT_CTRL('Z') }, ALL, "", NULL, "stop; the shell's fg goes on",
	    prompt_suspend },
};
const size_t command_count = sizeof command_table / sizeof *command_table;

enum context
command_context(const struct state *s)
{
	static const enum context of_pane[PANE_COUNT] = { FORM, MAP, NUMBERS, NUMBERS, NUMBERS };

	return s->overlay != OVERLAY_NONE ? LIST : of_pane[s->focus];
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
		{ "q!", "discard" }, { "wq", "save-quit" } };

	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (text_equal(aliases[i].alias, name))
			name = aliases[i].name;
	for (size_t i = 0; i < command_count; i++)
		if (text_equal(command_table[i].name, name))
			return &command_table[i];
	return NULL;
}

size_t
command_keys(const struct command *command, char *buf, size_t size)
{
	char name[16];
	size_t n = 0;

	buf[0] = '\0';
	for (int i = 0; i < COMMAND_KEYS_MAX && command->key[i] != 0; i++) {
		input_name(command->key[i], name, sizeof name);
		n = text_add(buf, size, i > 0 ? " %s" : "%s", name);
	}
	return n;
}

unsigned
app_event(struct state *s, const struct command *command, const char *argument)
{
	return command->run(s, argument != NULL ? argument : "");
}
