/* bars.c - memory of each pipeline stage as bars against the GPU's capacity. */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/train/schedule.h"
#include "ui/pane/pane.h"
#include "ui/screen/change.h"

enum {
	PARTS = 8,
	LEGEND_FROM = 3,       /* lines of a pane that has a legend */
	LEGEND_WIDE = 100,     /* from here on it takes one line, else two */
	WORDS_FROM = 44,       /* columns for "stage", not "st" */
	CHANGE_FROM = 40,      /* columns that have room for changes, */
	CHANGE_COLUMNS = 9,    /* whose place is kept free so that bars keep their length */
	NAME_COLUMNS = 12, AMOUNT_COLUMNS = 7, /* of the table of all amounts */
};

/* In the order of the bar. Each part has a glyph of its own: colour is not needed. */
static const struct {
	const char *name;
	enum role role;
	enum glyph glyph;
} part_table[PARTS] = {
	{ "params", ROLE_PARAMETERS, GLYPH_FULL },
	{ "grads", ROLE_GRADIENTS, GLYPH_DARK },
	{ "optim", ROLE_OPTIMIZER, GLYPH_MEDIUM },
	{ "act", ROLE_ACTIVATIONS, GLYPH_LIGHT },
	{ "logits", ROLE_LOGITS, GLYPH_UPPER },
	{ "KV", ROLE_KV_CACHE, GLYPH_LEFT },
	{ "buffers", ROLE_BUFFERS, GLYPH_LOWER },
	{ "overhead", ROLE_OVERHEAD, GLYPH_RIGHT },
};

struct parts {
	double bytes[PARTS];
};

static struct parts
parts_of(const struct memory *m)
{
	return (struct parts){ { m->parameters, m->gradients, m->optimizer, m->activations,
	    m->logits, m->kv_cache, m->buffers, m->overhead } };
}

/* The most that any stage has of each. */
static struct parts
parts_of_any(const struct estimate *e)
{
	struct parts any = { { 0 } };

	for (int64_t stage = 0; stage < e->stages; stage++) {
		const struct parts p = parts_of(&e->stage[stage].memory);

		for (int i = 0; i < PARTS; i++)
			any.bytes[i] = p.bytes[i] > any.bytes[i] ? p.bytes[i] : any.bytes[i];
	}
	return any;
}

static int
legend_lines(int w)
{
	return w >= LEGEND_WIDE ? 1 : 2;
}

/* Bars that fit into an area of this size, beside the legend. */
static int
bars_rows(int w, int h)
{
	if (h < LEGEND_FROM)
		return h;
	return h < LEGEND_FROM + 2 ? h - 1 : h - legend_lines(w);
}

/* The parts that any stage has, with the amounts of one of them when asked; several lines
 * where one is too short. False when they need more lines than there are. Draws with draw. */
static bool
legend(struct canvas *c, struct rect r, const struct parts *any, const struct parts *amounts,
    bool solid, bool draw)
{
	const struct style dim = { .role = ROLE_DIM };
	int x = r.x, y = r.y;
	char text[48];

	for (int i = 0; i < PARTS; i++) {
		const struct style style = { .role = (uint8_t)part_table[i].role };
		int w;

		if (any->bytes[i] <= 0)
			continue;
		text_put(text, sizeof text, "%s", part_table[i].name);
		if (amounts != NULL)
			text_add(text, sizeof text, " %.1f", amounts->bytes[i] / GIB);
		w = canvas_width(c, text) + 2;
		if (x > r.x && x + w > r.x + r.w) {
			x = r.x;
			y++;
		}
		if (y >= r.y + r.h || w > r.w)
			return false;
		if (draw) {
			canvas_put(c, x, y, style, canvas_glyph(c, solid ? GLYPH_FULL : part_table[i].glyph));
			canvas_text(c, r, x + 2, y, dim, text);
		}
		x += w + 2;
	}
	return true;
}

/* In the last lines of r, as few as will do but `least`; with amounts where there are
 * enough. */
