/* What the screen needs to open and save plans (struct app_files). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/session/drafts.h"
#include "cli/session/launch.h"
#include "cli/session/preferences.h"
#include "cli/session/session.h"
#include "cli/session/shell.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "file/export/export.h"
#include "file/import/import.h"
#include "file/log/run.h"
#include "file/plan/errors.h"
#include "file/plan/pathname.h"
#include "file/plan/paths.h"

/* What is typed into the screen passes no shell: "~/plan.cfg" is in the home directory, "~"
 * is that itself. False when the path is too long. */
static bool
whole_path(char *buf, size_t size, const char *path)
{
	const char *home = getenv("HOME");

	if (path[0] != '~' || (path[1] != '/' && path[1] != '\0') || home == NULL)
		return text_copy(buf, size, path);
	return text_put(buf, size, "%s%s", home, path + 1) == strlen(home) + strlen(path) - 1;
}

/* What a plan is saved as. A name without an extension, which no file has yet, gets that of
 * plans: ".1-8b" of a model's name is none. False, with the reason, when it can not be. */
static bool
save_path(const struct session *s, char *buf, size_t size, const char *path, const char **added,
    char *note, size_t notesize)
{
	const char *last, *dot;
	struct stat st;
	size_t n;

	*added = "";
	if (*path == '\0' || strcmp(path, "-") == 0) {
		text_put(note, notesize, *path == '\0' ? "the plan has no file yet" :
		    "- is standard input, and no file");
		return false;
	}
	if (!whole_path(buf, size, path)) {
		text_put(note, notesize, "the name is too long");
		return false;
	}
	last = pathname_last(buf);
	dot = strrchr(last, '.');
	if (*last == '\0' || (dot != NULL && (dot[1] < '0' || dot[1] > '9')) ||
	    text_equal(buf, s->file.path) || lstat(buf, &st) == 0)
		return true;
	*added = "; .cfg was added to the name";
	n = strlen(buf);
	return text_add(buf, size, ".cfg") == n + 4;
}

/* A launch, where the file is one; note: why it is no plan, or how much of the launch was taken. */
static bool
read_launch(const struct session *s, const char *path, struct planfile *file, struct plan *plan, char *note, size_t size)
{
	struct launch l;
	char account[LAUNCH_NOTE_SIZE];
	const enum import_status status = launch_read(&l, path, &s->catalog, false);

	if (status == IMPORT_DONE) {
		import_clients(&l.im);
		planfile_builtin(file, plan, NULL); /* a file that has no path yet */
		*plan = l.plan;
		launch_note(&l, path, account);
		text_put(note, size, "%s", account);
	} else if (status != IMPORT_UNKNOWN) {
		errors_note(&l.errors, note, size);
	}
	launch_free(&l);
	return status == IMPORT_DONE;
}

static bool
read_plan(const struct session *s, const char *path, struct planfile *file, struct plan *plan,
    char *note, size_t size)
{
	struct file_errors errors = { 0 };
	char whole[PLANFILE_PATH_SIZE];
	struct plan read;

	if (strcmp(path, "-") == 0) {
		text_put(note, size, "a file name is needed, as commands come from standard input");
		return false;
	}
	if (!whole_path(whole, sizeof whole, path)) {
		text_put(note, size, "the name is too long");
		return false;
	}
	if (!planfile_read(file, &read, whole, NULL, &errors)) {
		errors_note(&errors, note, size);
		return !pathname_is_plan(whole) && read_launch(s, whole, file, plan, note, size);
	}
	plan_resolve(&read, &s->catalog); /* names that it lacks are marked, as in session.h */
	*plan = read;
	return true;
}

/* A shipped plan. */
static bool
is_example(const char *path)
{
	char dir[PLANFILE_PATH_SIZE], shipped[PLANFILE_PATH_SIZE];

	return pathname_dir(dir, sizeof dir, path) && paths_data(shipped, sizeof shipped, "plans") &&
	    pathname_same(dir, shipped);
}

