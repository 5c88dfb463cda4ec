#include "core/run/lost.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/nodes.h"
#include "core/run/run.h"

/* The plan with other data parallel ranks, on no more nodes than these take. */
static struct plan
with(const struct plan *p, const struct lost_way *way)
{
	struct plan q = *p;

	q.cluster.nodes = way->nodes;
	q.parallel.dp_replicate = way->copies;
	q.training.micro_batch_size = way->micro_batch;
	q.training.global_batch_size = way->batch;
	q.cluster.slow_nodes[0] = q.cluster.node_list[0] = q.cluster.dead_nodes[0] = q.run.batch_schedule[0] = '\0';
	return q;
}

/* Nodes, seconds, and copies of the sharded state: a copy is as many ranks as before where that divides them. */
static void
time_way(struct lost_way *way, const struct plan *p, int64_t unit)
{
	const int64_t gpus = p->cluster.gpus_per_node, copies = p->parallel.dp_replicate;
	const int64_t shards = most_of(1, p->cluster.nodes * gpus / unit / copies);
	struct plan q;

	way->nodes = way->dp * unit / gpus;
	way->copies = copies > 1 && way->dp % shards == 0 ? way->dp / shards : copies;
	q = with(p, way);
	way->seconds = way->dp * unit % gpus == 0 && way->batch > 0 ? run_step(&q) : 0;
}

/* The most data parallel ranks that the framework takes, more than half of those, with as much of the batch as they
 * divide. */
static struct lost_way
use_most(const struct plan *p, int64_t unit, int64_t most)
{
	const int64_t micro_batch = p->training.micro_batch_size;
	struct lost_way way = { .seconds = 0 };

	for (int64_t dp = most; dp > most / 2 && !(way.seconds > 0); dp--) {
		way = (struct lost_way){ .dp = dp, .micro_batch = micro_batch,
			.batch = p->training.global_batch_size / (micro_batch * dp) * (micro_batch * dp) };
		time_way(&way, p, unit);
	}
	return way;
}

/* The most data parallel ranks that divide the batch, with this micro-batch or a smaller one. */
static struct lost_way
keep_batch(const struct plan *p, int64_t unit, int64_t most)
{
	struct lost_way best = { .seconds = 0 };

	for (int64_t dp = most; dp > 0 && !(best.seconds > 0); dp--)
		for (int64_t m = p->training.micro_batch_size; m > 0; m--) {
			struct lost_way way = { .dp = dp, .micro_batch = m, .batch = p->training.global_batch_size };

			if (way.batch % (dp * m) != 0)
				continue;
			time_way(&way, p, unit);
			if (way.seconds > 0 && (!(best.seconds > 0) || way.seconds < best.seconds))
				best = way;
		}
	return best;
}

struct lost_nodes
lost_of(const struct plan *p, int64_t lost)
{
	const int64_t unit = p->parallel.tp * p->parallel.pp * p->parallel.cp;
	const int64_t left = (p->cluster.nodes - lost) * p->cluster.gpus_per_node;
	struct lost_nodes out = { .dp = left > 0 ? left / unit : 0 };

	if (out.dp == 0)
		return out;
	out.less = use_most(p, unit, out.dp);
	out.less.idle = left - out.less.dp * unit;
	out.same = keep_batch(p, unit, out.dp);
	out.same.idle = left - out.same.dp * unit;
	return out;
}

struct lost_way
lost_even(const struct plan *p, int64_t group_nodes)
{
	const int64_t unit = p->parallel.tp * p->parallel.pp * p->parallel.cp;
	const int64_t dp = p->cluster.nodes * p->cluster.gpus_per_node / unit;
	const int64_t nodes = p->cluster.nodes / group_nodes * (group_nodes + 1);
	struct lost_way out = { .dp = nodes * p->cluster.gpus_per_node / unit,
		.micro_batch = p->training.micro_batch_size };

	if (p->cluster.nodes % group_nodes != 0)
		return out;
	out.batch = p->training.global_batch_size / dp * out.dp;
	time_way(&out, p, unit);
	return out;
}

double
lost_share(const struct plan *p, double now, double then)
{
	const double nodes = (double)p->cluster.nodes;
	const double broken = nodes * p->run.failures_per_1000_node_days / 1000 *
	    p->run.repair_hours / 24;

	return then > now ? smaller(broken, 1) * (1 - now / then) : 0;
}

/* ---- slow nodes ------------------------------------------------------------------------- */

/* The first node that holds a stage, -1 without one. */
static int64_t
first_node(const struct plan *p, const struct layout *l, int64_t stage)
{
	for (int64_t node = 0; node < p->cluster.nodes; node++)
		if (node * p->cluster.gpus_per_node < l->world &&
		    layout_pipeline_rank(l, node * p->cluster.gpus_per_node) == stage)
			return node;
	return -1;
}

bool
lost_slow_place(struct slow_place *out, const struct plan *p, const struct layout *l)
{
	struct slow_nodes slow;
	struct plan q = *p;
	double factor = 1;
	int64_t nodes = 0;
	char err[256];

	if (p->parallel.pp < 2 || !plan_nodes_alike(p) || !nodes_slow(&slow, p, err, sizeof err))
		return false;
	for (int i = 0; i < slow.count; i++) {
		nodes += slow.range[i].last - slow.range[i].first + 1;
		factor = smaller(factor, slow.range[i].factor);
	}
	if (nodes == 0 || nodes > p->cluster.nodes / p->parallel.pp)
		return false;
	out->seconds = 0;
	q.cluster.node_list[0] = '\0';
	for (int64_t stage = 0; stage < p->parallel.pp; stage++) {
		const int64_t node = first_node(p, l, stage);
		double seconds;

		if (node < 0)
			continue;
		text_put(q.cluster.slow_nodes, sizeof q.cluster.slow_nodes, "%lld-%lld*%.6g", (long long)node,
		    (long long)(node + nodes - 1), factor);
		seconds = run_step(&q);
		if (seconds > 0 && (!(out->seconds > 0) || seconds < out->seconds))
			*out = (struct slow_place){ stage, node, seconds };
	}
	return out->seconds > 0;
}
