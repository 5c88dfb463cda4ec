/* Memory, traffic, step and serving: what the panes show, why, and what a change did. The
 * numbers are filled in by hand: the estimate has tests of its own. */
#include "support.h"
#include "ui/pane/figures.h"
#include "ui/pane/panes.h"
#include "ui/state/summary.h"

static const double gib = 1073741824.0;

static void
fill_memory(struct estimate *e)
{
	for (int64_t i = 0; i < e->stages; i++)
		e->stage[i].memory = (struct memory){
			.parameters = 10 * gib, .gradients = 9 * gib, .optimizer = 8 * gib,
			.activations = 7 * gib, .logits = i + 1 == e->stages ? 6 * gib : 0,
			.buffers = 5 * gib, .overhead = 4 * gib, .overhead_low = 3 * gib,
			.overhead_high = 5 * gib, .allocated = i + 1 == e->stages ? 45 * gib : 39 * gib,
			.total = i + 1 == e->stages ? 49 * gib : 43 * gib,
		};
	e->peak_stage = e->stages - 1;
	e->peak_total = 49 * gib;
}

static void
fill_train(struct estimate *e)
{
	static const struct traffic_row rows[] = {
		{ TRAFFIC_TP, "all-gather", { SPAN_NVLINK, 8, 8, 1, 1, 8, { .ring = 0 } }, 128, 118e9, 0.41, 0.2 },
		{ TRAFFIC_TP, "reduce-scatter", { SPAN_NVLINK, 8, 8, 1, 1, 8, { .ring = 0 } }, 128, 117e9, 0.4, 0.1 },
		{ TRAFFIC_PP, "send", { SPAN_NETWORK, 4, 1, 4, 4, 1, { .ring = 0 } }, 64, 2.1e9, 0.05, 0.0004 },
		{ TRAFFIC_DP, "reduce-scatter", { SPAN_MIXED, 16, 8, 2, 2, 8, { .ring = 0 } }, 1, 17e9, 0.9, 0 },
	};

	fill_memory(e);
	e->timed = true;
	e->served = false;
	e->traffic.count = COUNT(rows);
	memcpy(e->traffic.row, rows, sizeof rows);
	e->step = (struct steptime){
		.seconds = 9.81, .compute_seconds = 7.1, .recompute_seconds = 0.9,
		.bubble_fraction = 0.086, .exposed_comm_seconds = 0.52, .optimizer_seconds = 0.031,
		.mfu = 0.412, .hfu = 0.45, .mfu_full = 0.44, .tokens_per_second = 427000,
		.tokens_per_second_per_gpu = 6670,
	};
}

static void
fill_serve(struct estimate *e)
{
	fill_memory(e);
	e->timed = false;
	e->served = true;
	e->serve = (struct serve){
		.weight_bytes = 16 * gib, .non_torch_bytes = 1.5 * gib, .activation_bytes = 2 * gib,
		.graph_bytes = 0.5 * gib, .kv_pool_bytes = 40 * gib, .kv_bytes_per_token = 131072,
		.kv_tokens = 327680, .kv_blocks = 20480, .max_concurrency = 40.25,
		.ttft_seconds = 0.213, .tpot_seconds = 0.021, .tokens_per_second = 12345,
		.tokens_per_second_per_gpu = 771,
	};
}

static struct session *
filled(void **test, int columns, int rows, bool ascii)
{
	struct session *s = session_new(test, columns, rows);

	s->state.settings.ascii = ascii;
	fill_train(s->state.estimate);
	state_rebase(&s->state);
	fill_train(s->state.base); /* nothing has changed */
	app_follow(&s->state);
	return s;
}