static bool
files_open(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	struct session *s = context;
	struct planfile file;
	struct plan builtin;

	if (*path == '\0') {
		planfile_builtin(&s->file, plan, &s->catalog);
		text_put(note, size, "a new plan");
		return true;
	}
	if (!read_plan(s, path, &file, plan, note, size))
		return false;
	s->file = file;
	if (is_example(path)) {
		planfile_builtin(&s->file, &builtin, &s->catalog);
		text_put(note, size, "%s, an example: s saves it as a plan of yours", pathname_last(path));
	} else
		preferences_add_recent(s->file.path);
	return true;
}

static bool
files_peek(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	struct planfile file;

	return read_plan(context, path, &file, plan, note, size);
}

/* How much was taken; the command tells each. */
static bool
files_import(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	struct session *s = context;
	char whole[PLANFILE_PATH_SIZE];
	struct launch l;
	enum import_status status;

	if (strcmp(path, "-") == 0 || !whole_path(whole, sizeof whole, path)) {
		text_put(note, size, "a file name is needed, and a shorter one");
		return false;
	}
	status = launch_import(&l, whole, &s->catalog, false);
	if (status == IMPORT_DONE) {
		import_clients(&l.im);
		text_put(note, size, "%zu taken, %zu assumed, %zu ignored: 'shardplan import' tells each",
		    l.im.taken.count, l.im.assumed.count, l.im.ignored.count);
		import_into(&l.im, plan);
	} else {
		text_put(note, size, "%s", l.errors.line[0]);
	}
	launch_free(&l);
	return status == IMPORT_DONE;
}

/* The name that a text begins with: all of it where there is such a file, else up to a blank.
 * Returns what follows. */
static const char *
first_name(const char *text, char *buf, size_t size)
{
	struct stat st;
	size_t n;

	if (whole_path(buf, size, text) && stat(buf, &st) == 0)
		return text + strlen(text);
	n = strcspn(text, " \t");
	text_put(buf, size, "%.*s", (int)n, text);
	return text + n + strspn(text + n, " \t");
}

static bool
files_measure(MAYBE void *context, const char *files, struct measured *m, char *note, size_t size)
{
	struct file_errors errors = { 0 };
	char name[PLANFILE_PATH_SIZE], whole[PLANFILE_PATH_SIZE];

	while (*files != '\0') {
		files = first_name(files, name, sizeof name);
		if (text_equal(name, "-") || !whole_path(whole, sizeof whole, name) ||
		    !run_read(m, whole, &errors)) {
			text_put(note, size, "%s", errors.count > 0 ? errors.line[errors.count - 1] : "a file name is needed, "
			    "and a shorter one");
			return false;
		}
	}
	return true;
}

/* The first error of a list that has one. */
static const struct diag *
first_error(const struct diag_list *diags)
{
	size_t i = 0;

	while (i + 1 < diags->count && diags->item[i].severity != SEVERITY_ERROR)
		i++;
	return &diags->item[i];
}

static bool
files_export(void *context, const struct plan *plan, const char *target, const char *path,
    char *note, size_t size)
{
	struct session *s = context;
	const struct exporter *by = export_find(target);
	char whole[PLANFILE_PATH_SIZE], source[256];
	struct export e = { .plan = plan, .catalog = &s->catalog, .source = source };
	bool written = false;

	show_path(source, sizeof source, s->file.path[0] != '\0' ? pathname_last(s->file.path) :
	    "a plan without a file");
	if (by == NULL)
		text_put(note, size, "%s: no such target ('shardplan export --list' lists them)", target);
	else if (!whole_path(whole, sizeof whole, path))
		text_put(note, size, "the name is too long");
	else if (export_write(&e, by))
		written = export_save(&e, whole, note, size);
	else
		text_put(note, size, "%s", first_error(&e.diags)->message);
	if (written && e.missing.count > 0)
		text_add(note, size, "; %.*s", (int)strcspn(e.missing.lines.text, "\n"),
		    e.missing.lines.text);
	export_free(&e);
	return written;
}

static const char *
files_target(MAYBE void *context, size_t i)
{
	return i < export_count ? export_table[i].name : NULL;
}

