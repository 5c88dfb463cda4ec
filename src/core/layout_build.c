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
layout_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	l->dp = 0;
	l->edp = 1;
	l->grids = l->kinds = 0;
	l->world = product(p->cluster.nodes, p->cluster.gpus_per_node);
	if (l->world > PLAN_WORLD_MAX) {
		diag_add(diags, SEVERITY_ERROR, FIELD_NODES, "world_too_large",
		    "shardplan: sizes are kept inside 64-bit integers",
		    "%lld nodes of %lld GPUs are more than %lld GPUs", (long long)p->cluster.nodes,
		    (long long)p->cluster.gpus_per_node, (long long)PLAN_WORLD_MAX);
		return false;
	}
	if (!sizes_positive(p, diags))
		return false;
	return framework_of(p)->size(l, p, diags);
}

void
layout_group(struct layout *l, const struct plan *p)
{
	framework_of(p)->group(l, p);
}

bool
layout_init(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	if (!layout_size(l, p, diags))
		return false;
	layout_group(l, p);
	return true;
}
