#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/pattern.h"
#include "file/plan/errors.h"
#include "file/catalogue/catalog_file.h"
#include "file/catalogue/catalog_text.h"
#include "file/plan/pathname.h"
#include "file/plan/paths.h"
#include "file/plan/cfg.h"
#include "file/plan/slurp.h"

/* One kind of catalogue file: NAME.cfg holds NAME = ( { ... }, ... ); and further lists whose
 * names go on after an underscore, as `models --from` prints them. */
struct kind {
	const char *name, *section;
	size_t list; /* offset in struct catalog */
};

static const struct kind gpus = { "gpus", "cluster", offsetof(struct catalog, gpus) };
static const struct kind models = { "models", "model", offsetof(struct catalog, models) };

struct loader {
	struct catalog *catalog;
	struct file_errors *errors;
	struct plan defaults; /* made once: it is the dearest part of an entry */
};

/* ---- lists ------------------------------------------------------------------------- */

static struct catalog_entry *
list_grow(struct catalog_list *list)
{
	size_t n = list->count;
	struct catalog_entry *entry = list->entry;

	/* Room is a power of two. */
	if ((n & (n - 1)) == 0) {
		entry = realloc(entry, (n == 0 ? 1 : n * 2) * sizeof *entry);
		if (entry == NULL)
			return NULL;
		list->entry = entry;
	}
	list->count++;
	return &entry[n];
}

/* Add an entry; one of that name that stands before `first`, in an earlier file, is
 * replaced instead. */
static bool
list_put(struct catalog_list *list, size_t first, const struct catalog_entry *entry)
{
	struct catalog_entry *place = NULL;

	for (size_t i = 0; i < first && place == NULL; i++)
		if (strcasecmp(list->entry[i].id, entry->id) == 0)
			place = &list->entry[i];
	if (place == NULL && (place = list_grow(list)) == NULL)
		return false;
	*place = *entry;
	return true;
}

/* ---- entries of models.cfg and gpus.cfg ----------------------------------------------- */

/* Names are typed on command lines: nothing that a shell or an eye would stumble over. */
static bool
good_id(const char *id)
{
	if (id[0] == '\0')
		return false;
	for (; *id != '\0'; id++)
		if (!isalnum((unsigned char)*id) && strchr("._+-", *id) == NULL)
			return false;
	return true;
}

/* A list of texts, joined by '|' in buf. */
static bool
put_texts(const struct cfg_reader *r, const config_setting_t *s, const char *key, char *buf,
    size_t size)
{
	const int type = config_setting_type(s);
	char text[PLAN_ID_SIZE];

	if (type != CONFIG_TYPE_ARRAY && type != CONFIG_TYPE_LIST) {
		cfg_error(r, s, key, "needs a list of texts (fix: %s = [\"...\"];)", key);
		return false;
	}
	buf[0] = '\0';
	for (int i = 0; i < config_setting_length(s); i++) {
		const size_t used = strlen(buf);

		if (!cfg_text(r, config_setting_get_elem(s, (unsigned)i), key, text, sizeof text))
			return false;
		if (text[0] == '\0' || strchr(text, '|') != NULL) {
			cfg_error(r, s, key, "these texts may not be empty or hold a |");
			return false;
		}
		if (used + strlen(text) + 2 > size) {
			cfg_error(r, s, key, "too long: more than %zu bytes together", size - 1);
			return false;
		}
		text_add(buf, size, "%s%s", used > 0 ? "|" : "", text);
	}
	return true;
}

static bool
put_aliases(const struct cfg_reader *r, const config_setting_t *s, struct catalog_entry *entry)
{
	char alias[PLAN_ID_SIZE];

	if (!put_texts(r, s, "aliases", entry->aliases, sizeof entry->aliases))
		return false;
	for (int64_t i = 0; catalog_alias(entry, i, alias, sizeof alias); i++)
		if (!good_id(alias)) {
			cfg_error(r, s, "aliases", "a name is made of letters, digits and . _ + -");
			return false;
		}
	return true;
}

/* The name of a checkpoint goes into scripts: only what needs no quotes there. */
static bool
put_checkpoint(const struct cfg_reader *r, const config_setting_t *s, struct catalog_entry *entry)
{
	char *slash;
	bool good;

	if (!cfg_text(r, s, "checkpoint", entry->checkpoint, sizeof entry->checkpoint))
		return false;
	slash = strchr(entry->checkpoint, '/');
	if (slash == NULL) {
		cfg_error(r, s, "checkpoint", "is OWNER/NAME");
		return false;
	}
	*slash = '\0';
	good = good_id(entry->checkpoint) && good_id(slash + 1);
	*slash = '/';
	if (!good)
		cfg_error(r, s, "checkpoint", "a name is made of letters, digits and . _ + -");
	return good;
}

