#include "ui/pane/map_pane.h"

#include <string.h>

#include "core/base/text.h"
#include "ui/map/map_sets.h"
#include "ui/pane/pane.h"

/* What nobody chose: with focus who the GPU under the cursor talks to, else the first groups. */
static void
color_by_focus(struct state *s)
{
	const struct layout *l = &s->estimate->layout;

	s->map.colors = 1;
	s->map.color[0] = s->focus == PANE_MAP && !s->plain_map ?
	    (struct map_color){ MAP_BY_RELATION, map_color_first(l).kind } : map_color_first(l);
}

/* Groups of a GPU each paint all of them apart, one stage paints all of them alike. */
static bool
color_tells(const struct state *s, struct map_color color)
{
	const struct layout *l = &s->estimate->layout;

	if (color.by == MAP_BY_GROUPS)
		return layout_group_size(l, color.kind) > 1;
	return (color.by != MAP_BY_STAGE && color.by != MAP_BY_LAYERS) ||
	    layout_pipeline_rank(l, l->world - 1) > 0;
}

static bool
tells_nothing(const struct state *s)
{
	for (int i = 0; i < s->map.colors; i++)
		if (color_tells(s, s->map.color[i]))
			return false;
	return s->estimate->layout.world > 1;
}

/* The chosen sources as this layout calls them, each once. */
static void
color_as_chosen(struct state *s)
{
	const struct layout *l = &s->estimate->layout;
	const char *name[MAP_COLORS_MAX] = { 0 };
	int n = 0;

	for (int i = 0; i < s->kinds; i++) {
		const char *same = map_set_same(l, s->kind[i]);
		bool twice = false;

		name[n] = same != NULL ? same : s->kind[i];
		for (int j = 0; j < n; j++)
			twice = twice || text_equal(name[j], name[n]);
		n += !twice;
	}
	map_view_colors(&s->map, l, name, n);
	if (n == 0)
		color_by_focus(s);
}

/* Another change made the groups that are shown other ones: beside what is said of that. */
static void
say_beside(struct state *s, const char *name)
{
	char rest[STATE_MESSAGE_SIZE] = "", *end = strstr(s->message, "; ");

	if (end != NULL) {
		text_put(rest, sizeof rest, "%s", end);
		*end = '\0';
	}
	text_add(s->message, sizeof s->message, "; ");
	text_add(s->message, sizeof s->message, "map by %s", name);
	text_add(s->message, sizeof s->message, "%s", rest);
}

void
map_pane_renew(struct state *s)
{
	char first[MAP_COLOR_NAME_SIZE];

	if (!s->estimate->laid_out)
		return;
	color_as_chosen(s);
	map_color_name(map_color_first(&s->estimate->layout), &s->estimate->layout, first, sizeof first);
	if (s->message[0] != '\0' && s->first_kind[0] != '\0' && !text_equal(first, s->first_kind) &&
	    (s->kinds > 0 ? tells_nothing(s) : s->focus != PANE_MAP || s->plain_map))
		say_beside(s, first);
	text_put(s->first_kind, sizeof s->first_kind, "%s", first);
	if (s->kinds > 0 && tells_nothing(s)) {
		if (s->message[0] == '\0')
			state_say(s, ROLE_DIM, s->map.color[0].by == MAP_BY_GROUPS ?
			    "map: a %s group is one GPU now, so others are shown" :
			    "map: there is one %s now, so groups are shown",
			    s->map.color[0].by == MAP_BY_GROUPS ? s->kind[0] : "stage");
		s->kinds = 0;
		color_by_focus(s);
	}
	if (s->map.cursor >= s->estimate->layout.world)
		s->map.cursor = s->estimate->layout.world - 1;
}

void
map_pane_show(struct state *s, const char *const name[], int n)
{
	s->picture = PICTURE_MAP;
	s->kinds = 0;
	for (int i = 0; i < n && s->kinds < MAP_COLORS_MAX; i++)
		if (text_copy(s->kind[s->kinds], sizeof s->kind[0], name[i]))
			s->kinds++;
	if (s->estimate->laid_out)
		color_as_chosen(s);
}

bool
map_pane_has_groups(struct state *s)
{
	if (!s->estimate->laid_out)
		state_say(s, ROLE_DIM, "no groups: the layout refuses the plan (e says why)");
	return s->estimate->laid_out;
}

/* ---- what it shows ------------------------------------------------------------------- */

/* " tp+pp  * layer 7  rank 3: node 0, GPU 3  t1d0p2"; what was looked for is left out where
 * all has no room. */
