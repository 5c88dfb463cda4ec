/* The ranking as a table. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/search_table.h"

enum { CELL = 96, BEST = 24 };

const char *
search_column_name(const struct search_view *l, struct search_view_column column)
{
	switch (column.by) {
	case SEARCH_VIEW_RANK:
		return "rank";
	case SEARCH_VIEW_FIELD:
		return field_table[l->space->field[column.i].field].label;
	case SEARCH_VIEW_OBJECTIVE:
		return target_name(&l->search.objective[column.i]);
	case SEARCH_VIEW_CONDITION:
		return target_name(&l->search.condition[column.i].target);
	case SEARCH_VIEW_NUMBER:
		return result_table[search_view_number(l, column.i)].brief;
	case SEARCH_VIEW_BINDS:
		break;
	}
	return "binds";
}

/* ---- cells ------------------------------------------------------------------------- */

static void
put_number(const struct search_view *l, const struct search_view_row *f, int i, bool capacity, char *buf,
    size_t size)
{
	const enum result_id id = search_view_number(l, i);
	char whole[UNITS_SIZE];

	*buf = '\0';
	if (isnan(f->number[i]))
		return;
	units_short(buf, size, result_table[id].measure, f->number[i]);
	if (i != SEARCH_VIEW_MEMORY || !capacity || !(f->capacity > 0))
		return;
	units_short(whole, sizeof whole, result_table[id].measure, f->capacity);
	text_add(buf, size, " of %s", whole);
}

/* What is asked for; "" where it is not known. */
static void
put_target(const struct search_target *t, double v, char *buf, size_t size)
{
	*buf = '\0';
	if (!isnan(v))
		target_format(t, v, buf, size);
}

static void
put_cell(const struct search_view *l, struct search_view_column column, size_t at, bool capacity, char *buf,
    size_t size)
{
	const struct search_view_row *f = &l->found[at];

	switch (column.by) {
	case SEARCH_VIEW_RANK:
		text_put(buf, size, "%zu", at + 1);
		return;
	case SEARCH_VIEW_FIELD:
		space_format(l->space, column.i, f->key.index, buf, size);
		return;
	case SEARCH_VIEW_OBJECTIVE:
		put_target(&l->search.objective[column.i], search_view_objective(l, f, column.i), buf, size);
		return;
	case SEARCH_VIEW_CONDITION:
		put_target(&l->search.condition[column.i].target, f->asked[column.i], buf, size);
		return;
	case SEARCH_VIEW_NUMBER:
		put_number(l, f, column.i, capacity, buf, size);
		return;
	case SEARCH_VIEW_BINDS:
		text_put(buf, size, "%s", f->binds);
		return;
	}
}

/* A heading of two words takes two lines: where the second begins. */
static size_t
second_line(const char *name)
{
	const size_t n = strcspn(name, " -.");

	return name[n] == '\0' ? n : n + 1;
}

static void
put_head(const char *name, int line, char *buf, size_t size)
{
	const size_t n = second_line(name), shown = n > 0 && name[n - 1] == ' ' ? n - 1 : n;

	if (name[n] == '\0') /* one word stands below */
		text_put(buf, size, "%s", line == 1 ? name : "");
	else if (line == 0)
		text_put(buf, size, "%.*s", (int)shown, name);
	else
		text_put(buf, size, "%s", name + n);
}

/* ---- columns ----------------------------------------------------------------------- */

static void
add_column(struct search_table *t, enum search_view_by by, int i)
{
	t->at[t->columns++].column = (struct search_view_column){ by, i };
}

/* Not every plan has the same value of free field i, or it is not the plan's own; of a switch, not every
 * one of the best. */
static bool
has_column(const struct search_view *l, int i)
{
	const size_t rows = l->space->field[i].row != NULL && l->news.kept > BEST ? BEST : l->news.kept;

	for (size_t k = 0; k < rows; k++)
		if (space_digit(l->space, i, l->found[k].key.index) != l->space->field[i].own)
			return true;
	return false;
}

static bool
is_shown(const struct search_table *t, const struct search_view *l, const struct search_target *target)
{
	for (int i = 0; i < SEARCH_VIEW_NUMBERS && search_view_number(l, i) != RESULT_COUNT; i++)
		if (target->kind == TARGET_RESULT && target->id == (int)search_view_number(l, i))
			return true;
	for (int i = 0; i < t->columns; i++)
		if (target->kind == TARGET_FIELD && t->at[i].column.by == SEARCH_VIEW_FIELD &&
		    target->id == (int)l->space->field[t->at[i].column.i].field)
			return true;
	for (int i = 0; i < t->columns; i++) {
		const struct search_view_column c = t->at[i].column;
		const struct search_target *other = c.by == SEARCH_VIEW_OBJECTIVE ? &l->search.objective[c.i] :
		    c.by == SEARCH_VIEW_CONDITION ? &l->search.condition[c.i].target : NULL;

		if (other != NULL && other->kind == target->kind && other->id == target->id)
			return true;
	}
	return false;
}

static void
add_columns(struct search_table *t, const struct search_view *l)
{
	add_column(t, SEARCH_VIEW_RANK, 0);
	for (int i = 0; i < l->space->count; i++)
		if (has_column(l, i))
			add_column(t, SEARCH_VIEW_FIELD, i);
	for (int i = 0; i < l->search.objectives; i++)
		if (!is_shown(t, l, &l->search.objective[i]))
			add_column(t, SEARCH_VIEW_OBJECTIVE, i);
	for (int i = 0; i < l->search.conditions; i++)
		if (!is_shown(t, l, &l->search.condition[i].target))
			add_column(t, SEARCH_VIEW_CONDITION, i);
	for (int i = 0; i < SEARCH_VIEW_NUMBERS && search_view_number(l, i) != RESULT_COUNT; i++)
		add_column(t, SEARCH_VIEW_NUMBER, i);
	add_column(t, SEARCH_VIEW_BINDS, 0);
}

