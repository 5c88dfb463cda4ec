#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/framework/resolve.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/bars.h"
#include "ui/command.h"
#include "ui/figures.h"
#include "ui/flows.h"
#include "ui/input.h"
#include "ui/keep.h"
#include "ui/state.h"
#include "ui/summary.h"
#include "ui/views.h"
#include "ui/why.h"

enum { FIGURES_USUAL = 11 }; /* while the plan has errors, so that panes stay put */

static void
place_kinds(struct state *s)
{
	const struct layout *l = &s->estimate->layout;
	const char *name[MAP_COLORS_MAX];
	int n = 0;

	if (!s->estimate->laid_out)
		return;
	for (int i = 0; i < s->kinds; i++) {
		const char *same = kinds_same(l, s->kind[i]); /* as this framework calls it */
		bool twice = false;

		name[n] = same != NULL ? same : s->kind[i];
		for (int j = 0; j < n; j++)
			twice = twice || text_equal(name[j], name[n]);
		n += !twice;
	}
	map_view_colors(&s->map, l, name, n);
	if (s->map.cursor >= l->world)
		s->map.cursor = l->world - 1;
}

void
state_show_kinds(struct state *s, const char *const name[], int n)
{
	s->picture = PICTURE_MAP;
	s->kinds = 0;
	for (int i = 0; i < n && s->kinds < MAP_COLORS_MAX; i++)
		if (text_copy(s->kind[s->kinds], sizeof s->kind[0], name[i]))
			s->kinds++;
	place_kinds(s);
}

static void
recalc(struct state *s)
{
	struct undo_entry *entry = undo_entry(&s->undo, s->undo.now);

	estimate_run(s->estimate, &s->plan, s->catalog, NULL);
	s->noted = false;
	if (!s->estimate->legal) {
		const struct field_set asked = mends_asked(s);

		check_fixes(&s->plan, s->catalog, &asked, &s->estimate->diags);
	}
	entry->legal = s->estimate->legal;
	entry->fits = s->estimate->fits;
	entry->summary = summary_of(s->estimate);
	place_kinds(s);
	if (!state_has_pane(s, s->focus))
		s->focus = PANE_STEP;
	if (!state_has_pane(s, s->lower))
		s->lower = PANE_STEP;
	if (s->stage >= s->estimate->stages)
		s->stage = s->estimate->stages > 0 ? s->estimate->stages - 1 : 0;
	if (s->overlay == OVERLAY_WHY || s->below.overlay == OVERLAY_WHY)
		why_note(s); /* the terms were those of the plan before */
	state_follow(s);
}

/* Colour by a dimension that the plan uses, unless that is so already. */
static void
show_usual_kind(struct state *s)
{
	static const char *const usual[] = { "tp", "model", "dp", "data", "dp_shard", "ep", "pp", "cp" };
	const struct layout *l = &s->estimate->layout;

	if (!s->estimate->laid_out)
		return;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		const int kind = layout_kind(l, usual[i]);

		if (kind >= 0 && layout_group_size(l, kind) > 1) {
			state_show_kinds(s, &usual[i], 1);
			return;
		}
	}
}

bool
state_init(struct state *s, const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options)
{
	static const char *const tp[] = { "tp" };

	*s = (struct state){
		.catalog = catalog, .files = files, .plan = *plan, .columns = 80, .rows = 24,
		.utf8 = true, .depth = THEME_256,
		.form.field = FIELD_TP, .lower = PANE_MEMORY,
	};
	settings_default(&s->settings);
	if (options != NULL && options->settings != NULL)
		s->settings = *options->settings;
	if (options != NULL)
		s->asked = options->asked;
	if (options != NULL && options->ascii)
		s->settings.ascii = true;
	if (options != NULL && options->palette != NULL)
		text_put(s->settings.palette, sizeof s->settings.palette, "%s", options->palette);
	s->where = (struct where){ -1, -1, -1, -1, -1 };
	s->map.cursor = 0;
	plan_resolve(&s->plan, catalog);
	s->saved = s->plan;
	s->estimate = malloc(sizeof *s->estimate);
	s->base = malloc(sizeof *s->base);
	if (options != NULL && options->read != NULL) {
		s->saved = *options->read;
		plan_resolve(&s->saved, catalog);
	}
	if (s->estimate == NULL || s->base == NULL || !undo_push(&s->undo, &s->saved, "") ||
	    (state_unsaved(s) && !undo_push(&s->undo, &s->plan, "the command line"))) {
		state_free(s);
		return false;
	}
	s->estimate->laid_out = false;
	state_show_kinds(s, tp, 1);
	state_rebase(s);
	recalc(s);
	show_usual_kind(s);
	return true;
}

