#include "ui/map/map.h"

#include <string.h>

#include "core/framework/levels.h"
#include "core/base/text.h"
#include "ui/map/map_role.h"
#include "ui/map/map_unit.h"

enum {
	ENTRIES_LEAST = 16, /* columns that a legend keeps for letters */
	LEGEND_INDENT = 2,  /* of its lines after the first */
	LEGEND_MOST = 1 << 10, /* lines of it on paper */
};

static const struct style frame_style = { .role = ROLE_FRAME };
static const struct style dim_style = { .role = ROLE_DIM };

void
map_view_colors(struct map_view *view, const struct layout *l, const char *const name[], int n)
{
	view->colors = map_colors_find(view->color, l, name, n);
	if (view->colors == 0)
		view->color[view->colors++] = map_color_at(l, 0);
}

void
map_view_init(struct map_view *view, const struct layout *l, const char *const name[], int n)
{
	*view = (struct map_view){ .cursor = -1, .depth = THEME_256, .utf8 = true };
	map_view_colors(view, l, name, n);
}

static void
put_clipped(struct map_drawing *d, int x, int y, wchar_t ch)
{
	const struct rect at = rect_clip(d->clip, (struct rect){ x, y, 1, 1 });

	if (at.w > 0 && at.h > 0)
		canvas_put(d->c, x, y, frame_style, ch);
}

/* Column and row of a box among those that it shares edges with. */
static void
place_of(const struct map_grid *g, int64_t box, int64_t *column, int64_t *row)
{
	const int64_t i = g->blocked ? box % g->block : box;
	const int64_t columns = g->blocked ? g->block_cols : g->across;

	*column = i % columns;
	*row = i / columns;
}

static enum glyph
corner(const struct map_grid *g, int64_t box, bool lower, bool right)
{
	const int64_t columns = g->blocked ? g->block_cols : g->across;
	int64_t column, row;

	place_of(g, box, &column, &row);
	if (lower)
		return right ? GLYPH_BOTTOM_RIGHT : column == 0 ? GLYPH_BOTTOM_LEFT : GLYPH_TEE_UP;
	if (right && row > 0 && column + 1 < columns)
		return GLYPH_CROSS; /* there is one above to the right */
	if (right)
		return row == 0 ? GLYPH_TOP_RIGHT : GLYPH_TEE_LEFT;
	if (row == 0)
		return column == 0 ? GLYPH_TOP_LEFT : GLYPH_TEE_DOWN;
	return column == 0 ? GLYPH_TEE_RIGHT : GLYPH_CROSS;
}

/* A title of w columns at most; where it is longer its number alone, or nothing: a number
 * that is cut is another one. */
static void
draw_title(struct map_drawing *d, int x, int y, int w, struct style style, const char *title,
    int64_t number)
{
	const struct rect r = rect_clip(d->clip, (struct rect){ x, y, w, 1 });
	char alone[24];
	int n = (int)strlen(title);

	if (n - (title[n - 1] == ' ') > w) {
		text_put(alone, sizeof alone, "%lld", (long long)number);
		title = alone;
		n = (int)strlen(title);
	}
	if (n - (title[n - 1] == ' ') <= w)
		canvas_text(d->c, r, x, y, style, title);
}

