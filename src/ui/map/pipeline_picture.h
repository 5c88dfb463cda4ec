/*
 * pipeline_picture.h - a timeline measured for an area: between pipeline.c, which makes it,
 * and pipeline_draw.c.
 */
#ifndef UI_PIPELINE_PICTURE_H
#define UI_PIPELINE_PICTURE_H
#include "core/train/timeline.h"
#include "ui/map/pipeline.h"

enum { PIPELINE_LAYERS_SIZE = 24 };

/* Columns of the labels; 0: not shown. */
struct pipeline_label {
	int stage, layers, held, idle;
	int most;    /* of layers */
	bool words;  /* room for whole words */
	int all;     /* columns of all, blanks between them included */
};

struct picture {
	struct timeline t;
	struct chunk_time *time; /* of every chunk; owned */
	bool known;              /* in seconds, not in forwards */
	double forward;          /* seconds of a usual forward */
	double left_out;         /* seconds of the step that are not drawn */
	double scale;            /* columns of a second */
	int64_t columns;         /* of the whole timeline */
	struct pipeline_view view; /* kept inside what there is */
	struct pipeline_label label;
	int head, legend;        /* lines above and below the stages */
	int lines;               /* of a stage: 1, 2 with what is in flight, 3 with a blank */
	int shown;               /* stages */
	bool curve;              /* one line more: what is in flight on the selected stage */
};

/* NULL, or why there is no picture; then nothing is owned. */
const char *picture_init(struct picture *pic, const struct plan *p, const struct estimate *e,
    const struct pipeline_view *view, struct rect r);
void picture_free(struct picture *pic);

/* The layers that a stage holds, in as many columns as there are for them. Returns buf. */
const char *picture_layers(const struct picture *pic, const struct estimate *e, const struct plan *p,
    int64_t stage, char buf[PIPELINE_LAYERS_SIZE]);
#endif
