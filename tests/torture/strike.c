/*
 * strike.c - loaded before the C library (LD_PRELOAD): the call numbered STRIKE_AT of those by which
 * a program touches the disk fails with errno STRIKE_ERRNO; with 0 a write takes one byte alone.
 * EINTR strikes once, as signals do, and anything else from then on for that kind of call, as full
 * disks and lost servers do. STRIKE_COUNT names a file that is told how many calls there were.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;
static const char *struck;

static long
number(const char *name)
{
	const char *value = getenv(name);

	return value != NULL ? atol(value) : 0;
}

static bool
is_due(const char *call)
{
	if (++calls == number("STRIKE_AT"))
		struck = call;
	else if (struck == NULL || strcmp(struck, call) != 0 || number("STRIKE_ERRNO") == EINTR)
		return false;
	errno = (int)number("STRIKE_ERRNO");
	return true;
}

__attribute__((destructor)) static void
tell(void)
{
	const char *name = getenv("STRIKE_COUNT");
	FILE *out = name != NULL ? fopen(name, "w") : NULL;

	if (out == NULL)
		return;
	fprintf(out, "%ld\n", calls);
	fclose(out);
}

/* The function of the next library, as a pointer of the type of the one named. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define CALL(type, name, failure, parameters, arguments) \
	type name parameters \
	{ \
		return is_due(#name) ? (failure) : NEXT(name) arguments; \
	}

CALL(ssize_t, read, -1, (int fd, void *data, size_t n), (fd, data, n))
CALL(int, fsync, -1, (int fd), (fd))
CALL(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
CALL(int, link, -1, (const char *from, const char *to), (from, to))
CALL(int, unlink, -1, (const char *path), (path))
CALL(int, rename, -1, (const char *from, const char *to), (from, to))
CALL(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))

int
close(int fd)
{
	const int saved = errno;
	const bool due = is_due("close");
	const int e = errno, done = NEXT(close)(fd); /* a close that fails has closed */

	errno = due ? e : saved;
	return due ? -1 : done;
}

ssize_t
write(int fd, const void *data, size_t n)
{
	const bool due = fd > 2 && is_due("write");

	if (due && errno != 0)
		return -1;
	return NEXT(write)(fd, data, due && n > 1 ? 1 : n);
}

static int
open_as(const char *name, const char *path, int flags, mode_t mode)
{
	int (*next)(const char *, int, ...);
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(&next, &found, sizeof next);
	return is_due("open") ? -1 : next(path, flags, mode);
}

/* The mode that comes where a file may be made. */
#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		mode_t mode = 0; \
		va_list rest; \
\
		va_start(rest, flags); \
		if (flags & O_CREAT) \
			mode = va_arg(rest, mode_t); \
		va_end(rest); \
		return open_as(#name, path, flags, mode); \
	}
OPEN(open)
OPEN(open64)
