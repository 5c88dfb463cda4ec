/* What the screen needs to open and save plans (struct app_files). */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/session.h"
#include "core/text.h"
#include "file/paths.h"

static bool
files_open(void *context, const char *path, struct plan *plan, char *note, size_t size)
{
	struct session *s = context;
	struct planfile file;
	struct plan read;
	struct file_errors errors = { 0 };

	if (!planfile_read(&file, &read, path, &s->catalog, &errors)) {
		text_put(note, size, "%s", errors.count > 0 ? errors.line[0] : "can not be read");
		if (errors.count + errors.dropped > 1)
			text_add(note, size, " (and %zu more)", errors.count + errors.dropped - 1);
		return false;
	}
	s->file = file;
	*plan = read;
	return true;
}

static enum app_saved
files_save(void *context, const char *path, const struct plan *plan, bool force, char *note,
    size_t size)
{
	struct session *s = context;
	char text[1024], target[PLANFILE_PATH_SIZE];
	enum planfile_saved saved;

	if (path == NULL)
		path = s->file.path;
	/* A copy: writing changes s->file, which path may point into. */
	if (*path == '\0' || !text_copy(target, sizeof target, path)) {
		text_put(note, size, "%s",
		    *path == '\0' ? "the plan has no file yet" : "the name is too long");
		return APP_SAVE_FAILED;
	}
	text[0] = '\0';
	saved = planfile_write(&s->file, plan, target, &s->catalog, force, text, sizeof text);
	text_put(note, size, "%s", text);
	switch (saved) {
	case PLANFILE_SAVED:
		return APP_SAVED;
	case PLANFILE_CHANGED:
		return APP_CHANGED_ON_DISK;
	case PLANFILE_EXISTS:
		return APP_EXISTS;
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
files_complete(void *context, const char *text, size_t i, char *path, size_t size)
{
	char pattern[2 * PLANFILE_PATH_SIZE];
	glob_t found;
	bool ok;

	(void)context;
	if (!complete_pattern(pattern, sizeof pattern, text))
		return false;
	if (glob(pattern, GLOB_MARK, NULL, &found) != 0) {
		globfree(&found);
		return false;
	}
	ok = i < found.gl_pathc && text_copy(path, size, found.gl_pathv[i]);
	globfree(&found);
	return ok;
}

/* Make the directory of a path and those above it, for the user alone. */
static bool
make_directories(const char *path)
{
	char part[PLANFILE_PATH_SIZE];
	const char *slash = path;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		if ((size_t)(slash - path) >= sizeof part)
			return false;
		text_put(part, sizeof part, "%.*s", (int)(slash - path), path);
		if (mkdir(part, 0700) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

/* "drafts/20261121-080000-plan.cfg": sorted by time, named after the plan's file. */
static void
draft_name(char *buf, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	char stamp[32] = "draft";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm) != NULL)
		strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
	text_put(buf, size, "drafts/%s-%s", stamp, *name != '\0' ? name : "unnamed.cfg");
}

/* A draft stands alone: without the base of the file, whose path is relative to it. */
static bool
files_keep_draft(void *context, const struct plan *plan, char *note, size_t size)
{
	struct session *s = context;
	char name[512], path[PLANFILE_PATH_SIZE], text[1024] = "";
	struct planfile draft;
	struct plan ignored;

	draft_name(name, sizeof name, s->file.path);
	if (!paths_state(path, sizeof path, name) || !make_directories(path)) {
		text_put(note, size, "no directory for a draft");
		return false;
	}
	planfile_builtin(&draft, &ignored, &s->catalog);
	if (planfile_write(&draft, plan, path, &s->catalog, true, text, sizeof text) !=
	    PLANFILE_SAVED) {
		text_put(note, size, "%s", text);
		return false;
	}
	text_put(note, size, "unsaved changes are kept in %s", path);
	return true;
}

struct app_files
session_files(struct session *s)
{
	return (struct app_files){ .context = s, .open = files_open, .save = files_save,
		.path = files_path, .complete = files_complete, .keep_draft = files_keep_draft };
}
