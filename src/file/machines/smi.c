/* What amd-smi, rocm-smi and npu-smi print of the cards of one node. */
#include <ctype.h>
#include <string.h>

#include "file/machines/lists.h"
#include "file/machines/machines.h"

struct cards {
	struct import *im;
	struct machines m;
	int64_t count;
	char name[PLAN_ID_SIZE];
	int column, memory; /* of rocm-smi's csv, -1: not known */
	bool vram;          /* amd-smi: in the section of that name */
};

/* A name as it is called first; another one in the same node is told. */
static void
take_name(struct cards *c, const char *text, size_t length)
{
	char name[PLAN_ID_SIZE];

	while (length > 0 && isspace((unsigned char)*text))
		text++, length--;
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	text_put(name, sizeof name, "%.*s", (int)length, text);
	if (c->name[0] == '\0')
		text_put(c->name, sizeof c->name, "%s", name);
	else if (!text_equal(c->name, name))
		import_ignore(c->im, name, "another GPU in the same node");
}

/* A whole number in units of so many MiB. */
static void
take_memory(struct cards *c, const char *text, double mib)
{
	int64_t n;

	text += strspn(text, " \t\"");
	if (text_to_int(TEXT_OF(24, "%.*s", (int)strspn(text, "0123456789"), text), &n) && n > 0 &&
	    (double)n * mib < 1 << 26)
		c->m.memory_mib = (double)n * mib;
}

static void
put_cards(struct cards *c, const char *source)
{
	if (c->count > 0 && !machines_add(&c->m, c->name, c->count, 1))
		return;
	c->m.one_node = true;
	machines_put(c->im, &c->m, source);
}

/* ---- AMD ------------------------------------------------------------------------------ */

/* The value behind a key that ends in ':'; NULL for another line. */
static const char *
behind(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at != NULL ? at + strlen(key) : NULL;
}

/* "GPU: 0", "MARKET_NAME: AMD Instinct MI300X", a section "VRAM:" with "SIZE: 196592 MB" (amd-smi
 * static, ROCm/amdsmi amdsmi_cli); "GPU[0] : Card Series: AMD Instinct MI300X", "GPU[0] : VRAM Total
 * Memory (B): 206141652992" (ROCm/rocm_smi_lib python_smi_tools/rocm_smi.py). */
static bool
amd_line(struct cards *c, const char *line)
{
	const char *value;

	if ((value = behind(line, "MARKET_NAME:")) != NULL || (value = behind(line, "Card Series:")) != NULL ||
	    (value = behind(line, "Card series:")) != NULL) {
		c->count++;
		take_name(c, value, strlen(value));
	} else if ((value = behind(line, "VRAM Total Memory (B):")) != NULL) {
		take_memory(c, value, 1.0 / (1 << 20));
	} else if (line[strcspn(line, ":")] == ':' && line[strcspn(line, ":") + 1] == '\0') {
		c->vram = strstr(line, "VRAM:") != NULL;
	} else if (c->vram && (value = behind(line, "SIZE:")) != NULL) {
		take_memory(c, value, 1);
	} else {
		return false;
	}
	return true;
}

/* "device,...,VRAM Total Memory (B),...,Card Series,..." and a line a card. */
static void
amd_csv(struct cards *c, const char *line)
{
	const bool head = strncmp(line, "device,", 7) == 0;

	if (head)
		c->column = c->memory = -1;
	else if (c->column < 0 || strncmp(line, "card", 4) != 0)
		return;
	for (int i = 0; *line != '\0'; i++) {
		const size_t n = strcspn(line, ",");

		if (head && n == 11 && (strncmp(line, "Card Series", n) == 0 || strncmp(line, "Card series", n) == 0))
			c->column = i;
		else if (head && n == 21 && strncmp(line, "VRAM Total Memory (B)", n) == 0)
			c->memory = i;
		else if (!head && i == c->column)
			take_name(c, line, n);
		else if (!head && i == c->memory)
			take_memory(c, line, 1.0 / (1 << 20));
		line += n + (line[n] == ',');
	}
	c->count += !head;
}

bool
amd_smi_recognise(const char *text)
{
	return strstr(text, "MARKET_NAME:") != NULL || strstr(text, "Card Series") != NULL ||
	    strstr(text, "Card series") != NULL;
}

void
amd_smi_read(struct import *im)
{
	struct cards c = { .im = im, .column = -1, .memory = -1 };
	char line[MACHINES_LINE_SIZE];
	const char *at = im->text;

	while (machines_line(im, &at, line, sizeof line))
		if (!amd_line(&c, line))
			amd_csv(&c, line);
	put_cards(&c, "the listing of AMD's tool");
	machines_free(&c.m);
}

/* ---- Ascend ----------------------------------------------------------------------------- */

/* "| 0     910B4-1             | OK            | ..." and, a line each chip, "| 0   | 0000:9D:00.0  | ...
 * 3416 / 65536 |": its memory is behind the last slash. */
static void
npu_line(struct cards *c, const char *line)
{
	const char *cell, *bar, *slash;

	if (line[0] != '|' || !isdigit((unsigned char)line[1 + strspn(line + 1, " ")]) ||
	    (bar = strchr(line + 1, '|')) == NULL)
		return;
	cell = line + 1 + strspn(line + 1, " ");
	cell += strspn(cell, "0123456789");
	cell += strspn(cell, " ");
	if (cell < bar && isalnum((unsigned char)*cell) && strncmp(bar, "| 0", 3) != 0) {
		take_name(c, cell, (size_t)(bar - cell));
	} else if (strncmp(bar, "| 0", 3) == 0 && strcspn(bar, ":") < strcspn(bar + 1, "|") &&
	    (slash = strrchr(bar, '/')) != NULL) {
		c->count++;
		take_memory(c, slash + 1, 1);
	}
}

bool
npu_smi_recognise(const char *text)
{
	return strstr(text, "npu-smi") != NULL || strstr(text, "HBM-Usage(MB)") != NULL;
}

void
npu_smi_read(struct import *im)
{
	struct cards c = { .im = im };
	char line[MACHINES_LINE_SIZE];
	const char *at = im->text;

	while (machines_line(im, &at, line, sizeof line))
		npu_line(&c, line);
	put_cards(&c, "npu-smi");
	machines_free(&c.m);
}
