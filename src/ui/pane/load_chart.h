/*
 * load_chart.h - times of an engine against the rate of requests, as two pictures.
 */
#ifndef UI_LOAD_CHART_H
#define UI_LOAD_CHART_H
#include "ui/screen/canvas.h"
#include "ui/state/state.h"

enum { LOAD_CHART_LINES = 6 }; /* at least */

/* First and further tokens side by side: what traffic.percentile stay within, the limits as lines, the
 * rate inside them and the one selected as columns. Of a plan with a rate. */
void load_chart_draw(const struct state *s, struct canvas *c, struct rect r);
#endif
