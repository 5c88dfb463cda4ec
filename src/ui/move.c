/* Commands that move about and change what the map shows; the plan stays as it is. */
#include <string.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/command.h"
#include "ui/figures.h"
#include "ui/views.h"

enum { FAR = 1 << 20 }; /* more than any list or form has */

static struct rect
map_area(const struct state *s)
{
	return state_arrange_for(s, PANE_MAP).inner[PANE_MAP];
}

static void
map_step(struct state *s, int64_t dx, int64_t dy)
{
	struct rect r = map_area(s);

	if (s->picture == PICTURE_PIPELINE) {
		pipeline_move(&s->pipeline, &s->plan, s->estimate, r, dy, dx);
		if (s->pipeline.stage < s->estimate->stages)
			s->stage = s->pipeline.stage; /* its memory is marked too */
	} else if (s->estimate->laid_out)
		map_move(&s->map, &s->plan, s->estimate, r.w, r.h, dx, dy);
}

/* Of `count` entries, the one `way` further, as far as it goes. */
static int64_t
further(int64_t selected, int64_t way, int64_t count)
{
	selected += way;
	if (selected >= count)
		selected = count - 1;
	return selected > 0 ? selected : 0;
}

static void
number_step(struct state *s, int way)
{
	const struct estimate *e = s->estimate;

	if (s->focus == PANE_TRAFFIC)
		s->flow = (int)further(s->flow, way, e->timed ? (int64_t)e->traffic.count : 0);
	else if (s->focus == PANE_STEP)
		s->figure = (int)further(s->figure, way, figures_count(e));
	else
		s->stage = further(s->stage, way, e->stages);
}

/* Left and right: GPUs on the map, columns of the step pane. */
unsigned
move_aside(struct state *s, int way)
{
	const int w = state_arrange(s).inner[PANE_STEP].w, count = figures_count(s->estimate);
	const int to = s->figure + way * figures_lines(w, count);

	if (s->overlay != OVERLAY_NONE)
		return overlay_aside(s, way);
	if (s->focus == PANE_MAP)
		map_step(s, way, 0);
	else if (s->focus == PANE_STEP && to >= 0 && to < count)
		s->figure = to;
	return 0;
}

/* Down by way lines or entries, whatever has the focus. */
unsigned
move_lines(struct state *s, int way)
{
	if (s->overlay != OVERLAY_NONE)
		overlay_move(s, way);
	else if (s->focus == PANE_FORM)
		form_move(&s->form, &s->plan, &s->estimate->diags, way);
	else if (s->focus == PANE_MAP)
		map_step(s, 0, way);
	else
		number_step(s, way);
	return 0;
}

unsigned
move_page(struct state *s, int way)
{
	struct arrange a = state_arrange(s);
	struct rect r = map_area(s);
	int n = a.inner[s->focus].h - 1;

	if (s->overlay != OVERLAY_NONE) {
		overlay_turn(s, way);
		return 0;
	}
	if (s->focus == PANE_MAP && s->picture == PICTURE_PIPELINE)
		n = pipeline_page(s->estimate, r.h);
	else if (s->focus == PANE_MAP && s->estimate->laid_out)
		n = (int)map_page(&s->map, &s->plan, s->estimate, r.w, r.h);
	return move_lines(s, way * (n > 1 ? n : 1));
}

unsigned
move_end(struct state *s, int way)
{
	if (s->overlay != OVERLAY_NONE || s->focus != PANE_MAP)
		return move_lines(s, way * FAR);
	if (s->picture == PICTURE_PIPELINE)
		map_step(s, way * FAR, 0);
	else
		s->map.cursor = way > 0 && s->estimate->laid_out ? s->estimate->layout.world - 1 : 0;
	return 0;
}

unsigned
move_pane(struct state *s, int way)
{
	int pane = (int)s->focus;

	do
		pane = (pane + way + PANE_COUNT) % PANE_COUNT;
	while (!state_has_pane(s, (enum pane)pane));
	state_focus(s, (enum pane)pane);
	return 0;
}

