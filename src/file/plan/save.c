#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "file/plan/pathname.h"
#include "file/plan/atomic.h"
#include "file/plan/emit.h"
#include "file/plan/planfile.h"
#include "file/plan/scan.h"
#include "file/plan/slurp.h"

enum { COPIES_MAX = 1000 }; /* of one plan, that it looks through for a free name */

/* What one save knows; the paths are large, so it lives on the heap. */
struct save {
	char target[PLANFILE_PATH_SIZE]; /* where path leads to */
	char copy[PLANFILE_PATH_SIZE];
	char shown[256], shown_copy[256];
	struct planfile next;            /* the file as it will be */
	struct slurp old;                /* the file as it is, where there is one */
	bool same;                       /* the file that was opened */
	bool kept, flat;                 /* a copy was made; the base was dissolved */
	bool alone;                      /* the base can not be read any more */
	struct file_errors ignored;
};

static const char *
fix_for(int error)
{
	return error == ENOSPC || error == EDQUOT ? "free some space, or save under another name" :
	    "save under another name";
}

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
	if (!pathname_beside(path, sizeof path, file->path, file->base))
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
has_foreign_comments(struct save *s)
{
	struct scanned found;

	scan_text(s->old.text, s->old.size, s->target, &s->ignored, &found);
	return found.comments;
}

/* The n-th name for a copy, as cp --backup=existing numbers them: FILE~, FILE.~1~, ... The
 * copy stands beside the file, which is elsewhere than a symbolic link to it. */
static bool
name_copy(struct save *s, int n)
{
	char end[16] = "~";
	struct stat st;
	size_t length;

	if (n > 0)
		text_put(end, sizeof end, ".~%d~", n);
	length = text_put(s->copy, sizeof s->copy, "%s%s", s->target, end);
	if (lstat(s->next.path, &st) == 0 && S_ISLNK(st.st_mode))
		show_path(s->shown_copy, sizeof s->shown_copy, s->copy);
	else
		text_put(s->shown_copy, sizeof s->shown_copy, "%s%s", s->shown, end);
	return length == strlen(s->target) + strlen(end);
}

/* Write the copy under the name that was found. CHANGED when that is taken, by whatever it
 * be, unless by a file that holds just this. */
static enum atomic_result
write_copy(const struct save *s, char *why, size_t size)
{
	const struct file_stamp nothing = { .exists = false };
	struct slurp there;
	struct stat st;
	bool same = false;

	if (lstat(s->copy, &st) != 0)
		/* A copy is not open to more eyes than the file is. */
		return atomic_write(s->copy, s->old.text, s->old.size, s->target, &nothing, NULL,
		    why, size);
	if (S_ISREG(st.st_mode) && slurp_file(&there, s->copy, why, size)) {
		same = stamp_same(&there.stamp, &s->old.stamp);
		free(there.text);
	}
	return same ? ATOMIC_DONE : ATOMIC_CHANGED;
}

/* Keep a copy of what is lost. What was kept before stays, whoever did it. */
static bool
keep_copy(struct save *s, char *note, size_t size)
{
	enum atomic_result result = ATOMIC_CHANGED;
	char why[256] = "all names up to it are taken";

	if (!s->old.stamp.exists || !has_foreign_comments(s))
		return true;
	for (int n = 0; n < COPIES_MAX && result == ATOMIC_CHANGED; n++) {
		if (!name_copy(s, n)) {
			text_put(why, sizeof why, "%s", strerror(ENAMETOOLONG));
			break;
		}
		result = write_copy(s, why, sizeof why);
	}
	if (result != ATOMIC_DONE)
		text_put(note, size, "%s: not saved: its comments would be lost, and %s can not "
		    "be written: %s (fix: %s)", s->shown, s->shown_copy, why, fix_for(errno));
	s->kept = result == ATOMIC_DONE;
	return s->kept;
}

static enum planfile_saved
refuse_changed(const struct save *s, char *note, size_t size)
{
	if (!s->same) {
		text_put(note, size, "%s exists: not saved", s->shown);
		return PLANFILE_EXISTS;
	}
	text_put(note, size, "%s was %s since it was opened: not saved", s->shown,
	    s->old.stamp.exists ? "changed" : "removed");
	return PLANFILE_CHANGED;
}

