#include "ui/app/event.h"

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "ui/app/actions.h"
#include "ui/app/command.h"
#include "ui/app/keep.h"
#include "ui/app/typing.h"
#include "ui/list/list.h"
#include "ui/list/views.h"
#include "ui/pane/map_pane.h"
#include "ui/pane/panes.h"
#include "ui/screen/input.h"
#include "ui/state/steps.h"
#include "ui/state/edit.h"
#include "ui/state/search_view.h"
#include "ui/state/prompt.h"
#include "ui/list/views.h"

void
app_follow(struct state *s)
{
	panes_follow(s);
	list_follow(s);
}

void
app_resize(struct state *s, int columns, int rows)
{
	s->columns = columns;
	s->rows = rows;
	panes_look_back(s);
	app_follow(s);
}

/* Of a curve over loads, which begins far from it; 0 where there is none. */
static int64_t
own_point(const struct estimate *e)
{
	size_t i = 0;

	while (i < e->points && !e->curve[i].is_plan)
		i++;
	return i < e->points ? (int64_t)i : 0;
}

static void
recalc(struct state *s)
{
	struct undo_entry *entry = undo_entry(&s->undo, s->undo.now);

	if (!s->based && state_unsaved(s))
		state_rebase(s);
	state_keep_last(s);
	estimate_run(s->estimate, &s->plan, s->catalog, NULL);
	estimate_curve(s->estimate, &s->plan);
	if (s->estimate->legal)
		s->last.plan = s->plan;
	panes_look_back(s);
	s->load.at = own_point(state_shown(s));
	s->advised = s->form.walked = false;
	s->mends.count = 0;
	steps_forget(s);
	search_view_forget(s);
	entry->legal = s->estimate->legal;
	entry->fits = s->estimate->fits;
	entry->summary = summary_of(s->estimate);
	map_pane_renew(s);
	panes_follow(s);
	list_renew(s);
	list_follow(s);
}

bool
app_start(struct state *s, const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options)
{
	if (!state_init(s, plan, catalog, files, options))
		return false;
	s->lists = list_table;
	recalc(s);
	return true;
}

/* A new plan of some kind: its settings, then which model. */
static void
begin_new(struct state *s)
{
	if (s->file.fresh[0] != '\0') {
		edit_set(s, s->file.fresh);
		recalc(s);
		s->saved = s->plan; /* nothing is lost that could not be had again */
		state_rebase(s);
	}
	s->message[0] = '\0';
	s->form.field = FIELD_PRESET;
	fields_edit(s);
}

static void
act_open(struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "", what[UNDO_WHAT_SIZE];
	struct plan next;

	if (!s->files->open(s->files->context, s->file.path, &next, note, sizeof note)) {
		state_say(s, ROLE_ERROR, "%s", note[0] != '\0' ? note : "the plan could not be read");
		return;
	}
	plan_resolve(&next, s->catalog);
	text_put(what, sizeof what, "opening %s", state_file_name(s));
	s->saved = next;
	s->asked = (struct field_set){ { 0 } };
	state_rebase(s);
	state_say(s, ROLE_GOOD, "%s", note[0] != '\0' ? note : "opened");
	s->estimate->legal = s->last.known = false;
	undo_free(&s->undo); /* plans of another file: not to be saved into this one */
	state_change(s, &next, what);
	recalc(s);
	if (s->file.path[0] == '\0' && s->file.fresh != NULL)
		begin_new(s);
	s->file.fresh = NULL;
	keep_offer(s);
}

static unsigned
act_save(struct state *s)
{
	const char *path = s->file.path[0] != '\0' ? s->file.path : NULL;
	char note[STATE_MESSAGE_SIZE] = "";
	bool quit = s->file.then_quit;

	switch (s->files->save(s->files->context, path, &s->plan, s->file.force, note, sizeof note)) {
	case APP_SAVED:
		s->saved = s->plan;
		state_rebase(s);
		state_say(s, ROLE_GOOD, "%s", note[0] != '\0' ? note : "saved");
		s->file.then_quit = false;
		if (s->file.then_open) {
			s->file.then_open = false;
			text_put(s->file.path, sizeof s->file.path, "%s", s->file.next);
			act_open(s);
		}
		return quit ? EVENT_QUIT : 0;
	case APP_ASKS:
		s->question.kind = QUESTION_OVERWRITE;
		text_put(s->question.note, sizeof s->question.note, "%s", note);
		break;
	case APP_SAVE_FAILED:
		s->file.then_quit = s->file.then_open = false;
		state_say(s, ROLE_ERROR, "%s", note[0] != '\0' ? note : "the plan could not be saved");
		break;
	}
	return 0;
}

