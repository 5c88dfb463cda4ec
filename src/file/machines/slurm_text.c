#include "file/machines/slurm_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "file/log/jsonin.h"
#include "file/notation/yamlin.h"

enum { PATH_SIZE = 96 };

#define ROOT "all." /* the list of topologies, below a key, as yamlin.h reads mappings */

/* ---- topology.yaml ------------------------------------------------------------------------ */

/* Kinds of a topology: where its units stand, what each is called there and in topology.conf. */
static const struct kind {
	const char *list, *name, *key;
} kinds[] = {
	{ "tree.switches", "switch", "SwitchName" }, { "block.blocks", "block", "BlockName" },
	{ "ring.rings", "ring", "RingName" },
};

bool
slurm_text_yaml(const char *text)
{
	return strstr(text, "topology:") != NULL && (strstr(text, "switch:") != NULL || strstr(text, "block:") != NULL ||
	    strstr(text, "ring:") != NULL) && strstr(text, "nodes:") != NULL;
}

/* Which of the kinds the i-th topology is, NULL: none that has units. */
static const struct kind *
kind_of(const struct jsonin *j, size_t i, size_t *units)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (jsonin_list(j, TEXT_OF(PATH_SIZE, ROOT "%zu.%s", i, kinds[k].list), units) && *units > 0)
			return &kinds[k];
	return NULL;
}

/* Slurm's own choice where a partition names none, or the first that has units. */
static size_t
choose_topology(const struct jsonin *j, size_t count)
{
	size_t best = count, units;
	bool is;

	for (size_t i = 0; i < count; i++) {
		if (kind_of(j, i, &units) == NULL)
			continue;
		if (jsonin_bool(j, TEXT_OF(PATH_SIZE, ROOT "%zu.cluster_default", i), &is) && is)
			return i;
		best = best == count ? i : best;
	}
	return best;
}

/* One unit's text under a key, "" without. */
static const char *
unit_text(const struct jsonin *j, const char *unit, const char *key)
{
	const char *text;

	text = jsonin_text(j, TEXT_OF(PATH_SIZE + 16, "%s.%s", unit, key));
	return text != NULL ? text : "";
}

static void
put_word(struct textbuf *out, const char *key, const char *value)
{
	if (*value == '\0')
		return;
	textbuf_add(out, " %s=", key);
	for (; *value != '\0'; value++)
		if (!isspace((unsigned char)*value))
			textbuf_bytes(out, value, 1);
}

static void
put_topology(struct textbuf *out, const struct jsonin *j, size_t i)
{
	size_t units;
	const struct kind *kind = kind_of(j, i, &units);
	char unit[PATH_SIZE];

	for (size_t k = 0; k < units; k++) {
		text_put(unit, sizeof unit, ROOT "%zu.%s.%zu", i, kind->list, k);
		put_word(out, kind->key, unit_text(j, unit, kind->name));
		put_word(out, "Switches", unit_text(j, unit, "children"));
		put_word(out, "Nodes", unit_text(j, unit, "nodes"));
		textbuf_add(out, "\n");
	}
}

/* The first line that holds something: a document may begin with ---. */
static const char *
skip_head(const char *text)
{
	while (*text == '#' || *text == '\n' || strncmp(text, "---", 3) == 0) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return text;
}

static bool
take_yaml(struct import *im, struct textbuf *out)
{
	const char *list = skip_head(im->text);
	struct textbuf all = { 0 };
	char path[PATH_SIZE];
	struct jsonin j;
	size_t count = 0, best, units;
	bool read;

	textbuf_add(&all, "all:\n");
	textbuf_bytes(&all, list, strlen(list));
	read = !all.failed && yamlin_parse(&j, all.text, all.used, im->name, im->errors);
	if (all.failed)
		return false;
	if (read)
		jsonin_list(&j, "all", &count);
	best = choose_topology(&j, count);
	if (read && best == count) {
		import_error(im, "", "no topology with switches or blocks stands here");
		read = false;
	}
	for (size_t i = 0; read && i < count; i++) {
		text_put(path, sizeof path, ROOT "%zu.topology", i);
		if (i == best)
			put_topology(out, &j, i);
		else if (kind_of(&j, i, &units) != NULL)
			notes_add(&im->ignored, "topology %s: another is that of the cluster, or the first (fix: it alone in a file)",
			    jsonin_text(&j, path) != NULL ? jsonin_text(&j, path) : "");
	}
	jsonin_free(&j);
	free(all.text);
	return read;
}

/* ---- .conf, and what scontrol prints ------------------------------------------------------ */

/* The key that a text begins with, as scontrol writes it; NULL for another one. */
static const char *
key_at(const char *text)
{
	static const char *const keys[] = { "SwitchName", "Switches", "Nodes", "Level", "BlockName", "RingName",
		"AggregatedBlock", "NodeName", "PartitionName", "Gres", "State" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strncasecmp(text, keys[i], strlen(keys[i])) == 0 && text[strlen(keys[i])] == '=')
			return keys[i];
	return NULL;
}

/* A line up to its end; what it goes on with takes the place of the line end. Where scontrol writes, '#' may stand in
 * what an operating system is called. */
static const char *
put_line(struct textbuf *out, const char *at, bool comments)
{
	bool fresh = true, said = true, first = true;

	for (; *at != '\0' && *at != '\n'; at++) {
		const char *key = fresh ? key_at(at) : NULL;
		const size_t end = *at == '\\' ? 1 + strspn(at + 1, " \t\r") : 0;

		said = said && !(*at == '#' && (comments || first));
		if (end > 0 && at[end] == '\n') {
			at += end + strspn(at + end + 1, " \t");
			continue;
		}
		first = first && isspace((unsigned char)*at);
		fresh = isspace((unsigned char)*at);
		if (said && key != NULL) {
			textbuf_bytes(out, key, strlen(key));
			at += strlen(key) - 1;
		} else if (said) {
			textbuf_bytes(out, at, 1);
		}
	}
	textbuf_add(out, "\n");
	return at + (*at == '\n');
}

bool
slurm_text(struct import *im, struct textbuf *out)
{
	const bool comments = strcasestr(im->text, "CPUAlloc=") == NULL;

	if (slurm_text_yaml(im->text))
		return take_yaml(im, out);
	for (const char *at = im->text; *at != '\0';)
		at = put_line(out, at, comments);
	return !out->failed;
}
