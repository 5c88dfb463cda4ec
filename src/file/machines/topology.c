#include "file/machines/topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/levels.h"
#include "core/framework/link.h"
#include "core/framework/resolve.h"
#include "core/plan/nodes.h"
#include "file/machines/machines.h"

enum { NOT_KNOWN = -1 };

/* A switch: its nodes, or its switches where those have to be counted. */
struct unit {
	char name[NODE_NAME_SIZE];
	int64_t nodes;       /* below it, NOT_KNOWN yet */
	int level;           /* 0: a leaf */
	char *below;         /* a list of switches; owned, NULL: none */
};

struct units {
	size_t count, room;
	struct unit *unit;   /* owned */
	char leaves[PLAN_NODES_SIZE]; /* nodes of leaves in their order, "" where there is no room */
	bool cut;
};

/* The value of KEY=VALUE among words; false without one. */
static bool
take_word(const char *line, const char *key, char *value, size_t size)
{
	const size_t n = strlen(key);

	for (const char *at = line; (at = strstr(at, key)) != NULL; at += n)
		if (at[n] == '=' && (at == line || isspace((unsigned char)at[-1]))) {
			text_part(value, size, at + n + 1, strcspn(at + n + 1, " \t"));
			return value[0] != '\0';
		}
	return false;
}

static struct unit *
add_unit(struct units *u)
{
	if (u->count == u->room) {
		const size_t room = 2 * u->room + 64;
		struct unit *unit = realloc(u->unit, room * sizeof *unit);

		if (unit == NULL)
			return NULL;
		u->unit = unit;
		u->room = room;
	}
	u->unit[u->count] = (struct unit){ .nodes = NOT_KNOWN };
	return &u->unit[u->count++];
}

static void
add_leaf(struct units *u, const char *nodes)
{
	if (u->cut || strlen(u->leaves) + strlen(nodes) + 2 > sizeof u->leaves)
		u->cut = true;
	else
		text_add(u->leaves, sizeof u->leaves, "%s%s", u->leaves[0] != '\0' ? "," : "", nodes);
}

/* "SwitchName=s0 Nodes=tux[0-3]", "SwitchName=top Switches=s[0-7]", and what scontrol adds. */
static void
read_unit(struct units *u, const char *line)
{
	char name[NODE_NAME_SIZE], level[16], list[MACHINES_LINE_SIZE];
	struct unit *unit;
	int64_t v;

	if (!take_word(line, "SwitchName", name, sizeof name) || (unit = add_unit(u)) == NULL)
		return;
	text_put(unit->name, sizeof unit->name, "%s", name);
	if (take_word(line, "Switches", list, sizeof list))
		unit->below = strdup(list);
	if (take_word(line, "Nodes", list, sizeof list))
		unit->nodes = nodes_count(list);
	unit->level = take_word(line, "Level", level, sizeof level) && text_to_int(level, &v) && v >= 0 &&
	    v < LEVELS_MAX ? (int)v : unit->below != NULL ? NOT_KNOWN : 0;
	if (unit->level == 0 && unit->below == NULL && unit->nodes > 0)
		add_leaf(u, list);
}

static const struct unit *
find_unit(const struct units *u, const char *name)
{
	for (size_t i = 0; i < u->count; i++)
		if (strcmp(u->unit[i].name, name) == 0)
			return &u->unit[i];
	return NULL;
}

/* Count a switch whose switches are all counted; false where one is not. */
static bool
count_unit(const struct units *u, struct unit *unit)
{
	const int64_t switches = nodes_count(unit->below);
	char name[NODE_NAME_SIZE];
	int64_t nodes = 0;
	int level = 0;

	for (int64_t i = 0; i < switches; i++) {
		const struct unit *below;

		nodes_name(unit->below, i, name, sizeof name);
		below = find_unit(u, name);
		if (below == NULL || below->nodes < 0 || below->level < 0)
			return false;
		nodes += below->nodes;
		level = below->level >= level ? below->level + 1 : level;
	}
	unit->nodes = unit->nodes < 0 ? nodes : unit->nodes;
	unit->level = unit->level < 0 ? level : unit->level;
	return true;
}

static void
count_units(struct units *u)
{
	for (int pass = 0; pass < LEVELS_MAX; pass++)
		for (size_t i = 0; i < u->count; i++)
			if (u->unit[i].below != NULL && (u->unit[i].nodes < 0 || u->unit[i].level < 0))
				count_unit(u, &u->unit[i]);
}

/* "8:450,128:50,512:50": of each level its largest switch, in whole units of the level before. */
static void
put_levels(const struct units *u, const struct plan *p, char *buf, size_t size)
{
	const int64_t node = p->cluster.gpus_per_node;
	int64_t before = node;

	text_put(buf, size, "%lld:%.6g", (long long)node, p->cluster.nvlink_gbps > 0 ?
	    p->cluster.nvlink_gbps : link_card(p));
	for (int level = 0; level < LEVELS_MAX - 1; level++) {
		int64_t most = 0;

		for (size_t i = 0; i < u->count; i++)
			if (u->unit[i].level == level)
				most = most_of(most, product_of(u->unit[i].nodes, node));
		most = rounded_up(most, before);
		if (most <= before || most > PLAN_WORLD_MAX)
			continue;
		text_add(buf, size, ",%lld:%.6g", (long long)most, link_card(p));
		before = most;
	}
}

void
topology_put(struct import *im)
{
	struct units units = { 0 };
	char line[MACHINES_LINE_SIZE], levels[PLAN_LIST_SIZE];
	struct import quiet = { .text = im->text };
	const char *at = im->text;
	struct plan p = *im->plan;

	plan_resolve(&p, im->catalog);
	while (machines_line(&quiet, &at, line, sizeof line))
		read_unit(&units, line);
	count_units(&units);
	if (units.count > 0 && link_card(&p) > 0) {
		put_levels(&units, &p, levels, sizeof levels);
		import_set(im, FIELD_LEVELS, levels, "switches; rates are those of the plan's cards, and no "
		    "oversubscription is assumed");
	}
	if (units.leaves[0] != '\0' && !units.cut &&
	    nodes_count(units.leaves) >= p.cluster.nodes)
		import_set(im, FIELD_NODE_LIST, units.leaves, "nodes by their leaves");
	for (size_t i = 0; i < units.count; i++)
		free(units.unit[i].below);
	free(units.unit);
}
