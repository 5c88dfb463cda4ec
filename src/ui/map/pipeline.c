/* A timeline made to the measure of an area, and moving about in it. */
#include "ui/map/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/plan/field.h"
#include "ui/map/map_color.h"
#include "ui/map/pipeline_picture.h"

enum {
	RUN_OPS = 1 << 13,   /* operations that a picture is made of, where fewer will do */
	FORWARD_FIT = 2,     /* columns of a forward that can be told from its neighbours */
	FORWARD_MOST = 12,   /* more would only be wide */
	FEW = 4,             /* one in so many is not left out */
	LAYERS_PART = 8,     /* of the width, for which layers a stage holds */
	STEPS = 8,           /* in the width of the picture */
	LABEL_WORDS = 76, LABEL_SHORT = 44, LABEL_LEAST = 20, /* columns of an area, from which on */
};

/* Columns of a forward, by scale. */
static const int zooms[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24 };
enum { ZOOMS = sizeof zooms / sizeof *zooms };

/* ---- the timeline ------------------------------------------------------------------ */

/* Without times of the plan's GPU: forward 1, backward twice that, of which half for the
 * weights; recompute runs the forward again. */
static void
plain_times(struct chunk_time *time, const struct plan *p, int64_t n)
{
	const double again = p->training.recompute == RECOMPUTE_FULL ? 1 : 0;

	for (int64_t i = 0; i < n; i++)
		time[i] = (struct chunk_time){ 1, 2 + again, 1 };
}

static bool
make_times(struct picture *pic, const struct plan *p, const struct estimate *e)
{
	const int64_t n = e->placement.pp * e->placement.vpp;
	double sum = 0;

	pic->time = calloc((size_t)n, sizeof *pic->time);
	if (pic->time == NULL)
		return false;
	pic->known = e->legal && steptime_chunks(p, &e->layout, &e->placement, pic->time);
	for (int64_t i = 0; i < n; i++)
		sum += pic->time[i].forward;
	if (!(sum > 0))
		pic->known = false;
	if (!pic->known) {
		plain_times(pic->time, p, n);
		sum = (double)n;
	}
	pic->forward = sum / (double)n;
	return true;
}

static void
free_memory(struct timeline *t)
{
	free(t->op);
	free(t->order);
	free(t->rank);
	t->op = NULL;
	t->order = NULL;
	t->rank = NULL;
}

static bool
run_picture(struct picture *pic, int64_t drawn)
{
	struct timeline *t = &pic->t;
	const size_t n = timeline_ops(t, drawn);
	double longest = 0;

	free_memory(t);
	t->op = calloc(n, sizeof *t->op);
	t->order = calloc(timeline_entries(t, drawn), sizeof *t->order);
	t->rank = calloc((size_t)t->stages, sizeof *t->rank);
	if (t->op == NULL || t->order == NULL || t->rank == NULL)
		return false;
	timeline_run(t, drawn, pic->time);
	for (int64_t r = 0; r < t->stages; r++)
		longest = fmax(longest, t->rank[r].end - t->rank[r].start);
	pic->left_out = t->seconds - longest;
	return true;
}

static double
end_of(const struct timeline *t)
{
	double end = 0;

	for (int64_t r = 0; r < t->stages; r++)
		end = fmax(end, t->rank[r].end);
	return end;
}

/* Micro-batches that leave a forward its columns when the step fills the width. The picture
 * holds the fewest possible; each one more takes what each one left out takes. */
static int64_t
fitting(const struct picture *pic, double width)
{
	const double column = pic->forward / (double)FORWARD_FIT;
	const double rest = (double)(pic->t.microbatches - pic->t.drawn);
	const double more = (width * column - end_of(&pic->t)) * rest / fmax(pic->left_out, 1e-300);

	return pic->t.drawn + (int64_t)fmin(fmax(more, 0), rest);
}

static bool
make_timeline(struct picture *pic, int scale, double width)
{
	struct timeline *t = &pic->t;
	const int64_t most = RUN_OPS / (TIMELINE_KINDS * t->chunks * t->stages);
	int64_t drawn = timeline_drawn(t, scale == PIPELINE_FIT ? 0 : most);

	if (!run_picture(pic, drawn))
		return false;
	if (scale == PIPELINE_FIT && drawn < t->microbatches) {
		drawn = timeline_drawn(t, fitting(pic, width));
		if (drawn >= t->microbatches - t->microbatches / FEW && t->microbatches <= most)
			drawn = t->microbatches; /* so few are not worth a gap */
		if (drawn != t->drawn && !run_picture(pic, drawn))
			return false;
	}
	if (scale > 0)
		pic->scale = zooms[scale - 1] / pic->forward;
	else
		pic->scale = fmin(width / end_of(t), (double)FORWARD_MOST / pic->forward);
	pic->columns = (int64_t)ceil(end_of(t) * pic->scale - 1e-6);
	return true;
}

