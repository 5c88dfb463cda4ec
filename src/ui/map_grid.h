/*
 * map_grid.h - where on the map each GPU is: pure arithmetic, in both directions.
 */
#ifndef UI_MAP_GRID_H
#define UI_MAP_GRID_H
#include <stdbool.h>
#include <stdint.h>

#include "core/layout.h"
#include "core/plan.h"
#include "ui/map.h"

/*
 * The map is rows of node boxes; a box holds units (GPUs, or at the smallest zoom one unit
 * that stands for the whole node) in rows. x and y count cells from the map's upper left.
 */
struct map_grid {
	enum map_zoom zoom;      /* never AUTO */
	int64_t nodes, gpus;     /* nodes; units in each */
	int64_t stride;          /* ranks that one unit stands for */
	int unit_w, unit_h;
	int64_t cols, rows;      /* units of a node */
	int node_w;              /* from one box to the next, its left edge included */
	int64_t node_h;
	int left, top;           /* from a box's corner to its first unit */
	int label_w;             /* labels at the left instead of frames */
	int rank_w;              /* digits of the largest rank */
	bool framed;
	int64_t across, node_rows; /* boxes in a row, rows of boxes */
};

/* The grid for a view in an area, legend lines not counted into h. */
void map_grid_init(struct map_grid *g, const struct map_view *view, const struct plan *p,
    const struct layout *l, int w, int64_t h);

/* Lines of the whole map. */
int64_t map_grid_lines(const struct map_grid *g);

/* Upper left cell of a rank's unit. */
void map_grid_cell(const struct map_grid *g, int64_t rank, int *x, int64_t *y);

/* Rank distances of units that lie beside or below each other; returns how many. */
int map_grid_offsets(const struct map_grid *g, int64_t offset[]);

/* Legend lines that fit under a map in an area of this height. */
int map_legend_lines(const struct map_view *view, int64_t h);

/* "tp 12": how wide a kind's band in a card must be. */
int map_band_width(const struct layout *l, int kind);
#endif
