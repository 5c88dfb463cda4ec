/* Finding places on the map and moving about on it. */
#include "core/base/text.h"
#include "ui/map/map_grid.h"

enum {
	RELATED_WIDTH = 24, /* columns of a kind in the legend of relations */
	LABELLED_MOST = 512, /* more ranks have no room on any screen */
};

static bool
has_ranks(const struct map_view *view, const struct plan *p, const struct estimate *e, int w,
    int64_t h)
{
	struct map_grid g;

	map_grid_init(&g, view, p, e, w, h);
	return g.zoom <= MAP_ZOOM_LABEL;
}

/* Lines for the kinds in which GPUs are related, each with its size, link and bytes. */
static int
related_lines(const struct layout *l, int w)
{
	struct map_relation relation;

	map_relation_init(&relation, l, -1, false);
	return relation.count * RELATED_WIDTH > w ? 2 : 1;
}

int
map_legend_lines(const struct map_view *view, const struct plan *p, const struct estimate *e,
    int w, int64_t h)
{
	const bool related = view->color[0].by == MAP_BY_RELATION || map_grid_stands_still(view, e);
	const int lines = related && h >= 12 ? related_lines(&e->layout, w) : view->colors;
	const int most = view->printed || h >= lines + 4 ? lines : 0;

	return view->colors > 1 && most > 1 && !view->printed && view->zoom == MAP_ZOOM_AUTO &&
	    e->layout.world <= LABELLED_MOST && !has_ranks(view, p, e, w, h - most) &&
	    has_ranks(view, p, e, w, h - 1) ? 1 : most;
}

static const char *const zoom_names[MAP_ZOOM_COUNT] = {
	"auto", "cards", "labels", "cells", "halves", "nodes", "racks"
};

const char *
map_zoom_name(enum map_zoom zoom)
{
	return zoom_names[zoom];
}

enum map_zoom
map_zoom_find(const char *name)
{
	enum map_zoom zoom = MAP_ZOOM_AUTO;

	while (zoom < MAP_ZOOM_COUNT && !text_equal(zoom_names[zoom], name))
		zoom++;
	return zoom;
}

/* The grid in an area, and the lines left to it beside the legend. */
static int
grid_in(struct map_grid *g, const struct map_view *view, struct map_area area)
{
	const int h = area.h - map_legend_lines(view, area.plan, area.estimate, area.w, area.h);

	map_grid_init(g, view, area.plan, area.estimate, area.w, h);
	return h;
}

enum map_zoom
map_zoom_for(const struct map_view *view, struct map_area area)
{
	struct map_grid g;

	grid_in(&g, view, area);
	return g.zoom;
}

int
map_spare(const struct map_view *view, struct map_area area)
{
	struct map_grid g;
	int64_t spare = 0;

	for (int i = 0; i < view->colors; i++)
		if (view->color[i].by != MAP_BY_GROUPS && view->color[i].by != MAP_BY_STAGE)
			return 0; /* words may need more lines than one */
	if (area.estimate->laid_out)
		spare = grid_in(&g, view, area) - map_grid_lines(&g);
	while (spare > 0 &&
	    map_legend_lines(view, area.plan, area.estimate, area.w, area.h - spare) <
	    map_legend_lines(view, area.plan, area.estimate, area.w, area.h))
		spare--;
	return spare > 0 ? (int)spare : 0;
}

enum map_zoom
map_zoom_next(const struct map_view *view, struct map_area area, int way)
{
	int zoom = (int)view->zoom;

	if (view->zoom == MAP_ZOOM_AUTO)
		zoom = (int)map_zoom_for(view, area);
	zoom -= way;
	if (zoom == MAP_ZOOM_HALF && !map_grid_has_halves(view))
		zoom -= way;
	if (zoom == MAP_ZOOM_RACK && plan_rack_nodes(area.plan) == 1)
		zoom -= way;
	if (zoom < MAP_ZOOM_CARD || zoom >= MAP_ZOOM_COUNT)
		return MAP_ZOOM_AUTO;
	return (enum map_zoom)zoom;
}

/* First line shown, whatever the view says, so that no room stays empty. */
static int64_t
first_line(const struct map_view *view, const struct map_grid *g, int h)
{
	int64_t most = map_grid_lines(g) - h;
	int64_t first = view->first_row < most ? view->first_row : most;

	return first > 0 ? first : 0;
}

struct part
map_part(const struct map_view *view, struct map_area area)
{
	struct map_grid g;
	const int h = grid_in(&g, view, area);

	return (struct part){ first_line(view, &g, h), h, map_grid_lines(&g) };
}

bool
map_find(const struct map_view *view, struct map_area area, int64_t rank, int *x, int *y)
{
	struct map_grid g;
	const int h = grid_in(&g, view, area);
	int64_t line;

	map_grid_cell(&g, rank, x, &line);
	line -= first_line(view, &g, h);
	*y = line >= 0 && line < h ? (int)line : 0;
	return line >= 0 && line < h && *x < area.w;
}

int64_t
map_at(const struct map_view *view, struct map_area area, int x, int y)
{
	struct map_grid g;
	const int h = grid_in(&g, view, area);

	return x >= 0 && x < area.w && y >= 0 && y < h ?
	    map_grid_rank(&g, x, y + first_line(view, &g, h)) : -1;
}

bool
map_move(struct map_view *view, struct map_area area, int64_t dx, int64_t dy)
{
	struct map_grid g;
	int64_t x, y, rank, was = view->cursor;

	grid_in(&g, view, area);
	if (was < 0) {
		view->cursor = 0;
		return true;
	}
	map_grid_unit(&g, was, &x, &y);
	rank = map_grid_unit_rank(&g, x + dx, y + dy);
	/* A page that leads past the edge goes to the edge. */
	for (int64_t step = dy; rank < 0 && step != 0; step -= step > 0 ? 1 : -1)
		rank = map_grid_unit_rank(&g, x, y + step);
	if (rank >= 0)
		view->cursor = rank;
	return view->cursor != was;
}

int64_t
map_page(const struct map_view *view, struct map_area area)
{
	struct map_grid g;
	const int h = grid_in(&g, view, area);
	const int64_t n = h * g.block_rows * g.rows / g.block_h;

	return n > 1 ? n : 1;
}

void
map_follow(struct map_view *view, struct map_area area)
{
	struct map_grid g;
	const int h = grid_in(&g, view, area);
	const int64_t most = map_grid_lines(&g) - h, world = area.estimate->layout.world;
	int64_t y, top;
	int x;

	if (view->cursor >= world)
		view->cursor = world - 1;
	if (view->cursor >= 0) {
		map_grid_box(&g, plan_slot(g.plan, view->cursor) / g.stride / g.units, &x, &top);
		map_grid_cell(&g, view->cursor, &x, &y);
		/* With its box's title, where that fits, and the block's above the first. */
		if (top - g.head <= 0 && y + g.unit_h <= h)
			top = 0;
		if (top < y && y + g.unit_h - top > h)
			top = y;
		if (view->first_row > top)
			view->first_row = top;
		if (view->first_row < y + g.unit_h - h + (g.framed ? 1 : 0))
			view->first_row = y + g.unit_h - h + (g.framed ? 1 : 0);
		if (view->first_row > y)
			view->first_row = y;
	}
	if (view->first_row > most)
		view->first_row = most;
	if (view->first_row < 0)
		view->first_row = 0;
}
