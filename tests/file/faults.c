#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "faults.h"

struct faults faults;

static uint64_t chance = 1;

void
fault_seed(unsigned long seed)
{
	chance = seed;
}

/* The generator of Knuth's MMIX; its high bits are the better ones. */
unsigned
fault_chance(unsigned n)
{
	chance = chance * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((chance >> 33) % n);
}

static bool
is_due(const char *call)
{
	faults.calls++;
	if (faults.calls != faults.at &&
	    (faults.one_in == 0 || fault_chance(faults.one_in) != 0))
		return false;
	faults.struck = call;
	if (faults.kind == FAULT_KILL_BEFORE)
		raise(SIGKILL);
	return true;
}

/* Whether this call fails, with errno set. */
static bool
fails(bool due)
{
	if (due && faults.kind == FAULT_ERROR)
		errno = faults.error;
	return due && faults.kind == FAULT_ERROR;
}

static void
made(bool due)
{
	if (due && faults.kind == FAULT_KILL_AFTER)
		raise(SIGKILL);
}

#define CALL(type, name, failure, parameters, arguments) \
	type fault_##name parameters \
	{ \
		const bool due = is_due(#name); \
		type result; \
\
		if (fails(due)) \
			return failure; \
		result = (name) arguments; \
		made(due); \
		return result; \
	}

CALL(int, open, -1, (const char *path, int flags, mode_t mode), (path, flags, mode))
CALL(ssize_t, read, -1, (int fd, void *data, size_t n), (fd, data, n))
CALL(int, fstat, -1, (int fd, struct stat *st), (fd, st))
CALL(int, lstat, -1, (const char *path, struct stat *st), (path, st))
CALL(int, access, -1, (const char *path, int mode), (path, mode))
CALL(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
CALL(int, fchown, -1, (int fd, uid_t owner, gid_t group), (fd, owner, group))
CALL(int, link, -1, (const char *from, const char *to), (from, to))
CALL(int, unlink, -1, (const char *path), (path))
CALL(int, rename, -1, (const char *from, const char *to), (from, to))
CALL(ssize_t, getxattr, -1, (const char *path, const char *name, void *value, size_t size),
    (path, name, value, size))
CALL(ssize_t, fgetxattr, -1, (int fd, const char *name, void *value, size_t size),
    (fd, name, value, size))
CALL(int, fsetxattr, -1, (int fd, const char *name, const void *value, size_t size, int flags),
    (fd, name, value, size, flags))
CALL(int, fremovexattr, -1, (int fd, const char *name), (fd, name))
CALL(char *, realpath, NULL, (const char *path, char *resolved), (path, resolved))
CALL(DIR *, opendir, NULL, (const char *path), (path))
CALL(struct dirent *, readdir, NULL, (DIR *dir), (dir))

/* What the kernel says of a process takes no disk. */
int
fault_stat(const char *path, struct stat *st)
{
	const bool due = strncmp(path, "/proc/", 6) != 0 && is_due("stat");
	const int result = fails(due) ? -1 : (stat)(path, st);

	made(due);
	return result;
}

ssize_t
fault_write(int fd, const void *data, size_t n)
{
	const bool due = is_due("write");
	ssize_t result;

	if (fails(due)) {
		/* As a disk that fills up does it: a part may be there. */
		if ((write)(fd, data, n / 2) < 0)
			return -1;
		errno = faults.error;
		return -1;
	}
	result = (write)(fd, data, due ? (n + 1) / 2 : n);
	made(due);
	return result;
}

/* A file is closed even where that tells of an error. */
int
fault_close(int fd)
{
	const bool due = is_due("close");
	const int result = (close)(fd);

	made(due);
	return fails(due) ? -1 : result;
}

/* Nothing is lost here when the machine stops; a thousand true ones take minutes. */
int
fault_fsync(int fd)
{
	const bool due = is_due("fsync");

	(void)fd;
	made(due);
	return fails(due) ? -1 : 0;
}