static bool
put_member(const struct cfg_reader *r, const config_setting_t *s, const struct kind *kind,
    struct catalog_entry *entry, int *last)
{
	const char *key = config_setting_name(s);
	char path[160];
	enum field_id f;

	if (strcmp(key, "id") == 0) {
		if (!cfg_text(r, s, "id", entry->id, sizeof entry->id))
			return false;
		if (good_id(entry->id))
			return true;
		cfg_error(r, s, "id", "a name is made of letters, digits and . _ + -");
		return false;
	}
	if (strcmp(key, "title") == 0)
		return cfg_text(r, s, key, entry->title, sizeof entry->title);
	if (strcmp(key, "source") == 0)
		return cfg_text(r, s, key, entry->source, sizeof entry->source);
	if (strcmp(key, "checkpoint") == 0 && kind == &models)
		return put_checkpoint(r, s, entry);
	if (strcmp(key, "aliases") == 0)
		return put_aliases(r, s, entry);
	if (strcmp(key, "names") == 0 && kind == &gpus)
		return put_texts(r, s, key, entry->names, sizeof entry->names);
	if (strcmp(key, "total_params") == 0 && kind == &models)
		return cfg_int(r, s, key, &entry->total_params);
	if (strcmp(key, "published") == 0 && kind == &models)
		return cfg_int(r, s, key, &entry->published);
	if ((f = cfg_field(kind->section, key, path, sizeof path, last)) != FIELD_COUNT)
		return cfg_put(r, s, path, f, &entry->values);
	return cfg_unknown(r, s, path);
}

/* No name or alias of an entry is one of those that stand before it in its file. */
static bool
names_are_new(const struct cfg_reader *r, const config_setting_t *group,
    const struct catalog_list *list, size_t first, const struct catalog_entry *entry)
{
	const struct catalog_list file = { .count = list->count - first,
		.entry = list->entry != NULL ? list->entry + first : NULL };
	char name[PLAN_ID_SIZE];
	int64_t i = 0;

	text_put(name, sizeof name, "%s", entry->id);
	do {
		if (file.count > 0 && catalog_find(&file, name) != NULL) {
			cfg_error(r, group, i == 0 ? "id" : "aliases",
			    "\"%s\" is there twice (fix: rename one)", name);
			return false;
		}
	} while (catalog_alias(entry, i++, name, sizeof name));
	return true;
}

static bool
put_entry(const struct loader *l, const struct cfg_reader *r, const config_setting_t *group,
    const struct kind *kind, struct catalog_list *list, size_t first)
{
	struct catalog_entry entry;
	bool ok = true;
	int last = 0;

	memset(&entry, 0, sizeof entry);
	entry.values = l->defaults;
	show_path(entry.file, sizeof entry.file, r->file);
	if (config_setting_type(group) != CONFIG_TYPE_GROUP) {
		cfg_error(r, group, kind->name,
		    "needs groups in the list (fix: { id = \"...\"; })");
		return false;
	}
	for (int i = 0; i < config_setting_length(group); i++)
		ok = put_member(r, config_setting_get_elem(group, (unsigned)i), kind, &entry,
		    &last) && ok;
	if (!ok)
		return false;
	pattern_settle(&entry.values.model);
	if (entry.id[0] == '\0') {
		cfg_error(r, group, kind->name, "an entry without a name (fix: id = \"...\";)");
		return false;
	}
	if (entry.title[0] == '\0')
		text_copy(entry.title, sizeof entry.title, entry.id);
	if (!names_are_new(r, group, list, first, &entry))
		return false;
	if (list_put(list, first, &entry))
		return true;
	errors_add(l->errors, r->file, 0, "", "out of memory");
	return false;
}

static bool
put_entries(const struct loader *l, const struct cfg_reader *r, const config_setting_t *root,
    const struct kind *kind)
{
	struct catalog_list *list =
	    (struct catalog_list *)(void *)((char *)l->catalog + kind->list);
	size_t first = list->count;
	const size_t n = strlen(kind->name);
	bool ok = cfg_format(r, root), many;

	if (!ok)
		return false;
	for (int i = 0; i < config_setting_length(root); i++) {
		const config_setting_t *s = config_setting_get_elem(root, (unsigned)i);
		const char *name = config_setting_name(s);

		if (strcmp(name, "format") == 0)
			continue;
		if (strncmp(name, kind->name, n) != 0 || (name[n] != '\0' && name[n] != '_')) {
			cfg_error(r, s, name, "unknown key (fix: %s = ( { ... } );)", kind->name);
			ok = false;
			continue;
		}
		many = list->count + (size_t)config_setting_length(s) > CATALOG_ENTRIES_MAX;
		if (many || config_setting_type(s) != CONFIG_TYPE_LIST) {
			cfg_error(r, s, name, "needs a %s (fix: %s = ( { ... } );)", many ? "shorter list" : "list",
			    kind->name);
			ok = false;
			continue;
		}
		for (int k = 0; k < config_setting_length(s); k++)
			ok = put_entry(l, r, config_setting_get_elem(s, (unsigned)k), kind, list,
			    first) && ok;
	}
	return ok;
}

