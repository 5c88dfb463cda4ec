/* The plan beside another one: in which fields they differ, and in which estimates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "ui/list/views.h"
#include "ui/screen/change.h"
#include "ui/state/edit.h"
#include "ui/state/search_view.h"

enum {
	TABLE_FROM = 74, /* columns of a table; in less each entry is a sentence */
	LABEL_LEAST = 20, LABEL_MOST = 44, LABEL_BARS = 36,
	VALUE_LEAST = 14, VALUE_MOST = 26, CHANGE_COLUMNS = 15, PERCENT_COLUMNS = 8,
	INDENT = 2,      /* of entries against headings */
	MARGIN = 1,      /* at the right */
	BAR_UNIT = 10, BAR_MOST = 2, BAR_FROM = 110,
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

	if (path[0] == '\0' && s->list.kind == LIST_SEARCH && search_view_plan(s, list_target(s),
	    &s->other.plan)) {
		text_put(s->other.name, sizeof s->other.name, "plan %d", list_target(s) + 1);
		return true;
	}
	if (path[0] == '\0' && diagnose_other(s, &s->other.plan)) {
		text_put(s->other.name, sizeof s->other.name, "the run's plan");
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
	s->other.all = false;
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

/* Columns beside the table that bars take. */
static int
bar_columns(const struct rows *rows)
{
	return rows->width >= BAR_FROM ? BAR_MOST * BAR_UNIT + INDENT : 0;
}

/* Values get what the longest label leaves. */
static int
value_columns(const struct rows *rows)
{
	int w = (rows->width - MARGIN - bar_columns(rows) - (bar_columns(rows) > 0 ? LABEL_BARS : LABEL_MOST) -
	    CHANGE_COLUMNS - PERCENT_COLUMNS) / 2;

	return w < VALUE_LEAST ? VALUE_LEAST : w > VALUE_MOST ? VALUE_MOST : w;
}

static int
label_columns(const struct rows *rows)
{
	int w = rows->width - MARGIN - bar_columns(rows) - 2 * value_columns(rows) - CHANGE_COLUMNS -
	    PERCENT_COLUMNS;

	return w < LABEL_LEAST ? LABEL_LEAST : w > LABEL_MOST ? LABEL_MOST : w;
}

/* A line of the table, cells with a blank between them, two where they are said each by itself. False when
 * one is too long; a label may use what the value beside it leaves. */
static bool
put_line(const struct rows *rows, int indent, const struct line_text *t, char *buf, size_t size)
{
	const int value = value_columns(rows), own = canvas_width(NULL, t->own);
	const int rest = label_columns(rows) + indent + value - canvas_width(NULL, t->label);
	const int other = canvas_width(NULL, t->other), apart = rows->texts != NULL ? 2 : 1;

	if (other + apart > rest || own + apart > value)
		return false;
	text_put(buf, size, "%s%*s%s%*s%s", t->label, rest - other, "", t->other, value - own, "", t->own);
	if (t->change[0] != '\0')
		text_add(buf, size, "%*s", CHANGE_COLUMNS, t->change);
	if (t->percent[0] != '\0')
		text_add(buf, size, "%*s", PERCENT_COLUMNS, t->percent); /* and a bar */
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

/* What a plan is chosen by, as far as its mode has it. */
static const enum result_id totals[] = {
	RESULT_FITS, RESULT_RL_STEP, RESULT_STEP, RESULT_TTFT, RESULT_TPOT, RESULT_RL_TOKENS,
	RESULT_TOKENS, RESULT_GENERATED, RESULT_TOTAL, RESULT_RUN,
};

static bool
is_total(enum result_id id)
{
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
		if (totals[i] == id)
			return true;
	return false;
}

/* This plan's amount where the other's takes BAR_UNIT columns, the difference in signs of its own:
 * "=======+++". One scale for all. */
static void
put_bar(const struct state *s, enum result_id id, char *buf, size_t size)
{
	double was, is;
	int n;

	buf[0] = '\0';
	if (result_table[id].measure == MEASURE_ANSWER ||
	    !result_value(id, s->other.estimate, s->other.estimate->peak_stage, &was) ||
	    !result_value(id, s->estimate, s->estimate->peak_stage, &is) || !(was > 0) || !(is > 0))
		return;
	n = (int)lrint(fmin(is / was, (double)BAR_MOST) * (double)BAR_UNIT);
	for (int i = 0; i < n || i < BAR_UNIT; i++)
		text_add(buf, size, "%c", i >= n ? '-' : i < BAR_UNIT ? '=' : '+');
}

static void
add_result(struct rows *rows, const struct state *s, enum result_id id, const struct change *c)
{
	char bar[BAR_MOST * BAR_UNIT + 1] = "", percent[sizeof c->percent + sizeof bar + 2];

	if (is_total(id) && bar_columns(rows) > 0)
		put_bar(s, id, bar, sizeof bar);
	text_put(percent, sizeof percent, bar[0] != '\0' ? "%*s  %s" : "%*s%s", bar[0] != '\0' ?
	    PERCENT_COLUMNS : 0, c->percent, bar);
	add_entry(rows, FIELD_COUNT, c->differs ? ROLE_TEXT : ROLE_DIM,
	    &(struct line_text){ id == RESULT_TOTAL ? "memory of the fullest GPU" : c->label, c->was, c->is, c->change, percent });
}

static void
add_fields(struct rows *rows, const struct state *s)
{
	char a[PLAN_NOTES_SIZE], b[PLAN_NOTES_SIZE];
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
}

/* What a plan is chosen by; what makes it another one; what follows, of which the same in both is
 * one entry until somebody opens that. */
static void
compare_rows(struct rows *rows, const struct state *s)
{
	struct change c;
	int same = 0;

	add_heading(rows, s, "in all", "change");
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
		if (change_of_result(totals[i], s->other.estimate, s->estimate, &c))
			add_result(rows, s, totals[i], &c);
	add_fields(rows, s);
	add_heading(rows, s, "estimates", "change");
	for (enum result_id id = 0; id < RESULT_COUNT; id++) {
		if (is_total(id) || !change_of_result(id, s->other.estimate, s->estimate, &c))
			continue;
		if (c.differs || s->other.all || c.was[0] == '\0' || c.is[0] == '\0' ||
		    rows->filter[0] != '\0')
			add_result(rows, s, id, &c);
		else
			same++;
	}
	if (same > 0)
		rows_item(rows, FIELD_COUNT + 1, ROLE_DIM, "%d more are the same: Enter shows them", same);
}

/* At the first field that differs: what Enter does something with. */
static int
compare_begin(const struct state *s)
{
	char a[PLAN_NOTES_SIZE], b[PLAN_NOTES_SIZE];

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (change_of_field(f, &s->other.plan, &s->plan, a, b, sizeof a))
			return (int)f;
	return -1;
}

/* Enter on a field: the other plan's value. */
static unsigned
compare_accept(struct state *s, int target)
{
	const enum field_id f = (enum field_id)target;
	char what[UNDO_WHAT_SIZE];
	struct plan next = s->plan;

	if (target > FIELD_COUNT) {
		s->other.all = true;
		return 0;
	}
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
	.rows = compare_rows, .begin = compare_begin, .accept = compare_accept, .wide = true, .over = true };