/* A box, its edges shared with the boxes beside it. */
static void
draw_box(struct map_drawing *d, int64_t box, int x, int y)
{
	const struct map_grid *g = &d->grid;
	const int w = g->box_w, h = (int)g->box_h;
	const double speed = nodes_speed(d->plan, box, box);
	const bool down = map_is_down(d, box, box);
	char title[NODE_NAME_SIZE + PLAN_ID_SIZE + 64], name[NODE_NAME_SIZE];
	const char *gpu;

	for (int i = 0; i <= h; i += h)
		for (int j = 0; j <= w; j++)
			put_clipped(d, x + j, y + i, canvas_glyph(d->c, j > 0 && j < w ? GLYPH_HORIZONTAL :
			    corner(g, box, i > 0, j > 0)));
	for (int i = 1; i < h; i++)
		for (int j = 0; j <= w; j += w)
			put_clipped(d, x + j, y + i, canvas_glyph(d->c, GLYPH_VERTICAL));
	text_put(title, sizeof title, w > 12 ? " node %lld " : w > 7 ? "node %lld" : "%lld",
	    (long long)box);
	if (g->domain > 1 && !g->blocked && w > 30) /* several nodes on one NVLink fabric */
		text_put(title, sizeof title, " node %lld, NVLink domain %lld ", (long long)box,
		    (long long)(box / g->domain));
	if (d->plan->cluster.node_list[0] != '\0') {
		nodes_call(d->plan, box, name, sizeof name);
		if (canvas_width(d->c, name) + 3 <= w)
			text_put(title, sizeof title, " %s ", name);
	}
	if (down && w > 20)
		text_add(title, sizeof title, "down ");
	else if (speed < 1 && w > 20)
		text_add(title, sizeof title, "slow %.3g ", speed);
	else if ((down || speed < 1) && (int)strlen(title) < w - 1)
		text_add(title, sizeof title, down ? "x" : "!");
	gpu = nodes_gpu(d->plan, box);
	if (!text_equal(gpu, d->plan->cluster.gpu) && (int)(strlen(title) + strlen(gpu)) + 2 <= w)
		text_add(title, sizeof title, "%s ", gpu);
	draw_title(d, x + 1, y, w - 1, (struct style){ .role = down ? ROLE_ERROR : speed < 1 ? ROLE_WARNING :
	    ROLE_TEXT }, title, box);
}

/* The largest unit of cluster.levels above a block that begins with it (level_name), -1: none does.
 * *leaf: the block itself is one. */
static int
unit_at(const struct plan *p, int64_t block, int64_t *number, bool *leaf)
{
	const int64_t rack = plan_rack_nodes(p) * p->cluster.gpus_per_node, first = block * rack;
	int kind = 0, largest = -1;
	struct levels levels;
	char err[256];

	*leaf = false;
	*number = 0;
	if (!levels_of(&levels, p, err, sizeof err))
		return -1;
	for (int i = 0; i < levels.count && kind < LEVEL_UNITS; i++) {
		const int64_t gpus = levels.level[i].gpus;

		if (gpus <= p->cluster.gpus_per_node)
			continue;
		*leaf |= kind == 0 && gpus == rack;
		if (gpus > rack && first % gpus == 0) {
			largest = kind;
			*number = first / gpus;
		}
		kind++;
	}
	return largest;
}

/* "═ NVLink domain 3 ════════", the name of the rack alone, or a line where a unit of the network begins. */
static void
draw_heading(struct map_drawing *d, int64_t block, int x, int y)
{
	const bool domain = d->grid.domain > 1;
	const int w = (int)d->grid.block_cols * d->grid.box_w + 1;
	int64_t number;
	bool leaf;
	const int unit = unit_at(d->plan, block, &number, &leaf);
	char title[64], above[32];

	for (int i = 0; (domain || unit >= 0) && i < w; i++)
		put_clipped(d, x + i, y, d->c->utf8 ? 0x2550 : L'=');
	text_put(title, sizeof title, leaf && !domain ? "leaf %lld" : !domain ? "rack %lld" : w > 20 ?
	    " NVLink domain %lld " : "domain %lld", (long long)block);
	if (unit >= 0) {
		text_put(above, sizeof above, "%s %lld", level_name(unit), (long long)number);
		if ((int)(strlen(title) + strlen(above)) + 3 < w)
			text_add(title, sizeof title, ", %s", above);
		else
			text_put(title, sizeof title, "%s", above);
	}
	draw_title(d, x + 1, y, w - 1, (struct style){ .role = domain || unit >= 0 ? ROLE_TITLE : ROLE_DIM },
	    title, block);
}

static void
draw_row_label(struct map_drawing *d, int64_t box, int y)
{
	const struct rect r = { d->clip.x, y, d->grid.label_w - 1, 1 };
	const long long first = d->grid.zoom >= MAP_ZOOM_NODE ? box * d->grid.units : box;
	char buf[48];

	text_put(buf, sizeof buf, d->grid.zoom == MAP_ZOOM_RACK ? "rack %lld" : "node %lld", first);
	if (canvas_width(d->c, buf) > r.w)
		text_put(buf, sizeof buf, "%lld", first);
	canvas_text(d->c, rect_clip(d->clip, r), d->clip.x, y, dim_style, buf);
}