/* Every part has a glyph of its own, in ASCII too, and the legend names it. */
SESSION_TEST(test_memory)
{
	static const char *const utf8[] = {
		"\u2588 params 10.0", "\u2593 grads 9.0", "\u2592 optim 8.0",
		"\u2591 act 7.0",
		"\u2580 logits 6.0", "\u2584 buffers 5.0", "\u2590 overhead 4.0",
	};
	static const char *const ascii[] = {
		"# params 10.0", "= grads 9.0", "- optim 8.0", ": act 7.0", "^ logits 6.0",
		"_ buffers 5.0", "o overhead 4.0",
	};

	for (int plain = 0; plain < 2; plain++) {
		struct session *s = filled(test, 120, 40, plain == 1);

		assert_true(shows(s, plain == 1 ? "= grads 9.0" : "\u2588 grads 9.0"));
		s->state.depth = THEME_8; /* too few colours for eight parts */
		for (size_t i = 0; i < COUNT(utf8); i++)
			assert_true(shows(s, plain == 1 ? ascii[i] : utf8[i]));
		assert_true(shows(s, "stage 3 GiB:"));
		assert_true(shows(s, "memory per GPU, by stage"));
		assert_true(hides(s, "static"));
		type(s, "\t\t"); /* the selected stage's, once the pane has the focus */
		assert_true(shows(s, "stage 0 GiB:"));
		assert_true(shows(s, " logits 0.0")); /* that it has none of stays in the legend */
		assert_true(shows(s, ">stages 0-2"));
		/* all lines are there: the selection stays */
		assert_true(pane_scroll(pane_type(&s->state, PANE_MEMORY), &s->state, (struct rect){ 0, 0, 60, 9 }, 1));
		assert_true(s->state.stage.at == 0 && s->state.stage.first == 0);
		assert_true(pane_scroll(pane_type(&s->state, PANE_MEMORY), &s->state, (struct rect){ 0, 0, 60, 1 }, 1));
		assert_true(s->state.stage.at == 3 && s->state.stage.first == 1);
	}
}

/* A bar's length is its share of the capacity, whatever its parts. */
SESSION_TEST(test_bar_length)
{
	struct session *s = filled(test, 100, 30, true);
	struct estimate *e = s->state.estimate;
	char *text, *line;
	int used = 0, all = 0;

	e->capacity = e->stage[3].capacity = 98 * gib; /* the fullest stage takes half of it */
	text = picture(s);
	line = strstr(text, " stage 3     ");
	assert_non_null(line);
	for (line += strlen(" stage 3     "); *line != ' '; line++, all++)
		used += *line != '.';
	assert_true(all > 20 && used * 2 >= all - 1 && used * 2 <= all + 1);
	free(text);
	/* More than there is: said by a mark, not by colour alone. */
	e->capacity = e->stage[3].capacity = 40 * gib;
	assert_true(shows(s, "49.0 GiB!"));
}

SESSION_TEST(test_traffic)
{
	struct session *s = filled(test, 100, 30, false);

	assert_true(shows(s, "traffic per step, one GPU"));
	assert_true(shows(s, " tp   all-gather        8 nvlink   118 GB  410 ms  200 ms"));
	assert_true(shows(s, " pp   send              4 network 2.10 GB 50.0 ms  400 us"));
	type(s, "\t\t\tj");
	assert_int_equal(s->state.flow.at, 1);
	assert_true(shows(s, ">tp   reduce-scatter"));
	key(s, INPUT_END);
	assert_int_equal(s->state.flow.at, 3);
	assert_true(shows(s, ">dp   reduce-scatter   16 network 17.0 GB  900 ms     0 s"));
	type(s, "j");
	assert_int_equal(s->state.flow.at, 3);
	/* Narrow: short names, then fewer columns. */
	app_resize(&s->state, 80, 24);
	assert_true(shows(s, "memory [traffic] step"));
	assert_true(shows(s, ">dp   RS     16 net 17.0 GB  900 ms     0 s"));
	app_resize(&s->state, 40, 12);
	assert_true(shows(s, ">dp   RS   17.0 GB  900 ms     0 s"));
	app_resize(&s->state, 20, 3);
	assert_true(shows(s, ">dp  17.0 GB 900 ms"));
	s->state.estimate->traffic.count = 0;
	app_resize(&s->state, 100, 30);
	assert_int_equal(s->state.flow.at, 0);
	assert_true(shows(s, "No GPU sends anything."));
}

