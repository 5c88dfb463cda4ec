#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "file/pathname.h"
#include "file/paths.h"
#include "file/planfile.h"

#ifndef BUILDDIR
#define BUILDDIR SRCDIR
#endif

/* True once paths_init saw that the program runs from its build tree. */
static bool in_build_tree;

static bool
is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

void
paths_init(const char *program)
{
	char exe[PLANFILE_PATH_SIZE], *build = realpath(BUILDDIR, NULL), *real = NULL;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	in_build_tree = false;
	if (n > 0)
		exe[n] = '\0';
	else if (program != NULL && strchr(program, '/') != NULL)
		real = realpath(program, NULL);
	if (build != NULL && (n > 0 || real != NULL))
		in_build_tree = is_below(n > 0 ? exe : real, build);
	free(build);
	free(real);
}

bool
paths_data(char *buf, size_t size, const char *name)
{
	const char *dir = getenv("SHARDPLAN_DATADIR");

	if (dir == NULL || dir[0] == '\0')
		dir = in_build_tree ? SRCDIR "/share" : DATADIR;
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
