/* The one-line editor, questions, and the commands that need them. */
#include <string.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/command.h"
#include "ui/input.h"

void
prompt_start(struct state *s, enum prompt prompt, const char *text, bool fresh)
{
	s->prompt = prompt;
	s->prompt_error[0] = '\0';
	s->completion = 0;
	line_start(&s->line, text, fresh);
}

unsigned
prompt_command(struct state *s, const char *argument)
{
	prompt_start(s, PROMPT_COMMAND, argument, false);
	return 0;
}

static unsigned
open_path(struct state *s, const char *path)
{
	text_put(s->path, sizeof s->path, "%s", path);
	if (state_unsaved(s)) {
		s->question = QUESTION_OPEN;
		return 0;
	}
	return EVENT_OPEN;
}

unsigned
prompt_open(struct state *s, const char *argument)
{
	if (argument[0] != '\0')
		return open_path(s, argument);
	prompt_start(s, PROMPT_OPEN, "", false);
	return 0;
}

static unsigned
save_path(struct state *s, const char *path)
{
	text_put(s->path, sizeof s->path, "%s", path);
	s->force = false;
	return EVENT_SAVE;
}

unsigned
prompt_save_as(struct state *s, const char *argument)
{
	const char *path = s->files->path(s->files->context);

	if (argument[0] != '\0')
		return save_path(s, argument);
	prompt_start(s, PROMPT_SAVE, path != NULL ? path : "", false);
	return 0;
}

unsigned
prompt_save(struct state *s, const char *argument)
{
	const char *path = s->files->path(s->files->context);

	if (argument[0] != '\0')
		return save_path(s, argument);
	if (path == NULL || path[0] == '\0')
		return prompt_save_as(s, argument);
	return save_path(s, "");
}

unsigned
prompt_quit(struct state *s, const char *argument)
{
	(void)argument;
	if (!state_unsaved(s))
		return EVENT_QUIT;
	s->question = QUESTION_QUIT;
	return 0;
}

unsigned
prompt_discard(struct state *s, const char *argument)
{
	(void)s;
	(void)argument;
	return EVENT_QUIT;
}

unsigned
prompt_save_quit(struct state *s, const char *argument)
{
	s->quit_after = true;
	return prompt_save(s, argument);
}

unsigned
prompt_filter(struct state *s, const char *argument)
{
	(void)argument;
	prompt_start(s, PROMPT_FILTER, s->filter, false);
	return 0;
}

unsigned
prompt_suspend(struct state *s, const char *argument)
{
	(void)s;
	(void)argument;
	return EVENT_SUSPEND;
}

unsigned
prompt_repaint(struct state *s, const char *argument)
{
	(void)s;
	(void)argument;
	return EVENT_REPAINT;
}

unsigned
prompt_ascii(struct state *s, const char *argument)
{
	(void)argument;
	s->ascii = !s->ascii;
	state_say(s, ROLE_DIM, s->ascii ? "ASCII alone" : s->utf8 ? "line drawing characters" :
	    "the terminal's locale has no UTF-8");
	return 0;
}

void
prompt_label(const struct state *s, char *buf, size_t size)
{
	char range[160];

	switch (s->prompt) {
	case PROMPT_FIELD:
		field_range(s->form.field, range, sizeof range);
		text_put(buf, size, "%s", field_table[s->form.field].label);
		if (range[0] != '\0' && s->columns >= 60)
			text_add(buf, size, " (%s%s%s)", range,
			    field_table[s->form.field].unit[0] != '\0' ? " " : "",
			    field_table[s->form.field].unit);
		text_add(buf, size, ": ");
		break;
	case PROMPT_COMMAND:
		text_put(buf, size, ":");
		break;
	case PROMPT_OPEN:
		text_put(buf, size, "open plan: ");
		break;
	case PROMPT_SAVE:
		text_put(buf, size, "save as: ");
		break;
	case PROMPT_RANK:
		text_put(buf, size, "rank (0 to %lld): ", (long long)plan_world(&s->plan) - 1);
		break;
	case PROMPT_FILTER:
		text_put(buf, size, "/");
		break;
	case PROMPT_NONE:
		buf[0] = '\0';
		break;
	}
}

void
prompt_question(const struct state *s, char *buf, size_t size)
{
	switch (s->question) {
	case QUESTION_QUIT:
		text_put(buf, size, s->columns >= 60 ?
		    "The plan has unsaved changes: s save, d discard, Esc stay" :
		    "Unsaved: s save, d discard, Esc");
		break;
	case QUESTION_OPEN:
		text_put(buf, size, s->columns >= 60 ?
		    "The plan has unsaved changes: d discard them and open, Esc stay" :
		    "Unsaved: d discard, Esc");
		break;
	case QUESTION_OVERWRITE:
		text_put(buf, size, "%s: y overwrite, Esc cancel", s->message);
		break;
	case QUESTION_NONE:
		buf[0] = '\0';
		break;
	}
}

static unsigned
question_key(struct state *s, int32_t key)
{
	const enum question question = s->question;

	if (key == INPUT_ESCAPE || key == 'c' || key == 'n' || key == 'q') {
		s->question = QUESTION_NONE;
		s->quit_after = false;
		s->message[0] = '\0';
		return 0;
	}
	if (question == QUESTION_OVERWRITE && key == 'y') {
		s->question = QUESTION_NONE;
		s->force = true;
		return EVENT_SAVE;
	}
	if (question != QUESTION_OVERWRITE && key == 'd') {
		s->question = QUESTION_NONE;
		return question == QUESTION_QUIT ? EVENT_QUIT : EVENT_OPEN;
	}
	if (question == QUESTION_QUIT && (key == 's' || key == 'y')) {
		s->question = QUESTION_NONE;
		s->quit_after = true;
		return prompt_save(s, "");
	}
	return 0;
}

