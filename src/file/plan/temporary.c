#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/text.h"
#include "file/plan/pathname.h"
#include "file/plan/planfile.h"
#include "file/plan/temporary.h"

#define HEAD ".shardplan-"
#define TAIL ".tmp"

enum { DAY = 24 * 60 * 60, TRIES = 100, NAME_SIZE = 256 };

/* Where a process is that can be asked for: its names begin ".shardplan-HOST-SPACE". */
struct place {
	char head[NAME_SIZE]; /* ".shardplan-HOST" */
	int64_t space;
};

static struct place
our_place(void)
{
	struct place p = { .space = 0 };
	char host[PATHNAME_HOST_SIZE];
	struct stat st;

	pathname_host(host, sizeof host);
	text_put(p.head, sizeof p.head, HEAD "%s", host);
	if (stat("/proc/self/ns/pid", &st) == 0)
		p.space = (int64_t)st.st_ino;
	return p;
}

int
temporary_open(char *buf, size_t size, const char *dir, mode_t mode)
{
	const struct place here = our_place();
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		if (!pathname_join(buf, size, dir, TEXT_OF(2 * NAME_SIZE, "%s-%lld-%lld-%d" TAIL, here.head,
		    (long long)here.space, (long long)getpid(), i))) {
			errno = ENAMETOOLONG;
			return -1;
		}
		fd = open(buf, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	return fd;
}

/* Cut "-NUMBER" off the end of a name. */
static bool
cut_number(char *name, int64_t *number)
{
	char *dash = strrchr(name, '-');

	if (dash == NULL || dash[1 + strspn(dash + 1, "0123456789")] != '\0' ||
	    !text_to_int(dash + 1, number))
		return false;
	*dash = '\0';
	return true;
}

/* Whether a name is one of these, and of which process; 0 where we can not ask for it. */
static bool
read_name(const char *name, const struct place *here, pid_t *pid)
{
	const size_t n = strlen(name), tail = strlen(TAIL);
	int64_t number, process, space;
	char buf[NAME_SIZE];

	if (n <= tail || strcmp(name + n - tail, TAIL) != 0 ||
	    strncmp(name, HEAD, strlen(HEAD)) != 0 || !text_copy(buf, sizeof buf, name))
		return false;
	buf[n - tail] = '\0';
	if (!cut_number(buf, &number) || !cut_number(buf, &process) || !cut_number(buf, &space))
		return false;
	*pid = strcmp(buf, here->head) == 0 && space == here->space && process <= INT32_MAX ?
	    (pid_t)process : 0;
	return true;
}

static bool
is_dead(pid_t pid, time_t written)
{
	if (pid <= 0)
		return time(NULL) - written > DAY;
	return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH);
}

void
temporary_clear(const char *dir)
{
	const struct place here = our_place();
	char path[PLANFILE_PATH_SIZE];
	const struct dirent *e;
	struct stat st;
	DIR *d = opendir(dir);
	pid_t pid;

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL)
		if (read_name(e->d_name, &here, &pid) &&
		    pathname_join(path, sizeof path, dir, e->d_name) && lstat(path, &st) == 0 &&
		    S_ISREG(st.st_mode) && st.st_uid == geteuid() && is_dead(pid, st.st_mtime))
			(void)unlink(path);
	closedir(d);
}
