#include "ui/map/map_unit.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "ui/map/map_sets.h"

struct style
map_hue_style(const struct map_paint *m, struct hue hue)
{
	return (struct style){
		.role = ROLE_GROUP, .set = (uint8_t)m->set, .index = (uint8_t)hue.color,
		.flags = hue.value < 0 ? STYLE_FADED | STYLE_CLEAR : 0,
	};
}

static bool
has_cursor(const struct map_drawing *d, int64_t rank)
{
	return d->view->cursor >= rank && d->view->cursor < rank + d->grid.stride;
}

static bool
is_marked(const struct map_drawing *d, int64_t rank)
{
	const struct where *w = d->view->where;
	const int64_t node = d->plan->cluster.gpus_per_node, stride = d->paint[0].stride;
	const int64_t end = rank + d->grid.stride;

	if (!d->marks)
		return false;
	if (w->rank >= 0)
		return w->rank >= rank && w->rank < end &&
		    where_holds(w, d->plan, d->estimate, w->rank);
	if (w->node >= 0 && (plan_slot(d->plan, rank) + d->grid.stride <= w->node * node ||
	    plan_slot(d->plan, rank) >= (w->node + 1) * node))
		return false;
	while (rank < end) {
		if (where_holds(w, d->plan, d->estimate, rank))
			return true;
		/* What one rank of a stage holds, those up to the next stage hold as well. */
		rank = w->node < 0 && w->expert < 0 ? (rank / stride + 1) * stride : rank + 1;
	}
	return false;
}

/* True when the unit's ranks meet the cursor's group. */
static bool
is_peer(const struct map_drawing *d, int space, int64_t rank, struct hue hue)
{
	if (d->cursor_value[space] < 0)
		return false;
	if (d->grid.stride == 1)
		return hue.value == d->cursor_value[space];
	return map_paint_meets(&d->paint[space], rank, d->grid.stride, d->view->cursor);
}

/* A unit made ready to draw in one of the colours. */
static struct style
unit_style(const struct map_drawing *d, int space, int64_t rank, bool marked, struct hue *hue)
{
	const struct map_paint *m = &d->paint[space];
	struct style style;

	*hue = map_paint_of(m, rank);
	style = map_hue_style(m, *hue);
	if (marked)
		style.flags = STYLE_MARK;
	if (has_cursor(d, rank))
		style.flags = (uint8_t)((style.flags & ~STYLE_MARK) | STYLE_CURSOR);
	else if (d->view->peers && d->view->cursor >= 0 && map_paint_has_peers(m)) {
		if (is_peer(d, space, rank, *hue))
			style.flags |= STYLE_PEER;
		else if (!marked)
			style.flags |= STYLE_FADED;
	}
	return style;
}

/* Brackets also tell cursor, peers and what was looked for without any attribute. */
static const char *
brackets(const struct map_drawing *d, int64_t rank, bool marked)
{
	bool peers = false;

	if (rank == d->view->cursor)
		return "><";
	if (marked)
		return "<>";
	if (d->view->cursor < 0 || !d->view->peers)
		return "[]";
	for (int i = 0; i < d->view->colors; i++) {
		if (!map_paint_has_peers(&d->paint[i]))
			return "[]";
		peers = peers || is_peer(d, i, rank, map_paint_of(&d->paint[i], rank));
	}
	return peers ? "[]" : "  ";
}

/* " 13 gpu 5   t1d0p2", or, where cards are tall, the coordinates on a second line. */
static void
draw_card_head(struct map_drawing *d, int64_t rank, bool marked, int x, int y)
{
	const bool cursor = rank == d->view->cursor;
	struct style head = { .role = ROLE_TITLE }, rest = { .role = ROLE_DIM };
	const int w = d->grid.unit_w - 1, lines = d->grid.tall ? 2 : 1;
	const struct rect r = rect_clip(d->clip, (struct rect){ x, y, w, lines });
	char number[32], local[32], at[64];

	if (cursor) {
		head.flags = rest.flags = STYLE_CURSOR;
		canvas_fill(d->c, r, rest);
	} else if (marked)
		head.role = ROLE_KEY;
	text_put(number, sizeof number, "%c%lld%s", cursor ? '>' : marked ? '<' : ' ',
	    (long long)rank, marked && !cursor ? ">" : "");
	text_put(local, sizeof local, "gpu %lld", (long long)(plan_slot(d->plan, rank) % d->grid.units));
	map_coordinates(&d->estimate->layout, rank, at, sizeof at);
	canvas_text(d->c, r, x, y, head, number);
	if (d->grid.tall) {
		canvas_text(d->c, r, x + w - 1 - (int)strlen(local), y, rest, local);
		canvas_text(d->c, r, x + 1, y + 1, rest, at);
	} else {
		canvas_text(d->c, r, x + 2 + d->grid.rank_w, y, rest, local);
		canvas_text(d->c, r, x + w - 1 - (int)strlen(at), y, rest, at);
	}
}

