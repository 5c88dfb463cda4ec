#include "file/source/named.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/show.h"
#include "file/notation/tomlin.h"
#include "file/notation/yamlin.h"
#include "file/plan/pathname.h"
#include "file/plan/slurp.h"

enum { INHERIT_DEPTH = 8, REFERENCE_PASSES = 4 };

/* ---- which files are read ----------------------------------------------------------------- */

/* Nobody but the owner of the launch may have put something there. */
static bool
is_private(const char *dir, const struct stat *launch)
{
	struct stat st;

	return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == launch->st_uid &&
	    (st.st_mode & S_IWOTH) == 0 && ((st.st_mode & S_IWGRP) == 0 || st.st_gid == st.st_uid);
}

/* The directory that holds all that a launch may name; free() it. */
static char *
find_root(const char *launch)
{
	char *root = realpath(launch, NULL), *slash;
	struct stat st;

	if (root == NULL || stat(root, &st) != 0 || (slash = strrchr(root, '/')) == NULL) {
		free(root);
		return NULL;
	}
	*slash = '\0';
	for (int i = 0; i < NAMED_CLIMB && (slash = strrchr(root, '/')) != NULL && slash > root; i++) {
		const char kept = *slash;

		*slash = '\0';
		if (!is_private(root, &st)) {
			*slash = kept;
			break;
		}
	}
	return root;
}

/* Whether a file lies below a directory, both without links; frees that. */
static bool
is_below(const char *file, char *root)
{
	const size_t n = root != NULL ? strlen(root) : 0;
	const bool below = root != NULL && strncmp(file, root, n) == 0 && (file[n] == '/' || text_equal(root, "/"));

	free(root);
	return below;
}

/* Whether a file lies below the root of the launch or the one that the user names, links followed. */
static bool
is_inside(const struct import *im, const char *path)
{
	char *real = realpath(path, NULL);
	const bool inside = real != NULL && (is_below(real, find_root(im->path)) ||
	    (im->root != NULL && is_below(real, realpath(im->root, NULL))));

	free(real);
	return inside;
}

/* NULL for one of the texts at hand, as a file would be read; else why not. */
static const char *
open_text(const struct import_text *text, size_t count, const char *name, char path[PLANFILE_PATH_SIZE], struct slurp *file)
{
	for (size_t i = 0; i < count; i++) {
		const struct import_text *t = &text[i];

		if (!text_equal(named_known(t->name), name) || (file->text = malloc(t->size + 1)) == NULL)
			continue;
		memcpy(file->text, t->text, t->size + 1);
		file->size = t->size;
		text_put(path, PLANFILE_PATH_SIZE, "%s", name);
		return NULL;
	}
	return "is not there: what it sets is not known";
}

const char *
named_known(const char *path)
{
	for (const char *c; (c = strpbrk(path, "$`})")) != NULL; path = c + 1)
		if ((c = strchr(c, '/')) == NULL)
			return "";
	return path;
}

/* A name with a directory may be relative to one above that of the launch as well: people start launches there. */
static bool
find_named(const struct import *im, const char *from, const char *name, char path[PLANFILE_PATH_SIZE])
{
	const int climb = text_equal(from, im->path) && strchr(name, '/') != NULL && name[0] != '/' ? NAMED_CLIMB : 0;

	for (int i = 0; i <= climb; i++)
		if (pathname_beside(path, PLANFILE_PATH_SIZE, from, TEXT_OF(PLANFILE_PATH_SIZE, "%.*s%s", 3 * i,
		    "../../../../", name)) && is_inside(im, path))
			return true;
	return false;
}

/* NULL for a file that is read; else why not. */
static const char *
open_named(struct import *im, const char *from, const char *name, char path[PLANFILE_PATH_SIZE],
    struct slurp *file)
{
	char why[256];

	name = named_known(name);
	if (name[0] != '\0' && open_text(im->written, im->writes, name, path, file) == NULL)
		return NULL;
	if (im->beside != NULL)
		return open_text(im->beside, im->besides, name, path, file);
	if (im->path == NULL)
		return "is not read: the launch came from no file";
	if ((name[0] == '/' && im->root == NULL) || name[0] == '~' || name[0] == '\0')
		return "is not read: only what lies beside the launch is (fix: --root with the directory that it lies in)";
	if (!find_named(im, from, name, path))
		return "is not there, or not in the directory of the launch (--root names another): what it sets is not known";
	if (!slurp_file(file, path, why, sizeof why))
		return "can not be read: what it sets is not known";
	if (++im->files > NAMED_FILES_MAX || (im->files_size += file->size) > NAMED_SIZE_MAX) {
		free(file->text);
		return "is not read: too many files, or too large";
	}
	if (memchr(file->text, '\0', file->size) == NULL && utf8_valid(file->text))
		return NULL;
	free(file->text);
	return "is no text";
}

char *
named_text(struct import *im, const char *name, size_t *size)
{
	char path[PLANFILE_PATH_SIZE];
	struct slurp file;

	if (open_named(im, im->path, name, path, &file) != NULL)
		return NULL;
	*size = file.size;
	return file.text;
}

/* ---- settings over settings --------------------------------------------------------------- */

/* Mappings are merged, all else is replaced. */
static void
merge(json_t *into, json_t *over, int depth)
{
	const char *key;
	json_t *value;

	if (depth > JSONIN_DEPTH_MAX)
		return;
	json_object_foreach(over, key, value) {
		json_t *old = json_object_get(into, key);

		if (json_is_object(old) && json_is_object(value))
			merge(old, value, depth + 1);
		else
			json_object_set_new(into, key, json_deep_copy(value));
	}
}

