#include "ui/app/typing.h"

#include <string.h>

#include "core/base/text.h"
#include "ui/app/actions.h"
#include "ui/app/command.h"
#include "ui/app/complete.h"
#include "ui/app/keep.h"
#include "ui/list/list.h"
#include "ui/list/views.h"
#include "ui/screen/input.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"

/* ---- what Enter does ------------------------------------------------------------------ */

static unsigned
enter_field(struct state *s, const char *text)
{
	unsigned flags;

	if (!edit_put(s, s->form.field, text, &flags, s->prompt.error, sizeof s->prompt.error))
		s->prompt.kind = PROMPT_FIELD; /* stays open */
	return flags;
}

static unsigned
enter_command(struct state *s, const char *text)
{
	s->message[0] = '\0';
	if (text[strspn(text, " ")] != '\0')
		recall_add(&s->prompt.recall, text);
	if (command_is_of_panes(text))
		list_leave(s);
	return command_line(s, text);
}

static unsigned
enter_save(struct state *s, const char *text)
{
	list_leave(s);
	if (text[0] != '\0')
		return file_save_as(s, text);
	s->file.then_quit = s->file.then_open = false;
	return 0;
}

static unsigned
enter_go(struct state *s, const char *text)
{
	if (text[0] != '\0')
		return inspect_go(s, text);
	state_forget_where(s);
	return 0;
}

static unsigned
enter_filter(struct state *s, MAYBE const char *text)
{
	return list_types(s) ? list_accept(s) : 0;
}

static const struct prompt_type {
	const char *label, *hint;
	unsigned (*enter)(struct state *s, const char *text);
} prompt_table[PROMPT_COUNT] = {
	[PROMPT_FIELD] = { "", "Enter takes it   Esc cancels   Ctrl-U empties", enter_field },
	[PROMPT_COMMAND] = { ":",
	    "Enter runs it   Tab completes   Up Down earlier ones   Esc cancels", enter_command },
	[PROMPT_SAVE] = { "save as: ",
	    "Enter takes it   Up Down a plan here   Tab lists what matches   Esc cancels",
	    enter_save },
	[PROMPT_GO] = { "go to: ", "a rank, or node N, stage N, layer N, expert N   Esc cancels",
	    enter_go },
	[PROMPT_FILTER] = { "/", "Enter takes it   Up Down choose   Esc cancels", enter_filter },
};

/* ---- words ---------------------------------------------------------------------------- */

void
typing_label(const struct state *s, char *buf, size_t size)
{
	char range[192];

	if (s->prompt.kind != PROMPT_FIELD) {
		text_put(buf, size, "%s", prompt_table[s->prompt.kind].label);
		return;
	}
	edit_range(s->form.field, range, sizeof range);
	text_put(buf, size, "%s%s: ", field_table[s->form.field].label, s->columns >= 60 ? range : "");
}

void
typing_hint(const struct state *s, char *buf, size_t size)
{
	words_list(&s->prompt.words, s->columns, buf, size);
	if (buf[0] == '\0')
		complete_about(s, buf, size);
	if (buf[0] == '\0' && s->prompt.kind == PROMPT_FIELD && field_table[s->form.field].type == FIELD_TEXT)
		text_put(buf, size, "%s", field_table[s->form.field].help); /* its form is not to be guessed */
	else if (buf[0] == '\0')
		text_put(buf, size, "%s", s->prompt.kind == PROMPT_FIELD && complete_is_choice(s) ?
		    "Enter takes it   Tab takes the next   Esc cancels" :
		    prompt_table[s->prompt.kind].hint);
}

