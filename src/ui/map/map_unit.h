/*
 * map_unit.h - one GPU, node or rack on the map, as large as the zoom has it.
 */
#ifndef UI_MAP_UNIT_H
#define UI_MAP_UNIT_H
#include "core/plan/nodes.h"
#include "ui/map/map_grid.h"

/* Everything that drawing one unit needs. */
struct map_drawing {
	struct canvas *c;
	struct rect clip;
	const struct plan *plan;
	const struct estimate *estimate;
	const struct map_view *view;
	struct map_grid grid;
	struct map_paint paint[MAP_COLORS_MAX];
	int64_t cursor_value[MAP_COLORS_MAX]; /* -1: no peers to show */
	bool marks;             /* somebody looked for something */
	struct dead_nodes dead; /* of the plan's */
	int64_t first, last;    /* lines of the map that are shown */
};

/* Some of the plan's nodes from first to last are down, and nothing stands in for them. */
bool map_is_down(const struct map_drawing *d, int64_t first, int64_t last);

/* Draw the unit that begins with a rank, at a cell of the canvas. */
void map_unit_draw(struct map_drawing *d, int64_t rank, int x, int y);

/* The style of a hue where nothing stands out. */
struct style map_hue_style(const struct map_paint *m, struct hue hue);
#endif