static enum app_saved
files_save(void *context, const char *path, const struct plan *plan, bool force, char *note,
    size_t size)
{
	struct session *s = context;
	char text[1024], target[PLANFILE_PATH_SIZE];
	enum planfile_saved saved;
	const char *added;

	if (path == NULL)
		path = s->file.path;
	/* A copy: writing changes s->file, which path may point into. */
	if (!save_path(s, target, sizeof target, path, &added, note, size))
		return APP_SAVE_FAILED;
	text[0] = '\0';
	saved = planfile_write(&s->file, plan, target, &s->catalog, force, text, sizeof text);
	text_put(note, size, "%s%s", text, saved == PLANFILE_SAVED ? added : "");
	switch (saved) {
	case PLANFILE_SAVED:
		preferences_add_recent(s->file.path);
		return APP_SAVED;
	case PLANFILE_CHANGED:
	case PLANFILE_EXISTS:
		return APP_ASKS;
	case PLANFILE_FAILED:
		break;
	}
	return APP_SAVE_FAILED;
}

static const char *
files_path(void *context)
{
	return ((struct session *)context)->file.path;
}

/* A glob pattern for every path that begins with text, taken literally. */
static bool
complete_pattern(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++) {
		if (n + 4 > size)
			return false;
		if (strchr("*?[\\", *text) != NULL)
			out[n++] = '\\';
		out[n++] = *text;
	}
	out[n++] = '*';
	out[n] = '\0';
	return true;
}

static bool
is_likely(const char *path)
{
	return path[strlen(path) - 1] == '/' || pathname_is_plan(path);
}

/* What is named as plans are, and directories, come before all else. */
static int
by_likeness(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	const int likely = is_likely(y) - is_likely(x);

	return likely != 0 ? likely : strcoll(x, y);
}

static void
forget_matches(struct matches *m)
{
	if (m->are)
		globfree(&m->glob);
	m->are = false;
}

/* The i-th of them; past the last they are forgotten. */
static bool
take_match(struct matches *m, size_t i, char *path, size_t size)
{
	if (m->are && i < m->glob.gl_pathc && text_copy(path, size, m->glob.gl_pathv[i]))
		return true;
	forget_matches(m);
	return false;
}

/* The directory is read once for all of its answers. */
static bool
files_complete(void *context, const char *text, size_t i, char *path, size_t size)
{
	struct matches *m = &((struct session *)context)->paths;
	char pattern[2 * PLANFILE_PATH_SIZE];

	if (i == 0) {
		forget_matches(m);
		if (!complete_pattern(pattern, sizeof pattern, text))
			return false;
		m->are = true;
		if (glob(pattern, GLOB_MARK | GLOB_TILDE | GLOB_NOSORT, NULL, &m->glob) == 0)
			qsort(m->glob.gl_pathv, m->glob.gl_pathc, sizeof *m->glob.gl_pathv, by_likeness);
		else
			forget_matches(m);
	}
	return take_match(m, i, path, size);
}

/* Add what is named as plans are in a directory, "" for the working one. */
static void
look_for_plans(struct matches *m, const char *dir)
{
	char pattern[2 * PLANFILE_PATH_SIZE];

	if (complete_pattern(pattern, sizeof pattern - sizeof ".cfg", dir)) {
		text_add(pattern, sizeof pattern, ".cfg");
		glob(pattern, m->are ? GLOB_APPEND : 0, NULL, &m->glob);
		m->are = true;
	}
}

/* Plans that were opened or saved lately elsewhere, the last one first. */
static void
add_recent(struct matches *m, const char *beside)
{
	char *lines = preferences_recent(), dir[PLANFILE_PATH_SIZE], pattern[2 * PLANFILE_PATH_SIZE];

	for (char *at = lines != NULL ? lines + strlen(lines) : NULL; at != NULL && at > lines;) {
		if (at[-1] == '\n')
			*--at = '\0';
		while (at > lines && at[-1] != '\n')
			at--;
		if (pathname_dir(dir, sizeof dir, at) && !pathname_same(dir, ".") &&
		    !pathname_same(dir, beside) && complete_pattern(pattern, sizeof pattern, at)) {
			pattern[strlen(pattern) - 1] = '\0'; /* that file alone */
			glob(pattern, m->are ? GLOB_APPEND : 0, NULL, &m->glob);
			m->are = true;
		}
	}
	free(lines);
}

