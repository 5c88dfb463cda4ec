/* What colours the map beside groups, half blocks, racks, marks; and places there and back. */
#include <locale.h>

#include "core/framework/link.h"
#include "map_test.h"
#include "ui/map/map_unit.h"
#include "ui/map/paint.h"

static void
lay_out(const char *framework, int64_t nodes, int64_t gpus, int64_t tp, int64_t pp, int64_t vpp)
{
	begin_plan(framework, nodes, gpus, tp, pp);
	put_int(&plan, FIELD_VPP, vpp);
	put_int(&plan, FIELD_LAYERS, 2 * pp * vpp);
	place_plan();
	assert_true(estimate.placed);
	estimate.stages = pp;
	estimate.capacity = 100 * 1073741824.0;
	estimate.capacity_known = true;
	for (int64_t s = 0; s < pp; s++) /* 10, 20, 30, ... GiB */
		estimate.stage[s].memory.total = (double)(10 + s * 10) * 1073741824.0;
}

static struct map_paint paint;

static void
prepare(const char *name, int spaces, const struct map_grid *g)
{
	const struct paint_offsets beside = g != NULL ? map_grid_offsets(g) : (struct paint_offsets){
		.box = plan.cluster.gpus_per_node, .count = 1, .inside = 1, .touching = 1,
		.offset = { 1 } };
	const struct map_view v = view_of(&name, 1, MAP_ZOOM_CELL);

	map_paint_init(&paint, v.color[0], 0, spaces, THEME_256, &plan, &estimate, &beside);
}

/* The layers of a rank as a list, from the placement alone. */
static void
list_layers(int64_t rank, char *buf, size_t size)
{
	const int64_t stage = layout_pipeline_rank(&estimate.layout, rank);
	const int64_t mirror = placement_mirror(&estimate.placement, &plan, stage);
	bool held[64] = { false };

	for (int64_t v = 0; v < estimate.placement.vpp; v++)
		for (int i = 0; i < 2; i++) {
			const struct chunk *c;

			if (i == 1 && mirror < 0)
				continue;
			c = placement_chunk(&estimate.placement, i == 0 ? stage : mirror, v);
			for (int k = 0; k < c->count; k++)
				held[c->first + k] = true;
		}
	buf[0] = '\0';
	for (int i = 0; i < 64; i++)
		if (held[i])
			text_add(buf, size, " %d", i);
}

TEST(test_values)
{
	static const char *const schedules[] = { "1f1b", "dualpipe" };

	for (size_t s = 0; s < COUNT(schedules); s++) {
		lay_out("megatron", 8, 8, 2, 8, 1);
		put(&plan, FIELD_SCHEDULE, schedules[s]);
		for (int64_t r = 0; r < 64; r++) {
			char mine[256], other[256];

			prepare("stage", 1, NULL);
			assert_int_equal(map_paint_of(&paint, r).value, layout_pipeline_rank(&estimate.layout, r));
			prepare("layers", 1, NULL);
			list_layers(r, mine, sizeof mine);
			for (int64_t b = 0; b < 64; b++) {
				list_layers(b, other, sizeof other);
				assert_int_equal(map_paint_of(&paint, r).value == map_paint_of(&paint, b).value,
				    strcmp(mine, other) == 0);
			}
		}
	}
}

/* Steps of memory: below a half, tenths, and too much. */
TEST(test_memory)
{
	static const char letters[] = "44445678999";
	char text[MAP_COLOR_TEXT_SIZE];

	lay_out("megatron", 12, 8, 1, 12, 1);
	estimate.stage[9].memory.total -= 1; /* 100 GiB is full, 110 too much */
	prepare("memory", 1, NULL);
	for (int64_t s = 0; s < 12; s++) {
		const struct hue hue = map_paint_of(&paint, s * 8);

		assert_int_equal(hue.letter, s < 10 ? letters[s] : '!');
		assert_int_equal(hue.color, hue.value);
	}
	map_color_text(paint.color, &plan, &estimate, 95, text, sizeof text);
	assert_string_equal(text, "120.0 GiB");
	estimate.stages = 0;
	prepare("memory", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 5).value, -1);
}

