#include <string.h>

#include "core/text.h"
#include "ui/map.h"
#include "ui/map_grid.h"
#include "ui/paint.h"

/* Everything that drawing one unit needs. */
struct drawing {
	struct canvas *c;
	struct rect clip;
	const struct layout *l;
	const struct map_view *view;
	struct map_grid grid;
	struct paint paint[MAP_COLORS_MAX];
	int64_t cursor_group[MAP_COLORS_MAX];
	int64_t first, last;    /* lines of the map that are shown */
	int64_t domain_nodes;   /* nodes that share an NVLink domain */
};

void
map_view_init(struct map_view *view, const struct layout *l, const char *const kinds[], int n)
{
	*view = (struct map_view){ .cursor = -1, .depth = THEME_256 };
	for (int i = 0; i < n && view->colors < MAP_COLORS_MAX; i++) {
		int kind = layout_kind(l, kinds[i]);

		if (kind >= 0)
			view->kind[view->colors++] = kind;
	}
	if (view->colors == 0 && l->kinds > 0)
		view->colors = 1; /* the first kind */
}

const char *
map_zoom_name(enum map_zoom zoom)
{
	static const char *const name[] = { "auto", "cards", "labels", "cells", "nodes" };

	return name[zoom];
}

enum map_zoom
map_zoom_for(const struct map_view *view, const struct plan *p, const struct layout *l, int w,
    int h)
{
	struct map_grid g;

	map_grid_init(&g, view, p, l, w, h - map_legend_lines(view, h));
	return g.zoom;
}

int64_t
map_rows(const struct plan *p, const struct layout *l, const struct map_view *view, int width)
{
	struct map_view v = *view;
	struct map_grid g;

	if (v.zoom == MAP_ZOOM_AUTO) /* on paper there is no height to fit */
		v.zoom = l->world <= 128 ? MAP_ZOOM_CARD : l->world <= 4096 ? MAP_ZOOM_LABEL :
		    MAP_ZOOM_CELL;
	map_grid_init(&g, &v, p, l, width, l->world <= 65536 ? INT64_MAX : 0);
	return map_grid_lines(&g) + view->colors;
}

/* True when the unit's ranks meet the cursor's group. */
static bool
is_peer(const struct drawing *d, int space, int64_t rank)
{
	if (d->cursor_group[space] < 0)
		return false;
	for (int64_t r = rank; r < rank + d->grid.stride; r++)
		if (layout_group_of(d->l, d->view->kind[space], r) == d->cursor_group[space])
			return true;
	return false;
}

static struct style
unit_style(const struct drawing *d, int space, int64_t rank)
{
	const struct paint *paint = &d->paint[space];
	struct style style = {
		.role = ROLE_GROUP, .set = (uint8_t)paint->set,
		.index = (uint8_t)paint_color(paint, rank),
	};

	if (layout_group_of(d->l, paint->kind, rank) < 0)
		style.flags |= STYLE_FADED;
	if (d->view->cursor < 0)
		return style;
	if (rank == d->view->cursor / d->grid.stride * d->grid.stride)
		style.flags |= STYLE_CURSOR;
	else if (d->view->peers)
		style.flags |= is_peer(d, space, rank) ? STYLE_PEER : STYLE_FADED;
	return style;
}

/* Brackets also tell cursor and peers without any attribute. */
static const char *
brackets(const struct drawing *d, int64_t rank)
{
	if (rank == d->view->cursor)
		return "><";
	if (d->view->cursor < 0 || !d->view->peers)
		return "[]";
	for (int i = 0; i < d->view->colors; i++)
		if (is_peer(d, i, rank))
			return "[]";
	return "  ";
}

static void
draw_card(struct drawing *d, int64_t rank, int x, int y)
{
	struct style head = { .role = ROLE_TITLE }, rest = { .role = ROLE_DIM };
	int w = d->grid.unit_w - 1;
	struct rect line = { x, y, w, 1 };
	char buf[96], coord[64];

	if (rank == d->view->cursor)
		head.flags = rest.flags = STYLE_CURSOR;
	if (rank == d->view->cursor)
		canvas_fill(d->c, rect_clip(d->clip, line), rest);
	text_put(buf, sizeof buf, "%c%lld", rank == d->view->cursor ? '>' : ' ', (long long)rank);
	map_coordinates(d->l, rank, coord, sizeof coord);
	canvas_text(d->c, rect_clip(d->clip, line), x, y, head, buf);
	canvas_text(d->c, rect_clip(d->clip, line), x + w - 1 - (int)strlen(coord), y, rest, coord);
	for (int i = 0; i < d->view->colors; i++) {
		const struct group_kind *k = &d->l->kind[d->view->kind[i]];
		int64_t group = layout_group_of(d->l, d->view->kind[i], rank);
		struct rect band = rect_clip(d->clip, (struct rect){ x, y + 1 + i, w, 1 });
		struct style style = unit_style(d, i, rank);

		if (group < 0)
			text_put(buf, sizeof buf, " %s -", k->name);
		else
			text_put(buf, sizeof buf, "%c%s %lld",
			    (style.flags & STYLE_PEER) != 0 ? '*' : ' ', k->name, (long long)group);
		canvas_fill(d->c, band, style);
		canvas_text(d->c, band, x, y + 1 + i, style, buf);
	}
}

