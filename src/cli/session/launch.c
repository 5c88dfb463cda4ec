#include "cli/session/launch.h"

#include <string.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/shorthand.h"
#include "out/out.h"

static void
launch_begin(struct launch *l, const struct catalog *catalog, bool has_model)
{
	*l = (struct launch){ .im = { .catalog = catalog, .has_model = has_model } };
	l->im.plan = &l->plan;
	l->im.errors = &l->errors;
}

enum import_status
launch_import(struct launch *l, const char *path, const struct catalog *catalog, bool has_model)
{
	launch_begin(l, catalog, has_model);
	return import_file(&l->im, path, NULL);
}

enum import_status
launch_read_text(struct launch *l, const char *name, const char *text, const struct catalog *catalog, bool has_model)
{
	launch_begin(l, catalog, has_model);
	l->im.name = name;
	l->im.text = text;
	l->im.size = strlen(text);
	return import_text(&l->im, NULL);
}

enum import_status
launch_read(struct launch *l, const char *path, const struct catalog *catalog, bool has_model)
{
	const enum import_status status = launch_import(l, path, catalog, has_model);

	return status == IMPORT_DONE && l->im.section != NULL && !text_equal(l->im.section, "model") ?
	    IMPORT_UNKNOWN : status;
}

void
launch_free(struct launch *l)
{
	import_free(&l->im);
}

/* Whether a word of a plan says a model. */
static bool
names_model(const char *word, const struct catalog *catalog)
{
	struct plan p;
	char said[512];

	plan_defaults(&p);
	return shorthand_read(word, &p, catalog, said, sizeof said) == SHORTHAND_SAYS && strstr(said, "model.") != NULL;
}

bool
launch_has_model(const struct options *o, const struct catalog *catalog)
{
	for (size_t i = 0; i < o->settings; i++)
		if (field_entry(o->setting[i].field) == FIELD_PRESET || o->setting[i].field == FIELD_PRESET)
			return true;
	for (int i = 0; i < o->words; i++)
		if (names_model(o->word[i], catalog))
			return true;
	return false;
}

void
launch_drop_said(struct import *im, const struct options *o)
{
	for (size_t i = 0; i < o->settings; i++)
		notes_drop(&im->assumed, TEXT_OF(128, "%s = ", field_table[o->setting[i].field].path));
}

void
launch_drop_asked(struct import *im, const struct field_set *asked)
{
	for (int f = 0; f < FIELD_COUNT; f++)
		if (field_set_has(asked, (enum field_id)f))
			notes_drop(&im->assumed, TEXT_OF(128, "%s = ", field_table[f].path));
}

void
launch_note(const struct launch *l, const char *path, char note[LAUNCH_NOTE_SIZE])
{
	char shown[256];

	show_path(shown, sizeof shown, path);
	text_put(note, LAUNCH_NOTE_SIZE, "%s is a %s: %zu taken, %zu assumed, %zu ignored ('shardplan import' tells each)",
	    shown, l->im.section != NULL ? "model" : "launch", l->im.taken.count, l->im.assumed.count, l->im.ignored.count);
}

void
launch_tell(const struct launch *l, const char *path)
{
	const char *line = l->im.assumed.lines.text;
	char note[LAUNCH_NOTE_SIZE];

	for (; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1)
		if (strncmp(line, "cluster.", 8) == 0 || strncmp(line, "model.", 6) == 0)
			out_line(stderr, "assumed %.*s", (int)strcspn(line, "\n"), line);
	launch_note(l, path, note);
	complain("%s", note);
}
