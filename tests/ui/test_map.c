/* The map: every GPU once, neighbours apart, all zooms, all sizes. */
#include <locale.h>

#include "map_test.h"
#include "ui/map/map_sets.h"
#include "ui/map/paint.h"

static void
lay_out(const char *framework, int64_t nodes, int64_t gpus, int64_t tp, int64_t cp, int64_t pp)
{
	begin_plan(framework, nodes, gpus, tp, pp);
	put_int(&plan, FIELD_CP, cp);
	place_plan();
}

/* What is drawn at a rank's place. */
static const struct cell *
cell_of(const struct canvas *c, const struct map_view *v, int64_t rank)
{
	int x, y;

	assert_true(map_find(v, in(c->w, c->h), rank, &x, &y));
	assert_true(x >= 0 && y >= 0 && x < c->w && y < c->h);
	return &c->cell[y * c->w + x];
}

static void
draw_all(struct canvas *c, struct map_view *v, int w)
{
	int64_t h = map_rows(&plan, &estimate, v, w);

	assert_true(h > 0 && h < 100000);
	assert_true(canvas_init(c, w, (int)h, true));
	map_draw(c, (struct rect){ 0, 0, w, (int)h }, &plan, &estimate, v);
}

/* Labels: each rank's number stands at its own place, once. */
TEST(test_every_gpu)
{
	static const char *const kinds[] = { "tp", "dp", "pp" };
	static const int widths[] = { 12, 30, 59, 80, 131, 300 };

	for (int n = 1; n <= 3; n++)
		for (size_t i = 0; i < COUNT(widths); i++) {
			struct map_view v;
			struct canvas c;
			int brackets = 0;

			lay_out("megatron", 6, 8, 2, 1, 3);
			v = view_of(kinds, n, MAP_ZOOM_LABEL);
			draw_all(&c, &v, widths[i]);
			for (int64_t rank = 0; rank < 48; rank++) {
				const struct cell *k = cell_of(&c, &v, rank);
				int number = (k[1].ch == L' ' ? 0 : (int)k[1].ch - '0') * 10 + (int)k[2].ch - '0';

				assert_int_equal(k->ch, n == 1 ? L'[' : L' '); /* bands fill the cell */
				assert_int_equal(number, rank);
				for (int s = 0; s < n; s++)
					assert_int_equal(k[3 + s].style.role, ROLE_GROUP);
				assert_true(n > 1 || k[3 + n].ch == L']');
			}
			for (int at = 0; at < c.w * c.h; at++)
				brackets += c.cell[at].ch == L'[';
			assert_int_equal(brackets, n == 1 ? 48 : 0);
			canvas_free(&c);
		}
}

/* Neighbours in different groups have different letters, always, and different colours:
 * always with six, with fewer but for rare cases of odd widths. */
static void
check_neighbours(int kind, int colors, const struct map_grid *g)
{
	int64_t pairs = 0, alike = 0;
	const struct paint_offsets beside = map_grid_offsets(g);
	struct paint paint;

	paint_init(&paint, &estimate.layout, kind, SET_ONE, colors, &beside);
	for (int64_t r = 0; r < estimate.layout.world; r += g->stride) {
		int64_t group = layout_group_of(&estimate.layout, kind, r);
		int64_t x, y, bx, by;

		map_grid_unit(g, r, &x, &y);
		for (int i = 0; i < beside.touching && group >= 0; i++) {
			int64_t b = r + beside.offset[i], other;

			if (b >= estimate.layout.world)
				continue;
			map_grid_unit(g, b, &bx, &by);
			if (bx - x + by - y != 1 || (bx != x && by != y))
				continue; /* the next line: they do not touch */
			other = layout_group_of(&estimate.layout, kind, b);
			if (other < 0 || other == group)
				continue;
			assert_int_not_equal(paint_letter(&paint, r, group), paint_letter(&paint, b, other));
			pairs++;
			alike += paint_color(&paint, r, group) == paint_color(&paint, b, other);
		}
	}
	if (alike > 0)
		fprintf(stderr, "%s, zoom %d: %lld of %lld neighbours share one of %d colours\n",
		    estimate.layout.kind[kind].name, g->zoom, (long long)alike, (long long)pairs, colors);
	assert_true(alike == 0 || (colors < 6 && alike * 20 <= pairs));
}

