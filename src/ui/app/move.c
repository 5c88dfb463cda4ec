/* Commands that move about and change what the map shows; the plan stays as it is. */
#include <string.h>

#include "core/base/text.h"
#include "core/plan/pool.h"
#include "ui/app/actions.h"
#include "ui/map/map_sets.h"
#include "ui/pane/map_pane.h"
#include "ui/pane/panes.h"

static struct rect
map_area(const struct state *s)
{
	return panes_arrange_for(s, PANE_MAP).inner[PANE_MAP];
}

static struct rect
focus_area(const struct state *s)
{
	return panes_arrange(s).inner[s->focus];
}

/* Left and right: GPUs on the map, columns of the step pane. */
unsigned
move_aside(struct state *s, int way)
{
	const struct pane_type *pane = pane_type(s, s->focus);

	if (s->list.kind != LIST_NONE)
		return list_aside(s, way);
	if (pane->aside != NULL)
		pane->aside(s, focus_area(s), way);
	return 0;
}

/* Down by way lines or entries, whatever has the focus. */
unsigned
move_lines(struct state *s, int way)
{
	if (s->list.kind != LIST_NONE)
		list_move(s, way);
	else
		pane_move(pane_type(s, s->focus), s, focus_area(s), way);
	return 0;
}

unsigned
move_page(struct state *s, int way)
{
	const struct pane_type *pane = pane_type(s, s->focus);
	const struct rect r = focus_area(s);
	int n;

	if (s->list.kind != LIST_NONE) {
		list_turn(s, way);
		return 0;
	}
	n = pane->page != NULL ? pane->page(s, r) : r.h - 1;
	return move_lines(s, way * (n > 1 ? n : 1));
}

unsigned
move_end(struct state *s, int way)
{
	const struct pane_type *pane = pane_type(s, s->focus);

	if (s->list.kind != LIST_NONE || pane->end == NULL)
		return move_lines(s, way * PANE_FAR);
	pane->end(s, focus_area(s), way);
	return 0;
}

unsigned
move_pane(struct state *s, int way)
{
	state_focus(s, (enum pane)(((int)s->focus + way + PANE_COUNT) % PANE_COUNT));
	return 0;
}

enum pane
move_pane_named(const struct state *s, const char *name)
{
	int i = 0;

	while (i < PANE_COUNT && !text_equal(pane_type(s, (enum pane)i)->name, name) &&
	    !text_equal(pane_name(s, (enum pane)i), name))
		i++;
	return (enum pane)i;
}

unsigned
move_to_pane(struct state *s, const char *name)
{
	const enum pane pane = move_pane_named(s, name);
	char names[128] = "";

	for (int i = 0; i < PANE_COUNT; i++)
		text_add(names, sizeof names, "%s%s", i > 0 ? ", " : "", pane_type(s, (enum pane)i)->name);
	if (pane < PANE_COUNT)
		state_focus(s, pane);
	else
		state_say(s, ROLE_ERROR, "one of %s", names);
	return 0;
}

/* The pane in focus over the whole screen, and back. */
unsigned
move_alone(struct state *s)
{
	if (!s->alone && panes_arrange(s).tabs) {
		state_say(s, ROLE_DIM, "the screen has room for one pane alone: Tab shows the next");
		return 0;
	}
	s->alone = !s->alone;
	return 0;
}

unsigned
move_picture(struct state *s)
{
	if (s->in_lines) {
		state_say(s, ROLE_DIM, "the schedule is a picture: shardplan pipeline prints it");
		return 0;
	}
	if (panes_arrange(s).inner[PANE_MAP].h <= 0) { /* panes take turns: it was not seen */
		s->picture = PICTURE_PIPELINE;
		state_focus(s, PANE_MAP);
		return 0;
	}
	s->picture = s->picture == PICTURE_MAP ? PICTURE_PIPELINE : PICTURE_MAP;
	return 0;
}

unsigned
move_peers(struct state *s)
{
	if (!map_pane_has_groups(s))
		return 0;
	s->picture = PICTURE_MAP;
	s->plain_map = !s->plain_map;
	map_pane_renew(s);
	state_say(s, ROLE_DIM, s->plain_map ? "all groups are coloured" :
	    "the groups of the GPU under the cursor are coloured");
	return 0;
}

unsigned
move_zoom(struct state *s, int way)
{
	pane_type(s, PANE_MAP)->zoom(s, map_area(s), way);
	return 0;
}

