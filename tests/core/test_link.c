/* Which links groups cross, against enumerated ranks; collectives against NCCL runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/link.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/plan/nodes.h"
#include "settings.h"

static FILE *
open_data(const char *name)
{
	char path[1024];
	const char *top = getenv("TOP");

	snprintf(path, sizeof path, "%s/tests/data/%s", top != NULL ? top : ".", name);
	return fopen(path, "r");
}

/* Members of group 0 in the first domain, and domains that it touches, one by one. */
static void
enumerate(const struct layout *l, int kind, int64_t domain, int64_t *inside, int64_t *domains)
{
	static char seen[4096];
	int64_t n = layout_group_size(l, kind);

	memset(seen, 0, sizeof seen);
	*inside = *domains = 0;
	for (int64_t k = 0; k < n; k++) {
		int64_t d = layout_member(l, kind, 0, k) / domain;

		*inside += d == 0;
		*domains += !seen[d];
		seen[d] = 1;
	}
}

static void
check_spans(const struct plan *p, const struct layout *l)
{
	for (int k = 0; k < l->kinds; k++) {
		const struct span s = link_span(p, l, k);
		int64_t inside, domains;

		if (l->kind[k].shape == GROUP_RING)
			continue;
		enumerate(l, k, p->cluster.nvlink_domain, &inside, &domains);
		assert_int_equal(s.size, layout_group_size(l, k));
		if (s.inside != inside || s.domains != domains)
			fail_msg("%s of %lld: inside %lld not %lld, domains %lld not %lld",
			    l->kind[k].name, (long long)s.size, (long long)s.inside, (long long)inside,
			    (long long)s.domains, (long long)domains);
		assert_int_equal(s.kind, domains == 1 ? SPAN_NVLINK : inside > 1 ? SPAN_MIXED :
		    SPAN_NETWORK);
		enumerate(l, k, p->cluster.gpus_per_node, &inside, &domains);
		assert_int_equal(s.nodes, domains);
	}
}

TEST(spans)
{
	static const char *const layouts[] = {
		"megatron", "deepspeed", "torchtitan", "nanotron", "seed"
	};
	int checked = 0;

	for (size_t n = 0; n < sizeof layouts / sizeof *layouts; n++)
		for (int tp = 1; tp <= 16; tp *= 2)
			for (int cp = 1; cp <= 4; cp *= 2)
				for (int pp = 1; pp <= 8; pp *= 2)
					for (int64_t domain = 4; domain <= 64; domain *= 4) {
						struct plan p;
						struct layout l;

						plan_defaults(&p);
						settings_set(&p, "parallel.layout", layouts[n]);
						settings_set(&p, "cluster.nodes", "64");
						settings_int(&p, FIELD_TP, tp);
						settings_int(&p, FIELD_CP, cp);
						settings_int(&p, FIELD_PP, pp);
						settings_int(&p, FIELD_NVLINK_DOMAIN, domain);
						plan_resolve(&p, NULL);
						if (!layout_init(&l, &p, NULL))
							continue;
						check_spans(&p, &l);
						checked++;
					}
	assert_true(checked > 300);
}

TEST(shares)
{
	/* 8 H100 and 8 NICs a node, TP 8: a data parallel group has one NIC to itself; with
	 * TP 2 four; with TP 1 all of them. */
	static const struct {
		const char *tp;
		double nics;
	} cases[] = { { "8", 1 }, { "2", 4 }, { "1", 8 } };

	for (size_t i = 0; i < 3; i++) {
		struct plan p;
		struct layout l;
		struct span s;

		plan_defaults(&p);
		settings_set(&p, "cluster.nodes", "16");
		settings_set(&p, "parallel.tp", cases[i].tp);
		plan_resolve(&p, NULL);
		assert_true(layout_init(&l, &p, NULL));
		s = link_span(&p, &l, layout_kind(&l, "dp"));
		assert_true(fabs(s.nic_share - cases[i].nics) < 1e-9);
		assert_int_equal(s.nodes, 16);
	}
	assert_string_equal(span_name(SPAN_MIXED), "mixed");
}