TEST(test_neighbours)
{
	static const struct {
		const char *framework;
		int64_t nodes, gpus, tp, cp, pp;
	} plans[] = {
		{ "megatron", 2, 8, 2, 1, 4 }, { "megatron", 16, 8, 8, 1, 4 }, { "megatron", 12, 8, 4, 2, 3 },
		{ "megatron", 64, 8, 2, 2, 8 }, { "megatron", 7, 6, 3, 1, 7 }, { "megatron", 18, 4, 4, 1, 6 },
		{ "megatron", 4, 72, 8, 1, 4 }, { "seed", 2, 8, 2, 2, 2 }, { "deepspeed", 16, 8, 4, 1, 4 },
		{ "torchtitan", 32, 8, 8, 2, 4 }, { "nanotron", 8, 8, 2, 1, 4 }, { "vllm", 4, 8, 8, 1, 2 },
		{ "megatron", 512, 8, 8, 1, 16 },
	};
	static const int widths[] = { 40, 58, 80, 130, 200 };
	static const char *const first[] = { "tp" };

	for (size_t i = 0; i < COUNT(plans); i++) {
		lay_out(plans[i].framework, plans[i].nodes, plans[i].gpus, plans[i].tp, plans[i].cp,
		    plans[i].pp);
		for (int kind = 0; kind < estimate.layout.kinds; kind++)
			for (size_t w = 0; w < COUNT(widths); w++)
				for (int zoom = MAP_ZOOM_CARD; zoom < MAP_ZOOM_COUNT; zoom++) {
					struct map_view v;
					struct map_grid g;

					map_view_init(&v, &estimate.layout, first, 1);
					v.color[0] = (struct map_color){ MAP_BY_GROUPS, kind };
					v.zoom = (enum map_zoom)zoom;
					map_grid_init(&g, &v, &plan, &estimate, widths[w], 1000);
					check_neighbours(kind, 6, &g);
					check_neighbours(kind, 5, &g);
					if (zoom < MAP_ZOOM_HALF)
						check_neighbours(kind, 4, &g);
				}
	}
}

/* All that lie beside or below each other, also across frames and gaps: different colours
 * and letters. */
static void
check_apart(const struct map_view *v, int w)
{
	static struct map_paint m;
	struct map_grid g;
	struct paint_offsets beside;

	map_grid_init(&g, v, &plan, &estimate, w, 1000);
	beside = map_grid_offsets(&g);
	map_paint_init(&m, v->color[0], 0, v->colors, v->depth, &plan, &estimate, &beside);
	map_mend(&g, &m);
	for (int64_t r = 0; r < estimate.layout.world; r += g.stride)
		for (int down = 0; down < 2; down++) {
			const struct hue a = map_paint_of(&m, r);
			struct hue b;
			int64_t x, y, other;

			map_grid_unit(&g, r, &x, &y);
			other = map_grid_unit_rank(&g, x + 1 - down, y + down);
			b = map_paint_of(&m, other < 0 ? r : other);
			if (a.value < 0 || b.value < 0 || a.value == b.value)
				continue;
			assert_int_not_equal(a.color, b.color);
			assert_int_not_equal(a.letter, b.letter);
		}
}

/* Plans whose groups no rule tells apart: those of a table do. */
TEST(test_apart_by_table)
{
	static const struct {
		const char *framework;
		int64_t nodes, gpus, tp, cp, pp;
		int kind, zoom, w;
	} plans[] = {
		{ "megatron", 95, 18, 5, 3, 2, 9, MAP_ZOOM_HALF, 260 },
	};
	static struct map_paint m;

	for (size_t i = 0; i < COUNT(plans); i++) {
		struct map_view v = { .cursor = -1, .colors = 2, .depth = THEME_256, .utf8 = true,
			.zoom = (enum map_zoom)plans[i].zoom };
		struct paint_offsets beside;
		struct map_grid g;

		lay_out(plans[i].framework, plans[i].nodes, plans[i].gpus, plans[i].tp, plans[i].cp,
		    plans[i].pp);
		v.color[0] = v.color[1] = (struct map_color){ MAP_BY_GROUPS, plans[i].kind };
		map_grid_init(&g, &v, &plan, &estimate, plans[i].w, 1000);
		beside = map_grid_offsets(&g);
		map_paint_init(&m, v.color[0], 0, v.colors, v.depth, &plan, &estimate, &beside);
		assert_true(m.paint.color.clashes > 0 && !m.paint.color_table.used);
		map_mend(&g, &m);
		assert_true(m.paint.color_table.used);
		for (int64_t group = 0; group < m.paint.groups; group++)
			assert_true(m.paint.color_table.value[group] < m.paint.color.values);
		check_apart(&v, plans[i].w);
	}
}

