#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/text.h"
#include "core/plan/since.h"

static const struct {
	const char *name, *version;
} since_table[] = {
#define SINCE(name, version) { (name), (version) },
#include "core/plan/since.def"
#undef SINCE
};

/* Whether a row is of the path: it is its name, or the section that the path begins with. */
static bool
tells_of(const char *name, const char *path)
{
	const size_t n = strlen(name);

	return name[n - 1] == '.' ? strncmp(path, name, n) == 0 : text_equal(path, name);
}

const char *
since_version(const char *path)
{
	for (size_t i = 0; i < sizeof since_table / sizeof *since_table; i++)
		if (tells_of(since_table[i].name, path))
			return since_table[i].version;
	return SINCE_FIRST;
}
