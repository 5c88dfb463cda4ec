#include "ui/map/map_sets.h"

#include "core/base/text.h"

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

const char *
map_set_same(const struct layout *l, const char *name)
{
	static const char *const other[][5] = {
		{ "dp", "data", "dp_shard", NULL, NULL },
		{ "dp_cp", "loss", "dp", "data", NULL },
		{ "tp", "model", NULL, NULL, NULL },
		{ "pp", "pipe", NULL, NULL, NULL },
		{ "cp", "pcp", "sequence_parallel", NULL, NULL },
	};

	if (layout_kind(l, name) >= 0)
		return name;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		bool named = false;

		for (int j = 0; j < 5 && other[i][j] != NULL; j++)
			named = named || text_equal(other[i][j], name);
		for (int j = 0; named && j < 5 && other[i][j] != NULL; j++)
			if (layout_kind(l, other[i][j]) >= 0)
				return other[i][j];
	}
	return NULL;
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

/* Two kinds whose groups are the same ranks. Groups of a kind are all alike: the first tells. */
static bool
same_groups(const struct layout *l, int a, int b)
{
	const int64_t size = layout_group_size(l, a);

	if (size != layout_group_size(l, b) || layout_group_count(l, a) != layout_group_count(l, b))
		return false;
	for (int64_t k = 0; k < size; k++)
		if (layout_member(l, a, 0, k) != layout_member(l, b, 0, k))
			return false;
	return true;
}

/* Add a dimension, where it is one of several ranks and another one than those before. */
static int
add_dimension(const struct layout *l, const char *name, struct map_color color[], int n)
{
	const char *same = map_set_same(l, name);
	const int kind = same != NULL ? layout_kind(l, same) : -1;

	if (kind < 0 || layout_group_size(l, kind) == 1)
		return n;
	for (int i = 0; i < n; i++)
		if (same_groups(l, color[i].kind, kind))
			return n;
	color[n] = (struct map_color){ MAP_BY_GROUPS, kind };
	return n + 1;
}

int
map_colors_usual(const struct layout *l, struct map_color color[MAP_USUAL_MAX])
{
	static const char *const usual[] = { "tp", "pp", "dp", "cp", "ep" };
	int n = 0, kind;

	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		n = add_dimension(l, usual[i], color, n);
	/* The links of what talks most. */
	kind = n > 0 ? color[0].kind : 0;
	if (layout_pipeline_rank(l, l->world - 1) > 0)
		color[n++] = (struct map_color){ MAP_BY_STAGE, kind };
	color[n++] = (struct map_color){ MAP_BY_MEMORY, kind };
	color[n++] = (struct map_color){ MAP_BY_LINK, kind };
	return n;
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
