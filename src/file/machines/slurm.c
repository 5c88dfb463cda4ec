#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/machines/lists.h"
#include "file/machines/machines.h"
#include "file/machines/slurm_text.h"
#include "file/machines/topology.h"
#include "file/notation/sbatch.h"

enum { WORDS_MAX = 64 };

/* GPUs by kind into the account of machines, with a complaint where they make no sense. */
static bool
take_gres(struct import *im, struct machines *m, const char *gres, size_t length, char *gpu,
    size_t size, int64_t *gpus)
{
	int64_t nics;

	slurm_gres(gres, length, gpu, size, gpus, &nics);
	if (*gpus < 0) {
		import_error(im, "Gres", "%.*s has no count from 0 to 1024 (fix: as gpu:h100:8)",
		    (int)least_of((int64_t)length, 80), gres);
		return false;
	}
	if (nics > 0)
		m->nics = nics;
	return true;
}

/* A node, or those that a list names, with its Gres; nodes without GPUs are another kind. */
static bool
add_nodes(struct import *im, struct machines *m, const char *list, size_t length,
    const char *gres, size_t gres_length, const char *state)
{
	const bool dead = strcasestr(state, "down") != NULL || strcasestr(state, "drain") != NULL ||
	    strcasestr(state, "fail") != NULL || strcasestr(state, "maint") != NULL ||
	    strcasestr(state, "not_responding") != NULL || strchr(state, '*') != NULL;
	struct machines_kind *kind;
	char gpu[PLAN_ID_SIZE];
	int64_t gpus;

	if (!take_gres(im, m, gres, gres_length, gpu, sizeof gpu, &gpus))
		return false;
	kind = machines_add(m, gpu, gpus, 0);
	if (kind != NULL)
		return machines_listed(im, m, kind, list, length, dead);
	import_error(im, "", "more than %d kinds of nodes", (int)MACHINES_KINDS_MAX);
	return false;
}

/* ---- scontrol show node -------------------------------------------------------------- */

/* The value of KEY=VALUE between blanks; NULL when it is not there. */
static const char *
value_of(const char *text, const char *end, const char *key, size_t *length)
{
	const size_t n = strlen(key);

	for (const char *at = text; (at = memmem(at, (size_t)(end - at), key, n)) != NULL; at++)
		if (at[n] == '=' && (at == text || isspace((unsigned char)at[-1]))) {
			*length = strcspn(at + n + 1, " \t\r\n");
			return at + n + 1;
		}
	return NULL;
}

/* What stands in slurm.conf behind the nodes is of partitions. */
static const char *
entry_end(const char *at, const char *end)
{
	const char *partition = memmem(at, (size_t)(end - at), "PartitionName=", 14);

	return partition != NULL ? partition : end;
}

/* slurm.conf(5): what the nodes below have, unless they say otherwise. */
static bool
is_default(const char *name, size_t length)
{
	return length == 7 && strncasecmp(name, "DEFAULT", 7) == 0;
}

static void
read_scontrol(struct import *im, struct machines *m)
{
	const char *at = im->text, *counted = im->text, *usual = NULL; /* Gres of those that have none of their own */
	size_t usual_length = 0;

	im->line = 1;
	while (at != NULL && (at = strstr(at, "NodeName=")) != NULL) {
		const char *next = strstr(at + 1, "NodeName=");
		const char *end = entry_end(at, next != NULL ? next : im->text + im->size);
		size_t name = 0, gres = 0, word = 0;
		const char *n = value_of(at, end, "NodeName", &name);
		const char *g = value_of(at, end, "Gres", &gres);
		const char *s = value_of(at, end, "State", &word);

		for (; counted < at; counted++)
			im->line += *counted == '\n';
		if (is_default(n, name)) {
			usual = g;
			usual_length = gres;
			at = next;
			continue;
		}
		if (g == NULL) {
			g = usual;
			gres = usual_length;
		}
		if (!add_nodes(im, m, n, name, g != NULL ? g : "", g != NULL ? gres : 0, TEXT_OF(64, "%.*s",
		    s != NULL ? (int)word : 0, s != NULL ? s : "")))
			return;
		at = next;
	}
}

