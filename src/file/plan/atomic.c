#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h> /* rename alone */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "core/base/text.h"
#include "file/plan/pathname.h"
#include "file/plan/atomic.h"
#include "file/plan/slurp.h"
#include "file/plan/temporary.h"

enum { LIST_SIZE = 16384 }; /* of an access list; Linux gives at most 65536 */

bool
atomic_target(char *buf, size_t size, const char *path, char *why, size_t whysize)
{
	char *real = realpath(path, NULL), dir[PLANFILE_PATH_SIZE];
	struct stat st;
	bool ok;

	if (real == NULL && errno == ENOENT && lstat(path, &st) != 0 &&
	    pathname_last(path)[0] != '\0' && pathname_dir(dir, sizeof dir, path)) {
		char *base = realpath(dir, NULL);

		if (base == NULL) {
			text_put(why, whysize, "the directory is not there: %s", strerror(errno));
			return false;
		}
		ok = pathname_join(buf, size, base, pathname_last(path));
		free(base);
	} else if (real == NULL) {
		text_put(why, whysize, "%s", strerror(errno));
		return false;
	} else {
		ok = text_copy(buf, size, real);
		free(real);
	}
	if (!ok)
		text_put(why, whysize, "%s", strerror(ENAMETOOLONG));
	return ok;
}

static bool
write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n == 0)
				errno = EIO;
			return false;
		}
		data += n;
		size -= (size_t)n;
	}
	return true;
}

/* ---- what an old file keeps ------------------------------------------------------------- */

/* Access lists as Linux names them: POSIX ones, and those of NFS 4. True when fd has those
 * of the file `like`, or neither has any. */
static bool
take_lists(int fd, const char *like)
{
	static const char *const name[] = { "system.posix_acl_access", "system.nfs4_acl" };
	char old[LIST_SIZE], now[LIST_SIZE];
	bool ok = true;

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		const ssize_t has = fgetxattr(fd, name[i], now, sizeof now);
		const ssize_t had = getxattr(like, name[i], old, sizeof old);

		if (had >= 0)
			ok = ok && ((has == had && memcmp(old, now, (size_t)had) == 0) ||
			    fsetxattr(fd, name[i], old, (size_t)had, 0) == 0);
		else if (errno != ENODATA && errno != ENOTSUP)
			ok = false;
		else if (has >= 0) /* the directory gave it one */
			ok = ok && fremovexattr(fd, name[i]) == 0;
	}
	return ok;
}

static void
add_lost(char *lost, size_t size, bool kept, const char *what)
{
	if (!kept)
		text_add(lost, size, "%s%s", lost[0] != '\0' ? ", " : "", what);
}

/*
 * Owner, group, mode and access list of an old file. Only root can give files away, and a
 * group one is not in can not be given: that is no reason not to save. The bits of the
 * group, which are the bounds of an access list too, then grant no more than those of all,
 * so that nobody reads what was kept from them.
 */
static bool
take_access(int fd, const char *like, const struct stat *old, char *lost, size_t size)
{
	bool owner, group, lists;
	mode_t mode = old->st_mode & 07777;
	struct stat now;

	if (fstat(fd, &now) != 0)
		return false;
	group = now.st_gid == old->st_gid || fchown(fd, (uid_t)-1, old->st_gid) == 0;
	owner = now.st_uid == old->st_uid || fchown(fd, old->st_uid, (gid_t)-1) == 0;
	lists = take_lists(fd, like);
	if (!owner || !group)
		mode &= 0777;
	if (!group || !lists)
		mode &= ~(mode_t)070 | (mode & 07) << 3;
	if (fstat(fd, &now) != 0 || ((now.st_mode & 07777) != mode && fchmod(fd, mode) != 0))
		return false;
	lost[0] = '\0';
	add_lost(lost, size, owner, "owner");
	add_lost(lost, size, group, "group");
	add_lost(lost, size, lists, "access list");
	return true;
}

/* ---- writing --------------------------------------------------------------------------- */

/* Bytes to be written, and the file. */
struct writing {
	const char *path;
	const void *data;
	size_t size;
	mode_t mode;                       /* of a new file, less the umask */
	const char *like;                  /* whose access an old file keeps, or NULL: path's */
	const struct file_stamp *expected; /* NULL: whatever is there */
};

/* So that the new name survives a crash too. The file is in place by now: a directory
 * that can not be synced (EINVAL on some file systems) is no failure. */