/* Sizes that do not divide one another: groups wrap inside nodes and racks. */
TEST(test_apart)
{
	static const struct {
		const char *framework;
		int64_t nodes, gpus, tp, cp, pp;
	} plans[] = {
		{ "nanotron", 24, 8, 12, 2, 1 }, { "deepspeed", 25, 8, 4, 1, 2 },
		{ "megatron", 89, 8, 4, 1, 2 }, { "torchtitan", 39, 4, 1, 1, 3 },
		{ "torchtitan", 36, 8, 2, 1, 6 }, { "megatron", 7, 8, 14, 1, 2 },
		{ "megatron", 36, 5, 2, 1, 3 },
	};
	static const int widths[] = { 46, 78, 131, 400 };

	for (size_t i = 0; i < COUNT(plans); i++) {
		lay_out(plans[i].framework, plans[i].nodes, plans[i].gpus, plans[i].tp, plans[i].cp,
		    plans[i].pp);
		for (int kind = 0; kind < estimate.layout.kinds; kind++)
			for (size_t w = 0; w < COUNT(widths); w++)
				for (int zoom = MAP_ZOOM_CARD; zoom < MAP_ZOOM_COUNT; zoom++)
					for (int colors = 1; colors <= 2; colors++) {
						struct map_view v = { .cursor = -1, .colors = colors, .depth = THEME_256,
							.utf8 = true, .zoom = (enum map_zoom)zoom };

						v.color[0] = v.color[1] = (struct map_color){ MAP_BY_GROUPS, kind };
						check_apart(&v, widths[w]);
					}
	}
}

/* Up to as many groups as letters, the letter is the group's own. */
TEST(test_letters)
{
	static const char *const tp[] = { "tp" };
	struct map_view v;
	struct canvas c;

	lay_out("megatron", 13, 8, 2, 1, 1);
	v = view_of(tp, 1, MAP_ZOOM_CELL);
	draw_all(&c, &v, 120);
	for (int64_t r = 0; r < 104; r++) {
		int group = (int)(r / 2);

		assert_int_equal(cell_of(&c, &v, r)->ch, group < 26 ? L'A' + group : L'a' + group - 26);
	}
	canvas_free(&c);
}

TEST(test_peers)
{
	static const char *const kinds[] = { "tp", "pp" };
	struct map_view v;
	struct canvas c;

	lay_out("megatron", 2, 8, 2, 1, 4);
	v = view_of(kinds, 2, MAP_ZOOM_LABEL);
	v.cursor = 5;
	v.peers = true;
	draw_all(&c, &v, 120);
	for (int64_t r = 0; r < 16; r++) {
		const struct cell *k = cell_of(&c, &v, r);
		bool tp = r / 2 == 2, pp = r % 4 == 1;

		assert_int_equal(k->ch, r == 5 ? L'>' : tp || pp ? L'[' : L' ');
		assert_int_equal(k[3].style.flags, r == 5 ? STYLE_CURSOR : tp ? STYLE_PEER : STYLE_FADED);
		assert_int_equal(k[5].style.flags, r == 5 ? STYLE_CURSOR : pp ? STYLE_PEER : STYLE_FADED);
	}
	canvas_free(&c);
}