static void
put_cell(struct map_drawing *d, int x, int y, struct style style, wchar_t ch)
{
	const struct rect *r = &d->clip;

	if (x >= r->x && x < r->x + r->w && y >= r->y && y < r->y + r->h)
		canvas_put(d->c, x, y, style, ch);
}

/* Under the bands, as far as a card has lines: what else is known of the GPU. */
static void
draw_card_rest(struct map_drawing *d, int64_t rank, int x, int y, int lines)
{
	const struct style dim = { .role = ROLE_DIM };
	const int w = d->grid.unit_w - 1;
	const struct rect r = rect_clip(d->clip, (struct rect){ x, y, w, lines });
	struct map_color more[MAP_USUAL_MAX];
	const int n = map_colors_more(&d->estimate->layout, d->view->color, d->view->colors, more);
	char text[MAP_COLOR_TEXT_SIZE];

	for (int i = 0; i < n && i < lines; i++) {
		map_color_text(more[i], d->plan, d->estimate, rank, text, sizeof text);
		canvas_text_cut(d->c, r, x + 1, y + i, w - 1, dim, text);
	}
}

static void
draw_card(struct map_drawing *d, int64_t rank, bool marked, int x, int y)
{
	const int w = d->grid.unit_w - 1, bottom = y + d->grid.unit_h;

	draw_card_head(d, rank, marked, x, y);
	y += d->grid.tall ? 2 : 1;
	for (int i = 0; i < d->view->colors; i++, y++) {
		struct rect band = rect_clip(d->clip, (struct rect){ x, y, w, 1 });
		struct hue hue;
		const struct style style = unit_style(d, i, rank, marked, &hue);
		char text[MAP_COLOR_TEXT_SIZE], buf[MAP_COLOR_TEXT_SIZE + 1];

		map_color_text(d->view->color[i], d->plan, d->estimate, rank, text, sizeof text);
		if (d->view->color[i].by == MAP_BY_RELATION)
			text_put(text, sizeof text, "%c %c", hue.letter, hue.other != 0 ? hue.other : ' ');
		text_put(buf, sizeof buf, "%c%s", (style.flags & STYLE_PEER) != 0 ? '*' : ' ', text);
		canvas_fill(d->c, band, style);
		canvas_text_cut(d->c, band, x, y, w, style, buf);
	}
	draw_card_rest(d, rank, x, y, bottom - y);
}

/* A colour over a part of a unit; `ch` in the middle of its first line. */
static void
draw_band(struct map_drawing *d, struct rect band, struct style style, wchar_t ch)
{
	const struct rect r = rect_clip(d->clip, band);
	const int middle = band.x + (band.w - 1) / 2;
	const bool shaded = ch == L' ' && (style.flags & STYLE_FADED) != 0 &&
	    d->view->depth < THEME_256; /* no darker colours: fewer dots of it */

	for (int i = r.y; i < r.y + r.h; i++)
		for (int j = r.x; j < r.x + r.w; j++)
			canvas_put(d->c, j, i, style, shaded ? canvas_glyph(d->c, GLYPH_LIGHT) :
			    i == band.y && j == middle ? ch : L' ');
}

/* What colour i has of an area that they fill: lines, where there are enough, else columns. */
static struct rect
band_of(struct rect r, int i, int n)
{
	if (r.h >= n)
		return (struct rect){ r.x, r.y + r.h * i / n, r.w, r.h * (i + 1) / n - r.h * i / n };
	return (struct rect){ r.x + r.w * i / n, r.y, r.w * (i + 1) / n - r.w * i / n, r.h };
}

