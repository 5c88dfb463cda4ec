#include "file/notation/markdown.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"

bool
markdown_is(const char *path)
{
	const char *dot = path != NULL ? strrchr(path, '.') : NULL;

	return dot != NULL && (strcasecmp(dot, ".md") == 0 || strcasecmp(dot, ".mdx") == 0 || strcasecmp(dot, ".markdown") == 0);
}

/* How many marks open or close a fence in this line, 0: none; *info is what stands behind them. */
static size_t
fence_of(const char *line, const char **info)
{
	const char *at = line + strspn(line, " \t>");
	const size_t n = strspn(at, "`") > 0 ? strspn(at, "`") : strspn(at, "~");

	*info = at + n + strspn(at + n, " \t{.");
	return n >= 3 ? n : 0;
}

static bool
has_commands(const char *info)
{
	char language[16];

	text_part(language, sizeof language, info, strcspn(info, " \t\n},"));
	return text_choice_index("bash|sh|shell|zsh|console|shellsession|shell-session|terminal", language) >= 0;
}

char *
markdown_code(const char *page, int number)
{
	char *code = calloc(1, strlen(page) + 2), *out = code; /* the last line may have no end */
	const char *info, *next;
	size_t open = 0; /* marks of the fence that a line is in */
	bool found = false, wanted = false;
	int others = 0;

	for (const char *line = page; code != NULL && *line != '\0'; line = next) {
		const size_t length = strcspn(line, "\n"), marks = fence_of(line, &info);

		next = line + length + (line[length] == '\n');
		if (open == 0 && marks > 0) {
			others += !has_commands(info);
			wanted = has_commands(info) ? number == 0 : number == others;
			found = found || wanted;
			open = marks;
		} else if (open > 0 && marks >= open && (*info == '\n' || *info == '\0')) {
			open = 0;
		} else if (open > 0 && wanted) {
			memcpy(out, line, length);
			out += length;
		}
		*out++ = '\n';
	}
	if (found)
		return code;
	free(code);
	return NULL;
}
