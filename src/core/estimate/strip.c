#include "core/estimate/strip.h"

#include <math.h>

#include "core/base/number.h"
#include "core/estimate/scope.h"
#include "core/framework/resolve.h"

/* Nodes of so many data parallel ranks, 0: no whole number of them, or more than there can be. */
static int64_t
nodes_of(const struct plan *p, int64_t dp)
{
	const int64_t unit = product_of(product_of(p->parallel.tp, p->parallel.pp), p->parallel.cp);
	const int64_t gpus = product_of(unit, dp), node = p->cluster.gpus_per_node;

	return gpus > 0 && gpus <= PLAN_WORLD_MAX && gpus % node == 0 ? gpus / node : 0;
}

static bool
take_point(struct strip_point *out, const struct plan *p, int64_t nodes,
    const struct catalog *catalog, struct scope *scope, struct estimate *work)
{
	const struct enough any = { { INFINITY, INFINITY }, INFINITY };
	struct plan q = *p;

	q.cluster.nodes = nodes;
	plan_resolve(&q, catalog);
	if (estimate_peak(work, scope, &q, &any) != VERDICT_ESTIMATED || !work->ran)
		return false;
	*out = (struct strip_point){ .nodes = nodes, .own = nodes == p->cluster.nodes,
		.fits = work->fits || !work->capacity_known, .days = work->run.days,
		.days_low = work->run.days_low, .days_high = work->run.days_high,
		.cost = work->run.cost, .goodput = work->run.goodput };
	return true;
}

/* The next divisor of a batch from d on, in a direction; 0 past the end. */
static int64_t
next_divisor(int64_t batch, int64_t d, int way)
{
	for (d += way; d > 0 && d <= batch; d += way)
		if (batch % d == 0)
			return d;
	return 0;
}

/* Points from the plan's data parallel ranks on, up or down, before the first or after the last of
 * those that are there. */
static void
add_points(struct node_strip *out, const struct plan *p, int64_t dp, int way,
    const struct catalog *catalog, struct scope *scope, struct estimate *work)
{
	const int64_t batch = p->training.global_batch_size / p->training.micro_batch_size;
	int added = 0;

	while (added < STRIP_MAX / 2 - 1 && (dp = next_divisor(batch, dp, way)) > 0) { /* both ways and the plan's own */
		const int64_t nodes = nodes_of(p, dp);
		struct strip_point point;

		if (nodes == 0 || !take_point(&point, p, nodes, catalog, scope, work))
			continue;
		if (way > 0) {
			out->point[out->count] = point;
		} else {
			for (int i = out->count; i > 0; i--)
				out->point[i] = out->point[i - 1];
			out->point[0] = point;
		}
		out->count++;
		added++;
	}
}

void
strip_of(struct node_strip *out, const struct plan *p, const struct catalog *catalog,
    struct scope *scope, struct estimate *work)
{
	const int64_t unit = product_of(product_of(p->parallel.tp, p->parallel.pp), p->parallel.cp);
	int64_t dp;

	out->count = 0;
	if (!plan_has_run(p) || unit < 1)
		return;
	scope_init(scope, catalog);
	dp = plan_world(p) / unit;
	if (take_point(&out->point[0], p, p->cluster.nodes, catalog, scope, work))
		out->count = 1;
	add_points(out, p, dp, -1, catalog, scope, work);
	add_points(out, p, dp, 1, catalog, scope, work);
}