/* What stands for a group: its letter, where it has one of its own. */
static wchar_t
sign_of(const struct map_drawing *d, int space, struct style style, struct hue hue)
{
	if ((style.flags & STYLE_CURSOR) != 0 && d->paint[space].blocks)
		return L'x';
	if ((style.flags & STYLE_MARK) != 0 && d->grid.zoom != MAP_ZOOM_LABEL)
		return L'*';
	return d->paint[space].blocks && hue.value >= 0 ? L' ' : (wchar_t)(unsigned char)hue.letter;
}

/* Below a label, as far as it has lines and they have room: coordinates, layers, memory. */
static void
draw_label_rest(struct map_drawing *d, int64_t rank, struct rect r, struct style style)
{
	struct map_color more[MAP_USUAL_MAX];
	const int n = r.h > 1 ? map_colors_more(&d->estimate->layout, NULL, 0, more) : 0;
	char text[MAP_COLOR_TEXT_SIZE];

	for (int i = 0; i < r.h && i <= n; i++) {
		if (i == 0)
			map_coordinates(&d->estimate->layout, rank, text, sizeof text);
		else
			map_color_text(more[i - 1], d->plan, d->estimate, rank, text, sizeof text);
		if ((int)strlen(text) <= r.w)
			canvas_text(d->c, d->clip, r.x + (r.w - (int)strlen(text)) / 2, r.y + i, style, text);
	}
}

/* The colour of the second group that a GPU is in. */
static struct style
other_style(struct style style, struct hue hue)
{
	style.index = (uint8_t)hue.other_color;
	return style;
}

/* Several colours fill the whole unit; the rank stands on the first, letters on each. */
static void
draw_label_bands(struct map_drawing *d, int64_t rank, bool marked, int x, int y)
{
	const struct map_grid *g = &d->grid;
	const int n = d->view->colors, edge = g->tight ? 0 : 1, head = edge + g->rank_w + g->colon;
	const bool lines = g->unit_h >= n;
	const char *mark = brackets(d, rank, marked);
	const struct rect r = { x + (lines ? 0 : head), y, g->unit_w - (lines ? 0 : head), g->unit_h };
	struct style first = { 0 }, style = { 0 };
	struct hue hue;

	for (int i = 0; i < n; i++) {
		struct rect band = band_of(r, i, n);

		style = unit_style(d, i, rank, marked, &hue);
		if (i == 0) {
			first = style;
			canvas_fill(d->c, rect_clip(d->clip, (struct rect){ x, y, head, g->unit_h }), style);
		}
		draw_band(d, band, style, lines ? L' ' : sign_of(d, i, style, hue));
		if (lines)
			put_cell(d, x + g->unit_w - 2, band.y, style, sign_of(d, i, style, hue));
	}
	canvas_text(d->c, d->clip, x + edge, y, first, TEXT_OF(32, "%*lld%s", g->rank_w, (long long)rank, g->colon ?
	    ":" : ""));
	if (mark[0] == '[' && (d->view->cursor < 0 || !d->view->peers))
		return; /* all are alike */
	if (edge > 0)
		put_cell(d, x, y, first, (wchar_t)mark[0]);
	if (edge > 0 || mark[0] != '[')
		put_cell(d, x + g->unit_w - 1, y, lines ? first : style, (wchar_t)mark[1]);
}

