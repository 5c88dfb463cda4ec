#include "file/notation/sbatch.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"

enum { NODES_MOST = 1 << 20 };

/* "4", or the least of "2-4"; 0: no number. */
static int64_t
leading_number(const char *text)
{
	char digits[16];
	int64_t n;

	text_put(digits, sizeof digits, "%.*s", (int)strspn(text, "0123456789"), text);
	return text_to_int(digits, &n) && n <= NODES_MOST ? n : 0;
}

/* "gpu:a100:4", "a100:4", "gpu:4" or "4", the first of several that commas part: how many, and of which kind. */
static int64_t
read_gpus(struct sbatch *b, const char *text)
{
	char first[64], *count;

	text_put(first, sizeof first, "%.*s", (int)strcspn(text, ","), text);
	text = strncmp(first, "gpu:", 4) == 0 ? first + 4 : first;
	count = strrchr(text, ':');
	if (count != NULL)
		text_put(b->gpu, sizeof b->gpu, "%.*s", (int)(count - text), text);
	return leading_number(count != NULL ? count + 1 : text);
}

/* An option with its value; all is what -G asks for of the whole job. */
static void
take_option(struct sbatch *b, const char *name, const char *value, int64_t *all)
{
	if (text_equal(name, "--nodes") || text_equal(name, "-N"))
		b->nodes = leading_number(value);
	else if (text_equal(name, "--ntasks-per-node"))
		b->tasks = leading_number(value);
	else if (text_equal(name, "--gpus-per-node") || (text_equal(name, "--gres") && strncmp(value, "gpu", 3) == 0))
		b->gpus = read_gpus(b, value);
	else if (text_equal(name, "--gpus") || text_equal(name, "-G"))
		*all = read_gpus(b, value);
}

static void
read_line(struct sbatch *b, const char *at, int64_t *all)
{
	static const char blank[] = " \t\r", ends[] = " \t\r\n=";

	while (at += strspn(at, blank), *at == '-') {
		char name[32], value[64];
		const size_t n = strcspn(at, ends);

		text_put(name, sizeof name, "%.*s", (int)n, at);
		at += n;
		at += *at == '=' ? 1 : strspn(at, blank);
		text_put(value, sizeof value, "%.*s", (int)strcspn(at, " \t\r\n"), at);
		if (value[0] != '-')
			at += strcspn(at, " \t\r\n");
		take_option(b, name, value, all);
	}
}

void
sbatch_read(struct sbatch *b, const char *text)
{
	static const char directive[] = "#SBATCH";
	int64_t all = 0;

	*b = (struct sbatch){ .nodes = 0 };
	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, directive, strlen(directive)) == 0)
			read_line(b, line + strlen(directive), &all);
	}
	if (b->gpus == 0 && all > 0 && all % most_of(b->nodes, 1) == 0)
		b->gpus = all / most_of(b->nodes, 1);
}
