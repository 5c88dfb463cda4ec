/* The ranking as a table. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/search_table.h"

enum { CELL = 96, BEST = 24, NARROW = 3 };

const struct search_target *
search_column_target(const struct search_view *l, struct search_view_column column)
{
	return column.by == SEARCH_VIEW_OBJECTIVE ? &l->search.objective[column.i] :
	    column.by == SEARCH_VIEW_CONDITION ? &l->search.condition[column.i].target : NULL;
}

const char *
search_column_name(const struct search_view *l, struct search_view_column column, char buf[SEARCH_NAME])
{
	switch (column.by) {
	case SEARCH_VIEW_RANK:
		return "rank";
	case SEARCH_VIEW_FIELD:
		return field_table[l->space->field[column.i].field].label;
	case SEARCH_VIEW_OBJECTIVE:
	case SEARCH_VIEW_CONDITION:
		return search_target_name(l, search_column_target(l, column), buf);
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
		const struct search_target *other = search_column_target(l, t->at[i].column);

		if (other != NULL && target_same(other, target))
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
	char text[CELL], name[SEARCH_NAME];
	size_t w = 0;

	for (int line = 0; line < 2; line++) {
		put_head(search_column_name(l, column, name), line, text, sizeof text);
		w = strlen(text) > w ? strlen(text) : w;
	}
	for (size_t i = 0; i < l->news.kept; i++) {
		put_cell(l, column, i, t->capacity, text, sizeof text);
		w = strlen(text) > w ? strlen(text) : w;
	}
	return (int)w + (column.by == SEARCH_VIEW_RANK); /* its mark */
}

/* A number that is asked for, or one of the picture. */
static bool
is_asked(const struct search_view *l, int i)
{
	const int id = (int)search_view_number(l, i);

	for (int k = 0; k < l->search.objectives; k++)
		if (l->search.objective[k].kind == TARGET_RESULT && l->search.objective[k].id == id)
			return true;
	for (int k = 0; k < l->search.conditions; k++)
		if (l->search.condition[k].target.kind == TARGET_RESULT && l->search.condition[k].target.id == id)
			return true;
	return i <= SEARCH_VIEW_MEMORY;
}

/* The best plans have the same there. */
static bool
is_same(const struct search_view *l, struct search_view_column column)
{
	char first[CELL], text[CELL];

	put_cell(l, column, 0, false, first, sizeof first);
	for (size_t k = 1; k < l->news.kept && k < BEST; k++) {
		put_cell(l, column, k, false, text, sizeof text);
		if (!text_equal(text, first))
			return false;
	}
	return true;
}

/* How little a column is missed: most what tells none of the best apart, the widest first (a free field is
 * told below the table; sizes are narrow and say which plan it is); then what binds, numbers from the last on, and free fields, the widest first.
 * What is asked for is kept: 0. */
static int
spared(const struct search_table *t, const struct search_view *l, int i)
{
	const struct search_view_column c = t->at[i].column;

	if (c.by == SEARCH_VIEW_BINDS)
		return 2 * CELL;
	if (c.by != SEARCH_VIEW_FIELD && (c.by != SEARCH_VIEW_NUMBER || is_asked(l, c.i)))
		return 0;
	if (t->at[i].w > NARROW && is_same(l, c))
		return 3 * CELL + t->at[i].w;
	return c.by == SEARCH_VIEW_NUMBER ? CELL + i : t->at[i].w;
}

static int
whole_width(const struct search_table *t)
{
	int w = -t->gap;

	for (int i = 0; i < t->columns; i++)
		w += t->at[i].w + t->gap;
	return w;
}

/* The columns that have room, those first that are missed most. */
static void
fit_columns(struct search_table *t, const struct search_view *l, int width)
{
	int spares[SEARCH_VIEW_COLUMNS], left = width - whole_width(t), kept = 0;

	for (int i = 0; i < t->columns; i++) {
		spares[i] = spared(t, l, i);
		left += spares[i] > 0 ? t->at[i].w + t->gap : 0;
	}
	for (int n = 0; n < t->columns; n++) {
		int next = -1;

		for (int i = 0; i < t->columns; i++)
			if (spares[i] > 0 && (next < 0 || spares[i] < spares[next]))
				next = i;
		if (next < 0)
			break;
		spares[next] = t->at[next].w + t->gap <= left ? 0 : -1;
		left -= spares[next] == 0 ? t->at[next].w + t->gap : 0;
	}
	for (int i = 0; i < t->columns; i++)
		if (spares[i] == 0)
			t->at[kept++] = t->at[i];
	t->columns = kept;
}

static void
make_table(struct search_table *t, const struct search_view *l, int width)
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
	if (whole_width(t) <= width)
		return;
	t->gap = 1;
	fit_columns(t, l, width);
}

/* Numbers to the right, as in all tables; words, which come last, to the left. */
static void
put_aligned(const struct search_table *t, int i, const char *text, char *buf, size_t size)
{
	text_add(buf, size, t->at[i].column.by == SEARCH_VIEW_BINDS ? "%*s%-*s" : "%*s%*s",
	    i > 0 ? t->gap : 0, "", t->at[i].w, text);
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
	if (l->space == NULL || (l->shown.taken == l->taken && l->shown.width == width))
		return;
	l->shown.taken = l->taken;
	l->shown.width = width;
	make_table(&l->shown.table, l, width);
	for (size_t i = 0; i < l->news.kept; i++)
		put_row(&l->shown.table, l, i, l->shown.row[i], sizeof l->shown.row[i]);
}

/* ---- headings ---------------------------------------------------------------------- */

/* In another language a name has no second word: it is cut where the column ends. */
static void
put_other_head(const char *name, int line, int w, char *buf, size_t size)
{
	const size_t n = canvas_fit(name, w);

	if (name[n] == '\0')
		text_put(buf, size, "%s", line == 1 ? name : "");
	else if (line == 0)
		text_part(buf, size, name, n);
	else
		text_put(buf, size, "%s", name + n);
}

void
search_heading(const struct search_view *l, struct canvas *c, struct rect r)
{
	const struct search_table *t = &l->shown.table;
	char name[SEARCH_NAME], other[TEXTS_SIZE], text[CELL];
	int x = r.x;

	for (int i = 0; i < t->columns; i++) {
		const struct search_view_column column = t->at[i].column;
		const char *english = search_column_name(l, column, name);
		const char *said = texts_say(c->texts, english, other, sizeof other);
		const bool sorts = column.by != SEARCH_VIEW_RANK && column.by == l->sort.by && column.i == l->sort.i;
		const int end = x + t->at[i].w - (column.by == SEARCH_VIEW_RANK);

		for (int line = 0; line < 2; line++) {
			if (text_equal(said, english))
				put_head(english, line, text, sizeof text);
			else
				put_other_head(said, line, t->at[i].w, text, sizeof text);
			canvas_value(c, r, column.by == SEARCH_VIEW_BINDS ? x : end - canvas_width(NULL, text), r.y + line,
			    (struct style){ .role = sorts ? ROLE_SELECTED : ROLE_TITLE }, text);
		}
		x += t->at[i].w + t->gap;
	}
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
