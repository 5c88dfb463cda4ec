/*
 * Source: NVIDIA/Megatron-LM megatron/training/arguments.py, _print_args and add_megatron_arguments.
 */
#include "file/launches/megatron_log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/base/textbuf.h"

enum { NAME = 96 };

struct logged {
	struct textbuf flags;
	int64_t world;
	bool grouped, dense; /* queries share heads, and there are no experts: else what is told of these is a default */
};

/* Arguments whose flags are not called as they are. */
static const struct {
	const char *name, *flag;
} called[] = {
	{ "vocab_size", "" }, { "fp8", "fp8-format" }, { "fp4", "fp4-format" }, { "data_parallel_size", "" },
};

/* "--no-x" sets an argument x that is on, and "--disable-x" one that is called add_x. */
static void
add_absent(struct logged *l, const char *name)
{
	const bool added = strncmp(name, "add-", 4) == 0;

	textbuf_add(&l->flags, "--%s%s\n", added ? "disable-" : "no-", added ? name + 4 : name);
}

/* A list as one word. */
static void
add_value(struct logged *l, const char *name, const char *value, size_t n)
{
	textbuf_add(&l->flags, "--%s ", name);
	for (size_t i = 0; i < n; i++)
		if (!isspace((unsigned char)value[i]))
			textbuf_bytes(&l->flags, &value[i], 1);
	textbuf_bytes(&l->flags, "\n", 1);
}

static void
add_argument(struct logged *l, const char *given, const char *value, size_t n)
{
	char name[NAME];

	text_put(name, sizeof name, "%s", given);
	for (size_t i = 0; i < sizeof called / sizeof *called; i++)
		if (text_equal(given, called[i].name))
			text_put(name, sizeof name, "%s", called[i].flag);
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '_' ? '-' : *c;
	if (name[0] == '\0' || n == 0 || (n == 4 && strncmp(value, "None", n) == 0))
		return;
	if (n == 5 && strncmp(value, "False", n) == 0)
		add_absent(l, name);
	else if (n == 4 && strncmp(value, "True", n) == 0)
		textbuf_add(&l->flags, "--%s\n", name);
	else
		add_value(l, name, value, n);
	if (text_equal(given, "group_query_attention"))
		l->grouped = value[0] == 'T';
}

/* Whether an argument is but the default of what the model has not. */
static bool
is_idle(const struct logged *l, const char *given)
{
	return (!l->grouped && text_equal(given, "num_query_groups")) || (l->dense && strncmp(given, "moe_", 4) == 0);
}

/* "  name ........ value" behind whatever a launcher puts before it. */
static void
take_line(struct logged *l, const char *line, size_t length)
{
	const char *dots = memmem(line, length, " ..", 3), *end = line + length, *name = dots, *value;
	char given[NAME];

	if (dots == NULL)
		return;
	while (name > line && !isspace((unsigned char)name[-1]))
		name--;
	value = dots + 1 + strspn(dots + 1, ".");
	value += *value == ' ';
	while (end > value && isspace((unsigned char)end[-1]))
		end--;
	if (memmem(name, (size_t)(dots - name), "world_size", 10) == name)
		l->world = strtoll(value, NULL, 10);
	else if (value <= end && text_part(given, sizeof given, name, (size_t)(dots - name)) == (size_t)(dots - name) &&
	    !is_idle(l, given))
		add_argument(l, given, value, (size_t)(end - value));
}

static bool
is_dense(const char *text)
{
	const char *experts = strstr(text, " num_experts ..");

	return experts != NULL && strncmp(experts + 14 + strspn(experts + 14, "."), " None", 5) == 0;
}

static char *
read_log(const char *text, int64_t *world)
{
	const char *line = strstr(text, "------------------------ arguments ------");
	struct logged l = { .dense = line != NULL && is_dense(line) };

	if (line == NULL)
		return NULL;
	for (line += strcspn(line, "\n"); *line == '\n'; line += strcspn(line, "\n")) {
		const size_t length = strcspn(++line, "\n");

		if (memmem(line, length, "end of arguments", 16) != NULL)
			break;
		take_line(&l, line, length);
	}
	*world = l.world;
	return textbuf_take(&l.flags);
}

void
megatron_log_begin(struct megatron_log *l, struct import *im)
{
	int64_t world = 0;

	l->before = *im;
	if ((l->flags = read_log(im->text, &world)) == NULL)
		return;
	im->text = l->flags;
	im->size = strlen(l->flags);
	im->world = im->world > 0 ? im->world : world;
}

void
megatron_log_end(struct megatron_log *l, struct import *im)
{
	if (l->flags == NULL)
		return;
	im->text = l->before.text;
	im->size = l->before.size;
	notes_cut(&im->ignored, &l->before.ignored);
	free(l->flags);
}