SESSION_TEST(test_step)
{
	static const char *const shown[] = {
		"step       9.81 s", "tokens/s     427k", "per GPU     6.67k", "MFU        41.2 %",
		"MFU full   44.0 %", "HFU        45.0 %", "compute    7.10 s", "recompute  900 ms",
		"bubble      8.6 %", "exposed    520 ms", "optimizer 31.0 ms",
	};
	struct session *s = filled(test, 100, 30, false);

	for (size_t i = 0; i < COUNT(shown); i++)
		assert_true(shows(s, shown[i]));
	assert_true(shows(s, "9.81 s/step  427k tokens/s  MFU 41 %"));
	type(s, "\t\t\t\tj");
	assert_int_equal(s->state.figure.at, 1);
	key(s, INPUT_RIGHT); /* one column on: four lines */
	assert_int_equal(s->state.figure.at, 5);
	key(s, INPUT_LEFT);
	assert_int_equal(s->state.figure.at, 1);
	key(s, INPUT_LEFT);
	assert_int_equal(s->state.figure.at, 1);
	app_resize(&s->state, 20, 3);
	assert_true(shows(s, ">tokens/s"));
	/* Rates of the GPU unknown: no times. */
	s->state.estimate->step = (struct steptime){ 0 };
	assert_true(hides(s, "0"));
}

SESSION_TEST(test_serve)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":set mode serve replicas=4 tp=4 pp=1\r");
	assert_true(shows(s, "TP 4 PP 1 DP 1 x 4"));
	fill_serve(s->state.estimate);
	app_follow(&s->state);
	assert_true(shows(s, "weights  16.0 GiB"));
	assert_true(shows(s, "KV pool  40.0 GiB"));
	assert_true(shows(s, "KV tokens    328k"));
	assert_true(shows(s, "TTFT       213 ms"));
	assert_true(hides(s, "transfer")); /* nothing of the kind */
	assert_true(hides(s, "traffic"));
	assert_true(shows(s, " requests of 8192  TTFT 213 ms  TPOT 21.0 ms"));
	app_resize(&s->state, 120, 30);
	assert_true(shows(s, "TTFT 213 ms  TPOT 21.0 ms  12.3k tokens/s"));
	app_resize(&s->state, 100, 30);
	type(s, "\t\t\t\t"); /* past the times under load */
	assert_int_equal(s->state.focus, PANE_STEP);
	type(s, "\r");
	assert_true(shows(s, "why: weights"));
}

/* At a rate: what of it is inside the limits, times by rate with these marked, and pictures of them
 * where there is room. */
SESSION_TEST(test_rate)
{
	struct session *s = session_new(test, 120, 40);
	char rate[32], near[64];

	type(s, ":set mode serve\r:set layout vllm\r:set hbm_gbps 3350\r:set bf16_tflops 989\r");
	type(s, ":set pp 1\r:set nvlink_gbps 450\r:set traffic.mix chat\r:set traffic.rate 20\r");
	assert_true(s->state.estimate->serve.rate.followed);
	assert_true(shows(s, "load ") && shows(s, " req/s") && hides(s, "inside p99"));
	type(s, ":set traffic.tpot_limit 0.02\r:set traffic.percentile 95\r");
	assert_true(shows(s, "20 of 20 req/s inside p95"));
	assert_true(shows(s, "TTFT p95 ") && shows(s, "TPOT p95 "));
	type(s, ":next-pane load\rm");
	assert_true(shows(s, "running") && shows(s, "20.0 ms"));
	assert_true(shows(s, "  plan  ") && shows(s, "  at limit  ")); /* what the marks say */
	assert_int_equal(s->state.load.at, 0);
	app_resize(&s->state, 72, 40); /* a rate below its column too */
	text_put(rate, sizeof rate, " %.3g/s ", s->state.estimate->serve.rate.inside);
	assert_true(shows(s, rate));
	app_resize(&s->state, 120, 40);
	type(s, "m");
	assert_true(shows(s, "times and tokens/s by load"));
	type(s, "m");
	type(s, "jjj");
	assert_true(shows(s, " requests a second, load "));
	/* A load beside the plan's own reads as it does, and is left out. */
	text_put(near, sizeof near, ":set traffic.rate %.6g\r", s->state.estimate->serve.rate.saturation * .3 * 1.002);
	type(s, near);
	for (size_t i = 1; i < s->state.estimate->points; i++)
		assert_true(s->state.estimate->curve[i].rate > 1.01 * s->state.estimate->curve[i - 1].rate);
	type(s, ":set traffic.rate 100000\r");
	assert_true(shows(s, "of 1e+05 req/s inside p95") && shows(s, "the queue grows without end"));
	assert_true(s->state.estimate->curve[s->state.load.at].is_plan); /* the cursor is where the plan is */
	for (int w = 1; w <= 120; w += 7)
		for (int h = 1; h <= 40; h += 3) {
			app_resize(&s->state, w, h);
			draw(s);
		}
}