static void
map_add_title(const struct state *s, bool tabs, int room, char *buf, size_t size)
{
	const struct layout *l = &s->estimate->layout;
	const int64_t cursor = s->map.cursor, node = s->plan.cluster.gpus_per_node, slot = plan_slot(&s->plan, cursor);
	char at[64], name[MAP_COLOR_NAME_SIZE], found[96] = "", rank[160];

	if (!s->estimate->laid_out)
		return;
	text_add(buf, size, tabs ? " " : " by");
	for (int i = 0; i < s->map.colors; i++) {
		map_color_name(s->map.color[i], l, name, sizeof name);
		text_add(buf, size, i > 0 ? "+%s" : " %s", name);
	}
	if (!where_empty(&s->where) && s->where.rank < 0) {
		where_describe(&s->where, at, sizeof at);
		text_put(found, sizeof found, "  * %s", at);
	}
	if (s->focus != PANE_MAP || cursor < 0) {
		text_add(buf, size, "%s", found);
		return;
	}
	map_coordinates(l, cursor, at, sizeof at);
	text_put(rank, sizeof rank, "  rank %lld: node %lld, GPU %lld%s%s", (long long)cursor,
	    (long long)(slot / node), (long long)(slot % node), at[0] != '\0' ? "  " : "", at);
	text_add(buf, size, "%s%s", canvas_width(NULL, buf) + canvas_width(NULL, found) +
	    canvas_width(NULL, rank) <= room ? found : "", rank);
}

/* "tp 6: 12 13", members as far as the text is `room` long then; false when some are left
 * out. */
static bool
add_group(const struct state *s, int kind, size_t room, char *buf, size_t size)
{
	const struct layout *l = &s->estimate->layout;
	const int64_t group = layout_group_of(l, kind, s->map.cursor);
	const int64_t n = layout_group_size(l, kind);
	char member[32];

	if (group < 0) {
		text_add(buf, size, "%s: none", l->kind[kind].name);
		return true;
	}
	text_add(buf, size, "%s %lld:", l->kind[kind].name, (long long)group);
	for (int64_t k = 0; k < n; k++) {
		size_t more = text_put(member, sizeof member, " %lld",
		    (long long)layout_member(l, kind, group, k)) + (k + 1 < n ? 3 : 0);

		if (strlen(buf) + more > room) {
			text_add(buf, size, " ..");
			return false;
		}
		text_add(buf, size, "%s", member);
	}
	return true;
}

/* What tells of the GPU under the cursor: the colours of the map, all groups for its relations. */
static int
colors_told(const struct state *s, struct map_color told[RELATIONS_MAX])
{
	struct map_relation r;

	if (s->map.color[0].by != MAP_BY_RELATION) {
		memcpy(told, s->map.color, sizeof s->map.color);
		return s->map.colors;
	}
	map_relation_init(&r, &s->estimate->layout, s->map.cursor, false);
	for (int i = 0; i < r.count; i++)
		told[i] = (struct map_color){ MAP_BY_GROUPS, r.kind[i] };
	return r.count;
}

/* The groups of that GPU: "tp 6: 12 13  pp 1: 1 5 9 13", all of it where w columns are enough,
 * else an equal part for each. */
static void
put_groups(const struct state *s, size_t w, char *buf, size_t size)
{
	struct map_color told[RELATIONS_MAX];
	const int colors = colors_told(s, told);
	bool all = false;

	for (int share = 0; share < 2 && !all; share++) {
		all = true;
		buf[0] = '\0';
		for (int i = 0; i < colors; i++) {
			const size_t room = share == 0 ? w : w * (size_t)(i + 1) / (size_t)colors;
			char text[MAP_COLOR_TEXT_SIZE];

			text_add(buf, size, i > 0 ? "  " : "");
			if (told[i].by == MAP_BY_GROUPS) {
				all = add_group(s, told[i].kind, room, buf, size) && all;
				continue;
			}
			map_color_text(told[i], &s->plan, s->estimate, s->map.cursor, text,
			    sizeof text);
			text_add(buf, size, "%s", text);
		}
		all = all && strlen(buf) <= w;
	}
}

static void
map_edge(const struct state *s, int w, char *buf, size_t size)
{
	if (s->estimate->laid_out && s->map.cursor >= 0)
		put_groups(s, (size_t)w, buf, size);
}

static void
draw_refused(const struct state *s, struct canvas *c, struct rect r)
{
	const struct diag_list *diags = &s->estimate->diags;

	canvas_wrapped(c, r, (struct style){ .role = ROLE_ERROR },
	    "No groups: the layout refuses this plan.");
	for (size_t i = 0; i < diags->count && r.h > 2; i++)
		if (diags->item[i].severity == SEVERITY_ERROR) {
			canvas_wrapped(c, (struct rect){ r.x, r.y + 2, r.w, r.h - 2 },
			    (struct style){ .role = ROLE_TEXT }, diags->item[i].message);
			return;
		}
}

struct map_area
map_pane_area(const struct state *s, struct rect r)
{
	const bool own = s->estimate->laid_out;

	return (struct map_area){ own ? &s->plan : state_shown_plan(s), own ? s->estimate : state_shown(s), r.w, r.h };
}

static void
map_pane_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct map_area area = map_pane_area(s, r);
	struct map_view view = s->map;
	int x, y;

	if (!area.estimate->laid_out) {
		draw_refused(s, c, r);
		return;
	}
	view.where = &s->where;
	view.peers = s->focus == PANE_MAP && !s->plain_map;
	map_draw(c, r, area.plan, area.estimate, &view);
	if (s->focus == PANE_MAP && view.cursor >= 0 &&
	    map_find(&view, map_pane_area(s, r), view.cursor, &x, &y)) {
		c->cursor_x = r.x + x;
		c->cursor_y = r.y + y;
	}
}

