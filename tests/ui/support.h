/* support.h - a small catalogue, files that live in memory, and a session to type into. */
#ifndef TESTS_UI_SUPPORT_H
#define TESTS_UI_SUPPORT_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "ui/app/command.h"
#include "ui/app/event.h"
#include "ui/screen/input.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

struct fake_disk {
	bool exists, changed, fails; /* what the next save meets */
	int saves, drafts, opens;
	char path[256];
	struct plan plan;
};

struct session {
	struct catalog_entry model[2], gpu[2];
	struct catalog catalog;
	struct fake_disk disk;
	struct app_files files;
	struct state state;
	struct canvas canvas;
	unsigned flags; /* of the last key */
};

static UNUSED bool
fake_open(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	struct fake_disk *disk = context;

	if (strcmp(path, "missing.cfg") == 0) {
		text_put(note, size, "missing.cfg: No such file or directory");
		return false;
	}
	disk->opens++;
	text_put(disk->path, sizeof disk->path, "%s", path);
	*plan = disk->plan;
	text_put(note, size, "opened %s", path);
	return true;
}

static UNUSED bool
fake_peek(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	if (strcmp(path, "missing.cfg") == 0) {
		text_put(note, size, "missing.cfg: No such file or directory");
		return false;
	}
	*plan = ((struct fake_disk *)context)->plan;
	return true;
}

static UNUSED enum app_saved
fake_save(void *context, const char *path, const struct plan *plan, bool force, char *note,
    size_t size)
{
	struct fake_disk *disk = context;

	if (disk->fails) {
		text_put(note, size, "disk full");
		return APP_SAVE_FAILED;
	}
	if (!force && path != NULL && disk->exists) {
		text_put(note, size, "%s exists", path);
		return APP_ASKS;
	}
	if (!force && path == NULL && disk->changed) {
		text_put(note, size, "the file changed on disk");
		return APP_ASKS;
	}
	if (path != NULL)
		text_put(disk->path, sizeof disk->path, "%s", path);
	disk->plan = *plan;
	disk->saves++;
	text_put(note, size, "saved %s", disk->path);
	return APP_SAVED;
}

static UNUSED const char *
fake_path(void *context)
{
	return ((struct fake_disk *)context)->path;
}

static UNUSED bool
fake_complete(void *context, const char *text, size_t i, char *path, size_t size)
{
	static const char *const names[] = { "alpha.cfg", "alps.cfg", "beta.cfg" };

	(void)context;
	for (size_t n = 0; n < COUNT(names); n++)
		if (strncmp(names[n], text, strlen(text)) == 0 && i-- == 0) {
			text_put(path, size, "%s", names[n]);
			return true;
		}
	return false;
}

static UNUSED const struct topic *
fake_page(void *context, const char *language, size_t i)
{
	static UNUSED const struct topic page = { .names = "tp", .title = "TP", .text = "" };

	(void)context, (void)language;
	return i == 0 ? &page : NULL;
}

static UNUSED const char *
fake_target(void *context, size_t i)
{
	(void)context;
	return i == 0 ? "megatron" : NULL;
}

static UNUSED bool
fake_find(void *context, size_t i, char *path, size_t size, bool *shipped)
{
	static const char *const names[] = { "alpha.cfg", "missing.cfg", "odd\033[31m.cfg",
		"share/plans/beta.cfg" };

	(void)context;
	if (i >= COUNT(names))
		return false;
	text_put(path, size, "%s", names[i]);
	*shipped = i == 3;
	return true;
}

static UNUSED bool
fake_ready(void *context, const struct plan *plan, bool last, char *note, size_t size)
{
	(void)context, (void)plan, (void)last, (void)note, (void)size;
	return true;
}

static UNUSED bool
fake_write(void *context, char *note, size_t size)
{
	((struct fake_disk *)context)->drafts++;
	text_put(note, size, "kept");
	return true;
}

static UNUSED void
put(struct plan *p, enum field_id f, const char *text)
{
	char err[256];

	assert_true(field_parse(f, p, text, err, sizeof err));
}

static UNUSED void
put_int(struct plan *p, enum field_id f, int64_t n)
{
	char err[256];

	assert_true(field_put_int(f, p, n, err, sizeof err));
}

static UNUSED void
entry(struct catalog_entry *e, const char *id, const char *title)
{
	memset(e, 0, sizeof *e);
	text_put(e->id, sizeof e->id, "%s", id);
	text_put(e->title, sizeof e->title, "%s", title);
	plan_defaults(&e->values);
}

