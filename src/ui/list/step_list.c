/* One step away: what less and more of each field would do. */
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/rules/step.h"
#include "ui/list/views.h"
#include "ui/screen/change.h"
#include "ui/state/steps.h"
#include "ui/state/edit.h"

enum {
	LABEL_COLUMNS = 17, NUMBER_COLUMNS = 10,
	CHANGE_FROM = 75, /* columns with room for the change of the time, */
	WIDE_FROM = 89,   /* and for that of the memory too */
};

/* Columns of "8 -> 16" in a row of so many. */
static int
values_columns(int width)
{
	return width < CHANGE_FROM ? 14 : width < WIDE_FROM ? 19 : 21;
}

/* At the selected field. */
static int
steps_begin(const struct state *s)
{
	for (int i = 0; i < s->steps->fields; i++)
		if (s->steps->listed[i] == s->form.field)
			return 2 * i;
	return -1;
}

/* "  41.2 GiB +17.6 GiB", to the right; nothing where it is not known. */
static void
add_number(enum result_id id, double was, double is, bool changes, char *buf, size_t size)
{
	const enum measure m = result_table[id].measure;
	char change[CHANGE_SIZE] = "", now[UNITS_SIZE] = "";

	if (is > 0)
		units_short(now, sizeof now, m, is);
	if (was > 0 && is > 0)
		change_put_unit(m, was, is, change, sizeof change);
	text_add(buf, size, "%*s ", NUMBER_COLUMNS, now);
	if (changes)
		text_add(buf, size, "%*s ", NUMBER_COLUMNS, change);
}

/* What a legal step comes to, and whether that is good news. */
static enum role
add_outlook(const struct state *s, const struct outlook *o, int width, char *buf, size_t size)
{
	const enum result_id time = result_main(MAIN_TIME, &s->plan);
	const bool same = s->estimate->legal && o->serves == (s->plan.mode == MODE_SERVE) &&
	    o->reinforced == s->estimate->reinforced;
	double memory = 0, seconds = 0;

	if (same) {
		memory = estimate_fullest(s->estimate);
		result_value(time, s->estimate, 0, &seconds);
	}
	add_number(RESULT_PEAK_TOTAL, memory, o->memory, width >= WIDE_FROM, buf, size);
	add_number(time, seconds, o->seconds, width >= CHANGE_FROM, buf, size);
	if (o->capacity > 0 && !o->fits) {
		text_add(buf, size, width >= CHANGE_FROM ? "over" : "!");
		return ROLE_WARNING;
	}
	return seconds > 0 && o->seconds > 0 && o->seconds < seconds ? ROLE_GOOD : ROLE_TEXT;
}

static void
steps_rows(struct rows *rows, const struct state *s)
{
	char label[64], now[VALUE_SIZE], values[2 * VALUE_SIZE], cell[2 * VALUE_SIZE];
	char text[DIAG_MESSAGE_SIZE + 4 * VALUE_SIZE];
	const int values_w = values_columns(rows->width);

	rows->hang = LABEL_COLUMNS + values_w + 2; /* of reasons */
	for (int i = 0; i < s->steps->fields; i++)
		for (int way = 0; way < 2; way++) {
			const struct next_step *step = &s->steps->step[i][way];
			const enum field_id f = s->steps->listed[i];
			enum role role = ROLE_DIM;

			if (!step->exists)
				continue;
			field_format(f, &s->plan, now, sizeof now);
			rows_column(field_table[f].label, LABEL_COLUMNS, label, sizeof label);
			/* where both have no room, the new one counts */
			if (text_put(values, sizeof values, "%s -> %s", now, step->value) > (size_t)values_w)
				text_put(values, sizeof values, "-> %s", step->value);
			rows_column(values, values_w, cell, sizeof cell);
			text_put(text, sizeof text, "%s %s ", label, cell);
			if (step->legal) {
				role = add_outlook(s, &step->outlook, rows->width, text, sizeof text);
				rows_line(rows, 2 * i + way, role, text);
			} else
				rows_item(rows, 2 * i + way, role, "%snot legal: %s", text, step->why);
		}
}

/* What its numbers are, which have no heading. */
static void
steps_title(const struct state *s, char *buf, size_t size)
{
	text_add(buf, size, "  %s, %s", result_table[RESULT_PEAK_TOTAL].brief,
	    result_table[result_main(MAIN_TIME, &s->plan)].brief);
}

/* Take the step. */
static unsigned
steps_accept(struct state *s, int target)
{
	struct plan next;
	enum field_id f;

	if (target < 0 || target / 2 >= s->steps->fields)
		return 0;
	f = s->steps->listed[target / 2];
	if (!step_legal(&s->plan, s->catalog, f, target % 2 == 0 ? -1 : 1, &next))
		return 0;
	s->form.field = f;
	return edit_take(s, f, &next);
}

const struct list_type steps_list = { .title = "one step away", .add_title = steps_title, .rows = steps_rows,
	.begin = steps_begin, .accept = steps_accept, .renew = steps_all };