SESSION_TEST(test_tab_order)
{
	static const enum pane order[] = {
		PANE_MAP, PANE_MEMORY, PANE_TRAFFIC, PANE_STEP, PANE_FORM
	};
	struct session *s = filled(test, 80, 24, false);

	for (size_t i = 0; i < COUNT(order); i++) {
		type(s, "\t");
		assert_int_equal(s->state.focus, order[i]);
	}
	/* The pane below the map stays the one used last. */
	assert_true(shows(s, "memory traffic [step]"));
	key(s, INPUT_BACK_TAB);
	assert_int_equal(s->state.focus, PANE_STEP);
	key(s, INPUT_BACK_TAB);
	assert_int_equal(s->state.focus, PANE_TRAFFIC);
	type(s, ":next-pane plan\r");
	assert_int_equal(s->state.focus, PANE_FORM);
	assert_true(shows(s, "memory [traffic] step"));
	type(s, ":next-pane nowhere\r");
	assert_true(shows(s, "one of plan, map"));
	/* Another mode has times under load in the place of traffic. */
	type(s, "\t\t\t:set mode serve\r");
	assert_int_equal(s->state.focus, PANE_TRAFFIC);
	assert_true(hides(s, "traffic"));
	type(s, ":next-pane step\r:next-pane load\r");
	assert_int_equal(s->state.focus, PANE_TRAFFIC);
}

SESSION_TEST(test_why)
{
	struct session *s = filled(test, 100, 40, false);

	s->state.estimate->stage[0].memory.total -= gib; /* unlike the other two */
	s->state.estimate->stage[1].memory.total -= 2 * gib;
	type(s, "\t\tjj"); /* the message line has the gist of it */
	assert_true(shows(s, "stage 2: 43.0 GiB (42.0 GiB to 44.0 GiB"));
	type(s, "\r");
	assert_true(shows(s, "why: memory of stage 2"));
	assert_true(shows(s, "stage 2: 43.0 GiB (42.0 GiB to 44.0 GiB"));
	assert_true(shows(s, "memory.parameters: "));
	assert_true(shows(s, "memory.optimizer: "));
	type(s, "q\tj\r");
	assert_true(shows(s, "why: traffic of tp reduce-scatter"));
	assert_true(shows(s, "one GPU sends 117 GB in 128 calls a step"));
	assert_true(shows(s, "group of 8 over 1 node: nvlink"));
	type(s, "q\tjjj\r");
	assert_true(shows(s, "why: MFU"));
	assert_true(shows(s, "causal attention counted by"));
	assert_true(shows(s, "hidden behind compute: "));
	assert_true(shows(s, "TP collectives for weight gradients"));
	type(s, "qG");
	app_resize(&s->state, 200, 40);
	type(s, "k");
	assert_true(shows(s, "exposed 520 ms: communication that compute does not hide"));
	assert_true(shows(s, "; hidden: "));
	app_resize(&s->state, 100, 40);
	type(s, "\t");
	assert_int_equal(s->state.focus, PANE_FORM);
	type(s, "W"); /* away from the numbers: memory */
	assert_true(shows(s, "why: memory of stage 2"));
}

/* Lines without a stage are the legend's: all parts with their amounts; and the frame says
 * what of a longer list is shown. */
SESSION_TEST(test_legend)
{
	struct session *s = session_new(test, 100, 30);
	struct estimate *e;

	type(s, ":set pp 1\r");
	e = s->state.estimate;
	assert_int_equal(e->stages, 1);
	fill_memory(e);
	e->stage[0].memory.logits = 6 * gib;
	assert_true(shows(s, "stage 0 GiB: \u2588 params 10.0"));
	assert_true(shows(s, "logits 6.0") && shows(s, "overhead 4.0"));
	assert_true(hides(s, " of 1 \u2500"));
	type(s, ":set nodes 4\r:set pp 16\r");
	e = s->state.estimate;
	assert_int_equal(e->stages, 16);
	assert_true(shows(s, "memory per GPU, by stage"));
	assert_true(shows(s, " 1-5 of 16 \u2500\u2510"));
}

