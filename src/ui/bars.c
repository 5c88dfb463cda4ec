#include "ui/bars.h"

#include "core/number.h"
#include "core/text.h"
#include "ui/change.h"
#include "core/units.h"

enum {
	PARTS = 8,
	LEGEND_FROM = 3,       /* lines of a pane that has a legend */
	LEGEND_WIDE = 100,     /* from here on it takes one line, else two */
	WORDS_FROM = 44,       /* columns for "stage", not "st" */
	CHANGE_FROM = 40,      /* columns that have room for changes, */
	CHANGE_COLUMNS = 9,    /* whose place is kept free so that bars keep their length */
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

int
bars_legend(int w)
{
	return w >= LEGEND_WIDE ? 1 : 2;
}

int
bars_rows(int w, int h)
{
	if (h < LEGEND_FROM)
		return h;
	return h < LEGEND_FROM + 2 ? h - 1 : h - bars_legend(w);
}

/* The parts that the stage has, with their amounts when asked; several lines where one is
 * too short. False when they need more lines than there are. Draws with draw. */
static bool
legend(struct canvas *c, struct rect r, const struct parts *parts, bool amounts, bool draw)
{
	const struct style dim = { .role = ROLE_DIM };
	int x = r.x, y = r.y;
	char text[48];

	for (int i = 0; i < PARTS; i++) {
		const struct style style = { .role = (uint8_t)part_table[i].role };
		int w;

		if (parts->bytes[i] <= 0)
			continue;
		text_put(text, sizeof text, "%s", part_table[i].name);
		if (amounts)
			text_add(text, sizeof text, " %.1f", parts->bytes[i] / GIB);
		w = canvas_width(c, text) + 2;
		if (x > r.x && x + w > r.x + r.w) {
			x = r.x;
			y++;
		}
		if (y >= r.y + r.h || w > r.w)
			return false;
		if (draw) {
			canvas_put(c, x, y, style, canvas_glyph(c, part_table[i].glyph));
			canvas_text(c, r, x + 2, y, dim, text);
		}
		x += w + 2;
	}
	return true;
}

/* In the last lines of r, as few as will do but `least`; with amounts where there are
 * enough. */
static void
draw_legend(struct canvas *c, struct rect r, int least, const struct estimate *e,
    int64_t stage)
{
	const struct parts parts = parts_of(&e->stage[stage].memory);
	const int bottom = r.y + r.h;
	char text[48];
	int w;

	text_put(text, sizeof text, "%s %lld GiB: ", r.w >= WORDS_FROM ? "stage" : "st",
	    (long long)stage);
	w = canvas_width(c, text);
	for (int h = least; h <= r.h; h++) {
		const struct rect rest = { r.x + w, bottom - h, r.w - w, h };

		if ((h > 1 || r.w >= LEGEND_WIDE) && legend(c, rest, &parts, true, false)) {
			canvas_text(c, r, r.x, rest.y, (struct style){ .role = ROLE_DIM }, text);
			legend(c, rest, &parts, true, true);
			return;
		}
	}
	for (int h = least; h <= r.h; h++) {
		const struct rect lines = { r.x, bottom - h, r.w, h };

		if (h == r.h || legend(c, lines, &parts, false, false)) {
			legend(c, lines, &parts, false, true);
			return;
		}
	}
}

/* One bar of w cells; scale is the bytes of the whole width. */
static void
draw_bar(struct canvas *c, struct rect r, const struct memory *m, double capacity, double scale)
{
	const struct parts parts = parts_of(m);
	const struct style free_style = { .role = ROLE_FREE }, over = { .role = ROLE_OVER };
	int x = 0, limit = (int)(capacity / scale * r.w + 0.5);
	double sum = 0;

	for (int i = 0; i < PARTS; i++) {
		const struct style style = { .role = (uint8_t)part_table[i].role };
		int end;

		sum += parts.bytes[i];
		end = (int)(sum / scale * r.w + 0.5);
		for (; x < end && x < r.w; x++)
			canvas_put(c, r.x + x, r.y, style, canvas_glyph(c, part_table[i].glyph));
	}
	for (; x < limit && x < r.w; x++)
		canvas_put(c, r.x + x, r.y, free_style, canvas_glyph(c, GLYPH_DOT));
	/* Where the memory ends, when the bar goes on beyond it. */
	if (capacity > 0 && limit < r.w && m->total > capacity)
		canvas_put(c, r.x + limit, r.y, over, canvas_glyph(c, GLYPH_LIMIT));
}

/* "+1.40" at the end of the line. */
static void
draw_change(struct canvas *c, struct rect line, const struct estimate *e,
    const struct estimate *base, int64_t stage, bool is_selected)
{
	const double is = e->stage[stage].memory.total;
	double was = is;
	char text[CHANGE_SIZE];

	if (base != NULL && stage < base->stages)
		was = base->stage[stage].memory.total;
	if (!change_put(MEASURE_BYTES, was, is, text, sizeof text))
		return;
	canvas_text(c, line, line.x + line.w - CHANGE_COLUMNS + 1, line.y, (struct style){
	    .role = (uint8_t)(is_selected ? ROLE_SELECTED : change_role(RESULT_TOTAL, was, is)) }, text);
}

static void
draw_stage(struct canvas *c, struct rect line, const struct estimate *e,
    const struct estimate *base, int64_t stage, bool is_selected)
{
	const struct memory *m = &e->stage[stage].memory;
	const bool words = line.w >= WORDS_FROM;
	const bool over = e->capacity_known && m->total > e->capacity;
	struct style style = { .role = over ? ROLE_ERROR : ROLE_TEXT };
	double scale = e->capacity > e->peak_total ? e->capacity : e->peak_total;
	int label_w = words ? 10 : 6, amount_w = 11;
	char buf[96];

	if (e->stages > 10) /* room for longer numbers */
		label_w += e->stages > 1000 ? 3 : e->stages > 100 ? 2 : 1;
	if (is_selected) {
		style.role = ROLE_SELECTED;
		c->cursor_x = line.x;
		c->cursor_y = line.y;
	}
	if (line.w >= CHANGE_FROM) {
		draw_change(c, line, e, base, stage, is_selected);
		line.w -= CHANGE_COLUMNS;
	}
	text_put(buf, sizeof buf, words ? "%cstage %lld" : "%cst %lld", is_selected ? '>' : ' ',
	    (long long)stage);
	canvas_text(c, line, line.x, line.y, style, buf);
	if (line.w > label_w + amount_w + 3)
		draw_bar(c, (struct rect){ line.x + label_w, line.y, line.w - label_w - amount_w, 1 },
		    m, e->capacity, scale > 0 ? scale : 1);
	units_short(buf, sizeof buf, MEASURE_BYTES, m->total);
	text_add(buf, sizeof buf, over ? "!" : " ");
	canvas_text(c, line, line.x + line.w - canvas_width(c, buf), line.y, style, buf);
}

void
bars_draw(struct canvas *c, struct rect r, const struct estimate *e,
    const struct estimate *base, int64_t first, int64_t selected, bool focus)
{
	const int rows = bars_rows(r.w, r.h);
	const int used = e->stages < rows ? (int)e->stages : rows;

	for (int i = 0; i < rows && first + i < e->stages; i++)
		draw_stage(c, (struct rect){ r.x, r.y + i, r.w, 1 }, e, base, first + i,
		    focus && first + i == selected);
	if (rows < r.h) /* what stages leave is the legend's as well */
		draw_legend(c, (struct rect){ r.x + 1, r.y + used, r.w - 1, r.h - used }, r.h - rows, e,
		    focus ? selected : e->peak_stage);
}
