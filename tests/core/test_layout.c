/* Process groups against the recorded groups of the frameworks, and as properties. */
#include "core/framework/framework.h"
#include "core/framework/layout.h"
#include "core/framework/resolve.h"
#include "core/plan/batch.h"
#include "core/rules/check.h"
#include "golden.h"
#include "settings.h"

static void
set_text(struct plan *p, enum field_id f, const char *v)
{
	char err[256];

	if (!field_put_text(f, p, v, err, sizeof err))
		fail_msg("%s=%s: %s", field_table[f].path, v, err);
}

/* A plan from the keys of a case; false for a case that a plan can not say. */
static bool
plan_of_case(const char *head, int layout, struct plan *p)
{
	static const struct {
		const char *key;
		enum field_id field;
	} keys[] = {
		{ "tp", FIELD_TP }, { "mp", FIELD_TP }, { "cp", FIELD_CP }, { "pcp", FIELD_CP },
		{ "pp", FIELD_PP }, { "vpp", FIELD_VPP }, { "ep", FIELD_EP }, { "etp", FIELD_ETP },
		{ "doi", FIELD_DP_REPLICATE }, { "dp_replicate", FIELD_DP_REPLICATE }, { "dcp", FIELD_DCP },
	};
	static const char *const unsaid[] = { "gtp", "egtp", "hybrid", "offset", "dfirst", "mode" };
	char text[256];
	long long world = golden_number(head, "world", 0);

	for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++)
		if (golden_value(head, unsaid[i], text, sizeof text))
			/* Hybrid CP adds kinds that a plan does not have, and refuses odd numbers. */
			if (strcmp(unsaid[i], "hybrid") != 0 || world / golden_number(head, "tp", 1) % 2 != 0)
				return false;
	/* Without a topology DeepSpeed factors the world by itself. */
	if (layout == LAYOUT_DEEPSPEED && strstr(head, "p=") == NULL)
		return false;
	plan_defaults(p);
	settings_int(p, FIELD_LAYOUT, layout);
	settings_int(p, FIELD_NODES, world);
	settings_int(p, FIELD_GPUS_PER_NODE, 1);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (golden_value(head, keys[i].key, text, sizeof text))
			settings_int(p, keys[i].field, atoll(text));
	if (golden_value(head, "order", text, sizeof text))
		set_text(p, FIELD_ORDER, text);
	if (golden_value(head, "hcp", text, sizeof text))
		set_text(p, FIELD_HIERARCHICAL_CP, text);
	plan_resolve(p, NULL);
	return true;
}

static int groups_compared;

/* One "group KIND r r r" line: the next group of its kind. */
static void
compare_group(const struct layout *l, const char *line, const char *id, int *kind, int64_t *next)
{
	char name[64], *at;
	int64_t rank;
	struct group_walk w;
	int k;

	sscanf(line, "group %63s", name);
	k = layout_kind(l, name);
	if (k < 0)
		return;
	if (k != *kind) {
		*kind = k;
		*next = 0;
	}
	at = strchr(strchr(line, ' ') + 1, ' ');
	if (at == NULL)
		at = "";
	group_walk_start(&w, l, k, *next);
	for (int64_t i = 0; i < layout_group_size(l, k); i++) {
		const long long want = strtoll(at, &at, 10);

		assert_true(group_walk_next(&w, &rank));
		if (want != rank || layout_member(l, k, *next, i) != rank)
			fail_msg("%s: %s group %lld member %lld is %lld, not %lld", id, name,
			    (long long)*next, (long long)i, (long long)rank, want);
	}
	assert_false(group_walk_next(&w, &rank));
	assert_int_equal(strspn(at, " "), strlen(at));
	(*next)++;
	groups_compared++;
}

