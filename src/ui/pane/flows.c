#include "ui/pane/flows.h"

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/pane/pane.h"
#include "ui/screen/change.h"

enum column { DIMENSION, COLLECTIVE, SIZE, SPAN, BYTES, CHANGE, TIME, EXPOSED, COLUMNS };
enum { CELL_SIZE = 24 };

static const struct style dim_style = { .role = ROLE_DIM };

/* Widths of the columns, 0 where it is left out; the widest that fits is taken. */
static const struct flow_form {
	int least;
	bool full; /* names are written out */
	int w[COLUMNS];
} forms[] = {
	{ 67, true, { 5, 15, 5, 8, 8, 9, 8, 8 } },
	{ 58, true, { 5, 15, 5, 8, 8, 0, 8, 8 } },
	{ 53, false, { 5, 5, 5, 4, 8, 9, 8, 8 } },
	{ 44, false, { 5, 5, 5, 4, 8, 0, 8, 8 } },
	{ 35, false, { 5, 5, 0, 0, 8, 0, 8, 8 } },
	{ 0, false, { 5, 0, 0, 0, 7, 0, 7, 0 } },
};

void
flows_name(const struct traffic_row *row, char *buf, size_t size)
{
	text_put(buf, size, "%s %s", traffic_dim_name(row->dim), row->collective);
}

/* "nvlink", or in three letters. */
static const char *
flows_span(enum span_kind kind, bool full)
{
	if (full)
		return span_path_name(kind);
	return kind == SPAN_NVLINK ? "nvl" : "net";
}

