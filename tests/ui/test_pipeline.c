/* The pipeline's timeline: in any area, with and without colours, scrolled and zoomed. */

#include "support.h"
#include "core/base/units.h"
#include "core/framework/resolve.h"
#include "ui/map/pipeline.h"

static struct plan plan;
static struct estimate estimate;

/* Five layers a chunk on H100; m micro-batches. */
static void
make_plan(int64_t schedule, int64_t pp, int64_t vpp, int64_t m)
{
	static const char *const names[] = { "gpipe", "1f1b", "zb-1p", "zb-2p", "zb-v", "v-half",
		"v-min", "dualpipe", "dualpipev" };
	static struct session s;

	session_catalog(&s);
	plan_defaults(&plan);
	put(&plan, FIELD_GPU, "h100-sxm-80gb");
	put(&plan, FIELD_GENERATION, "hopper");
	put(&plan, FIELD_FABRIC, "nvlink4");
	put(&plan, FIELD_BF16_TFLOPS, "989");
	put(&plan, FIELD_HBM_GBPS, "3350");
	put(&plan, FIELD_NVLINK_GBPS, "450");
	put(&plan, FIELD_NIC_GBPS, "400");
	put(&plan, FIELD_PRESET, "llama-3.1-70b");
	put(&plan, FIELD_GPUS_PER_NODE, "1");
	put(&plan, FIELD_MICRO_BATCH_SIZE, "1");
	put_int(&plan, FIELD_LAYERS, 5 * pp * vpp);
	put_int(&plan, FIELD_NODES, pp);
	put_int(&plan, FIELD_PP, pp);
	put_int(&plan, FIELD_VPP, vpp);
	put_int(&plan, FIELD_GLOBAL_BATCH_SIZE, m);
	put(&plan, FIELD_SCHEDULE, names[schedule]);
	plan_resolve(&plan, &s.catalog);
	estimate_run(&estimate, &plan, &s.catalog, NULL);
	assert_true(estimate.placed && estimate.microbatches == m);
}

/* The picture without colours. */
static char *
draw_plain(const struct pipeline_view *view, int w, int h, bool utf8)
{
	struct canvas c;
	char *text;

	assert_true(canvas_init(&c, w, h, utf8));
	assert_null(pipeline_draw(&c, (struct rect){ 0, 0, w, h }, &plan, &estimate, view, true));
	text = printed(&c, THEME_MONO);
	canvas_free(&c);
	return text;
}

static void
has(char *text, const char *want)
{
	if (strstr(text, want) == NULL)
		fail_msg("no \"%s\" in\n%s", want, text);
	free(text);
}

/* Letters and numbers, phases, what is in flight, and how idle each stage is. */
TEST(test_rows)
{
	struct pipeline_view view = { .stage = 1 };

	make_plan(SCHEDULE_1F1B, 4, 1, 6);
	has(draw_plain(&view, 120, 8, true), "stage layers in flight   idle ");
	has(draw_plain(&view, 120, 8, true), "\xe2\x94\x80 warm-up ");
	has(draw_plain(&view, 120, 8, true), ">    1    5-9         3 ");
	has(draw_plain(&view, 120, 8, true), "F0");
	has(draw_plain(&view, 120, 8, true), "B5");
	has(draw_plain(&view, 120, 8, true), "a column is ");
	has(draw_plain(&view, 120, 8, false), "- warm-up ");
	has(draw_plain(&view, 50, 8, false), " st held idle ");
	has(draw_plain(&view, 24, 8, false), "> 1   3 ");
	view.scale = 6;
	has(draw_plain(&view, 120, 20, false), "F0------F1-----F2");
	make_plan(SCHEDULE_ZB_1P, 4, 1, 6);
	has(draw_plain(&view, 120, 8, false), "W3 weight gradients");
	make_plan(SCHEDULE_1F1B, 4, 2, 8);
	has(draw_plain(&view, 120, 8, false), "f3 the second chunk");
	make_plan(SCHEDULE_GPIPE, 4, 1, 8);
	has(draw_plain(&view, 120, 8, false), " backward ");
}