/* Cards: rank, and a band of its own colour space for each dimension. */
TEST(test_cards)
{
	static const char *const kinds[] = { "tp", "dp", "pp", "cp" };

	for (int n = 1; n <= 4; n++) {
		struct map_view v;
		struct map_grid g;
		struct canvas c;

		lay_out("megatron", 2, 8, 2, 2, 2);
		v = view_of(kinds, n, MAP_ZOOM_CARD);
		draw_all(&c, &v, 100);
		map_grid_init(&g, &v, &plan, &estimate, c.w, c.h - n);
		for (int64_t r = 0; r < 16; r++) {
			const struct cell *k = cell_of(&c, &v, r);
			int64_t number = 0;

			for (int i = 1; k[i].ch >= L'0' && k[i].ch <= L'9'; i++)
				number = number * 10 + (k[i].ch - L'0');
			assert_int_equal(number, r);
			for (int s = 0; s < n; s++) {
				const struct cell *band = &k[(s + (g.tall ? 2 : 1)) * c.w];

				assert_int_equal(band[1].ch, kinds[s][0]);
				assert_int_equal(band[1].style.role, ROLE_GROUP);
				assert_int_equal(band[1].style.set, theme_set_for(n, s));
				assert_int_equal(band[4].ch - L'0', layout_group_of(&estimate.layout, v.color[s].kind, r));
			}
		}
		canvas_free(&c);
	}
}

/* Each of the ready-made sets, in every framework. */
TEST(test_presets)
{
	static const char *const frameworks[] = {
		"megatron", "deepspeed", "torchtitan", "nanotron", "vllm", "seed"
	};
	static const int dimensions[] = { 1, 1, 1, 1, 2, 2, 3, 2, 3, 3, 4 };
	int presets = 0;

	while (map_set_name(presets) != NULL)
		presets++;
	assert_int_equal(presets, 11);
	for (size_t f = 0; f < COUNT(frameworks); f++) {
		lay_out(frameworks[f], 2, 8, 2, 1, 2);
		for (int i = 0; i < presets; i++) {
			const char *name[MAP_COLORS_MAX];
			int n = map_set_groups(i, &estimate.layout, name);
			struct map_view v;
			struct canvas c;

			if (f == 0 || f == 5)
				assert_int_equal(n, dimensions[i]);
			if (n == 0)
				continue;
			v = view_of(name, n, MAP_ZOOM_AUTO);
			draw_all(&c, &v, 100);
			assert_int_equal(map_zoom_for(&v, in(c.w, c.h)), MAP_ZOOM_CARD);
			canvas_free(&c);
		}
	}
}

/* Several kinds by one name, where each tells something in this plan; a kind alone stands above them. */
SESSION_TEST(test_ready_made)
{
	struct session *s = session_new(test, 160, 50);

	type(s, "d");
	assert_true(shows(s, "Ready-made") && shows(s, "DP+TP+PP    dp, tp, pp"));
	assert_true(hides(s, "CP+DP") && hides(s, "    DP    "));
	type(s, "q:set cp 2\r");
	type(s, "d");
	assert_true(shows(s, "CP+DP       cp, dp_cp"));
	type(s, "q:set cp=1 tp=1 pp=1\r");
	assert_int_equal(s->state.plan.parallel.tp, 1);
	type(s, "d");
	assert_true(hides(s, "Ready-made"));
}

/* The automatic zoom is the largest that fits. */
TEST(test_zoom)
{
	static const char *const tp[] = { "tp" };
	struct map_view v;

	lay_out("megatron", 2, 8, 2, 1, 4);
	v = view_of(tp, 1, MAP_ZOOM_AUTO);
	assert_int_equal(map_zoom_for(&v, in(58, 20)), MAP_ZOOM_CARD);
	assert_int_equal(map_zoom_for(&v, in(46, 10)), MAP_ZOOM_LABEL);
	assert_int_equal(map_zoom_for(&v, in(10, 5)), MAP_ZOOM_CELL);
	lay_out("megatron", 1024, 8, 2, 1, 4);
	v = view_of(tp, 1, MAP_ZOOM_AUTO);
	assert_int_equal(map_zoom_for(&v, in(100, 40)), MAP_ZOOM_NODE);
}

