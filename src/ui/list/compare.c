/* The plan beside another one: in which fields they differ, and in which estimates. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "ui/list/views.h"
#include "ui/screen/change.h"
#include "ui/state/edit.h"
#include "ui/state/lookup.h"

enum {
	TABLE_FROM = 74, /* columns of a table; in less each entry is a sentence */
	LABEL_LEAST = 20, LABEL_MOST = 44,
	VALUE_LEAST = 14, VALUE_MOST = 26, CHANGE_COLUMNS = 15, PERCENT_COLUMNS = 8,
	INDENT = 2,      /* of entries against headings */
	MARGIN = 1,      /* at the right */
};

unsigned
compare_pin(struct state *s)
{
	s->has_pin = !s->has_pin;
	if (s->has_pin)
		s->pinned = s->plan;
	state_rebase(s);
	if (s->has_pin)
		state_say(s, ROLE_GOOD, "pinned: changes are held against the plan as it is now (P again: "
		    "as before)");
	else
		state_say(s, ROLE_GOOD, "no pin: changes are held against the %s plan", state_base_name(s));
	return 0;
}

/* The other plan: of a file, else the pinned one, else the saved one. */
static bool
take_other(struct state *s, const char *path)
{
	char note[STATE_MESSAGE_SIZE] = "";
	const char *slash = strrchr(path, '/');

	if (path[0] == '\0' && s->list.kind == LIST_SEARCH && lookup_plan(s, list_target(s),
	    &s->other.plan)) {
		text_put(s->other.name, sizeof s->other.name, "plan %d", list_target(s) + 1);
		return true;
	}
	if (path[0] == '\0') {
		s->other.plan = *state_base(s);
		text_put(s->other.name, sizeof s->other.name, "%s plan", state_base_name(s));
		return true;
	}
	if (!s->files->peek(s->files->context, path, &s->other.plan, note, sizeof note)) {
		state_say(s, ROLE_ERROR, "%s", note[0] != '\0' ? note : "the plan could not be read");
		return false;
	}
	plan_resolve(&s->other.plan, s->catalog);
	text_put(s->other.name, sizeof s->other.name, "%s", slash != NULL ? slash + 1 : path);
	return true;
}

unsigned
compare_open(struct state *s, const char *argument)
{
	if (!take_other(s, argument))
		return 0;
	if (s->other.estimate == NULL)
		s->other.estimate = malloc(sizeof *s->other.estimate);
	if (s->other.estimate == NULL) {
		state_say(s, ROLE_ERROR, "no memory left to compare plans");
		return 0;
	}
	estimate_run(s->other.estimate, &s->other.plan, s->catalog, NULL);
	list_open(s, LIST_COMPARE);
	return 0;
}

static void
compare_title(const struct state *s, char *buf, size_t size)
{
	text_add(buf, size, "%.*s and this plan", (int)canvas_fit(s->other.name, 50), s->other.name);
}

/* What two columns and the change between them say. */
struct line_text {
	const char *label, *other, *own, *change, *percent;
};

/* Values get what the longest label leaves. */
static int
value_columns(const struct rows *rows)
{
	int w = (rows->width - MARGIN - LABEL_MOST - CHANGE_COLUMNS - PERCENT_COLUMNS) / 2;

	return w < VALUE_LEAST ? VALUE_LEAST : w > VALUE_MOST ? VALUE_MOST : w;
}

static int
label_columns(const struct rows *rows)
{
	int w = rows->width - MARGIN - 2 * value_columns(rows) - CHANGE_COLUMNS - PERCENT_COLUMNS;

	return w < LABEL_LEAST ? LABEL_LEAST : w > LABEL_MOST ? LABEL_MOST : w;
}

/* A line of the table, cells with a blank between them. False when one is too long; a label
 * may use what the value beside it leaves. */