/* ---- the area ---------------------------------------------------------------------- */

const char *
picture_layers(const struct picture *pic, const struct estimate *e, const struct plan *p,
    int64_t stage, char buf[PIPELINE_LAYERS_SIZE])
{
	map_color_layers(&e->placement, stage, placement_mirror(&e->placement, p, stage), pic->label.most,
	    buf, PIPELINE_LAYERS_SIZE);
	return buf;
}

static void
make_label(struct picture *pic, const struct estimate *e, const struct plan *p, int w)
{
	struct pipeline_label *l = &pic->label;
	char text[PIPELINE_LAYERS_SIZE];

	*l = (struct pipeline_label){ .stage = 2, .words = w >= LABEL_WORDS };
	if (l->words) {
		l->stage = 5;
		l->layers = 6;
		l->most = w / LAYERS_PART;
		for (int64_t s = 0; s < pic->t.stages; s++)
			l->layers = (int)most_of(l->layers, (int64_t)strlen(picture_layers(pic, e, p, s, text)));
		l->held = 9;
		l->idle = 6;
	} else if (w >= LABEL_SHORT) {
		l->held = 4;
		l->idle = 4;
	} else if (w >= LABEL_LEAST) {
		l->held = 3;
	}
	if (l->stage < digits_of(pic->t.stages - 1))
		l->stage = digits_of(pic->t.stages - 1);
	/* A mark before the first, a blank after each. */
	l->all = 2 + l->stage + (l->layers > 0 ? l->layers + 1 : 0) +
	    (l->held > 0 ? l->held + 1 : 0) + (l->idle > 0 ? l->idle + 1 : 0);
}

/* Lines: what is above and below, and how many each stage gets. Stages come first, then
 * the legend's second line, then what the selected one holds. */
static void
make_lines(struct picture *pic, int h)
{
	const int64_t stages = pic->t.stages;
	int room;

	pic->head = h >= 3;
	pic->legend = h >= 5;
	if (h >= 8 && (stages < h - pic->head - 1 || h >= 20))
		pic->legend = 2;
	room = h - pic->head - pic->legend;
	pic->lines = stages * 3 - 1 <= room ? 3 : stages * 2 <= room ? 2 : 1;
	pic->curve = pic->lines == 1 && (room > stages || room >= 20);
	if (pic->lines > 1)
		pic->shown = (int)stages;
	else
		pic->shown = (int)fmin((double)stages, room - pic->curve);
}

static void
keep_inside(struct picture *pic, int64_t width)
{
	struct pipeline_view *view = &pic->view;
	const int64_t last = pic->t.stages - 1, far = pic->columns - width;

	if (view->stage > last)
		view->stage = last;
	if (view->stage < 0)
		view->stage = 0;
	if (view->first_stage > view->stage)
		view->first_stage = view->stage;
	if (view->first_stage < view->stage - pic->shown + 1)
		view->first_stage = view->stage - pic->shown + 1;
	if (view->first_stage > last + 1 - pic->shown)
		view->first_stage = last + 1 - pic->shown;
	if (view->first_stage < 0)
		view->first_stage = 0;
	if (view->column > far)
		view->column = far;
	if (view->column < 0)
		view->column = 0;
}

const char *
picture_init(struct picture *pic, const struct plan *p, const struct estimate *e,
    const struct pipeline_view *view, struct rect r)
{
	const char *why;
	int width;

	*pic = (struct picture){ .view = *view };
	if (p->mode == MODE_TRAIN && (!e->laid_out || !e->placed))
		return "No schedule to show until the errors are mended (e lists them).";
	if (!timeline_init(&pic->t, p, &e->placement, e->microbatches, &why))
		return why;
	make_label(pic, e, p, r.w);
	make_lines(pic, r.h);
	width = r.w > pic->label.all ? r.w - pic->label.all : 1;
	if (view->scale > ZOOMS)
		pic->view.scale = ZOOMS;
	if (view->scale < PIPELINE_WHOLE)
		pic->view.scale = PIPELINE_WHOLE;
	if (!make_times(pic, p, e) || !make_timeline(pic, pic->view.scale, width)) {
		picture_free(pic);
		return "Out of memory.";
	}
	keep_inside(pic, width);
	return NULL;
}