TEST(test_move)
{
	static const char *const tp[] = { "tp" };
	struct map_view v;

	lay_out("megatron", 4, 8, 2, 1, 4);
	for (int zoom = MAP_ZOOM_CARD; zoom <= MAP_ZOOM_HALF; zoom++)
		for (int w = 10; w < 140; w += 7) {
			int64_t last = -1;

			v = view_of(tp, 1, (enum map_zoom)zoom);
			v.cursor = 0;
			/* Right and down reach the last rank, left and up the first. */
			while (v.cursor != last) {
				last = v.cursor;
				map_move(&v, in(w, 10), 1, 0);
				map_move(&v, in(w, 10), 0, 1);
				map_follow(&v, in(w, 10));
			}
			assert_int_equal(v.cursor, 31);
			last = -1;
			while (v.cursor != last) {
				int x, y;

				last = v.cursor;
				map_move(&v, in(w, 10), -1, 0);
				map_move(&v, in(w, 10), 0, -1);
				map_follow(&v, in(w, 10));
				map_find(&v, in(w, 10), v.cursor, &x, &y);
				assert_true(y >= 0 && y < 10);
			}
			assert_int_equal(v.cursor, 0);
		}
}

/* 131,072 GPUs: scrolling anywhere shows the cursor. */
TEST(test_huge)
{
	static const char *const kinds[] = { "tp", "dp", "pp", "cp" };
	struct canvas c;

	lay_out("megatron", 16384, 8, 8, 2, 16);
	assert_int_equal(estimate.layout.world, 131072);
	assert_true(canvas_init(&c, 120, 40, true));
	for (int zoom = MAP_ZOOM_AUTO; zoom < MAP_ZOOM_COUNT; zoom++)
		for (int64_t rank = 0; rank < 131072; rank += 13107) {
			struct map_view v = view_of(kinds, 4, (enum map_zoom)zoom);
			int x, y;

			v.cursor = rank;
			v.peers = true;
			map_follow(&v, in(c.w, c.h));
			canvas_clear(&c);
			map_draw(&c, (struct rect){ 0, 0, c.w, c.h }, &plan, &estimate, &v);
			assert_true(map_find(&v, in(c.w, c.h), rank, &x, &y));
			assert_true((c.cell[y * c.w + x].style.flags & STYLE_CURSOR) != 0);
		}
	canvas_free(&c);
}

/* Racks that have no room one in a cell are shown two in one: all of them, each at a place of its
 * own, with nothing past the last. */
TEST(test_half_racks)
{
	static const char *const pp[] = { "pp" };
	static const int nodes[] = { 2048, 2046, 1802 };
	const struct map_area area = in(72, 10);
	struct map_view v;

	for (size_t i = 0; i < COUNT(nodes); i++) {
		const int64_t racks = nodes[i] / 2;
		int x, y, cells = 0;
		struct canvas c;

		begin_plan("megatron", nodes[i], 8, 8, 1);
		put_int(&plan, FIELD_NODES_PER_RACK, 2);
		place_plan();
		v = view_of(pp, 1, MAP_ZOOM_AUTO);
		assert_int_equal(map_zoom_for(&v, area), MAP_ZOOM_RACK);
		assert_true(map_part(&v, area).count <= map_part(&v, area).shown);
		for (int64_t rank = 0; rank < estimate.layout.world; rank += 16) {
			assert_true(map_find(&v, area, rank, &x, &y));
			v.cursor = map_at(&v, area, x, y);
			assert_true(v.cursor == rank || (map_move(&v, area, 0, 1) && v.cursor == rank));
		}
		v.cursor = -1;
		assert_true(canvas_init(&c, 72, 10, true));
		map_draw(&c, (struct rect){ 0, 0, 72, 10 }, &plan, &estimate, &v);
		for (int k = 0; k < c.w * (int)map_part(&v, area).count; k++)
			cells += c.cell[k].style.role == ROLE_GROUP;
		assert_int_equal(cells, racks / 128 * 64 + (racks % 128 < 64 ? racks % 128 : 64));
		canvas_free(&c);
		/* Without colours each has a letter, and the lines scroll. */
		v.depth = THEME_MONO;
		assert_true(map_part(&v, area).count > map_part(&v, area).shown);
	}
}

