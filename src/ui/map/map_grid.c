#include "ui/map/map_grid.h"

#include "core/base/text.h"

/* The forms that a zoom may take, the first that fits is taken. */
struct form {
	enum map_zoom zoom;
	bool framed, blocked;
};

static const struct form form_table[] = {
	{ MAP_ZOOM_CARD, true, true }, { MAP_ZOOM_CARD, true, false },
	{ MAP_ZOOM_LABEL, true, true }, { MAP_ZOOM_LABEL, true, false },
	{ MAP_ZOOM_CELL, true, true }, { MAP_ZOOM_CELL, true, false },
	{ MAP_ZOOM_CELL, false, true }, { MAP_ZOOM_CELL, false, false },
	{ MAP_ZOOM_HALF, false, true }, { MAP_ZOOM_HALF, false, false },
	{ MAP_ZOOM_NODE, false, true }, { MAP_ZOOM_NODE, false, false },
	{ MAP_ZOOM_RACK, false, false },
};
enum { FORMS = (int)(sizeof form_table / sizeof *form_table) };

static int
digits(int64_t n)
{
	int count = 1;

	while (n >= 10) {
		n /= 10;
		count++;
	}
	return count;
}

int
map_legend_lines(const struct map_view *view, int64_t h)
{
	return view->printed || h >= view->colors + 4 ? view->colors : 0;
}

bool
map_grid_has_halves(const struct map_view *view)
{
	/* Several sources share fewer colours: they need their letters. */
	return view->utf8 && (view->depth == THEME_256 ||
	    (view->depth != THEME_MONO && view->colors == 1));
}

void
map_coordinates(const struct layout *l, int64_t rank, char *buf, size_t size)
{
	const struct grid *g = &l->grid[0];

	buf[0] = '\0';
	for (int i = 0; i < g->axes; i++)
		if (g->axis[i].size > 1)
			text_add(buf, size, "%c%lld", g->axis[i].name[0],
			    (long long)layout_coord(l, 0, i, rank));
}

/* The longest coordinates. */
static int
coordinates_width(const struct layout *l)
{
	const struct grid *g = &l->grid[0];
	int w = 0;

	for (int i = 0; i < g->axes; i++)
		if (g->axis[i].size > 1)
			w += 1 + digits(g->axis[i].size - 1);
	return w;
}

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

/* "13 gpu 5 t1d0p2", or the coordinates below. */
static int
card_width(const struct map_grid *g, const struct map_view *view, const struct estimate *e)
{
	const int head = g->rank_w + 5 + digits(g->units - 1);
	const int coordinates = coordinates_width(&e->layout);
	int w = g->tall ? larger(head, coordinates) : head + 1 + coordinates;

	for (int i = 0; i < view->colors; i++)
		w = larger(w, map_color_width(view->color[i], e));
	return w + 3; /* a blank at both ends, and one between cards */
}

/* The most columns up to `most` that cut n into equal rows. */
static int64_t
equal_columns(int64_t n, int64_t most)
{
	if (most >= n)
		return n;
	for (int64_t c = most; c > 1; c--)
		if (n % c == 0 && c * 2 > most)
			return c;
	return most > 1 ? most : 1;
}

static int64_t
rows_of(int64_t n, int64_t columns)
{
	return (n + columns - 1) / columns;
}

int64_t
map_grid_lines(const struct map_grid *g)
{
	return g->down * g->block_h + (g->framed && !g->blocked ? 1 : 0) -
	    (g->blocked && !g->framed && g->block_rows > 1 ? 1 : 0);
}

/* Columns that the widest row takes. */
static int64_t
grid_width(const struct map_grid *g)
{
	return g->label_w + (g->across - 1) * g->block_w + g->block_cols * g->box_w +
	    (g->framed ? 1 : 0);
}

/* Blocks of `cols` boxes in a row, as many blocks side by side as fit. */
static void
place_blocks(struct map_grid *g, int w, int64_t cols)
{
	const int64_t blocks = rows_of(g->boxes, g->block);
	int64_t room, last;

	g->block_cols = cols;
	g->block_rows = rows_of(g->block, cols);
	g->block_w = cols * g->box_w;
	g->block_h = g->head + g->block_rows * g->box_h;
	if (g->blocked) {
		g->block_w += g->framed ? 2 : 1;
		g->block_h += g->framed || g->block_rows > 1 ? 1 : 0;
	}
	last = cols * g->box_w + (g->framed ? 1 : 0); /* needs no room to the next */
	room = (w - g->label_w - last) / g->block_w + 1;
	if (w - g->label_w < last)
		room = 1;
	if (g->zoom >= MAP_ZOOM_NODE && room * g->block > 8)
		for (int64_t to = 8; to > 1; to /= 2)
			if (room > to && (room - room % to) * 8 >= room * 7) {
				room -= room % to; /* rows that begin with round numbers */
				break;
			}
	g->across = room < blocks ? room : blocks;
	g->down = rows_of(blocks, g->across);
}

