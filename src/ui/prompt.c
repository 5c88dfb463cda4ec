/* The one-line editor, questions, and the commands that need them. */
#include <string.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/command.h"
#include "ui/complete.h"
#include "ui/input.h"
#include "ui/keep.h"

void
prompt_start(struct state *s, enum prompt prompt, const char *text, bool fresh)
{
	s->prompt = prompt;
	s->prompt_error[0] = '\0';
	complete_stop(&s->completion);
	recall_stop(&s->recall);
	if (prompt == PROMPT_FILTER) {
		text_put(s->old_filter, sizeof s->old_filter, "%s", s->filter);
		s->old_item = s->item;
		s->old_line = s->first_line;
	}
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
	if (state_unsaved(s)) {
		text_put(s->next_path, sizeof s->next_path, "%s", path);
		s->question = QUESTION_OPEN;
		return 0;
	}
	text_put(s->path, sizeof s->path, "%s", path);
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
	prompt_start(s, PROMPT_SAVE, path != NULL ? path : "", true);
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
	if (s->overlay == OVERLAY_NONE) {
		state_say(s, ROLE_DIM, "no list is open");
		return 0;
	}
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
	case PROMPT_GO:
		text_put(buf, size, "go to: ");
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
	const char *less = "Unsaved: s save, d discard, Esc";

	buf[0] = '\0';
	switch (s->question) {
	case QUESTION_QUIT:
		text_put(buf, size, "The plan has unsaved changes: s save, d discard, Esc stay");
		break;
	case QUESTION_OPEN:
		text_put(buf, size,
		    "The plan has unsaved changes: s save, d discard them and open, Esc stay");
		break;
	case QUESTION_OVERWRITE:
		text_put(buf, size, "%s: y overwrite, Esc cancel", s->message);
		less = "Overwrite the file? y, or Esc cancels";
		break;
	case QUESTION_RECOVER:
		text_put(buf, size, "Unsaved work of %s was found: r recover, d discard, Esc later",
		    s->draft_note);
		if (!s->in_lines && canvas_width(NULL, buf) > s->columns)
			text_put(buf, size, "Unsaved work of %s: r recover, d discard, Esc",
			    s->draft_note);
		less = "Unsaved work: r recover, d discard, Esc";
		break;
	case QUESTION_NONE:
		return;
	}
	if (!s->in_lines && canvas_width(NULL, buf) > s->columns)
		text_put(buf, size, "%s", less);
}

void
prompt_hint(const struct state *s, char *buf, size_t size)
{
	complete_list(&s->completion, s->columns, buf, size);
	if (buf[0] == '\0')
		complete_about(s, buf, size);
	if (buf[0] != '\0')
		return;
	if (s->prompt == PROMPT_COMMAND)
		text_put(buf, size, "Enter runs it   Tab completes   Up Down earlier ones   Esc cancels");
	else if (s->prompt == PROMPT_OPEN || s->prompt == PROMPT_SAVE)
		text_put(buf, size, "Enter takes it   Tab lists what matches   Esc cancels");
	else if (s->prompt == PROMPT_FILTER)
		text_put(buf, size, "Enter takes it   Up Down choose   Esc cancels");
	else if (s->prompt == PROMPT_GO)
		text_put(buf, size, "a rank, or node N, stage N, layer N, expert N   Esc cancels");
	else if (complete_is_choice(s))
		text_put(buf, size, "Enter takes it   Tab takes the next   Esc cancels");
	else
		text_put(buf, size, "Enter takes it   Esc cancels   Ctrl-U empties");
}

static unsigned
no_answer(struct state *s, int32_t key)
{
	static const char *const answers[] = {
		[QUESTION_QUIT] = "s, d", [QUESTION_OPEN] = "s, d", [QUESTION_OVERWRITE] = "y",
		[QUESTION_RECOVER] = "r, d",
	};
	char name[16];

	if (input_name(key, name, sizeof name) == 0)
		text_put(name, sizeof name, "this key");
	text_put(s->prompt_error, sizeof s->prompt_error, "%s is no answer; %s or Esc is", name,
	    answers[s->question]);
	return 0;
}

static unsigned
recover_key(struct state *s, int32_t key)
{
	if (key != 'r' && key != 'd')
		return no_answer(s, key);
	s->question = QUESTION_NONE;
	return key == 'r' ? keep_recover(s) : keep_discard(s);
}