/* What groups cross, against looking at every member. */
TEST(test_links)
{
	static const char *const frameworks[] = {
		"megatron", "deepspeed", "torchtitan", "nanotron", "vllm", "seed"
	};

	for (size_t f = 0; f < COUNT(frameworks); f++)
		for (int domain = 4; domain <= 32; domain *= 2) {
			lay_out(frameworks[f], 8, 8, 4, 2, 1);
			plan.cluster.nvlink_domain = domain;
			plan.cluster.nvlink_gbps = 450;
			for (int kind = 0; kind < estimate.layout.kinds; kind++)
				for (int64_t g = 0; g < layout_group_count(&estimate.layout, kind); g++) {
					const int64_t n = layout_group_size(&estimate.layout, kind);
					const int64_t a = layout_member(&estimate.layout, kind, g, 0);
					bool node = true, link = true;

					for (int64_t k = 1; k < n; k++) {
						int64_t b = layout_member(&estimate.layout, kind, g, k);

						node = node && b / 8 == a / 8;
						link = link && b / domain == a / domain;
					}
					assert_int_equal(link_path(&plan, &estimate.layout, kind, g), n == 1 ? LINK_ITSELF :
					    link ? LINK_NVLINK : node ? LINK_NODE : LINK_NETWORK);
				}
		}
	lay_out("megatron", 8, 8, 4, 2, 1);
	prepare("link:dp", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 5).letter, 'n');
	prepare("link", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 5).letter, plan.cluster.nvlink_gbps > 0 ? 'v' : 'p');
}

/* With levels of the network a group's link is the unit that it stays in, by letters, names and colours in
 * order; what no unit holds is one beyond the last. */
TEST(test_link_levels)
{
	static const struct { const char *levels; char letter; const char *name; } cases[] = {
		{ "8:450", 'n', "network" }, { "64:50", '1', "leaf" }, { "8:450,16:50,64:50/7", '2', "spine" },
		{ "16:50,32:50,64:50", '3', "site" }, { "16:50,32:50", '3', "site" }, { "32:50", '2', "spine" },
		{ "16:9,24:9", 'n', "network" }, /* not readable */
	};
	char text[MAP_COLOR_TEXT_SIZE];
	struct hue hue;

	for (size_t i = 0; i < COUNT(cases); i++) {
		lay_out("megatron", 8, 8, 8, 1, 1);
		plan.cluster.nvlink_domain = 8;
		plan.cluster.nvlink_gbps = 450;
		put(&plan, FIELD_LEVELS, cases[i].levels);
		prepare("link:dp", 1, NULL);
		hue = map_paint_of(&paint, 5);
		assert_int_equal(hue.letter, cases[i].letter);
		assert_string_equal(link_name(&plan, &estimate.layout, paint.color.kind, 0), cases[i].name);
		assert_true(map_paint_entry(&paint, hue.value, &hue, text, sizeof text));
		assert_string_equal(text, cases[i].name);
		assert_true(paint.colors >= paint.values);
		prepare("link:tp", 1, NULL);
		assert_int_equal(map_paint_of(&paint, 5).letter, 'v');
	}
	lay_out("megatron", 8, 8, 2, 4, 1); /* replicas of two nodes: some on one leaf, some across */
	put(&plan, FIELD_LEVELS, "24:50,48:50,96:50");
	prepare("link:dp", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 0).letter, '1');
	assert_int_equal(map_paint_of(&paint, 16).letter, '2');
}

/* Pools are told apart, with the models that share them; without others there is one. */
TEST(test_roles)
{
	char text[MAP_COLOR_TEXT_SIZE];
	struct hue hue;

	lay_out("megatron", 2, 8, 2, 2, 1);
	plan.rl.algorithm = RL_PPO;
	plan.rl.reference = true;
	plan.rl.placement = RL_SPLIT;
	plan.rl.rollout_gpus = 8;
	prepare("role", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 0).letter, 't');
	assert_int_equal(map_paint_other(&paint).letter, 'r');
	assert_int_not_equal(map_paint_other(&paint).color, map_paint_of(&paint, 0).color);
	assert_true(map_paint_entry(&paint, 0, &hue, text, sizeof text));
	assert_string_equal(text, "trainer+ref+critic");
	assert_true(map_paint_entry(&paint, 1, &hue, text, sizeof text));
	assert_string_equal(text, "rollout");
	plan.rl.placement = RL_COLOCATED;
	plan.rl.algorithm = RL_DAPO; /* has no reference, nor a critic */
	text_put(plan.rl.reward_preset, sizeof plan.rl.reward_preset, "a-model");
	assert_true(map_paint_entry(&paint, 0, &hue, text, sizeof text));
	assert_string_equal(text, "trainer+rollout+reward");
	assert_false(map_paint_entry(&paint, 1, &hue, text, sizeof text));
	plan.rl = (struct rl){ 0 };
	assert_true(map_paint_entry(&paint, 0, &hue, text, sizeof text));
	assert_string_equal(text, "trainer");
	prepare("tp", 1, NULL); /* says nothing of GPUs that are not in the layout */
	assert_int_equal(map_paint_other(&paint).value, -1);
}

