/* What colours the map, as a list. */
#include <string.h>

#include "core/base/text.h"
#include "ui/list/views.h"
#include "ui/map/map_sets.h"
#include "ui/pane/map_pane.h"

enum { NAME_NARROW = 12, NAME_COLUMNS = 10, NAME_WIDE = 14, SET_COLUMNS = 11, WORDS_FROM = 34, WIDE_FROM = 44,
	COUNT_COLUMNS = 10 };

/* Which of the colours shown is the i-th source, -1 for none. */
static int
shown_at(const struct state *s, int i)
{
	for (int at = 0; at < s->map.colors; at++)
		if (map_color_index(&s->estimate->layout, s->map.color[at]) == i)
			return at;
	return -1;
}

/* The kind whose links a new "link" shows: the first one on the map. */
static struct map_color
link_color(const struct state *s)
{
	struct map_color color = map_color_at(&s->estimate->layout,
	    map_color_count(&s->estimate->layout) - 1);

	for (int i = s->map.colors - 1; i >= 0; i--)
		if (s->map.color[i].by == MAP_BY_GROUPS)
			color.kind = s->map.color[i].kind;
	return color;
}

static void
put_source(const struct state *s, struct map_color color, int at, int w, char *buf,
    size_t size)
{
	static const char *const about[] = {
		[MAP_BY_STAGE] = "pipeline stage", [MAP_BY_LAYERS] = "the layers that it holds",
		[MAP_BY_MEMORY] = "its memory at the peak, against what it has",
		[MAP_BY_ROLE] = "what its pool does: trainer, rollout, other models",
		[MAP_BY_RELATION] = "who the GPU under the cursor talks to",
	};
	const struct layout *l = &s->estimate->layout;
	char name[MAP_COLOR_NAME_SIZE];
	int longer; /* the name, than its column */

	if (color.by == MAP_BY_LINK)
		color = at >= 0 ? s->map.color[at] : link_color(s);
	map_color_name(color, l, name, sizeof name);
	text_add(buf, size, "%-*s ", w, name);
	longer = strlen(name) > (size_t)w ? (int)strlen(name) - w : 0;
	if (color.by == MAP_BY_GROUPS && w == NAME_NARROW) {
		text_put(name, sizeof name, "%lld of %lld", (long long)layout_group_count(l, color.kind),
		    (long long)layout_group_size(l, color.kind));
		text_add(buf, size, "%*s", COUNT_COLUMNS, name);
	} else if (color.by == MAP_BY_GROUPS)
		text_add(buf, size, "%*lld group%s of %lld", longer < w / 2 - 1 ? w / 2 - 1 - longer : 0,
		    (long long)layout_group_count(l, color.kind),
		    TEXT_S(layout_group_count(l, color.kind)),
		    (long long)layout_group_size(l, color.kind));
	else if (color.by == MAP_BY_LINK)
		text_add(buf, size, "what its %s group crosses: NVLink, node, network",
		    l->kind[color.kind].name);
	else
		text_add(buf, size, "%s", about[color.by]);
}

/* Several kinds by one name; none of them of single GPUs, which are the set without it. */
static bool
set_tells(const struct layout *l, const char *const name[], int n)
{
	bool tells = n > 1;

	for (int j = 0; j < n; j++)
		tells = tells && layout_group_size(l, layout_kind(l, name[j])) > 1;
	return tells;
}

static void
add_sets(struct rows *rows, const struct layout *l, int w)
{
	const char *name[MAP_COLORS_MAX];
	char text[ROW_TEXT_SIZE];
	bool any = false;

	for (int i = 0; map_set_name(i) != NULL; i++) {
		const int n = map_set_groups(i, l, name);

		if (!set_tells(l, name, n))
			continue;
		if (!any)
			rows_heading(rows, "Ready-made");
		any = true;
		text_put(text, sizeof text, "    %-*s ", w > SET_COLUMNS ? w : SET_COLUMNS, map_set_name(i));
		for (int j = 0; j < n; j++)
			text_add(text, sizeof text, j > 0 ? ", %s" : "%s", name[j]);
		rows_item(rows, map_color_count(l) + i, ROLE_TEXT, "%s", text);
	}
}

