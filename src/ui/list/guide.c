#include "ui/list/guide.h"

#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/search/search_target.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"

/* The part of a line up to a '|', without blanks around it; returns what comes after. */
static const char *
take_part(const char *line, char *buf, size_t size)
{
	const size_t n = strcspn(line, "|");
	size_t from = strspn(line, " "), to = n;

	from = from < n ? from : n;
	while (to > from && line[to - 1] == ' ')
		to--;
	text_put(buf, size, "%.*s", (int)(to - from), line + from);
	return line[n] == '|' ? line + n + 1 : line + n;
}

static const struct diag *
diag_of_reason(const struct state *s, const char *reason)
{
	const struct diag_list *diags = &s->estimate->diags;

	for (size_t i = 0; i < diags->count; i++)
		if (diags->item[i].reason != NULL && text_equal(diags->item[i].reason, reason))
			return &diags->item[i];
	return NULL;
}

/* One condition. */
static bool
text_holds(const struct state *s, const char *text)
{
	struct search_condition c;
	char err[256];

	if (strpbrk(text, "<>") == NULL)
		return diag_of_reason(s, text) != NULL;
	return condition_parse(&c, text, &s->plan, err, sizeof err) &&
	    !(condition_miss(&c, &s->plan, s->estimate) > 0);
}

static bool
all_hold(const struct state *s, const char *text)
{
	for (; *text != '\0'; text += *text == '&') {
		const size_t n = strcspn(text, "&");

		if (!text_holds(s, TEXT_OF(128, "%.*s", (int)n, text)))
			return false;
		text += n;
	}
	return true;
}

/* The value of a path as the screen tells it; false where the plan has none. */
static bool
put_value(const struct state *s, const char *path, char *buf, size_t size)
{
	const enum field_id f = field_by_path(path, strlen(path));
	const enum result_id id = result_find(path);
	const struct diag *d = diag_of_reason(s, path);
	char value[PLAN_NOTES_SIZE];
	double v;

	if (f != FIELD_NONE) {
		if (!field_in_use(f, &s->plan) || field_format(f, &s->plan, value, sizeof value) == 0)
			return false;
		text_add(buf, size, "%s", value);
	} else if (id != RESULT_COUNT) {
		if (!result_value(id, s->estimate, s->estimate->peak_stage, &v))
			return false;
		text_add(buf, size, "%s", units_short(value, sizeof value, result_table[id].measure, v));
	} else if (d != NULL)
		text_add(buf, size, "%s", d->message);
	return f != FIELD_NONE || id != RESULT_COUNT || d != NULL;
}

bool
guide_line(const struct state *s, const char *line, char *text, size_t size,
    char link[GUIDE_LINK_SIZE])
{
	char condition[256];

	line = take_part(line, condition, sizeof condition);
	line = take_part(line, link, GUIDE_LINK_SIZE);
	line += strspn(line, " ");
	if (!all_hold(s, condition))
		return false;
	for (text[0] = '\0'; *line != '\0';) {
		size_t n = strcspn(line, "{");

		text_add(text, size, "%.*s", (int)n, line);
		line += n;
		if (*line == '\0')
			break;
		n = strcspn(++line, "}");
		if (!put_value(s, TEXT_OF(96, "%.*s", (int)n, line), text, size))
			return false;
		line += n + (line[n] == '}');
	}
	return true;
}

unsigned
guide_follow(struct state *s, const char *link)
{
	const enum field_id f = field_find(link);

	if (strncmp(link, "search", 6) == 0)
		return search_view_open(s, link + 6 + strspn(link + 6, " "));
	if (text_equal(link, "steps"))
		return list_show(s, LIST_STEPS);
	if (text_equal(link, "errors"))
		return diags_open(s);
	for (int i = PANE_MEMORY; strncmp(link, "why ", 4) == 0 && i < PANE_COUNT; i++)
		if (text_equal(pane_table[i]->name, link + 4))
			return why_open(s, pane_type(s, (enum pane)i));
	if (f == FIELD_NONE)
		return 0;
	s->form.field = f;
	state_focus(s, PANE_FORM);
	list_leave(s);
	state_say(s, ROLE_DIM, "%s: +/- change it, v tells what a step would do, t leads back",
	    field_table[f].label);
	return 0;
}
