/*
 * map_pane.h - the pane of the map: what colours it.
 */
#ifndef UI_MAP_PANE_H
#define UI_MAP_PANE_H
#include "ui/screen/canvas.h"
#include "ui/state/state.h"

/* Colour the map by these sources (map_color.h), as far as the layout has them, and show
 * it; by none: what suits the plan and the focus. The same ones again, in a new layout, unless they
 * tell nothing there. */
void map_pane_show(struct state *s, const char *const name[], int n);
void map_pane_renew(struct state *s);

/* Without a layout there is nothing to colour or to enlarge: says so. */
bool map_pane_has_groups(struct state *s);

/* What it shows, in an area: where the plan has no groups those of the last legal one, which are not
 * walked. */
struct map_area map_pane_area(const struct state *s, struct rect r);

/* Say how large it is in an area. */
void map_pane_say_zoom(struct state *s, struct rect r);
#endif