static void
draw_legend(struct canvas *c, struct rect r, int least, const struct state *s, int64_t stage)
{
	const struct estimate *e = state_shown(s);
	const struct parts parts = parts_of(&e->stage[stage].memory), any = parts_of_any(e);
	const int bottom = r.y + r.h;
	const bool solid = pane_is_solid(s, c);
	char text[48];
	int w;

	text_put(text, sizeof text, "%s %lld GiB: ", r.w >= WORDS_FROM ? "stage" : "st",
	    (long long)stage);
	w = canvas_width(c, text);
	for (int h = least; h <= r.h; h++) {
		const struct rect rest = { r.x + w, bottom - h, r.w - w, h };

		if ((h > 1 || r.w >= LEGEND_WIDE) && legend(c, rest, &any, &parts, solid, false)) {
			canvas_text(c, r, r.x, rest.y, (struct style){ .role = ROLE_DIM }, text);
			legend(c, rest, &any, &parts, solid, true);
			return;
		}
	}
	for (int h = least; h <= r.h; h++) {
		const struct rect lines = { r.x, bottom - h, r.w, h };

		if (h == r.h || legend(c, lines, &any, NULL, solid, false)) {
			legend(c, lines, &any, NULL, solid, true);
			return;
		}
	}
}

/* Cells of the parts. Each has as many as it needs by itself, so that a small one is not
 * seen or gone by what the others come to; the largest takes up what that rounds. */
static void
cells_of(const struct parts *parts, double scale, int w, int cells[PARTS])
{
	double sum = 0;
	int left, largest = 0;

	for (int i = 0; i < PARTS; i++)
		sum += parts->bytes[i];
	left = (int)(sum / scale * w + 0.5);
	for (int i = 0; i < PARTS; i++) {
		cells[i] = (int)(parts->bytes[i] / scale * w + 0.5);
		left -= cells[i];
		if (parts->bytes[i] > parts->bytes[largest])
			largest = i;
	}
	cells[largest] += left;
}

/* The longer side of a part that a mark at column x is on. */
static struct rect
beside_mark(struct rect r, int x)
{
	const int left = x - r.x, right = r.x + r.w - x - 1;

	if (left < 0 || right < 0)
		return r;
	return left > right ? (struct rect){ r.x, r.y, left, 1 } : (struct rect){ x + 1, r.y, right, 1 };
}

/* A part of the bar, with its amount where that has room, beside a mark. */
static void
draw_part(struct canvas *c, struct rect r, int part, double bytes, bool solid, int mark)
{
	const struct style style = { .role = (uint8_t)part_table[part].role };
	const struct style on = { .role = style.role, .flags = STYLE_CURSOR };
	char text[24];
	int w;

	for (int x = r.x; x < r.x + r.w; x++)
		canvas_put(c, x, r.y, style, canvas_glyph(c, solid ? GLYPH_FULL : part_table[part].glyph));
	text_put(text, sizeof text, "%.1f", bytes / GIB);
	w = canvas_width(c, text);
	r = beside_mark(r, mark);
	if (solid && w + 2 <= r.w)
		canvas_text(c, r, r.x + (r.w - w) / 2, r.y, on, text);
}

/* One bar of w cells; scale is the bytes of the whole width. */
static void
draw_bar(struct canvas *c, struct rect r, const struct memory *m, double capacity, double scale,
    bool solid)
{
	const struct parts parts = parts_of(m);
	const struct style free_style = { .role = ROLE_FREE }, over = { .role = ROLE_OVER };
	const int limit = (int)(capacity / scale * r.w + 0.5);
	/* Where the memory ends, when the bar goes on beyond it. */
	const int mark = capacity > 0 && limit < r.w && m->total > capacity ? r.x + limit : -1;
	int x = 0, cells[PARTS];

	cells_of(&parts, scale, r.w, cells);
	for (int i = 0; i < PARTS && x < r.w; i++) {
		const int w = cells[i] < r.w - x ? cells[i] : r.w - x;

		draw_part(c, (struct rect){ r.x + x, r.y, w, 1 }, i, parts.bytes[i], solid, mark);
		x += w;
	}
	for (; x < limit && x < r.w; x++)
		canvas_put(c, r.x + x, r.y, free_style, canvas_glyph(c, GLYPH_DOT));
	if (mark >= 0)
		canvas_put(c, mark, r.y, over, canvas_glyph(c, GLYPH_LIMIT));
}

/* ---- stages that read the same are one line ------------------------------------------ */

/* They differ by less than the last digit shown. */
static bool
is_alike(double a, double b)
{
	return a - b < GIB / 200 && b - a < GIB / 200;
}

static bool
reads_same(const struct memory *a, const struct memory *b)
{
	const struct parts x = parts_of(a), y = parts_of(b);

	for (int i = 0; i < PARTS; i++)
		if (!is_alike(x.bytes[i], y.bytes[i]))
			return false;
	return is_alike(a->total, b->total);
}