static bool
put_line(const struct rows *rows, int indent, const struct line_text *t, char *buf, size_t size)
{
	const int value = value_columns(rows), own = canvas_width(NULL, t->own);
	const int rest = label_columns(rows) + indent + value - canvas_width(NULL, t->label);
	const int other = canvas_width(NULL, t->other);

	if (other >= rest || own >= value)
		return false;
	text_put(buf, size, "%s%*s%s%*s%s", t->label, rest - other, "", t->other, value - own, "", t->own);
	if (t->change[0] != '\0')
		text_add(buf, size, "%*s", CHANGE_COLUMNS, t->change);
	if (t->percent[0] != '\0')
		text_add(buf, size, "%*s", PERCENT_COLUMNS, t->percent);
	return true;
}

static void
add_entry(struct rows *rows, int target, enum role role, const struct line_text *t)
{
	char text[2 * PLAN_NOTES_SIZE + 256];

	if (rows->width >= TABLE_FROM && put_line(rows, 0, t, text, sizeof text)) {
		rows_line(rows, target, role, text);
		return;
	}
	text[0] = '\0';
	if (t->change[0] != '\0')
		text_put(text, sizeof text, " (%s%s%s)", t->change, t->percent[0] != '\0' ? ", " : "",
		    t->percent);
	rows_item(rows, target, role, "%s: %s -> %s%s", t->label, t->other[0] != '\0' ? t->other : "-",
	    t->own[0] != '\0' ? t->own : "-", text);
}

static void
add_heading(struct rows *rows, const struct state *s, const char *label, const char *change)
{
	char other[VALUE_MOST], text[ROW_TEXT_SIZE];
	const struct line_text t = { label, other, "this plan", change,
		change[0] != '\0' ? "percent" : "" };

	text_put(other, (size_t)value_columns(rows), "%s", s->other.name);
	if (rows->width >= TABLE_FROM && put_line(rows, INDENT, &t, text, sizeof text))
		rows_heading(rows, text);
	else
		rows_heading(rows, label);
}

static void
compare_rows(struct rows *rows, const struct state *s)
{
	char a[PLAN_NOTES_SIZE], b[PLAN_NOTES_SIZE];
	struct change c;
	int differ = 0;

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const struct line_text t = { field_table[f].path, a, b, "", "" };
		const bool own = field_is_chosen(f, &s->plan) || field_is_chosen(f, &s->other.plan);

		if (!change_of_field(f, &s->other.plan, &s->plan, a, b, sizeof a))
			continue;
		if (differ++ == 0)
			add_heading(rows, s, "fields that differ", "");
		add_entry(rows, (int)f, own ? ROLE_TEXT : ROLE_DIM, &t);
	}
	if (differ == 0)
		rows_heading(rows, "no field differs");
	add_heading(rows, s, "estimates", "change");
	for (enum result_id id = 0; id < RESULT_COUNT; id++)
		if (change_of_result(id, s->other.estimate, s->estimate, &c))
			add_entry(rows, FIELD_COUNT, c.differs ? ROLE_TEXT : ROLE_DIM,
			    &(struct line_text){ c.label, c.was, c.is, c.change, c.percent });
}

/* Enter on a field: the other plan's value. */
static unsigned
compare_accept(struct state *s, int target)
{
	const enum field_id f = (enum field_id)target;
	char what[UNDO_WHAT_SIZE];
	struct plan next = s->plan;

	if (target < 0 || target >= FIELD_COUNT) {
		state_say(s, ROLE_DIM, "estimates follow from the fields: Enter on a field takes its "
		    "value from %s", s->other.name);
		return 0;
	}
	field_copy(f, &next, &s->other.plan);
	plan_resolve(&next, s->catalog);
	if (!field_same(f, &next, &s->other.plan)) {
		/* There it follows from other fields; here it has to be said. */
		field_copy(f, &next, &s->other.plan);
		field_mark(f, &next, true);
		plan_resolve(&next, s->catalog);
	}
	edit_describe(f, &next, what, sizeof what);
	state_say(s, ROLE_GOOD, "from %s: %s", s->other.name, what);
	return edit_take(s, f, &next);
}

const struct list_type compare_list = { .title = "compare: ", .add_title = compare_title,
	.rows = compare_rows, .accept = compare_accept, .over = true };