unsigned
move_to_pane(struct state *s, const char *name)
{
	static const char *const names[PANE_COUNT] = { "plan", "map", "memory", "traffic", "step" };

	for (int i = 0; i < PANE_COUNT; i++)
		if (text_equal(names[i], name) && state_has_pane(s, (enum pane)i)) {
			state_focus(s, (enum pane)i);
			return 0;
		}
	state_say(s, ROLE_ERROR, "one of plan, map, memory, traffic (when training), step");
	return 0;
}

unsigned
move_picture(struct state *s, const char *argument)
{
	(void)argument;
	if (s->in_lines) {
		state_say(s, ROLE_DIM, "the schedule is a picture: shardplan pipeline prints it");
		return 0;
	}
	if (state_arrange(s).inner[PANE_MAP].h <= 0) { /* panes take turns: it was not seen */
		s->picture = PICTURE_PIPELINE;
		state_focus(s, PANE_MAP);
		return 0;
	}
	s->picture = s->picture == PICTURE_MAP ? PICTURE_PIPELINE : PICTURE_MAP;
	return 0;
}

/* Without a layout there is nothing to colour or to enlarge: say so. */
static bool
has_groups(struct state *s)
{
	if (!s->estimate->laid_out)
		state_say(s, ROLE_DIM, "no groups: the layout refuses the plan (e says why)");
	return s->estimate->laid_out;
}

unsigned
move_peers(struct state *s, const char *argument)
{
	(void)argument;
	if (!has_groups(s))
		return 0;
	s->picture = PICTURE_MAP;
	s->plain_map = !s->plain_map;
	state_say(s, ROLE_DIM, s->plain_map ? "all groups are coloured" :
	    "the groups of the GPU under the cursor are coloured");
	return 0;
}

static void
say_zoom(struct state *s)
{
	const struct rect r = map_area(s);
	const bool cells = s->map.zoom == MAP_ZOOM_HALF && s->estimate->laid_out &&
	    map_zoom_for(&s->map, &s->plan, s->estimate, r.w, r.h) == MAP_ZOOM_CELL;

	state_say(s, ROLE_DIM, "map: %s%s", s->map.zoom == MAP_ZOOM_AUTO ? "as large as fits" :
	    map_zoom_name(s->map.zoom), cells ? ", shown as cells: they need colours and UTF-8" : "");
}

unsigned
move_zoom(struct state *s, int way)
{
	struct rect r = map_area(s);

	if (s->picture == PICTURE_PIPELINE) {
		const int scale = s->pipeline.scale;

		pipeline_zoom(&s->pipeline, &s->plan, s->estimate, r, way);
		if (s->pipeline.scale == scale)
			state_say(s, ROLE_DIM, way > 0 ? "time is shown no larger" :
			    "time is shown no smaller");
		return 0;
	}
	if (!has_groups(s))
		return 0;
	s->map.zoom = map_zoom_next(&s->map, &s->plan, s->estimate, r.w, r.h, way);
	say_zoom(s);
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
		say_zoom(s);
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

/* The next source of colours, without the kinds whose groups are single ranks. */
unsigned
move_kind(struct state *s, int way)
{
	const struct layout *l = &s->estimate->layout;
	const int count = map_color_count(l);
	char name[MAP_COLOR_NAME_SIZE];
	const char *shown = name;
	struct map_color color = s->map.color[0];
	int at;

	if (!has_groups(s))
		return 0;
	at = map_color_index(l, color);
	for (int i = 0; i < count; i++) {
		at = (at + way + count) % count;
		color = map_color_at(l, at);
		if (color.by != MAP_BY_GROUPS || layout_group_size(l, color.kind) > 1)
			break;
	}
	map_color_name(color, l, name, sizeof name);
	state_show_kinds(s, &shown, 1);
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

	if (!has_groups(s))
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
	state_show_kinds(s, names, n);
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

	if (!has_groups(s))
		return 0;
	memcpy(shown, s->kind, sizeof shown);
	for (int i = 0; i < s->kinds; i++)
		want[wants++] = shown[i];
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		want[wants++] = usual[i];
	for (int i = 0; i < wants; i++)
		if (kinds_same(l, want[i]) != NULL) /* as this framework calls it */
			want[i] = kinds_same(l, want[i]);
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
	state_show_kinds(s, name, names);
	say_kinds(s);
	return 0;
}
