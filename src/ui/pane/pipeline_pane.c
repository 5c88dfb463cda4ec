/* The schedule of the pipeline, in place of the map. */
#include <string.h>

#include "core/base/text.h"
#include "ui/pane/pane.h"

static void
pipeline_pane_draw(const struct state *s, struct canvas *c, struct rect r)
{
	struct pipeline_view view = s->pipeline;
	const bool focus = s->focus == PANE_MAP;
	const char *why;

	view.depth = s->depth;
	why = pipeline_draw(c, r, &s->plan, s->estimate, &view, focus);
	if (why != NULL)
		pane_nothing(c, r, focus, why);
}

/* The title says what the pane is, but where leaving that out saves the rest; words that have no room
 * even so are left out from the end. */
static void
pipeline_add_title(const struct state *s, bool tabs, int room, char *buf, size_t size)
{
	static const char word[] = "pipeline: ";
	const int n = sizeof word - 1;
	char title[160], *last;

	pipeline_title(&s->plan, s->estimate, title, sizeof title);
	while (canvas_width(NULL, title) - n > room && (last = strrchr(title, ',')) != NULL)
		*last = '\0';
	text_add(buf, size, "%s%s", tabs ? "  " : "", title + (canvas_width(NULL, title) > room &&
	    strncmp(title, word, sizeof word - 1) == 0 ? n : 0));
}

static struct part
pipeline_part(const struct state *s, struct rect r)
{
	const struct estimate *e = s->estimate;

	return e->timed ? (struct part){ s->pipeline.first_stage, pipeline_page(e, r.h), e->stages } :
	    (struct part){ 0 };
}

static void
move_by(struct state *s, struct rect r, int stages, int steps)
{
	pipeline_move(&s->pipeline, &s->plan, s->estimate, r, stages, steps);
	if (s->pipeline.stage < s->estimate->stages)
		s->stage.at = s->pipeline.stage; /* its memory is marked too */
}

static void
pipeline_pane_move(struct state *s, struct rect r, int way)
{
	move_by(s, r, way, 0);
}

static void
pipeline_aside(struct state *s, struct rect r, int way)
{
	move_by(s, r, 0, way);
}

static void
pipeline_end(struct state *s, struct rect r, int way)
{
	move_by(s, r, 0, way * PANE_FAR);
}

static int
pipeline_pane_page(const struct state *s, struct rect r)
{
	return pipeline_page(s->estimate, r.h);
}

static void
pipeline_pane_zoom(struct state *s, struct rect r, int way)
{
	const int scale = s->pipeline.scale;

	pipeline_zoom(&s->pipeline, &s->plan, s->estimate, r, way);
	if (s->pipeline.scale == scale)
		state_say(s, ROLE_DIM, way > 0 ? "time is shown no larger" :
		    "time is shown no smaller");
}

static int64_t
pipeline_pane_at(const struct state *s, struct rect r, MAYBE int x, int y)
{
	return pipeline_at(&s->pipeline, &s->plan, s->estimate, r, y);
}

static bool
pipeline_select(struct state *s, int64_t stage)
{
	const bool other = s->pipeline.stage != stage;

	s->pipeline.stage = s->stage.at = stage;
	return other;
}

static void
pipeline_subject(MAYBE const struct state *s, char *buf, size_t size)
{
	text_put(buf, size, "pipeline");
}

const struct pane_type pipeline_pane = {
	.name = "map", .title = "", .context = CONTEXT_PIPELINE, .click = "why",
	.draw = pipeline_pane_draw, .add_title = pipeline_add_title, .part = pipeline_part,
	.subject = pipeline_subject, .move = pipeline_pane_move, .aside = pipeline_aside,
	.end = pipeline_end, .page = pipeline_pane_page, .zoom = pipeline_pane_zoom,
	.at = pipeline_pane_at, .select = pipeline_select,
};
