#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/text.h"
#include "file/atomic.h"
#include "file/emit.h"
#include "file/pathname.h"
#include "file/planfile.h"
#include "file/scan.h"
#include "core/show.h"
#include "file/slurp.h"

/* What one save knows; the paths are large, so it lives on the heap. */
struct save {
	char target[PLANFILE_PATH_SIZE]; /* where path leads to */
	char backup[PLANFILE_PATH_SIZE];
	char shown[256], shown_backup[256];
	struct planfile next;            /* the file as it will be */
	struct file_stamp now;
	bool same;                       /* the file that was opened */
	bool kept, flat;                 /* a copy was made; the base was dissolved */
};

/*
 * The base as seen from the directory of the new name (not of what that name may link to:
 * bases are looked for beside the name under which a plan is opened). The text stays when
 * it names a shipped file, or one by its absolute path.
 */
static bool
move_base(struct save *s, const struct planfile *file)
{
	char dir[PLANFILE_PATH_SIZE], path[PLANFILE_PATH_SIZE], *from = NULL, *base = NULL;
	bool ok = true;

	if (file->base[0] == '\0' || file->base[0] == '/')
		return true;
	if (!pathname_dir(dir, sizeof dir, file->path) ||
	    !pathname_join(path, sizeof path, dir, file->base))
		return false;
	base = realpath(path, NULL);
	if (base != NULL && pathname_dir(dir, sizeof dir, s->next.path) &&
	    (from = realpath(dir, NULL)) != NULL &&
	    (!pathname_join(path, sizeof path, from, file->base) ||
	    !pathname_same(path, base)))
		ok = pathname_relative(s->next.base, sizeof s->next.base, from, base);
	free(base);
	free(from);
	return ok;
}

/* Whether the file that is to be replaced holds what a saved plan would not. */
static bool
has_foreign_comments(const struct save *s)
{
	struct file_errors ignored;
	struct slurp in;
	char why[128];
	bool comments = true;

	if (!slurp_file(&in, s->target, why, sizeof why))
		return true;
	ignored.count = ignored.dropped = 0;
	scan_text(in.text, in.size, s->target, &ignored, &comments);
	free(in.text);
	return comments;
}

/* The copy stands beside the file, which is elsewhere than a symbolic link to it. */
static void
show_backup(struct save *s)
{
	struct stat st;

	if (lstat(s->next.path, &st) == 0 && S_ISLNK(st.st_mode))
		show_path(s->shown_backup, sizeof s->shown_backup, s->backup);
	else
		text_put(s->shown_backup, sizeof s->shown_backup, "%s~", s->shown);
}

/* Keep a copy as FILE~. */
static bool
keep_copy(struct save *s, char *note, size_t size)
{
	struct slurp in;
	struct stat st;
	char why[256];
	bool ok;

	if (!s->now.exists || !has_foreign_comments(s))
		return true;
	if (text_put(s->backup, sizeof s->backup, "%s~", s->target) != strlen(s->target) + 1 ||
	    !slurp_file(&in, s->target, why, sizeof why)) {
		text_put(note, size, "%s: not saved: its comments would be lost, and no copy "
		    "of it can be made; save under another name", s->shown);
		return false;
	}
	show_backup(s);
	/* Through a link of that name another file would be written over. */
	if (lstat(s->backup, &st) == 0 && S_ISLNK(st.st_mode))
		(void)unlink(s->backup);
	/* A copy is not open to more eyes than the file is. */
	ok = atomic_write(s->backup, in.text, in.size, s->target, NULL, NULL, why, sizeof why) ==
	    ATOMIC_DONE;
	free(in.text);
	if (!ok)
		text_put(note, size, "%s: not saved: its comments would be lost, and %s can not "
		    "be written (%s); save under another name", s->shown, s->shown_backup, why);
	s->kept = ok;
	return ok;
}

static enum planfile_saved
refuse_changed(const struct save *s, char *note, size_t size)
{
	if (!s->same) {
		text_put(note, size, "%s exists: not saved", s->shown);
		return PLANFILE_EXISTS;
	}
	text_put(note, size, "%s was %s since it was opened: not saved", s->shown,
	    s->now.exists ? "changed" : "removed");
	return PLANFILE_CHANGED;
}