/* "[13A]": the rank and, in the last columns, its groups. */
static void
draw_label(struct map_drawing *d, int64_t rank, bool marked, int x, int y)
{
	const struct map_grid *g = &d->grid;
	const int n = d->view->colors, edge = g->tight ? 0 : 1, w = g->unit_w - 1 - edge;
	const int number = g->rank_w + g->colon;
	const char *mark = brackets(d, rank, marked);
	struct style style[MAP_COLORS_MAX] = { { 0 } }, plain = { .role = ROLE_TEXT };
	struct hue hue[MAP_COLORS_MAX];
	int left = w - number - g->letters;

	for (int i = 0; i < n; i++)
		style[i] = unit_style(d, i, rank, marked, &hue[i]);
	plain.flags = style[0].flags & STYLE_CURSOR;
	if (n == 1)
		plain = style[0];
	left = n == 1 ? left / 2 : left;
	canvas_fill(d->c, rect_clip(d->clip, (struct rect){ x, y, edge + w + edge, g->unit_h }), plain);
	canvas_text(d->c, d->clip, x + edge, y, plain, TEXT_OF(48, "%*s%*lld%s", left, "", g->rank_w, (long long)rank,
	    g->colon ? ":" : ""));
	for (int i = 0; i < n && i < g->letters; i++)
		put_cell(d, x + edge + left + number + i, y, style[i], sign_of(d, i, style[i], hue[i]));
	if (n == 1 && g->letters > 1 && hue[0].other != 0)
		put_cell(d, x + edge + left + number + 1, y, other_style(style[0], hue[0]),
		    (wchar_t)(unsigned char)hue[0].other);
	if (g->tight) {
		if (rank == d->view->cursor || marked)
			put_cell(d, x + w, y, plain, rank == d->view->cursor ? L'<' : L'*');
	} else {
		put_cell(d, x, y, plain, (wchar_t)mark[0]);
		put_cell(d, x + g->unit_w - 1, y, plain, (wchar_t)mark[1]);
	}
	draw_label_rest(d, rank, (struct rect){ x + edge, y + 1, n == 1 ? w : number + left,
	    g->unit_h - 1 }, plain);
}

/* The columns of a unit that have colours: one colour leaves a blank between wide units. */
static int
columns_used(const struct map_drawing *d)
{
	return d->grid.unit_w - (d->view->colors == 1 && d->grid.unit_w > 2 ? 1 : 0);
}

/* The sources that have a part of a unit: those whose groups are all inside units have none where
 * others do. Returns how many. */
static int
sources_of(const struct map_drawing *d, int space[MAP_COLORS_MAX])
{
	int n = 0;

	for (int i = 0; i < d->view->colors; i++)
		if (!d->paint[i].single)
			space[n++] = i;
	if (n > 0)
		return n;
	space[0] = 0;
	return 1;
}

bool
map_is_down(const struct map_drawing *d, int64_t first, int64_t last)
{
	for (int i = 0; i < d->dead.count; i++) {
		const struct dead_range *range = &d->dead.range[i];

		for (int64_t node = most_of(first, range->first); node <= last && node <= range->last; node++)
			if (nodes_serving(&d->dead, d->plan, node) < 0)
				return true;
	}
	return false;
}

/* 'x': a node that is down, '!': one that is slow, on the unit that it is or, where nodes have no frames, on its
 * first GPU. 0: neither. */
static wchar_t
ailing(const struct map_drawing *d, int64_t rank)
{
	const int64_t per_node = d->plan->cluster.gpus_per_node, slot = plan_slot(d->plan, rank);
	const int64_t nodes = d->grid.zoom >= MAP_ZOOM_NODE ? d->grid.stride / per_node : 1;
	const int64_t first = slot / per_node, last = first + nodes - 1;

	if (d->grid.framed || (d->grid.zoom < MAP_ZOOM_NODE && slot % per_node != 0))
		return 0;
	return map_is_down(d, first, last) ? L'x' : nodes_speed(d->plan, first, last) < 1 ? L'!' : 0;
}

static void
draw_cell(struct map_drawing *d, int64_t rank, bool marked, int x, int y)
{
	const struct rect r = { x, y, columns_used(d), d->grid.unit_h };
	const wchar_t mark = ailing(d, rank);
	int space[MAP_COLORS_MAX];
	const int n = sources_of(d, space);

	for (int i = 0; i < n; i++) {
		struct hue hue;
		const struct style style = unit_style(d, space[i], rank, marked, &hue);
		const wchar_t sign = sign_of(d, space[i], style, hue);

		draw_band(d, band_of(r, i, n), style, mark != 0 && !has_cursor(d, rank) ? mark :
		    sign == L' ' && hue.value < 0 ? canvas_glyph(d->c, GLYPH_DOT) : sign);
		if (hue.other != 0 && r.w > 1)
			draw_band(d, band_of(r, 1, 2), other_style(style, hue), (wchar_t)(unsigned char)hue.other);
	}
}

/* Two GPUs in one cell: the colours of the upper and the lower half. What is marked has the
 * terminal's own colour; what is in no group has none, nor what is faded where the terminal
 * has no darker colours. */
