#include "ui/flows.h"

#include "core/text.h"
#include "ui/change.h"
#include "core/units.h"

enum column { DIMENSION, COLLECTIVE, SIZE, SPAN, BYTES, CHANGE, TIME, EXPOSED, COLUMNS };
enum { CELL_SIZE = 24, HEADING_FROM = 3 };

/* Widths of the columns, 0 where it is left out; the widest that fits is taken. */
static const struct form {
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

int
flows_rows(int h)
{
	return h >= HEADING_FROM ? h - 1 : h;
}

void
flows_name(const struct traffic_row *row, char *buf, size_t size)
{
	text_put(buf, size, "%s %s", traffic_dim_name(row->dim), row->collective);
}

const char *
flows_span(enum span_kind kind, bool full)
{
	switch (kind) {
	case SPAN_NVLINK:
		return full ? "nvlink" : "nvl";
	case SPAN_NETWORK:
		return full ? "network" : "net";
	case SPAN_MIXED:
		break;
	}
	return full ? "mixed" : "mix";
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
draw_change(struct canvas *c, struct rect line, const struct form *form, double was, double is)
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

/* A line of cells; row NULL is the heading. */
static void
draw_line(struct canvas *c, struct rect line, const struct form *form,
    const struct traffic_row *row, struct style style)
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
		canvas_text(c, line, right ? x + w - 1 - canvas_width(c, cell) : x, line.y, style, cell);
		x += w;
	}
}

void
flows_draw(struct canvas *c, struct rect r, const struct traffic *t,
    const struct traffic *base, int first, int selected, bool focus)
{
	const struct form *form = forms;
	int rows = flows_rows(r.h), y = r.y;

	while (form->least > r.w)
		form++;
	if (rows < r.h)
		draw_line(c, (struct rect){ r.x, y++, r.w, 1 }, form, NULL,
		    (struct style){ .role = ROLE_DIM });
	for (int i = first; i < first + rows && i < (int)t->count; i++, y++) {
		struct rect line = { r.x, y, r.w, 1 };
		const bool is_selected = focus && i == selected;
		struct style style = { .role = is_selected ? ROLE_SELECTED : ROLE_TEXT };

		draw_line(c, line, form, &t->row[i], style);
		if (base != NULL)
			draw_change(c, line, form, bytes_in(t, i, base), t->row[i].bytes);
		if (!is_selected)
			continue;
		canvas_put(c, r.x, y, style, L'>');
		canvas_restyle(c, line, style);
		c->cursor_x = r.x;
		c->cursor_y = y;
	}
}