/* ---- scontrol show topology ----------------------------------------------------------- */

/* "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=a-[01-16]" or "BlockName=b1 BlockIndex=0 Nodes=a-[01-18] BlockSize=18":
 * the nodes of the lowest switches, of which the largest is a rack. */
static void
read_topology(struct import *im, struct machines *m)
{
	char line[MACHINES_LINE_SIZE];
	const char *at = im->text;
	int64_t most = 0, added;

	while (machines_line(im, &at, line, sizeof line)) {
		size_t level = 0, length = 0;
		const char *end = line + strlen(line), *lowest = value_of(line, end, "Level", &level);
		const char *nodes = value_of(line, end, "Nodes", &length);

		if (nodes == NULL || length == 0 || (lowest != NULL && (level != 1 || *lowest != '0')))
			continue;
		if (!machines_names(im, m, nodes, length, &added))
			return;
		most = most_of(most, added);
		if (added > 0)
			machines_add(m, "", 0, added);
	}
	im->line = 0;
	if (most > 0)
		import_set_int(im, FIELD_NODES_PER_RACK, least_of(most, 1024), "nodes of a lowest switch or block");
	if (most > 0 && strstr(im->text, "BlockName=") != NULL)
		notes_add(&im->assumed, "blocks are racks: where they are NVLink domains, as of GB200 and GB300, set cluster.gpu and "
		    "cluster.nvlink_domain, GPUs of a node times %lld", (long long)most);
}

/* ---- sinfo --------------------------------------------------------------------------- */

struct row {
	size_t words;
	struct { const char *text; size_t length; } word[WORDS_MAX];
};

/* Words between '|', or between blanks. */
static struct row
split_line(const char *line)
{
	const bool bars = strchr(line, '|') != NULL;
	struct row r = { 0 };

	while (*line != '\0' && r.words < WORDS_MAX) {
		size_t n, trimmed;

		if (!bars)
			line += strspn(line, " \t");
		n = strcspn(line, bars ? "|" : " \t");
		for (trimmed = n; trimmed > 0 && line[trimmed - 1] == ' '; trimmed--)
			continue;
		if (bars || n > 0) {
			r.word[r.words].text = line;
			r.word[r.words++].length = trimmed;
		}
		line += n + (line[n] != '\0');
	}
	return r;
}

static int
column(const struct row *head, const char *name)
{
	for (size_t i = 0; i < head->words; i++)
		if (head->word[i].length == strlen(name) &&
		    strncmp(head->word[i].text, name, head->word[i].length) == 0)
			return (int)i;
	return -1;
}

static bool
is_word(const struct row *r, int i, const char *word)
{
	return i >= 0 && (size_t)i < r->words && r->word[i].length == strlen(word) &&
	    strncmp(r->word[i].text, word, strlen(word)) == 0;
}

/* Which columns are which. */
struct columns {
	int names, count, gres, state;
};

/* Without a head: of the two forms that shardplan(1) tells, by node and by partition; Gres is
 * what looks like it. */
static struct columns
guess_columns(const struct row *r)
{
	struct columns c = { 0, -1, -1, -1 };

	if (is_word(r, 1, "up") || is_word(r, 1, "down") || is_word(r, 1, "drain") ||
	    is_word(r, 1, "inact"))
		c = (struct columns){ -1, 3, -1, -1 };
	for (size_t i = 0; i < r->words; i++)
		if (r->word[i].length > 3 && (strncmp(r->word[i].text, "gpu:", 4) == 0 ||
		    strncmp(r->word[i].text, "(null)", 6) == 0))
			c.gres = (int)i;
	if (c.names == 0 && r->words > 6)
		c.state = 6;
	return c;
}

/* A partition by its number of nodes: these have no names. */
static bool
add_partition(struct import *im, struct machines *m, const struct row *r,
    const struct columns *c, const char *gres, size_t length)
{
	char number[24], gpu[PLAN_ID_SIZE];
	int64_t nodes, gpus;

	text_put(number, sizeof number, "%.*s", (int)r->word[c->count].length,
	    r->word[c->count].text);
	if (!text_to_int(number, &nodes) || nodes < 1 || nodes > HOSTS_MAX) {
		import_error(im, "", "%s is no number of nodes", number);
		return false;
	}
	if (!take_gres(im, m, gres, length, gpu, sizeof gpu, &gpus))
		return false;
	return machines_add(m, gpu, gpus, nodes) != NULL;
}

