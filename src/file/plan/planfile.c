#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "file/plan/errors.h"
#include "file/plan/pathname.h"
#include "file/plan/paths.h"
#include "file/plan/cfg.h"
#include "file/plan/emit.h"
#include "file/plan/planfile.h"
#include "file/plan/slurp.h"

/* One file of a chain of plans; each is the base of the one before it. */
struct link {
	char path[PLANFILE_PATH_SIZE]; /* as opened, and as complaints name it */
	char base[PLANFILE_PATH_SIZE];
	unsigned base_line;
	struct cfg cfg;
	struct file_stamp stamp;
	bool readable; /* known, and of a format that we know */
};

enum { LINKS_MAX = PLANFILE_DEPTH_MAX + 1 };

struct chain {
	struct link *link[LINKS_MAX];
	int count;
	unsigned values; /* in all of them: the parsed ones stay in memory together */
	const struct catalog *catalog;
	struct file_errors *errors;
};

static struct cfg_reader
reader(const struct chain *c, const struct link *l)
{
	return (struct cfg_reader){ l->path, c->catalog, c->errors };
}

/* ---- one file ---------------------------------------------------------------------- */

static bool
is_section(const char *name)
{
	size_t n = strlen(name);

	for (int f = 0; f < FIELD_COUNT; f++)
		if (strncmp(field_table[f].path, name, n) == 0 && field_table[f].path[n] == '.')
			return true;
	return false;
}

/* A name at the top that is neither a field nor a section. */
static void
complain_unknown(const struct cfg_reader *r, const config_setting_t *s)
{
	const char *near;
	enum field_id f;
	char name[64], section[32]; /* cut: it may be as long as the file */

	text_put(name, sizeof name, "%s", config_setting_name(s));
	f = field_find(name);
	near = text_nearer(name, text_nearer(name, NULL, "format"), "base");
	for (size_t i = 0; emit_section_name(i) != NULL; i++)
		near = text_nearer(name, near, emit_section_name(i));
	if (f != FIELD_COUNT) {
		field_section(f, section, sizeof section);
		cfg_error(r, s, name, "belongs into a section (fix: %s: { %s = ...; };)", section,
		    field_key(f));
	} else if (near != NULL)
		cfg_error(r, s, name, "unknown key (fix: did you mean %s?)", near);
	else
		cfg_unknown(r, s, name);
}

/* Put what one file says over what the plan holds. */
static bool
apply(const struct chain *c, const struct link *l, struct plan *p)
{
	const struct cfg_reader r = reader(c, l);
	const config_setting_t *root = config_root_setting(&l->cfg.config);
	int count = config_setting_length(root);
	bool ok = true;

	for (int i = 0; i < count; i++) {
		const config_setting_t *s = config_setting_get_elem(root, (unsigned)i);
		const char *name = config_setting_name(s);
		enum field_id f = field_by_path(name, strlen(name));

		if (strcmp(name, "format") == 0 || strcmp(name, "base") == 0)
			continue;
		if (f != FIELD_COUNT) {
			ok = cfg_put(&r, s, name, f, p) && ok;
		} else if (!is_section(name)) {
			complain_unknown(&r, s);
			ok = false;
		} else if (config_setting_type(s) != CONFIG_TYPE_GROUP) {
			cfg_error(&r, s, name, "needs a group (fix: %s: { ... };)", name);
			ok = false;
		} else {
			ok = cfg_put_section(&r, s, name, p) && ok;
		}
	}
	return ok;
}

/* Small enough with its newest link; else a complaint where that is named. */
static bool
is_small(const struct chain *c)
{
	const struct link *from = c->link[c->count - 2];

	if (c->values <= SCAN_VALUES_MAX)
		return true;
	errors_add(c->errors, from->path, from->base_line, "base",
	    "plans that build on one another hold more than %d settings and members of lists "
	    "(fix: leave out what no plan needs)", (int)SCAN_VALUES_MAX);
	return false;
}