/* Read one file of entries; `needed` says whether it must be there. */
static bool
load_entries(const struct loader *l, const char *path, const struct kind *kind, bool needed)
{
	const struct cfg_reader r = { path, NULL, l->errors };
	struct slurp in;
	struct cfg cfg;
	char why[256];
	bool ok;

	if (!slurp_part(&in, path, SIZE_MAX, why, sizeof why)) {
		if (!needed && (in.error == ENOENT || in.error == ENOTDIR))
			return true;
		if (!needed && in.error != 0) {
			errors_warn(l->errors, path, "%s; what it has is left out", why);
			return true;
		}
		errors_add(l->errors, path, 0, "", "%s%s", why, needed && in.error == ENOENT ?
		    " (fix: make install, or name its directory in SHARDPLAN_DATADIR)" : "");
		return false;
	}
	ok = cfg_parse(&cfg, &r, in.text, in.size) &&
	    put_entries(l, &r, config_root_setting(&cfg.config), kind);
	cfg_close(&cfg);
	free(in.text);
	return ok;
}

/* ---- clusters ------------------------------------------------------------------------- */

static bool
load_cluster(const struct loader *l, const char *dir, const char *name, size_t first)
{
	struct catalog_list *list = &l->catalog->clusters;
	struct catalog_entry entry;
	struct planfile *file = malloc(sizeof *file);
	char path[PLANFILE_PATH_SIZE];
	const size_t length = strlen(name) - strlen(".cfg");
	struct plan plan;
	bool ok = false;

	memset(&entry, 0, sizeof entry);
	text_put(path, sizeof path, "%s/%s", dir, name);
	text_put(entry.id, sizeof entry.id, "%.*s", (int)length, name);
	if (file == NULL) {
		errors_add(l->errors, path, 0, "", "out of memory");
	} else if (length >= sizeof entry.id) {
		errors_add(l->errors, path, 0, "", "the name of a cluster is too long: %zu bytes "
		    "(fix: rename the file, to at most %zu and .cfg)", length, sizeof entry.id - 1);
	} else if (!good_id(entry.id)) {
		errors_add(l->errors, path, 0, "",
		    "the name of a cluster is made of letters, digits and . _ + -");
	} else if (planfile_read(file, &plan, path, l->catalog, l->errors)) {
		entry.values = l->defaults;
		for (int i = 0; i < FIELD_COUNT; i++)
			if (strncmp(field_table[i].path, "cluster.", 8) == 0 &&
			    field_is_set((enum field_id)i, &plan))
				field_copy((enum field_id)i, &entry.values, &plan);
		text_put(entry.title, sizeof entry.title, "%s",
		    plan.name[0] != '\0' ? plan.name : entry.id);
		text_put(entry.source, sizeof entry.source, "%s", plan.notes);
		show_path(entry.file, sizeof entry.file, path);
		ok = list_put(list, first, &entry);
	}
	free(file);
	return ok;
}

static int
is_cluster_file(const struct dirent *e)
{
	return e->d_name[0] != '.' && pathname_is_plan(e->d_name);
}

/* In one order, so that lists are alike everywhere. */
static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool
load_clusters(const struct loader *l, const char *dir, bool needed)
{
	const size_t first = l->catalog->clusters.count;
	struct dirent **name;
	const int count = scandir(dir, &name, is_cluster_file, by_name);
	bool ok = true;

	if (count < 0) {
		if (!needed && (errno == ENOENT || errno == ENOTDIR))
			return true;
		if (!needed) {
			errors_warn(l->errors, dir, "can not be read: %s; what it has is left out", strerror(errno));
			return true;
		}
		errors_add(l->errors, dir, 0, "", "can not be read: %s", strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++) {
		ok = load_cluster(l, dir, name[i]->d_name, first) && ok;
		free(name[i]);
	}
	free(name);
	return ok;
}

/* ---- all of it ------------------------------------------------------------------------ */

typedef bool path_finder(char *buf, size_t size, const char *name);

static bool
load_from(const struct loader *l, path_finder *find, bool needed)
{
	static const struct kind *const kinds[] = { &gpus, &models };
	char path[PLANFILE_PATH_SIZE], name[32];
	bool ok = true;

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		text_put(name, sizeof name, "%s.cfg", kinds[i]->name);
		if (find(path, sizeof path, name)) {
			ok = load_entries(l, path, kinds[i], needed) && ok;
		} else if (needed) {
			errors_add(l->errors, name, 0, "", "the data directory's name is too long");
			ok = false;
		}
	}
	return ok;
}

