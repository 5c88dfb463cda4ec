#include <string.h>

#include "core/framework/framework.h"
#include "core/layout_build.h"

int64_t
product(int64_t a, int64_t b)
{
	return a != 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}

int
layout_add_grid(struct layout *l)
{
	l->grid[l->grids].axes = 0;
	return l->grids++;
}

void
layout_add_axis(struct layout *l, int grid, const char *name, int64_t size)
{
	struct grid *g = &l->grid[grid];
	struct axis *a = &g->axis[g->axes];

	a->name = name;
	a->size = size;
	a->stride = g->axes == 0 ? 1 : a[-1].stride * a[-1].size;
	g->axes++;
}

int
layout_add_axes(struct layout *l, const struct axis_row *row)
{
	const int grid = layout_add_grid(l);

	for (; row->name != NULL; row++)
		layout_add_axis(l, grid, row->name, row->size);
	return grid;
}

/* True when `name` is the first of the words in `axes`. */
static inline bool
starts_with(const char *axes, const char *name)
{
	for (; *name != '\0' && *name == *axes; name++)
		axes++;
	return *name == '\0' && (*axes == '\0' || *axes == ' ');
}

uint32_t
layout_mask(const struct layout *l, int grid, const char *axes)
{
	const struct grid *g = &l->grid[grid];
	uint32_t mask = 0;

	while (*axes != '\0') {
		for (int i = 0; i < g->axes; i++)
			if (starts_with(axes, g->axis[i].name))
				mask |= UINT32_C(1) << i;
		while (*axes != '\0' && *axes++ != ' ')
			continue;
	}
	return mask;
}

struct group_kind *
layout_add_kind(struct layout *l, int grid, const char *name, const char *axes)
{
	struct group_kind *k = &l->kind[l->kinds++];

	*k = (struct group_kind){ .name = name, .shape = GROUP_MASK, .grid = grid, .chunks = 1,
		.mask = layout_mask(l, grid, axes) };
	return k;
}

void
layout_add_kinds(struct layout *l, const struct kind_row *row)
{
	for (; row->name != NULL; row++)
		layout_add_kind(l, row->grid, row->name, row->axes);
}

/* A size below 1 stops every framework, most of them with a division by zero. */
static bool
sizes_positive(const struct plan *p, struct diag_list *diags)
{
	static const enum field_id sizes[] = {
		FIELD_TP, FIELD_CP, FIELD_PP, FIELD_VPP, FIELD_EP, FIELD_ETP, FIELD_DP_REPLICATE,
		FIELD_DCP, FIELD_REPLICAS
	};
	bool ok = true;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (field_int(sizes[i], p) < 1) {
			diag_add(diags, SEVERITY_ERROR, sizes[i], "size_not_positive",
			    "Megatron-LM megatron/core/parallel_state.py; torchtitan distributed/parallel_dims.py",
			    "%s must be at least 1", field_table[sizes[i]].label);
			ok = false;
		}
	return ok;
}

bool
layout_init(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	memset(l, 0, sizeof *l);
	l->world = product(p->cluster.nodes, p->cluster.gpus_per_node);
	l->edp = 1;
	if (l->world > PLAN_WORLD_MAX) {
		diag_add(diags, SEVERITY_ERROR, FIELD_NODES, "world_too_large",
		    "shardplan: sizes are kept inside 64-bit integers",
		    "%lld nodes of %lld GPUs are more than %lld GPUs", (long long)p->cluster.nodes,
		    (long long)p->cluster.gpus_per_node, (long long)PLAN_WORLD_MAX);
		return false;
	}
	if (!sizes_positive(p, diags))
		return false;
	return framework_of(p)->lay_out(l, p, diags);
}
