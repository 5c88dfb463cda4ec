#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "out/out.h"
#include "ui/app/app.h"
#include "ui/app/event.h"
#include "ui/app/headline.h"
#include "ui/app/keep.h"
#include "ui/app/linear.h"
#include "ui/app/mouse.h"
#include "ui/list/views.h"
#include "ui/screen/clipboard.h"
#include "ui/screen/locale.h"
#include "ui/screen/signals.h"
#include "ui/screen/term.h"
#include "ui/state/state.h"

/* As the settings are by now, and what the terminal said of itself. */
static enum theme_palette
palette_of(const struct terminal *t, const struct state *s)
{
	return theme_palette_for(s->settings.palette,
	    t->decoder.is_told ? (t->decoder.is_light ? "0;15" : "15;0") : getenv("COLORFGBG"));
}

/* Draw and show; false without memory. */
static bool
show_screen(struct terminal *t, struct state *s, struct canvas *c)
{
	const enum theme_palette palette = palette_of(t, s);
	const enum theme_colors depth = theme_depth(palette, t->colors);
	bool utf8 = s->utf8 && !s->settings.ascii;
	char title[96];

	term_mouse(t, s->settings.mouse);
	term_palette(t, palette);
	if (s->depth != depth) {
		s->depth = depth;
		app_follow(s); /* what fits on the map may be another part */
	}
	if (c->w != t->w || c->h != t->h || c->utf8 != utf8) {
		canvas_free(c);
		if (!canvas_init(c, t->w, t->h, utf8))
			return false;
	}
	/* Hints take dozens of estimates, and spare a second picture; ways out take thousands. The first
	 * picture waits for neither. */
	if (t->shown.w > 0 && s->estimate->legal && s->estimate->fits)
		state_advise(s);
	state_speak(s);
	headline_title(s, title, sizeof title);
	term_title(t, title);
	app_draw(s, c);
	return term_show(t, c);
}

/* Stop, the whole job or this process alone; who is stopped may be killed. */
static void
suspend(struct terminal *t, struct state *s, struct keeper *keeper, bool job)
{
	keep_now(keeper, s);
	term_suspend(t, job);
	app_resize(s, t->w, t->h);
}

/* Through the terminal; else into a file, which is named. */
static void
copy_selection(struct terminal *t, struct state *s)
{
	const enum clipboard_way way = getenv("TMUX") != NULL ? CLIPBOARD_TMUX :
	    getenv("STY") != NULL ? CLIPBOARD_SCREEN : CLIPBOARD_DIRECT;
	char note[STATE_MESSAGE_SIZE] = "";
	size_t size = 0;
	char *bytes = clipboard_bytes(s->yank, way, &size);
	const bool sent = bytes != NULL && term_copy(t, bytes, size);

	free(bytes);
	if (sent || s->files->keep_text == NULL)
		return;
	state_say(s, s->files->keep_text(s->yank, note, sizeof note) ?
	    ROLE_GOOD : ROLE_ERROR, "%s", note);
}

/* The terminal is the command's meanwhile. */
static void
run_shell(struct terminal *t, struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";
	bool done;

	if (s->files->shell == NULL)
		return;
	term_leave(t);
	done = s->files->shell(s->files->context, s->shell, note, sizeof note);
	term_return(t);
	app_resize(s, t->w, t->h);
	state_say(s, done ? ROLE_GOOD : ROLE_WARNING, "%s", note);
}

/* One key. False when the program is to end. */
static bool
handle_key(struct terminal *t, struct state *s, struct keeper *keeper, int32_t key)
{
	unsigned flags;

	if (key == INPUT_SIGNAL || key == INPUT_GONE)
		return false;
	if (key == INPUT_RESIZE)
		app_resize(s, t->w, t->h);
	if (key == INPUT_RESIZE || key == INPUT_BACKGROUND) /* the next picture shows it */
		return true;
	if (key == INPUT_STOP) {
		suspend(t, s, keeper, false);
		return true;
	}
	flags = key == INPUT_MOUSE ? app_mouse(s, t->decoder.mouse) : app_key(s, key);
	if ((flags & EVENT_SUSPEND) != 0)
		suspend(t, s, keeper, true);
	if ((flags & EVENT_REPAINT) != 0)
		term_repaint(t);
	if ((flags & EVENT_YANK) != 0)
		copy_selection(t, s);
	if ((flags & EVENT_SHELL) != 0)
		run_shell(t, s);
	return (flags & EVENT_QUIT) == 0;
}