static void
put_halves(struct map_drawing *d, int x, int y, struct style upper, struct style lower)
{
	const uint8_t bare = d->view->depth >= THEME_256 ? STYLE_CLEAR : STYLE_CLEAR | STYLE_FADED;
	const struct style text = { .role = ROLE_TEXT };
	const bool lit[2] = { upper.flags & STYLE_MARK, lower.flags & STYLE_MARK };
	const bool none[2] = { upper.flags & bare, lower.flags & bare };
	const bool low = lit[1] || (none[0] && !lit[0]); /* the character is the lower half */
	const wchar_t block = canvas_glyph(d->c, low ? GLYPH_LOWER : GLYPH_UPPER);
	struct style ink = low ? lower : upper, behind = low ? upper : lower;

	if (lit[0] && lit[1]) {
		put_cell(d, x, y, text, canvas_glyph(d->c, GLYPH_FULL));
		return;
	}
	if (none[0] && none[1]) {
		put_cell(d, x, y, upper, L':');
		return;
	}
	if (!lit[0] && !lit[1] && !none[0] && !none[1] && upper.index == lower.index &&
	    ((upper.flags ^ lower.flags) & STYLE_FADED) == 0) {
		upper.flags &= STYLE_FADED;
		put_cell(d, x, y, upper, L' ');
		return;
	}
	behind.ink = lit[low] ? INK_OWN : (uint8_t)(1 + ink.index);
	behind.flags = none[!low] ? STYLE_CLEAR : behind.flags & STYLE_FADED;
	if ((ink.flags & STYLE_FADED) != 0)
		behind.flags |= STYLE_FADED_INK;
	put_cell(d, x, y, behind, block);
}

/* The style of the lower half: of a GPU that the layout does not have, as that is painted. */
static struct style
lower_style(const struct map_drawing *d, int space, int64_t rank)
{
	struct hue hue;

	return rank < d->grid.world ? unit_style(d, space, rank, is_marked(d, rank), &hue) :
	    map_hue_style(&d->paint[space], map_paint_other(&d->paint[space]));
}

static void
draw_halves(struct map_drawing *d, int64_t rank, bool marked, int x, int y)
{
	const struct map_grid *g = &d->grid;
	const int64_t slot = plan_slot(d->plan, rank), below = plan_at_slot(d->plan, slot + g->cols * g->stride);
	const bool alone = slot / g->stride % g->units + g->cols >= g->units || below < 0 ||
	    below >= plan_world(d->plan);
	const struct rect unit = { x, y, columns_used(d), 1 };
	int space[MAP_COLORS_MAX];
	const int n = sources_of(d, space);

	for (int i = 0; i < n; i++) {
		const struct rect band = band_of(unit, i, n);
		struct hue hue;
		struct style upper = unit_style(d, space[i], rank, marked, &hue);
		struct style lower = alone ? (struct style){ .role = ROLE_GROUP, .flags = STYLE_CLEAR } :
		    lower_style(d, space[i], below);
		const bool cursor = ((upper.flags | lower.flags) & STYLE_CURSOR) != 0;

		for (int k = band.x; k < band.x + band.w; k++)
			if (cursor)
				put_cell(d, k, y, (struct style){ .role = ROLE_GROUP, .flags = STYLE_CURSOR },
				    (upper.flags & STYLE_CURSOR) != 0 ? L'^' : L'v');
			else
				put_halves(d, k, y, upper, lower);
	}
}

void
map_unit_draw(struct map_drawing *d, int64_t rank, int x, int y)
{
	const bool marked = is_marked(d, rank);

	if (d->grid.zoom == MAP_ZOOM_CARD)
		draw_card(d, rank, marked, x, y);
	else if (d->grid.zoom == MAP_ZOOM_LABEL && d->view->colors > 1 && d->view->depth != THEME_MONO)
		draw_label_bands(d, rank, marked, x, y);
	else if (d->grid.zoom == MAP_ZOOM_LABEL)
		draw_label(d, rank, marked, x, y);
	else if (map_grid_halved(&d->grid))
		draw_halves(d, rank, marked, x, y);
	else
		draw_cell(d, rank, marked, x, y);
}