/* A payload of S bytes, cut into n pieces, sent as each algorithm sends it. */
TEST(conserved)
{
	static const enum collective all[] = { COLLECTIVE_ALL_REDUCE, COLLECTIVE_ALL_GATHER,
		COLLECTIVE_REDUCE_SCATTER, COLLECTIVE_ALL_TO_ALL };

	for (size_t c = 0; c < 4; c++)
		for (int n = 2; n <= 64; n++) {
			double sent[64] = { 0 }, received[64] = { 0 };
			const double piece = 1e6 / n;
			const int rounds = all[c] == COLLECTIVE_ALL_REDUCE ? 2 : 1;

			for (int i = 0; i < n; i++)
				for (int step = 1; step < n; step++) {
					int to = all[c] == COLLECTIVE_ALL_TO_ALL ? (i + step) % n : (i + 1) % n;

					sent[i] += rounds * piece;
					received[to] += rounds * piece;
				}
			for (int i = 0; i < n; i++) {
				assert_true(fabs(sent[i] - received[i]) < 1e-3);
				assert_true(fabs(sent[i] - collective_bytes(all[c], 1e6, n)) < 1e-3);
			}
		}
	assert_true(collective_bytes(COLLECTIVE_SEND, 5, 8) >= 5 &&
	    collective_bytes(COLLECTIVE_SEND, 5, 8) <= 5);
	assert_true(collective_bytes(COLLECTIVE_ALL_REDUCE, 5, 1) <= 0);
}

static bool
fabric_plan(struct plan *p, const char *system)
{
	static const struct {
		const char *system, *fabric, *rate;
	} rows[] = {
		{ "a100_sxm", "nvlink3", "300" }, { "h100_sxm", "nvlink4", "450" },
		{ "h200_sxm", "nvlink4", "450" }, { "b200_sxm", "nvlink5", "900" },
		{ "b300_sxm", "nvlink5", "900" }, { "gb200", "nvlink5", "900" },
		{ "gb300", "nvlink5", "900" },
	};

	plan_defaults(p);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].system, system) == 0) {
			settings_set(p, "cluster.fabric", rows[i].fabric);
			settings_set(p, "cluster.nvlink_gbps", rows[i].rate);
			return true;
		}
	return false;
}

/* ai-dynamo/aiconfigurator's NCCL tables, every NVLink system, 16 to 512 MiB. */
TEST(nccl_inside)
{
	static const double size[] = { 16777216, 134217728, 536870912 };
	char line[512], system[64], version[64], op[64];
	FILE *in = open_data("nccl_summary.tsv");
	double latency, rate[3], sum = 0, worst = 0;
	int n, points = 0;

	assert_non_null(in);
	while (fgets(line, sizeof line, in) != NULL) {
		enum collective c = COLLECTIVE_ALL_REDUCE;
		struct plan p;

		if (sscanf(line, "%63s %63s %63s %d %lf %lf %lf %lf", system, version, op, &n,
		    &latency, &rate[0], &rate[1], &rate[2]) != 8 || !fabric_plan(&p, system))
			continue;
		if (op[0] == 'r')
			c = COLLECTIVE_REDUCE_SCATTER;
		else if (strcmp(op, "alltoall") == 0)
			c = COLLECTIVE_ALL_TO_ALL;
		else if (strcmp(op, "all_gather") == 0)
			c = COLLECTIVE_ALL_GATHER;
		for (int i = 0; i < 3; i++) {
			const struct span s = { .kind = SPAN_NVLINK, .size = n, .inside = n, .domains = 1,
				.nodes = 1, .nic_share = 8 };
			const double real = collective_bytes(c, size[i], n) / (rate[i] * 1e9);
			const double e = fabs(collective_seconds(&p, c, size[i], &s, NULL) / real - 1);

			sum += e;
			worst = fmax(worst, e);
			points++;
		}
	}
	fclose(in);
	print_message("NCCL inside a node: %d points, mean error %.1f %%, worst %.1f %%\n", points,
	    100 * sum / points, 100 * worst);
	assert_true(points > 300);
	assert_true(sum / points < 0.03);
	assert_true(worst < 1.3);
}