/* A kind stands out where it talks in every layer and leaves a domain with room for it. */
TEST(test_strays)
{
	int dp;

	lay_out("megatron", 8, 8, 8, 1, 1);
	plan.cluster.nvlink_domain = 8;
	plan.cluster.nvlink_gbps = 450;
	prepare("link:dp", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 5).letter, 'n');
	dp = layout_kind(&estimate.layout, "dp");
	estimate.layout.kind[dp].each_layer = true;
	prepare("link:dp", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 5).letter, '!');
	/* TP over two nodes does, but not where no domain has room for it. */
	lay_out("megatron", 8, 4, 8, 1, 1);
	plan.cluster.nvlink_domain = 4;
	plan.cluster.nvlink_gbps = 450;
	prepare("link:tp", 1, NULL);
	assert_int_equal(map_paint_of(&paint, 5).letter, 'n');
}

/* A link is that of the first kind named, wherever it stands. */
TEST(test_names)
{
	static const char *const names[] = { "link", "pp", "dp", "memory" };
	char name[MAP_COLOR_NAME_SIZE];
	struct map_view v;

	lay_out("megatron", 2, 8, 2, 2, 1);
	v = view_of(names, 4, MAP_ZOOM_AUTO);
	map_color_name(v.color[0], &estimate.layout, name, sizeof name);
	assert_string_equal(name, "link:pp");
	for (int i = 0; i < map_color_count(&estimate.layout); i++) {
		const struct map_color color = map_color_at(&estimate.layout, i);

		assert_int_equal(map_color_index(&estimate.layout, color), i);
		map_color_name(color, &estimate.layout, name, sizeof name);
		assert_true(map_color_has(&estimate.layout, name));
	}
	assert_false(map_color_has(&estimate.layout, "link:xx"));
	assert_false(map_color_has(&estimate.layout, ""));
}

static const struct {
	const char *framework;
	int64_t nodes, gpus, tp, pp, vpp, domain, rack;
} clusters[] = {
	{ "megatron", 2, 8, 2, 4, 1, 8, 0 }, { "megatron", 13, 8, 1, 13, 1, 8, 0 },
	{ "megatron", 64, 8, 2, 32, 1, 8, 3 }, { "megatron", 18, 4, 4, 6, 1, 72, 0 },
	{ "megatron", 40, 4, 2, 8, 2, 36, 0 }, { "deepspeed", 7, 6, 3, 7, 1, 6, 2 },
	{ "torchtitan", 32, 8, 8, 16, 1, 16, 1 }, { "vllm", 16, 8, 2, 8, 1, 8, 0 },
	{ "nanotron", 9, 1, 1, 3, 1, 1, 0 }, { "megatron", 4, 72, 8, 4, 1, 72, 0 },
};

static void
lay_out_cluster(size_t i)
{
	lay_out(clusters[i].framework, clusters[i].nodes, clusters[i].gpus, clusters[i].tp,
	    clusters[i].pp, clusters[i].vpp);
	plan.cluster.nvlink_domain = clusters[i].domain;
	plan.cluster.nodes_per_rack = clusters[i].rack;
}

/* Lists of layers are whole, or a number: a list that is cut tells of others. */
TEST(test_long_layers)
{
	static const char *const layers = "layers";
	char text[MAP_COLOR_TEXT_SIZE], whole[40];
	struct map_view v;

	for (int vpp = 2; vpp <= 32; vpp++) {
		begin_plan("megatron", 4, 8, 8, 4);
		put_int(&plan, FIELD_LAYERS, 4 * 4 * vpp);
		put_int(&plan, FIELD_VPP, vpp);
		place_plan();
		v = view_of(&layers, 1, MAP_ZOOM_CARD);
		map_color_text(v.color[0], &plan, &estimate, 0, text, sizeof text);
		text_put(whole, sizeof whole, ",%d-%d", 16 * (vpp - 1), 16 * (vpp - 1) + 3);
		assert_true(strstr(text, whole) != NULL || strstr(text, " layers") != NULL);
	}
}

