/*
 * map_role.h - the map by what the GPUs of a pool do. A part of map_color.h.
 */
#ifndef UI_MAP_ROLE_H
#define UI_MAP_ROLE_H
#include "ui/map/map_color.h"

void map_role_text(const struct plan *p, enum map_role role, char *buf, size_t size);
struct hue map_role_hue(const struct map_paint *m, enum map_role role);

/* The legend's entries: as map_paint_entry. */
bool map_role_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf, size_t size);
#endif