unsigned
move_to_zoom(struct state *s, const char *name)
{
	const enum map_zoom named = map_zoom_find(name);
	char list[128] = "";

	if (named < MAP_ZOOM_COUNT) {
		s->picture = PICTURE_MAP;
		s->map.zoom = named;
		map_pane_say_zoom(s, map_area(s));
		return 0;
	}
	for (int i = MAP_ZOOM_AUTO; i < MAP_ZOOM_COUNT; i++)
		text_add(list, sizeof list, i > 0 ? ", %s" : "%s", map_zoom_name((enum map_zoom)i));
	state_say(s, ROLE_ERROR, "one of %s", list);
	return 0;
}

static void
say_kinds(struct state *s)
{
	char list[STATE_MESSAGE_SIZE] = "", name[MAP_COLOR_NAME_SIZE];

	for (int i = 0; i < s->map.colors; i++) {
		map_color_name(s->map.color[i], &s->estimate->layout, name, sizeof name);
		text_add(list, sizeof list, i > 0 ? ", %s" : "%s", name);
	}
	state_say(s, ROLE_DIM, "map coloured by %s", list);
}

/* The next of the sources that tell most; from any other one the first or the last. */
unsigned
move_kind(struct state *s, int way)
{
	const struct layout *l = &s->estimate->layout;
	struct map_color usual[MAP_USUAL_MAX + 2];
	char name[MAP_COLOR_NAME_SIZE];
	const char *shown = name;
	int count, at;

	if (!map_pane_has_groups(s))
		return 0;
	count = map_colors_usual(l, usual);
	if (pool_gpus(&s->plan) > 0)
		usual[count++] = (struct map_color){ MAP_BY_ROLE, 0 };
	usual[count++] = (struct map_color){ MAP_BY_RELATION, 0 };
	at = way > 0 ? -1 : count;
	for (int i = 0; i < count; i++)
		if (map_color_index(l, usual[i]) == map_color_index(l, s->map.color[0]))
			at = i;
	map_color_name(usual[(at + way + count) % count], l, name, sizeof name);
	map_pane_show(s, &shown, 1);
	say_kinds(s);
	return 0;
}

/* "tp,pp", "memory": show these sources. */
unsigned
move_to_kinds(struct state *s, const char *list)
{
	char name[MAP_COLORS_MAX][MAP_COLOR_NAME_SIZE];
	const char *names[MAP_COLORS_MAX];
	int n = 0;

	if (!map_pane_has_groups(s))
		return 0;
	while (*(list += strspn(list, " ,+")) != '\0') {
		size_t length = strcspn(list, " ,+");

		if (n == MAP_COLORS_MAX) {
			state_say(s, ROLE_ERROR, "four at most");
			return 0;
		}
		text_put(name[n], sizeof name[n], "%.*s", (int)length, list);
		if (!map_color_has(&s->estimate->layout, name[n])) {
			state_say(s, ROLE_ERROR, "this layout has no groups %s; d lists what colours the map",
			    name[n]);
			return 0;
		}
		names[n] = name[n];
		n++;
		list += length;
	}
	map_pane_show(s, names, n);
	say_kinds(s);
	return 0;
}

/* Colour by n kinds: those shown, then the usual dimensions of more than one rank, then
 * whatever the layout has. */
unsigned
move_dimensions(struct state *s, int n)
{
	static const char *const usual[] = { "tp", "dp", "pp", "cp", "ep" };
	const struct layout *l = &s->estimate->layout;
	const char *want[64];
	char shown[MAP_COLORS_MAX][MAP_COLOR_NAME_SIZE];
	const char *name[MAP_COLORS_MAX];
	int wants = 0, usuals, names = 0;

	if (!map_pane_has_groups(s))
		return 0;
	memcpy(shown, s->kind, sizeof shown);
	for (int i = 0; i < s->kinds; i++)
		want[wants++] = shown[i];
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		want[wants++] = usual[i];
	for (int i = 0; i < wants; i++)
		if (map_set_same(l, want[i]) != NULL) /* as this framework calls it */
			want[i] = map_set_same(l, want[i]);
	usuals = wants;
	for (int i = 0; i < l->kinds && wants < 64; i++)
		want[wants++] = l->kind[i].name;
	/* First the usual ones of several ranks, then the usual ones, then any. */
	for (int pass = 0; pass < 3; pass++)
		for (int i = 0; i < (pass < 2 ? usuals : wants) && names < n; i++) {
			int kind = layout_kind(l, want[i]);
			bool twice = false;

			for (int j = 0; j < names; j++)
				twice = twice || text_equal(name[j], want[i]);
			if (!twice && (kind < 0 ? map_color_has(l, want[i]) : pass > 0 ||
			    layout_group_size(l, kind) > 1))
				name[names++] = want[i];
		}
	map_pane_show(s, name, names);
	say_kinds(s);
	return 0;
}