static void
compare_sum(const struct layout *l, const char *line, const char *id)
{
	char name[64], hash[32];
	unsigned long long want;
	int k;

	sscanf(line, "sum %63s", name);
	k = layout_kind(l, name);
	if (k < 0)
		return;
	golden_value(line, "sfnv", hash, sizeof hash);
	want = strtoull(hash, NULL, 16);
	if (golden_number(line, "count", -1) != layout_group_count(l, k) ||
	    golden_number(line, "max", -1) != layout_group_size(l, k) || want != layout_hash(l, k))
		fail_msg("%s: %s", id, line);
}

/* The order of listing is Megatron's; nanotron, vLLM and others list the same groups in
 * another order, which the sorted hash does not see. */
static void
compare_file(const char *name, const char *convention, int layout, bool listing)
{
	struct golden g;
	int cases = 0;

	golden_open(&g, name);
	while (golden_case(&g)) {
		struct plan p;
		struct layout l;
		struct diag_list diags = { 0 };
		char id[32], given[32], prefix[64];
		bool ok;
		int kind = -1;
		int64_t next = 0;
		long long dp = golden_number(g.head, "dp", 0);

		golden_value(g.head, "id", id, sizeof id);
		sscanf(g.head, "case %31s", given);
		if (strcmp(given, convention) != 0 || !plan_of_case(g.head, layout, &p))
			continue;
		snprintf(prefix, sizeof prefix, "%s", id);
		/* A DP that the case gives but the world does not: engines beside each other. */
		if (layout == LAYOUT_VLLM) {
			const int64_t one = p.parallel.tp * p.parallel.cp * p.parallel.pp * (dp > 0 ? dp : 1);

			if (plan_world(&p) % one == 0)
				settings_int(&p, FIELD_REPLICAS, plan_world(&p) / one);
			settings_int(&p, FIELD_EXPERTS,
			    golden_number(g.head, "moe", 1) ? 8 : 0);
			plan_resolve(&p, NULL);
		}
		if (layout == LAYOUT_NANOTRON && golden_number(g.head, "local", 0) + (p.cluster.nodes > 8) > 0) {
			const int64_t local = golden_number(g.head, "local", 8);

			if (p.cluster.nodes % local != 0)
				continue;
			settings_int(&p, FIELD_GPUS_PER_NODE, local);
			settings_int(&p, FIELD_NODES, p.cluster.nodes / local);
		} else if (layout == LAYOUT_NANOTRON) {
			settings_int(&p, FIELD_GPUS_PER_NODE, p.cluster.nodes);
			settings_int(&p, FIELD_NODES, 1);
		}
		ok = layout_init(&l, &p, &diags);
		while (golden_line(&g) && strcmp(g.line, "end") != 0) {
			char reason[64];

			if (sscanf(g.line, "reject %63s", reason) == 1) {
				/* Cases in which a given DP contradicts the world have none in a plan. */
				if (ok && dp == 0 && golden_number(g.head, "dp_shard", -2) == -2)
					fail_msg("%s: accepted, not %s", id, reason);
				if (!ok && strcmp(diags.item[0].reason, reason) != 0)
					fail_msg("%s: refused as %s, not %s", id, diags.item[0].reason, reason);
				continue;
			}
			if (strncmp(g.line, "message ", 8) == 0)
				continue;
			if (!ok)
				fail_msg("%s: refused: %s", id, diags.item[0].message);
			if (strncmp(g.line, "sum ", 4) == 0)
				compare_sum(&l, g.line, id);
			else if (listing && strncmp(g.line, "group ", 6) == 0)
				compare_group(&l, g.line, id, &kind, &next);
			else if (strncmp(g.line, "derived ", 8) == 0 && golden_number(g.line, "edp", -1) > 0)
				assert_int_equal(golden_number(g.line, "edp", -1), l.edp);
		}
		cases++;
	}
	print_message("%s %s: %d cases\n", name, convention, cases);
	assert_true(cases > 0);
}

TEST(megatron)
{
	compare_file("megatron.txt", "megatron", LAYOUT_MEGATRON, true);
	compare_file("megatron_reject.txt", "megatron", LAYOUT_MEGATRON, true);
	assert_true(groups_compared > 2000);
}