static void
sync_directory(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* Fill the temporary file, for `old` with the access of that one; false with errno set. fd
 * is closed in every case. */
static bool
fill_file(int fd, const struct writing *w, const char *like, const struct stat *old,
    struct file_stamp *made, char *lost, size_t lostsize)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	struct stat st;
	bool ok;
	int error;

	/* A limit on the size of files is an error like others, not the end of the program. */
	sigaction(SIGXFSZ, &ignore, &before);
	/* Quotas and full disks may show as late as in fsync or close, notably on NFS. */
	ok = write_all(fd, w->data, w->size) &&
	    (old == NULL || take_access(fd, like, old, lost, lostsize)) && fsync(fd) == 0 &&
	    fstat(fd, &st) == 0;
	error = errno;
	sigaction(SIGXFSZ, &before, NULL);
	if (close(fd) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (ok)
		*made = stamp_of(&st, w->data, w->size);
	errno = error;
	return ok;
}

/* Whether what stands there is still what is expected. */
static enum atomic_result
compare_stamp(const char *target, const struct file_stamp *expected)
{
	enum atomic_result result = ATOMIC_CHANGED;
	struct slurp in;
	char why[128];

	if (slurp_file(&in, target, why, sizeof why)) {
		if (stamp_same(&in.stamp, expected))
			result = ATOMIC_DONE;
		free(in.text);
	} else if (in.error == ENOENT) {
		if (!expected->exists)
			result = ATOMIC_DONE;
	} else if (in.error != 0) {
		errno = in.error;
		result = ATOMIC_FAILED;
	}
	return result;
}

/* Give the temporary file its name: one that is new by a link, which replaces nothing that
 * came just now, unless the file system has none. */
static enum atomic_result
put_in_place(const char *temporary, const char *target, bool is_new)
{
	if (is_new && link(temporary, target) == 0) {
		(void)unlink(temporary);
		return ATOMIC_DONE;
	}
	if (is_new && errno == EEXIST)
		return ATOMIC_CHANGED;
	if (is_new && errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
		return ATOMIC_FAILED;
	return rename(temporary, target) == 0 ? ATOMIC_DONE : ATOMIC_FAILED;
}

static enum atomic_result
write_file(const struct writing *w, struct file_stamp *stamp, char *why, size_t whysize)
{
	char target[PLANFILE_PATH_SIZE], dir[PLANFILE_PATH_SIZE], temporary[PLANFILE_PATH_SIZE];
	const char *like = w->like != NULL ? w->like : target;
	enum atomic_result result = ATOMIC_FAILED;
	struct file_stamp made;
	char lost[64] = "";
	struct stat old;
	bool is_old;
	int fd, error;

	if (!atomic_target(target, sizeof target, w->path, why, whysize) ||
	    !pathname_dir(dir, sizeof dir, target))
		return ATOMIC_FAILED;
	is_old = stat(like, &old) == 0;
	/* Taken for new because nobody can tell, it would be open to all. */
	if (!is_old && (errno != ENOENT || w->like != NULL)) {
		text_put(why, whysize, "%s", strerror(errno));
		return ATOMIC_FAILED;
	}
	temporary_clear(dir);
	if ((fd = temporary_open(temporary, sizeof temporary, dir, is_old ? 0600 : w->mode)) < 0) {
		text_put(why, whysize, "no file can be made in its directory: %s",
		    strerror(errno));
		return ATOMIC_FAILED;
	}
	if (fill_file(fd, w, like, is_old ? &old : NULL, &made, lost, sizeof lost))
		result = w->expected == NULL ? ATOMIC_DONE : compare_stamp(target, w->expected);
	add_lost(lost, sizeof lost, !is_old || w->like != NULL || old.st_nlink < 2, "hard link");
	if (result == ATOMIC_DONE)
		result = put_in_place(temporary, target, w->expected != NULL && !w->expected->exists);
	error = errno;
	text_put(why, whysize, "%s", result == ATOMIC_DONE ? lost : strerror(error));
	if (result == ATOMIC_DONE) {
		sync_directory(dir);
		if (stamp != NULL)
			*stamp = made;
	} else {
		(void)unlink(temporary);
	}
	errno = error;
	return result;
}

enum atomic_result
atomic_write(const char *path, const void *data, size_t size, const char *like,
    const struct file_stamp *expected, struct file_stamp *stamp, char *why, size_t whysize)
{
	const struct writing w = { path, data, size, 0666, like, expected };

	return write_file(&w, stamp, why, whysize);
}

enum atomic_result
atomic_write_private(const char *path, const void *data, size_t size,
    const struct file_stamp *expected, char *why, size_t whysize)
{
	const struct writing w = { path, data, size, 0600, NULL, expected };

	return write_file(&w, NULL, why, whysize);
}

bool
atomic_replace(const char *path, const char *temporary, const void *data, size_t size)
{
	const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	const struct writing w = { .path = path, .data = data, .size = size };
	char dir[PLANFILE_PATH_SIZE];
	struct file_stamp made;
	int error;

	if (fd < 0)
		return false;
	if (fill_file(fd, &w, NULL, NULL, &made, NULL, 0) && rename(temporary, path) == 0) {
		if (pathname_dir(dir, sizeof dir, path))
			sync_directory(dir);
		return true;
	}
	error = errno;
	unlink(temporary);
	errno = error;
	return false;
}