/* A GPU that the layout does not have: it generates, prefills, or has MLPs for those that are in it. */
static void
draw_other_pool(struct map_drawing *d, int x, int y)
{
	char name[48];
	const int w = d->grid.unit_w > 2 ? d->grid.unit_w - 1 : 1;
	const struct rect r = rect_clip(d->clip, (struct rect){ x, y, w, d->grid.unit_h });
	struct style style = { .role = ROLE_KV_CACHE };
	char mark[2] = "*";

	map_role_text(d->plan, MAP_ROLE_OTHER, name, sizeof name);
	for (int i = 0; i < d->view->colors; i++) {
		const struct hue hue = map_paint_other(&d->paint[i]);

		if (hue.value < 0)
			continue;
		style = map_hue_style(&d->paint[i], hue);
		mark[0] = hue.letter;
		canvas_fill(d->c, r, style);
	}
	canvas_text(d->c, r, x, y, style, w < 4 ? mark : name);
}

static void
draw_units(struct map_drawing *d, int64_t box)
{
	const struct map_grid *g = &d->grid;

	for (int64_t i = 0; i < g->units; i++) {
		const int64_t rank = map_grid_at(g, box, i);
		int64_t line;
		int x;

		if (i / g->cols % g->stack != 0 || rank < 0 || rank >= plan_world(d->plan))
			continue; /* drawn with the one above it, or none */
		map_grid_cell(g, rank, &x, &line);
		if (line + g->unit_h <= d->first || line >= d->last)
			continue;
		if (rank >= g->world)
			draw_other_pool(d, d->clip.x + x, d->clip.y + (int)(line - d->first));
		else
			map_unit_draw(d, rank, d->clip.x + x, d->clip.y + (int)(line - d->first));
	}
}

/* Between a node and the next: where an NVLink domain ends, or else a rack, in which blocks are not
 * shown apart, a double line. */
static enum glyph
bar_behind(const struct map_drawing *d, int64_t box)
{
	const int64_t together = d->grid.domain > 1 ? d->grid.domain : plan_rack_nodes(d->plan);

	return !d->grid.blocked && together > 1 && (box + 1) % together == 0 ? GLYPH_DOUBLE :
	    GLYPH_VERTICAL;
}

static void
draw_node(struct map_drawing *d, int64_t box)
{
	const struct map_grid *g = &d->grid;
	const int64_t block = box / g->block, i = box % g->block;
	int64_t line, column, row;
	int x, y;

	map_grid_box(g, box, &x, &line);
	if (line > d->last || line + g->box_h < d->first)
		return;
	x += d->clip.x;
	y = d->clip.y + (int)(line - d->first);
	place_of(g, box, &column, &row);
	if (i == 0 && g->head > 0)
		draw_heading(d, block, x, y - 1);
	if (g->framed)
		draw_box(d, box, x, y);
	else if (block % g->across == 0 && i % g->block_cols == 0)
		draw_row_label(d, box, y);
	if (g->gap > 0 && column + 1 < (g->blocked ? g->block_cols : g->across))
		for (int k = 0; k < g->box_h; k++)
			put_clipped(d, x + g->box_w - 1, y + k, canvas_glyph(d->c, bar_behind(d, box)));
	draw_units(d, box);
}

/* The mark of the i-th entry, " 3 " or a letter; returns the columns that both take. */
static int
put_mark(const struct map_drawing *d, const struct map_paint *m, int64_t i, struct hue hue, const char *text,
    char *mark, size_t size)
{
	const bool numbers = text[0] == '\0' && /* cards name them, blocks have no letters */
	    (d->grid.zoom == MAP_ZOOM_CARD || map_grid_halved(&d->grid) || m->blocks);

	if (numbers)
		text_put(mark, size, " %lld ", (long long)i);
	else
		text_put(mark, size, text[0] != '\0' ? " %c " : "%c", hue.letter);
	return canvas_width(d->c, mark) + (text[0] != '\0' ? 2 + canvas_width(d->c, text) : 1);
}

/* What the i-th entry looks like in its colour, and what it means. */
static int
draw_entry(struct map_drawing *d, struct rect r, int x, const struct map_paint *m, int64_t i,
    struct hue hue, const char *text)
{
	char mark[24];
	const int w = put_mark(d, m, i, hue, text, mark, sizeof mark);

	if (x + w + 1 > r.x + r.w)
		return 0;
	x += canvas_text(d->c, r, x, r.y, map_hue_style(m, hue), mark);
	if (text[0] != '\0')
		canvas_text(d->c, r, x + 1, r.y, dim_style, text);
	return w;
}