static int
width_of(const struct search_table *t, const struct search_view *l, struct search_view_column column)
{
	char text[CELL];
	size_t w = 0;

	for (int line = 0; line < 2; line++) {
		put_head(search_column_name(l, column), line, text, sizeof text);
		w = strlen(text) > w ? strlen(text) : w;
	}
	for (size_t i = 0; i < l->news.kept; i++) {
		put_cell(l, column, i, t->capacity, text, sizeof text);
		w = strlen(text) > w ? strlen(text) : w;
	}
	return (int)w + (column.by == SEARCH_VIEW_RANK); /* its mark */
}

static int
whole_width(const struct search_table *t)
{
	int w = 0;

	for (int i = 0; i < t->columns; i++)
		w += t->at[i].w + (i > 0 ? t->gap : 0);
	return w;
}

static void
drop(struct search_table *t, int i)
{
	t->columns--;
	memmove(&t->at[i], &t->at[i + 1], (size_t)(t->columns - i) * sizeof t->at[0]);
}

/* The column that is missed least, of those that are shown: numbers from the last on, then
 * what binds, then free fields; what ranks is kept. */
static int
least_column(const struct search_table *t)
{
	int best = -1;

	for (int i = t->columns - 1; i > 0; i--) {
		const struct search_view_column c = t->at[i].column;

		if (c.by == SEARCH_VIEW_NUMBER && c.i > SEARCH_VIEW_MEMORY)
			return i;
		if (best < 0 && (c.by == SEARCH_VIEW_BINDS || c.by == SEARCH_VIEW_FIELD))
			best = i;
	}
	return best;
}

void
search_table_make(struct search_table *t, const struct search_view *l, int width)
{
	*t = (struct search_table){ .gap = 2, .capacity = true };
	add_columns(t, l);
	for (int i = 0; i < t->columns; i++)
		t->at[i].w = width_of(t, l, t->at[i].column);
	if (whole_width(t) <= width)
		return;
	t->capacity = false;
	for (int i = 0; i < t->columns; i++)
		if (t->at[i].column.by == SEARCH_VIEW_NUMBER && t->at[i].column.i == SEARCH_VIEW_MEMORY)
			t->at[i].w = width_of(t, l, t->at[i].column);
	if (whole_width(t) > width)
		t->gap = 1;
	for (int i; whole_width(t) > width && (i = least_column(t)) > 0;)
		drop(t, i);
}

/* Numbers to the right, as in all tables; words, which come last, to the left. */
static void
put_aligned(const struct search_table *t, int i, const char *text, char *buf, size_t size)
{
	text_add(buf, size, t->at[i].column.by == SEARCH_VIEW_BINDS ? "%*s%-*s" : "%*s%*s",
	    i > 0 ? t->gap : 0, "", t->at[i].w, text);
}

static void
put_heading(const struct search_table *t, const struct search_view *l, int line, char *buf, size_t size)
{
	char text[CELL];

	*buf = '\0';
	for (int i = 0; i < t->columns; i++) {
		put_head(search_column_name(l, t->at[i].column), line, text, sizeof text);
		put_aligned(t, i, text, buf, size);
	}
}

static void
put_row(const struct search_table *t, const struct search_view *l, size_t at, char *buf, size_t size)
{
	char text[CELL];

	*buf = '\0';
	for (int i = 0; i < t->columns; i++) {
		put_cell(l, t->at[i].column, at, t->capacity, text, sizeof text);
		if (t->at[i].column.by == SEARCH_VIEW_RANK)
			text_add(text, sizeof text, " ");
		put_aligned(t, i, text, buf, size);
	}
}

void
search_shown(struct search_view *l, int width)
{
	struct search_table t;

	if (l->space == NULL || (l->shown.taken == l->taken && l->shown.width == width))
		return;
	l->shown.taken = l->taken;
	l->shown.width = width;
	search_table_make(&t, l, width);
	l->shown.mark = t.at[0].w - 1;
	for (int line = 0; line < 2; line++)
		put_heading(&t, l, line, l->shown.head[line], sizeof l->shown.head[line]);
	for (size_t i = 0; i < l->news.kept; i++)
		put_row(&t, l, i, l->shown.row[i], sizeof l->shown.row[i]);
}

/* ---- order ------------------------------------------------------------------------- */

/* Less comes first; what is not known, last. */
static double
sort_value(const struct search_view *l, size_t at)
{
	const struct search_view_row *f = &l->found[at];
	const int i = l->sort.i;

	switch (l->sort.by) {
	case SEARCH_VIEW_FIELD:
		return (double)space_digit(l->space, i, f->key.index);
	case SEARCH_VIEW_OBJECTIVE:
		return f->key.score[i];
	case SEARCH_VIEW_CONDITION:
		return isnan(f->asked[i]) ? INFINITY :
		    l->search.condition[i].least ? -f->asked[i] : f->asked[i];
	case SEARCH_VIEW_NUMBER:
		return isnan(f->number[i]) ? INFINITY :
		    result_table[search_view_number(l, i)].better == BETTER_MORE ? -f->number[i] : f->number[i];
	case SEARCH_VIEW_RANK:
	case SEARCH_VIEW_BINDS:
		break;
	}
	return (double)at;
}

void
search_order(const struct search_view *l, size_t order[SEARCH_VIEW_ROOM])
{
	for (size_t i = 0; i < l->news.kept; i++) {
		const double v = sort_value(l, i);
		size_t k = i;

		for (; k > 0 && sort_value(l, order[k - 1]) > v; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}