static struct part
map_pane_part(const struct state *s, struct rect r)
{
	return s->estimate->laid_out ? map_part(&s->map, map_pane_area(s, r)) : (struct part){ 0 };
}

/* The page of a kind, or of kinds together, which is named by them as the alphabet has them. */
static void
map_subject(const struct state *s, char *buf, size_t size)
{
	const char *last = "";

	text_put(buf, size, "%s", "");
	if (s->kinds == 0 && s->map.color[0].by == MAP_BY_GROUPS)
		map_color_name(s->map.color[0], &s->estimate->layout, buf, size);
	for (int n = 0; n < s->kinds; n++) {
		const char *next = NULL;

		for (int i = 0; i < s->kinds; i++)
			if (strcmp(s->kind[i], last) > 0 && (next == NULL || strcmp(s->kind[i], next) < 0))
				next = s->kind[i];
		if (next == NULL)
			return;
		text_add(buf, size, "%s%s", n > 0 ? "-" : "", next);
		last = next;
	}
}

/* ---- moving about -------------------------------------------------------------------- */

static void
map_pane_move(struct state *s, struct rect r, int way)
{
	if (s->estimate->laid_out)
		map_move(&s->map, map_pane_area(s, r), 0, way);
}

static void
map_aside(struct state *s, struct rect r, int way)
{
	if (s->estimate->laid_out)
		map_move(&s->map, map_pane_area(s, r), way, 0);
}

static void
map_end(struct state *s, MAYBE struct rect r, int way)
{
	s->map.cursor = way > 0 && s->estimate->laid_out ? s->estimate->layout.world - 1 : 0;
}

static int
map_pane_page(const struct state *s, struct rect r)
{
	return s->estimate->laid_out ? (int)map_page(&s->map, map_pane_area(s, r)) : r.h - 1;
}

static void
map_pane_follow(struct state *s, struct rect r)
{
	s->map.depth = s->depth;
	s->map.utf8 = s->utf8 && !s->settings.ascii;
	if (s->estimate->laid_out && s->kinds == 0)
		color_by_focus(s);
	if (r.h > 0 && s->estimate->laid_out)
		map_follow(&s->map, map_pane_area(s, r));
}

void
map_pane_say_zoom(struct state *s, struct rect r)
{
	const bool cells = s->map.zoom == MAP_ZOOM_HALF && s->estimate->laid_out &&
	    map_zoom_for(&s->map, map_pane_area(s, r)) == MAP_ZOOM_CELL;

	state_say(s, ROLE_DIM, "map: %s%s", s->map.zoom == MAP_ZOOM_AUTO ? "as large as fits" :
	    map_zoom_name(s->map.zoom), cells ? ", shown as cells: they need colours and UTF-8" : "");
}

static void
map_pane_zoom(struct state *s, struct rect r, int way)
{
	if (!map_pane_has_groups(s))
		return;
	s->map.zoom = map_zoom_next(&s->map, map_pane_area(s, r), way);
	map_pane_say_zoom(s, r);
}

/* The GPU below `rank` in the same cell, -1 where the cell holds one. */
static int64_t
lower_half(const struct state *s, struct rect r, int64_t rank)
{
	struct map_view view = s->map;
	int x, y, lower_x, lower_y;

	view.cursor = rank;
	return map_move(&view, map_pane_area(s, r), 0, 1) &&
	    map_find(&view, map_pane_area(s, r), rank, &x, &y) &&
	    map_find(&view, map_pane_area(s, r), view.cursor, &lower_x, &lower_y) &&
	    x == lower_x && y == lower_y ? view.cursor : -1;
}

/* The terminal names a cell: where that holds two GPUs and one of them has the cursor, the
 * lower is meant. */
static int64_t
map_pane_at(const struct state *s, struct rect r, int x, int y)
{
	const int64_t rank = s->estimate->laid_out ? map_at(&s->map, map_pane_area(s, r), x, y) : -1;
	int64_t lower;

	if (rank < 0)
		return -1;
	lower = lower_half(s, r, rank);
	return s->focus == PANE_MAP && lower >= 0 && (s->map.cursor == rank ||
	    s->map.cursor == lower) ? lower : rank;
}

static bool
map_select(struct state *s, int64_t rank)
{
	const bool other = s->map.cursor != rank;

	s->map.cursor = rank;
	return other;
}

const struct pane_type map_pane = {
	.name = "map", .title = "map", .context = CONTEXT_MAP, .click = "inspect",
	.draw = map_pane_draw, .add_title = map_add_title, .edge = map_edge,
	.part = map_pane_part, .subject = map_subject, .move = map_pane_move, .aside = map_aside,
	.end = map_end, .page = map_pane_page, .follow = map_pane_follow, .zoom = map_pane_zoom,
	.at = map_pane_at, .select = map_select,
};
