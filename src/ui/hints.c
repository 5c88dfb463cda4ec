#include "ui/hints.h"

#include <string.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/bars.h"
#include "ui/figures.h"
#include "ui/flows.h"
#include "ui/overlay.h"

static bool
has_fix(const struct state *s)
{
	if (edit_is_bad(s))
		return true;
	for (size_t i = 0; i < s->estimate->diags.count; i++)
		if (s->estimate->diags.item[i].fix_field != FIELD_NONE)
			return true;
	return false;
}

/* Enter does something with an entry: it does not where a list is only to be read. */
static bool
accepts(const struct state *s)
{
	return overlay_table[s->overlay].accept != NULL &&
	    (s->overlay != OVERLAY_TOPICS || s->topic[0] == '\0');
}

int
hints_footer(const struct state *s, int w, struct hint hint[HINTS_MAX])
{
	const enum context context = command_context(s);
	int n = 0, x = 0;

	for (size_t i = 0; i < command_count && n < HINTS_MAX; i++) {
		const struct command *command = &command_table[i];
		struct hint *h = &hint[n];
		const char *text = command->hint;
		size_t key;

		if (text == NULL || (command->contexts & context) == 0)
			continue;
		if (command->run == edit_fix && !has_fix(s))
			continue;
		if (command->run == overlay_accept && !accepts(s))
			continue;
		key = 1 + strcspn(text + 1, "|"); /* the key itself may be '|' */
		*h = (struct hint){ .command = command, .what = text + key + 1, .x = x };
		text_put(h->key, sizeof h->key, "%.*s", (int)key, text);
		if (!command_hint_key(s, command, h->key, sizeof h->key))
			continue;
		if (command->run == move_picture && s->picture == PICTURE_PIPELINE)
			h->what = "map"; /* the way back */
		h->w = canvas_width(NULL, h->key) + 1 + canvas_width(NULL, h->what);
		if (x + h->w > w)
			continue;
		x += h->w + 2;
		n++;
	}
	return n;
}

int
hints_tabs(const struct state *s, enum pane first, enum pane shown, struct tab tab[PANE_COUNT])
{
	static const char *const name[PANE_COUNT] = { "plan", "map", "memory", "traffic", "step" };
	int n = 0, x = 0;

	for (enum pane i = first; i < PANE_COUNT; i++) {
		const char *text = i == PANE_STEP && s->plan.mode == MODE_SERVE ? "serving" : name[i];

		if (!state_has_pane(s, i))
			continue;
		tab[n] = (struct tab){ .pane = i, .x = x };
		text_put(tab[n].text, sizeof tab[n].text, i == shown ? "[%s]" : "%s", text);
		tab[n].w = (int)strlen(tab[n].text);
		x += tab[n++].w + 1;
	}
	return n;
}

struct part
hints_part(const struct state *s, const struct arrange *a, enum pane pane)
{
	const struct estimate *e = s->estimate;
	const struct rect r = a->inner[pane];
	struct form_row row[FORM_ROWS_MAX];

	switch (pane) {
	case PANE_FORM:
		return (struct part){ s->form.first, r.h,
			form_rows(&s->form, &s->plan, &e->diags, row) };
	case PANE_MEMORY:
		return (struct part){ s->first_stage, bars_rows(r.w, r.h), e->stages };
	case PANE_TRAFFIC:
		return (struct part){ s->first_flow, flows_rows(r.h),
			e->timed ? (int64_t)e->traffic.count : 0 };
	case PANE_STEP:
		return (struct part){ s->first_figure, r.h, figures_lines(r.w, figures_count(e)) };
	case PANE_MAP:
		if (s->picture == PICTURE_PIPELINE && e->timed)
			return (struct part){ s->pipeline.first_stage, pipeline_page(e, r.h), e->stages };
		if (s->picture == PICTURE_MAP && e->laid_out)
			return map_part(&s->map, &s->plan, e, r.w, r.h);
		break;
	case PANE_COUNT:
		break;
	}
	return (struct part){ 0 };
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

void
hints_groups(const struct state *s, size_t w, char *buf, size_t size)
{
	const int colors = s->map.colors;
	bool all = false;

	for (int share = 0; share < 2 && !all; share++) {
		all = true;
		buf[0] = '\0';
		for (int i = 0; i < colors; i++) {
			const size_t room = share == 0 ? w : w * (size_t)(i + 1) / (size_t)colors;
			char text[MAP_COLOR_TEXT_SIZE];

			text_add(buf, size, i > 0 ? "  " : "");
			if (s->map.color[i].by == MAP_BY_GROUPS) {
				all = add_group(s, s->map.color[i].kind, room, buf, size) && all;
				continue;
			}
			map_color_text(s->map.color[i], &s->plan, s->estimate, s->map.cursor, text,
			    sizeof text);
			text_add(buf, size, "%s", text);
		}
		all = all && strlen(buf) <= w;
	}
}