static void
draw_label(struct drawing *d, int64_t rank, int x, int y)
{
	int n = d->view->colors;
	const char *mark = brackets(d, rank);
	struct style style = unit_style(d, 0, rank), plain = { .role = ROLE_TEXT };
	char buf[48];

	plain.flags = style.flags & STYLE_CURSOR;
	if (n == 1)
		plain = style;
	text_put(buf, sizeof buf, "%c%*lld", mark[0], d->grid.rank_w, (long long)rank);
	canvas_text(d->c, d->clip, x, y, plain, buf);
	x += 1 + d->grid.rank_w;
	for (int i = 0; i < n; i++) {
		text_put(buf, sizeof buf, "%c", paint_letter(&d->paint[i], rank));
		canvas_text(d->c, d->clip, x++, y, unit_style(d, i, rank), buf);
	}
	text_put(buf, sizeof buf, "%c", mark[1]);
	canvas_text(d->c, d->clip, x, y, plain, buf);
}

static void
draw_cell(struct drawing *d, int64_t rank, int x, int y)
{
	char buf[2] = "";

	for (int i = 0; i < d->view->colors; i++) {
		buf[0] = paint_letter(&d->paint[i], rank);
		canvas_text(d->c, d->clip, x + i, y, unit_style(d, i, rank), buf);
	}
}

/* A box, its edges shared with the boxes beside it. */
static void
draw_box(struct drawing *d, int64_t node, int x, int y)
{
	const struct map_grid *g = &d->grid;
	struct style frame = { .role = ROLE_FRAME };
	struct canvas *c = d->c;
	bool left = node % g->across == 0, top = node < g->across;
	int w = g->node_w, h = (int)g->node_h;
	char title[64];

	for (int i = 0; i <= h; i++)
		for (int j = 0; j <= w; j += i == 0 || i == h ? 1 : w) {
			enum glyph glyph = i == 0 || i == h ? GLYPH_HORIZONTAL : GLYPH_VERTICAL;
			struct rect at = rect_clip(d->clip, (struct rect){ x + j, y + i, 1, 1 });

			if (at.w == 0 || at.h == 0)
				continue;
			if (i == 0 && j == 0)
				glyph = top && left ? GLYPH_TOP_LEFT : top ? GLYPH_TEE_DOWN :
				    left ? GLYPH_TEE_RIGHT : GLYPH_CROSS;
			else if (i == 0 && j == w)
				glyph = top ? GLYPH_TOP_RIGHT : GLYPH_TEE_LEFT;
			else if (i == h && j == 0)
				glyph = left ? GLYPH_BOTTOM_LEFT : GLYPH_TEE_UP;
			else if (i == h && j == w)
				glyph = GLYPH_BOTTOM_RIGHT;
			canvas_put(c, x + j, y + i, frame, canvas_glyph(c, glyph));
		}
	text_put(title, sizeof title, w > 12 ? " node %lld " : w > 7 ? "node %lld" : "%lld",
	    (long long)node);
	if (d->domain_nodes > 1 && w > 30) /* several nodes on one NVLink fabric */
		text_put(title, sizeof title, " node %lld, NVLink domain %lld ", (long long)node,
		    (long long)(node / d->domain_nodes));
	canvas_text(c, rect_clip(d->clip, (struct rect){ x + 1, y, w - 1, 1 }), x + 1, y,
	    (struct style){ .role = ROLE_TEXT }, title);
}

static void
draw_row_label(struct drawing *d, int64_t node, int y)
{
	char buf[48];

	text_put(buf, sizeof buf, "node %lld", (long long)node);
	canvas_text(d->c, rect_clip(d->clip, (struct rect){ d->clip.x, y, d->grid.label_w - 1, 1 }),
	    d->clip.x, y, (struct style){ .role = ROLE_DIM }, buf);
}