/* Of all ways to cut a block into rows, the one that takes the fewest lines. */
static void
choose_blocks(struct map_grid *g, int w)
{
	const int64_t room = (w - g->label_w - (g->framed ? 1 : 0)) / g->box_w;
	struct map_grid best;

	place_blocks(g, w, equal_columns(g->block, room > 1 ? room : 1));
	best = *g;
	for (int64_t cols = g->block_cols - 1; cols > 1; cols--) {
		if (g->block % cols != 0)
			continue;
		place_blocks(g, w, cols);
		if (map_grid_lines(g) < map_grid_lines(&best))
			best = *g;
	}
	*g = best;
}

static void
size_units(struct map_grid *g, const struct map_view *view, const struct estimate *e)
{
	int several = view->colors > 1 ? view->colors + 1 : 1;

	if (g->zoom == MAP_ZOOM_CARD) {
		g->unit_w = card_width(g, view, e);
		g->unit_h = 1 + (g->tall ? 1 : 0) + view->colors;
	} else if (g->zoom == MAP_ZOOM_LABEL) {
		g->colon = view->color[0].by == MAP_BY_STAGE || view->color[0].by == MAP_BY_MEMORY;
		g->unit_w = g->rank_w + g->colon + view->colors + 2;
	} else {
		g->unit_w = several;
	}
}

/* What a box and a unit stand for. */
static void
size_boxes(struct map_grid *g, const struct plan *p)
{
	g->boxes = p->cluster.nodes;
	g->units = p->cluster.gpus_per_node;
	g->stride = 1;
	if (g->zoom == MAP_ZOOM_NODE || g->zoom == MAP_ZOOM_RACK) {
		g->stride = g->units;
		g->units = 1;
	}
	if (g->zoom == MAP_ZOOM_RACK) {
		g->stride *= plan_rack_nodes(p);
		g->boxes = rows_of(g->boxes, plan_rack_nodes(p));
	}
}

/* Half blocks: an even number of rows, so that no half stays empty. */
static void
size_rows(struct map_grid *g, int w)
{
	const int64_t room = w - g->label_w - g->left - (g->framed ? 1 : 0);
	const int64_t most = room / g->unit_w;

	g->stack = g->zoom == MAP_ZOOM_HALF && g->units > 1 ? 2 : 1;
	g->cols = equal_columns(rows_of(g->units, g->stack), most);
	g->rows = rows_of(g->units, g->cols);
}

/* False when the plan has no blocks to show. */
static bool
grid_at(struct map_grid *g, const struct form *form, bool tall, const struct map_view *view,
    const struct plan *p, const struct estimate *e, int w)
{
	const bool whole = p->cluster.nvlink_domain % p->cluster.gpus_per_node == 0;
	const int64_t domain = whole ? plan_domain_nodes(p) : 1;

	*g = (struct map_grid){
		.zoom = form->zoom, .framed = form->framed, .tall = tall, .unit_h = 1,
		.world = e->layout.world, .rank_w = digits(e->layout.world - 1), .block = 1,
		.domain = domain,
	};
	size_boxes(g, p);
	if (form->blocked) {
		g->blocked = true;
		g->block = domain > 1 ? domain : plan_rack_nodes(p);
		if (g->block == 1 || (domain == 1 && g->block >= g->boxes))
			return false;
		if (g->block > g->boxes)
			g->block = g->boxes;
		g->head = form->framed ? 1 : 0;
	}
	size_units(g, view, e);
	if (g->framed) {
		g->left = g->zoom == MAP_ZOOM_CARD ? 2 : 1;
		g->top = 1;
	} else
		g->label_w = digits(g->boxes - 1) + 6; /* "node 12 " */
	size_rows(g, w);
	g->box_w = g->left + (int)g->cols * g->unit_w;
	if (g->zoom == MAP_ZOOM_CELL && !g->framed)
		g->box_w++; /* a bar between nodes */
	g->box_h = rows_of(g->rows, g->stack) * g->unit_h + g->top;
	choose_blocks(g, w);
	return true;
}

/* The coordinates of cards have a line of their own where that makes the map shorter. */
static bool
grid_of(struct map_grid *g, const struct form *form, const struct map_view *view,
    const struct plan *p, const struct estimate *e, int w)
{
	struct map_grid tall;

	if (!grid_at(g, form, false, view, p, e, w))
		return false;
	if (form->zoom == MAP_ZOOM_CARD && grid_at(&tall, form, true, view, p, e, w) &&
	    (map_grid_lines(&tall) < map_grid_lines(g) || grid_width(g) > w))
		*g = tall;
	return true;
}

void
map_grid_init(struct map_grid *g, const struct map_view *view, const struct plan *p,
    const struct estimate *e, int w, int64_t h)
{
	const bool automatic = view->zoom == MAP_ZOOM_AUTO, halves = map_grid_has_halves(view);
	const enum map_zoom zoom = view->zoom == MAP_ZOOM_HALF && !halves ? MAP_ZOOM_CELL :
	    view->zoom;
	struct map_grid at;
	bool any = false;

	for (int i = 0; i < FORMS; i++) {
		const struct form *form = &form_table[i];
		bool whole;

		if (!automatic && form->zoom != zoom)
			continue;
		if (automatic && form->zoom == MAP_ZOOM_HALF && !halves)
			continue;
		if (!grid_of(&at, form, view, p, e, w))
			continue;
		whole = grid_width(&at) <= w;
		if (whole && map_grid_lines(&at) <= h) {
			*g = at;
			return;
		}
		/* Nothing fits: the smallest zoom, and of its forms the first that can be scrolled
		 * down, for cells the one without frames. */
		if (!any || automatic || (whole && grid_width(g) > w) ||
		    (whole && g->framed && !at.framed))
			*g = at;
		any = true;
	}
}