static UNUSED void
session_catalog(struct session *s)
{
	entry(&s->model[0], "llama-3.1-8b", "Llama-3.1-8B");
	put(&s->model[0].values, FIELD_LAYERS, "32");
	s->model[0].total_params = 8030261248;
	entry(&s->model[1], "llama-3.1-70b", "Llama-3.1-70B");
	put(&s->model[1].values, FIELD_LAYERS, "80");
	put(&s->model[1].values, FIELD_HIDDEN_SIZE, "8192");
	put(&s->model[1].values, FIELD_FFN_HIDDEN_SIZE, "28672");
	put(&s->model[1].values, FIELD_ATTENTION_HEADS, "64");
	s->model[1].total_params = 70553706496;
	entry(&s->gpu[0], "h100-sxm-80gb", "H100 SXM 80GB");
	put(&s->gpu[0].values, FIELD_GENERATION, "hopper");
	put(&s->gpu[0].values, FIELD_FABRIC, "nvlink4");
	put(&s->gpu[0].values, FIELD_MEMORY_GIB, "79.2");
	entry(&s->gpu[1], "a100-sxm-40gb", "A100 SXM 40GB");
	put(&s->gpu[1].values, FIELD_GENERATION, "ampere");
	put(&s->gpu[1].values, FIELD_FABRIC, "nvlink3");
	put(&s->gpu[1].values, FIELD_MEMORY_GIB, "39.4");
	s->catalog.models = (struct catalog_list){ s->model, 2 };
	s->catalog.gpus = (struct catalog_list){ s->gpu, 2 };
	plan_defaults(&s->catalog.defaults);
	s->catalog.has_defaults = true;
}

/* End the session of a test. */
static UNUSED int
session_end(void **test)
{
	struct session *s = *test;

	if (s != NULL) {
		canvas_free(&s->canvas);
		state_free(&s->state);
		free(s);
	}
	*test = NULL;
	return 0;
}

/* A test that begins sessions; the last of them ends with it, passed or failed. */
#define SESSION_TEST(name) UNIT_TEST(name, NULL, session_end)

/* Begin a session of a test on the built-in plan, and end the one before. */
static UNUSED struct session *
session_new(void **test, int columns, int rows)
{
	static const struct app_options options = { .color = COLOR_AUTO };
	struct session *s = calloc(1, sizeof *s);
	struct plan plan;

	assert_non_null(s);
	session_end(test);
	*test = s;
	session_catalog(s);
	s->files = (struct app_files){
		.context = &s->disk, .open = fake_open, .peek = fake_peek, .save = fake_save, .path = fake_path,
		.complete = fake_complete, .find_plan = fake_find, .ready_draft = fake_ready,
		.write_draft = fake_write,
	};
	plan_builtin(&plan);
	assert_true(app_start(&s->state, &plan, &s->catalog, &s->files, &options));
	app_resize(&s->state, columns, rows);
	state_advise(&s->state);
	return s;
}

static UNUSED void
key(struct session *s, int32_t k)
{
	s->flags = app_key(&s->state, k);
	state_advise(&s->state); /* as no further key waits */
}

/* Type characters; '\r' is Enter, '\b' Backspace. */
static UNUSED void
type(struct session *s, const char *text)
{
	for (; *text != '\0'; text++)
		key(s, *text == '\b' ? INPUT_BACKSPACE : *text);
}

static UNUSED void
draw(struct session *s)
{
	const struct state *state = &s->state;

	canvas_free(&s->canvas);
	assert_true(canvas_init(&s->canvas, state->columns, state->rows, state->utf8 && !state->settings.ascii));
	app_draw(state, &s->canvas);
}

/* What is printed of a picture; owned by the caller. */
static UNUSED char *
printed(const struct canvas *c, enum theme_colors depth)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(canvas_print(c, f, depth, PALETTE_DEFAULT));
	fclose(f);
	return text;
}

/* Whether a text, which is freed, has another in it, as is wanted; else both are printed. */
static UNUSED bool
finds(char *all, const char *text, bool wanted)
{
	const bool found = strstr(all, text) != NULL;

	if (found != wanted)
		fprintf(stderr, "%s\"%s\" in:\n%s\n", found ? "" : "no ", text, all);
	free(all);
	return found;
}

/* The screen as text; owned by the caller. */
static UNUSED char *
picture(struct session *s)
{
	draw(s);
	return printed(&s->canvas, THEME_MONO);
}

static UNUSED bool
shows(struct session *s, const char *text)
{
	return finds(picture(s), text, true);
}

static UNUSED bool
hides(struct session *s, const char *text)
{
	return !finds(picture(s), text, false);
}

/* Open a file whose plan is not possible, with no other before it: the layout refuses TP 3. */
static UNUSED void
open_refused(struct session *s)
{
	plan_builtin(&s->disk.plan);
	put(&s->disk.plan, FIELD_TP, "3");
	s->state.saved = s->state.plan; /* nothing is asked */
	type(s, ":open refused.cfg\r");
	assert_false(s->state.estimate->laid_out);
	s->state.message[0] = '\0';
}
#endif