/* The program was told to end, or lost its terminal: unsaved work goes where it will be
 * found. Says so in note; false where it is lost. */
static bool
keep_draft(const struct state *s, char *note, size_t size)
{
	note[0] = '\0';
	if (!state_unsaved(s))
		return true;
	if (s->files->ready_draft(s->files->context, &s->plan, true, note, size))
		return s->files->write_draft(s->files->context, note, size);
	if (note[0] == '\0')
		text_put(note, size, "the unsaved plan could not be kept");
	return false;
}

/* Where signals find it. */
static void
write_draft(const void *context)
{
	const struct app_files *files = context;

	files->write_draft(files->context, NULL, 0);
}

/* What earlier sessions left: lines of the prompt, and maybe unsaved work. */
static void
begin_session(struct state *s, const char *notice)
{
	const struct app_files *files = s->files;
	char *lines = files->read_lines != NULL ? files->read_lines() : NULL;

	if (lines != NULL)
		recall_load(&s->prompt.recall, lines);
	free(lines);
	if (notice != NULL && notice[0] != '\0')
		state_say(s, ROLE_WARNING, "%s", notice);
	keep_offer(s);
}

/* Who gave no plan is told how to come by one. */
static void
greet(struct state *s)
{
	struct plan builtin;

	plan_builtin(&builtin);
	plan_resolve(&builtin, s->catalog);
	if (s->message[0] == '\0' && s->files->path(s->files->context)[0] == '\0' && state_same(&s->plan, &builtin))
		state_say(s, ROLE_TEXT, "the built-in plan; o opens one or begins a new one, ? finds all else");
}

/* What this one leaves. */
static void
end(const struct state *s)
{
	char *lines = recall_new(&s->prompt.recall);

	if (lines != NULL && s->files->add_lines != NULL)
		s->files->add_lines(lines);
	free(lines);
}

/* The rest of the catalogue, once the terminal had time to show the first picture. */
enum { REST_MS = 20 };

static bool
read_catalog(struct state *s, char *note, size_t size)
{
	if (s->files->read_catalog != NULL && !s->files->read_catalog(s->files->context, note, size))
		return false;
	if (note[0] != '\0')
		state_say(s, ROLE_WARNING, "%s", note);
	note[0] = '\0';
	return true;
}

/* Keys that were typed before the question was there are no answer: they wait for it. */
struct ahead {
	int32_t key[4096]; /* a terminal's driver holds no more bytes */
	int count, taken;
};

static int32_t
next_key(struct terminal *t, const struct state *s, struct ahead *a, int ms)
{
	if (a->taken < a->count && s->question.kind != QUESTION_RECOVER)
		return a->key[a->taken++];
	return term_key(t, ms);
}

/* What is typed by now, up to what is no key and comes first. */
static int32_t
read_ahead(struct terminal *t, struct ahead *a)
{
	int32_t key = INPUT_NONE;

	if (a->taken == a->count)
		a->taken = a->count = 0;
	while (a->count < (int)(sizeof a->key / sizeof *a->key) &&
	    (key = term_key(t, 0)) != INPUT_NONE) {
		if (key >= INPUT_MOUSE && key <= INPUT_GONE)
			return key;
		a->key[a->count++] = key;
	}
	return INPUT_NONE;
}

/* A search that ran so long has somebody who looks elsewhere: call them when it ends. */
enum { LONG_S = 10 };

static void
call_after(bool runs, time_t *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!runs && *since != 0 && now.tv_sec - *since >= LONG_S)
		term_bell();
	*since = !runs ? 0 : *since != 0 ? *since : now.tv_sec;
}

/* Show and take keys until the user leaves. Returns the exit status; note says what is left
 * to be said of it. */