/* Numbers that follow a letter or a blank in a line, which rise: none is cut. Returns how many. */
static int
rise(const char *text, char letter)
{
	int numbers = 0;
	long last = -1;

	for (const char *at = text + 1; *at != '\0'; at++) {
		char *end;
		long number;

		if (*at < '0' || *at > '9' || (at[-1] != letter && at[-1] != ' ' && at[-1] != '|'))
			continue;
		number = strtol(at, &end, 10);
		if (number <= last)
			fail_msg("%ld after %ld in\n%s", number, last, text);
		last = number;
		numbers++;
		at = end - 1;
	}
	return numbers;
}

/* A number is whole or not there, in slots of any width, at the edges too, with and without
 * colours. */
TEST(test_numbers)
{
	static const enum theme_colors depths[] = { THEME_MONO, THEME_8, THEME_256 };
	enum { W = 90 };
	int numbers = 0;

	make_plan(SCHEDULE_GPIPE, 4, 1, 130);
	for (int scale = 2; scale < 7; scale++)
		for (size_t d = 0; d < COUNT(depths); d++)
			for (int column = 0; column < 300; column += 29) {
				const struct pipeline_view view = { .scale = scale, .depth = depths[d],
					.column = column };
				struct canvas c;
				char line[W + 1] = "";
				int from = 0;

				assert_true(canvas_init(&c, W, 9, false));
				assert_null(pipeline_draw(&c, (struct rect){ 0, 0, W, 9 }, &plan, &estimate, &view,
				    true));
				while (c.cell[W + from].ch != L'%')
					from++;
				for (int x = from + 1; x < W; x++)
					line[x - from - 1] = (char)c.cell[W + x].ch;
				numbers += rise(line, 'F');
				canvas_free(&c);
			}
	assert_true(numbers > 1000);
}

TEST(test_left_out)
{
	struct pipeline_view view = { .scale = PIPELINE_FIT };

	make_plan(SCHEDULE_1F1B, 4, 1, 1000);
	has(draw_plain(&view, 120, 8, true), "B999");
	has(draw_plain(&view, 120, 8, true), " are left out");
	/* The peak of the whole step, not of the part. */
	make_plan(SCHEDULE_GPIPE, 4, 1, 1000);
	has(draw_plain(&view, 120, 8, true), "0-4      1000 ");
}

TEST(test_words)
{
	struct canvas c;
	struct pipeline_view view = { .scale = PIPELINE_FIT };
	char title[160], want[160], share[UNITS_SIZE];
	const char *why;

	assert_true(canvas_init(&c, 80, 10, true));
	make_plan(SCHEDULE_1F1B, 1, 1, 4);
	assert_null(pipeline_draw(&c, (struct rect){ 0, 0, 80, 10 }, &plan, &estimate, &view, true));
	pipeline_title(&plan, &estimate, title, sizeof title);
	assert_string_equal(title, "pipeline: one stage, 4 micro-batches");
	make_plan(SCHEDULE_1F1B, 4, 2, 8);
	pipeline_title(&plan, &estimate, title, sizeof title);
	units_short(share, sizeof share, MEASURE_SHARE, estimate.step.bubble_fraction); /* as the step pane's */
	text_put(want, sizeof want, "pipeline: 1f1b, bubble %s, 4 stages of 2 chunks, "
	    "8 micro-batches", share);
	assert_string_equal(title, want);
	plan.mode = MODE_SERVE;
	why = pipeline_draw(&c, (struct rect){ 0, 0, 80, 10 }, &plan, &estimate, &view, true);
	assert_non_null(why);
	assert_non_null(strstr(why, "serving"));
	estimate.placed = false;
	plan.mode = MODE_TRAIN;
	assert_non_null(pipeline_draw(&c, (struct rect){ 0, 0, 80, 10 }, &plan, &estimate, &view,
	    true));
	canvas_free(&c);
}