/* Stages and layers that touch differ in colour and letter. */
static void
check_neighbours(const char *name, int spaces, const struct map_grid *g)
{
	const struct paint_offsets beside = map_grid_offsets(g);

	prepare(name, spaces, g);
	for (int64_t r = 0; r < estimate.layout.world; r += g->stride) {
		const struct hue a = map_paint_of(&paint, r);
		int64_t x, y, bx, by;

		map_grid_unit(g, r, &x, &y);
		for (int i = 0; i < beside.touching; i++) {
			const int64_t b = r + beside.offset[i];
			struct hue other;

			if (b >= estimate.layout.world)
				continue;
			map_grid_unit(g, b, &bx, &by);
			other = map_paint_of(&paint, b);
			if (bx - x + by - y != 1 || (bx != x && by != y) || a.value == other.value)
				continue;
			assert_int_not_equal(a.letter, other.letter);
			assert_int_not_equal(a.color, other.color);
		}
	}
}

TEST(test_neighbours)
{
	static const char *const stage = "stage";

	for (size_t i = 0; i < COUNT(clusters); i++)
		for (int zoom = MAP_ZOOM_CARD; zoom < MAP_ZOOM_COUNT; zoom++)
			for (int w = 30; w < 200; w += 17) {
				struct map_view v;
				struct map_grid g;

				lay_out_cluster(i);
				v = view_of(&stage, 1, (enum map_zoom)zoom);
				map_grid_init(&g, &v, &plan, &estimate, w, 40);
				check_neighbours("stage", 1, &g);
				check_neighbours("stage", 2, &g);
				check_neighbours("layers", 1, &g);
			}
}

/* Runs of data parallel ranks that shard together: one colour and letter each, another than the ranks of a run
 * next to it have. */
TEST(test_runs)
{
	const struct paint_offsets beside = { .box = 8, .count = 2, .inside = 2, .touching = 2, .offset = { 1, 2 } };

	for (int64_t replicas = 8; replicas <= 128; replicas *= 4) {
		struct paint runs;
		int kind;

		begin_plan("megatron", 64, 8, 2, 1);
		put_int(&plan, FIELD_ZERO_STAGE, 1);
		put_int(&plan, FIELD_DP_REPLICATE, replicas);
		place_plan();
		kind = layout_kind(&estimate.layout, "dp_cp_intra");
		assert_true(kind >= 0);
		paint_init(&runs, &estimate.layout, kind, SET_ONE, 6, &beside);
		assert_int_equal(runs.groups, 2 * replicas);
		for (int64_t r = 0; r + 2 < estimate.layout.world; r++) {
			const int64_t group = layout_group_of(&estimate.layout, kind, r);

			assert_int_equal(paint_group(&runs, r), group);
			for (int i = 1; i <= 2; i++) {
				const int64_t other = layout_group_of(&estimate.layout, kind, r + i);

				assert_int_equal(paint_color(&runs, r, group) == paint_color(&runs, r + i, other), group == other);
				assert_int_equal(paint_letter(&runs, r, group) == paint_letter(&runs, r + i, other), group == other);
			}
		}
	}
}

/* Every unit has a place of its own inside the map, and the way back leads to it. */
static void
check_places(const struct map_grid *g)
{
	const int64_t lines = map_grid_lines(g);

	for (int64_t r = 0; r < g->world; r++) {
		int64_t y, column, row, first = r - r % g->stride, at;
		int x;

		map_grid_cell(g, r, &x, &y);
		assert_true(x >= g->label_w && y >= 0 && y + g->unit_h <= lines);
		at = map_grid_rank(g, x, y);
		/* Of two half blocks the upper one. */
		if (at != first && g->stack == 2)
			assert_int_equal(at + g->cols * g->stride, first);
		else
			assert_int_equal(at, first);
		assert_int_equal(map_grid_rank(g, x + g->unit_w - 1, y + g->unit_h - 1), at);
		map_grid_unit(g, r, &column, &row);
		assert_int_equal(map_grid_unit_rank(g, column, row), first);
	}
	assert_int_equal(map_grid_rank(g, -1, 0), -1);
	assert_int_equal(map_grid_rank(g, 0, lines), -1);
}