/* Columns that the letters of a legend take, as far as that is known. */
static int64_t
letters_width(const struct map_paint *m)
{
	const int64_t n = m->color.by == MAP_BY_GROUPS ? m->values :
	    m->color.by == MAP_BY_STAGE ? m->stages : 0;

	return 2 * n > ENTRIES_LEAST ? 2 * n : ENTRIES_LEAST;
}

/* "tp: 8 groups of 2", and where a letter stands for more than it tells of: "layers, by each
 * node's first GPU:", shorter where that would leave too little room for the letters. Groups that
 * are not drawn, being inside nodes, are told to be so. */
static void
put_title(const struct map_drawing *d, const struct map_paint *m, int room, char *buf,
    size_t size)
{
	const char *unit = d->grid.zoom == MAP_ZOOM_RACK ? "rack" : "node";
	const int whole = sizeof ", by each node's first GPU", brief = sizeof " (first GPU)";
	int64_t letters = letters_width(m);
	bool colon;
	size_t n;

	map_paint_title(m, buf, size);
	n = strlen(buf);
	if (d->grid.stride == 1 || n == 0)
		return;
	if (m->single) {
		if ((int)n + (int)sizeof ", each inside one node" <= room)
			text_add(buf, size, ", each inside one %s", unit);
		return;
	}
	colon = buf[n - 1] == ':';
	if (colon)
		buf[--n] = '\0';
	if ((int)n + brief + letters > room) /* too many in any case */
		letters = ENTRIES_LEAST;
	if ((int)n + whole + letters <= room)
		text_add(buf, size, ", by each %s's first GPU", unit);
	else
		text_add(buf, size, " (first GPU)");
	if (colon)
		text_add(buf, size, ":");
}

/* Whether all entries have room in a legend of so many lines, of which the first begins at column x. */
static bool
has_room(const struct map_drawing *d, const struct map_paint *m, struct rect r, int x)
{
	char text[MAP_COLOR_TEXT_SIZE + 32], mark[24];
	struct hue hue;
	int lines = 1;

	for (int64_t i = 0; map_paint_entry(m, i, &hue, text, sizeof text); i++) {
		const int w = put_mark(d, m, i, hue, text, mark, sizeof mark);

		if (x + w + 1 > r.w) {
			lines++;
			x = LEGEND_INDENT;
		}
		x += w;
	}
	return lines <= r.h;
}

/* "tp: 8 groups of 2  A B C ...", the letters as on the map. Entries of words go on in
 * further lines, as far as there are any, and stages where these have room for all. Returns the lines that it
 * took. */
static int
draw_legend(struct map_drawing *d, struct rect r, int space)
{
	const struct map_paint *m = &d->paint[space];
	struct rect line = { r.x, r.y, r.w, 1 };
	char buf[MAP_COLOR_TEXT_SIZE + 32];
	struct hue hue;
	int x = r.x, w;
	bool goes_on;

	put_title(d, m, r.w, buf, sizeof buf);
	x += canvas_text(d->c, line, x, line.y, dim_style, buf) + 1;
	goes_on = m->color.by == MAP_BY_STAGE && has_room(d, m, r, x - r.x);
	for (int64_t i = 0; map_paint_entry(m, i, &hue, buf, sizeof buf); i++) {
		if (hue.value < 0)
			continue;
		w = draw_entry(d, line, x, m, i, hue, buf);
		if (w == 0 && (goes_on || buf[0] != '\0') && line.y + 1 < r.y + r.h) {
			line.y++;
			x = r.x + LEGEND_INDENT;
			w = draw_entry(d, line, x, m, i, hue, buf);
		}
		if (w == 0) {
			if (x < r.x + r.w)
				canvas_put(d->c, x, line.y, dim_style, canvas_glyph(d->c, GLYPH_MORE));
			break;
		}
		x += w;
	}
	return line.y + 1 - r.y;
}

/* One line at least for each colour, as far as there are lines. Returns how many it took. */
static int
draw_legends(struct map_drawing *d, struct rect r)
{
	const int n = d->view->colors;
	struct map_paint *first = &d->paint[0];
	int spare = r.h - n, total = 0;

	while (first->color.by == MAP_BY_RELATION && first->words < RELATION_SIZE && !has_room(d, first, r, 1))
		first->words++;
	/* Side by side, where ranks took the lines. */
	for (int i = 0; i < n && r.h < n && r.h > 0; i++)
		draw_legend(d, (struct rect){ r.x + r.w * i / n, r.y, r.w / n, 1 }, i);
	if (r.h < n)
		return 1;

	for (int i = 0; i < d->view->colors && r.h > 0; i++) {
		int lines = draw_legend(d, (struct rect){ r.x, r.y, r.w, spare > 0 ? 1 + spare : 1 }, i);

		spare -= lines - 1;
		r.y += lines;
		r.h -= lines;
		total += lines;
	}
	return total;
}