static int
run_keys(struct terminal *t, struct state *s, struct canvas *c, char *note, size_t size)
{
	struct keeper keeper = { 0 };
	struct ahead ahead = { .count = 0 };
	int32_t key = INPUT_NONE;
	time_t searching = 0;
	bool on = true, asked = false, whole = false, looks;

	while (on) {
		if (keep_unsaved(&keeper, s))
			signals_alarm(KEEP_MS);
		looks = search_view_look(s);
		call_after(looks, &searching);
		if (!show_screen(t, s, c))
			break;
		key = s->question.kind == QUESTION_RECOVER && !asked ? read_ahead(t, &ahead) : INPUT_NONE;
		asked = s->question.kind == QUESTION_RECOVER;
		/* Busy: 1, as who does not wait never sees an Escape end; right after the start there is none. */
		if (key == INPUT_NONE)
			key = next_key(t, s, &ahead, app_busy(s) ? whole : !whole ? REST_MS :
			    looks ? SEARCH_VIEW_MS : -1);
		if (key == INPUT_NONE && app_busy(s))
			app_idle(s);
		else if (!whole && !(whole = read_catalog(s, note, size))) /* keys ask for any entry */
			return 2;
		else if (key == INPUT_NONE)
			keep_written(&keeper, s);
		/* Keys that are waiting already, before the picture is drawn again; of a paste, all. */
		for (int left = 64; key != INPUT_NONE; key = next_key(t, s, &ahead, 0)) {
			on = handle_key(t, s, &keeper, key);
			left -= (key & INPUT_PASTED) == 0;
			if (!on || left == 0 || (s->question.kind == QUESTION_RECOVER && !asked))
				break;
		}
	}
	if (on || key == INPUT_SIGNAL || key == INPUT_GONE) {
		(void)keep_draft(s, note, size);
		return on ? 2 : signals_ending() != 0 ? 128 + signals_ending() : 129;
	}
	if (s->files->drop_draft != NULL)
		s->files->drop_draft(s->files->context);
	return 0;
}

static int
run_screen(struct terminal *t, struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";
	struct canvas c = { 0 };
	int status;

	s->utf8 = t->utf8;
	s->has_mouse = t->has_mouse;
	signals_draft(write_draft, s->files);
	s->depth = theme_depth(palette_of(t, s), t->colors);
	app_resize(s, t->w, t->h);
	term_ask(t);
	status = run_keys(t, s, &c, note, sizeof note);
	end(s); /* while signals are still held back */
	canvas_free(&c);
	term_close(t);
	if (note[0] != '\0')
		out_line(stderr, "shardplan: %s", note);
	return status;
}

/* Lines in, lines out, until there are no more: also at the end of a pipe unsaved work is
 * kept. A line that can not be read is not the end: what stands behind it was not done. */
static int
run_lines(struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "", *line = NULL;
	struct keeper keeper = { 0 };
	size_t size = 0;
	bool on = true, lost = false, unread;

	if (!read_catalog(s, note, sizeof note)) {
		out_line(stderr, "shardplan: %s", note);
		return 2;
	}
	signals_watch();
	linear_begin(s, stdout);
	fflush(stdout);
	while (on && signals_ending() == 0 && getline(&line, &size, stdin) >= 0) {
		on = linear_line(s, line, stdout);
		fflush(stdout);
		keep_now(&keeper, s);
	}
	unread = on && signals_ending() == 0 && !feof(stdin);
	if (unread)
		out_line(stderr, "shardplan: standard input: %s", strerror(errno));
	free(line);
	if (on)
		lost = !keep_draft(s, note, sizeof note);
	else if (s->files->drop_draft != NULL)
		s->files->drop_draft(s->files->context);
	if (note[0] != '\0')
		out_line(stderr, "shardplan: %s", note);
	return signals_ending() != 0 ? 128 + signals_ending() : lost || unread ? 2 : 0;
}

int
app_run(const struct plan *plan, const struct catalog *catalog, const struct app_files *files,
    const struct app_options *options)
{
	struct state s;
	struct terminal t;
	int status = 2;

	if (!app_start(&s, plan, catalog, files, options)) {
		out_line(stderr, "shardplan: out of memory");
		return 2;
	}
	s.chinese = locale_chinese();
	if (options != NULL && options->linear) {
		s.utf8 = locale_utf8();
		begin_session(&s, options->notice);
		status = run_lines(&s);
		end(&s);
	} else if (term_open(&t, options != NULL ? options->color : COLOR_AUTO)) {
		begin_session(&s, options != NULL ? options->notice : NULL);
		greet(&s);
		status = run_screen(&t, &s);
	}
	state_free(&s);
	return status;
}