TEST(test_places)
{
	static const char *const tp[] = { "tp", "stage" };

	for (size_t i = 0; i < COUNT(clusters); i++)
		for (int zoom = MAP_ZOOM_AUTO; zoom < MAP_ZOOM_COUNT; zoom++)
			for (int w = 8; w < 220; w += 13) {
				struct map_view v;
				struct map_grid g;
				int h = w / 3 + 1;

				lay_out_cluster(i);
				if (layout_kind(&estimate.layout, "tp") < 0)
					continue;
				v = view_of(tp, 1 + w % 2, (enum map_zoom)zoom);
				map_grid_init(&g, &v, &plan, &estimate, w, h);
				check_places(&g);
				v.first_row = w % 7;
				for (int64_t r = 0; r < estimate.layout.world; r++) {
					int x, y, x2, y2;
					int64_t at;

					if (!map_find(&v, in(w, h), r, &x, &y))
						continue;
					at = map_at(&v, in(w, h), x, y);
					assert_true(map_find(&v, in(w, h), at, &x2, &y2));
					assert_true(x2 == x && y2 == y);
					assert_true(at == r || map_zoom_for(&v, in(w, h)) >= MAP_ZOOM_HALF);
				}
			}
}

/* Half blocks: each half has the colour of its own GPU. */
TEST(test_halves)
{
	static const char *const kinds[] = { "tp", "pp" };
	struct canvas c;

	assert_true(canvas_init(&c, 100, 30, true));
	for (int n = 1; n <= 2; n++) {
		struct map_view v;
		struct map_grid g;

		lay_out("megatron", 16, 8, 2, 4, 1);
		v = view_of(kinds, n, MAP_ZOOM_HALF);
		map_grid_init(&g, &v, &plan, &estimate, 100, 30);
		assert_int_equal(g.zoom, MAP_ZOOM_HALF);
		canvas_clear(&c);
		map_draw(&c, (struct rect){ 0, 0, 100, 30 }, &plan, &estimate, &v);
		for (int64_t r = 0; r < 128; r++)
			for (int s = 0; s < n; s++) {
				const bool upper = r % 8 < 4;
				const struct paint_offsets beside = map_grid_offsets(&g);
				const struct cell *k;
				struct look look, want;
				int x, y;

				map_paint_init(&paint, v.color[s], s, n, THEME_256, &plan, &estimate, &beside);
				assert_true(map_find(&v, in(100, 30), r, &x, &y));
				k = &c.cell[y * 100 + x + s];
				look = theme_look(k->style, THEME_256, PALETTE_DEFAULT);
				want = theme_look(map_hue_style(&paint, map_paint_of(&paint, r)), THEME_256,
				    PALETTE_DEFAULT);
				assert_true(k->ch == L' ' || k->ch == 0x2580 || k->ch == 0x2584);
				assert_int_equal(k->ch == L' ' || (k->ch == 0x2580) != upper ? look.bg : look.fg,
				    want.bg);
			}
	}
	canvas_free(&c);
}

/* Without colours or half blocks there are no such cells. */
TEST(test_no_halves)
{
	static const char *const tp = "tp";
	struct map_view v;

	lay_out("megatron", 64, 8, 2, 4, 1);
	v = view_of(&tp, 1, MAP_ZOOM_AUTO);
	assert_int_equal(map_zoom_for(&v, in(60, 9)), MAP_ZOOM_HALF);
	assert_int_equal(map_zoom_next(&v, in(60, 9), 1), MAP_ZOOM_CELL);
	v.utf8 = false;
	assert_int_equal(map_zoom_for(&v, in(60, 9)), MAP_ZOOM_NODE);
	assert_int_equal(map_zoom_next(&v, in(60, 9), 1), MAP_ZOOM_CELL);
	v.utf8 = true;
	v.depth = THEME_MONO;
	v.zoom = MAP_ZOOM_HALF;
	assert_int_equal(map_zoom_for(&v, in(60, 9)), MAP_ZOOM_CELL);
}

