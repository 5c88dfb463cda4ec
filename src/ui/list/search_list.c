/* The search view: the list of plans that were found, and its commands. */
#include "ui/list/search_table.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/search/question.h"
#include "core/search/search_why.h"
#include "ui/list/views.h"
#include "ui/state/prompt.h"

/* ---- commands ---------------------------------------------------------------------- */

static void
begin_search_view(struct state *s, const char *ask)
{
	char err[STATE_MESSAGE_SIZE];

	if (!search_view_begin(s, ask, err, sizeof err)) {
		state_say(s, ROLE_ERROR, "search: %s", err);
		return;
	}
	if (s->list.kind != LIST_SEARCH)
		list_open(s, LIST_SEARCH);
	s->list.item = 0;
}

unsigned
search_view_open(struct state *s, const char *argument)
{
	const struct search_view *l = s->search;

	if (argument[0] != '\0')
		begin_search_view(s, argument);
	else if (search_view_is_of_plan(s) && text_equal(l->ask, l->asked))
		list_open(s, LIST_SEARCH);
	else
		begin_search_view(s, l->ask);
	return 0;
}

unsigned
search_view_again(struct state *s)
{
	begin_search_view(s, s->search->ask);
	return 0;
}

/* The command that says it all, to be changed. */
unsigned
search_view_change(struct state *s)
{
	const char *usual = question_usual(&s->plan);

	prompt_begin(s, PROMPT_COMMAND, TEXT_OF(LINE_SIZE, "search %s", s->search->ask[0] != '\0' ? s->search->ask :
	    usual != NULL ? usual : "objective=time"), false);
	return 0;
}

/* Prompt for the search as it is asked for with one more word, which is to be typed. */
static unsigned
begin_word(struct state *s, const char *word)
{
	prompt_begin(s, PROMPT_COMMAND, TEXT_OF(LINE_SIZE, "search %s%s%s", s->search->ask,
	    s->search->ask[0] != '\0' ? " " : "", word), false);
	return 0;
}

unsigned
search_view_add_condition(struct state *s)
{
	return begin_word(s, "where=");
}

unsigned
search_view_add_free(struct state *s)
{
	return begin_word(s, "free=");
}

/* The last word of what is asked goes: a condition, a field that is free. */
unsigned
search_view_drop(struct state *s)
{
	char text[LINE_SIZE], *last;

	text_put(text, sizeof text, "%s", s->search->ask);
	last = strrchr(text, ' ');
	if (last == NULL && text[0] == '\0') {
		state_say(s, ROLE_DIM, "nothing is asked besides the usual");
		return 0;
	}
	*(last != NULL ? last : text) = '\0';
	state_say(s, ROLE_DIM, "without %s", s->search->ask + strlen(text) + (last != NULL));
	begin_search_view(s, text);
	return 0;
}

unsigned
search_view_free_field(struct state *s, const char *argument)
{
	const enum field_id f = argument[0] != '\0' ? field_find(argument) : s->form.field;
	struct field_set set;
	bool marked;

	if (f == FIELD_NONE || !field_applies(f, &s->plan)) {
		state_say(s, ROLE_ERROR, "no field %s in this mode", argument);
		return 0;
	}
	marked = s->search->own;
	s->search->own = true;
	set = search_view_free_fields(s);
	if (marked || !field_set_has(&set, f)) { /* else it is what the marks begin with */
		search_view_toggle(s, f);
		set = search_view_free_fields(s);
	}
	state_say(s, ROLE_DIM, field_set_has(&set, f) ?
	    "%s is free, as all that is marked with ?: S searches; F again holds it" :
	    "%s keeps its value in a search", field_table[f].label);
	return 0;
}

/* One that runs ends with its best, which stays in view. */
static void
search_view_close(struct state *s)
{
	if (s->search->news.runs && !s->search->stopped) {
		search_view_stop(s);
		state_say(s, ROLE_DIM, "stopped: the best by then; Esc closes, r searches again");
		return;
	}
	list_leave(s);
}

static unsigned
search_view_accept(struct state *s, int target)
{
	struct search_view *l = s->search;
	char set[LINE_SIZE];
	struct plan next;
	uint64_t index;

	if (!search_view_plan(s, target, &next))
		return 0;
	index = l->found[target].key.index;
	search_view_stop(s);
	if (!search_view_is_of_plan(s)) {
		state_say(s, ROLE_WARNING, "the plan is another one now: r searches again");
		return 0;
	}
	search_view_settings(l, index, set, sizeof set);
	list_leave(s);
	state_say(s, ROLE_GOOD, "adopted %d: %s", target + 1, set);
	return state_change(s, &next, TEXT_OF(UNDO_WHAT_SIZE, "search: %s", set));
}

/* Sort by the next column that is shown, but what binds. */
static unsigned
search_view_aside(struct state *s, int way)
{
	struct search_view *l = s->search;
	const int target = list_target(s);
	const struct search_table *t = &l->shown.table;
	int at = 0, sorts;

	if (l->space == NULL)
		return 0;
	search_shown(l, l->shown.width);
	sorts = t->columns - (t->at[t->columns - 1].column.by == SEARCH_VIEW_BINDS);
	for (int i = 0; i < sorts; i++)
		if (t->at[i].column.by == l->sort.by && t->at[i].column.i == l->sort.i)
			at = i;
	l->sort = t->at[(at + way + sorts) % sorts].column;
	list_select(s, target);
	return 0;
}

static void
search_view_selected(struct state *s, int target, int width)
{
	search_shown(s->search, width);
	if (target >= 0 && (size_t)target < s->search->news.kept)
		search_view_tell(s, (size_t)target);
}