/* stas00/ml-engineering network/README.md: all-reduce of 4 x 8 B200, EFA 8 x 400 Gb/s. */
TEST(nccl_across)
{
	FILE *in = open_data("allreduce_sweeps.tsv");
	char line[1024];
	double sum = 0;
	int points = 0;

	assert_non_null(in);
	while (fgets(line, sizeof line, in) != NULL) {
		const struct span s = { .kind = SPAN_MIXED, .size = 32, .inside = 8, .domains = 4,
			.nodes = 4, .nic_share = 8 };
		double bytes, rate, t;
		char *at = strstr(line, "all_reduce\tdefault\t");
		struct plan p;

		if (strncmp(line, "B200-SXM\t4\t", 11) != 0 || at == NULL ||
		    sscanf(at + 19, "%lf %lf", &bytes, &rate) != 2 || bytes < 1e6)
			continue;
		fabric_plan(&p, "b200_sxm");
		t = collective_bytes(COLLECTIVE_ALL_REDUCE, bytes, 32) / (rate * 1e9);
		sum += fabs(collective_seconds(&p, COLLECTIVE_ALL_REDUCE, bytes, &s, NULL) / t - 1);
		points++;
	}
	fclose(in);
	print_message("all-reduce over 4 nodes: %d points, mean error %.1f %%\n", points,
	    100 * sum / points);
	assert_true(points >= 5);
	assert_true(sum / points < 0.25);
}

/* Without NVLink bytes go over PCIe, two GPUs a ring, and none faster than the slot; twice the slot
 * is twice as fast. */
TEST(over_pcie)
{
	const struct span s = { .kind = SPAN_NVLINK, .size = 2, .inside = 2, .domains = 1, .nodes = 1,
		.nic_share = 1 };
	const double bytes = 4e9;
	double seconds[2];
	struct plan p;

	for (int i = 0; i < 2; i++) {
		plan_builtin(&p);
		settings_put_all(&p, i == 0 ? "nvlink_gbps=0 pcie_gbps=32" : "nvlink_gbps=0 pcie_gbps=64");
		seconds[i] = collective_seconds(&p, COLLECTIVE_ALL_REDUCE, bytes, &s, NULL);
		assert_true(seconds[i] > bytes / (i == 0 ? 32e9 : 64e9));
	}
	assert_true(fabs(seconds[0] / seconds[1] - 2) < 0.05);
}

/* A100 PCIe in pairs, four pairs a node: a group in one node does not touch its NIC. */
TEST(pairs)
{
	const struct span node = { .kind = SPAN_MIXED, .size = 8, .inside = 2, .domains = 4, .nodes = 1, .nic_share = 8 };
	const struct span nodes = { .kind = SPAN_MIXED, .size = 16, .inside = 2, .domains = 8, .nodes = 2, .nic_share = 8 };
	struct plan p, q;

	plan_defaults(&p);
	settings_set(&p, "cluster.nvlink_domain", "2");
	settings_set(&p, "cluster.nvlink_gbps", "300");
	settings_set(&p, "cluster.pcie_gbps", "32");
	q = p;
	settings_set(&q, "cluster.nics_per_node", "1");
	settings_set(&q, "cluster.nic_gbps", "10");
	for (int c = 0; c <= COLLECTIVE_SEND; c++) {
		const enum collective op = (enum collective)c;
		const double t = collective_seconds(&p, op, 1e9, &node, NULL);

		assert_true(fabs(collective_seconds(&q, op, 1e9, &node, NULL) - t) <= 0);
		assert_true(collective_seconds(&q, op, 1e9, &nodes, NULL) >
		    10 * collective_seconds(&p, op, 1e9, &nodes, NULL));
		/* no more than PCIe carries for both of a pair */
		assert_true(t > collective_bytes(op, 1e9, 8) / (2 * 32e9));
	}
}

/* The hops of a small all-reduce between many nodes are those of a tree, NCCL's src/graph/tuning.cc:
 * 2*((ranks of a node - 1)*4 us + log2(nodes)*the network's), beside what it takes inside. */