TEST(test_racks)
{
	static const char *const tp = "tp";
	struct map_view v;
	struct map_grid g;

	lay_out("megatron", 66, 8, 2, 4, 1);
	v = view_of(&tp, 1, MAP_ZOOM_RACK);
	map_grid_init(&g, &v, &plan, &estimate, 80, 24);
	assert_int_equal(g.boxes, 17);
	assert_int_equal(g.stride, 32);
	plan.cluster.nodes_per_rack = 11;
	map_grid_init(&g, &v, &plan, &estimate, 80, 24);
	assert_int_equal(g.boxes, 6);
	plan.cluster.nodes_per_rack = 0;
	plan.cluster.nvlink_domain = 72;
	map_grid_init(&g, &v, &plan, &estimate, 80, 24);
	assert_int_equal(g.boxes, 8); /* 9 nodes each */
	v.zoom = MAP_ZOOM_LABEL;
	map_grid_init(&g, &v, &plan, &estimate, 80, 24);
	assert_true(g.blocked && g.block == 9 && g.head == 1 && g.domain == 9);
	plan.cluster.nvlink_domain = 12; /* it cuts nodes: no frame of nodes would be true */
	map_grid_init(&g, &v, &plan, &estimate, 80, 24);
	assert_int_equal(g.domain, 1);
	/* Huge: the smallest zoom of all. */
	lay_out("megatron", 16384, 8, 8, 16, 1);
	v = view_of(&tp, 1, MAP_ZOOM_AUTO);
	assert_int_equal(map_zoom_for(&v, in(200, 50)), MAP_ZOOM_RACK);
	assert_int_equal(map_zoom_next(&v, in(200, 50), 1), MAP_ZOOM_NODE);
}

/* What was looked for stands out, in characters as well. */
TEST(test_marks)
{
	static const char *const tp = "tp";
	const struct where where = { -1, -1, 2, -1, -1 }; /* stage 2 */
	struct map_view v;
	struct canvas c;

	lay_out("megatron", 2, 8, 2, 4, 1);
	assert_true(canvas_init(&c, 120, 30, true));
	for (int zoom = MAP_ZOOM_CARD; zoom <= MAP_ZOOM_CELL; zoom++)
		for (int peers = 0; peers < 2; peers++) {
			v = view_of(&tp, 1, (enum map_zoom)zoom);
			v.where = &where;
			v.cursor = 1;
			v.peers = peers == 1;
			canvas_clear(&c);
			map_draw(&c, (struct rect){ 0, 0, 120, 30 }, &plan, &estimate, &v);
			for (int64_t r = 0; r < 16; r++) {
				const bool marked = r / 4 == 2;
				const struct cell *k;
				int x, y;

				assert_true(map_find(&v, in(120, 30), r, &x, &y));
				k = &c.cell[y * 120 + x];
				if (zoom == MAP_ZOOM_CELL)
					assert_int_equal(k->ch == L'*', marked);
				else
					assert_int_equal(k->ch == L'<', marked);
				if (zoom != MAP_ZOOM_CARD && marked)
					assert_int_equal(k->style.flags & (STYLE_MARK | STYLE_FADED), STYLE_MARK);
			}
		}
	canvas_free(&c);
}

/* One of a run of ranks is in a rank's group: against looking at each. */
TEST(test_meets)
{
	for (size_t i = 0; i < COUNT(clusters); i++) {
		lay_out_cluster(i);
		for (int at = 0; at < map_color_count(&estimate.layout) - 3; at++) {
			const int64_t world = estimate.layout.world;
			char name[MAP_COLOR_NAME_SIZE];

			map_color_name(map_color_at(&estimate.layout, at), &estimate.layout, name, sizeof name);
			prepare(name, 1, NULL);
			for (int64_t n = 1; n < 40; n += 5)
				for (int64_t r = 0; r < world; r += 1 + world / 23) {
					const int64_t like = (r * 7 + n) % world;
					const int64_t value = map_paint_of(&paint, like).value;
					bool meets = false;

					for (int64_t k = r; k < r + n && k < world; k++)
						meets = meets || (value >= 0 && map_paint_of(&paint, k).value == value);
					assert_int_equal(map_paint_meets(&paint, r, n, like), meets);
				}
		}
	}
}

