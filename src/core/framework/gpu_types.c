#include "core/framework/gpu_types.h"

#include "core/base/number.h"
#include "core/plan/nodes.h"

const struct plan *
gpu_type_plan(const struct plan *p, int type, struct plan *room)
{
	if (type == 0)
		return p;
	*room = *p;
	room->cluster = p->other[type - 1];
	return room;
}

/* Ranges of the list; none where it can not be read. */
static struct other_nodes
others_of(const struct plan *p)
{
	struct other_nodes others;
	char err[256];

	if (!nodes_other(&others, p, err, sizeof err))
		others.count = 0;
	return others;
}

void
gpu_types_of_stages(unsigned types[STAGE_CHUNKS_MAX], const struct plan *p, const struct layout *l)
{
	const struct other_nodes others = others_of(p);
	const int64_t gpus = p->cluster.gpus_per_node, pp = p->parallel.pp;
	int64_t named[STAGE_CHUNKS_MAX];

	for (int64_t i = 0; i < pp; i++) {
		types[i] = 0;
		named[i] = 0;
	}
	for (int k = 0; k < others.count; k++) {
		const struct other_range *range = &others.range[k];

		for (int64_t slot = range->first * gpus; slot < (range->last + 1) * gpus; slot++) {
			const int64_t rank = plan_at_slot(p, slot);

			if (rank < 0 || rank >= l->world)
				continue;
			types[layout_pipeline_rank(l, rank)] |= 2u << range->type;
			named[layout_pipeline_rank(l, rank)]++;
		}
	}
	for (int64_t i = 0; i < pp; i++)
		types[i] |= named[i] < l->world / pp;
}

void
gpu_types_nodes(int64_t nodes[GPU_TYPES_MAX], const struct plan *p)
{
	const struct other_nodes others = others_of(p);

	for (int t = 1; t < GPU_TYPES_MAX; t++)
		nodes[t] = 0;
	nodes[0] = p->cluster.nodes;
	for (int k = 0; k < others.count; k++) {
		const int64_t n = others.range[k].last - others.range[k].first + 1;

		nodes[1 + others.range[k].type] += n;
		nodes[0] -= n;
	}
}

double
gpu_types_mean(const struct plan *p, enum field_id f)
{
	const double own = field_real(f, p);
	int64_t nodes[GPU_TYPES_MAX];
	double sum = 0;
	struct plan room;

	if (p->others == 0)
		return own;
	gpu_types_nodes(nodes, p);
	for (int t = 0; t < gpu_types(p); t++) {
		const double its = field_real(f, gpu_type_plan(p, t, &room));

		sum += (double)nodes[t] * (its > 0 ? its : own);
	}
	return sum / (double)p->cluster.nodes;
}

const struct plan *
gpu_types_links(const struct plan *p, struct plan *room)
{
	if (p->others == 0)
		return p;
	*room = *p;
	for (int k = 0; k < p->others; k++) {
		room->cluster.nvlink_gbps = smaller(room->cluster.nvlink_gbps, p->other[k].nvlink_gbps);
		room->cluster.pcie_gbps = smaller(room->cluster.pcie_gbps, p->other[k].pcie_gbps);
	}
	return room;
}