static const char *
short_collective(const char *name)
{
	static const char *const table[][2] = {
		{ "all-reduce", "AR" }, { "all-gather", "AG" }, { "reduce-scatter", "RS" },
		{ "all-to-all", "A2A" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (text_equal(table[i][0], name))
			return table[i][1];
	return name;
}

static void
put_cell(enum column column, const struct traffic_row *row, bool full, char *buf, size_t size)
{
	switch (column) {
	case DIMENSION:
		text_put(buf, size, "%s", traffic_dim_name(row->dim));
		break;
	case COLLECTIVE:
		text_put(buf, size, "%s", full ? row->collective : short_collective(row->collective));
		break;
	case SIZE:
		text_put(buf, size, "%lld", (long long)row->span.size);
		break;
	case SPAN:
		text_put(buf, size, "%s", flows_span(row->span.kind, full));
		break;
	case BYTES:
		units_short(buf, size, MEASURE_WIRE, row->bytes);
		break;
	case CHANGE:
		buf[0] = '\0';
		break;
	case TIME:
		units_short(buf, size, MEASURE_SECONDS, row->seconds);
		break;
	case EXPOSED:
		units_short(buf, size, MEASURE_SECONDS, row->exposed_seconds);
		break;
	case COLUMNS:
		break;
	}
}

static bool
same_flow(const struct traffic_row *a, const struct traffic_row *b)
{
	return a->dim == b->dim && text_equal(a->collective, b->collective);
}

/* Bytes of row i in another plan: of the one by that name, the n-th of several. 0 without. */
static double
bytes_in(const struct traffic *t, int i, const struct traffic *other)
{
	int n = 0;

	for (int k = 0; k < i; k++)
		n += same_flow(&t->row[k], &t->row[i]);
	for (size_t k = 0; k < other->count; k++)
		if (same_flow(&other->row[k], &t->row[i]) && n-- == 0)
			return other->row[k].bytes;
	return 0;
}

/* "+1.20" in its column; plain, as more traffic that hides behind compute is no worse. */
static void
draw_change(struct canvas *c, struct rect line, const struct flow_form *form, double was, double is)
{
	char text[CHANGE_SIZE];
	int end = line.x + 1;

	if (form->w[CHANGE] == 0 || !change_put(MEASURE_WIRE, was, is, text, sizeof text))
		return;
	for (int i = 0; i <= CHANGE; i++)
		end += form->w[i];
	if (was <= 0)
		text_put(text, sizeof text, "new");
	canvas_text(c, line, end - 1 - canvas_width(c, text), line.y,
	    (struct style){ .role = ROLE_TEXT }, text);
}

/* A line of cells; row NULL is the heading. The links have a style of their own. */
static void
draw_line(struct canvas *c, struct rect line, const struct flow_form *form,
    const struct traffic_row *row, struct style style, struct style span)
{
	static const char *const heading[2][COLUMNS] = {
		{ "dim", "coll", "size", "by", "bytes", "change", "time", "exposed" },
		{ "dim", "collective", "size", "links", "bytes", "change", "time", "exposed" },
	};
	char cell[CELL_SIZE];
	int x = line.x + 1;

	for (int i = 0; i < COLUMNS; i++) {
		const bool right = i >= BYTES || i == SIZE;
		int w = form->w[i];

		if (w == 0)
			continue;
		if (row == NULL)
			text_put(cell, sizeof cell, "%s", heading[form->full][i]);
		else
			put_cell((enum column)i, row, form->full, cell, sizeof cell);
		/* Numbers end, and names begin, a blank away from the next column. */
		canvas_text(c, line, right ? x + w - 1 - canvas_width(c, cell) : x, line.y,
		    i == SPAN ? span : style, cell);
		x += w;
	}
}

/* Narrow areas get short names, then fewer columns. */
static void
traffic_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct estimate *e = state_shown(s), *base = state_base_estimate(s);
	const struct traffic *t = &e->traffic;
	const bool focus = s->focus == PANE_TRAFFIC;
	const struct flow_form *form = forms;
	const int first = (int)s->flow.first, rows = pane_rows(r.h);
	int y = r.y;

	if (!e->timed || t->count == 0) {
		pane_nothing(c, r, focus, e->timed ? "No GPU sends anything." :
		    "No traffic to show until the errors are mended (e lists them).");
		return;
	}
	while (form->least > r.w)
		form++;
	if (rows < r.h)
		draw_line(c, (struct rect){ r.x, y++, r.w, 1 }, form, NULL, dim_style, dim_style);
	for (int i = first; i < first + rows && i < (int)t->count; i++, y++) {
		struct rect line = { r.x, y, r.w, 1 };
		const bool is_selected = focus && i == s->flow.at;
		struct style style = { .role = is_selected ? ROLE_SELECTED : ROLE_TEXT };

		draw_line(c, line, form, &t->row[i], style, traffic_strays(state_shown_plan(s), &t->row[i]) ?
		    (struct style){ .role = ROLE_WARNING } : style);
		if (base != NULL && base->timed)
			draw_change(c, line, form, bytes_in(t, i, &base->traffic), t->row[i].bytes);
		if (!is_selected)
			continue;
		canvas_mark(c, line);
		canvas_restyle(c, line, style);
	}
}

static int64_t
flows_count(const struct state *s)
{
	return state_shown(s)->timed ? (int64_t)state_shown(s)->traffic.count : 0;
}

/* The row that is selected, NULL without any. */
static const struct traffic_row *
flows_selected(const struct state *s)
{
	return s->flow.at >= 0 && s->flow.at < flows_count(s) ? &state_shown(s)->traffic.row[s->flow.at] : NULL;
}

static void
traffic_line(const struct state *s, char *buf, size_t size)
{
	const struct traffic_row *row = flows_selected(s);
	char name[64];

	if (row == NULL)
		return;
	flows_name(row, name, sizeof name);
	text_put(buf, size, "%s: one GPU sends %s in %.0f call%s a step: %s alone, %s after overlap "
	    "with compute", name, UNITS_SHORT(WIRE, row->bytes), row->calls, TEXT_S(row->calls),
	    UNITS_SHORT(SECONDS, row->seconds), UNITS_SHORT(SECONDS, row->exposed_seconds));
}

/* The terms of a step have those of its traffic among them. */
static void
traffic_note(const struct state *s, struct ledger *ledger)
{
	const struct estimate *e = state_shown(s);
	struct traffic traffic = { 0 };

	if (e->timed)
		steptime_estimate(state_shown_plan(s), &e->layout, &e->placement, e->microbatches, &traffic,
		    ledger);
}

static void
traffic_why(const struct state *s, struct why *why)
{
	static const enum result_id told[] = {
		RESULT_FLOW_BYTES, RESULT_FLOW_SECONDS, RESULT_FLOW_EXPOSED
	};
	const struct traffic_row *row = flows_selected(s);
	char name[64];

	text_put(why->title, sizeof why->title, "traffic");
	if (row == NULL)
		return;
	flows_name(row, name, sizeof name);
	text_add(why->title, sizeof why->title, " of %s", name);
	text_put(why->line[0], sizeof why->line[0], "group of %lld over %lld node%s: %s, %lld of "
	    "them in one NVLink domain, %lld domain%s; NICs of a node to itself: %.3g",
	    (long long)row->span.size, (long long)row->span.nodes, TEXT_S(row->span.nodes),
	    flows_span(row->span.kind, true), (long long)row->span.inside,
	    (long long)row->span.domains, TEXT_S(row->span.domains), row->span.nic_share);
	why->row = s->flow.at;
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		why->result[why->results++].id = told[i];
}

/* Its rows tell more of changes than their sum. */
const struct pane_type traffic_pane = {
	.name = "traffic", .title = "traffic per step, one GPU", .context = CONTEXT_MEMORY,
	.click = "why",
	.draw = traffic_draw, .line = traffic_line, .note = traffic_note, .why = traffic_why,
	.rows = flows_count, .heading = true, .least = TABLE_LEAST, .scrolled = offsetof(struct state, flow),
};