/* The times of the chunks are those of the step: without traffic inside, the slowest
 * stage's add up to what it computes. */
TEST(test_times)
{
	static const int64_t vpp[] = { 1, 2, 4 };

	for (size_t i = 0; i < COUNT(vpp); i++) {
		struct chunk_time time[16];
		double most = 0, all;

		make_plan(SCHEDULE_1F1B, 4, vpp[i], 8);
		assert_true(estimate.timed);
		assert_true(steptime_chunks(&plan, &estimate.layout, &estimate.placement, time));
		for (int64_t r = 0; r < 4; r++) {
			double sum = 0;

			for (int64_t v = 0; v < vpp[i]; v++) {
				const struct chunk_time *c = &time[r * vpp[i] + v];

				assert_true(c->weight > 0 && c->weight < c->backward);
				sum += c->forward + c->backward;
			}
			most = sum > most ? sum : most;
		}
		all = 8 * most / estimate.step.compute_seconds;
		assert_true(all > 0.999999 && all < 1.000001);
	}
}

/* Any size, any schedule, any depth of colour: nothing outside the area is touched, and
 * the cursor is on the selected stage. */
TEST(test_inside)
{
	static const int64_t vpp[] = { 1, 2, 1, 1, 2, 2, 2, 1, 2 };
	static const int widths[] = { 1, 2, 7, 12, 19, 20, 33, 40, 46, 80, 120, 200, 500 };
	static const int heights[] = { 1, 2, 3, 4, 5, 8, 12, 24, 60, 200 };

	for (int64_t schedule = 0; schedule <= SCHEDULE_DUALPIPEV; schedule++) {
		make_plan(schedule, 6, vpp[schedule], 48);
		for (size_t i = 0; i < COUNT(widths) * COUNT(heights); i++)
			for (int scale = -1; scale < 10; scale += 5) {
				const struct rect r = { 2, 1, widths[i % COUNT(widths)],
					heights[i / COUNT(widths)] };
				struct pipeline_view view = { .stage = 4, .scale = scale, .column = 30,
					.depth = (enum theme_colors)(i % 4) };
				struct canvas c;

				assert_true(canvas_init(&c, r.w + 4, r.h + 2, i % 3 > 0));
				for (int k = 0; k < c.w * c.h; k++)
					c.cell[k].ch = L'#';
				assert_null(pipeline_draw(&c, r, &plan, &estimate, &view, true));
				for (int y = 0; y < c.h; y++)
					for (int x = 0; x < c.w; x++)
						if (x < r.x || x >= r.x + r.w || y < r.y || y >= r.y + r.h)
							assert_int_equal(c.cell[y * c.w + x].ch, L'#');
				assert_in_range(c.cursor_y, r.y, r.y + r.h - 1);
				assert_int_equal(c.cell[c.cursor_y * c.w + c.cursor_x].ch, L'>');
				canvas_free(&c);
			}
	}
}