void
picture_free(struct picture *pic)
{
	free_memory(&pic->t);
	free(pic->time);
	pic->time = NULL;
}

/* ---- for the screen ---------------------------------------------------------------- */

void
pipeline_title(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	text_put(buf, size, "pipeline");
	if (p->mode != MODE_TRAIN || !e->laid_out || !e->placed)
		return;
	if (e->placement.pp > 1) {
		text_add(buf, size, ": %s", FIELD_SHOWN(FIELD_SCHEDULE, p));
		if (e->timed && e->step.bubble_fraction > 0)
			text_add(buf, size, ", bubble %s", UNITS_SHORT(SHARE, e->step.bubble_fraction));
		text_add(buf, size, ", %lld stages", (long long)e->placement.pp);
		if (e->placement.vpp > 1)
			text_add(buf, size, " of %lld chunks", (long long)e->placement.vpp);
	} else {
		text_add(buf, size, ": one stage");
	}
	if (e->microbatches > 0)
		text_add(buf, size, ", %lld micro-batch%s", (long long)e->microbatches,
		    TEXT_ENDING(e->microbatches, "es"));
}

int
pipeline_lines(const struct estimate *e)
{
	return 3 + 2 * (int)e->stages;
}

int
pipeline_page(const struct estimate *e, int h)
{
	struct picture pic = { .t = { .stages = e->stages > 0 ? e->stages : 1 } };

	make_lines(&pic, h);
	return pic.shown;
}

int64_t
pipeline_at(const struct pipeline_view *view, const struct plan *p, const struct estimate *e,
    struct rect r, int line)
{
	struct picture pic;
	int64_t found = -1;
	int y;

	if (r.w <= 0 || r.h <= 0 || picture_init(&pic, p, e, view, r) != NULL)
		return -1;
	y = pic.head;
	for (int i = 0; i < pic.shown && found < 0; i++) {
		const int64_t stage = pic.view.first_stage + i;

		y += pic.lines == 1 && pic.curve && stage == pic.view.stage ? 2 : pic.lines;
		if (line < y && line >= pic.head)
			found = stage;
	}
	picture_free(&pic);
	return found;
}

void
pipeline_move(struct pipeline_view *view, const struct plan *p, const struct estimate *e,
    struct rect r, int64_t stages, int64_t steps)
{
	struct picture pic;
	int64_t width;

	if (picture_init(&pic, p, e, view, r) != NULL)
		return;
	width = r.w > pic.label.all ? r.w - pic.label.all : 1;
	pic.view.stage += stages;
	pic.view.column += steps * (width > STEPS ? width / STEPS : 1);
	keep_inside(&pic, width);
	*view = pic.view;
	picture_free(&pic);
}

/* The scale one larger or smaller; fit: columns of a forward where the step fits the width,
 * which stands between those that are smaller and those that are larger. */
static int
next_scale(const struct picture *pic, double fit, int way)
{
	int scale = pic->view.scale;

	if (scale == PIPELINE_WHOLE)
		return way > 0 ? PIPELINE_FIT : scale;
	if (scale == PIPELINE_FIT && way < 0)
		return pic->t.drawn < pic->t.microbatches ? PIPELINE_WHOLE : scale;
	do
		scale += way;
	while (scale > 0 && scale < ZOOMS && zooms[scale - 1] < fit * 1.05);
	return scale > ZOOMS ? ZOOMS : scale;
}

void
pipeline_zoom(struct pipeline_view *view, const struct plan *p, const struct estimate *e,
    struct rect r, int way)
{
	const struct pipeline_view whole = { .scale = PIPELINE_FIT };
	struct picture pic;
	double seconds, fit;

	if (picture_init(&pic, p, e, &whole, r) != NULL)
		return;
	fit = pic.scale * pic.forward;
	picture_free(&pic);
	if (picture_init(&pic, p, e, view, r) != NULL)
		return;
	seconds = (double)pic.view.column / pic.scale;
	*view = pic.view;
	view->scale = next_scale(&pic, fit, way);
	picture_free(&pic);
	if (picture_init(&pic, p, e, view, r) != NULL)
		return;
	view->column = (int64_t)(seconds * pic.scale + 0.5);
	picture_free(&pic);
	pipeline_move(view, p, e, r, 0, 0);
}