/* Where there is room all stages have their amounts beside each other. */
SESSION_TEST(test_table)
{
	struct session *s = filled(test, 200, 60, true);

	assert_true(shows(s, "GiB, stage      0-2      3"));
	assert_true(shows(s, "# params       10.0   10.0"));
	assert_true(shows(s, "^ logits        0.0    6.0"));
	assert_true(hides(s, "stage 3 GiB:"));
	app_resize(&s->state, 120, 40);
	assert_true(hides(s, "GiB, stage"));
	assert_true(shows(s, "stage 3 GiB:"));
}

/* A plan that changes under the list: its terms are noted anew. */
SESSION_TEST(test_why_follows)
{
	struct session *s = session_new(test, 100, 40);

	open_refused(s);
	type(s, "W");
	assert_true(shows(s, "nothing to explain until the errors are mended"));
	type(s, "f");
	assert_int_equal(s->state.list.kind, LIST_MENDS);
	type(s, "\r");
	assert_true(shows(s, "fixed: TP 4"));
	assert_true(shows(s, "memory.parameters: "));
}

/* Only the terms of the row. */
SESSION_TEST(test_why_terms)
{
	static const struct ledger_term terms[] = {
		{ QUANTITY_TRAFFIC, PART_ROW, -1, 100e9, "TP outputs", "source a", "forward = 1" },
		{ QUANTITY_TRAFFIC, PART_ROW, -1, 18e9, "TP inputs", "source b", "backward = 2" },
		{ QUANTITY_TRAFFIC, PART_ROW + 1, -1, 117e9, "TP scattered", "source c", "scatter = 3" },
		{ QUANTITY_TRAFFIC, PART_ROW + 3, -1, 9e9, "DP gathered", "source d", "gather = 4" },
		{ QUANTITY_STEP, PART_COMPUTE, -1, 7.1, "compute", "source e", "compute = 5" },
		{ QUANTITY_FORWARD, PART_NONE, -1, 2.5, "MLP", "source f", "product = 6" },
		{ QUANTITY_TRAFFIC_SECONDS, PART_ROW, -1, 0.9, "TP inputs", "source g", "calls = 7" },
		{ QUANTITY_EXPOSED, PART_ROW, -1, 0.4, "TP inputs", "source h", "open = 8" },
	};
	struct session *s = filled(test, 100, 40, false);

	type(s, "\t\t\t\r");
	assert_non_null(s->state.why.term);
	memcpy(s->state.why.term, terms, sizeof terms);
	s->state.why.terms = COUNT(terms);
	assert_true(shows(s, "communication.bytes: 118 GB"));
	assert_true(shows(s, "forward = 1"));
	assert_true(shows(s, "source: source b"));
	assert_true(shows(s, "communication.seconds: 900 ms") && shows(s, "calls = 7"));
	assert_true(shows(s, "communication.exposed_seconds: 400 ms") && shows(s, "open = 8"));
	assert_true(hides(s, "product = 6"));
	assert_true(hides(s, "scatter = 3"));
	assert_true(hides(s, "gather = 4"));
	s->state.flow.at = 3;
	assert_true(shows(s, "communication.bytes: 9.00 GB"));
	assert_true(shows(s, "gather = 4"));
	assert_true(hides(s, "scatter = 3"));
	s->state.why.pane = &step_pane;
	assert_true(shows(s, "step.seconds: 7.10 s"));
	assert_true(shows(s, "compute = 5"));
	assert_true(hides(s, "forward = 1"));
	/* below it what its terms are sums of, but only of those that are shown */
	assert_true(shows(s, "step.forward: 2.50 s") && shows(s, "product = 6"));
	assert_true(shows(s, "communication.exposed_seconds: 400 ms") && shows(s, "open = 8"));
	assert_true(hides(s, "calls = 7"));
	while (figures_at(s->state.estimate, (int)s->state.figure.at) != RESULT_COMPUTE)
		s->state.figure.at++;
	assert_true(shows(s, "step.forward: 2.50 s") && hides(s, "open = 8"));
}