TEST(tree_hops)
{
	static const int64_t of[][2] = { { 8, 16 }, { 4, 16 }, { 8, 64 } };
	double seconds[3];
	struct plan p;

	fabric_plan(&p, "h100_sxm");
	for (int i = 0; i < 3; i++) {
		const int64_t inside = of[i][0], nodes = of[i][1];
		const struct span in = { .kind = SPAN_NVLINK, .size = inside, .inside = inside, .domains = 1, .nodes = 1 };
		const struct span all = { .kind = SPAN_MIXED, .size = inside * nodes, .inside = inside, .domains = nodes,
			.nodes = nodes, .nic_share = (double)inside };

		seconds[i] = collective_seconds(&p, COLLECTIVE_ALL_REDUCE, 1e-3, &all, NULL) -
		    collective_seconds(&p, COLLECTIVE_ALL_REDUCE, 1e-3, &in, NULL);
	}
	assert_true(fabs(seconds[0] - seconds[1] - 2 * 4 * 4e-6) < 1e-9);
	assert_true(fabs(seconds[2] - seconds[0] - 2 * 2 * 14e-6) < 1e-9);
}

/* Inside a domain that is wider than what was measured, latency grows as the root of its members. */
TEST(wide_domains)
{
	double seconds[3];
	struct plan p;

	fabric_plan(&p, "h100_sxm");
	for (int i = 0; i < 3; i++) {
		const int64_t n = 8 << 2 * i;
		const struct span s = { .kind = SPAN_NVLINK, .size = n, .inside = n, .domains = 1, .nodes = 1 };

		seconds[i] = collective_seconds(&p, COLLECTIVE_ALL_GATHER, 1e-3, &s, NULL);
	}
	assert_true(fabs(seconds[1] / seconds[0] - 2) < 1e-6 && fabs(seconds[2] / seconds[0] - 4) < 1e-6);
}

TEST(calibrated)
{
	const struct span in = { .kind = SPAN_NVLINK, .size = 8, .inside = 8, .domains = 1, .nodes = 1, .nic_share = 8 };
	const struct span out = { .kind = SPAN_MIXED, .size = 32, .inside = 8, .domains = 4, .nodes = 4, .nic_share = 8 };
	struct plan p, q;

	fabric_plan(&p, "h100_sxm");
	q = p;
	settings_set(&q, "calibration.nvlink_efficiency", "0.5");
	assert_true(collective_seconds(&q, COLLECTIVE_ALL_GATHER, 1e9, &in, NULL) >
	    1.9 * collective_seconds(&p, COLLECTIVE_ALL_GATHER, 1e9, &in, NULL));
	q = p;
	settings_set(&q, "calibration.network_efficiency", "0.5");
	assert_true(collective_seconds(&q, COLLECTIVE_ALL_GATHER, 1e10, &out, NULL) >
	    1.8 * collective_seconds(&p, COLLECTIVE_ALL_GATHER, 1e10, &out, NULL));
	/* longer messages never take less time */
	for (double s = 1; s < 1e11; s *= 1.5)
		for (int c = 0; c <= COLLECTIVE_SEND; c++) {
			const enum collective op = (enum collective)c;

			assert_true(collective_seconds(&p, op, s * 1.5, &in, NULL) >=
			    collective_seconds(&p, op, s, &in, NULL));
			assert_true(collective_seconds(&p, op, s * 1.5, &out, NULL) >=
			    collective_seconds(&p, op, s, &out, NULL));
		}
}

/* Inside a domain a token goes once to each rank: of 8 experts on 8 ranks it meets 5.25.
 * aiconfigurator's tables of DeepEP on H100, dispatch and combine: 267 to 330 GB/s. */
TEST(test_once_a_rank)
{
	static const struct {
		double token, rate;
	} rows[] = { { 4096, 259e9 }, { 8192, 321e9 }, { 14336, 330e9 } };
	const struct span span = { .kind = SPAN_NVLINK, .size = 8, .inside = 8, .domains = 1,
		.nodes = 1 };
	struct plan p;

	plan_builtin(&p);
	p.cluster.nvlink_gbps = 450;
	p.parallel.moe_dispatcher = DISPATCHER_DEEPEP;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const double bytes = 65536 * rows[i].token * 8 * (1 - pow(7 / 8.0, 8));
		const double s = link_dispatch_seconds(&p, 65536, rows[i].token, 8, &span, NULL);

		assert_true(fabs(bytes / rows[i].rate / s - 1) < 0.16);
	}
}