/* The i-th command whose name begins like the text. */
static bool
complete_command(const char *text, size_t i, char *buf, size_t size)
{
	for (size_t k = 0; k < command_count; k++)
		if (strncmp(command_table[k].name, text, strlen(text)) == 0 && i-- == 0) {
			text_put(buf, size, "%s", command_table[k].name);
			return true;
		}
	return false;
}

/* The i-th field whose path, or its last part, begins like the text. */
static bool
complete_field(const struct state *s, const char *text, size_t i, char *buf, size_t size)
{
	const size_t n = strlen(text);

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_in_mode(f, s->plan.mode) && (strncmp(field_table[f].path, text, n) == 0 ||
		    strncmp(field_key(f), text, n) == 0) && i-- == 0) {
			text_put(buf, size, "%s ", field_table[f].path);
			return true;
		}
	return false;
}

/* The i-th way to go on from s->before, whatever kind of thing it is. */
static bool
complete_word(const struct state *s, size_t i, char *buf, size_t size)
{
	const char *word = strchr(s->before, ' '), *text = word != NULL ? word + 1 : s->before;
	char rest[LINE_SIZE];
	bool found;

	if (s->prompt == PROMPT_OPEN || s->prompt == PROMPT_SAVE)
		return s->files->complete(s->files->context, s->before, i, buf, size);
	if (s->prompt != PROMPT_COMMAND)
		return false;
	if (word == NULL)
		return complete_command(text, i, buf, size);
	found = strncmp(s->before, "set ", 4) == 0 ? complete_field(s, text, i, rest, sizeof rest) :
	    s->files->complete(s->files->context, text, i, rest, sizeof rest);
	if (found)
		text_put(buf, size, "%.*s %s", (int)(word - s->before), s->before, rest);
	return found;
}

/* Tab: the next way to go on from what was typed, around and around. */
static void
complete(struct state *s)
{
	char text[LINE_SIZE];

	if (s->completion == 0)
		text_put(s->before, sizeof s->before, "%s", s->line.text);
	if (!complete_word(s, s->completion, text, sizeof text)) {
		if (s->completion == 0) {
			text_put(s->prompt_error, sizeof s->prompt_error, "nothing begins like this");
			return;
		}
		s->completion = 0; /* around again */
		if (!complete_word(s, 0, text, sizeof text))
			return;
	}
	s->completion++;
	line_start(&s->line, text, false);
}

static unsigned
enter_field(struct state *s)
{
	unsigned flags;

	if (!edit_put(s, s->form.field, s->line.text, &flags, s->prompt_error,
	    sizeof s->prompt_error))
		return 0;
	s->prompt = PROMPT_NONE;
	return flags;
}

static unsigned
enter(struct state *s)
{
	const enum prompt prompt = s->prompt;
	const char *text = s->line.text;
	char command[LINE_SIZE];

	switch (prompt) {
	case PROMPT_FIELD:
		return enter_field(s);
	case PROMPT_FILTER:
		s->prompt = PROMPT_NONE;
		return overlay_types(s) ? overlay_accept(s, "") : 0;
	case PROMPT_COMMAND:
		s->prompt = PROMPT_NONE;
		s->message[0] = '\0';
		text_put(command, sizeof command, "%s", text); /* it may open the editor anew */
		return state_command(s, command);
	case PROMPT_RANK:
		s->prompt = PROMPT_NONE;
		return text[0] != '\0' ? move_rank(s, text) : 0;
	case PROMPT_OPEN:
		s->prompt = PROMPT_NONE;
		return text[0] != '\0' ? open_path(s, text) : 0;
	case PROMPT_SAVE:
		s->prompt = PROMPT_NONE;
		if (text[0] != '\0')
			return save_path(s, text);
		s->quit_after = false;
		return 0;
	case PROMPT_NONE:
		break;
	}
	return 0;
}

/* Keys that go past a filter to the list under it. */
static bool
filter_key(struct state *s, int32_t key)
{
	switch (key) {
	case INPUT_UP:
		overlay_move(s, -1);
		return true;
	case INPUT_DOWN:
	case INPUT_TAB:
		overlay_move(s, 1);
		return true;
	case INPUT_PAGE_UP:
		overlay_move(s, -overlay_page(s));
		return true;
	case INPUT_PAGE_DOWN:
		overlay_move(s, overlay_page(s));
		return true;
	default:
		return false;
	}
}

static void
cancel(struct state *s)
{
	if (s->prompt == PROMPT_FILTER) {
		if (overlay_types(s))
			s->overlay = OVERLAY_NONE;
		s->filter[0] = '\0';
	}
	s->prompt = PROMPT_NONE;
	s->quit_after = false;
}

unsigned
prompt_key(struct state *s, int32_t key)
{
	if (key == INPUT_CTRL('Z'))
		return EVENT_SUSPEND;
	if (key == INPUT_CTRL('L'))
		return EVENT_REPAINT;
	if (s->question != QUESTION_NONE)
		return question_key(s, key);
	s->prompt_error[0] = '\0';
	if (key == INPUT_ENTER || key == '\n')
		return enter(s);
	if (key == INPUT_ESCAPE || (key == INPUT_BACKSPACE && s->line.text[0] == '\0')) {
		cancel(s);
		return 0;
	}
	if (s->prompt == PROMPT_FILTER && filter_key(s, key))
		return 0;
	if (key == INPUT_TAB) {
		complete(s);
		return 0;
	}
	if (line_key(&s->line, key)) {
		s->completion = 0;
		if (s->prompt == PROMPT_FILTER) {
			text_put(s->filter, sizeof s->filter, "%s", s->line.text);
			s->item = 0;
			s->first_line = 0;
		}
	}
	return 0;
}