TEST(other_frameworks)
{
	compare_file("deepspeed.txt", "deepspeed", LAYOUT_DEEPSPEED, true);
	compare_file("deepspeed_moe.txt", "deepspeed-moe", LAYOUT_DEEPSPEED, false);
	compare_file("torchtitan.txt", "torchtitan", LAYOUT_TORCHTITAN, true);
	compare_file("nanotron.txt", "nanotron", LAYOUT_NANOTRON, false);
	compare_file("vllm.txt", "vllm", LAYOUT_VLLM, false);
	compare_file("seed.txt", "seed", LAYOUT_SEED, true);
	compare_file("seed.txt", "seed001", LAYOUT_SEED, true);
	compare_file("seed.txt", "seed", LAYOUT_MEGATRON, true);
}

/* DeepSpeed's folding of experts over TP is ETP 1. */
TEST(deepspeed_folding)
{
	struct golden g;
	int cases = 0;

	golden_open(&g, "deepspeed_moe.txt");
	while (golden_case(&g)) {
		struct plan p;
		struct layout l;
		char id[32];
		bool ok;

		if (strncmp(g.head, "case deepspeed-folding", 22) != 0)
			continue;
		golden_value(g.head, "id", id, sizeof id);
		assert_true(plan_of_case(g.head, LAYOUT_DEEPSPEED, &p));
		settings_int(&p, FIELD_ETP, 1);
		ok = layout_init(&l, &p, NULL);
		while (golden_line(&g) && strcmp(g.line, "end") != 0) {
			if (strncmp(g.line, "reject", 6) == 0)
				assert_false(ok);
			else if (strncmp(g.line, "sum ep", 6) == 0 || strncmp(g.line, "sum edp", 7) == 0)
				compare_sum(&l, g.line, id);
		}
		cases++;
	}
	assert_true(cases >= 3);
}

/* Sequence parallel ranks are cut into expert groups as data parallel ones are. */
TEST(deepspeed_sequence)
{
	struct golden g;
	int sums = 0;

	golden_open(&g, "deepspeed_moe.txt");
	while (golden_case(&g)) {
		struct plan p;
		struct layout l;

		if (strstr(g.head, " mode=sp ") == NULL)
			continue;
		plan_defaults(&p);
		settings_int(&p, FIELD_LAYOUT, LAYOUT_DEEPSPEED);
		settings_int(&p, FIELD_NODES, golden_number(g.head, "world", 0));
		settings_int(&p, FIELD_GPUS_PER_NODE, 1);
		settings_int(&p, FIELD_EP, golden_number(g.head, "ep", 0));
		settings_int(&p, FIELD_CP, golden_number(g.head, "mp", 0));
		plan_resolve(&p, NULL);
		assert_true(layout_init(&l, &p, NULL));
		while (golden_line(&g) && strcmp(g.line, "end") != 0)
			if (strncmp(g.line, "sum ", 4) == 0) {
				compare_sum(&l, g.line, "sp");
				sums++;
			}
	}
	assert_true(sums >= 2);
}

/* Every kind partitions the ranks, and the three questions agree with each other. */
static void
check_partition(const struct layout *l, int kind)
{
	static unsigned char seen[4096];
	int64_t rank, members = 0;

	memset(seen, 0, sizeof seen);
	for (int64_t g = 0; g < layout_group_count(l, kind); g++) {
		struct group_walk w;
		int64_t k = 0;

		group_walk_start(&w, l, kind, g);
		for (; group_walk_next(&w, &rank); k++) {
			assert_in_range(rank, 0, l->world - 1);
			assert_int_equal(layout_member(l, kind, g, k), rank);
			members++;
			if (l->kind[kind].shape == GROUP_RING)
				continue;
			assert_int_equal(layout_group_of(l, kind, rank), g);
			assert_int_equal(layout_position(l, kind, rank), k);
			assert_false(seen[rank]++);
		}
		assert_int_equal(k, layout_group_size(l, kind));
	}
	if (l->kind[kind].shape == GROUP_MASK || l->kind[kind].shape == GROUP_CHUNK)
		assert_int_equal(members, l->world);
}