/* Any area, any zoom: nothing outside of it is touched. */
TEST(test_inside)
{
	static const char *const kinds[] = { "tp", "dp", "pp" };
	struct canvas c;

	lay_out("megatron", 5, 8, 2, 1, 4);
	assert_true(canvas_init(&c, 70, 30, false));
	for (int zoom = MAP_ZOOM_AUTO; zoom < MAP_ZOOM_COUNT; zoom++)
		for (int w = 0; w < 60; w += 3)
			for (int h = 0; h < 25; h++) {
				struct map_view v = view_of(kinds, 1 + h % 3, (enum map_zoom)zoom);
				struct rect r = { 4, 3, w, h };

				v.cursor = h;
				v.first_row = h / 2;
				canvas_clear(&c);
				map_draw(&c, r, &plan, &estimate, &v);
				for (int i = 0; i < c.w * c.h; i++) {
					int x = i % c.w, y = i / c.w;

					if (x < r.x || x >= r.x + w || y < r.y || y >= r.y + h)
						assert_int_equal(c.cell[i].ch, L' ');
					assert_true(c.cell[i].ch < 128);
				}
			}
	canvas_free(&c);
}

/* Numbers that do not fit are left out: cut, they would be those of others. */
TEST(test_titles)
{
	static const char *const tp[] = { "tp" };
	struct map_view v;

	lay_out("megatron", 24, 1, 1, 1, 3);
	v = view_of(tp, 1, MAP_ZOOM_CELL);
	assert_true(draws(&v, 60, 30, " rack 2    rack 3 "));
	assert_true(draws(&v, 60, 30, "┌8┬9┬─┬─┐ ┌─┬─┬─┬─┐"));
	lay_out("megatron", 48, 2, 2, 1, 3);
	plan.cluster.nodes_per_rack = 2;
	v = view_of(tp, 1, MAP_ZOOM_CELL);
	assert_true(draws(&v, 60, 30, " rack 9  10      11 "));
	lay_out("megatron", 1002, 8, 8, 1, 3);
	v = view_of(tp, 1, MAP_ZOOM_CELL);
	assert_true(draws(&v, 120, 500, "┌node 996┬node 997┐ ┌1000────┬1001────┐"));
	lay_out("megatron", 20, 1, 1, 1, 1);
	plan.cluster.nvlink_domain = 2;
	v = view_of(tp, 1, MAP_ZOOM_LABEL);
	assert_true(draws(&v, 60, 30, "═domain 8════ ═domain 9════"));
}

/* On paper the legend has all its words, in as many lines as that takes, and ends the
 * picture, at any width. */
TEST(test_paper)
{
	static const char *const stages[] = { "layers", "stage", "tp" };

	for (int w = 20; w < 200; w += 18)
		for (int zoom = MAP_ZOOM_AUTO; zoom < MAP_ZOOM_COUNT; zoom++)
			for (int64_t nodes = 6; nodes <= 48; nodes *= 2) {
				struct map_view v;
				struct canvas c;
				int h;

				lay_out("megatron", nodes, 8, 2, 1, nodes / 3);
				v = view_of(stages, 3, (enum map_zoom)zoom);
				v.printed = true;
				h = (int)map_rows(&plan, &estimate, &v, w);
				assert_true(canvas_init(&c, w, h, true));
				map_draw(&c, (struct rect){ 0, 0, w, h }, &plan, &estimate, &v);
				assert_int_equal(c.cell[(h - 1) * w].ch, L't'); /* "tp: ..." */
				canvas_free(&c);
				if (w >= 38)
					assert_true(draws(&v, w, h, nodes == 48 ? "  P  30-31" : "-31"));
			}
}

