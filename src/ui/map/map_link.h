/*
 * map_link.h - the map by what the groups of a kind cross. A part of map_color.h.
 */
#ifndef UI_MAP_LINK_H
#define UI_MAP_LINK_H
#include "ui/map/map_color.h"

/* The part of map_paint_init. */
void map_link_init(struct map_paint *m);

/* How the ranks of a group are painted, -1: they are in none. */
struct hue map_link_hue(const struct map_paint *m, int64_t group);

/* The legend's entries: as map_paint_entry. */
bool map_link_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf, size_t size);
#endif