TEST(test_moving)
{
	struct pipeline_view view = { .scale = PIPELINE_FIT };
	const struct rect r = { 0, 0, 60, 6 };
	int64_t column;

	make_plan(SCHEDULE_1F1B, 16, 1, 64);
	pipeline_move(&view, &plan, &estimate, r, -1, -1);
	assert_int_equal(view.stage, 0);
	assert_int_equal(view.column, 0);
	pipeline_move(&view, &plan, &estimate, r, 5, 0);
	assert_int_equal(view.stage, 5);
	assert_in_range(view.first_stage, 1, 5);
	pipeline_move(&view, &plan, &estimate, r, 100, 0);
	assert_int_equal(view.stage, 15);
	/* What fits does not move; what is larger does, as far as it goes. */
	pipeline_move(&view, &plan, &estimate, r, 0, 5);
	assert_int_equal(view.column, 0);
	pipeline_zoom(&view, &plan, &estimate, r, 1);
	assert_true(view.scale > 0);
	pipeline_move(&view, &plan, &estimate, r, 0, 3);
	assert_true(view.column > 0);
	column = view.column;
	pipeline_zoom(&view, &plan, &estimate, r, 1);
	assert_true(view.column > column); /* the same moment */
	pipeline_move(&view, &plan, &estimate, r, 0, 1 << 20);
	column = view.column;
	pipeline_move(&view, &plan, &estimate, r, 0, 1);
	assert_int_equal(view.column, column);
	for (int i = 0; i < 20; i++)
		pipeline_zoom(&view, &plan, &estimate, r, -1);
	assert_int_equal(view.scale, PIPELINE_WHOLE);
	for (int i = 0; i < 20; i++)
		pipeline_zoom(&view, &plan, &estimate, r, 1);
	assert_int_equal(view.scale, 9);
	assert_in_range(pipeline_page(&estimate, 12), 6, 16);
}

/* The screen: p shows it, the same keys move it, and another plan redraws it. */
SESSION_TEST(test_session)
{
	struct session *s = session_new(test, 120, 40);

	type(s, "p");
	assert_true(shows(s, "pipeline: 1f1b, 4 stages, "));
	type(s, "\t");
	assert_true(shows(s, "> 0    4 "));
	key(s, INPUT_DOWN);
	assert_int_equal(s->state.pipeline.stage, 1);
	type(s, "zz");
	assert_true(s->state.pipeline.scale > 0);
	key(s, INPUT_END);
	assert_true(s->state.pipeline.column > 0);
	key(s, INPUT_HOME);
	assert_int_equal(s->state.pipeline.column, 0);
	app_command(&s->state, "set parallel.vpp 2");
	assert_true(shows(s, "4 stages of 2 chunks"));
	app_command(&s->state, "set mode serve");
	assert_true(shows(s, "pipeline"));
	type(s, "p");
	assert_true(shows(s, "map"));
}

/* The title gives up its first word, else its last ones, before it is cut, and has which stages are shown. */
SESSION_TEST(test_frame)
{
	struct session *s = session_new(test, 120, 40);

	type(s, ":set nodes 8\r:set pp 16\r:set global_batch_size 512\rp");
	assert_true(shows(s, "pipeline: 1f1b, 16 stages, 256 micro-batches "));
	assert_true(shows(s, " 1-8 of 16 \u2500\u2510"));
	type(s, ":set vpp 2\r");
	app_resize(&s->state, 108, 30);
	assert_true(shows(s, " 1f1b, 16 stages of 2 chunks, 256 micro-batches "));
	assert_true(shows(s, " 1-4 of 16 \u2500\u2510"));
	app_resize(&s->state, 90, 30); /* no room for that: its last words */
	assert_true(shows(s, " 1f1b, 16 stages of 2 chunks "));
	assert_true(shows(s, " 1-4 of 16 \u2500\u2510"));
}

TEST(test_long_steps)
{
	static const struct {
		int64_t schedule, pp, vpp, m;
	} cases[] = {
		{ SCHEDULE_1F1B, 8, 1, 256 }, { SCHEDULE_1F1B, 16, 4, 256 },
		{ SCHEDULE_V_HALF, 16, 2, 256 }, { SCHEDULE_1F1B, 64, 1, 4096 },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (int scale = -1; scale <= 1; scale++) {
			struct pipeline_view view = { .scale = scale, .depth = THEME_256 };
			struct canvas c;

			make_plan(cases[i].schedule, cases[i].pp, cases[i].vpp, cases[i].m);
			assert_true(canvas_init(&c, 200, 60, true));
			assert_null(pipeline_draw(&c, (struct rect){ 0, 0, 200, 60 }, &plan, &estimate,
			    &view, true));
			canvas_free(&c);
		}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
