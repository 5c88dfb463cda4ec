/*
 * map_sets.h - what to colour the map by, and ready-made sets of that.
 */
#ifndef UI_MAP_SETS_H
#define UI_MAP_SETS_H
#include "core/framework/layout.h"
#include "ui/map/map_color.h"

enum { MAP_USUAL_MAX = 8 };

/* The sources that tell most apart, in the order in which one looks at them: the dimensions
 * of several ranks, each once, then stages, memory and links. Returns how many. */
int map_colors_usual(const struct layout *l, struct map_color color[MAP_USUAL_MAX]);

/* The first dimension of more than one group, or where that has more than one can tell apart, the stages;
 * memory where all GPUs are alike. */
struct map_color map_color_first(const struct layout *l);

/* Colours of the usual choice, and layers, that are not among the n shown. */
int map_colors_more(const struct layout *l, const struct map_color shown[], int n,
    struct map_color more[MAP_USUAL_MAX]);

/* Name of the i-th, NULL past the end, and the kinds that it shows in a layout; returns how
 * many. */
const char *map_set_name(int i);
int map_set_groups(int i, const struct layout *l, const char *name[MAP_COLORS_MAX]);
#endif
