/*
 * map_grid.h - where on the map each GPU is: pure arithmetic, in both directions.
 */
#ifndef UI_MAP_GRID_H
#define UI_MAP_GRID_H
#include <stdbool.h>
#include <stdint.h>

#include "ui/map/map.h"

/*
 * The map is rows of blocks, a block is rows of boxes, a box is rows of units. A unit is a
 * GPU, or what the zoom makes of it; a box is a node, or the one unit that stands for a
 * node or a rack, or two rows of these, each two in a cell; a block is a rack or an NVLink
 * domain, or a single box where those are not shown. x and y count cells from the map's
 * upper left.
 */
struct map_grid {
	const struct plan *plan;
	enum map_zoom zoom;      /* never AUTO */
	int64_t boxes, units;    /* boxes; units in each */
	int64_t world, stride;   /* ranks; ranks that one unit stands for */
	int unit_w, unit_h;
	int colors;              /* that have a part of a unit */
	int stack;               /* units above each other in one cell */
	int64_t cols, rows;      /* units of a box */
	int box_w;               /* from one box to the next in a block */
	int64_t box_h;
	int left, top;           /* from a box's corner to its first unit */
	int gap;                 /* between boxes that have no frames */
	int label_w;             /* labels at the left instead of frames */
	bool word;               /* labels: "node 12", not its number alone */
	int rank_w;              /* digits of the largest rank */
	bool framed;
	bool tall;               /* cards: the coordinates have a line of their own; cells: each colour has */
	bool tight;              /* labels: without brackets */
	int letters;             /* labels: of the groups, after the rank */
	bool colon;              /* labels: a digit follows the rank, "[13:4]" */
	bool blocked;            /* blocks are shown */
	int64_t domain;          /* nodes of an NVLink domain; 1: not several whole ones */
	int head;                /* lines above a block's boxes */
	int64_t block;           /* boxes in a block */
	int64_t block_cols, block_rows; /* boxes in a row, rows of boxes */
	int64_t block_w, block_h;       /* from one block to the next */
	int64_t across, down;    /* blocks in a row, rows of blocks */
};

/* The grid for a view in an area, legend lines not counted into h. */
void map_grid_init(struct map_grid *g, const struct map_view *view, const struct plan *p,
    const struct estimate *e, int w, int64_t h);

/* Of more than a thousand GPUs a cursor is related to few: AUTO shows the nodes of those. */
bool map_grid_relates_nodes(const struct map_view *view, const struct estimate *e);

/* Lines of the whole map. */
int64_t map_grid_lines(const struct map_grid *g);

/* Upper left cell of a rank's unit, and of a box. */
void map_grid_cell(const struct map_grid *g, int64_t rank, int *x, int64_t *y);
void map_grid_box(const struct map_grid *g, int64_t box, int *x, int64_t *y);

/* The first rank of unit i of a box, -1: a GPU that its node does not have, or past the last one. */
int64_t map_grid_at(const struct map_grid *g, int64_t box, int64_t i);

/* The first rank of the unit at a cell, the upper one of two; -1 between units. */
int64_t map_grid_rank(const struct map_grid *g, int x, int64_t y);

/* Column and row of a rank's unit among units alone, and back: the first rank of the unit
 * there, or -1. */
void map_grid_unit(const struct map_grid *g, int64_t rank, int64_t *column, int64_t *row);
int64_t map_grid_unit_rank(const struct map_grid *g, int64_t column, int64_t row);

/* Rank distances of units that lie beside or below each other. */
struct paint_offsets map_grid_offsets(const struct map_grid *g);

/* Where the rule for a source's colours or letters leaves neighbouring groups alike, give
 * each group one that none of its neighbours has, if that can be found soon enough. And where units
 * show few of the groups, those have a colour each. */
void map_mend(const struct map_grid *g, struct map_paint *m);

/* On the screen GPUs stay where they are when the map gets the focus, which shows relations, and when it is coloured
 * by another kind: all have the room that relations need. */
bool map_grid_stands_still(const struct map_view *view, const struct estimate *e);

/* True when half blocks can show the colours; when they do. */
bool map_grid_has_halves(const struct map_view *view);
bool map_grid_halved(const struct map_grid *g);

/* Legend lines that fit under a map in an area: one for all kinds, where ranks have room then. */
int map_legend_lines(const struct map_view *view, const struct plan *p, const struct estimate *e,
    int w, int64_t h);
#endif