static void
kinds_rows(struct rows *rows, const struct state *s)
{
	const struct layout *l = &s->estimate->layout;
	const int w = rows->width >= WIDE_FROM ? NAME_WIDE :
	    rows->width >= WORDS_FROM ? NAME_COLUMNS : NAME_NARROW;
	char text[ROW_TEXT_SIZE];

	if (!s->estimate->laid_out) {
		rows_item(rows, -1, ROLE_DIM, "the layout refuses the plan, so there are no groups");
		return;
	}
	rows_heading(rows, "Groups (Space adds one)");
	for (int i = 0; i < map_color_count(l); i++) {
		const struct map_color color = map_color_at(l, i);
		const int at = shown_at(s, i);

		if (i == l->kinds)
			rows_heading(rows, "What else is known of a GPU");
		text_put(text, sizeof text, "[%c] ", at >= 0 ? '1' + at : ' ');
		put_source(s, color, at, w, text, sizeof text);
		rows_item(rows, i, color.by == MAP_BY_GROUPS && layout_group_size(l, i) == 1 ?
		    ROLE_DIM : ROLE_TEXT, "%s", text);
	}
	add_sets(rows, l, w);
}

/* Switch the target-th source on or off. */
static void
switch_source(struct state *s, int target)
{
	const struct layout *l = &s->estimate->layout;
	const int at = shown_at(s, target);
	struct map_color color = map_color_at(l, target);
	char text[MAP_COLORS_MAX + 1][MAP_COLOR_NAME_SIZE];
	const char *name[MAP_COLORS_MAX + 1];
	int n = 0;

	for (int i = 0; i < s->map.colors; i++)
		if (i != at) {
			map_color_name(s->map.color[i], l, text[n], sizeof text[n]);
			name[n] = text[n];
			n++;
		}
	if (at < 0 && n == MAP_COLORS_MAX) {
		state_say(s, ROLE_WARNING, "four at most: switch one off first");
		return;
	}
	if (at < 0) {
		if (color.by == MAP_BY_LINK)
			color = link_color(s);
		map_color_name(color, l, text[n], sizeof text[n]);
		name[n] = text[n];
		n++;
	}
	if (n == 0) {
		state_say(s, ROLE_DIM, "one has to stay");
		return;
	}
	map_pane_show(s, name, n);
}

/* Colour the map by an entry: what is shown with it already, else it alone. */
static void
kinds_show(struct state *s, int target)
{
	const struct layout *l = &s->estimate->layout;
	const int preset = target - map_color_count(l);
	char text[MAP_COLOR_NAME_SIZE];
	const char *name[MAP_COLORS_MAX] = { text };
	int n = 1;

	if (target < 0 || !s->estimate->laid_out || shown_at(s, target) >= 0)
		return;
	if (preset >= 0)
		n = map_set_groups(preset, l, name);
	else
		map_color_name(target == map_color_count(l) - 1 ? link_color(s) : map_color_at(l, target), l,
		    text, sizeof text);
	map_pane_show(s, name, n);
}

static unsigned
kinds_accept(struct state *s, int target)
{
	kinds_show(s, target);
	s->picture = PICTURE_MAP;
	list_leave(s);
	return 0;
}

static unsigned
kinds_switch(struct state *s, int target)
{
	if (target >= map_color_count(&s->estimate->layout))
		kinds_show(s, target);
	else if (target >= 0)
		switch_source(s, target);
	return 0;
}

static int
kinds_begin(const struct state *s)
{
	return s->estimate->laid_out ? map_color_index(&s->estimate->layout, s->map.color[0]) : -1;
}

const struct list_type kinds_list = { .title = "colour the map by", .rows = kinds_rows,
	.begin = kinds_begin, .accept = kinds_accept, .more = kinds_switch, .preview = kinds_show, .names = true };