static unsigned
question_key(struct state *s, int32_t key)
{
	const enum question question = s->question;

	if (key == INPUT_ESCAPE || key == 'c' || key == 'n' || key == 'q') {
		s->question = QUESTION_NONE;
		s->quit_after = s->open_after = false;
		if (question != QUESTION_RECOVER)
			s->message[0] = '\0';
		return 0;
	}
	if (question == QUESTION_RECOVER)
		return recover_key(s, key);
	if (question == QUESTION_OVERWRITE && key == 'y') {
		s->question = QUESTION_NONE;
		s->force = true;
		return EVENT_SAVE;
	}
	if (question != QUESTION_OVERWRITE && key == 'd') {
		s->question = QUESTION_NONE;
		text_put(s->path, sizeof s->path, "%s", s->next_path);
		return question == QUESTION_QUIT ? EVENT_QUIT : EVENT_OPEN;
	}
	if (question != QUESTION_OVERWRITE && (key == 's' || key == 'y')) {
		s->question = QUESTION_NONE;
		s->quit_after = question == QUESTION_QUIT;
		s->open_after = question == QUESTION_OPEN;
		return prompt_save(s, "");
	}
	return no_answer(s, key);
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
		if (command[strspn(command, " ")] != '\0')
			recall_add(&s->recall, command);
		if (command_is_of_panes(command))
			s->overlay = OVERLAY_NONE;
		return state_command(s, command);
	case PROMPT_GO:
		s->prompt = PROMPT_NONE;
		if (text[0] == '\0')
			s->where = (struct where){ -1, -1, -1, -1, -1 };
		return text[0] != '\0' ? inspect_go(s, text) : 0;
	case PROMPT_OPEN:
		s->prompt = PROMPT_NONE;
		return text[0] != '\0' ? open_path(s, text) : 0;
	case PROMPT_SAVE:
		s->prompt = PROMPT_NONE;
		if (text[0] != '\0')
			return save_path(s, text);
		s->quit_after = s->open_after = false;
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
		overlay_turn(s, -1);
		return true;
	case INPUT_PAGE_DOWN:
		overlay_turn(s, 1);
		return true;
	default:
		return false;
	}
}

/* Keys that put other text in: Tab what can follow, the arrows lines typed before. While
 * there is something to choose from, or paths alone can be meant, arrows choose too. */
static bool
walk_key(struct state *s, int32_t key)
{
	const bool up = key == INPUT_UP || key == INPUT_CTRL('P') || key == INPUT_BACK_TAB;
	const bool down = key == INPUT_DOWN || key == INPUT_CTRL('N') || key == INPUT_TAB;
	const bool like = key == INPUT_UP || key == INPUT_DOWN;

	if (!up && !down)
		return false;
	if (s->prompt == PROMPT_COMMAND && key != INPUT_TAB && key != INPUT_BACK_TAB) {
		complete_stop(&s->completion);
		recall_walk(&s->recall, up ? -1 : 1, like, &s->line);
	} else if (!complete_step(s, up ? -1 : 1) && !like && complete_is_choice(s))
		text_put(s->prompt_error, sizeof s->prompt_error, "nothing begins like this");
	return true;
}

static void
cancel(struct state *s)
{
	if (s->prompt == PROMPT_FILTER) {
		if (overlay_types(s))
			s->overlay = OVERLAY_NONE;
		text_put(s->filter, sizeof s->filter, "%s", s->old_filter);
		s->item = s->old_item;
		s->first_line = s->old_line;
	}
	s->prompt = PROMPT_NONE;
	s->quit_after = s->open_after = false;
}

unsigned
prompt_key(struct state *s, int32_t key)
{
	if (key == INPUT_CTRL('Z'))
		return EVENT_SUSPEND;
	if (key == INPUT_CTRL('L'))
		return EVENT_REPAINT;
	s->prompt_error[0] = '\0';
	if (s->question != QUESTION_NONE)
		return question_key(s, key);
	if (key == INPUT_ENTER || key == '\n')
		return enter(s);
	if (key == INPUT_ESCAPE || (key == INPUT_BACKSPACE && s->line.text[0] == '\0')) {
		cancel(s);
		return 0;
	}
	if (s->prompt == PROMPT_FILTER && filter_key(s, key))
		return 0;
	if (walk_key(s, key))
		return 0;
	if (line_key(&s->line, key)) {
		complete_stop(&s->completion);
		recall_stop(&s->recall);
		if (s->prompt == PROMPT_FILTER) {
			text_put(s->filter, sizeof s->filter, "%s", s->line.text);
			s->item = 0;
			s->first_line = 0;
		}
	}
	return 0;
}
