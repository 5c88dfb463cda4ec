#include "core/serve/serve_links.h"

#include <math.h>

#include "core/base/number.h"
#include "core/framework/link.h"
#include "core/plan/hardware.h"
#include "core/serve/serve_setup.h"

static const double near_seconds = 10e-6, far_seconds = 40e-6; /* least of other collectives */

/* Of a PCIe link's rate that copies of cached blocks reach: 13 to 22 of 64 GB/s, LMCache's logs; in one piece
 * for all layers, half a MiB and more, what plain copies do, 50 to 55. */
static const double fetch_share = .27, fetch_share_whole = .8;

bool
serve_is_linked(const struct cluster *c, double members)
{
	return c->nvlink_gbps > 0 && members <= at_least_one(c->nvlink_domain);
}

double
serve_network_rate(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const double measured = p->calibration.network_efficiency;

	return link_node_gbps(p) / at_least_one(c->gpus_per_node) / 8 * 1e9 *
	    (measured > 0 ? measured : 1);
}

double
serve_fetch_rate(const struct plan *p)
{
	const int64_t since = engine_of(p)->whole_since;
	const bool whole = since > 0 && serve_setup_of(p).version >= since;

	return p->cluster.pcie_gbps * 1e9 * (whole ? fetch_share_whole : fetch_share);
}

/* Bytes a second, one way, that a GPU sends to others of a group of so many, and what a
 * message takes at least. */
double
serve_link(const struct plan *p, double members, double *least)
{
	const struct cluster *c = &p->cluster;
	const bool linked = serve_is_linked(c, members);
	const bool inside = linked ||
	    (c->pcie_gbps > 0 && members <= (double)c->gpus_per_node);
	const double measured = p->calibration.nvlink_efficiency;

	/* a ring's hops between nodes, there and back, beyond those of the network that was measured */
	*least = inside ? near_seconds : larger(near_seconds, far_seconds +
	    2 * (ceil(members / at_least_one(c->gpus_per_node)) - 1) * link_lag(p));
	if (!inside)
		return serve_network_rate(p);
	return (linked ? c->nvlink_gbps * hardware_links_used(c, members) : c->pcie_gbps) * 1e9 *
	    (measured > 0 ? measured : 1);
}