static const struct question {
	const char *text, *brief;
	struct reply reply[REPLIES_MAX + 1];
} question_table[] = {
	[QUESTION_NONE] = { "", "", { { NULL, NULL } } },
	[QUESTION_QUIT] = { "The plan has unsaved changes", "Unsaved",
	    { { "s", "save" }, { "d", "discard" }, { "Esc", "stay" } } },
	[QUESTION_OPEN] = { "The unsaved changes would be lost", "Unsaved",
	    { { "s", "save" }, { "d", "discard" }, { "Esc", "stay" } } },
	[QUESTION_OVERWRITE] = { "", "The file exists",
	    { { "y", "overwrite" }, { "Esc", "cancel" } } },
	[QUESTION_RECOVER] = { "", "Unsaved work",
	    { { "r", "recover" }, { "d", "discard" }, { "Esc", "later" } } },
};

const struct reply *
typing_replies(const struct state *s)
{
	return question_table[s->question.kind].reply;
}

/* "What is asked: s save, d discard, Esc stay"; brief: without what Escape does. */
static void
put_question(const struct state *s, const char *text, bool brief, char *buf, size_t size)
{
	text_put(buf, size, "%s", text);
	for (const struct reply *a = typing_replies(s); a->key != NULL; a++)
		text_add(buf, size, "%s %s%s%s", a == typing_replies(s) ? ":" : ",", a->key,
		    brief && a[1].key == NULL ? "" : " ", brief && a[1].key == NULL ? "" : a->what);
}

void
typing_question(const struct state *s, char *buf, size_t size)
{
	const struct question *q = &question_table[s->question.kind];
	char text[STATE_MESSAGE_SIZE + 64];

	buf[0] = '\0';
	if (s->question.kind == QUESTION_NONE)
		return;
	text_put(text, sizeof text, "%s", q->text[0] != '\0' ? q->text : s->question.note);
	if (s->question.kind == QUESTION_RECOVER)
		text_put(text, sizeof text, "Unsaved work of %s was found", s->question.note);
	put_question(s, text, false, buf, size);
	if (s->question.kind == QUESTION_RECOVER && !s->in_lines && canvas_width(NULL, buf) > s->columns) {
		text_put(text, sizeof text, "Unsaved work of %s", s->question.note);
		put_question(s, text, true, buf, size);
	}
	if (!s->in_lines && canvas_width(NULL, buf) > s->columns)
		put_question(s, q->brief, true, buf, size);
}

/* ---- keys ----------------------------------------------------------------------------- */

static unsigned
no_answer(struct state *s, int32_t key)
{
	char name[16];

	if (input_name(key, name, sizeof name) == 0)
		text_put(name, sizeof name, "this key");
	text_put(s->prompt.error, sizeof s->prompt.error, "%s is no answer; ", name);
	for (const struct reply *a = typing_replies(s); a->key != NULL; a++)
		text_add(s->prompt.error, sizeof s->prompt.error, "%s%s", a == typing_replies(s) ? "" :
		    a[1].key != NULL ? ", " : " or ", a->key);
	text_add(s->prompt.error, sizeof s->prompt.error, " is");
	return 0;
}

static unsigned
recover_key(struct state *s, int32_t key)
{
	if (key != 'r' && key != 'd' && key != 'q')
		return no_answer(s, key);
	s->question.kind = QUESTION_NONE;
	if (key == 'q') /* the work waits for another session */
		return file_quit(s);
	return key == 'r' ? keep_recover(s) : keep_discard(s);
}

static unsigned
question_key(struct state *s, int32_t key)
{
	const enum question_kind question = s->question.kind;

	if (key == INPUT_ESCAPE || key == 'c' || key == 'n' ||
	    (key == 'q' && question != QUESTION_RECOVER)) {
		s->question.kind = QUESTION_NONE;
		s->file.then_quit = s->file.then_open = false;
		return 0;
	}
	if (question == QUESTION_RECOVER)
		return recover_key(s, key);
	if (question == QUESTION_OVERWRITE && key == 'y') {
		s->question.kind = QUESTION_NONE;
		s->file.force = true;
		return EVENT_SAVE;
	}
	if (question != QUESTION_OVERWRITE && key == 'd') {
		s->question.kind = QUESTION_NONE;
		text_put(s->file.path, sizeof s->file.path, "%s", s->file.next);
		return question == QUESTION_QUIT ? EVENT_QUIT : EVENT_OPEN;
	}
	if (question != QUESTION_OVERWRITE && (key == 's' || key == 'y')) {
		s->question.kind = QUESTION_NONE;
		s->file.then_quit = question == QUESTION_QUIT;
		s->file.then_open = question == QUESTION_OPEN;
		return file_save(s, "");
	}
	return no_answer(s, key);
}