/* Recalculate, and say what the change did where nothing more important is to be said, such as
 * a new warning. The amounts themselves are in the header and the panes. */
static void
act_recalc(struct state *s)
{
	const struct summary before = summary_of(s->estimate);
	struct summary now;
	const size_t warned = diag_count(&s->estimate->diags, SEVERITY_WARNING);
	char delta[256];

	recalc(s);
	now = summary_of(s->estimate);
	summary_changes(&before, &now, delta, sizeof delta);
	if (s->in_lines || delta[0] == '\0' || !s->estimate->legal ||
	    diag_count(&s->estimate->diags, SEVERITY_WARNING) > warned)
		return;
	if (s->message[0] == '\0') {
		state_say(s, ROLE_TEXT, "%s: %s", undo_entry(&s->undo, s->undo.now)->what, delta);
	} else if (s->message_role == ROLE_GOOD) { /* "undone: TP 4" */
		state_say(s, ROLE_GOOD, "%s; %s", TEXT_OF(STATE_MESSAGE_SIZE, "%s", s->message), delta);
	}
}

unsigned
app_act(struct state *s, unsigned flags)
{
	if ((flags & EVENT_OPEN) != 0)
		act_open(s);
	if ((flags & EVENT_RECALC) != 0)
		act_recalc(s);
	if ((flags & EVENT_SAVE) != 0)
		flags |= act_save(s);
	app_follow(s);
	return flags & (EVENT_QUIT | EVENT_SUSPEND | EVENT_REPAINT | EVENT_YANK |
	    EVENT_SHELL);
}

/* Keys that begin to type a value in the form. */
static bool
begins_value(const struct state *s, int32_t key)
{
	return s->list.kind == LIST_NONE && s->focus == PANE_FORM && key >= '0' && key <= '9';
}

/* Text goes where text is typed, and is no key elsewhere. */
static unsigned
paste(struct state *s, int32_t ch)
{
	if (s->prompt.kind == PROMPT_NONE && s->question.kind == QUESTION_NONE &&
	    s->list.kind != LIST_NONE && list_types(s))
		prompt_begin(s, PROMPT_FILTER, s->list.filter, false);
	if (s->prompt.kind != PROMPT_NONE && s->question.kind == QUESTION_NONE) {
		const bool told = s->prompt.line.full && s->prompt.error[0] != '\0';

		return told ? 0 : app_act(s, typing_key(s, ch));
	}
	state_say(s, ROLE_WARNING,
	    "the paste was ignored: open a prompt first (: a command, Enter a field)");
	return 0;
}

unsigned
app_key(struct state *s, int32_t key)
{
	const struct settings_key *own;
	const struct command *command;
	char text[2] = "", name[16];

	if ((key & INPUT_PASTED) != 0)
		return paste(s, key & ~INPUT_PASTED);
	if (s->prompt.kind != PROMPT_NONE || s->question.kind != QUESTION_NONE)
		return app_act(s, typing_key(s, key));
	if (key != INPUT_CTRL('L')) /* sends again what is there */
		s->message[0] = '\0';
	if (s->list.kind != LIST_NONE && list_types(s) && key >= ' ' && key < 0x110000 &&
	    key != 127) {
		prompt_begin(s, PROMPT_FILTER, s->list.filter, false);
		return app_act(s, typing_key(s, key));
	}
	own = command_own_key(s, key);
	if (own != NULL && own->command[0] != '\0')
		return app_command(s, own->command);
	command = own == NULL ? command_of_key(key, command_context(s)) : NULL;
	if (command != NULL)
		return app_act(s, app_event(s, command, ""));
	if (begins_value(s, key)) {
		text[0] = (char)key;
		edit_open(s, s->form.field, text);
	} else if (key == INPUT_ESCAPE && s->focus == PANE_MAP)
		state_forget_where(s); /* the marks go */
	else if (key == INPUT_ESCAPE)
		s->message[0] = '\0';
	else if (input_name(key, name, sizeof name) > 0)
		state_say(s, ROLE_DIM, s->list.kind != LIST_NONE && list_types(s) ?
		    "%s means nothing here; Esc closes the list" : "%s means nothing here; ? lists the keys", name);
	return 0;
}

unsigned
app_command(struct state *s, const char *text)
{
	return app_act(s, command_line(s, text));
}

static bool
reads_plans(const struct state *s)
{
	return s->list.kind == LIST_PLANS && s->found.read < s->found.count;
}

bool
app_busy(const struct state *s)
{
	return !s->advised || reads_plans(s);
}

void
app_idle(struct state *s)
{
	if (reads_plans(s))
		found_read(s);
	else
		state_advise(s);
}
