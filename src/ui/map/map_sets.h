/*
 * map_sets.h - the map's ready-made sets of dimensions.
 */
#ifndef UI_MAP_SETS_H
#define UI_MAP_SETS_H
#include "core/framework/layout.h"
#include "ui/map/map_color.h"

/* Name of the i-th, NULL past the end, and the kinds that it shows in a layout; returns how
 * many. */
const char *map_set_name(int i);
int map_set_groups(int i, const struct layout *l, const char *name[MAP_COLORS_MAX]);

/* What a layout calls the kind that has this name in it or in another one, NULL where it has
 * none. */
const char *map_set_same(const struct layout *l, const char *name);
#endif
