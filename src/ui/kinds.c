/* What colours the map, as a list. */
#include <string.h>

#include "core/text.h"
#include "ui/overlay.h"
#include "ui/views.h"

enum { NAME_COLUMNS = 10, NAME_WIDE = 14, WIDE_FROM = 44 };

static const struct {
	const char *name;
	const char *kind[MAP_COLORS_MAX];
} preset_table[] = {
	{ "DP", { "dp" } }, { "TP", { "tp" } }, { "PP", { "pp" } }, { "CP", { "cp" } },
	{ "DP+TP", { "dp", "tp" } }, { "DP+PP", { "dp", "pp" } },
	/* With CP, gradients are reduced over both: the groups shown are dp_cp. */
	{ "DP+TP+PP", { "dp", "tp", "pp" } }, { "CP+DP", { "cp", "dp_cp" } },
	{ "CP+DP+TP", { "cp", "dp_cp", "tp" } }, { "CP+DP+PP", { "cp", "dp_cp", "pp" } },
	{ "CP+DP+TP+PP", { "cp", "dp_cp", "tp", "pp" } },
};

const char *
kinds_preset(int i)
{
	return i < (int)(sizeof preset_table / sizeof *preset_table) ? preset_table[i].name : NULL;
}

const char *
kinds_same(const struct layout *l, const char *name)
{
	static const char *const other[][5] = {
		{ "dp", "data", "dp_shard", NULL, NULL },
		{ "dp_cp", "loss", "dp", "data", NULL },
		{ "tp", "model", NULL, NULL, NULL },
		{ "pp", "pipe", NULL, NULL, NULL },
		{ "cp", "pcp", "sequence_parallel", NULL, NULL },
	};

	if (layout_kind(l, name) >= 0)
		return name;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		bool named = false;

		for (int j = 0; j < 5 && other[i][j] != NULL; j++)
			named = named || text_equal(other[i][j], name);
		for (int j = 0; named && j < 5 && other[i][j] != NULL; j++)
			if (layout_kind(l, other[i][j]) >= 0)
				return other[i][j];
	}
	return NULL;
}

int
kinds_preset_groups(int i, const struct layout *l, const char *name[MAP_COLORS_MAX])
{
	int n = 0;

	for (int j = 0; j < MAP_COLORS_MAX && preset_table[i].kind[j] != NULL; j++) {
		const char *kind = kinds_same(l, preset_table[i].kind[j]);

		if (kind != NULL)
			name[n++] = kind;
	}
	return n;
}

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
	};
	const struct layout *l = &s->estimate->layout;
	char name[MAP_COLOR_NAME_SIZE];

	if (color.by == MAP_BY_LINK)
		color = at >= 0 ? s->map.color[at] : link_color(s);
	map_color_name(color, l, name, sizeof name);
	text_add(buf, size, "%-*s ", w, name);
	if (color.by == MAP_BY_GROUPS)
		text_add(buf, size, "%*lld groups of %lld", w / 2 - 1,
		    (long long)layout_group_count(l, color.kind),
		    (long long)layout_group_size(l, color.kind));
	else if (color.by == MAP_BY_LINK)
		text_add(buf, size, "what its %s group crosses: NVLink, node, network",
		    l->kind[color.kind].name);
	else
		text_add(buf, size, "%s", about[color.by]);
}

void
kinds_rows(struct rows *rows, const struct state *s)
{
	const struct layout *l = &s->estimate->layout;
	const int w = rows->width >= WIDE_FROM ? NAME_WIDE : NAME_COLUMNS;
	const char *name[MAP_COLORS_MAX];
	char text[ROW_TEXT_SIZE];

	if (!s->estimate->laid_out) {
		rows_item(rows, -1, ROLE_DIM, "the layout refuses the plan, so there are no groups");
		return;
	}
	rows_heading(rows, "Groups (Space switches one on or off, up to four)");
	for (int i = 0; i < map_color_count(l); i++) {
		const struct map_color color = map_color_at(l, i);
		const int at = shown_at(s, i);

		if (i == l->kinds)
			rows_heading(rows, "What else is known of a GPU");
		text_put(text, sizeof text, "[%c] ", at >= 0 ? '1' + at : ' ');
		put_source(s, color, at, w, text, sizeof text);
		rows_item(rows, i, color.by == MAP_BY_GROUPS && layout_group_size(l, i) == 1 ?
		    ROLE_DIM : ROLE_TEXT, text);
	}
	rows_heading(rows, "Ready-made");
	for (int i = 0; kinds_preset(i) != NULL; i++) {
		int n = kinds_preset_groups(i, l, name);

		if (n == 0)
			continue;
		text_put(text, sizeof text, "    %-*s ", w, kinds_preset(i));
		for (int j = 0; j < n; j++)
			text_add(text, sizeof text, j > 0 ? ", %s" : "%s", name[j]);
		rows_item(rows, map_color_count(l) + i, ROLE_TEXT, text);
	}
}

static void
accept_preset(struct state *s, int preset)
{
	const char *name[MAP_COLORS_MAX];
	const int n = kinds_preset_groups(preset, &s->estimate->layout, name);

	state_show_kinds(s, name, n);
	s->overlay = OVERLAY_NONE;
}

/* Switch the target-th source on or off. */
static void
accept_source(struct state *s, int target)
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
	state_show_kinds(s, name, n);
}

unsigned
kinds_accept(struct state *s, int target)
{
	const int sources = map_color_count(&s->estimate->layout);

	if (target >= sources)
		accept_preset(s, target - sources);
	else if (target >= 0)
		accept_source(s, target);
	return 0;
}
