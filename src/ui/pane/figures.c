#include "ui/pane/figures.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "ui/pane/pane.h"
#include "ui/screen/change.h"
#include "ui/state/steps.h"

enum {
	FIGURES_USUAL = 11, /* while the plan has errors, so that panes stay put */
	STEP_MOST = 8,
	COLUMN_LEAST = 19, COLUMN_MOST = 30, COLUMNS_MOST = 3, GAP = 1,
	CHANGE_FROM = 29, /* columns that have room for changes, */
	CHANGE_COLUMNS = 9, /* whose place is kept free so that values stay where they are */
};

/* In the order of the pane: what decides first, then where the time goes. */
static const enum result_id shown[] = {
	RESULT_STEP, RESULT_TOKENS, RESULT_TOKENS_GPU, RESULT_RUN, RESULT_DAYS,
	RESULT_GOODPUT, RESULT_COST, RESULT_MFU, RESULT_MFU_FULL,
	RESULT_HFU, RESULT_COMPUTE, RESULT_RECOMPUTE, RESULT_BUBBLE, RESULT_EXPOSED,
	RESULT_OPTIMIZER_STEP,
	RESULT_WEIGHTS, RESULT_NON_TORCH, RESULT_ACTIVATION_PEAK, RESULT_GRAPHS, RESULT_POOL,
	RESULT_KV_TOKEN, RESULT_STATE, RESULT_KV_TOKENS, RESULT_KV_BLOCKS, RESULT_REQUESTS,
	RESULT_INSIDE, RESULT_RATE_LOAD, RESULT_SATURATION, RESULT_REQUESTS_IN_FLIGHT,
	RESULT_TTFT_P50, RESULT_TTFT_P99, RESULT_TPOT_P50, RESULT_TPOT_P99, RESULT_ITL_P99,
	RESULT_E2E_P50, RESULT_E2E_P99, RESULT_PREEMPTED, RESULT_HIT_SHARE, RESULT_SERVED_JOULES,
	RESULT_TTFT, RESULT_PREFILL, RESULT_QUEUE, RESULT_TPOT, RESULT_DECODE, RESULT_PROMPTS,
	RESULT_DRAFT_GAIN, RESULT_DRAFT_BATCH,
	RESULT_GENERATED, RESULT_GENERATED_GPU, RESULT_COST_MILLION, RESULT_TRANSFER, RESULT_PREFILL_RATE,
	RESULT_PREFILL_USED, RESULT_PREFILL_HELD, RESULT_PREFILL_BALANCED,
};

/* True when there are figures: the estimate is timed or served. */
static bool
figures_known(const struct estimate *e)
{
	return e->timed || e->served;
}

/* A GPU of unknown rates has no times. */
static bool
is_known(const struct estimate *e)
{
	return estimate_has_step(e) || e->served;
}

enum result_id
figures_at(const struct estimate *e, int i)
{
	double value;

	for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
		const enum result_rule rule = result_table[shown[k]].rule;

		result_value(shown[k], e, 0, &value);
		if (!result_applies(shown[k], e, 0) || (shown[k] == RESULT_RUN && e->ran) ||
		    ((rule == RULE_SOME || rule == RULE_ASKED || rule == RULE_SAID) && value <= 0))
			continue;
		if (i-- == 0)
			return shown[k];
	}
	return RESULT_COUNT;
}

int
figures_count(const struct estimate *e)
{
	int n = 0;

	while (figures_at(e, n) != RESULT_COUNT)
		n++;
	return n;
}

const char *
figures_format(enum result_id id, const struct estimate *e, char *buf, size_t size)
{
	const enum measure m = result_table[id].measure;
	double value;

	result_value(id, e, 0, &value);
	/* A GPU of unknown rates has no times; a step without recomputation takes 0 s for it. */
	if (id == RESULT_STEP && !is_known(e))
		text_put(buf, size, "unknown");
	else if (e->timed ? e->step.seconds <= 0 : value <= 0 && m != MEASURE_BYTES)
		text_put(buf, size, "-");
	else
		units_short(buf, size, m, value);
	return buf;
}

static void
add_words(char *buf, size_t size, const char *words)
{
	text_add(buf, size, "%s%s", buf[0] != '\0' ? "; " : "", words);
}

