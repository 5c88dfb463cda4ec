/*
 * fuzz_screen.c - any bytes as what is typed at the screen, whose size and pieces the first two
 * bytes say. Each piece is drawn; what is unsaved at the end is kept as a draft, and the next session
 * recovers the same plan.
 */
#include <locale.h>
#include <stdlib.h>

#include "cli/session/drafts.h"
#include "core/framework/resolve.h"
#include "fuzz.h"
#include "look.h"
#include "ui/app/event.h"
#include "ui/app/keep.h"
#include "ui/app/mouse.h"
#include "ui/screen/canvas.h"
#include "xterm.h"

enum { KEYS_MOST = 400 };

/* ---- files: none but drafts ------------------------------------------------------------ */

static bool
no_file(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	(void)context, (void)path, (void)plan;
	text_put(note, size, "there are no files");
	return false;
}

static enum app_saved
no_save(void *context, const char *path, const struct plan *plan, bool force, char *note, size_t size)
{
	(void)context, (void)path, (void)plan;
	text_put(note, size, "there are no files");
	return force ? APP_SAVE_FAILED : APP_ASKS;
}

static const char *
no_path(void *context)
{
	(void)context;
	return "";
}

static bool
no_names(void *context, const char *text, size_t i, char *path, size_t size)
{
	(void)context, (void)text, (void)i, (void)path, (void)size;
	return false;
}

static bool
ready_draft(void *context, const struct plan *plan, bool last, char *note, size_t size)
{
	(void)last; /* the session that looks for it is this process as well */
	return drafts_ready(context, "", plan, look_catalog(), true, note, size);
}

static bool
write_draft(void *context, char *note, size_t size)
{
	return drafts_write(context, note, size);
}

/* ---- a session --------------------------------------------------------------------------- */

static void
draw(const struct state *s)
{
	struct canvas c = { 0 };

	if (!canvas_init(&c, s->columns, s->rows, true))
		abort();
	app_draw(s, &c);
	canvas_free(&c);
}

/* All keys that are there; false where the user leaves. */
static bool
press(struct state *s, struct decoder *d, bool late, int *keys)
{
	int32_t key;

	while ((key = decode_key(d, late)) != INPUT_NONE) {
		const unsigned flags = key == INPUT_MOUSE ? app_mouse(s, d->mouse) : app_key(s, key);

		if ((flags & EVENT_QUIT) || ++*keys > KEYS_MOST)
			return false;
	}
	draw(s);
	return true;
}

static void
type(struct state *s, const uint8_t *data, size_t size, size_t step)
{
	struct decoder d = { .find = xterm_find };
	int keys = 0;

	for (size_t at = 0, n; at < size; at += n) {
		n = size - at < step ? size - at : step;
		if (n > DECODE_BYTES - d.count)
			n = DECODE_BYTES - d.count;
		memcpy(d.byte + d.count, data + at, n);
		d.count += n;
		if (!press(s, &d, false, &keys) || !press(s, &d, d.count == DECODE_BYTES, &keys))
			return;
	}
	press(s, &d, true, &keys);
}

static void
recover(struct state *s)
{
	struct drafts next = { .ready = 0 };
	struct keeper keeper = { 0 };
	struct plan plan;
	char note[1024];

	if (!state_unsaved(s))
		return;
	keep_now(&keeper, s);
	if (drafts_find(&next, "", look_catalog(), &s->saved, &plan, note, sizeof note))
		look_same(&s->plan, &plan, "when it is recovered");
	else /* a value that was there is set now: nothing to recover */
		look_same(&s->plan, &s->saved, "and no draft of it is kept");
	drafts_free(&next);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct app_options options = { .color = COLOR_AUTO };
	static struct state s;
	struct drafts drafts = { .ready = 0 };
	const struct app_files files = {
		.context = &drafts, .open = no_file, .peek = no_file, .save = no_save, .path = no_path,
		.complete = no_names, .ready_draft = ready_draft, .write_draft = write_draft,
	};
	struct plan plan;

	if (size < 2)
		return 0;
	setlocale(LC_CTYPE, "C.UTF-8");
	plan_builtin(&plan);
	plan_resolve(&plan, look_catalog());
	memset(&s, 0, sizeof s);
	if (!app_start(&s, &plan, look_catalog(), &files, &options))
		abort();
	s.utf8 = true;
	app_resize(&s, 1 + data[0], 1 + data[0] / 3);
	type(&s, data + 2, size - 2, 1 + data[1] % DECODE_BYTES);
	recover(&s);
	drafts_drop(&drafts);
	drafts_free(&drafts);
	state_free(&s);
	return 0;
}