/* A GPU that is not known to compute at any rate: that is why there are no times. */
SESSION_TEST(test_no_rates)
{
	struct session *s = session_new(test, 100, 30);

	assert_true(shows(s, "no times: GPU rates unknown"));
	assert_true(shows(s, "unknown  ") && hides(s, "steprates"));
}

/* Beside each number what it is against the saved plan, where there is room. */
SESSION_TEST(test_changes)
{
	struct session *s = filled(test, 100, 30, true);
	struct estimate *base = s->state.base;

	assert_true(hides(s, "vs start"));
	base->stage[3].memory.total = base->peak_total = 43 * gib;
	base->stage[1].memory.total = 44 * gib;
	assert_true(shows(s, "49.0 GiB  +6.00"));
	assert_true(shows(s, "43.0 GiB  -1.00"));
	assert_true(shows(s, "vs start:  memory +6.00 GiB"));
	s->state.estimate->capacity = s->state.estimate->stage[3].capacity = 40 * gib;
	assert_true(shows(s, "49.0 GiB! +6.00"));
	base->step.seconds = 9;
	base->step.mfu = 0.5;
	app_resize(&s->state, 130, 30);
	assert_true(shows(s, "vs start:  memory +6.00 GiB  step +810 ms"));
	app_resize(&s->state, 100, 30);
	base->traffic.row[3].bytes = 18e9;
	assert_true(hides(s, "one GPU  -1.00 GB")); /* the sum of all rows says little */
	/* Fewer stages there: nothing to hold the others against. */
	base->stages = 1;
	assert_true(hides(s, "-1.00  "));
}

SESSION_TEST(test_delta)
{
	struct session *s = filled(test, 160, 30, false);
	struct summary was = summary_of(s->state.estimate), is = was, now;
	char text[256];

	assert_true(was.part[SUMMARY_TRAFFIC] > 254e9 && was.part[SUMMARY_TRAFFIC] < 255e9);
	is.part[SUMMARY_MEMORY] = 24 * gib;
	is.part[SUMMARY_STEP] = 7.1;
	is.part[SUMMARY_MFU] = 0.44;
	summary_delta(&was, &is, text, sizeof text);
	assert_string_equal(text, "memory 49.0 -> 24.0 GiB, step 9.81 -> 7.10 s, MFU 41.2 -> 44.0 %");
	summary_changes(&was, &is, text, sizeof text);
	assert_string_equal(text, "memory -25.0 GiB, step -2.71 s, MFU +2.8 points");
	summary_changes(&was, &was, text, sizeof text);
	assert_string_equal(text, "memory stays at 49.0 GiB, so does the step time");
	summary_delta(&was, &was, text, sizeof text);
	assert_string_equal(text, "memory stays at 49.0 GiB, so does the step time");
	/* The same amount of other things is no memory that stays. */
	now = was;
	now.held[0] += 2 * gib;
	now.held[6] -= 2 * gib;
	summary_changes(&was, &now, text, sizeof text);
	assert_string_equal(text, "params +2.00 GiB, buffers -2.00 GiB, 49.0 GiB in all as before");
	is.part[SUMMARY_MEMORY] = 0;
	summary_delta(&was, &is, text, sizeof text);
	assert_string_equal(text, "");
	/* In the message line, against what the screen showed before the key. */
	key(s, INPUT_RIGHT);
	assert_true(shows(s, "TP 4: memory -"));
	fill_train(s->state.estimate);
	type(s, "u");
	assert_true(shows(s, "undone: TP 4; memory -"));
}

/* A label and its value stay apart at every width. */
SESSION_TEST(test_figures_apart)
{
	struct session *s = filled(test, 100, 30, true);
	struct estimate *e = s->state.estimate;
	char value[64], text[128];

	e->step.training_seconds = 1.2 * 86400;
	for (int w = 40; w <= 200; w++) {
		app_resize(&s->state, w, 30);
		state_focus(&s->state, PANE_STEP);
		for (int i = 0; i < figures_count(e); i++) {
			figures_format(figures_at(e, i), e, value, sizeof value);
			text_put(text, sizeof text, "%s%s", result_table[figures_at(e, i)].brief, value);
			assert_true(hides(s, text));
		}
	}
}