/* Several kinds at once: as long as a family has colours, no two groups of the screen share one. */
TEST(test_own_colors)
{
	static const char *const kinds[] = { "tp", "dp", "pp" };
	static struct map_paint m;
	bool used[256] = { false };

	lay_out("megatron", 8, 8, 2, 4, 1);
	for (int i = 0; i < 3; i++) {
		const struct map_color color = { MAP_BY_GROUPS, layout_kind(&estimate.layout, kinds[i]) };
		const struct paint_offsets beside = { .box = 8 };

		map_paint_init(&m, color, i, 3, THEME_256, &plan, &estimate, &beside);
		for (int64_t g = 0; g < m.values; g++) {
			const struct hue hue = map_paint_of(&m, layout_member(&estimate.layout, color.kind, g, 0));
			const int bg = theme_look(map_hue_style(&m, hue), THEME_256, PALETTE_DARK).bg;

			assert_in_range(bg, 16, 255);
			assert_false(used[bg]);
			used[bg] = true;
		}
	}
	/* A group of one GPU needs none. */
	map_paint_init(&m, (struct map_color){ MAP_BY_GROUPS, layout_kind(&estimate.layout, "cp") }, 0, 2,
	    THEME_256, &plan, &estimate, &(struct paint_offsets){ .box = 8 });
	assert_true(map_paint_of(&m, 5).value < 0);
}

/* The background of a rank's unit on a drawn map, in one of its columns. */
static int
ground_of(const struct canvas *c, const struct map_view *v, int64_t rank, int column)
{
	int x, y;

	assert_true(map_find(v, in(c->w, c->h), rank, &x, &y));
	return theme_look(c->cell[y * c->w + x + column].style, THEME_256, PALETTE_DARK).bg;
}

/* Of 128 groups the first GPUs of the nodes are in 16, and each of these has a colour of its own. What
 * is inside nodes leaves its part of them to what is not. */
TEST(test_own_of_nodes)
{
	static const char *const kinds[] = { "tp", "dp" };
	const struct layout *l = &estimate.layout;
	struct canvas c;

	lay_out("megatron", 256, 8, 8, 16, 1);
	assert_true(canvas_init(&c, 140, 12, true));
	for (int n = 1; n <= 2; n++) {
		const struct map_view v = view_of(kinds + 2 - n, n, MAP_ZOOM_NODE);
		const int dp = v.color[n - 1].kind;

		canvas_clear(&c);
		map_draw(&c, (struct rect){ 0, 0, 140, 12 }, &plan, &estimate, &v);
		for (int64_t a = 0; a < 2048; a += 8) {
			for (int64_t b = 0; b < a; b += 8)
				assert_int_equal(ground_of(&c, &v, a, 0) == ground_of(&c, &v, b, 0),
				    layout_group_of(l, dp, a) == layout_group_of(l, dp, b));
		}
	}
	assert_true(finds(printed(&c, THEME_MONO), "first GPU  0   8   16   24 ", true));
	assert_true(finds(printed(&c, THEME_MONO), "256 groups of 8, each inside one node", true));
	canvas_free(&c);
}

/* Two kinds of many nodes are one line above the other, each of which goes on from node to node; where
 * one of them is inside nodes, the other has both. */
TEST(test_lines_of_nodes)
{
	static const char *const kinds[] = { "dp", "pp", "tp" };
	struct map_view v, inside;
	struct map_grid g;
	struct canvas c;

	lay_out("megatron", 2048, 8, 8, 16, 1);
	v = view_of(kinds, 2, MAP_ZOOM_AUTO);
	inside = view_of(kinds + 1, 2, MAP_ZOOM_AUTO);
	map_grid_init(&g, &inside, &plan, &estimate, 143, 38);
	assert_int_equal(g.unit_w, 2);
	assert_int_equal(g.unit_h, 1);
	map_grid_init(&g, &v, &plan, &estimate, 143, 38);
	assert_int_equal(g.unit_w, 1);
	assert_int_equal(g.unit_h, 2);
	assert_true(canvas_init(&c, 143, 40, true));
	map_draw(&c, (struct rect){ 0, 0, 143, 40 }, &plan, &estimate, &v);
	for (int64_t rank = 8; rank < 2048 * 8; rank += 8) {
		int x, y;

		assert_true(map_find(&v, in(143, 40), rank, &x, &y));
		assert_int_not_equal(theme_look(c.cell[(y + 1) * c.w + x].style, THEME_256, PALETTE_DARK).bg,
		    ground_of(&c, &v, rank, 0));
		if (rank % (8 * 128) != 0)
			assert_int_equal(ground_of(&c, &v, rank, 0), ground_of(&c, &v, rank - 8, 0));
	}
	canvas_free(&c);
}

/* Who talks to the cursor, by a look at each group: letters in the order of dimensions, two at
 * most; a unit of several ranks has those of all of them. */