void
state_free(struct state *s)
{
	undo_free(&s->undo);
	recall_free(&s->recall);
	complete_stop(&s->completion);
	free(s->estimate);
	free(s->base);
	free(s->other_estimate);
	free(s->terms);
	s->estimate = s->base = s->other_estimate = NULL;
	s->terms = NULL;
}

const struct plan *
state_base(const struct state *s)
{
	return s->has_pin ? &s->pinned : &s->saved;
}

const char *
state_base_name(const struct state *s)
{
	return s->has_pin ? "pinned" : "saved";
}

const struct estimate *
state_base_estimate(const struct state *s)
{
	return state_base(s)->mode == s->plan.mode ? s->base : NULL;
}

void
state_rebase(struct state *s)
{
	estimate_run(s->base, state_base(s), s->catalog, NULL);
}

bool
state_has_pane(const struct state *s, enum pane pane)
{
	return pane != PANE_TRAFFIC || s->plan.mode == MODE_TRAIN;
}

void
state_focus(struct state *s, enum pane pane)
{
	s->focus = pane;
	if (pane >= PANE_MEMORY)
		s->lower = pane;
}

struct arrange
state_arrange_for(const struct state *s, enum pane focus)
{
	const struct estimate *e = s->estimate;
	struct wish wish = {
		.focus = focus, .lower = s->lower, .colors = s->map.colors,
		.stages = e->stages < 64 ? (int)e->stages : 64,
		.figures = figures_known(e) ? figures_count(e) : FIGURES_USUAL,
	};

	if (state_has_pane(s, PANE_TRAFFIC))
		wish.flows = e->timed && e->traffic.count > 0 ? (int)e->traffic.count : 1;
	return arrange_panes(s->columns, s->rows, &wish);
}

struct arrange
state_arrange(const struct state *s)
{
	return state_arrange_for(s, s->focus);
}

/* The first of `count` lines to show in an area of h, so that `selected` is visible. */
static int64_t
follow(int64_t first, int64_t selected, int64_t count, int h)
{
	if (h <= 0)
		return first;
	if (first > selected)
		first = selected;
	if (first < selected - h + 1)
		first = selected - h + 1;
	if (first > count - h)
		first = count - h;
	return first > 0 ? first : 0;
}

static int
inside_list(int selected, int count)
{
	return selected >= count ? count > 0 ? count - 1 : 0 : selected;
}

void
state_follow(struct state *s)
{
	const struct estimate *e = s->estimate;
	struct arrange a = state_arrange(s);
	const struct rect memory = a.inner[PANE_MEMORY], step = a.inner[PANE_STEP];
	const int flows = e->timed ? (int)e->traffic.count : 0, figures = figures_count(e);
	const int lines = figures_lines(step.w, figures);

	s->map.depth = s->depth;
	s->map.utf8 = s->utf8 && !s->settings.ascii;
	s->flow = inside_list(s->flow, flows);
	s->figure = inside_list(s->figure, figures);
	if (a.inner[PANE_FORM].h > 0)
		form_follow(&s->form, &s->plan, &e->diags, a.inner[PANE_FORM].h);
	if (a.inner[PANE_MAP].h > 0 && e->laid_out)
		map_follow(&s->map, &s->plan, e, a.inner[PANE_MAP].w, a.inner[PANE_MAP].h);
	s->first_stage = follow(s->first_stage, s->stage, e->stages,
	    bars_rows(memory.w, memory.h));
	s->first_flow = (int)follow(s->first_flow, s->flow, flows,
	    flows_rows(a.inner[PANE_TRAFFIC].h));
	s->first_figure = (int)follow(s->first_figure, lines > 0 ? s->figure % lines : 0, lines,
	    step.h);
	overlay_follow(s);
}

void
state_resize(struct state *s, int columns, int rows)
{
	s->columns = columns;
	s->rows = rows;
	state_follow(s);
}

