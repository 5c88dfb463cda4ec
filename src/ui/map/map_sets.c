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
