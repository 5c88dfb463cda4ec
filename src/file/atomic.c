#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h> /* rename alone */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "file/atomic.h"
#include "file/pathname.h"
#include "file/slurp.h"

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

/* Mode and owner of an old file. Only root can give files away, and a group one is not
 * in can not be given: that is no reason not to save. */
static bool
set_mode(int fd, const char *like)
{
	struct stat st, now;
	mode_t mask;

	if (stat(like, &st) != 0) {
		/* The mask can only be read by setting it; a tight one harms nobody meanwhile. */
		mask = umask(077);
		(void)umask(mask);
		return fchmod(fd, 0666 & ~mask) == 0;
	}
	if (fstat(fd, &now) == 0 && (now.st_uid != st.st_uid || now.st_gid != st.st_gid) &&
	    fchown(fd, st.st_uid, st.st_gid) != 0)
		errno = 0;
	return fchmod(fd, st.st_mode & 07777) == 0;
}

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

/* Fill the temporary file; false with errno set. fd is closed in every case. */
static bool
fill(int fd, const char *like, const void *data, size_t size, struct file_stamp *stamp)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction old;
	struct stat st;
	bool ok;
	int error;

	/* A limit on the size of files is an error like others, not the end of the program. */
	sigaction(SIGXFSZ, &ignore, &old);
	/* Quotas and full disks may show as late as in fsync or close, notably on NFS. */
	ok = write_all(fd, data, size) && set_mode(fd, like) && fsync(fd) == 0 &&
	    fstat(fd, &st) == 0;
	error = errno;
	sigaction(SIGXFSZ, &old, NULL);
	if (close(fd) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (ok)
		stamp_from(stamp, &st);
	errno = error;
	return ok;
}

enum atomic_result
atomic_write(const char *path, const void *data, size_t size, const char *like,
    const struct file_stamp *expected, struct file_stamp *stamp, char *why, size_t whysize)
{
	char target[PLANFILE_PATH_SIZE], dir[PLANFILE_PATH_SIZE], temporary[PLANFILE_PATH_SIZE];
	struct file_stamp now, made;
	int fd;

	if (!atomic_target(target, sizeof target, path, why, whysize))
		return ATOMIC_FAILED;
	if (!pathname_dir(dir, sizeof dir, target) ||
	    !pathname_join(temporary, sizeof temporary, dir, ".shardplan.XXXXXX")) {
		text_put(why, whysize, "%s", strerror(ENAMETOOLONG));
		return ATOMIC_FAILED;
	}
	if ((fd = mkostemp(temporary, O_CLOEXEC)) < 0) {
		text_put(why, whysize, "no file can be made in its directory: %s",
		    strerror(errno));
		return ATOMIC_FAILED;
	}
	if (!fill(fd, like != NULL ? like : target, data, size, &made)) {
		text_put(why, whysize, "%s", strerror(errno));
		unlink(temporary);
		return ATOMIC_FAILED;
	}
	stamp_get(&now, target);
	if (expected != NULL && !stamp_same(&now, expected)) {
		unlink(temporary);
		return ATOMIC_CHANGED;
	}
	if (rename(temporary, target) != 0) {
		text_put(why, whysize, "%s", strerror(errno));
		unlink(temporary);
		return ATOMIC_FAILED;
	}
	sync_directory(dir);
	if (stamp != NULL)
		*stamp = made;
	return ATOMIC_DONE;
}

enum atomic_result
atomic_write_private(const char *path, const void *data, size_t size,
    const struct file_stamp *expected, char *why, size_t whysize)
{
	const mode_t mask = umask(077);
	enum atomic_result result = atomic_write(path, data, size, NULL, expected, NULL, why,
	    whysize);

	(void)umask(mask);
	return result;
}

bool
atomic_replace(const char *path, const char *temporary, const void *data, size_t size)
{
	const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	char dir[PLANFILE_PATH_SIZE];
	struct file_stamp made;
	int error;

	if (fd < 0)
		return false;
	if (fill(fd, temporary, data, size, &made) && rename(temporary, path) == 0) {
		if (pathname_dir(dir, sizeof dir, path))
			sync_directory(dir);
		return true;
	}
	error = errno;
	unlink(temporary);
	errno = error;
	return false;
}