/* May this be written at all? Fills in the paths and what stands there now. */
static bool
look(struct save *s, const struct planfile *file, const char *path, char *note, size_t size)
{
	char why[256];
	struct stat st;

	show_path(s->shown, sizeof s->shown, path);
	if (path[0] == '\0' || strcmp(path, "-") == 0) {
		text_put(note, size, "a file name is needed to save");
		return false;
	}
	if (!atomic_target(s->target, sizeof s->target, path, why, sizeof why)) {
		text_put(note, size, "%s: not saved: %s", s->shown, why);
		return false;
	}
	if (stat(s->target, &st) == 0 && !S_ISREG(st.st_mode)) {
		text_put(note, size, "%s: not saved: it is %s", s->shown,
		    S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
		return false;
	}
	stamp_get(&s->now, s->target);
	if (s->now.exists && access(s->target, W_OK) != 0) {
		text_put(note, size, "%s: not saved: it is write-protected (%s); chmod u+w it, "
		    "or save under another name", s->shown, strerror(errno));
		return false;
	}
	s->same = file->path[0] != '\0' && pathname_same(file->path, path);
	if (strlen(path) >= sizeof s->next.path) {
		text_put(note, size, "%s: not saved: %s", s->shown, strerror(ENAMETOOLONG));
		return false;
	}
	return true;
}

/* Make the text and put it in place. */
static enum planfile_saved
put(struct save *s, const struct plan *plan, const struct catalog *catalog, char *note,
    size_t size)
{
	char *text, why[256];
	enum atomic_result result;

	text = planfile_text(&s->next, plan, catalog);
	if (text == NULL) {
		text_put(note, size, "%s: not saved: out of memory", s->shown);
		return PLANFILE_FAILED;
	}
	if (!keep_copy(s, note, size)) {
		free(text);
		return PLANFILE_FAILED;
	}
	result = atomic_write(s->target, text, strlen(text), NULL, &s->now, &s->next.stamp, why,
	    sizeof why);
	free(text);
	if (result == ATOMIC_CHANGED) {
		stamp_get(&s->now, s->target);
		return refuse_changed(s, note, size);
	}
	if (result == ATOMIC_FAILED) {
		text_put(note, size, "%s: not saved: %s; %s (free some space, or save under "
		    "another name)", s->shown, why,
		    s->now.exists ? "the old file is as it was" : "nothing was written");
		return PLANFILE_FAILED;
	}
	text_put(note, size, "saved %s", s->shown);
	if (s->kept)
		text_add(note, size, "; its comments are kept in %s", s->shown_backup);
	if (s->flat)
		text_add(note, size, "; without base, which sets what this plan leaves out");
	return PLANFILE_SAVED;
}

enum planfile_saved
planfile_write(struct planfile *file, const struct plan *plan, const char *path,
    const struct catalog *catalog, bool force, char *note, size_t size)
{
	struct save *s = calloc(1, sizeof *s);
	enum planfile_saved result = PLANFILE_FAILED;

	if (s == NULL) {
		text_put(note, size, "not saved: out of memory");
		return PLANFILE_FAILED;
	}
	if (!look(s, file, path, note, size))
		goto out;
	if (!force && (s->same ? !stamp_same(&s->now, &file->stamp) : s->now.exists)) {
		result = refuse_changed(s, note, size);
		goto out;
	}
	s->next = *file;
	text_copy(s->next.path, sizeof s->next.path, path);
	if (strcmp(path, file->path) != 0 && !move_base(s, file)) {
		text_put(note, size, "%s: not saved: the name of its base gets too long", s->shown);
		goto out;
	}
	s->flat = s->next.base[0] != '\0' && emit_needs_flat(&s->next.inherited, plan);
	result = put(s, plan, catalog, note, size);
	if (result != PLANFILE_SAVED)
		goto out;
	if (s->flat) {
		s->next.base[0] = '\0';
		plan_defaults(&s->next.inherited);
	}
	s->next.has_comments = false;
	*file = s->next;
out:
	free(s);
	return result;
}