static void
draw_units(struct drawing *d, int64_t node)
{
	const struct map_grid *g = &d->grid;

	for (int64_t i = 0; i < g->gpus; i++) {
		int64_t rank = (node * g->gpus + i) * g->stride, line;
		int x, y;

		map_grid_cell(g, rank, &x, &line);
		if (line + g->unit_h <= d->first || line >= d->last)
			continue;
		x += d->clip.x;
		y = d->clip.y + (int)(line - d->first);
		if (g->zoom == MAP_ZOOM_CARD)
			draw_card(d, rank, x, y);
		else if (g->zoom == MAP_ZOOM_LABEL)
			draw_label(d, rank, x, y);
		else
			draw_cell(d, rank, x, y);
	}
}

static void
draw_node(struct drawing *d, int64_t node)
{
	const struct map_grid *g = &d->grid;
	int64_t line = node / g->across * g->node_h;
	int x = d->clip.x + g->label_w + (int)(node % g->across) * g->node_w;
	int y = d->clip.y + (int)(line - d->first);

	if (g->framed)
		draw_box(d, node, x, y);
	else if (node % g->across == 0)
		draw_row_label(d, node, y);
	if (!g->framed && g->zoom == MAP_ZOOM_CELL && node % g->across + 1 < g->across)
		for (int i = 0; i < g->node_h; i++) {
			struct rect at = { x + g->node_w - 1, y + i, 1, 1 };

			at = rect_clip(d->clip, at);
			if (at.w > 0 && at.h > 0)
				canvas_put(d->c, at.x, at.y, (struct style){ .role = ROLE_FRAME },
				    canvas_glyph(d->c, GLYPH_VERTICAL));
		}
	draw_units(d, node);
}

/* "tp  8 groups of 2  A B C ...", the letters as on the map. */
static void
draw_legend(struct drawing *d, struct rect r, int space)
{
	const bool numbers = d->grid.zoom == MAP_ZOOM_CARD; /* as the bands have */
	int kind = d->view->kind[space], x, w;
	int64_t count = layout_group_count(d->l, kind), size = layout_group_size(d->l, kind);
	const struct style plain = { .role = ROLE_DIM };
	char buf[96];

	text_put(buf, sizeof buf, "%s: %lld %s of %lld%s ", d->l->kind[kind].name,
	    (long long)count, count == 1 ? "group" : "groups", (long long)size,
	    d->grid.zoom == MAP_ZOOM_NODE ? ", by each node's first GPU" : "");
	x = r.x + canvas_text(d->c, r, r.x, r.y, plain, buf);
	for (int64_t g = 0; g < count; g++) {
		int64_t rank = layout_member(d->l, kind, g, 0);
		const struct paint *paint = &d->paint[space];
		struct style style = {
			.role = ROLE_GROUP, .set = (uint8_t)paint->set,
			.index = (uint8_t)paint_color(paint, rank),
		};

		if (numbers)
			text_put(buf, sizeof buf, " %lld ", (long long)g);
		else
			text_put(buf, sizeof buf, "%c", paint_letter(paint, rank));
		w = canvas_width(d->c, buf);
		if (x + w + 2 > r.x + r.w) {
			if (x < r.x + r.w)
				canvas_put(d->c, x, r.y, plain, canvas_glyph(d->c, GLYPH_MORE));
			break;
		}
		x += canvas_text(d->c, r, x, r.y, style, buf) + 1;
	}
}

static void
drawing_init(struct drawing *d, const struct plan *p, const struct layout *l,
    const struct map_view *view, int w, int h)
{
	int64_t offset[PAINT_OFFSETS_MAX];
	int offsets;

	d->l = l;
	d->view = view;
	d->domain_nodes = p->cluster.nvlink_domain / p->cluster.gpus_per_node;
	map_grid_init(&d->grid, view, p, l, w, h);
	offsets = map_grid_offsets(&d->grid, offset);
	for (int i = 0; i < view->colors; i++) {
		int64_t groups = layout_group_count(l, view->kind[i]);
		enum theme_set set = theme_set_for(view->colors, i, groups);

		paint_init(&d->paint[i], l, view->kind[i], set, theme_set_size(set, view->depth),
		    offset, offsets);
		d->cursor_group[i] = -1;
		if (view->cursor >= 0 && view->cursor < l->world)
			d->cursor_group[i] = layout_group_of(l, view->kind[i], view->cursor);
	}
}

/* First line shown, whatever the view says, so that no room stays empty. */
static int64_t
first_line(const struct map_view *view, const struct map_grid *g, int h)
{
	int64_t most = map_grid_lines(g) - h;
	int64_t first = view->first_row < most ? view->first_row : most;

	return first > 0 ? first : 0;
}