/* Routing limited to groups meets fewer domains, never more than the groups it may come to,
 * and a limit that limits nothing changes nothing. */
TEST(test_limited_routing)
{
	struct plan p;
	struct span span = { .kind = SPAN_MIXED, .size = 64, .inside = 8, .domains = 8, .nodes = 8,
		.nic_share = 8 };
	double free, last, limited;

	plan_builtin(&p);
	p.cluster.nvlink_gbps = 450;
	p.model.experts = 256;
	p.model.experts_per_token = 8;
	p.parallel.moe_dispatcher = DISPATCHER_DEEPEP;
	free = last = link_dispatch_seconds(&p, 65536, 7168, 8, &span, NULL);
	p.model.router_groups = 8;
	p.model.router_group_topk = 8;
	assert_true(link_dispatch_seconds(&p, 65536, 7168, 8, &span, NULL) >= free);
	assert_true(link_dispatch_seconds(&p, 65536, 7168, 8, &span, NULL) <= free);
	for (int most = 7; most >= 1; most--) {
		p.model.router_group_topk = most;
		limited = link_dispatch_seconds(&p, 65536, 7168, 8, &span, NULL);
		assert_true(limited < last);
		last = limited;
	}
	/* Two groups to a domain, or a group over two domains. */
	for (int groups = 4; groups <= 16; groups += 12) {
		p.model.router_groups = groups;
		p.model.router_group_topk = groups / 2;
		limited = link_dispatch_seconds(&p, 65536, 7168, 8, &span, NULL);
		assert_true(limited < free);
	}
}

/* A group of experts that lies on one GPU sends a token there alone, in a domain and behind the
 * network: as many bytes as one copy. */
TEST(test_one_group)
{
	struct span span = { .kind = SPAN_NVLINK, .size = 8, .inside = 8, .domains = 1, .nodes = 1,
		.nic_share = 8 };
	struct plan p;
	double one, all;

	plan_builtin(&p);
	p.cluster.nvlink_gbps = 450;
	p.model.experts = 128;
	p.model.experts_per_token = 8;
	p.parallel.moe_dispatcher = DISPATCHER_DEEPEP;
	for (int domains = 1; domains <= 2; domains++) {
		all = link_dispatch_seconds(&p, 16384, 4096, 8, &span, NULL);
		p.model.router_groups = 16;
		p.model.router_group_topk = 1;
		one = link_dispatch_seconds(&p, 16384, 4096, 8, &span, NULL);
		assert_true(fabs(one - link_dispatch_seconds(&p, 16384, 4096, 1, &span, NULL)) < 1e-12);
		assert_true(one < all / 1.8);
		p.model.router_groups = p.model.router_group_topk = 0;
		span = (struct span){ .kind = SPAN_MIXED, .size = 16, .inside = 8, .domains = 2,
			.nodes = 2, .nic_share = 8 };
	}
}

/* Without a switch two of eight GPUs have one of seven links, four of them three, all of them all,
 * and a send goes over one whatever the group. */
TEST(test_direct_links)
{
	static const struct {
		enum collective collective;
		int64_t size;
		double links;
	} rows[] = {
		{ COLLECTIVE_ALL_GATHER, 2, 1 / 7.0 }, { COLLECTIVE_ALL_REDUCE, 4, 3 / 7.0 },
		{ COLLECTIVE_ALL_TO_ALL, 8, 1 }, { COLLECTIVE_SEND, 4, 1 / 7.0 },
	};
	struct plan p;

	plan_builtin(&p);
	p.cluster.nvlink_gbps = 448;
	p.cluster.nvlink_domain = 8;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct span span = { .kind = SPAN_NVLINK, .size = rows[i].size,
			.inside = rows[i].size, .domains = 1, .nodes = 1, .nic_share = 1 };
		double direct, fewer;

		p.cluster.nvlink_direct = true;
		direct = collective_seconds(&p, rows[i].collective, 1e9, &span, NULL);
		p.cluster.nvlink_direct = false;
		fewer = collective_seconds(&p, rows[i].collective, 1e9 / rows[i].links, &span, NULL);
		assert_true(fabs(direct / fewer - 1) < 1e-9);
	}
}