/* May this be written at all? Fills in the paths and what stands there now. */
static bool
look_at_file(struct save *s, const struct planfile *file, const char *path, char *note, size_t size)
{
	char why[256];

	show_path(s->shown, sizeof s->shown, path);
	if (path[0] == '\0' || strcmp(path, "-") == 0) {
		text_put(note, size, "a file name is needed to save");
		return false;
	}
	if (!atomic_target(s->target, sizeof s->target, path, why, sizeof why)) {
		text_put(note, size, "%s: not saved: %s", s->shown, why);
		return false;
	}
	if (!slurp_file(&s->old, s->target, why, sizeof why) && s->old.error != ENOENT) {
		text_put(note, size, "%s: not saved: it %s", s->shown, why);
		return false;
	}
	if (s->old.stamp.exists && access(s->target, W_OK) != 0) {
		text_put(note, size, "%s: not saved: it can not be written: %s (fix: %s%s)", s->shown,
		    strerror(errno), errno == EACCES ? "chmod u+w it, or " : "", fix_for(errno));
		return false;
	}
	s->same = file->path[0] != '\0' && pathname_same(file->path, path);
	if (strlen(path) >= sizeof s->next.path) {
		text_put(note, size, "%s: not saved: %s", s->shown, strerror(ENAMETOOLONG));
		return false;
	}
	return true;
}

static bool
same_fields(const struct plan *a, const struct plan *b)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_is_set(f, a) != field_is_set(f, b) || !field_same(f, a, b))
			return false;
	return true;
}

/* What is written stands over what the base gives by now: over what it gave when the plan was
 * opened it would be another plan. False where somebody has to be asked first. */
static bool
look_at_base(struct save *s, const struct planfile *file, const struct catalog *catalog,
    bool force, char *note, size_t size)
{
	struct planfile *next = &s->next;
	char shown[128];

	if (file->base[0] == '\0')
		return true;
	s->alone = !planfile_inherited(file, &next->inherited, catalog, &s->ignored);
	if (!force && (s->alone || !same_fields(&next->inherited, &file->inherited))) {
		show_path(shown, sizeof shown, file->base);
		text_put(note, size, "%s, the base of %s, %s since it was opened: not saved", shown, s->shown,
		    s->alone ? "can not be read any more" : "was changed");
		return false;
	}
	if (s->alone) {
		next->base[0] = '\0';
		plan_defaults(&next->inherited);
	}
	return true;
}

/* Make the text and put it in place. */
static enum planfile_saved
put_plan(struct save *s, const struct plan *plan, const struct catalog *catalog, char *note,
    size_t size)
{
	char *text, why[256];
	const char *fix;
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
	result = atomic_write(s->target, text, strlen(text), NULL, &s->old.stamp,
	    &s->next.stamp, why, sizeof why);
	fix = fix_for(errno);
	free(text);
	if (result == ATOMIC_CHANGED) {
		s->old.stamp.exists = access(s->target, F_OK) == 0;
		return refuse_changed(s, note, size);
	}
	if (result == ATOMIC_FAILED) {
		text_put(note, size, "%s: not saved: %s; %s (fix: %s)", s->shown, why,
		    s->old.stamp.exists ? "the old file is as it was" : "nothing was written",
		    fix);
		return PLANFILE_FAILED;
	}
	text_put(note, size, "saved %s", s->shown);
	if (s->kept)
		text_add(note, size, "; its comments are kept in %s", s->shown_copy);
	if (why[0] != '\0')
		text_add(note, size, "; not kept: %s", why);
	if (s->flat)
		text_add(note, size, "; without base, which sets what this plan leaves out");
	if (s->alone)
		text_add(note, size, "; without base, which can not be read any more");
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
	if (!look_at_file(s, file, path, note, size))
		goto out;
	if (!force && (s->same ? !stamp_same(&s->old.stamp, &file->stamp) :
	    s->old.stamp.exists)) {
		result = refuse_changed(s, note, size);
		goto out;
	}
	s->next = *file;
	text_copy(s->next.path, sizeof s->next.path, path);
	if (strcmp(path, file->path) != 0 && !move_base(s, file)) {
		text_put(note, size, "%s: not saved: the name of its base gets too long", s->shown);
		goto out;
	}
	if (!look_at_base(s, file, catalog, force, note, size)) {
		result = PLANFILE_CHANGED;
		goto out;
	}
	s->flat = s->next.base[0] != '\0' && emit_needs_flat(&s->next.inherited, plan);
	result = put_plan(s, plan, catalog, note, size);
	if (result != PLANFILE_SAVED)
		goto out;
	if (s->flat) {
		s->next.base[0] = '\0';
		plan_defaults(&s->next.inherited);
	}
	s->next.has_comments = false;
	*file = s->next;
out:
	free(s->old.text);
	free(s);
	return result;
}
