/* Which entry of the catalogue the name of a checkpoint means. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/naming.h"
#include "file/models/checkpoint.h"
#include "file/models/hf.h"
#include "file/plan/pathname.h"
#include "file/source/named.h"

enum { PLACES_MAX = 6 }; /* directories within that of a model */

/* A directory within that of a model: a step, a format, a stage of training. */
static bool
is_place(const char *plain)
{
	static const char places[] = "checkpoint checkpoints global step iter epoch hf huggingface original merged full final best "
	    "last latest model models weights snapshots main actor sft dpo grpo lora rl export output v vx x xx xxx";

	if (plain[strspn(plain, "0123456789abcdef-")] == '\0' && strlen(plain) >= 40) /* a commit */
		return true;
	for (size_t n; *plain != '\0'; plain += n + (plain[n] == '-')) {
		n = strcspn(plain, "-");
		if (text_index(places, plain, n) < 0 && strspn(plain, "0123456789") < n)
			return false;
	}
	return true;
}

/* The last name of a path, *end bytes of it; of a cache's directory models--OWNER--NAME the last as
 * well. *end goes before it. */
static void
put_last(char plain[NAMING_SIZE], const char *path, size_t *end)
{
	size_t from;

	while (*end > 0 && path[*end - 1] == '/')
		--*end;
	for (from = *end; from > 0 && path[from - 1] != '/' &&
	    (from < 2 || path[from - 1] != '-' || path[from - 2] != '-'); from--)
		;
	naming_plain(plain, path + from, *end - from);
	while (from > 0 && path[from - 1] != '/')
		from--;
	*end = from;
}

/* What the name says of the numbers that it is published in. */
static void
take_format(struct import *im, const struct naming *n, const char *source)
{
	if (n->format == NULL)
		return;
	import_set(im, FIELD_CHECKPOINT_DTYPE, n->format, source);
	if (n->dense)
		import_set(im, FIELD_DENSE_DTYPE, n->format, source);
}

/* What else stands in a name, or beside the decoder, and does not count. */
static void
tell_open(struct import *im, const struct naming *n, const char *source)
{
	const struct catalog_entry *entry = n->entry;
	char why[192];

	if (n->packed)
		import_ignore(im, source, "a packing of weights that no plan has: they count as published");
	if (n->open >= OPEN_OTHER)
		notes_add(&im->assumed, "model.preset = %s: the name has other words too (fix: its config.json beside this file, "
		    "if its shape is another)", entry->id);
	if (n->open % OPEN_OTHER < OPEN_KIND && strstr(entry->title, "(text)") == NULL)
		return;
	text_put(why, sizeof why, "by name a %s%s: %s", entry->id,
	    n->open % OPEN_OTHER < OPEN_KIND ? "" : " in another kind", entry->values.model.vision_params > 0 ?
	    "the tower that sees counts to serve, not to train" :
	    "what sees, hears or scores beside the decoder is not counted");
	import_ignore(im, source, why);
}

/* What a checkpoint's name or directory means; false where that is nothing. */
static bool
name_read(const struct import *im, const char *name, struct naming *n)
{
	char plain[NAMING_SIZE];
	size_t end = strlen(name);
	int places = 0;
	bool known;

	if (im->catalog == NULL)
		return false;
	do {
		put_last(plain, name, &end);
		known = naming_read(n, &im->catalog->models, plain);
	} while (!known && end > 0 && ++places < PLACES_MAX && is_place(plain));
	return known;
}

bool
import_known(struct import *im, const char *name, const char *source)
{
	struct naming n;

	if (!name_read(im, name, &n))
		return false;
	import_set(im, FIELD_PRESET, n.entry->id, source);
	take_format(im, &n, source);
	tell_open(im, &n, source);
	return true;
}

void
import_second(struct import *im, enum field_id f, const char *name, const char *source)
{
	struct naming n;

	if (name_read(im, name, &n))
		import_set(im, f, n.entry->id, source);
	else
		notes_add(&im->ignored, "%s: the catalogue has no model '%s' (fix: --set %s)", source, name, field_table[f].path);
}

/* The shape that the text of a config.json says. */
static void
take_shape(struct import *im, const char *text, size_t size, const char *name, const char *source)
{
	struct plan plan;
	struct import model = { .name = name, .text = text, .size = size, .catalog = im->catalog, .plan = &plan,
		.errors = im->errors, .section = "model", .path = im->path, .beside = im->beside, .besides = im->besides, .root = im->root };

	plan_defaults(&plan);
	hf_read(&model);
	if (im->errors->count == 0) {
		plan_resolve(&plan, im->catalog);
		import_into(&model, im->plan);
		notes_add(&im->taken, "%s -> the model of %s", source, text_equal(name, im->name) ? "its sizes" : name);
	}
	notes_free(&model.taken);
	notes_free(&model.assumed);
	notes_free(&model.ignored);
}

/* The shape of the config.json at a path beside the launch; false where there is none. What is wrong
 * in it is complained about. */
static bool
take_config(struct import *im, const char *path, const char *source)
{
	size_t size;
	char *text = named_text(im, path, &size);

	if (text == NULL)
		return false;
	take_shape(im, text, size, path, source);
	free(text);
	return true;
}

void
import_shape(struct import *im, struct json_t *config, const char *source)
{
	char *text = json_dumps(config, JSON_COMPACT);

	if (text != NULL)
		take_shape(im, text, strlen(text), im->name, source);
	free(text);
}

/* With the entry that is nearest to one of the names, and what else would say it. */
static void
tell_no_model(struct import *im, const char *source, const char *const names[2], const char *what)
{
	const char *near = NULL;

	for (int i = 0; i < 2 && near == NULL; i++)
		if (names[i] != NULL && strlen(names[i]) < NAMING_SIZE)
			near = catalog_near(&im->catalog->models, names[i]);
	import_error(im, source, "%s%s%s (fix: --model=NAME, its config.json beside this file, or --set model.*)", what,
	    near != NULL ? ", the nearest is " : "", near != NULL ? near : "");
}

void
import_checkpoint(struct import *im, const char *name, const char *source)
{
	char path[PLANFILE_PATH_SIZE], what[256];

	text_put(path, sizeof path, "%s/config.json", name);
	if (im->catalog == NULL || import_known(im, name, source))
		return;
	if (im->has_model) {
		import_ignore(im, source, "no model of the catalogue");
		return;
	}
	if (take_config(im, path, source) || take_config(im, "config.json", source))
		return;
	text_put(what, sizeof what, "the catalogue has no model '%s'", name);
	tell_no_model(im, source, (const char *const[]){ name, NULL }, what);
}

void
import_unnamed(struct import *im)
{
	const bool unread = im->unread[0] != '\0';
	const char *const names[] = { im->path != NULL ? pathname_last(im->path) : NULL, unread ? im->unread : NULL };
	char what[192];

	if (im->catalog == NULL || im->has_model || take_config(im, "config.json", "the model"))
		return;
	if (unread)
		text_put(what, sizeof what, "the file does not say, and %s is not read", im->unread);
	else
		text_put(what, sizeof what, "the file does not say, where %s would", im->unsaid);
	tell_no_model(im, "model", names, what);
}