void
map_grid_box(const struct map_grid *g, int64_t box, int *x, int64_t *y)
{
	const int64_t block = box / g->block, i = box % g->block;

	*x = g->label_w + (int)(block % g->across * g->block_w + i % g->block_cols * g->box_w);
	*y = block / g->across * g->block_h + g->head + i / g->block_cols * g->box_h;
}

void
map_grid_cell(const struct map_grid *g, int64_t rank, int *x, int64_t *y)
{
	const int64_t unit = rank / g->stride, i = unit % g->units;

	map_grid_box(g, unit / g->units, x, y);
	*x += g->left + (int)(i % g->cols) * g->unit_w;
	*y += g->top + i / g->cols / g->stack * g->unit_h;
}

/* The rank of unit i of a box, -1 where there is none. */
static int64_t
rank_of(const struct map_grid *g, int64_t box, int64_t i)
{
	const int64_t rank = (box * g->units + i) * g->stride;

	return box < g->boxes && i < g->units && rank < g->world ? rank : -1;
}

int64_t
map_grid_rank(const struct map_grid *g, int x, int64_t y)
{
	int64_t in_x = x - g->label_w, block, i, unit;

	if (in_x < 0 || y < 0 || in_x / g->block_w >= g->across || y / g->block_h >= g->down)
		return -1;
	block = y / g->block_h * g->across + in_x / g->block_w;
	in_x %= g->block_w;
	y = y % g->block_h - g->head;
	if (y < 0 || in_x / g->box_w >= g->block_cols || y / g->box_h >= g->block_rows)
		return -1;
	i = y / g->box_h * g->block_cols + in_x / g->box_w;
	in_x = in_x % g->box_w - g->left;
	y = y % g->box_h - g->top;
	if (i >= g->block || in_x < 0 || y < 0 || in_x / g->unit_w >= g->cols)
		return -1;
	unit = y / g->unit_h * g->stack * g->cols + in_x / g->unit_w;
	return rank_of(g, block * g->block + i, unit);
}

void
map_grid_unit(const struct map_grid *g, int64_t rank, int64_t *column, int64_t *row)
{
	const int64_t unit = rank / g->stride, box = unit / g->units, i = unit % g->units;
	const int64_t block = box / g->block, j = box % g->block;

	*column = (block % g->across * g->block_cols + j % g->block_cols) * g->cols + i % g->cols;
	*row = (block / g->across * g->block_rows + j / g->block_cols) * g->rows + i / g->cols;
}

int64_t
map_grid_unit_rank(const struct map_grid *g, int64_t column, int64_t row)
{
	const int64_t box_x = column / g->cols, box_y = row / g->rows;
	const int64_t j = box_y % g->block_rows * g->block_cols + box_x % g->block_cols;
	const int64_t block = box_y / g->block_rows * g->across + box_x / g->block_cols;

	if (column < 0 || row < 0 || box_x >= g->across * g->block_cols || j >= g->block)
		return -1;
	return rank_of(g, block * g->block + j, row % g->rows * g->cols + column % g->cols);
}

struct paint_offsets
map_grid_offsets(const struct map_grid *g)
{
	const int64_t box = g->units * g->stride;
	/* From a box's last column to the next box's first, and from its last row down. */
	const int64_t beside = (g->cols - 1) * g->stride;
	const int64_t below = (g->rows - 1) * g->cols * g->stride;
	const int64_t column = (g->block - g->block_cols + 1) * box - beside;
	const int64_t boxes = g->across * g->block - (g->block_rows - 1) * g->block_cols;
	const int64_t row = boxes * box - below;
	struct paint_offsets o = { .box = box };

	if (g->cols > 1)
		o.offset[o.count++] = g->stride;
	if (g->rows > 1)
		o.offset[o.count++] = g->cols * g->stride;
	o.inside = o.count;
	if (g->block_cols > 1)
		o.offset[o.count++] = box - beside;
	if (g->block_rows > 1)
		o.offset[o.count++] = g->block_cols * box - below;
	if (g->down > 1 && (!g->blocked || (!g->framed && g->block_rows == 1)))
		o.offset[o.count++] = row;
	if (g->across > 1 && !g->blocked)
		o.offset[o.count++] = column;
	/* Past the gap between blocks. */
	o.touching = o.count;
	if (g->down > 1 && g->blocked && (g->framed || g->block_rows > 1))
		o.offset[o.count++] = row;
	if (g->across > 1 && g->blocked)
		o.offset[o.count++] = column;
	return o;
}