/* Here, beside the plan that is open, elsewhere of late, and the examples. */
static void
find_plans(struct session *s)
{
	char dir[PLANFILE_PATH_SIZE] = ".", beside[PLANFILE_PATH_SIZE];

	forget_matches(&s->plans);
	look_for_plans(&s->plans, "");
	if (s->file.path[0] != '\0' && pathname_dir(dir, sizeof dir, s->file.path) &&
	    !pathname_same(dir, ".") && pathname_join(beside, sizeof beside, dir, ""))
		look_for_plans(&s->plans, beside);
	add_recent(&s->plans, dir);
	s->local_plans = s->plans.are ? s->plans.glob.gl_pathc : 0;
	if (paths_data(dir, sizeof dir, "plans/"))
		look_for_plans(&s->plans, dir);
}

static bool
files_find_plan(void *context, size_t i, char *path, size_t size, bool *shipped)
{
	struct session *s = context;

	if (i == 0)
		find_plans(s);
	*shipped = i >= s->local_plans;
	return take_match(&s->plans, i, path, size);
}

/* ---- what sessions leave behind ---------------------------------------------------- */

static bool
files_ready_draft(void *context, const struct plan *plan, bool last, char *note, size_t size)
{
	struct session *s = context;

	return drafts_ready(&s->drafts, s->file.path, plan, &s->catalog, last, note, size);
}

static bool
files_write_draft(void *context, char *note, size_t size)
{
	return drafts_write(&((struct session *)context)->drafts, note, size);
}

static void
files_drop_draft(void *context)
{
	drafts_drop(&((struct session *)context)->drafts);
}

static bool
files_find_draft(void *context, const struct plan *saved, struct plan *draft, char *note,
    size_t size)
{
	struct session *s = context;

	return drafts_exist() && session_whole_catalog(s, note, size) &&
	    drafts_find(&s->drafts, s->file.path, &s->catalog, saved, draft, note, size);
}

static void
files_take_draft(void *context, bool keep)
{
	drafts_take(&((struct session *)context)->drafts, keep);
}

static bool
files_read_catalog(void *context, char *note, size_t size)
{
	return session_whole_catalog(context, note, size);
}

static bool
files_shell(void *context, const char *command, char *note, size_t size)
{
	return shell_run(command, ((struct session *)context)->file.path, note, size);
}

static const struct topic *
files_topic(void *context, const char *language, size_t i)
{
	return session_topic(context, language, i);
}

static const struct texts *
files_texts(void *context, const char *language)
{
	return session_texts(context, language);
}

static bool
files_search(void *context, const struct search *search, size_t room, char *note, size_t size)
{
	return search_live_begin(&((struct session *)context)->live, search, room, note, size);
}

static void
files_search_news(void *context, struct search_news *news, struct search_key *key)
{
	search_live_news(((struct session *)context)->live, news, key);
}

static void
files_search_stop(void *context, bool wait)
{
	search_live_stop(((struct session *)context)->live, wait);
}

struct app_files
session_files(struct session *s)
{
	s->drafts = (struct drafts){ .own = "" };
	s->paths.are = s->plans.are = false;
	s->live = NULL;
	return (struct app_files){ .context = s, .read_catalog = files_read_catalog,
		.open = files_open, .peek = files_peek, .import = files_import, .export = files_export,
		.measure = files_measure,
		.target = files_target, .save = files_save, .path = files_path,
		.complete = files_complete, .find_plan = files_find_plan,
		.ready_draft = files_ready_draft,
		.write_draft = files_write_draft, .drop_draft = files_drop_draft,
		.find_draft = files_find_draft, .take_draft = files_take_draft,
		.topic = files_topic, .texts = files_texts,
		.save_settings = preferences_write,
		.read_lines = preferences_lines, .add_lines = preferences_add_lines,
		.keep_text = preferences_copy, .shell = files_shell,
		.search = files_search, .search_news = files_search_news,
		.search_stop = files_search_stop, .today = search_today };
}