void
figures_overlap(const struct plan *p, char *buf, size_t size)
{
	static const struct {
		enum field_id field;
		const char *what;
	} overlap[] = {
		{ FIELD_OVERLAP_GRAD_REDUCE, "gradient reduction behind the backward pass" },
		{ FIELD_OVERLAP_PARAM_GATHER, "parameter gathering behind the forward pass" },
		{ FIELD_TP_OVERLAP, "TP collectives behind matrix products" },
	};

	buf[0] = '\0';
	if (traffic_hides_tensors(p))
		add_words(buf, size, "TP collectives for weight gradients behind products");
	if (p->parallel.cp > 1 && p->parallel.cp_comm == CP_COMM_P2P)
		add_words(buf, size, "the ring of CP behind attention");
	for (size_t i = 0; i < sizeof overlap / sizeof overlap[0]; i++)
		if (field_int(overlap[i].field, p) != 0)
			add_words(buf, size, overlap[i].what);
	if (traffic_hides_experts(p))
		add_words(buf, size, "expert all-to-all behind the other micro-batch");
	if (buf[0] == '\0')
		add_words(buf, size, "none");
}

static int
columns_of(int w)
{
	int n = w / COLUMN_LEAST;

	return n < 1 ? 1 : n > COLUMNS_MOST ? COLUMNS_MOST : n;
}

static int
column_width(int w)
{
	int column = w / columns_of(w);

	return column < COLUMN_MOST ? column : COLUMN_MOST;
}

/* The figure at column x of a line, -1 without one. */
static int
figures_under(int w, int count, int x, int line)
{
	const int lines = figures_lines(w, count), column = x / column_width(w);

	if (line >= lines || column >= columns_of(w) || column * lines + line >= count)
		return -1;
	return column * lines + line;
}

int
figures_lines(int w, int count)
{
	int columns = columns_of(w);

	return (count + columns - 1) / columns;
}

static void
draw_change(struct canvas *c, struct rect cell, enum result_id id, const struct estimate *e,
    const struct estimate *base, bool is_selected)
{
	double was, is;
	char text[CHANGE_SIZE];

	if (!is_known(base) || !is_known(e))
		return;
	result_value(id, base, 0, &was);
	result_value(id, e, 0, &is);
	if (!change_put(result_table[id].measure, was, is, text, sizeof text))
		return;
	canvas_text(c, cell, cell.x + cell.w - canvas_width(c, text), cell.y, (struct style){
	    .role = (uint8_t)(is_selected ? ROLE_SELECTED : change_role(id, was, is)) },
	    text);
}

static void
step_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct estimate *e = state_shown(s), *base = state_base_estimate(s);
	const int count = figures_count(e), lines = figures_lines(r.w, count);
	const int w = column_width(r.w);
	const int change_w = w >= CHANGE_FROM ? CHANGE_COLUMNS : 0;
	const bool focus = s->focus == PANE_STEP;
	char buf[UNITS_SIZE];

	if (!figures_known(e)) {
		pane_nothing(c, r, focus, e->legal ? "No times to show without the GPU's rates (e says which)." :
		    "No times to show until the errors are mended (e lists them).");
		return;
	}
	for (int i = 0; i < count; i++) {
		const enum result_id id = figures_at(e, i);
		const int y = r.y + i % lines - (int)s->figure.first;
		struct rect cell = { r.x + i / lines * w, y, w - GAP, 1 };
		const bool is_selected = focus && i == s->figure.at;
		struct style style = { .role = is_selected ? ROLE_SELECTED : ROLE_TEXT };

		if (y < r.y || y >= r.y + r.h)
			continue;
		cell = rect_clip(cell, r);
		if (is_selected) {
			canvas_fill(c, cell, style);
			canvas_mark(c, cell);
		}
		canvas_text(c, cell, cell.x + 1, y, is_selected ? style :
		    (struct style){ .role = ROLE_DIM }, result_table[id].brief);
		figures_format(id, e, buf, sizeof buf);
		canvas_text(c, cell, cell.x + cell.w - change_w - canvas_width(c, buf), y, style, buf);
		if (change_w > 0 && base != NULL)
			draw_change(c, cell, id, e, base, is_selected);
	}
}

static int
step_lines(const struct state *s, int w)
{
	const struct estimate *e = state_shown(s);
	const int count = figures_known(e) ? figures_count(e) : FIGURES_USUAL;

	return (int)most_of(1, least_of(figures_lines(w, count), STEP_MOST));
}

static struct part
step_part(const struct state *s, struct rect r)
{
	return (struct part){ s->figure.first, r.h, figures_lines(r.w, figures_count(state_shown(s))) };
}

