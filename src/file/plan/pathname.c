#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "file/plan/pathname.h"
#include "file/plan/planfile.h"

bool
pathname_dir(char *buf, size_t size, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	if (slash == NULL)
		return text_copy(buf, size, ".");
	n = slash == path ? 1 : (size_t)(slash - path);
	if (n >= size)
		return false;
	memmove(buf, path, n);
	buf[n] = '\0';
	return true;
}

const char *
pathname_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

bool
pathname_is_plan(const char *path)
{
	const size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".cfg") == 0;
}

bool
pathname_join(char *buf, size_t size, const char *dir, const char *name)
{
	size_t d = strlen(dir), n = strlen(name);
	bool slash = d > 0 && dir[d - 1] != '/';

	if (name[0] == '/' || strcmp(dir, ".") == 0)
		return text_copy(buf, size, name);
	if (d + slash + n >= size)
		return false;
	memmove(buf, dir, d);
	if (slash)
		buf[d++] = '/';
	memcpy(buf + d, name, n + 1);
	return true;
}

bool
pathname_beside(char *buf, size_t size, const char *file, const char *name)
{
	char dir[PLANFILE_PATH_SIZE], linked[PLANFILE_PATH_SIZE], *real;

	if (!pathname_dir(dir, sizeof dir, file) || !pathname_join(buf, size, dir, name))
		return false;
	if (name[0] == '/' || access(buf, F_OK) == 0 || (real = realpath(file, NULL)) == NULL)
		return true;
	if (pathname_dir(dir, sizeof dir, real) && pathname_join(linked, sizeof linked, dir, name) &&
	    access(linked, F_OK) == 0)
		text_copy(buf, size, linked);
	free(real);
	return true;
}

bool
pathname_relative(char *buf, size_t size, const char *from, const char *to)
{
	size_t common = 0, used = 0;

	/* `common` ends up just past the last slash up to which both agree. */
	for (size_t i = 0;; i++) {
		bool from_ends = from[i] == '/' || from[i] == '\0';

		if (from_ends && to[i] == '/')
			common = i + 1;
		if (from[i] == '\0' || from[i] != to[i])
			break;
	}
	if (common <= 1)
		return text_copy(buf, size, to);
	buf[0] = '\0';
	for (const char *p = from + common - 1; *p != '\0';) {
		p += strspn(p, "/");
		if (*p == '\0')
			break;
		if (used + 4 > size)
			return false;
		memcpy(buf + used, "../", 4);
		used += 3;
		p += strcspn(p, "/");
	}
	return text_copy(buf + used, size - used, to + common);
}

bool
pathname_same(const char *a, const char *b)
{
	char *real_a, *real_b, dir[PLANFILE_PATH_SIZE];
	bool same;

	if (strcmp(a, b) == 0)
		return true;
	real_a = realpath(a, NULL);
	real_b = realpath(b, NULL);
	if (real_a == NULL && real_b == NULL && strcmp(pathname_last(a), pathname_last(b)) == 0) {
		if (pathname_dir(dir, sizeof dir, a))
			real_a = realpath(dir, NULL);
		if (pathname_dir(dir, sizeof dir, b))
			real_b = realpath(dir, NULL);
	}
	same = real_a != NULL && real_b != NULL && strcmp(real_a, real_b) == 0;
	free(real_a);
	free(real_b);
	return same;
}

void
pathname_host(char *buf, size_t size)
{
	buf[0] = '\0';
	if (gethostname(buf, size) != 0)
		text_put(buf, size, "localhost");
	buf[size - 1] = '\0';
	for (char *c = buf; *c != '\0'; c++)
		if (*c <= ' ' || *c == '/' || *c == 127)
			*c = '_';
}
