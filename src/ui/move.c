/* Commands that move about and change what the map shows; the plan stays as it is. */
#include <string.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/command.h"
#include "ui/figures.h"

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

	if (s->estimate->laid_out)
		map_move(&s->map, &s->plan, &s->estimate->layout, r.w, r.h, dx, dy);
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
static unsigned
horizontal(struct state *s, int way)
{
	const int w = state_arrange(s).inner[PANE_STEP].w, count = figures_count(s->estimate);
	const int to = s->figure + way * figures_lines(w, count);

	if (s->focus == PANE_MAP)
		map_step(s, way, 0);
	else if (s->focus == PANE_STEP && to >= 0 && to < count)
		s->figure = to;
	return 0;
}

/* Down by way lines or entries, whatever has the focus. */
static unsigned
vertical(struct state *s, int way)
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
move_up(struct state *s, const char *argument)
{
	(void)argument;
	return vertical(s, -1);
}

unsigned
move_down(struct state *s, const char *argument)
{
	(void)argument;
	return vertical(s, 1);
}

unsigned
move_left(struct state *s, const char *argument)
{
	(void)argument;
	return horizontal(s, -1);
}

unsigned
move_right(struct state *s, const char *argument)
{
	(void)argument;
	return horizontal(s, 1);
}

static int
page(const struct state *s)
{
	struct arrange a = state_arrange(s);
	struct rect r = map_area(s);
	int n = a.inner[s->focus].h - 1;

	if (s->overlay != OVERLAY_NONE)
		return overlay_page(s);
	if (s->focus == PANE_MAP && s->estimate->laid_out)
		n = (int)map_page(&s->map, &s->plan, &s->estimate->layout, r.w, r.h);
	return n > 1 ? n : 1;
}

unsigned
move_page_up(struct state *s, const char *argument)
{
	(void)argument;
	return vertical(s, -page(s));
}

unsigned
move_page_down(struct state *s, const char *argument)
{
	(void)argument;
	return vertical(s, page(s));
}

unsigned
move_first(struct state *s, const char *argument)
{
	(void)argument;
	if (s->overlay == OVERLAY_NONE && s->focus == PANE_MAP)
		s->map.cursor = 0;
	else
		vertical(s, -FAR);
	return 0;
}

unsigned
move_last(struct state *s, const char *argument)
{
	(void)argument;
	if (s->overlay == OVERLAY_NONE && s->focus == PANE_MAP)
		s->map.cursor = s->estimate->laid_out ? s->estimate->layout.world - 1 : 0;
	else
		vertical(s, FAR);
	return 0;
}

static unsigned
other_pane(struct state *s, int way)
{
	int pane = (int)s->focus;

	do
		pane = (pane + way + PANE_COUNT) % PANE_COUNT;
	while (!state_has_pane(s, (enum pane)pane));
	state_focus(s, (enum pane)pane);
	return 0;
}

unsigned
move_next_pane(struct state *s, const char *argument)
{
	static const char *const name[PANE_COUNT] = { "plan", "map", "memory", "traffic", "step" };

	if (argument[0] == '\0')
		return other_pane(s, 1);
	for (int i = 0; i < PANE_COUNT; i++)
		if (text_equal(name[i], argument) && state_has_pane(s, (enum pane)i)) {
			state_focus(s, (enum pane)i);
			return 0;
		}
	state_say(s, ROLE_ERROR, "one of plan, map, memory, traffic (when training), step");
	return 0;
}

unsigned
move_previous_pane(struct state *s, const char *argument)
{
	(void)argument;
	return other_pane(s, -1);
}

static unsigned
member(struct state *s, int64_t way)
{
	const struct layout *l = &s->estimate->layout;
	int kind = s->map.kind[0];
	int64_t group, size, at;

	if (!s->estimate->laid_out || s->map.cursor < 0)
		return 0;
	s->focus = PANE_MAP;
	group = layout_group_of(l, kind, s->map.cursor);
	at = layout_position(l, kind, s->map.cursor);
	if (group < 0 || at < 0) {
		state_say(s, ROLE_DIM, "rank %lld is in no %s group", (long long)s->map.cursor,
		    l->kind[kind].name);
		return 0;
	}
	size = layout_group_size(l, kind);
	at = (at + way + size) % size;
	s->map.cursor = layout_member(l, kind, group, at);
	state_say(s, ROLE_DIM, "member %lld of %lld of %s group %lld", (long long)at + 1,
	    (long long)size, l->kind[kind].name, (long long)group);
	return 0;
}

unsigned
move_next_member(struct state *s, const char *argument)
{
	(void)argument;
	return member(s, 1);
}

unsigned
move_previous_member(struct state *s, const char *argument)
{
	(void)argument;
	return member(s, -1);
}

unsigned
move_rank(struct state *s, const char *argument)
{
	int64_t rank;

	s->focus = PANE_MAP;
	if (argument[0] == '\0') {
		prompt_start(s, PROMPT_RANK, "", false);
		return 0;
	}
	if (!text_to_int(argument, &rank) || rank < 0 || rank >= plan_world(&s->plan)) {
		state_say(s, ROLE_ERROR, "ranks go from 0 to %lld", (long long)plan_world(&s->plan) - 1);
		return 0;
	}
	s->map.cursor = rank;
	return 0;
}

