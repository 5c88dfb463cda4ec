#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "file/plan/pathname.h"
#include "file/plan/paths.h"
#include "file/plan/planfile.h"

/* The shipped files, as paths_init found them. */
static char data_dir[PLANFILE_PATH_SIZE] = DATADIR;

/* The shipped files at a place seen from a directory, if they are there. */
static bool
take_data(const char *dir, const char *place)
{
	char data[PLANFILE_PATH_SIZE], file[PLANFILE_PATH_SIZE];

	return pathname_join(data, sizeof data, dir, place) &&
	    pathname_join(file, sizeof file, data, "models.cfg") && access(file, F_OK) == 0 &&
	    text_copy(data_dir, sizeof data_dir, data);
}

/* The program's own file, as the kernel names it, without links. */
static bool
find_program(char *buf, size_t size, const char *name)
{
	const ssize_t n = readlink("/proc/self/exe", buf, size);
	char *real;
	bool found;

	if (n > 0 && (size_t)n < size) {
		buf[n] = '\0';
		return true;
	}
	if (name == NULL || strchr(name, '/') == NULL || (real = realpath(name, NULL)) == NULL)
		return false;
	found = text_copy(buf, size, real);
	free(real);
	return found;
}

void
paths_init(const char *program)
{
	char path[PLANFILE_PATH_SIZE];

	/* Built, it has share/ beside it, in another directory than the sources as a link; installed,
	 * beside its own directory. */
	if (!find_program(path, sizeof path, program) || !pathname_dir(path, sizeof path, path) ||
	    (!take_data(path, "share") && (!pathname_dir(path, sizeof path, path) ||
	    !take_data(path, "share/shardplan"))))
		text_put(data_dir, sizeof data_dir, "%s", DATADIR);
}

bool
paths_data(char *buf, size_t size, const char *name)
{
	const char *dir = getenv("SHARDPLAN_DATADIR");

	if (dir == NULL || dir[0] == '\0')
		dir = data_dir;
	return pathname_join(buf, size, dir, name);
}

/* $VARIABLE/shardplan/NAME, else ~/FALLBACK/shardplan/NAME. The XDG base directory
 * specification says that a relative path in the variable is to be ignored. */
static bool
user_path(char *buf, size_t size, const char *variable, const char *fallback, const char *name)
{
	const char *dir = getenv(variable), *home = getenv("HOME");

	if (dir != NULL && dir[0] == '/')
		return pathname_join(buf, size, dir, "shardplan") &&
		    pathname_join(buf, size, buf, name);
	if (home == NULL || home[0] != '/')
		return false;
	return pathname_join(buf, size, home, fallback) &&
	    pathname_join(buf, size, buf, "shardplan") && pathname_join(buf, size, buf, name);
}

bool
paths_config(char *buf, size_t size, const char *name)
{
	return user_path(buf, size, "XDG_CONFIG_HOME", ".config", name);
}

bool
paths_state(char *buf, size_t size, const char *name)
{
	return user_path(buf, size, "XDG_STATE_HOME", ".local/state", name);
}

bool
paths_make(const char *path)
{
	char part[PLANFILE_PATH_SIZE];
	const char *slash = path;
	struct stat st;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		if ((size_t)(slash - path) >= sizeof part) {
			errno = ENAMETOOLONG;
			return false;
		}
		text_put(part, sizeof part, "%.*s", (int)(slash - path), path);
		/* Looked at first: where nothing may be made, what is there may serve yet. */
		if (stat(part, &st) != 0 && mkdir(part, 0700) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}