/* Parse the text of the newest link and find its base. */
static bool
parse_link(struct chain *c, const char *text, size_t size)
{
	struct link *l = c->link[c->count - 1];
	const struct cfg_reader r = reader(c, l);
	const config_setting_t *root, *base;

	if (!cfg_parse(&l->cfg, &r, text, size))
		return false;
	c->values += l->cfg.found.values;
	root = config_root_setting(&l->cfg.config);
	if (!cfg_format(&r, root))
		return false;
	l->readable = true;
	if ((base = config_setting_get_member(root, "base")) == NULL)
		return true;
	l->base_line = config_setting_source_line(base);
	if (cfg_text(&r, base, "base", l->base, sizeof l->base))
		return true;
	l->base[0] = '\0';
	return false;
}

/* ---- the chain --------------------------------------------------------------------- */

static struct link *
add_link(struct chain *c, const char *path)
{
	struct link *l = calloc(1, sizeof *l);

	if (l == NULL) {
		errors_add(c->errors, path, 0, "", "out of memory");
		return NULL;
	}
	if (!text_copy(l->path, sizeof l->path, path)) {
		errors_add(c->errors, path, 0, "", "this file name is too long");
		free(l);
		return NULL;
	}
	c->link[c->count++] = l;
	return l;
}

/*
 * The file that a base names: seen from the directory of the file that names it. Where
 * there is none, a relative name without ".." is looked for among the user's own files and the
 * shipped ones, so that base = "clusters/dgx-h100.cfg" works from everywhere.
 */
static bool
find_base(char *buf, size_t size, const char *from, const char *base)
{
	static bool (*const places[])(char *buf, size_t size, const char *name) = {
		paths_config, paths_data
	};
	char found[PLANFILE_PATH_SIZE];
	struct stat st;

	if (!pathname_beside(buf, size, from, base))
		return false;
	if (base[0] == '/' || strstr(base, "..") != NULL || stat(buf, &st) == 0 || errno != ENOENT)
		return true;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (places[i](found, sizeof found, base) && stat(found, &st) == 0)
			return text_copy(buf, size, found);
	return true;
}

/* True, with a complaint, when the file of stamp is in the chain already. */
static bool
is_circle(const struct chain *c, const struct link *from, const char *path,
    const struct file_stamp *stamp)
{
	char names[300], one[64];
	bool found = false;

	names[0] = '\0';
	for (int i = 0; i < c->count; i++) {
		const struct file_stamp *known = &c->link[i]->stamp;

		found = found || (known->exists && known->device == stamp->device &&
		    known->inode == stamp->inode);
		if (found) {
			show_path(one, sizeof one, c->link[i]->path);
			text_add(names, sizeof names, "%s -> ", one);
		}
	}
	if (!found)
		return false;
	show_path(one, sizeof one, path);
	errors_add(c->errors, from->path, from->base_line, "base",
	    "plans build on one another in a circle: %s%s (fix: remove one base)", names, one);
	return true;
}

/* Read the base of the newest link and make it the newest. */
static bool
read_base(struct chain *c)
{
	const struct link *from = c->link[c->count - 1];
	char path[PLANFILE_PATH_SIZE], shown[160], why[256];
	struct slurp in;
	struct link *l;
	bool ok = false;

	if (!find_base(path, sizeof path, from->path, from->base)) {
		errors_add(c->errors, from->path, from->base_line, "base",
		    "this file name is too long");
		return false;
	}
	if (!slurp_file(&in, strcmp(path, "-") == 0 ? "./-" : path, why, sizeof why)) {
		show_path(shown, sizeof shown, path);
		errors_add(c->errors, from->path, from->base_line, "base", "%s %s", shown, why);
		return false;
	}
	if (is_circle(c, from, path, &in.stamp)) {
		/* said already */
	} else if (c->count == LINKS_MAX) {
		errors_add(c->errors, from->path, from->base_line, "base",
		    "more than %d plans build on one another (fix: join some of them)",
		    (int)PLANFILE_DEPTH_MAX);
	} else if ((l = add_link(c, path)) != NULL) {
		l->stamp = in.stamp;
		ok = parse_link(c, in.text, in.size) && is_small(c);
	}
	free(in.text);
	return ok;
}