static json_t *inherit(struct import *im, const char *from, json_t *own, int depth);

static json_t *
read_settings(struct import *im, const char *from, const char *name, const char *key, int depth)
{
	char path[PLANFILE_PATH_SIZE];
	struct jsonin j;
	struct slurp file;
	const char *why = open_named(im, from, name, path, &file);
	json_t *out = NULL;
	bool ok;

	if (why != NULL) {
		notes_add(&im->ignored, "%s: %s %s", key, name, why);
		return NULL;
	}
	notes_add(&im->taken, "%s -> the settings of %s", key, name);
	ok = strstr(name, ".toml") != NULL ? tomlin_parse(&j, file.text, path, im->errors) :
	    file.text[strspn(file.text, " \t\r\n")] == '{' ?
	    jsonin_parse(&j, file.text, file.size, path, im->errors) :
	    yamlin_parse(&j, file.text, file.size, path, im->errors);
	if (ok && json_is_object(j.root))
		out = inherit(im, path, json_incref(j.root), depth + 1);
	jsonin_free(&j);
	free(file.text);
	return out;
}

static void
note_unread(struct import *im, const char *key, const char *name)
{
	if (im->unread[0] == '\0')
		text_put(im->unread, sizeof im->unread, "%s: %s", key, name);
}

/* One of the things that `defaults` lists. */
static void
take_over(struct import *im, const char *from, const json_t *part, json_t *into, int depth)
{
	const char *group = NULL, *option = json_string_value(part);
	char name[PLANFILE_PATH_SIZE];
	json_t *settings;

	if (json_is_object(part) && json_object_size(part) == 1) {
		group = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)part));
		option = json_string_value(json_object_get(part, group));
	}
	if (option == NULL)
		return;
	text_put(name, sizeof name, "%s%s%s%s", group != NULL ? group : "", group != NULL ? "/" : "", option,
	    strstr(option, ".y") != NULL || strstr(option, ".json") != NULL ? "" : ".yaml");
	if ((settings = read_settings(im, from, name, "defaults", depth)) == NULL) {
		note_unread(im, "defaults", name);
		return;
	}
	if (group != NULL) {
		json_t *wrapped = json_object();

		json_object_set_new(wrapped, group, settings);
		settings = wrapped;
	}
	merge(into, settings, 0);
	json_decref(settings);
}

/* Settings with all that they take over; own is taken over too. */
static json_t *
inherit(struct import *im, const char *from, json_t *own, int depth)
{
	const char *key = json_object_get(own, "defaults") != NULL ? "defaults" : json_object_get(own, "extends") != NULL ?
	    "extends" : "bases"; /* of Primus, its older name last */
	json_t *from_list = json_incref(json_object_get(own, key)), *out;
	const size_t count = json_is_array(from_list) ? json_array_size(from_list) : from_list != NULL;
	bool own_is_in = false;

	if (count == 0 || depth > INHERIT_DEPTH) {
		json_decref(from_list);
		return own;
	}
	json_object_del(own, key);
	out = json_object();
	for (size_t i = 0; i < count && i < NAMED_FILES_MAX; i++) {
		const json_t *part = json_is_array(from_list) ? json_array_get(from_list, i) : from_list;

		if (json_is_string(part) && text_equal(json_string_value(part), "_self_")) {
			merge(out, own, 0);
			own_is_in = true;
		} else {
			take_over(im, from, part, out, depth);
		}
	}
	if (!own_is_in)
		merge(out, own, 0);
	json_decref(from_list);
	json_decref(own);
	return out;
}

struct json_t *
named_settings(struct import *im, const char *name, const char *key)
{
	return read_settings(im, im->path, name, key, 0);
}

void
named_below(struct import *im, struct jsonin *j, const char *name, const char *key)
{
	json_t *below = named_settings(im, name, key);

	if (below == NULL) {
		note_unread(im, key, name);
		return;
	}
	merge(below, j->root, 0);
	json_decref(j->root);
	j->root = below;
}

/* ---- references --------------------------------------------------------------------------- */

/* What "${a.b}" refers to where that is a plain value, else NULL. */
static json_t *
referred(json_t *root, const char *text)
{
	size_t n = strlen(text);
	json_t *at = root;
	char name[96];

	if (n < 4 || memcmp(text, "${", 2) != 0 || text[n - 1] != '}')
		return NULL;
	for (text += 2; at != NULL && *text != '\0'; text += n + 1) {
		n = strcspn(text, ".}");
		text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, text);
		at = json_object_get(at, name);
		if (text[n] == '}')
			return text[n + 1] == '\0' && !json_is_object(at) && !json_is_array(at) ? at : NULL;
	}
	return NULL;
}

static void
put_references(json_t *root, json_t *node, int depth)
{
	json_t *value, *is;
	const char *key;

	if (depth > JSONIN_DEPTH_MAX)
		return;
	json_object_foreach(node, key, value) {
		if (json_is_object(value))
			put_references(root, value, depth + 1);
		else if (json_is_string(value) && (is = referred(root, json_string_value(value))) != NULL)
			json_object_set(node, key, is);
	}
}

void
named_inherit(struct import *im, struct jsonin *j)
{
	j->root = inherit(im, im->path, j->root, 0);
	for (int i = 0; i < REFERENCE_PASSES; i++) /* of references to references */
		put_references(j->root, j->root, 0);
}