static uint32_t random_state = 12345;

static uint32_t
random_below(uint32_t n)
{
	random_state = random_state * 1664525U + 1013904223U;
	return (random_state >> 8) % n;
}

TEST(random_partitions)
{
	static const char *const orders[] = { "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "cp-tp-dp-ep-pp", "dp-tp-cp-ep-pp" };
	static const int sizes[] = { 1, 1, 2, 2, 3, 4, 5, 8 };
	int legal = 0;

	for (int i = 0; i < 20000; i++) {
		struct plan p;
		struct layout l;

		plan_defaults(&p);
		settings_int(&p, FIELD_LAYOUT, random_below(6));
		set_text(&p, FIELD_ORDER, orders[random_below(4)]);
		settings_int(&p, FIELD_TP, sizes[random_below(8)]);
		settings_int(&p, FIELD_CP, sizes[random_below(8)]);
		settings_int(&p, FIELD_PP, sizes[random_below(8)]);
		settings_int(&p, FIELD_EP, sizes[random_below(8)]);
		settings_int(&p, FIELD_DP_REPLICATE, 1 + random_below(3));
		if (random_below(2))
			settings_int(&p, FIELD_ETP, sizes[random_below(8)]);
		settings_int(&p, FIELD_NODES, p.parallel.tp * p.parallel.cp * p.parallel.pp);
		settings_int(&p, FIELD_GPUS_PER_NODE, 1 + random_below(12));
		plan_resolve(&p, NULL);
		if (plan_world(&p) > 4096 || !layout_init(&l, &p, NULL))
			continue;
		legal++;
		for (int k = 0; k < l.kinds; k++)
			check_partition(&l, k);
	}
	assert_true(legal > 1000);
}

/* A listing as text, sorted as the hash wants it, hashed the slow way. */
static int
compare_groups(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] < y[1] ? -1 : x[1] > y[1];
}

TEST(ring_hash_is_sorted)
{
	struct plan p;
	struct layout l;
	int64_t pair[64][2];
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	char text[64];
	int kind;

	plan_defaults(&p);
	settings_int(&p, FIELD_LAYOUT, LAYOUT_DEEPSPEED);
	settings_int(&p, FIELD_NODES, 3);
	settings_int(&p, FIELD_PP, 6);
	plan_resolve(&p, NULL);
	assert_true(layout_init(&l, &p, NULL));
	kind = layout_kind(&l, "p2p");
	for (int64_t g = 0; g < 24; g++) {
		int64_t a = layout_member(&l, kind, g, 0), b = layout_member(&l, kind, g, 1);

		pair[g][0] = a < b ? a : b;
		pair[g][1] = a < b ? b : a;
	}
	qsort(pair, 24, sizeof pair[0], compare_groups);
	for (int g = 0; g < 24; g++) {
		snprintf(text, sizeof text, "%lld %lld\n", (long long)pair[g][0], (long long)pair[g][1]);
		for (const char *c = text; *c != '\0'; c++)
			h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	}
	assert_true(h == layout_hash(&l, kind));
}

