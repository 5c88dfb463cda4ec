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

struct arrange
panes_arrange_for(const struct state *s, enum pane focus)
{
	const struct estimate *e = s->estimate;
	struct wish wish = {
		.focus = focus, .alone = s->alone, .lower = s->lower, .colors = s->map.colors,
		.stages = (int)(e->stages > 0 ? bars_lines(s) : 0),
		.figures = figures_known(e) ? figures_count(e) : FIGURES_USUAL,
	};
	const struct part flows = pane_type(s, PANE_TRAFFIC)->part(s, (struct rect){ 0 });
	struct arrange a;
	struct rect map;

	wish.flows = flows.count > 0 ? (int)flows.count : 1;
	a = arrange_panes(s->columns, s->rows, &wish);
	map = a.inner[PANE_MAP];
	if (!a.open[PANE_MEMORY] || s->picture != PICTURE_MAP)
		return a;
	wish.spare = map_spare(&s->map, &s->plan, e, map.w, map.h);
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
		pane_in_mode(s, (enum pane)i)->follow(s, a.inner[i]);
}
