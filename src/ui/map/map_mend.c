/* Groups that the rule for the colours, or the letters, does not tell apart though it could be done. */
#include <string.h>

#include "ui/map/map_grid.h"

enum {
	UNITS_MAX = 1 << 14, /* of a larger map it would be felt at each key */
	PASSES = 6,
	NONE = PAINT_NONE,
};

/* How many neighbours of a group's units have each value. */
static void
count_near(const struct map_grid *g, const struct paint *paint, const uint8_t value[],
    int64_t group, int near[])
{
	static const int side[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
	struct group_walk walk;
	int64_t rank, x, y;

	group_walk_start(&walk, paint->layout, paint->kind, group);
	while (group_walk_next(&walk, &rank)) {
		if (rank % g->stride != 0 || paint_group(paint, rank) != group)
			continue;
		map_grid_unit(g, rank, &x, &y);
		for (int i = 0; i < 4; i++) {
			const int64_t beside = map_grid_unit_rank(g, x + side[i][0], y + side[i][1]);
			const int64_t other = beside < 0 ? -1 : paint_group(paint, beside);

			if (other >= 0 && other != group && value[other] != NONE)
				near[value[other]]++;
		}
	}
}

/* Give a group a value that none or few of its neighbours have. True when none has it. */
static bool
choose(const struct map_grid *g, const struct paint *paint, int values, uint8_t value[],
    int64_t group, int pass)
{
	int near[PAINT_LETTERS] = { 0 }, best = (int)((group + pass) % values);

	count_near(g, paint, value, group, near);
	if (value[group] != NONE && near[value[group]] == 0)
		return true;
	for (int i = 0; i < values; i++)
		if (near[(group + pass + i) % values] < near[best])
			best = (int)((group + pass + i) % values);
	value[group] = (uint8_t)best;
	return near[best] == 0;
}

static void
mend(const struct map_grid *g, const struct paint *paint, const struct paint_rule *rule,
    struct paint_table *table)
{
	if (rule->clashes == 0)
		return;
	memset(table->value, NONE, sizeof table->value);
	for (int pass = 0; pass < PASSES && !table->used; pass++) {
		table->used = true;
		for (int64_t group = 0; group < paint->groups; group++)
			if (!choose(g, paint, rule->values, table->value, group, pass))
				table->used = false;
	}
}

/* Where a unit is more than one GPU, few of the groups are on the map: if there are colours enough, each
 * of those has its own. */
static void
share_out(const struct map_grid *g, struct map_paint *m)
{
	struct paint_table *table = &m->paint.color_table;
	int used = 0;

	if (g->stride == 1 || m->paint.groups <= m->colors)
		return;
	memset(table->value, NONE, sizeof table->value);
	for (int64_t rank = 0; rank < g->world; rank += g->stride) {
		const int64_t group = paint_group(&m->paint, rank);

		if (group < 0 || table->value[group] != NONE)
			continue;
		if (used == m->most)
			return;
		table->value[group] = (uint8_t)used++;
	}
	table->used = true;
}

void
map_mend(const struct map_grid *g, struct map_paint *m)
{
	struct paint *paint = &m->paint;

	if (m->color.by != MAP_BY_GROUPS || paint->groups > PAINT_TABLE_MAX ||
	    g->world / g->stride > UNITS_MAX)
		return;
	share_out(g, m);
	if (!paint->color_table.used)
		mend(g, paint, &paint->color, &paint->color_table);
	mend(g, paint, &paint->letter, &paint->letter_table);
}
