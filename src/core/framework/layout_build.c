#include "core/framework/layout_build.h"

int
layout_add_grid(struct layout *l)
{
	l->grid[l->grids].axes = 0;
	return l->grids++;
}

int
layout_add_axis(struct layout *l, int grid, const char *name, int64_t size)
{
	struct grid *g = &l->grid[grid];
	struct axis *a = &g->axis[g->axes];

	a->name = name;
	a->size = size;
	a->stride = g->axes == 0 ? 1 : a[-1].stride * a[-1].size;
	return g->axes++;
}

int
layout_add_axes(struct layout *l, const struct axis_row *row)
{
	const int grid = layout_add_grid(l);

	for (; row->name != NULL; row++)
		layout_add_axis(l, grid, row->name, row->size);
	return grid;
}

struct group_kind *
layout_add_kind(struct layout *l, int grid, const char *name, uint32_t mask)
{
	struct group_kind *k = &l->kind[l->kinds++];

	*k = (struct group_kind){ .name = name, .shape = GROUP_MASK, .grid = grid, .chunks = 1,
		.mask = mask };
	return k;
}

void
layout_add_kinds(struct layout *l, const struct kind_row *row)
{
	for (; row->name != NULL; row++)
		layout_add_kind(l, row->grid, row->name, row->mask);
}
