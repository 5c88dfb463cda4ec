/*
 * map.h - racks, nodes and GPUs as coloured character cells.
 *
 * Pure drawing from a plan and its estimate into a canvas: the screen shows it, and `map`
 * prints it. Of the estimate the layout must hold; placement and memory are used where
 * they colour the map.
 */
#ifndef UI_MAP_H
#define UI_MAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/plan/plan.h"
#include "ui/map/map_color.h"
#include "ui/map/where.h"
#include "ui/screen/canvas.h"

/* How large a GPU is drawn. */
enum map_zoom {
	MAP_ZOOM_AUTO,    /* the largest at which everything fits, else the smallest */
	MAP_ZOOM_CARD,    /* several lines: rank, coordinates, one band a dimension */
	MAP_ZOOM_LABEL,   /* [13] */
	MAP_ZOOM_CELL,    /* one character a GPU */
	MAP_ZOOM_HALF,    /* half a character a GPU; needs colours and half blocks */
	MAP_ZOOM_NODE,    /* one character a node */
	MAP_ZOOM_RACK,    /* one character a rack */
	MAP_ZOOM_COUNT
};

struct map_view {
	int colors;                    /* how many sources colour the map, 1 to MAP_COLORS_MAX */
	struct map_color color[MAP_COLORS_MAX];
	enum map_zoom zoom;
	int64_t cursor;                /* rank under the cursor, -1 without one */
	int64_t first_row;             /* first line of the map shown; map_follow sets it */
	bool peers;                    /* make the peers of the cursor stand out */
	const struct where *where;     /* GPUs to mark, NULL: none */
	enum theme_colors depth;       /* what is shown: decides how groups share colours */
	bool utf8;                     /* it has half blocks */
	bool printed;                  /* on paper, map_rows high: with its legend in any case */
};

/* A view that is coloured by the named sources, as far as the layout has them. */
void map_view_init(struct map_view *view, const struct layout *l, const char *const name[],
    int n);

/* Colour by them from now on; the first kind when the layout has none of them. */
void map_view_colors(struct map_view *view, const struct layout *l, const char *const name[],
    int n);

/* Draw the map with frames, labels and, when there is room, the legend. */
void map_draw(struct canvas *c, struct rect area, const struct plan *p,
    const struct estimate *e, const struct map_view *view);

/* Rows that the whole map takes at a width, legend included: what `map` prints. */
int64_t map_rows(const struct plan *p, const struct estimate *e, const struct map_view *view,
    int width);

/* What a map is of, and the size of the area that it is drawn in. */
struct map_area {
	const struct plan *plan;
	const struct estimate *estimate;
	int w, h;
};

/* The zoom that AUTO comes to in an area, and the one that a key leads to: way 1 larger, -1
 * smaller, around through AUTO. */
enum map_zoom map_zoom_for(const struct map_view *view, struct map_area area);
enum map_zoom map_zoom_next(const struct map_view *view, struct map_area area, int way);

/* "auto", "cards", ...; MAP_ZOOM_COUNT for a name that none has. */
const char *map_zoom_name(enum map_zoom zoom);
enum map_zoom map_zoom_find(const char *name);

/* Move the cursor by columns and rows of GPUs as drawn in an area; it stops at the edges.
 * Returns false when it did not move. */
bool map_move(struct map_view *view, struct map_area area, int64_t dx, int64_t dy);

/* GPU rows that an area shows at once: how far a page goes. */
int64_t map_page(const struct map_view *view, struct map_area area);

/* Lines that it leaves empty. */
int map_spare(const struct map_view *view, struct map_area area);

/* Which lines of the map an area shows. */
struct part map_part(const struct map_view *view, struct map_area area);

/* Where a rank is drawn, counted from the area's upper left; false when it is scrolled
 * away. */
bool map_find(const struct map_view *view, struct map_area area, int64_t rank, int *x, int *y);

/* The rank drawn at a place, the first of several; -1 where there is none. */
int64_t map_at(const struct map_view *view, struct map_area area, int x, int y);

/* A rank's coordinates with axes that have more than one value: "t1d0p2". */
void map_coordinates(const struct layout *l, int64_t rank, char *buf, size_t size);

/* All of them, added to buf: " tp=1 dp=0"; axes that several grids share once. */
void map_axes(const struct layout *l, int64_t rank, char *buf, size_t size);

/* Scroll so that the cursor is visible in an area. */
void map_follow(struct map_view *view, struct map_area area);
#endif