TEST(refusals_of_ours)
{
	static const struct {
		const char *order, *reason, *says;
	} cases[] = {
		{ "tp-tp-cp-ep-dp-pp", "order_repeated_axis", "names tp twice" }, { "", "order_missing_axis", "" },
		{ "tp-cp-ep-CP-dp-pp", "order_repeated_axis", "(tp-cp-ep-CP-dp-pp) names cp twice" },
		{ "cp-ep-dp-pp", "order_missing_axis", "" }, { "tp-cp-ep-dp-pp-", "order_unknown_axis", "names ," },
		{ "tp-XQ-ep-dp-pp", "order_unknown_axis", "names xq, which" },
		{ "tp-sequence-ep-dp-pp", "order_unknown_axis", "names sequenc, which" },
	};
	static const char *const levels[] = {
		"2x", "x2", "0x4", "2y2", "1x1x1x1x1x1x1x2x2", "1000000000000000000000000x1"
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan p;
		struct layout l;
		struct diag_list diags = { 0 };

		plan_defaults(&p);
		set_text(&p, FIELD_ORDER, cases[i].order);
		plan_resolve(&p, NULL);
		assert_false(layout_init(&l, &p, &diags));
		assert_string_equal(diags.item[0].reason, cases[i].reason);
		assert_non_null(strstr(diags.item[0].message, cases[i].says));
	}
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		struct plan p = settings_plan("nodes=4 cp=4", "");
		struct layout l;
		struct diag_list diags = { 0 };

		set_text(&p, FIELD_HIERARCHICAL_CP, levels[i]);
		assert_false(layout_init(&l, &p, &diags));
		assert_string_equal(diags.item[0].reason, "hcp_syntax");
	}
}

/* What a framework says of its kinds: they are there, and no stage or copy of the model waits
 * for another in a layer. */
TEST(kinds_of_each_layer)
{
	static const enum layout_id every[] = {
#define FRAMEWORK(id, name) LAYOUT_##id,
#include "core/plan/frameworks.def"
#undef FRAMEWORK
	};

	for (size_t f = 0; f < sizeof every / sizeof *every; f++) {
		const struct framework *row = framework_rows[every[f]];

		for (int i = 0; i < FRAMEWORK_LAYERED && row->each_layer[i] != NULL; i++) {
			bool found = false;

			for (int cp = 1; cp <= 2 && !found; cp++) {
				struct plan p;
				struct layout l;
				int kind;

				plan_defaults(&p);
				settings_int(&p, FIELD_LAYOUT, every[f]);
				settings_int(&p, FIELD_NODES, 2);
				settings_int(&p, FIELD_TP, cp == 1 ? 4 : 1);
				settings_int(&p, FIELD_CP, cp);
				settings_int(&p, FIELD_EXPERTS, 8);
				plan_resolve(&p, NULL);
				assert_true(layout_init(&l, &p, NULL));
				kind = layout_kind(&l, row->each_layer[i]);
				found = kind >= 0 && l.kind[kind].each_layer;
				for (kind = 0; kind < l.kinds; kind++)
					if (strcmp(l.kind[kind].name, "pp") == 0 || strcmp(l.kind[kind].name, "dp") == 0)
						assert_false(l.kind[kind].each_layer);
			}
			if (!found)
				fail_msg("framework %zu has no kind %s", f, row->each_layer[i]);
		}
	}
}

TEST(a_million_ranks)
{
	struct plan p;
	struct layout l;
	int kind;

	plan_defaults(&p);
	settings_int(&p, FIELD_NODES, 131072);
	settings_int(&p, FIELD_TP, 8);
	settings_int(&p, FIELD_PP, 16);
	plan_resolve(&p, NULL);
	assert_true(layout_init(&l, &p, NULL));
	kind = layout_kind(&l, "dp");
	assert_int_equal(l.dp, 8192);
	assert_int_equal(layout_group_of(&l, kind, 1048575), 127);
	assert_int_equal(layout_member(&l, kind, 127, 8191), 1048575);
	settings_int(&p, FIELD_NODES, PLAN_WORLD_MAX);
	assert_false(layout_init(&l, &p, NULL));
}

/* A chunk holds what a layer more than fits evenly makes of it, and at least one. */
TEST(layers_of_a_chunk)
{
	static const struct {
		int64_t layers, pp, vpp, held;
	} rows[] = { { 32, 4, 1, 8 }, { 32, 4, 2, 4 }, { 33, 4, 1, 9 }, { 31, 4, 1, 8 }, { 1, 8, 2, 1 }, { 5, 1, 1, 5 } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan p = { .model.layers = rows[i].layers };

		p.parallel.pp = rows[i].pp;
		p.parallel.vpp = rows[i].vpp;
		assert_int_equal(batch_chunk_layers(&p), rows[i].held);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