/* The stage after those that are like this one, in the base of the changes too. */
static int64_t
run_end(const struct state *s, int64_t first)
{
	const struct estimate *e = state_shown(s), *base = state_base_estimate(s);
	const bool based = base != NULL && base->stages == e->stages;
	int64_t end = first + 1;

	while (end < e->stages && is_alike(e->stage[first].capacity, e->stage[end].capacity) &&
	    reads_same(&e->stage[first].memory, &e->stage[end].memory) &&
	    (!based || reads_same(&base->stage[first].memory, &base->stage[end].memory)))
		end++;
	return end;
}

/* The line that a stage is in; of all stages, how many lines there are. */
static int64_t
line_of(const struct state *s, int64_t stage)
{
	int64_t line = -1;

	for (int64_t at = 0; at <= stage && at < state_shown(s)->stages; at = run_end(s, at))
		line++;
	return line;
}

static int64_t
bars_lines(const struct state *s)
{
	return line_of(s, state_shown(s)->stages) + 1;
}

static int64_t
first_of(const struct state *s, int64_t line)
{
	int64_t stage = 0;

	while (line-- > 0 && run_end(s, stage) < state_shown(s)->stages)
		stage = run_end(s, stage);
	return stage;
}

/* Columns of the longest label. */
static int
label_columns(const struct state *s, bool words)
{
	const int64_t stages = state_shown(s)->stages;
	const int digits = stages > 1000 ? 4 : stages > 100 ? 3 : stages > 10 ? 2 : 1;

	if (bars_lines(s) < stages)
		return (words ? 10 : 5) + 2 * digits + 1;
	return (words ? 8 : 4) + 1 + digits;
}

/* "3", "1-14" */
static void
put_run(int64_t stage, int64_t end, char *buf, size_t size)
{
	text_put(buf, size, "%lld", (long long)stage);
	if (end - stage > 1)
		text_add(buf, size, "-%lld", (long long)(end - 1));
}

/* Each part of each stage, in place of the legend. False where there is no room for it. */
static bool
draw_table(struct canvas *c, struct rect r, const struct state *s)
{
	const struct estimate *e = state_shown(s);
	const struct parts any = parts_of_any(e);
	const struct style dim = { .role = ROLE_DIM }, plain = { .role = ROLE_TEXT };
	int64_t stage = 0;
	int part[PARTS], parts = 0;
	char text[48];

	for (int i = 0; i < PARTS; i++)
		if (any.bytes[i] > 0)
			part[parts++] = i;
	if (r.h < 1 + parts || r.w < NAME_COLUMNS + bars_lines(s) * AMOUNT_COLUMNS)
		return false;
	canvas_text(c, r, r.x, r.y, dim, "GiB, stage");
	for (int i = 0; i < parts; i++) {
		canvas_put(c, r.x, r.y + 1 + i, (struct style){ .role = (uint8_t)part_table[part[i]].role },
		    canvas_glyph(c, pane_is_solid(s, c) ? GLYPH_FULL : part_table[part[i]].glyph));
		canvas_text(c, r, r.x + 2, r.y + 1 + i, dim, part_table[part[i]].name);
	}
	for (int x = r.x + NAME_COLUMNS; stage < e->stages; x += AMOUNT_COLUMNS) {
		const int64_t end = run_end(s, stage);
		const struct parts amounts = parts_of(&e->stage[stage].memory);

		put_run(stage, end, text, sizeof text);
		canvas_text(c, r, x + AMOUNT_COLUMNS - canvas_width(c, text), r.y, dim, text);
		for (int i = 0; i < parts; i++) {
			text_put(text, sizeof text, "%*.1f", AMOUNT_COLUMNS, amounts.bytes[part[i]] / GIB);
			canvas_text(c, r, x, r.y + 1 + i, plain, text);
		}
		stage = end;
	}
	return true;
}

/* "+1.40" at the end of the line. */
static void
draw_change(struct canvas *c, struct rect line, const struct estimate *e,
    const struct estimate *base, int64_t stage, bool is_selected)
{
	const double is = e->stage[stage].memory.total;
	double was = is;
	char text[CHANGE_SIZE], *unit;

	if (base != NULL && stage < base->stages)
		was = base->stage[stage].memory.total;
	if (!change_put(MEASURE_BYTES, was, is, text, sizeof text))
		return;
	if (canvas_width(NULL, text) >= CHANGE_COLUMNS && (unit = strchr(text, ' ')) != NULL)
		memmove(unit, unit + 1, strlen(unit)); /* "-29.1MiB" has just room */
	canvas_text(c, line, line.x + line.w - CHANGE_COLUMNS + 1, line.y, (struct style){
	    .role = (uint8_t)(is_selected ? ROLE_SELECTED : change_role(RESULT_TOTAL, was, is)) }, text);
}

