#include "ui/pane/panes.h"

#include "ui/pane/bars.h"
#include "ui/pane/figures.h"

enum { FIGURES_USUAL = 11 }; /* while the plan has errors, so that panes stay put */

const struct pane_type *const pane_table[PANE_COUNT] = {
	[PANE_FORM] = &form_pane,
	[PANE_MAP] = &map_pane,
	[PANE_MEMORY] = &memory_pane,
	[PANE_TRAFFIC] = &traffic_pane,
	[PANE_STEP] = &step_pane,
};

/* Of the plan's mode, whatever the map gives way to. */
static const struct pane_type *
pane_in_mode(const struct state *s, enum pane pane)
{
	if (pane != PANE_TRAFFIC)
		return pane_table[pane];
	return s->plan.mode == MODE_SERVE ? &load_pane :
	    plan_has_rl(&s->plan) ? &phases_pane : &traffic_pane;
}

const struct pane_type *
pane_type(const struct state *s, enum pane pane)
{
	return pane == PANE_MAP && s->picture == PICTURE_PIPELINE ? &pipeline_pane :
	    pane_in_mode(s, pane);
}

static const char *
in_mode(const struct state *s, enum pane pane, const char *text)
{
	const char *serving = pane_table[pane]->serving;

	return s->plan.mode == MODE_SERVE && serving != NULL ? serving : text;
}

const char *
pane_name(const struct state *s, enum pane pane)
{
	return in_mode(s, pane, pane_type(s, pane)->name);
}

const char *
pane_title(const struct state *s, enum pane pane)
{
	return in_mode(s, pane, pane_type(s, pane)->title);
}

struct part
pane_part(const struct pane_type *type, const struct state *s, struct rect r)
{
	return type->rows == NULL ? type->part(s, r) :
	    (struct part){ s->flow.first, type->heading ? pane_rows(r.h) : r.h, type->rows(s) };
}

void
pane_move(const struct pane_type *type, struct state *s, struct rect r, int way)
{
	if (type->rows == NULL)
		type->move(s, r, way);
	else
		s->flow.at = scroll_step(s->flow.at, way, type->rows(s));
}

static void
pane_follow(const struct pane_type *type, struct state *s, struct rect r)
{
	struct part part;

	if (type->rows == NULL) {
		type->follow(s, r);
		return;
	}
	part = pane_part(type, s, r);
	scroll_keep(&s->flow, part.count);
	s->flow.first = scroll_follow(s->flow.first, s->flow.at, s->flow.at, part.count,
	    (int)part.shown);
}

bool
pane_scroll(const struct pane_type *type, struct state *s, struct rect r, int lines)
{
	struct part part;

	if (type->rows != NULL) {
		part = pane_part(type, s, r);
		scroll_lines(&s->flow, part.count, (int)part.shown, lines);
	} else if (type->scroll != NULL)
		type->scroll(s, r, lines);
	return type->rows != NULL || type->scroll != NULL;
}

int64_t
pane_entry(const struct pane_type *type, const struct state *s, struct rect r, int x, int y)
{
	struct part part;
	int64_t row;

	if (type->rows == NULL)
		return type->at(s, r, x, y);
	part = pane_part(type, s, r);
	row = y - (r.h - part.shown); /* below the heading */
	return row >= 0 && part.first + row < part.count ? part.first + row : -1;
}

bool
pane_select(const struct pane_type *type, struct state *s, int64_t entry)
{
	return type->rows == NULL ? type->select(s, entry) : scroll_select(&s->flow, entry);
}

struct arrange
panes_arrange_for(const struct state *s, enum pane focus)
{
	const struct estimate *e = s->estimate;
	struct wish wish = {
		.focus = focus, .alone = s->alone, .lower = s->lower, .colors = s->map.colors,
		.stages = (int)(e->stages > 0 ? bars_lines(s) : 0),
		.figures = figures_known(e) ? figures_count(e) : FIGURES_USUAL,
	};
	const struct part flows = pane_part(pane_type(s, PANE_TRAFFIC), s, (struct rect){ 0 });
	struct arrange a;
	struct rect map;

	wish.flows = flows.count > 0 ? (int)flows.count : 1;
	a = arrange_panes(s->columns, s->rows, &wish);
	map = a.inner[PANE_MAP];
	if (!a.open[PANE_MEMORY] || s->picture != PICTURE_MAP)
		return a;
	wish.spare = map_spare(&s->map, (struct map_area){ &s->plan, e, map.w, map.h });
	return wish.spare > 0 ? arrange_panes(s->columns, s->rows, &wish) : a;
}

struct arrange
panes_arrange(const struct state *s)
{
	return panes_arrange_for(s, s->focus);
}

void
panes_follow(struct state *s)
{
	const struct arrange a = panes_arrange(s);

	for (int i = 0; i < PANE_COUNT; i++)
		pane_follow(pane_in_mode(s, (enum pane)i), s, a.inner[i]);
}