unsigned
move_peers(struct state *s, const char *argument)
{
	(void)argument;
	s->plain_map = !s->plain_map;
	state_say(s, ROLE_DIM, s->plain_map ? "all groups are coloured" :
	    "the groups of the GPU under the cursor are coloured");
	return 0;
}

static unsigned
zoom(struct state *s, int way)
{
	struct rect r = map_area(s);
	enum map_zoom now;
	int next;

	if (!s->estimate->laid_out)
		return 0;
	/* Around through automatic, so that one key reaches every zoom. */
	now = s->map.zoom;
	next = (int)now - way;
	if (now == MAP_ZOOM_AUTO) {
		now = map_zoom_for(&s->map, &s->plan, &s->estimate->layout, r.w, r.h);
		next = (int)now - way;
	}
	if (next < MAP_ZOOM_CARD || next > MAP_ZOOM_NODE)
		next = MAP_ZOOM_AUTO;
	s->map.zoom = (enum map_zoom)next;
	state_say(s, ROLE_DIM, "map: %s", next == MAP_ZOOM_AUTO ? "as large as fits" :
	    map_zoom_name(s->map.zoom));
	return 0;
}

unsigned
move_zoom_in(struct state *s, const char *argument)
{
	if (argument[0] == '\0')
		return zoom(s, 1);
	for (int i = MAP_ZOOM_AUTO; i <= MAP_ZOOM_NODE; i++)
		if (text_equal(map_zoom_name((enum map_zoom)i), argument)) {
			s->map.zoom = (enum map_zoom)i;
			return 0;
		}
	state_say(s, ROLE_ERROR, "one of auto, cards, labels, cells, nodes");
	return 0;
}

unsigned
move_zoom_out(struct state *s, const char *argument)
{
	(void)argument;
	return zoom(s, -1);
}

static void
say_kinds(struct state *s)
{
	char list[STATE_MESSAGE_SIZE] = "";

	for (int i = 0; i < s->map.colors; i++)
		text_add(list, sizeof list, i > 0 ? ", %s" : "%s",
		    s->estimate->layout.kind[s->map.kind[i]].name);
	state_say(s, ROLE_DIM, "map coloured by %s", list);
}

/* The next kind with groups of more than one rank; the others colour nothing. */
static unsigned
next_kind(struct state *s, int way)
{
	const struct layout *l = &s->estimate->layout;
	int kind = s->map.kind[0];
	const char *name;

	if (!s->estimate->laid_out)
		return 0;
	for (int i = 0; i < l->kinds; i++) {
		kind = (kind + way + l->kinds) % l->kinds;
		if (layout_group_size(l, kind) > 1)
			break;
	}
	name = l->kind[kind].name;
	state_show_kinds(s, &name, 1);
	say_kinds(s);
	return 0;
}

/* "tp,pp": show these kinds. */
static unsigned
named_kinds(struct state *s, const char *list)
{
	char name[MAP_COLORS_MAX][LAYOUT_NAME_SIZE];
	const char *names[MAP_COLORS_MAX];
	int n = 0;

	if (!s->estimate->laid_out)
		return 0;
	while (*(list += strspn(list, " ,+")) != '\0') {
		size_t length = strcspn(list, " ,+");

		if (n == MAP_COLORS_MAX) {
			state_say(s, ROLE_ERROR, "four kinds at most");
			return 0;
		}
		text_put(name[n], sizeof name[n], "%.*s", (int)length, list);
		if (layout_kind(&s->estimate->layout, name[n]) < 0) {
			state_say(s, ROLE_ERROR, "this layout has no groups %s; d lists those it has", name[n]);
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

unsigned
move_next_kind(struct state *s, const char *argument)
{
	return argument[0] != '\0' ? named_kinds(s, argument) : next_kind(s, 1);
}

unsigned
move_previous_kind(struct state *s, const char *argument)
{
	(void)argument;
	return next_kind(s, -1);
}

/* Colour by n kinds: those shown, then the usual dimensions of more than one rank, then
 * whatever the layout has. */
static unsigned
dimensions(struct state *s, int n)
{
	static const char *const usual[] = { "tp", "dp", "pp", "cp", "ep" };
	const struct layout *l = &s->estimate->layout;
	const char *want[64];
	char shown[MAP_COLORS_MAX][LAYOUT_NAME_SIZE];
	const char *name[MAP_COLORS_MAX];
	int wants = 0, usuals, names = 0;

	if (!s->estimate->laid_out)
		return 0;
	memcpy(shown, s->kind, sizeof shown);
	for (int i = 0; i < s->kinds; i++)
		want[wants++] = shown[i];
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		want[wants++] = usual[i];
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
			if (kind >= 0 && !twice && (pass > 0 || layout_group_size(l, kind) > 1))
				name[names++] = want[i];
		}
	state_show_kinds(s, name, names);
	say_kinds(s);
	return 0;
}

unsigned
move_dimensions_1(struct state *s, const char *argument)
{
	(void)argument;
	return dimensions(s, 1);
}

unsigned
move_dimensions_2(struct state *s, const char *argument)
{
	(void)argument;
	return dimensions(s, 2);
}

unsigned
move_dimensions_3(struct state *s, const char *argument)
{
	(void)argument;
	return dimensions(s, 3);
}

unsigned
move_dimensions_4(struct state *s, const char *argument)
{
	(void)argument;
	return dimensions(s, 4);
}