static void
step_move(struct state *s, MAYBE struct rect r, int way)
{
	s->figure.at = scroll_step(s->figure.at, way, figures_count(state_shown(s)));
}

/* To another column. */
static void
step_aside(struct state *s, struct rect r, int way)
{
	const int count = figures_count(state_shown(s));
	const int64_t to = s->figure.at + way * figures_lines(r.w, count);

	if (to >= 0 && to < count)
		s->figure.at = to;
}

/* The selected line: figures fill one column after the other. */
static struct scroll
step_scrolled(const struct state *s, int lines)
{
	return (struct scroll){ lines > 0 ? s->figure.at % lines : 0, s->figure.first };
}

static void
step_follow(struct state *s, struct rect r)
{
	const int count = figures_count(state_shown(s)), lines = figures_lines(r.w, count);

	int64_t line;

	scroll_keep(&s->figure, count);
	line = step_scrolled(s, lines).at;
	s->figure.first = scroll_follow(s->figure.first, line, line, lines, r.h);
}

static void
step_scroll(struct state *s, struct rect r, int way)
{
	const int count = figures_count(state_shown(s)), lines = figures_lines(r.w, count);
	struct scroll w = step_scrolled(s, lines);
	const int64_t was = w.at;

	scroll_lines(&w, lines, r.h, way);
	s->figure.first = w.first;
	s->figure.at += w.at - was;
	scroll_keep(&s->figure, count);
}

static int64_t
step_at(const struct state *s, struct rect r, int x, int y)
{
	return figures_under(r.w, figures_count(state_shown(s)), x, (int)s->figure.first + y);
}

static bool
step_select(struct state *s, int64_t figure)
{
	return scroll_select(&s->figure, figure);
}

static void
step_line(const struct state *s, char *buf, size_t size)
{
	const enum result_id id = figures_at(state_shown(s), (int)s->figure.at);
	char overlap[512], amount[UNITS_SIZE];

	if (id == RESULT_COUNT)
		return;
	text_put(buf, size, "%s %s: %s", result_table[id].brief,
	    figures_format(id, state_shown(s), amount, sizeof amount), result_table[id].help);
	if (!is_known(state_shown(s)))
		text_add(buf, size, "; what %s computes and reads in a second is not known (BF16 rate, "
		    "memory speed)", state_shown_plan(s)->cluster.gpu);
	if (id == RESULT_EXPOSED) {
		figures_overlap(state_shown_plan(s), overlap, sizeof overlap);
		text_add(buf, size, "; hidden: %s", overlap);
	}
}

static void
step_note(const struct state *s, struct ledger *ledger)
{
	const struct estimate *e = state_shown(s);
	struct traffic traffic = { 0 };

	if (e->ran)
		estimate_run(s->steps->work, state_shown_plan(s), s->catalog, ledger);
	else if (e->timed)
		steptime_estimate(state_shown_plan(s), &e->layout, &e->placement, e->microbatches, &traffic,
		    ledger);
	if (e->served)
		serve_estimate(state_shown_plan(s), &e->layout, &e->placement, NULL, ledger);
}

static void
step_why(const struct state *s, struct why *why)
{
	const enum result_id id = figures_at(state_shown(s), (int)s->figure.at);
	char text[512];

	text_put(why->title, sizeof why->title, "%s",
	    id != RESULT_COUNT ? result_table[id].brief : "step");
	if (id == RESULT_COUNT)
		return;
	result_formula(id, state_shown_plan(s), state_shown(s), 0, text, 160);
	if (text[0] != '\0')
		text_put(why->line[0], sizeof why->line[0], "= %s", text);
	if (state_shown(s)->timed) {
		figures_overlap(state_shown_plan(s), text, sizeof text);
		text_put(why->line[1], sizeof why->line[1], "hidden behind compute: %s", text);
	}
	why->result[0].id = id;
	why->result[0].parts = true;
	why->results = 1;
}

const struct pane_type step_pane = {
	.name = "step", .title = "step", .serving = "serving", .context = CONTEXT_MEMORY,
	.trainer = "trainer alone, each sequence at its longest", .trains = "trainer", .click = "why",
	.draw = step_draw, .part = step_part, .line = step_line, .lines = step_lines,
	.note = step_note,
	.why = step_why, .move = step_move, .aside = step_aside, .follow = step_follow, .scroll = step_scroll, .at = step_at,
	.select = step_select,
};
