#include "ui/map/map_sets.h"

/* Groups that nobody tells apart by their colours. */
enum { GROUPS_MANY = 100 };

static const struct {
	const char *name;
	const char *kind[MAP_COLORS_MAX];
} preset_table[] = {
	{ "DP", { "dp" } }, { "TP", { "tp" } }, { "PP", { "pp" } }, { "CP", { "cp" } },
	{ "DP+TP", { "dp", "tp" } }, { "DP+PP", { "dp", "pp" } },
	/* With CP, gradients are reduced over both: the groups shown are dp_cp. */
	{ "DP+TP+PP", { "dp", "tp", "pp" } }, { "CP+DP", { "cp", "dp_cp" } },
	{ "CP+DP+TP", { "cp", "dp_cp", "tp" } }, { "CP+DP+PP", { "cp", "dp_cp", "pp" } },
	{ "CP+DP+TP+PP", { "cp", "dp_cp", "tp", "pp" } },
};

const char *
map_set_name(int i)
{
	return i < (int)(sizeof preset_table / sizeof *preset_table) ? preset_table[i].name : NULL;
}

int
map_set_groups(int i, const struct layout *l, const char *name[MAP_COLORS_MAX])
{
	int n = 0;

	for (int j = 0; j < MAP_COLORS_MAX && preset_table[i].kind[j] != NULL; j++) {
		const char *kind = map_set_same(l, preset_table[i].kind[j]);

		if (kind != NULL)
			name[n++] = kind;
	}
	return n;
}

int
map_colors_usual(const struct layout *l, struct map_color color[MAP_USUAL_MAX])
{
	struct map_relation dimensions;
	int n = 0, kind;

	map_relation_init(&dimensions, l, -1, true);
	for (int i = 0; i < dimensions.count; i++)
		color[n++] = (struct map_color){ MAP_BY_GROUPS, dimensions.kind[i] };
	/* The links of what talks most. */
	kind = n > 0 ? color[0].kind : 0;
	if (layout_pipeline_rank(l, l->world - 1) > 0)
		color[n++] = (struct map_color){ MAP_BY_STAGE, kind };
	color[n++] = (struct map_color){ MAP_BY_MEMORY, kind };
	color[n++] = (struct map_color){ MAP_BY_LINK, kind };
	return n;
}

/* One group of all paints every GPU alike. */
static bool
tells_apart(const struct layout *l, struct map_color color)
{
	return color.by != MAP_BY_GROUPS || layout_group_count(l, color.kind) > 1;
}

struct map_color
map_color_first(const struct layout *l)
{
	struct map_color usual[MAP_USUAL_MAX];
	const int n = map_colors_usual(l, usual);
	int first = 0;

	while (first < n && !tells_apart(l, usual[first]))
		first++;
	if (usual[first].by == MAP_BY_GROUPS && layout_group_count(l, usual[first].kind) > GROUPS_MANY)
		for (int i = first; i < n; i++)
			if (usual[i].by == MAP_BY_STAGE)
				return usual[i];
	return usual[first];
}

static bool
is_shown(const struct layout *l, const struct map_color shown[], int n, struct map_color color)
{
	for (int i = 0; i < n; i++)
		if (map_color_index(l, shown[i]) == map_color_index(l, color))
			return true;
	return false;
}

int
map_colors_more(const struct layout *l, const struct map_color shown[], int n,
    struct map_color more[MAP_USUAL_MAX])
{
	struct map_color want[MAP_USUAL_MAX + 2] = { { MAP_BY_LAYERS, 0 }, { MAP_BY_MEMORY, 0 } };
	const int count = map_colors_usual(l, want + 2) + 2;
	int m = 0;

	for (int i = 0; i < count; i++)
		if (want[i].by != MAP_BY_LINK && !is_shown(l, shown, n, want[i]) &&
		    !is_shown(l, more, m, want[i]))
			more[m++] = want[i];
	return m;
}