static unsigned
enter(struct state *s)
{
	const struct prompt_type *type = &prompt_table[s->prompt.kind];
	char text[LINE_SIZE];

	text_put(text, sizeof text, "%s", s->prompt.line.text); /* it may open the editor anew */
	prompt_end(s);
	return type->enter(s, text);
}

/* Keys that go past a filter to the list under it. */
static bool
filter_key(struct state *s, int32_t key)
{
	switch (key) {
	case INPUT_UP:
		list_move(s, -1);
		return true;
	case INPUT_DOWN:
	case INPUT_TAB:
		list_move(s, 1);
		return true;
	case INPUT_PAGE_UP:
		list_turn(s, -1);
		return true;
	case INPUT_PAGE_DOWN:
		list_turn(s, 1);
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
	if (s->prompt.kind == PROMPT_SAVE && like && s->prompt.words.count == 0 &&
	    plans_choose(s, up ? -1 : 1))
		return true;
	if (s->prompt.kind == PROMPT_COMMAND && key != INPUT_TAB && key != INPUT_BACK_TAB) {
		words_stop(&s->prompt.words);
		recall_walk(&s->prompt.recall, up ? -1 : 1, like, &s->prompt.line);
	} else if (!complete_step(s, up ? -1 : 1) && !like && complete_is_choice(s))
		text_put(s->prompt.error, sizeof s->prompt.error, "nothing begins like this");
	return true;
}

static void
cancel(struct state *s)
{
	if (s->prompt.kind == PROMPT_FILTER) {
		const bool types = list_types(s);

		s->list = s->prompt.before;
		if (types)
			list_close(s);
	}
	if (s->prompt.kind == PROMPT_SAVE)
		list_leave(s);
	prompt_end(s);
	s->file.then_quit = s->file.then_open = false;
}

unsigned
typing_key(struct state *s, int32_t key)
{
	if (key == INPUT_CTRL('Z'))
		return EVENT_SUSPEND;
	if (key == INPUT_CTRL('L'))
		return EVENT_REPAINT;
	s->prompt.error[0] = '\0';
	if (s->question.kind != QUESTION_NONE)
		return question_key(s, key);
	if (key == INPUT_ENTER || key == '\n')
		return enter(s);
	if (key == INPUT_ESCAPE || (key == INPUT_BACKSPACE && s->prompt.line.text[0] == '\0')) {
		cancel(s);
		return 0;
	}
	if (s->prompt.kind == PROMPT_FILTER && filter_key(s, key))
		return 0;
	if (s->prompt.kind == PROMPT_FILTER && key == '/' && s->list.kind != LIST_PLANS &&
	    s->prompt.line.text[0] == '\0')
		return 0; /* which begins a filter in other lists, and a path in that of plans */
	if (walk_key(s, key))
		return 0;
	if (line_key(&s->prompt.line, key)) {
		prompt_edited(s);
		if (s->prompt.line.full)
			text_put(s->prompt.error, sizeof s->prompt.error,
			    "the line is full: what comes after its %zu bytes is left out",
			    strlen(s->prompt.line.text));
		if (s->prompt.kind == PROMPT_SAVE)
			plans_mark(s);
		if (s->prompt.kind == PROMPT_FILTER) {
			text_put(s->list.filter, sizeof s->list.filter, "%s", s->prompt.line.text);
			s->list.item = 0;
			s->list.first_line = 0;
		}
	}
	return 0;
}