TEST(test_relation)
{
	const struct layout *l = &estimate.layout;

	for (size_t i = 0; i < COUNT(clusters); i++) {
		struct map_relation r;

		lay_out_cluster(i);
		map_relation_init(&r, l, 1, false);
		prepare("relation", 1, NULL);
		for (int64_t cursor = 0; cursor < l->world; cursor += 1 + l->world / 7)
			for (int64_t unit = 1; unit <= 8; unit *= 8)
				for (int64_t rank = 0; rank + unit <= l->world; rank += unit) {
					char letters[RELATIONS_MAX + 3] = "";
					struct hue hue;

					map_paint_relate(&paint, cursor, unit);
					hue = map_paint_of(&paint, rank);
					if (cursor >= rank && cursor < rank + unit) {
						assert_int_equal(hue.letter, '@');
						continue;
					}
					for (int k = 0; k < r.count; k++)
						for (int64_t n = rank; n < rank + unit; n++)
							if (layout_group_of(l, r.kind[k], n) >= 0 && layout_group_of(l, r.kind[k], n) ==
							    layout_group_of(l, r.kind[k], cursor)) {
								text_add(letters, sizeof letters, "%c", map_relation_letter(&r, k));
								break;
							}
					text_add(letters, sizeof letters, "  ");
					assert_int_equal(hue.value >= 0, letters[0] != ' ');
					assert_int_equal(hue.letter, letters[0]);
					assert_int_equal(hue.other != 0 ? hue.other : ' ', letters[1]);
				}
	}
}

/* The legend tells size and link, and one kind alone never says the same as another. */
TEST(test_relation_legend)
{
	const char *const relation = "relation";
	struct map_view v;

	lay_out("megatron", 8, 8, 2, 4, 1);
	v = view_of(&relation, 1, MAP_ZOOM_LABEL);
	v.cursor = 11;
	assert_true(draws(&v, 100, 40, "T  tp 2 node  P  pp 4 network  D  dp 8 network"));
	assert_true(draws(&v, 100, 40, ">11@ <"));
	assert_true(draws(&v, 100, 40, "[27P ]"));
	/* Experts over the same GPUs as data: the traffic of both is told, and both letters. */
	begin_plan("megatron", 8, 8, 2, 4);
	put_int(&plan, FIELD_EXPERTS, 8);
	put_int(&plan, FIELD_EP, 8);
	place_plan();
	assert_true(draws(&v, 140, 40, "D  dp 8 network  E  ep 8 network"));
	/* On a narrow map each is named, whatever else has no room. */
	assert_true(draws(&v, 40, 10, "T  tp 2  P  pp 4  D  dp 8  E  ep 8"));
	assert_true(draws(&v, 100, 40, "[ 9DE]"));
	/* A node with room for one letter has that of the smaller group, as the larger one is all around it;
	 * those that the cursor does not talk to are there; where room is short, what is crossed is left out. */
	begin_plan("megatron", 64, 8, 1, 4);
	put_int(&plan, FIELD_EXPERTS, 64);
	put_int(&plan, FIELD_EP, 64);
	place_plan();
	v = view_of(&relation, 1, MAP_ZOOM_NODE);
	v.cursor = 0;
	assert_true(draws(&v, 24, 20, "@EEE EEEE DDDD DDDD"));
	assert_true(draws(&v, 24, 20, "P\xc2\xb7\xc2\xb7\xc2\xb7 "));
	assert_true(draws(&v, 60, 20, "P  pp 4 network  D  dp 128 network  E  ep 64 network"));
	assert_true(draws(&v, 36, 5, "P  pp 4  D  dp 128  E  ep 64"));
	lay_out("megatron", 1, 8, 8, 1, 1);
	v = view_of(&relation, 1, MAP_ZOOM_LABEL);
	assert_true(draws(&v, 100, 40, "T  tp 8 node"));
	assert_false(draws(&v, 100, 40, "dp"));
}

/* Where a cell stands for several GPUs the legend says so, and has its letters still. */
TEST(test_first_gpu)
{
	static const char *const title[] = { "layers, by each node's first GPU:  A  ",
		"layers (first GPU):  A  " };
	static const int width[] = { 100, 46 };
	const char *const layers = "layers";
	struct map_view v;

	lay_out("megatron", 64, 8, 8, 8, 1);
	v = view_of(&layers, 1, MAP_ZOOM_NODE);
	for (size_t k = 0; k < COUNT(width); k++)
		assert_true(draws(&v, width[k], 20, title[k]));
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