/* On paper there is no height to fit, but pages to save. */
static void
paper_grid(struct map_grid *g, const struct map_view *view, const struct plan *p,
    const struct estimate *e, int w)
{
	const int64_t world = e->layout.world;
	struct map_view v = *view;

	if (v.zoom == MAP_ZOOM_AUTO)
		v.zoom = map_grid_relates_nodes(&v, e) ? MAP_ZOOM_NODE : world <= 128 ? MAP_ZOOM_CARD :
		    world <= 4096 ? MAP_ZOOM_LABEL : MAP_ZOOM_CELL;
	map_grid_init(g, &v, p, e, w, world <= 65536 ? INT64_MAX : 0);
}

static void
drawing_init(struct map_drawing *d, const struct plan *p, const struct estimate *e,
    const struct map_view *view)
{
	struct paint_offsets beside;
	char err[256];

	d->plan = p;
	d->estimate = e;
	d->view = view;
	if (!nodes_dead(&d->dead, p, err, sizeof err))
		d->dead.count = 0;
	d->marks = view->where != NULL && !where_empty(view->where);
	if (view->printed)
		paper_grid(&d->grid, view, p, e, d->clip.w);
	else
		map_grid_init(&d->grid, view, p, e, d->clip.w, d->clip.h);
	beside = map_grid_offsets(&d->grid);
	for (int i = 0; i < view->colors; i++) {
		struct map_paint *m = &d->paint[i];

		map_paint_init(m, view->color[i], i, view->colors, view->depth, p, e, &beside);
		m->single = view->colors > 1 && map_color_inside(m->color, &e->layout, d->grid.stride);
		map_mend(&d->grid, m);
		if (m->color.by == MAP_BY_RELATION)
			map_paint_relate(m, view->cursor, d->grid.stride);
		m->least = d->grid.zoom >= MAP_ZOOM_CELL;
		d->cursor_value[i] = -1;
		if (view->peers && view->cursor >= 0 && view->cursor < e->layout.world &&
		    map_paint_has_peers(m))
			d->cursor_value[i] = map_paint_of(m, view->cursor).value;
	}
}

void
map_draw(struct canvas *c, struct rect area, const struct plan *p, const struct estimate *e,
    const struct map_view *view)
{
	struct map_drawing d;
	const int legend = map_legend_lines(view, p, e, area.w, area.h);
	int64_t lines, first, last;

	area = rect_clip(area, (struct rect){ 0, 0, c->w, c->h });
	if (area.w <= 0 || area.h <= 0 || view->colors < 1)
		return;
	d.c = c;
	d.clip = area;
	d.clip.h -= legend;
	drawing_init(&d, p, e, view);
	lines = map_grid_lines(&d.grid);
	d.first = lines - d.clip.h < view->first_row ? lines - d.clip.h : view->first_row;
	if (d.first < 0)
		d.first = 0;
	d.last = d.first + d.clip.h;
	/* The box above the first line shares its lower edge with it. */
	first = d.first / d.grid.block_h - 1;
	last = d.last / d.grid.block_h + 1;
	first = first > 0 ? first * d.grid.across * d.grid.block : 0;
	last *= d.grid.across * d.grid.block;
	for (int64_t box = first; box < last && box < d.grid.boxes; box++)
		draw_node(&d, box);
	lines = lines < d.clip.h ? lines : d.clip.h;
	draw_legends(&d, (struct rect){ area.x, area.y + (int)lines, area.w, area.h - (int)lines });
}

int64_t
map_rows(const struct plan *p, const struct estimate *e, const struct map_view *view,
    int width)
{
	struct canvas none = { .utf8 = view->utf8 }; /* the legend is drawn to see its lines */
	struct map_view v = *view;
	struct map_drawing d = { .c = &none, .clip = { 0, 0, width, 0 } };

	v.printed = true;
	drawing_init(&d, p, e, &v);
	return map_grid_lines(&d.grid) + draw_legends(&d, (struct rect){ 0, 0, width, LEGEND_MOST });
}