/* A line: the stages from one on to the one before `end`, which are alike. */
static void
draw_stages(const struct state *s, struct canvas *c, struct rect line, int64_t stage, int64_t end,
    int label_w)
{
	const struct estimate *e = state_shown(s);
	const struct memory *m = &e->stage[stage].memory;
	const bool is_selected = s->focus == PANE_MEMORY && s->stage.at >= stage && s->stage.at < end;
	const double capacity = e->stage[stage].capacity;
	const bool over = e->capacity_known && m->total > capacity;
	const char *word = line.w < WORDS_FROM ? "st" : end - stage > 1 ? "stages" : "stage";
	const double scale = larger(larger(capacity, e->capacity), e->peak_total);
	const int amount_w = 11;
	struct style style = { .role = over ? ROLE_ERROR : ROLE_TEXT };
	char buf[96], run[48];

	if (is_selected) {
		style.role = ROLE_SELECTED;
		c->cursor_x = line.x;
		c->cursor_y = line.y;
	}
	put_run(stage, end, run, sizeof run);
	text_put(buf, sizeof buf, "%s %s", word, run);
	canvas_put(c, line.x, line.y, style, is_selected ? L'>' : L' ');
	canvas_text(c, line, line.x + 1, line.y, style, buf);
	if (line.w >= CHANGE_FROM) {
		draw_change(c, line, e, state_base_estimate(s), stage, is_selected);
		line.w -= CHANGE_COLUMNS;
	}
	if (line.w > label_w + amount_w + 3)
		draw_bar(c, (struct rect){ line.x + label_w, line.y, line.w - label_w - amount_w, 1 },
		    m, capacity, scale > 0 ? scale : 1, pane_is_solid(s, c));
	units_short(buf, sizeof buf, MEASURE_BYTES, m->total);
	text_add(buf, sizeof buf, over ? "!" : " ");
	canvas_text(c, line, line.x + line.w - canvas_width(c, buf), line.y, style, buf);
}

/* The legend, where there is room, has the parts of all stages; else of the selected one, or
 * without focus of the fullest. */
static void
memory_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct estimate *e = state_shown(s);
	const bool focus = s->focus == PANE_MEMORY;
	const int rows = bars_rows(r.w, r.h), label_w = label_columns(s, r.w >= WORDS_FROM);
	int64_t stage = first_of(s, s->stage.first);
	int used = 0;

	if (e->stages == 0) {
		pane_nothing(c, r, focus, "No stages to show until the errors are mended (e lists them).");
		return;
	}
	for (; used < rows && stage < e->stages; used++) {
		const int64_t end = run_end(s, stage);

		draw_stages(s, c, (struct rect){ r.x, r.y + used, r.w, 1 }, stage, end, label_w);
		stage = end;
	}
	if (stage == e->stages &&
	    draw_table(c, (struct rect){ r.x + 1, r.y + used + 1, r.w - 1, r.h - used - 1 }, s))
		return;
	if (rows < r.h) /* what stages leave is the legend's as well */
		draw_legend(c, (struct rect){ r.x + 1, r.y + used, r.w - 1, r.h - used }, r.h - rows, s,
		    focus ? s->stage.at : e->peak_stage);
}

static int
memory_lines(const struct state *s, int w)
{
	return legend_lines(w) + (state_shown(s)->stages > 0 ? (int)bars_lines(s) : 0);
}

static struct part
memory_part(const struct state *s, struct rect r)
{
	return (struct part){ s->stage.first, bars_rows(r.w, r.h), bars_lines(s) };
}

/* Select a line; a stage of it that is selected already stays so. */
static bool
memory_select(struct state *s, int64_t line)
{
	if (line_of(s, s->stage.at) == line)
		return false;
	s->stage.at = first_of(s, line);
	return true;
}

static void
memory_move(struct state *s, MAYBE struct rect r, int way)
{
	memory_select(s, scroll_step(line_of(s, s->stage.at), way, bars_lines(s)));
}

static void
memory_follow(struct state *s, struct rect r)
{
	int64_t line;

	scroll_keep(&s->stage, state_shown(s)->stages);
	line = line_of(s, s->stage.at);
	s->stage.first = scroll_follow(s->stage.first, line, line, bars_lines(s), bars_rows(r.w, r.h));
}

