/*
 * strike.c - loaded before the C library (LD_PRELOAD): the call numbered STRIKE_AT of those by which
 * a program touches the disk fails with errno STRIKE_ERRNO; with 0 a write takes one byte alone.
 * EINTR strikes once, as signals do, and anything else from then on for that kind of call, as full
 * disks and lost servers do. A STRIKE_ERRNO below 0 is a signal that comes before the call.
 * STRIKE_COUNT names a file that is told how many calls there were, STRIKE_PEAK one that is told the
 * most KiB that the program held, STRIKE_OPEN one of the first descriptor from 3 on that is free in the end. With STRIKE_CLOCK each look at the clock is so many seconds back or
 * ahead, in turn; with STRIKE_SILLY a file that is removed stands there under another name, as on NFS.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
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
	if (calls == number("STRIKE_AT") && number("STRIKE_ERRNO") < 0) {
		raise((int)-number("STRIKE_ERRNO"));
		return false;
	}
	if (number("STRIKE_ERRNO") < 0)
		return false;
	else if (struck == NULL || strcmp(struck, call) != 0 || number("STRIKE_ERRNO") == EINTR)
		return false;
	errno = (int)number("STRIKE_ERRNO");
	return true;
}

static void
tell_number(const char *variable, long value)
{
	const char *name = getenv(variable);
	FILE *out = name != NULL ? fopen(name, "w") : NULL;

	if (out == NULL)
		return;
	fprintf(out, "%ld\n", value);
	fclose(out);
}

__attribute__((destructor)) static void
tell(void)
{
	const long count = calls; /* telling it takes calls too */
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	tell_number("STRIKE_PEAK", usage.ru_maxrss);
	tell_number("STRIKE_OPEN", fcntl(STDERR_FILENO, F_DUPFD, 3));
	tell_number("STRIKE_COUNT", count);
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
CALL(int, rename, -1, (const char *from, const char *to), (from, to))
CALL(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))

int
unlink(const char *path)
{
	static int removed;
	char silly[4096];

	if (is_due("unlink"))
		return -1;
	if (number("STRIKE_SILLY") == 0)
		return NEXT(unlink)(path);
	snprintf(silly, sizeof silly, "%s.nfs%08d", path, ++removed);
	return NEXT(rename)(path, silly);
}

time_t
time(time_t *out)
{
	static int asked;
	const time_t now = NEXT(time)(NULL) + (asked++ % 2 == 0 ? -1 : 1) * number("STRIKE_CLOCK");

	if (out != NULL)
		*out = now;
	return now;
}

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
