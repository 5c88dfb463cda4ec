/*
 * span.c - where a group lies: in how many domains and nodes, and what levels of the network it meets.
 */
#include "core/base/number.h"
#include "core/framework/link.h"

const char *
span_name(enum span_kind kind)
{
	static const char *const names[] = { "nvlink", "network", "mixed" };

	return names[kind];
}

const char *
span_path_name(enum span_kind kind)
{
	return span_name(kind == SPAN_NVLINK ? SPAN_NVLINK : SPAN_NETWORK);
}

/*
 * Of the group that starts at rank 0: how many of its members are ranks below `limit`. The
 * axes are the digits of a rank: walk the digits of limit - 1 from the slowest down.
 */
static int64_t
members_below(const struct layout *l, const struct group_kind *k, int64_t limit)
{
	const struct grid *g = &l->grid[k->grid];
	int64_t rest = limit - 1, total = 1, count = 0;

	if (limit >= l->world)
		rest = l->world - 1;
	for (int i = 0; i < g->axes; i++)
		if (k->mask >> i & 1)
			total *= g->axis[i].size;
	for (int i = g->axes - 1; i >= 0; i--) {
		const int64_t digit = rest / g->axis[i].stride;

		rest %= g->axis[i].stride;
		if (!(k->mask >> i & 1)) {
			if (digit > 0)
				return count + total; /* every member has 0 here */
			continue;
		}
		total /= g->axis[i].size;
		if (digit >= g->axis[i].size)
			return count + total * g->axis[i].size;
		count += digit * total;
	}
	return count + 1;
}

/* members: of the group in units of so many GPUs. */
static void
span_finish(struct span *s, const struct plan *p, int64_t in_node, level_members *members,
    const void *context)
{
	const int64_t gpus = most_of(1, p->cluster.gpus_per_node);

	s->domains = holders_of(s->size, s->inside);
	s->nodes = holders_of(s->size, in_node);
	if (s->inside >= s->size)
		s->kind = SPAN_NVLINK;
	else
		s->kind = s->inside > 1 ? SPAN_MIXED : SPAN_NETWORK;
	s->nic_share = (double)p->cluster.nics_per_node * (double)in_node / (double)gpus;
	s->level = levels_share(p, s->size, s->inside, link_card(p), link_hop(p), members, context);
}

/* Members of a group whose ranks lie as far apart as *context, of the group that has fewest of them in a unit: for it
 * all wait. */
static int64_t
members_apart(const void *context, int64_t gpus)
{
	return most_of(1, gpus / *(const int64_t *)context);
}

/* A kind of a layout. */
struct kind_of {
	const struct layout *l;
	const struct group_kind *k;
};

static int64_t
members_of_kind(const void *context, int64_t gpus)
{
	const struct kind_of *of = context;

	return members_below(of->l, of->k, gpus);
}

/* First and last member of a run, or neighbours: two ranks `stride` apart. */
struct span
link_stride(const struct plan *p, int64_t size, int64_t stride)
{
	struct node_counts c;
	const bool differ = plan_nodes_differ(p) && plan_nodes_counted(p, &c);
	const int64_t domain = differ ? c.least : most_of(1, p->cluster.nvlink_domain);
	const int64_t gpus = differ ? c.least : most_of(1, p->cluster.gpus_per_node);
	struct span s = { .size = most_of(1, size) };

	stride = most_of(1, stride);
	s.inside = least_of(s.size, holders_of(domain, stride));
	span_finish(&s, p, least_of(s.size, holders_of(gpus, stride)), members_apart, &stride);
	return s;
}

/* Members of a group on the node of its first member that is not before `from`; and where that run ends. */
static int64_t
on_one_node(const struct plan *p, const struct layout *l, int kind, int64_t group, int64_t *from)
{
	const int64_t size = layout_group_size(l, kind), gpus = p->cluster.gpus_per_node;
	const int64_t node = plan_slot(p, layout_member(l, kind, group, *from)) / gpus, first = *from;

	while (*from < size && plan_slot(p, layout_member(l, kind, group, *from)) / gpus == node)
		++*from;
	return *from - first;
}

/* Where nodes differ: the group of a kind that has fewest members on a node of those that lie on most nodes, for
 * which all wait. */
static struct span
span_of_worst(const struct plan *p, const struct layout *l, int kind)
{
	const int64_t size = layout_group_size(l, kind);
	struct span s = { .size = size, .inside = size, .nodes = 1, .domains = 1, .kind = SPAN_NVLINK };

	for (int64_t group = 0; group < layout_group_count(l, kind); group++) {
		int64_t nodes = 0, least = size;

		for (int64_t at = 0; at < size; nodes++)
			least = least_of(least, on_one_node(p, l, kind, group, &at));
		if (nodes > s.nodes || (nodes == s.nodes && least < s.inside)) {
			s.nodes = s.domains = nodes;
			s.inside = least;
		}
	}
	if (s.nodes > 1)
		s.kind = s.inside > 1 ? SPAN_MIXED : SPAN_NETWORK;
	s.nic_share = (double)p->cluster.nics_per_node * (double)s.inside / at_least_one(p->cluster.gpus_per_node);
	return s;
}

struct span
link_span(const struct plan *p, const struct layout *l, int kind)
{
	const struct group_kind *k = kind < 0 ? NULL : &l->kind[kind];
	const int64_t domain = most_of(1, p->cluster.nvlink_domain);
	const int64_t gpus = most_of(1, p->cluster.gpus_per_node);
	struct span s = { .size = k == NULL ? 1 : layout_group_size(l, kind) };

	if (s.size == 1)
		return link_stride(p, 1, 1);
	if (plan_nodes_differ(p))
		return span_of_worst(p, l, kind);
	if (k->shape == GROUP_ENDS || k->shape == GROUP_RING)
		return link_stride(p, s.size, layout_member(l, kind, 0, s.size - 1));
	/* A chunk is the start of its mask group: at most its own size is inside. */
	s.inside = least_of(s.size, members_below(l, k, domain));
	span_finish(&s, p, domain == gpus ? s.inside : least_of(s.size, members_below(l, k, gpus)),
	    members_of_kind, &(struct kind_of){ l, k });
	return s;
}