/* deepspeed --include="node1:1,2@node2:0,1,2": places on nodes, and what all wait for. */
TEST(nodes_that_differ)
{
	static const int64_t slots[] = { 0, 1, 3, 4, 5 };
	struct plan p = settings_plan("nodes=2 gpus_per_node=3 nvlink_domain=3 nics_per_node=3", "node_gpus=2,3 tp=1");
	struct layout l;
	struct span s;
	char text[64];

	assert_int_equal(plan_world(&p), 5);
	for (int64_t rank = 0; rank < 5; rank++) {
		assert_int_equal(plan_slot(&p, rank), slots[rank]);
		assert_int_equal(plan_at_slot(&p, slots[rank]), rank);
	}
	assert_int_equal(plan_at_slot(&p, 2), -1);
	assert_int_equal(plan_at_slot(&p, 6), -1);
	assert_true(layout_init(&l, &p, NULL));
	s = link_span(&p, &l, layout_kind(&l, "dp"));
	assert_int_equal(s.size, 5);
	assert_int_equal(s.inside, 2);
	assert_int_equal(s.nodes, 2);
	assert_int_equal(s.kind, SPAN_MIXED);
	/* Neighbours by twos: the second pair lies on both nodes of 3 and 5 GPUs, so it is the slowest. */
	settings_put_all(&p, "nodes=2 gpus_per_node=5 nvlink_domain=5 node_gpus=3,5 tp=2");
	assert_true(layout_init(&l, &p, NULL));
	s = link_span(&p, &l, layout_kind(&l, "tp"));
	assert_int_equal(s.nodes, 2);
	assert_int_equal(s.inside, 1);
	assert_int_equal(link_path(&p, &l, layout_kind(&l, "tp"), 1), LINK_NETWORK);
	/* Many alike, and one that is not. */
	settings_put_all(&p, "nodes=64 gpus_per_node=8 nvlink_domain=8 node_gpus=63x8,4");
	assert_int_equal(plan_world(&p), 508);
	assert_int_equal(plan_slot(&p, 507), 63 * 8 + 3);
	assert_int_equal(plan_at_slot(&p, 63 * 8 + 4), -1);
	/* A slow node is found where its GPUs are: the second of three, ranks 3 to 7. */
	settings_put_all(&p, "nodes=3 gpus_per_node=5 nvlink_domain=5 node_gpus=3,5,2 slow_nodes=n1*0.5");
	assert_true(nodes_speed(&p, plan_slot(&p, 3) / 5, plan_slot(&p, 7) / 5) < 1);
	assert_true(nodes_speed(&p, plan_slot(&p, 8) / 5, plan_slot(&p, 9) / 5) >= 1);
	assert_string_equal(plan_node_text(&p, text, sizeof text), "(3,5,2)");
	settings_put_all(&p, "nodes=64 gpus_per_node=8 nvlink_domain=8");
	/* A text that is none leaves nodes as they are. */
	settings_put(&p, "node_gpus", "63x8,4,");
	assert_int_equal(plan_world(&p), 512);
	assert_string_equal(plan_node_text(&p, text, sizeof text), "8");
}

/* Two nodes, four processes of two GPUs: groups of ranks that follow one another. */
TEST(processes)
{
	struct plan p = settings_plan("nodes=2 gpus_per_node=4 nvlink_domain=4",
	    "gpus_per_process=2 tp=1 pp=2 order=tp-cp-ep-pp-dp");
	struct layout l;
	int kind;

	assert_true(layout_init(&l, &p, NULL));
	kind = layout_kind(&l, "process");
	assert_int_equal(layout_group_count(&l, kind), 4);
	assert_int_equal(layout_member(&l, kind, 2, 0), 4);
	assert_int_equal(layout_member(&l, kind, 2, 1), 5);
	assert_int_equal(layout_group_of(&l, kind, 7), 3);
	settings_put(&p, "gpus_per_process", "1");
	assert_true(layout_init(&l, &p, NULL));
	assert_int_equal(layout_kind(&l, "process"), -1);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