static void
memory_scroll(struct state *s, struct rect r, int lines)
{
	struct scroll scroll = { .at = line_of(s, s->stage.at), .first = s->stage.first };

	scroll_lines(&scroll, bars_lines(s), bars_rows(r.w, r.h), lines);
	s->stage.first = scroll.first;
	memory_select(s, scroll.at);
}

static int64_t
memory_at(const struct state *s, struct rect r, MAYBE int x, int y)
{
	const int64_t line = s->stage.first + y;

	return y < bars_rows(r.w, r.h) && line < bars_lines(s) ? line : -1;
}

/* "stage 0: 23.6 GiB (22.9 GiB to 26.1 GiB, by what the overhead comes to)" */
static void
memory_line(const struct state *s, char *buf, size_t size)
{
	const struct memory *m;

	if (s->stage.at >= state_shown(s)->stages)
		return;
	m = &state_shown(s)->stage[s->stage.at].memory;
	text_put(buf, size, "stage %lld: %s", (long long)s->stage.at, UNITS_SHORT(BYTES, m->total));
	if (m->overhead_high > m->overhead_low)
		text_add(buf, size, " (%s to %s, by what the overhead comes to)",
		    UNITS_SHORT(BYTES, m->allocated + m->overhead_low),
		    UNITS_SHORT(BYTES, m->allocated + m->overhead_high));
}

static void
memory_note(const struct state *s, struct ledger *ledger)
{
	const struct estimate *e = state_shown(s);

	ledger->stage = (int32_t)s->stage.at;
	memory_stage(state_shown_plan(s), &e->layout, &e->placement, e->microbatches, s->stage.at,
	    ledger);
	ledger->stage = -1;
	if (e->served)
		serve_estimate(state_shown_plan(s), &e->layout, &e->placement, NULL, ledger);
}

/* The factor of activations. */
static void
put_flight(const struct state *s, double microbatches, char *buf, size_t size)
{
	const struct placement *pl = &state_shown(s)->placement;
	const long long m = (long long)state_shown(s)->microbatches, pp = (long long)pl->pp;
	const struct share unit = { .input = 0 };
	const struct flight f = schedule_flight(state_shown_plan(s), pl, m, s->stage.at, &unit);

	if (pl->vpp > 1)
		text_put(buf, size, "pairs of chunk and micro-batch in flight: %.4g = %s, m %lld, "
		    "PP %lld, VPP %lld, group %lld, r %lld; source: %s", microbatches * (double)pl->vpp,
		    f.rule, m, pp, (long long)pl->vpp, (long long)placement_group(state_shown_plan(s), pl->pp, m),
		    (long long)s->stage.at, f.source);
	else
		text_put(buf, size, "micro-batches in flight: %.4g = %s, m %lld, PP %lld, "
		    "VPP 1, r %lld; source: %s", microbatches, f.rule, m, pp, (long long)s->stage.at,
		    f.source);
}

/* An engine fills its memory on every stage: the parts that memory_line's amount is the sum of. */
static void
put_engine(const struct state *s, char *buf, size_t size)
{
	static const enum result_id part[] = {
		RESULT_PARAMETERS, RESULT_ACTIVATIONS, RESULT_KV_CACHE, RESULT_BUFFERS, RESULT_OVERHEAD
	};

	text_put(buf, size, "=");
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		double bytes = 0;

		result_value(part[i], state_shown(s), s->stage.at, &bytes);
		text_add(buf, size, "%s %s %s", i > 0 ? " +" : "", result_table[part[i]].label,
		    UNITS_SHORT(BYTES, bytes));
	}
}

static void
memory_why(const struct state *s, struct why *why)
{
	const struct estimate *e = state_shown(s);
	const struct memory *m = s->stage.at < e->stages ? &e->stage[s->stage.at].memory : NULL;

	text_put(why->title, sizeof why->title, "memory of stage %lld", (long long)s->stage.at);
	if (m != NULL && e->served)
		put_engine(s, why->line[0], sizeof why->line[0]);
	else if (m != NULL && m->in_flight > 0)
		put_flight(s, m->in_flight, why->line[0], sizeof why->line[0]);
	why->result[why->results++].id = RESULT_TOTAL;
}

const struct pane_type memory_pane = {
	.name = "memory", .title = "memory per GPU, by stage", .context = CONTEXT_MEMORY,
	.trainer = "trainer's memory per GPU, by stage",
	.click = "why",
	.draw = memory_draw, .part = memory_part, .line = memory_line, .lines = memory_lines,
	.least = 6, .note = memory_note, .why = memory_why, .move = memory_move,
	.follow = memory_follow, .scroll = memory_scroll, .at = memory_at, .select = memory_select,
};
