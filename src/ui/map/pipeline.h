/*
 * pipeline.h - the pipeline schedule as a timeline: a row per stage, time to the right.
 *
 * Steps of many micro-batches are drawn with fewer: what is left out lies in the middle of
 * the steady state, and the picture says so.
 */
#ifndef UI_PIPELINE_H
#define UI_PIPELINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/plan/plan.h"
#include "ui/screen/canvas.h"

enum { PIPELINE_WHOLE = -1, PIPELINE_FIT = 0 }; /* scales; larger ones are larger */

struct pipeline_view {
	int64_t first_stage; /* scrolled to */
	int64_t stage;       /* selected */
	int64_t column;      /* first column of time shown */
	int scale;           /* FIT: the width, with as many micro-batches as can be told apart;
	                      * WHOLE: all of them in the width */
	enum theme_colors depth; /* what the terminal has: without colours letters tell all */
};

/*
 * Draw the schedule of one step in an area. NULL, or where there is nothing to draw, words
 * that say why. focus: mark the selected stage and put the canvas's cursor there.
 */
const char *pipeline_draw(struct canvas *c, struct rect r, const struct plan *p,
    const struct estimate *e, const struct pipeline_view *view, bool focus);

/* "pipeline: 1f1b, bubble 17.9 %, 8 stages, 32 micro-batches". */
void pipeline_title(const struct plan *p, const struct estimate *e, char *buf, size_t size);

/* Lines that all stages take, legend included: what `pipeline` prints. */
int pipeline_lines(const struct estimate *e);

/* Stages that an area of this height shows at once. */
int pipeline_page(const struct estimate *e, int h);

/* The stage drawn on a line of the area, counted from its top; -1 where there is none. */
int64_t pipeline_at(const struct pipeline_view *view, const struct plan *p,
    const struct estimate *e, struct rect r, int line);

/* Move by stages and by steps of time; it stops at the edges. */
void pipeline_move(struct pipeline_view *view, const struct plan *p, const struct estimate *e,
    struct rect r, int64_t stages, int64_t steps);

/* Show time larger (way 1) or smaller (-1). */
void pipeline_zoom(struct pipeline_view *view, const struct plan *p, const struct estimate *e,
    struct rect r, int way);
#endif