/* The role of the character at a text on the screen. */
static int
role_at(struct session *s, const char *text, int offset)
{
	const size_t n = strlen(text);

	draw(s);
	for (int i = 0; i + (int)n <= s->canvas.w * s->canvas.h; i++) {
		size_t k = 0;

		while (k < n && s->canvas.cell[i + (int)k].ch == (wchar_t)(unsigned char)text[k])
			k++;
		if (k == n)
			return s->canvas.cell[i + offset].style.role;
	}
	fail_msg("no \"%s\" on the screen", text);
	return -1;
}

/* Numbers are bright and words are not; what is wrong is counted at the end of the line. */
SESSION_TEST(test_headline)
{
	struct session *s = filled(test, 120, 40, false);
	struct estimate *e = s->state.estimate;

	assert_true(shows(s, "\u2588\u00b7\u00b7") || shows(s, "\u00b7 fits 49.0 of 79.2 GiB"));
	assert_int_equal(role_at(s, "fits 49.0 of", 0), ROLE_GOOD);
	assert_int_equal(role_at(s, "9.81 s/step", 0), ROLE_HEADER);
	assert_int_equal(role_at(s, "9.81 s/step", 6), ROLE_DIM);
	assert_true(shows(s, " no warnings\n"));
	e->capacity = e->stage[3].capacity = 40 * gib;
	e->fits = false;
	assert_int_equal(role_at(s, "over: 49.0", 0), ROLE_ERROR);
	diag_add(&e->diags, SEVERITY_WARNING, FIELD_CP, "x", "", "one");
	assert_true(shows(s, " 1 warning\n"));
	assert_int_equal(role_at(s, "1 warning", 0), ROLE_WARNING);
	state_say(&s->state, ROLE_DIM, "something else");
	assert_true(shows(s, " 1 warning\n")); /* stays */
	type(s, "\t\t");
	assert_true(shows(s, " 1 warning\n"));
	app_resize(&s->state, 40, 12);
	assert_true(shows(s, "over: 49.0 of 40.0 GiB  1 warning"));
	/* Days of the whole run, once a budget is given. */
	app_resize(&s->state, 120, 40);
	e->step.training_seconds = 34 * 86400.0;
	assert_true(shows(s, "MFU 41 %  run 34"));
}

/* Weights fit and requests do not: it says so, as memory is not what is over. */
SESSION_TEST(test_requests)
{
	struct session *s = session_new(test, 120, 30);
	const struct estimate *e;

	type(s, ":set mode serve\r:set concurrency 4000\r");
	e = s->state.estimate;
	assert_true(e->served && !e->fits && e->peak_total < e->capacity);
	assert_int_equal(role_at(s, "over: 4000 requests, ", 0), ROLE_ERROR);
	assert_true(shows(s, " of 79.2 GiB"));
	type(s, ":set concurrency 4\r");
	e = s->state.estimate;
	assert_true(e->fits && hides(s, "over:"));
	type(s, ":set model llama-3.1-70b\r:set pp 1\r:set tp 1\r"); /* no room for the weights */
	e = s->state.estimate;
	assert_true(!e->fits && hides(s, "over: 4 requests") && shows(s, "over: "));
}

/* The links of what would fit NVLink stand out, those of others do not. */
SESSION_TEST(test_strays)
{
	struct session *s = filled(test, 120, 40, false);
	struct traffic_row *row = s->state.estimate->traffic.row;

	s->state.plan.cluster.nvlink_domain = 8;
	s->state.plan.cluster.nvlink_gbps = 450;
	assert_int_equal(role_at(s, "reduce-scatter   16 network", 20), ROLE_TEXT); /* dp */
	row[0].span.kind = SPAN_NETWORK;
	assert_int_equal(role_at(s, "all-gather        8 network", 20), ROLE_WARNING);
	row[0].dim = TRAFFIC_EP;
	assert_int_equal(role_at(s, "all-gather        8 network", 20), ROLE_WARNING);
	row[0].span.size = 16; /* no domain has room for it */
	assert_int_equal(role_at(s, "all-gather       16 network", 20), ROLE_TEXT);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