bool
search_view_look(struct state *s)
{
	const bool shown = s->list.kind == LIST_SEARCH;
	const int target = shown ? list_target(s) : -1;
	const bool chosen = s->list.item > 0 && target >= 0;
	const uint64_t index = chosen ? s->search->found[target].key.index : 0;
	const bool runs = search_view_follow(s);

	/* Who has moved to a plan stays there; else the best one is selected. */
	for (size_t i = 0; chosen && i < s->search->news.kept; i++)
		if (s->search->found[i].key.index == index)
			list_select(s, (int)i);
	if (shown)
		list_follow(s);
	return runs;
}

/* ---- entries ----------------------------------------------------------------------- */

enum { TITLE_EDGE = 6 }; /* columns of the frame on both sides of a title */

static void
search_view_title(const struct state *s, char *buf, size_t size)
{
	const struct search_view *l = s->search;
	char name[SEARCH_NAME], keys[80];

	search_words(s, buf, size);
	if (l->sort.by != SEARCH_VIEW_RANK)
		text_add(buf, size, "; by %s", search_column_name(l, l->sort, name));
	else if (l->news.kept > 1 && s->list.filter[0] == '\0' && !s->in_lines) {
		text_put(keys, sizeof keys, " (Left and Right sort%s)", l->found[0].tried ?
		    ", t marks what is worth a try" : "");
		if (l->found[0].tried && canvas_width(NULL, buf) + canvas_width(NULL, keys) + TITLE_EDGE > s->columns)
			text_put(keys, sizeof keys, " (t: worth a try)");
		if (canvas_width(NULL, buf) + canvas_width(NULL, keys) + TITLE_EDGE <= s->columns)
			text_add(buf, size, "%s", keys);
	}
}

/* Why there is nothing to list. */
static void
nothing_rows(struct rows *rows, const struct search_view *l)
{
	char text[ROW_TEXT_SIZE];

	if (l->news.runs || !l->news.whole) {
		rows_item(rows, -1, ROLE_DIM, l->news.runs ? "nothing yet" :
		    "nothing was found by then: r searches again");
		return;
	}
	for (int i = 0; search_nothing(&l->search, &l->news.counts, i, text, sizeof text); i++)
		rows_item(rows, -1, ROLE_WARNING, "%s", text);
	if (!l->news.has_nearest)
		return;
	search_view_settings(l, l->news.nearest.index, text, sizeof text);
	rows_item(rows, -1, ROLE_TEXT, "nearest, with %s: %s", l->missed, text);
}

/* A plan passes a filter by its free fields, "pp 8", and by what stands in its line. */
static bool
passes_filter(const struct rows *rows, const struct search_view *l, size_t at, const char *line)
{
	char text[2 * LINE_SIZE], value[PLAN_ID_SIZE];

	if (rows->filter[0] == '\0')
		return true;
	text_put(text, sizeof text, "%s", line);
	for (int i = 0; i < l->space->count; i++) {
		space_format(l->space, i, l->found[at].key.index, value, sizeof value);
		text_add(text, sizeof text, " %s %s %s=%s ", field_table[l->space->field[i].field].label,
		    value, field_key(l->space->field[i].field), value);
	}
	return rows_passes(rows, text);
}

/* "TP 2, PP 8: step 26.5 s, memory 50.0 GiB, MFU 41.0 %": a plan to be heard. */
static void
put_sentence(const struct search_view *l, size_t at, char *buf, size_t size)
{
	char set[LINE_SIZE], name[SEARCH_NAME];
	int n = 0;

	search_view_settings(l, l->found[at].key.index, set, sizeof set);
	text_put(buf, size, "%s:", set);
	for (int i = 0; i < SEARCH_VIEW_NUMBERS && search_view_number(l, i) != RESULT_COUNT; i++)
		if (!isnan(l->found[at].number[i]))
			text_add(buf, size, "%s %s %s", n++ > 0 ? "," : "",
			    search_column_name(l, (struct search_view_column){ SEARCH_VIEW_NUMBER, i }, name),
			    units_short((char[UNITS_SIZE]){ 0 }, UNITS_SIZE,
			        result_table[search_view_number(l, i)].measure, l->found[at].number[i]));
	if (l->found[at].tried)
		text_add(buf, size, "; worth a try");
}

static void
search_view_rows(struct rows *rows, const struct state *s)
{
	const struct search_view *l = s->search;
	size_t order[SEARCH_VIEW_ROOM];
	char text[SEARCH_VIEW_LINE];
	bool is_plan;
	uint64_t own;

	if (l->space == NULL)
		return;
	if (l->news.kept == 0) {
		nothing_rows(rows, l);
		return;
	}
	is_plan = search_view_own_index(s, &own);
	search_order(l, order);
	for (size_t i = 0; i < l->news.kept; i++) {
		const bool mine = is_plan && l->found[order[i]].key.index == own;

		if (s->in_lines)
			put_sentence(l, order[i], text, sizeof text);
		else
			text_put(text, sizeof text, "%s", l->shown.row[order[i]]);
		if (!s->in_lines && text[0] != '\0' && (mine || l->found[order[i]].tried))
			text[l->shown.table.at[0].w - 1] = mine ? '*' : 't';
		if (passes_filter(rows, l, order[i], text))
			rows_shown(rows, (int)order[i], mine ? ROLE_GOOD : ROLE_TEXT, text);
	}
}

const struct list_type search_list = { .title = "search: ", .add_title = search_view_title,
	.rows = search_view_rows, .accept = search_view_accept, .aside = search_view_aside, .close = search_view_close,
	.part = search_part, .draw = search_draw, .selected = search_view_selected };
