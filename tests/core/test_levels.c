/* Levels of the network: what is read, and what they leave of a group's cards. */
#include <math.h>

#include "core/framework/link.h"
#include "settings.h"

#define PODS "8:450,128:50,3072:50,24576:50/7"

static void
near(double is, double expected)
{
	if (!(fabs(is - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.10g is not %.10g", is, expected);
}

static struct plan
plan_with(const char *levels)
{
	struct plan p = settings_plan("gpus_per_node=8 nics_per_node=8 nic_gbps=400 nvlink_gbps=450", "");

	settings_set(&p, "cluster.levels", levels);
	return p;
}

TEST(reads)
{
	static const char *const bad[] = { "8", "8:", ":50", "8:50/", "8:50/0.5", "8:0", "8:50,8:50", "8:50,12:50",
		"16:50,8:50", "8.5:50", "x:50", "8:50/7/7", "8:nan", "8:50@", "8:50@0", "8:50@x", "8:50@5/7", "99999999999:50",
		"1:1,2:1,4:1,8:1,16:1,32:1,64:1,128:1,256:1" };
	struct plan p = plan_with(PODS);
	struct levels levels;
	char err[200];

	assert_true(levels_of(&levels, &p, err, sizeof err));
	assert_int_equal(levels.count, 4);
	assert_int_equal(levels.level[3].gpus, 24576);
	near(levels.level[3].over, 7);
	near(levels.level[0].gbps, 450);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		p = plan_with(bad[i]);
		if (levels_of(&levels, &p, err, sizeof err))
			fail_msg("%s was read", bad[i]);
	}
}

/* A ring enters a unit once: it has the up-links of all its members in it. */
TEST(shares)
{
	struct plan p = plan_with(PODS);
	struct span s;

	s = link_stride(&p, 8, 1);           /* a node */
	near(1 - s.level.ring, 1);
	assert_int_equal(s.level.unit, 8);
	s = link_stride(&p, 16, 8);          /* one GPU a node, in a rack */
	near(1 - s.level.ring, 1);
	assert_int_equal(s.level.unit, 128);
	s = link_stride(&p, 16, 1024);       /* stages of 128 nodes: three in a pod share a seventh */
	near(1 - s.level.ring, 3 / 7.0);
	assert_int_equal(s.level.unit, 24576);
	s = link_stride(&p, 16, 1016);       /* of one node fewer no more than three, whoever is first */
	near(1 - s.level.ring, 3 / 7.0);
	s = link_stride(&p, 128, 128);       /* 24 in a pod: more than enough */
	near(1 - s.level.ring, 1);
	/* each on its own: 24 of 128 are in the pod, so 104 of 127 parts leave it at a seventh */
	near(1 - s.level.each, (127 / 104.0) / 7);
	s = link_stride(&p, 64, 1024);       /* more than there are levels for: the last one holds */
	assert_int_equal(s.level.unit, 0);
	p = plan_with("");
	s = link_stride(&p, 16, 1024);
	near(1 - s.level.ring, 1);
	near(1 - s.level.each, 1);
	assert_int_equal(s.level.unit, 0);
	/* a level that is slower than the cards, without oversubscription */
	p = plan_with("8:450,64:50,512:25");
	near(1 - link_stride(&p, 16, 32).level.ring, 1); /* two members, 25 GB/s each, of a ring of one card */
	near(1 - link_stride(&p, 4, 64).level.ring, 0.5);
}

/* Times follow the share; inside a unit nothing changes. */
TEST(times)
{
	const struct plan plain = plan_with(""), narrow = plan_with("8:450,64:50,512:50/4");
	const double payload = 4e9;

	for (enum collective c = COLLECTIVE_ALL_REDUCE; c <= COLLECTIVE_SEND; c++) {
		struct span in = link_stride(&plain, 4, 8), in2 = link_stride(&narrow, 4, 8);
		struct span out = link_stride(&plain, 4, 64), out2 = link_stride(&narrow, 4, 64);
		double ratio;

		near(collective_seconds(&narrow, c, payload, &in2, NULL),
		    collective_seconds(&plain, c, payload, &in, NULL));
		ratio = collective_seconds(&narrow, c, payload, &out2, NULL) /
		    collective_seconds(&plain, c, payload, &out, NULL);
		assert_true(ratio > 3.95 && ratio < 4.01);
	}
}

/* A message between sites takes as long as light: each border between units once a round of a ring, a tree by its
 * doublings, an exchange and a send once. Inside a unit nothing changes, nor what is faster than a hop. */
TEST(lags)
{
	static const double by[] = { [COLLECTIVE_ALL_REDUCE] = 2, [COLLECTIVE_ALL_GATHER] = 1,
		[COLLECTIVE_REDUCE_SCATTER] = 1, [COLLECTIVE_ALL_TO_ALL] = 1, [COLLECTIVE_SEND] = 1 };
	const double hop = link_hop(&(struct plan){ .mode = MODE_TRAIN });
	const struct plan near_sites = plan_with("8:450,64:50,128:50"), far = plan_with("8:450,64:50,128:50@10000");
	struct span s, t;

	for (enum collective c = COLLECTIVE_ALL_REDUCE; c <= COLLECTIVE_SEND; c++) {
		s = link_stride(&near_sites, 16, 8);
		t = link_stride(&far, 16, 8);
		near(collective_seconds(&far, c, 1e6, &t, NULL) - collective_seconds(&near_sites, c, 1e6, &s, NULL),
		    by[c] * (0.01 - hop));
		s = link_stride(&near_sites, 8, 8);
		t = link_stride(&far, 8, 8);
		near(collective_seconds(&far, c, 1e6, &t, NULL), collective_seconds(&near_sites, c, 1e6, &s, NULL));
	}
	t = link_stride(&far, 32, 8);            /* the last level joins all beyond it: four sites */
	near(t.level.ring_lag, 3 * (0.01 - hop));
	near(t.level.tree_lag, 2 * (0.01 - hop));
	near(t.level.lag, 0.01 - hop);
	s = link_stride(&(const struct plan){ .cluster = plan_with("8:450@1,64:50@2,128:50@3").cluster }, 16, 8);
	near(s.level.lag, 0);
}

/* Pipelines outermost cross the narrow level with little, data parallel ranks with much. */
TEST(orders)
{
	for (int i = 0; i < 2; i++) {
		struct plan p = settings_plan("gpus_per_node=8 nodes=64 tp=8 pp=4 global_batch_size=512 "
		    "levels=8:450,64:50,512:50/8", i == 0 ? "order=tp-cp-ep-dp-pp" : "order=tp-cp-ep-pp-dp");
		struct layout l;
		struct span dp, pp;

		assert_true(layout_init(&l, &p, NULL));
		dp = link_span(&p, &l, layout_kind(&l, "dp"));
		pp = link_span(&p, &l, layout_kind(&l, "pp"));
		near(1 - dp.level.ring, i == 0 ? 1 : 2 / 8.0);
		near(1 - pp.level.ring, i == 0 ? 1 / 8.0 : 1);
		assert_int_equal(pp.level.unit, i == 0 ? 512 : 64);
	}
}

/* A rack is a leaf: the smallest unit that holds several nodes, where nothing else is said. */
TEST(racks)
{
	static const struct {
		const char *settings;
		int64_t nodes;
	} rows[] = {
		{ "levels=8:450,64:50,512:50/8", 8 }, { "levels=64:50", 8 }, { "levels=8:450", 4 },
		{ "levels=12:50,64:50", 8 }, { "levels=64:50 nodes_per_rack=2", 2 },
		{ "levels=64:50 nvlink_domain=32", 4 }, { "levels=8192:50", 1024 }, { "levels=16384:50", 4 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan p = settings_plan("gpus_per_node=8 nodes=64 ", rows[i].settings);

		assert_int_equal(plan_rack_nodes(&p), rows[i].nodes);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
