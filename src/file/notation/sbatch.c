#include "file/notation/sbatch.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/plan.h"

enum { NODES_MOST = 1 << 20 };

/* ---- Gres ---------------------------------------------------------------------------- */

/* One item, "gpu:h100:8": its number, 1 where it has none, -1 where what stands for it is none;
 * the type into type. */
static int64_t
item_count(const char *item, size_t length, char *type, size_t size)
{
	const char *first = memchr(item, ':', length), *last;
	int64_t n;

	*type = '\0';
	if (first == NULL)
		return 1;
	last = first;
	for (const char *c = first; c < item + length; c++)
		last = *c == ':' ? c : last;
	if (!text_to_int(TEXT_OF(24, "%.*s", (int)(item + length - last - 1), last + 1), &n) || n < 0 || n > 1024) {
		if (last > first)
			return -1;
		n = 1; /* gpu:h100 */
		last = item + length;
	}
	if (last > first)
		text_put(type, size, "%.*s", (int)(last - first - 1), first + 1);
	return n;
}

bool
slurm_gres(const char *gres, size_t length, char *gpu, size_t size, int64_t *gpus,
    int64_t *nics)
{
	char type[PLAN_ID_SIZE];
	int64_t most = 0;

	*gpus = *nics = 0;
	text_put(gpu, size, "%s", "");
	for (size_t at = 0; at < length;) {
		size_t n = 0, plain;
		int64_t count;

		for (int depth = 0; at + n < length && (depth > 0 || gres[at + n] != ','); n++)
			depth += (gres[at + n] == '(') - (gres[at + n] == ')');
		for (plain = 0; plain < n && gres[at + plain] != '('; plain++)
			continue;
		count = item_count(gres + at, plain, type, sizeof type);
		if (plain >= 3 && count < 0) {
			*gpus = -1;
			return false;
		}
		if (plain >= 3 && strncmp(gres + at, "gpu", 3) == 0) {
			*gpus += count;
			if (count > most) {
				most = count;
				text_put(gpu, size, "%s", type);
			}
		} else if (plain >= 3 && strncmp(gres + at, "nic", 3) == 0)
			*nics += count;
		at += n + 1;
	}
	return *gpus > 0;
}

int64_t
slurm_gpus(const char *text, char *gpu, size_t size)
{
	char gres[96];
	int64_t gpus, nics;

	text_put(gres, sizeof gres, "%s%s", strncmp(text, "gpu", 3) == 0 ? "" : "gpu:", text);
	return slurm_gres(gres, strlen(gres), gpu, size, &gpus, &nics) ? gpus : 0;
}

/* ---- #SBATCH ------------------------------------------------------------------------- */

/* "4", or the least of "2-4"; 0: no number. */
static int64_t
leading_number(const char *text)
{
	int64_t n;

	return text_to_int(TEXT_OF(16, "%.*s", (int)strspn(text, "0123456789"), text), &n) && n <= NODES_MOST ? n : 0;
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
		b->gpus = slurm_gpus(value, b->gpu, sizeof b->gpu);
	else if (text_equal(name, "--gpus") || text_equal(name, "-G"))
		*all = slurm_gpus(value, b->gpu, sizeof b->gpu);
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