static bool
add_row(struct import *im, struct machines *m, const struct row *r, const struct columns *c)
{
	const bool has_gres = c->gres >= 0 && (size_t)c->gres < r->words;
	const char *gres = has_gres ? r->word[c->gres].text : "";
	const size_t length = has_gres ? r->word[c->gres].length : 0;
	char state[64] = "";

	if (c->names < 0)
		return c->count < 0 || (size_t)c->count >= r->words ||
		    add_partition(im, m, r, c, gres, length);
	if ((size_t)c->names >= r->words)
		return true;
	if (c->state >= 0 && (size_t)c->state < r->words)
		text_put(state, sizeof state, "%.*s", (int)r->word[c->state].length,
		    r->word[c->state].text);
	return add_nodes(im, m, r->word[c->names].text, r->word[c->names].length, gres, length, state);
}

static void
read_sinfo(struct import *im, struct machines *m)
{
	char line[MACHINES_LINE_SIZE];
	struct columns c = { -1, -1, -1, -1 };
	const char *at = im->text;
	bool known = false;

	while (machines_line(im, &at, line, sizeof line)) {
		const struct row r = split_line(line);

		if (r.words == 0)
			continue;
		if (column(&r, "NODELIST") >= 0 || column(&r, "NODES") >= 0) {
			c = (struct columns){ column(&r, "NODELIST"), column(&r, "NODES"),
				column(&r, "GRES"), column(&r, "STATE") };
			known = true;
			continue;
		}
		if (!known && strchr(line, '|') == NULL && r.words > 1)
			continue; /* a date above the head */
		if (!known)
			c = guess_columns(&r);
		if (!add_row(im, m, &r, &c))
			return;
	}
}

/* ---- either -------------------------------------------------------------------------- */

/* A list of nodes alone: one word with a number in brackets. */
static bool
is_node_list(const char *text)
{
	const size_t n = strcspn(text, " \t\r\n"), open = strcspn(text, "[");

	return open < n && isdigit((unsigned char)text[open + 1]) &&
	    text[n + strspn(text + n, " \t\r\n")] == '\0' && text[0] != '{' && text[0] != '[';
}

/* Switches, blocks or rings. */
static bool
names_units(const char *text)
{
	return strcasestr(text, "SwitchName=") != NULL || strcasestr(text, "BlockName=") != NULL ||
	    strcasestr(text, "RingName=") != NULL || slurm_text_yaml(text);
}

bool
slurm_recognise(const char *text)
{
	const char *bar = strchr(text, '|');

	if (strncmp(text, "#!", 2) == 0 || strstr(text, "#SBATCH") != NULL) /* a script that asks Slurm for its nodes */
		return false;
	return names_units(text) || strcasestr(text, "NodeName=") != NULL || strstr(text, "NODELIST") != NULL ||
	    (strstr(text, "GRES") != NULL && strstr(text, "NODES") != NULL) || /* sinfo -o "%G %D" */
	    is_node_list(text) || (bar != NULL && (strstr(text, "|gpu:") != NULL ||
	    strstr(text, "|(null)") != NULL));
}

void
slurm_read(struct import *im)
{
	const bool nodes = strcasestr(im->text, "NodeName=") != NULL, units = !nodes && names_units(im->text);
	const char *text = im->text;
	const size_t size = im->size;
	struct textbuf lines = { 0 };
	struct machines m = { .in_order = is_node_list(im->text) };

	if ((nodes || units) && slurm_text(im, &lines)) {
		im->text = lines.text;
		im->size = lines.used;
	}
	if (im->errors->count > 0)
		;
	else if (nodes)
		read_scontrol(im, &m);
	else if (units)
		read_topology(im, &m);
	else
		read_sinfo(im, &m);
	if (im->errors->count == 0)
		machines_put(im, &m, "Slurm");
	if (im->errors->count == 0 && units)
		topology_put(im);
	im->text = text;
	im->size = size;
	free(lines.text);
	machines_free(&m);
}
