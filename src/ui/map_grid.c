#include <string.h>

#include "core/text.h"
#include "ui/map_grid.h"
#include "ui/paint.h"

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
	return h >= view->colors + 4 ? view->colors : 0;
}

int
map_band_width(const struct layout *l, int kind)
{
	return (int)strlen(l->kind[kind].name) + 1 + digits(layout_group_count(l, kind) - 1);
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

/* The widest that the first line of a card becomes: rank, blank, coordinates. */
static int
card_head_width(const struct layout *l, int rank_w)
{
	const struct grid *g = &l->grid[0];
	int w = rank_w;

	for (int i = 0, first = 1; i < g->axes; i++)
		if (g->axis[i].size > 1) {
			w += first + 1 + digits(g->axis[i].size - 1);
			first = 0;
		}
	return w;
}

/* The most columns up to `most` that cut a node into equal rows. */
static int64_t
equal_columns(int64_t gpus, int64_t most)
{
	if (most >= gpus)
		return gpus;
	for (int64_t c = most; c > 1; c--)
		if (gpus % c == 0 && c * 2 > most)
			return c;
	return most > 1 ? most : 1;
}

static void
place_nodes(struct map_grid *g, int w)
{
	int64_t room = (w - g->label_w - (g->framed ? 1 : 0)) / g->node_w;

	if (room < 1)
		room = 1;
	if (g->zoom == MAP_ZOOM_NODE && room > 8)
		room -= room % 8;
	g->across = room < g->nodes ? room : g->nodes;
	g->node_rows = (g->nodes + g->across - 1) / g->across;
}

static void
size_units(struct map_grid *g, const struct map_view *view, const struct layout *l)
{
	int several = view->colors > 1 ? view->colors + 1 : 1;

	switch (g->zoom) {
	case MAP_ZOOM_CARD:
		g->unit_w = card_head_width(l, g->rank_w) + 2;
		for (int i = 0; i < view->colors; i++)
			if (map_band_width(l, view->kind[i]) + 2 > g->unit_w)
				g->unit_w = map_band_width(l, view->kind[i]) + 2;
		g->unit_w++;
		g->unit_h = 1 + view->colors;
		break;
	case MAP_ZOOM_LABEL:
		g->unit_w = g->rank_w + view->colors + 2;
		break;
	case MAP_ZOOM_AUTO:
	case MAP_ZOOM_CELL:
	case MAP_ZOOM_NODE:
		g->unit_w = several;
		break;
	}
}

static void
grid_at(struct map_grid *g, enum map_zoom zoom, bool framed, const struct map_view *view,
    const struct plan *p, const struct layout *l, int w)
{
	int64_t room;

	*g = (struct map_grid){
		.zoom = zoom, .framed = framed && zoom != MAP_ZOOM_NODE, .unit_h = 1, .stride = 1,
		.nodes = p->cluster.nodes, .gpus = p->cluster.gpus_per_node,
		.rank_w = digits(l->world - 1),
	};
	size_units(g, view, l);
	if (zoom == MAP_ZOOM_NODE) {
		g->stride = g->gpus;
		g->gpus = 1;
	}
	if (g->framed) {
		g->left = zoom == MAP_ZOOM_CARD ? 2 : 1;
		g->top = 1;
	} else
		g->label_w = digits(g->nodes - 1) + 6; /* "node 12 " */
	room = w - g->label_w - g->left - (g->framed ? 1 : 0);
	g->cols = equal_columns(g->gpus, room / g->unit_w);
	g->rows = (g->gpus + g->cols - 1) / g->cols;
	g->node_w = g->left + (int)g->cols * g->unit_w;
	if (!g->framed && zoom == MAP_ZOOM_CELL)
		g->node_w++; /* a bar between nodes */
	g->node_h = g->rows * g->unit_h + g->top;
	place_nodes(g, w);
}

int64_t
map_grid_lines(const struct map_grid *g)
{
	return g->node_rows * g->node_h + (g->framed ? 1 : 0);
}

/* True when nothing of the grid is cut off at the right. */
static bool
is_whole(const struct map_grid *g, int w)
{
	return g->label_w + g->across * g->node_w <= w || g->zoom == MAP_ZOOM_NODE;
}

void
map_grid_init(struct map_grid *g, const struct map_view *view, const struct plan *p,
    const struct layout *l, int w, int64_t h)
{
	if (view->zoom != MAP_ZOOM_AUTO) {
		grid_at(g, view->zoom, true, view, p, l, w);
		if (view->zoom == MAP_ZOOM_CELL && map_grid_lines(g) > h)
			grid_at(g, view->zoom, false, view, p, l, w);
		return;
	}
	for (int zoom = MAP_ZOOM_CARD; zoom < MAP_ZOOM_NODE; zoom++) {
		grid_at(g, (enum map_zoom)zoom, true, view, p, l, w);
		if (map_grid_lines(g) <= h && is_whole(g, w))
			return;
	}
	grid_at(g, MAP_ZOOM_CELL, false, view, p, l, w);
	if (map_grid_lines(g) <= h && is_whole(g, w))
		return;
	grid_at(g, MAP_ZOOM_NODE, false, view, p, l, w);
}

void
map_grid_cell(const struct map_grid *g, int64_t rank, int *x, int64_t *y)
{
	int64_t unit = rank / g->stride, node = unit / g->gpus, i = unit % g->gpus;

	*x = g->label_w + g->left + (int)(node % g->across) * g->node_w +
	    (int)(i % g->cols) * g->unit_w;
	*y = node / g->across * g->node_h + g->top + i / g->cols * g->unit_h;
}

int
map_grid_offsets(const struct map_grid *g, int64_t offset[])
{
	int n = 0;

	offset[n++] = g->stride;
	if (g->rows > 1)
		offset[n++] = g->cols;
	if (g->rows > 1 && g->across > 1)
		offset[n++] = (g->gpus - g->cols + 1) * g->stride;
	if (g->node_rows > 1)
		offset[n++] = (g->across * g->gpus - (g->rows - 1) * g->cols) * g->stride;
	return n;
}