void
map_draw(struct canvas *c, struct rect area, const struct plan *p, const struct layout *l,
    const struct map_view *view)
{
	struct drawing d = { .c = c };
	int legend = map_legend_lines(view, area.h);
	int64_t lines, first, last;

	area = rect_clip(area, (struct rect){ 0, 0, c->w, c->h });
	if (area.w <= 0 || area.h <= 0 || view->colors < 1)
		return;
	d.clip = area;
	d.clip.h -= legend;
	drawing_init(&d, p, l, view, d.clip.w, d.clip.h);
	lines = map_grid_lines(&d.grid);
	d.first = first_line(view, &d.grid, d.clip.h);
	d.last = d.first + d.clip.h;
	/* The box above the first line shares its lower edge with it. */
	first = d.first / d.grid.node_h * d.grid.across;
	if (first >= d.grid.across)
		first -= d.grid.across;
	last = (d.last / d.grid.node_h + 1) * d.grid.across;
	for (int64_t node = first; node < last && node < d.grid.nodes; node++)
		draw_node(&d, node);
	lines = lines < d.clip.h ? lines : d.clip.h;
	for (int i = 0; i < legend; i++)
		draw_legend(&d, (struct rect){ area.x, area.y + (int)lines + i, area.w, 1 }, i);
}

bool
map_find(const struct map_view *view, const struct plan *p, const struct layout *l, int w, int h,
    int64_t rank, int *x, int *y)
{
	struct map_grid g;
	int64_t line;

	h -= map_legend_lines(view, h);
	map_grid_init(&g, view, p, l, w, h);
	map_grid_cell(&g, rank, x, &line);
	line -= first_line(view, &g, h);
	*y = line >= 0 && line < h ? (int)line : 0;
	return line >= 0 && line < h && *x < w;
}

static void
to_cell(const struct map_grid *g, int64_t rank, int64_t *x, int64_t *y)
{
	int64_t unit = rank / g->stride, node = unit / g->gpus, i = unit % g->gpus;

	*x = node % g->across * g->cols + i % g->cols;
	*y = node / g->across * g->rows + i / g->cols;
}

/* Rank at a column and row of units, -1 where there is none. */
static int64_t
from_cell(const struct map_grid *g, int64_t x, int64_t y)
{
	int64_t node, i;

	if (x < 0 || y < 0 || x >= g->across * g->cols || y >= g->node_rows * g->rows)
		return -1;
	node = y / g->rows * g->across + x / g->cols;
	i = y % g->rows * g->cols + x % g->cols;
	if (node >= g->nodes || i >= g->gpus)
		return -1;
	return (node * g->gpus + i) * g->stride;
}

bool
map_move(struct map_view *view, const struct plan *p, const struct layout *l, int w, int h,
    int64_t dx, int64_t dy)
{
	struct map_grid g;
	int64_t x, y, rank, was = view->cursor;

	map_grid_init(&g, view, p, l, w, h - map_legend_lines(view, h));
	if (was < 0) {
		view->cursor = 0;
		return true;
	}
	to_cell(&g, was, &x, &y);
	rank = from_cell(&g, x + dx, y + dy);
	/* A page that leads past the edge goes to the edge. */
	for (int64_t step = dy; rank < 0 && step != 0; step -= step > 0 ? 1 : -1)
		rank = from_cell(&g, x, y + step);
	if (rank >= 0)
		view->cursor = rank;
	return view->cursor != was;
}

int64_t
map_page(const struct map_view *view, const struct plan *p, const struct layout *l, int w, int h)
{
	struct map_grid g;
	int64_t lines = h - map_legend_lines(view, h), n;

	map_grid_init(&g, view, p, l, w, lines);
	n = lines * g.rows / g.node_h;
	return n > 1 ? n : 1;
}

void
map_follow(struct map_view *view, const struct plan *p, const struct layout *l, int w, int h)
{
	struct map_grid g;
	int64_t y, top, lines = h - map_legend_lines(view, h), most;
	int x;

	map_grid_init(&g, view, p, l, w, lines);
	most = map_grid_lines(&g) - lines;
	if (view->cursor >= l->world)
		view->cursor = l->world - 1;
	if (view->cursor >= 0) {
		map_grid_cell(&g, view->cursor, &x, &y);
		/* With its box's title, where that fits. */
		top = y / g.node_h * g.node_h;
		if (top < y && y + g.unit_h - top > lines)
			top = y;
		if (view->first_row > top)
			view->first_row = top;
		if (view->first_row < y + g.unit_h - lines + (g.framed ? 1 : 0))
			view->first_row = y + g.unit_h - lines + (g.framed ? 1 : 0);
		if (view->first_row > y)
			view->first_row = y;
	}
	if (view->first_row > most)
		view->first_row = most;
	if (view->first_row < 0)
		view->first_row = 0;
}
