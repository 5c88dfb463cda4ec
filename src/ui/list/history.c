/* The plans that undo and redo walk along. */
#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/views.h"

enum {
	WHAT_MOST = 34, WHAT_LEAST = 14, NUMBER_COLUMNS = 12,
	INDEX_COLUMNS = 6, /* "  12* " */
};

static int
history_begin(const struct state *s)
{
	return (int)s->undo.now;
}

/* "49.0 GiB", with a mark when that is too much. */
static void
put_memory(const struct undo_entry *entry, char *buf, size_t size)
{
	buf[0] = '\0';
	if (!entry->legal)
		text_put(buf, size, "errors");
	else if (entry->summary.part[SUMMARY_MEMORY] > 0) {
		units_short(buf, size, MEASURE_BYTES, entry->summary.part[SUMMARY_MEMORY]);
		text_add(buf, size, entry->fits ? " " : "!");
	}
}

static void
put_entry(const struct state *s, size_t i, int width, char *buf, size_t size)
{
	const struct undo_entry *entry = undo_entry(&s->undo, i);
	const char *what = entry->what[0] != '\0' ? entry->what : "the plan at the start";
	char memory[UNITS_SIZE], pace[UNITS_SIZE + 8], column[UNDO_WHAT_SIZE + WHAT_MOST];
	int rest = width - INDEX_COLUMNS, numbers = (rest - WHAT_LEAST) / NUMBER_COLUMNS;

	text_put(buf, size, "%4zu%s ", s->undo.dropped + i, i == s->undo.now ? "*" : " ");
	numbers = numbers > 2 ? 2 : numbers;
	rest -= numbers * NUMBER_COLUMNS;
	rest = rest > WHAT_MOST ? WHAT_MOST : rest;
	if (numbers < 1) {
		text_add(buf, size, "%s", what);
		return;
	}
	put_memory(entry, memory, sizeof memory);
	rows_column(what, rest, column, sizeof column);
	text_add(buf, size, "%s%*s", column, NUMBER_COLUMNS, memory);
	if (numbers < 2)
		return;
	summary_pace(&entry->summary, pace, sizeof pace);
	text_add(buf, size, "%*s", NUMBER_COLUMNS, pace);
}

static void
history_rows(struct rows *rows, const struct state *s)
{
	char text[ROW_TEXT_SIZE];

	for (size_t i = 0; i < s->undo.count; i++) {
		put_entry(s, i, rows->width, text, sizeof text);
		rows_line(rows, (int)i, i > s->undo.now ? ROLE_DIM : ROLE_TEXT, text);
	}
}

static unsigned
history_accept(struct state *s, int target)
{
	const size_t from = s->undo.now, i = (size_t)target;
	const struct plan *p = target >= 0 ? undo_to(&s->undo, i) : NULL;

	if (p == NULL)
		return 0;
	list_leave(s);
	if (i == from) {
		state_say(s, ROLE_DIM, "this is the plan as it is");
		return 0;
	}
	s->plan = *p;
	state_say(s, ROLE_GOOD, "%s %zu change%s (%s goes back)", i < from ? "undone" : "redone",
	    i < from ? from - i : i - from, TEXT_S((i < from ? from - i : i - from)),
	    i < from ? "Ctrl-R" : "u");
	return EVENT_RECALC;
}

const struct list_type history_list = { .title = "changes of this session", .rows = history_rows,
	.begin = history_begin, .accept = history_accept, .wide = true };
