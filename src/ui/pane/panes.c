#include "ui/pane/panes.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "ui/pane/map_pane.h"

const struct pane_type *const pane_table[PANE_COUNT] = {
#define PANE(id, row) &row,
#include "ui/state/panes.def"
#undef PANE
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

static bool
has_trainer(const struct state *s)
{
	return s->plan.mode == MODE_TRAIN && plan_has_rl(&s->plan);
}

const char *
pane_name(const struct state *s, enum pane pane)
{
	const struct pane_type *type = pane_type(s, pane);

	return has_trainer(s) && type->trains != NULL ? type->trains : in_mode(s, pane, type->name);
}

const char *
pane_title(const struct state *s, enum pane pane)
{
	const struct pane_type *type = pane_type(s, pane);

	return has_trainer(s) && type->trainer != NULL ? type->trainer :
	    in_mode(s, pane, type->title);
}

/* Of a table. */
static struct scroll *
scroll_of(const struct pane_type *type, struct state *s)
{
	return (struct scroll *)((char *)s + type->scrolled);
}

struct part
pane_part(const struct pane_type *type, const struct state *s, struct rect r)
{
	const struct scroll *scroll = (const struct scroll *)((const char *)s + type->scrolled);

	return type->rows == NULL ? type->part(s, r) :
	    (struct part){ scroll->first, type->heading ? pane_rows(r.h) : r.h, type->rows(s) };
}

void
pane_move(const struct pane_type *type, struct state *s, struct rect r, int way)
{
	struct scroll *scroll = scroll_of(type, s);

	if (type->rows == NULL)
		type->move(s, r, way);
	else
		scroll->at = scroll_step(scroll->at, way, type->rows(s));
}

static void
pane_follow(const struct pane_type *type, struct state *s, struct rect r)
{
	struct scroll *scroll = scroll_of(type, s);
	struct part part;

	if (type->rows == NULL) {
		type->follow(s, r);
		return;
	}
	part = pane_part(type, s, r);
	scroll_keep(scroll, part.count);
	scroll->first = scroll_follow(scroll->first, scroll->at, scroll->at, part.count,
	    (int)part.shown);
}

bool
pane_scroll(const struct pane_type *type, struct state *s, struct rect r, int lines)
{
	struct part part;

	if (type->rows != NULL) {
		part = pane_part(type, s, r);
		scroll_lines(scroll_of(type, s), part.count, (int)part.shown, lines);
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
	return type->rows == NULL ? type->select(s, entry) : scroll_select(scroll_of(type, s), entry);
}

/* A table has at least one line beside its place for a heading. */
static int
pane_lines(const struct state *s, enum pane pane, int w)
{
	const struct pane_type *type = pane_type(s, pane);

	return type->rows == NULL ? type->lines(s, w) : 1 + (int)most_of(type->rows(s), 1);
}

struct arrange
panes_arrange_for(const struct state *s, enum pane focus)
{
	struct pane_wishes wish = {
		.focus = focus, .alone = s->alone, .lower = s->lower, .colors = s->map.colors,
		.lines = pane_lines, .state = s,
	};
	struct arrange a;
	struct rect map;

	for (int i = PANE_MEMORY; i < PANE_COUNT; i++)
		wish.least[i] = pane_type(s, (enum pane)i)->least;
	a = arrange_panes(s->columns, s->rows, &wish);
	map = a.inner[PANE_MAP];
	if (!a.open[PANE_MEMORY] || s->picture != PICTURE_MAP)
		return a;
	wish.spare = map_spare(&s->map, map_pane_area(s, map));
	return wish.spare > 0 ? arrange_panes(s->columns, s->rows, &wish) : a;
}

struct arrange
panes_arrange(const struct state *s)
{
	return panes_arrange_for(s, s->focus);
}

/* Not beside another model or job: its numbers would say nothing of this one. */
static bool
last_compares(const struct state *s)
{
	const struct plan *last = &s->last.plan;

	return s->last.known && last->mode == s->plan.mode && plan_has_rl(last) == plan_has_rl(&s->plan) &&
	    text_equal(last->model.preset, s->plan.model.preset);
}

void
panes_look_back(struct state *s)
{
	const struct arrange a = panes_arrange(s);

	s->past = !s->estimate->legal && !s->in_lines && a.framed && !a.tabs && last_compares(s);
}

bool
pane_looks_back(const struct state *s, enum pane pane)
{
	return s->past && (pane >= PANE_MEMORY ||
	    (pane == PANE_MAP && s->picture == PICTURE_MAP && !s->estimate->laid_out));
}

void
pane_line(const struct pane_type *type, const struct state *s, char *buf, size_t size)
{
	type->line(s, buf, size);
	if (s->past && buf[0] != '\0')
		text_add(buf, size, ", of the %s", PANE_PAST);
}

void
panes_follow(struct state *s)
{
	const struct arrange a = panes_arrange(s);

	for (int i = 0; i < PANE_COUNT; i++)
		pane_follow(pane_in_mode(s, (enum pane)i), s, a.inner[i]);
}