void
state_say(struct state *s, enum role role, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text_vput(s->message, sizeof s->message, fmt, args);
	va_end(args);
	s->message_role = role;
}

/* What is written to a file: the values that the user chose. */
bool
state_same(const struct plan *a, const struct plan *b)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		bool set = field_is_set(f, a);

		if (set != field_is_set(f, b))
			return false;
		if (set && !field_same(f, a, b))
			return false;
	}
	return true;
}

bool
state_unsaved(const struct state *s)
{
	return !state_same(&s->plan, &s->saved);
}

unsigned
state_change(struct state *s, const struct plan *next, const char *what)
{
	/* No step of the history, so that what was undone can still be redone. */
	if (s->undo.count > 0 && state_same(next, &s->plan)) {
		if (s->message[0] == '\0' && (s->estimate->legal || s->in_lines))
			state_say(s, ROLE_DIM, "%s, as it was", what);
		return 0;
	}
	s->plan = *next;
	if (!undo_push(&s->undo, next, what))
		state_say(s, ROLE_WARNING, "%s; no memory left to undo it", what);
	return EVENT_RECALC;
}

const char *
state_file_name(const struct state *s)
{
	const char *path = s->files->path(s->files->context), *slash;

	if (path == NULL || path[0] == '\0')
		return "(new plan)";
	slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void
act_open(struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "", what[UNDO_WHAT_SIZE];
	struct plan next;

	if (!s->files->open(s->files->context, s->path, &next, note, sizeof note)) {
		state_say(s, ROLE_ERROR, "%s", note[0] != '\0' ? note : "the plan could not be read");
		return;
	}
	plan_resolve(&next, s->catalog);
	text_put(what, sizeof what, "opening %s", state_file_name(s));
	s->saved = next;
	state_rebase(s);
	state_say(s, ROLE_GOOD, "%s", note[0] != '\0' ? note : "opened");
	undo_free(&s->undo); /* plans of another file: not to be saved into this one */
	state_change(s, &next, what);
	recalc(s);
	keep_offer(s);
}

static unsigned
act_save(struct state *s)
{
	const char *path = s->path[0] != '\0' ? s->path : NULL;
	char note[STATE_MESSAGE_SIZE] = "";
	bool quit = s->quit_after;

	switch (s->files->save(s->files->context, path, &s->plan, s->force, note, sizeof note)) {
	case APP_SAVED:
		s->saved = s->plan;
		state_rebase(s);
		state_say(s, ROLE_GOOD, "%s", note[0] != '\0' ? note : "saved");
		s->quit_after = false;
		if (s->open_after) {
			s->open_after = false;
			text_put(s->path, sizeof s->path, "%s", s->next_path);
			act_open(s);
		}
		return quit ? EVENT_QUIT : 0;
	case APP_CHANGED_ON_DISK:
		s->question = QUESTION_OVERWRITE;
		state_say(s, ROLE_WARNING, "%s", note[0] != '\0' ? note : "the file changed on disk");
		break;
	case APP_EXISTS:
		s->question = QUESTION_OVERWRITE;
		state_say(s, ROLE_WARNING, "%s", note[0] != '\0' ? note : "the file exists");
		break;
	case APP_SAVE_FAILED:
		s->quit_after = s->open_after = false;
		state_say(s, ROLE_ERROR, "%s", note[0] != '\0' ? note : "the plan could not be saved");
		break;
	}
	return 0;
}

/* Recalculate, and say what the change did where nothing more important is to be said. The
 * amounts themselves are in the header and the panes. */
static void
act_recalc(struct state *s)
{
	const struct estimate *e = s->estimate;
	const struct summary before = summary_of(e);
	struct summary now;
	const struct diag *own;
	char delta[256], said[STATE_MESSAGE_SIZE];

	recalc(s);
	own = diag_of_field(&e->diags, s->form.field);
	now = summary_of(e);
	summary_changes(&before, &now, delta, sizeof delta);
	if (s->in_lines || delta[0] == '\0' || !e->legal ||
	    (own != NULL && own->severity != SEVERITY_HINT))
		return;
	if (s->message[0] == '\0') {
		state_say(s, ROLE_DIM, "%s: %s", undo_entry(&s->undo, s->undo.now)->what, delta);
	} else if (s->message_role == ROLE_GOOD) { /* "undone: TP 4" */
		text_put(said, sizeof said, "%s", s->message);
		state_say(s, ROLE_GOOD, "%s; %s", said, delta);
	}
}

unsigned
state_act(struct state *s, unsigned flags)
{
	if ((flags & EVENT_OPEN) != 0)
		act_open(s);
	if ((flags & EVENT_RECALC) != 0)
		act_recalc(s);
	if ((flags & EVENT_SAVE) != 0)
		flags |= act_save(s);
	state_follow(s);
	return flags & (EVENT_QUIT | EVENT_SUSPEND | EVENT_REPAINT);
}

/* Keys that begin to type a value in the form. */
static bool
begins_value(const struct state *s, int32_t key)
{
	return s->overlay == OVERLAY_NONE && s->focus == PANE_FORM && key >= '0' && key <= '9';
}

/* Text goes where text is typed, and is no key elsewhere. */
static unsigned
paste(struct state *s, int32_t ch)
{
	if (s->prompt == PROMPT_NONE && s->question == QUESTION_NONE &&
	    s->overlay != OVERLAY_NONE && overlay_types(s))
		prompt_start(s, PROMPT_FILTER, s->filter, false);
	if (s->prompt != PROMPT_NONE && s->question == QUESTION_NONE)
		return state_act(s, prompt_key(s, ch));
	state_say(s, ROLE_WARNING,
	    "the paste was ignored: open a prompt first (: a command, Enter a field)");
	return 0;
}

unsigned
state_key(struct state *s, int32_t key)
{
	const struct settings_key *own;
	const struct command *command;
	char text[2] = "", name[16];

	if ((key & INPUT_PASTED) != 0)
		return paste(s, key & ~INPUT_PASTED);
	if (s->prompt != PROMPT_NONE || s->question != QUESTION_NONE)
		return state_act(s, prompt_key(s, key));
	if (key != INPUT_CTRL('L')) /* sends again what is there */
		s->message[0] = '\0';
	if (s->overlay != OVERLAY_NONE && overlay_types(s) && key >= ' ' && key < 0x110000 &&
	    key != 127) {
		prompt_start(s, PROMPT_FILTER, s->filter, false);
		return state_act(s, prompt_key(s, key));
	}
	own = command_own_key(s, key);
	if (own != NULL && own->command[0] != '\0')
		return state_command(s, own->command);
	command = own == NULL ? command_of_key(key, command_context(s)) : NULL;
	if (command != NULL)
		return state_act(s, app_event(s, command, ""));
	if (begins_value(s, key)) {
		text[0] = (char)key;
		edit_open(s, s->form.field, text);
	} else if (key == INPUT_ESCAPE && s->focus == PANE_MAP)
		s->where = (struct where){ -1, -1, -1, -1, -1 }; /* the marks go */
	else if (key == INPUT_ESCAPE)
		s->message[0] = '\0';
	else if (input_name(key, name, sizeof name) > 0)
		state_say(s, ROLE_DIM, "%s means nothing here; ? lists the keys", name);
	return 0;
}

/* "tp 8", "tp=8": a field as a command; alone it opens the field's editor. */
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
	if (f != FIELD_NONE && !field_in_mode(f, s->plan.mode))
		state_say(s, ROLE_ERROR, "%s is of no account in this mode", field_table[f].path);
	else if (f != FIELD_NONE) {
		state_focus(s, PANE_FORM);
		s->overlay = OVERLAY_NONE;
		s->form.field = f;
		return edit_begin(s, "");
	} else if ((near = command_near(name)) != NULL)
		state_say(s, ROLE_ERROR, "no command %s; did you mean %s?", name, near);
	else
		state_say(s, ROLE_ERROR, "no command %s; ? lists them", name);
	return 0;
}

unsigned
state_command(struct state *s, const char *text)
{
	const struct command *command;
	char name[64];
	size_t n;

	text += strspn(text, " \t:");
	n = strcspn(text, " \t");
	if (n == 0)
		return 0;
	text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, text);
	command = command_find(name);
	if (command == NULL)
		return state_act(s, field_command(s, text));
	text += n;
	text += strspn(text, " \t");
	if (text[0] != '\0' && command->argument[0] == '\0') {
		state_say(s, ROLE_ERROR, "%s takes no argument", name);
		return 0;
	}
	return state_act(s, app_event(s, command, text));
}
