#include "ui/map/map_grid.h"

#include "core/base/text.h"

enum { RELATED_MOST = 1024 }; /* GPUs; of more nodes are related */

bool
map_grid_has_halves(const struct map_view *view)
{
	/* Several sources share fewer colours: they need their letters. */
	return view->utf8 && (view->depth >= THEME_256 ||
	    (view->depth != THEME_MONO && view->colors == 1));
}

bool
map_grid_halved(const struct map_grid *g)
{
	return g->zoom == MAP_ZOOM_HALF || g->stack > 1;
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

void
map_axes(const struct layout *l, int64_t rank, char *buf, size_t size)
{
	for (int grid = 0; grid < l->grids; grid++)
		for (int axis = 0; axis < l->grid[grid].axes; axis++)
			if (!layout_axis_again(l, grid, l->grid[grid].axis[axis].name))
				text_add(buf, size, " %s=%lld", l->grid[grid].axis[axis].name,
				    (long long)layout_coord(l, grid, axis, rank));
}

int64_t
map_grid_lines(const struct map_grid *g)
{
	return g->down * g->block_h + (g->framed && !g->blocked ? 1 : 0) -
	    (g->blocked && !g->framed && g->block_rows > 1 ? 1 : 0);
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
	const int64_t unit = plan_slot(g->plan, rank) / g->stride, i = unit % g->units;

	map_grid_box(g, unit / g->units, x, y);
	*x += g->left + (int)(i % g->cols) * g->unit_w;
	*y += g->top + i / g->cols / g->stack * g->unit_h;
}

int64_t
map_grid_at(const struct map_grid *g, int64_t box, int64_t i)
{
	return plan_at_slot(g->plan, (box * g->units + i) * g->stride);
}

/* The rank of unit i of a box, -1 where there is none. */
static int64_t
rank_of(const struct map_grid *g, int64_t box, int64_t i)
{
	const int64_t rank = map_grid_at(g, box, i);

	return rank >= 0 && box < g->boxes && i < g->units && rank < g->world ? rank : -1;
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
	const int64_t unit = plan_slot(g->plan, rank) / g->stride, box = unit / g->units, i = unit % g->units;
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

bool
map_grid_relates_nodes(const struct map_view *view, const struct estimate *e)
{
	return view->color[0].by == MAP_BY_RELATION && e->layout.world > RELATED_MOST;
}

bool
map_grid_stands_still(const struct map_view *view, const struct estimate *e)
{
	return !view->printed && view->zoom == MAP_ZOOM_AUTO && view->colors == 1 && e->layout.world <= RELATED_MOST;
}
