#include <stdio.h>

#include "ui/app.h"
#include "ui/state.h"
#include "ui/term.h"

/* Draw and show; false without memory. */
static bool
show(struct terminal *t, const struct state *s, struct canvas *c)
{
	bool utf8 = s->utf8 && !s->ascii;

	if (c->w != t->w || c->h != t->h || c->utf8 != utf8) {
		canvas_free(c);
		if (!canvas_init(c, t->w, t->h, utf8))
			return false;
	}
	app_draw(s, c);
	term_show(t, c);
	return true;
}

/* One key. False when the program is to end. */
static bool
handle(struct terminal *t, struct state *s, int32_t key)
{
	unsigned flags;

	if (key == INPUT_SIGNAL || key == INPUT_GONE)
		return false;
	if (key == INPUT_RESIZE) {
		state_resize(s, t->w, t->h);
		return true;
	}
	flags = state_key(s, key);
	if ((flags & EVENT_SUSPEND) != 0) {
		term_suspend(t);
		state_resize(s, t->w, t->h);
	}
	if ((flags & EVENT_REPAINT) != 0)
		term_repaint(t);
	return (flags & EVENT_QUIT) == 0;
}

/* The program was told to end, or lost its terminal: unsaved work goes where it will be
 * found. Says so in note. */
static void
keep_draft(const struct state *s, char *note, size_t size)
{
	note[0] = '\0';
	if (!state_unsaved(s))
		return;
	if (!s->files->keep_draft(s->files->context, &s->plan, note, size) && note[0] == '\0')
		snprintf(note, size, "the unsaved plan could not be kept");
}

static int
run(struct terminal *t, struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";
	struct canvas c = { 0 };
	int32_t key = INPUT_NONE;
	int status = 0;
	bool on = true;

	s->utf8 = t->utf8;
	s->depth = t->colors;
	state_resize(s, t->w, t->h);
	while (on && show(t, s, &c)) {
		key = term_key(t, true);
		on = handle(t, s, key);
		/* Keys that are waiting already, before the picture is drawn again. */
		for (int i = 0; on && i < 64 && (key = term_key(t, false)) != INPUT_NONE; i++)
			on = handle(t, s, key);
	}
	if (key == INPUT_SIGNAL || key == INPUT_GONE) {
		keep_draft(s, note, sizeof note);
		status = term_signal() != 0 ? 128 + term_signal() : 129;
	}
	canvas_free(&c);
	term_close(t);
	if (note[0] != '\0')
		fprintf(stderr, "shardplan: %s\n", note);
	return status;
}

int
app_run(const struct plan *plan, const struct catalog *catalog, const struct app_files *files,
    const struct app_options *options)
{
	struct state s;
	struct terminal t;
	int status = 2;

	if (!state_init(&s, plan, catalog, files, options)) {
		fprintf(stderr, "shardplan: out of memory\n");
		return 2;
	}
	if (term_open(&t, options))
		status = run(&t, &s);
	state_free(&s);
	return status;
}