bool
catalog_load_clusters(struct catalog *catalog, struct file_errors *errors)
{
	const struct loader l = { .catalog = catalog, .errors = errors,
		.defaults = catalog->defaults };
	char path[PLANFILE_PATH_SIZE];
	bool ok = paths_data(path, sizeof path, "clusters") && load_clusters(&l, path, true);

	if (paths_config(path, sizeof path, "clusters"))
		ok = load_clusters(&l, path, false) && ok;
	return ok;
}

/* Begin an empty catalogue. NULL without memory. */
static struct loader *
loader_new(struct catalog *catalog, struct file_errors *errors)
{
	struct loader *l = malloc(sizeof *l);

	memset(catalog, 0, sizeof *catalog);
	if (l == NULL) {
		errors_add(errors, "catalogue", 0, "", "out of memory");
		return NULL;
	}
	l->catalog = catalog;
	l->errors = errors;
	plan_defaults(&l->defaults);
	catalog->defaults = l->defaults;
	catalog->has_defaults = true;
	return l;
}

/* Read one entry of a shipped file, which costs a hundredth of the file. */
static bool
load_entry(const struct loader *l, const struct cfg_reader *r, const struct kind *kind,
    const char *entry, size_t size)
{
	struct cfg cfg = { .parsed = false };
	char *text = malloc(size + 64);
	bool ok = false;

	if (text != NULL) {
		size_t n = text_put(text, size + 64, "%s = ( %.*s );", kind->name, (int)size, entry);

		ok = cfg_parse(&cfg, r, text, n) &&
		    put_entries(l, r, config_root_setting(&cfg.config), kind);
		cfg_close(&cfg);
	}
	free(text);
	return ok;
}

/* Read the entries of a shipped file that are named, of its first bytes or all; false where one is not
 * there. */
static bool
load_part(const struct loader *l, const struct cfg_reader *r, const struct kind *kind,
    const struct catalog_names *names, size_t most)
{
	const char *entry[CATALOG_NAMES];
	size_t size[CATALOG_NAMES], found = 0;
	char why[256];
	struct slurp in;
	bool ok = true;

	if (!slurp_part(&in, r->file, most, why, sizeof why))
		return false;
	for (size_t i = 0; i < names->count; i++)
		if ((entry[found] = catalog_text_entry(in.text, in.size == most, names->name[i], &size[found])) != NULL)
			found++;
	ok = found == names->count || in.size < most;
	for (size_t i = 0; ok && i < found; i++)
		ok = load_entry(l, r, kind, entry[i], size[i]);
	free(in.text);
	return ok;
}

/* Models and GPUs that are asked for most stand first in their files: for them the rest is not read. */
enum { PART = 16384 };

static bool
load_shipped(const struct loader *l, const struct kind *kind, const struct catalog_names *names)
{
	char path[PLANFILE_PATH_SIZE];
	const struct cfg_reader r = { path, NULL, l->errors };

	return names->count <= CATALOG_NAMES && paths_data(path, sizeof path, TEXT_OF(32, "%s.cfg", kind->name)) &&
	    (load_part(l, &r, kind, names, PART) || load_part(l, &r, kind, names, SIZE_MAX));
}

static bool
has_all(const struct catalog_list *list, const struct catalog_names *names)
{
	size_t found = 0;

	while (found < names->count && catalog_find(list, names->name[found]) != NULL)
		found++;
	return found == names->count;
}

void
catalog_name(struct catalog_names *names, const char *name)
{
	if (names->count < CATALOG_NAMES)
		names->name[names->count] = name;
	names->count++;
}

bool
catalog_load_named(struct catalog *catalog, const struct catalog_names *gpu_names,
    const struct catalog_names *model_names, struct file_errors *errors)
{
	struct loader *l = loader_new(catalog, errors);
	const bool ok = l != NULL && load_shipped(l, &gpus, gpu_names) &&
	    load_shipped(l, &models, model_names) && load_from(l, paths_config, false) &&
	    has_all(&catalog->gpus, gpu_names) && has_all(&catalog->models, model_names);

	free(l);
	if (!ok)
		catalog_free(catalog);
	return ok;
}

bool
catalog_load(struct catalog *catalog, struct file_errors *errors)
{
	struct loader *l = loader_new(catalog, errors);
	bool ok;

	if (l == NULL)
		return false;
	/* The user's entries come second, so that they replace shipped ones. */
	ok = load_from(l, paths_data, true);
	ok = load_from(l, paths_config, false) && ok;
	free(l);
	if (!ok)
		catalog_free(catalog);
	return ok;
}

void
catalog_free(struct catalog *catalog)
{
	free(catalog->gpus.entry);
	free(catalog->models.entry);
	free(catalog->clusters.entry);
	memset(catalog, 0, sizeof *catalog);
}