static void
free_chain(struct chain *c)
{
	for (int i = 0; i < c->count; i++) {
		cfg_close(&c->link[i]->cfg);
		free(c->link[i]);
	}
}

/* The first link stands: read what it builds on and put that together, base first. */
static bool
read_bases(struct chain *c, struct plan *plan)
{
	const size_t before = c->errors->count;
	bool ok;

	while (c->link[c->count - 1]->base[0] != '\0' && read_base(c))
		continue;
	ok = c->errors->count == before;
	plan_defaults(plan);
	for (int i = c->count - 1; i > 0; i--)
		if (c->link[i]->readable)
			ok = apply(c, c->link[i], plan) && ok;
	return ok;
}

static bool
read_chain(struct chain *c, const char *text, size_t size, struct planfile *file,
    struct plan *plan)
{
	const struct link *first = c->link[0];
	bool ok = parse_link(c, text, size);

	ok = read_bases(c, plan) && ok;
	file->inherited = *plan;
	if (first->readable)
		ok = apply(c, first, plan) && ok;
	memcpy(file->base, first->base, sizeof file->base);
	file->has_comments = first->cfg.found.comments;
	file->stamp = first->stamp;
	if (ok)
		plan_resolve(plan, c->catalog);
	return ok;
}

bool
planfile_read_text(struct planfile *file, struct plan *plan, const char *name, const char *text,
    size_t size, const struct catalog *catalog, struct file_errors *errors)
{
	struct chain c = { .catalog = catalog, .errors = errors };
	bool ok;

	memset(file, 0, sizeof *file);
	ok = add_link(&c, name) != NULL && read_chain(&c, text, size, file, plan);
	free_chain(&c);
	return ok;
}

bool
planfile_read(struct planfile *file, struct plan *plan, const char *path,
    const struct catalog *catalog, struct file_errors *errors)
{
	bool input = strcmp(path, "-") == 0, ok;
	const char *name = input ? "<stdin>" : path;
	struct chain c = { .catalog = catalog, .errors = errors };
	struct slurp in;
	struct stat st;
	char why[256];

	memset(file, 0, sizeof *file);
	if (!slurp_file(&in, path, why, sizeof why)) {
		const bool pipe = !input && stat(path, &st) == 0 && S_ISFIFO(st.st_mode);

		errors_add(errors, name, 0, "", "%s%s", why,
		    pipe ? " (fix: give '-' and pipe it)" : "");
		return false;
	}
	ok = add_link(&c, name) != NULL;
	if (ok) {
		c.link[0]->stamp = in.stamp;
		ok = read_chain(&c, in.text, in.size, file, plan);
	}
	if (ok && !input)
		text_copy(file->path, sizeof file->path, path);
	free(in.text);
	free_chain(&c);
	return ok;
}

bool
planfile_inherited(const struct planfile *file, struct plan *inherited,
    const struct catalog *catalog, struct file_errors *errors)
{
	struct chain c = { .catalog = catalog, .errors = errors };
	struct link *first = add_link(&c, file->path);
	bool ok = false;

	if (first != NULL) {
		memcpy(first->base, file->base, sizeof first->base);
		first->stamp = file->stamp;
		ok = read_bases(&c, inherited);
	}
	free_chain(&c);
	return ok;
}

void
planfile_builtin(struct planfile *file, struct plan *plan, const struct catalog *catalog)
{
	struct catalog defaults = { .has_defaults = true };

	memset(file, 0, sizeof *file);
	plan_defaults(&file->inherited);
	defaults.defaults = file->inherited;
	plan_begin(plan);
	plan_resolve(plan, catalog != NULL ? catalog : &defaults);
}