/* Lines that the map leaves have the legend, of all colours, and all of its words. */
TEST(test_legend)
{
	static const char *const kinds[] = { "tp", "dp", "pp", "stage" }, *const link[] = { "link" };
	struct map_view v;

	lay_out("megatron", 8, 8, 2, 1, 4);
	v = view_of(kinds, 4, MAP_ZOOM_NODE); /* in 7 lines none are kept for it */
	assert_true(draws(&v, 58, 7, "tp: 32 groups of 2, each inside one node"));
	assert_true(draws(&v, 30, 7, "tp: 32 groups of 2"));
	assert_true(draws(&v, 58, 7, "stage: 4 of 16 GPUs "));
	v = view_of(link, 1, MAP_ZOOM_NODE);
	assert_true(draws(&v, 46, 7, " n  network"));
	v.zoom = MAP_ZOOM_CELL;
	assert_int_equal(map_part(&v, in(20, 3)).count, 9); /* racks have a gap */
	assert_int_equal(map_part(&v, in(20, 3)).shown, 3);
	/* A rank and a stage are not one number. */
	v = view_of((const char *const[]){ "stage", "tp" }, 2, MAP_ZOOM_LABEL);
	assert_true(draws(&v, 80, 30, "13:0G"));
	/* All stages are told where there are lines for that. */
	lay_out("megatron", 256, 8, 8, 1, 16);
	v = view_of(&kinds[3], 1, MAP_ZOOM_AUTO);
	assert_true(draws(&v, 46, 10, " 9 a b c d e f"));
	lay_out("megatron", 8, 8, 2, 1, 4);
	v = view_of(link, 1, MAP_ZOOM_RACK); /* and no line beyond the last */
	assert_true(draws(&v, 46, 2, "\u2026"));
}

/* Slow nodes are marked wherever they are shown: by name, with a mark where words have no room, on the
 * unit that is one or holds one, each on a row of many, and on the first GPU without frames. */
TEST(test_slow)
{
	const char *const tp[] = { "tp" };
	struct map_view view;

	begin_plan("megatron", 64, 8, 8, 2);
	plan.cluster.nodes_per_rack = 2;
	put(&plan, FIELD_SLOW_NODES, "3*0.5,40*0.4");
	place_plan();
	view = view_of(tp, 1, MAP_ZOOM_CARD);
	assert_true(draws(&view, 100, 60, "node 3 slow 0.5"));
	view = view_of(tp, 1, MAP_ZOOM_CELL);
	assert_true(draws(&view, 80, 40, "node 3!"));
	view = view_of(tp, 1, MAP_ZOOM_NODE);
	assert_true(draws(&view, 80, 5, "node 0     !"));
	put(&plan, FIELD_SLOW_NODES, "40*0.4");
	assert_false(draws(&view, 80, 5, "node 0     !"));
	assert_true(draws(&view, 80, 5, "!"));
	view = view_of(tp, 1, MAP_ZOOM_RACK);
	assert_true(draws(&view, 80, 5, "!"));
	put(&plan, FIELD_SLOW_NODES, "");
	assert_false(draws(&view, 80, 5, "!"));
	/* and those that are down, before slow ones, unless another stands in */
	put(&plan, FIELD_SLOW_NODES, "3*0.5");
	put(&plan, FIELD_DEAD_NODES, "3");
	view = view_of(tp, 1, MAP_ZOOM_CARD);
	assert_true(draws(&view, 100, 60, "node 3 down"));
	view = view_of(tp, 1, MAP_ZOOM_CELL);
	assert_true(draws(&view, 80, 40, "node 3x"));
	view = view_of(tp, 1, MAP_ZOOM_NODE);
	assert_true(draws(&view, 80, 5, "node 0     x"));
	put(&plan, FIELD_SPARE_NODES, "1");
	assert_false(draws(&view, 80, 5, "node 0     x"));
}

/* Rows of halves are of nodes or of racks: they say which, where that takes nothing from the map. */
TEST(test_row_words)
{
	const char *const stage[] = { "stage" };
	struct map_view view;

	begin_plan("megatron", 2048, 8, 8, 16);
	place_plan();
	view = view_of(stage, 1, MAP_ZOOM_AUTO);
	assert_true(draws(&view, 46, 10, "rack 64"));
	assert_true(draws(&view, 40, 10, "64"));
	assert_false(draws(&view, 40, 10, "rack 64"));
	begin_plan("megatron", 128, 8, 8, 16);
	place_plan();
	view = view_of(stage, 1, MAP_ZOOM_AUTO);
	assert_true(draws(&view, 46, 10, "node 64"));
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
