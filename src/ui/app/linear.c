#include "ui/app/linear.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/plan/field_source.h"
#include "out/out.h"
#include "ui/app/command.h"
#include "ui/app/event.h"
#include "ui/app/typing.h"
#include "ui/list/list.h"
#include "ui/list/views.h"
#include "ui/pane/panes.h"
#include "ui/screen/input.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"
#include "ui/state/summary.h"

enum { LINE_COLUMNS = 240, SAY_SIZE = 1024, ENTRIES = 10 /* that are told at once */ };

/* Lines of one answer. */
struct answer {
	FILE *out;
	int lines;
};

/* A line; of blanks that align columns, two. */
static void
put_text(FILE *out, const char *text)
{
	while (*text != '\0') {
		const int word = (int)strcspn(text, " "), blanks = (int)strspn(text + word, " ");

		out_part(out, "%.*s%*s", word, text, blanks < 2 ? blanks : 2, "");
		text += word + blanks;
	}
	out_end(out);
}

static void say_answer(struct answer *a, const char *fmt, ...) TEXT_FORMAT(2, 3);

static void
say_answer(struct answer *a, const char *fmt, ...)
{
	char text[SAY_SIZE];
	va_list args;

	va_start(args, fmt);
	text_vput(text, sizeof text, fmt, args);
	va_end(args);
	out_part(a->out, "%d. ", ++a->lines);
	put_text(a->out, text);
}

static void
say_sizes(struct answer *a, const struct state *s)
{
	const struct parallel *p = &s->plan.parallel;
	char text[160], node[PLAN_LIST_SIZE + 8], gpus[PLAN_ID_SIZE + PLAN_LIST_SIZE];

	text_put(text, sizeof text, "TP %lld, CP %lld, PP %lld, EP %lld", (long long)p->tp,
	    (long long)p->cp, (long long)p->pp, (long long)p->ep);
	if (s->estimate->laid_out)
		text_add(text, sizeof text, ", DP %lld", (long long)s->estimate->dp);
	say_answer(a, "%s on %lld node%s of %s %s: %lld GPU%s", text,
	    (long long)s->plan.cluster.nodes, TEXT_S(s->plan.cluster.nodes),
	    plan_node_text(&s->plan, node, sizeof node), plan_gpu_text(&s->plan, gpus, sizeof gpus),
	    (long long)plan_world(&s->plan), TEXT_S(plan_world(&s->plan)));
}

static void
say_numbers(struct answer *a, const struct state *s)
{
	const struct estimate *e = s->estimate;
	const struct summary now = summary_of(e);
	char text[96], more[96];

	if (e->stages > 0) {
		const char *peak = UNITS_SHORT(BYTES, e->peak_total);

		if (e->capacity_known)
			say_answer(a, "memory %s: %s of %s on the fullest GPU, stage %lld",
			    estimate_lacks_requests(e) ? "does not hold the requests" :
			    !e->fits ? "does not fit" : e->tight ? "is tight" : "fits", peak,
			    UNITS_SHORT(BYTES, e->capacity), (long long)e->peak_stage);
		else
			say_answer(a, "memory %s on the fullest GPU, stage %lld", peak, (long long)e->peak_stage);
	}
	summary_pace(&now, text, sizeof text);
	summary_rate(&now, more, sizeof more);
	if (text[0] != '\0')
		say_answer(a, "%s%s%s", text, more[0] != '\0' ? ", " : "", more);
	if (now.part[SUMMARY_TRAFFIC] > 0)
		say_answer(a, "traffic %s a step from one GPU", UNITS_SHORT(WIRE, now.part[SUMMARY_TRAFFIC]));
}

static void
say_diag(struct answer *a, const struct diag *d)
{
	const char *severity = severity_name(d->severity);

	if (d->fix_field != FIELD_NONE && d->also_field != FIELD_NONE)
		say_answer(a, "%s: %s; fix: %s %s, %s %s", severity, d->message, field_key(d->fix_field),
		    d->fix_value, field_key(d->also_field), d->also_value);
	else if (d->fix_field != FIELD_NONE)
		say_answer(a, "%s: %s; fix: %s %s", severity, d->message, field_key(d->fix_field),
		    d->fix_value);
	else
		say_answer(a, "%s: %s", severity, d->message);
}

static void
say_summary(struct answer *a, const struct state *s)
{
	const struct diag_list *diags = &s->estimate->diags;
	const size_t errors = diag_count(diags, SEVERITY_ERROR);
	const size_t warnings = diag_count(diags, SEVERITY_WARNING);

	say_answer(a, "%s%s, model %s", state_file_name(s), state_unsaved(s) ? ", not saved" : "",
	    field_text(FIELD_PRESET, &s->plan));
	say_sizes(a, s);
	say_numbers(a, s);
	for (size_t i = 0; i < diags->count; i++)
		if (diags->item[i].severity == SEVERITY_ERROR)
			say_diag(a, &diags->item[i]);
	if (errors + warnings > 0)
		say_answer(a, "%zu error%s, %zu warning%s: errors lists them", errors, TEXT_S(errors),
		    warnings, TEXT_S(warnings));
}

/* "tp 2 NVLink 44.6 GB: ranks 0 1": who is with whom, over what. */
static void
say_relation(struct answer *a, const struct state *s, const struct map_relation *r, int i)
{
	const struct layout *l = &s->estimate->layout;
	const int64_t group = layout_group_of(l, r->kind[i], r->cursor);
	const int64_t n = layout_group_size(l, r->kind[i]);
	char what[MAP_COLOR_TEXT_SIZE], ranks[160] = "";

	map_relation_text(r, i, false, &s->plan, s->estimate, what, sizeof what);
	for (int64_t k = 0; group >= 0 && k < n && k < ENTRIES; k++)
		text_add(ranks, sizeof ranks, " %lld", (long long)layout_member(l, r->kind[i], group, k));
	if (n > ENTRIES)
		text_add(ranks, sizeof ranks, " and %lld more", (long long)(n - ENTRIES));
	say_answer(a, "%s a step, ranks%s", what, ranks);
}

/* The map in words: the GPU under the cursor, which go moves, and whom it talks to. */
static void
say_map(struct answer *a, const struct state *s)
{
	const int64_t gpus = s->plan.cluster.gpus_per_node, rank = s->map.cursor, slot = plan_slot(&s->plan, rank);
	struct map_relation r;
	char at[64];

	if (!s->estimate->laid_out) {
		say_answer(a, "error: no groups: the layout refuses the plan (errors says why)");
		return;
	}
	map_coordinates(&s->estimate->layout, rank, at, sizeof at);
	say_answer(a, "rank %lld: node %lld, GPU %lld, stage %lld%s%s", (long long)rank,
	    (long long)(slot / gpus), (long long)(slot % gpus),
	    (long long)layout_pipeline_rank(&s->estimate->layout, rank), at[0] != '\0' ? ", " : "", at);
	map_relation_init(&r, &s->estimate->layout, rank, false);
	for (int i = 0; i < r.count; i++)
		say_relation(a, s, &r, i);
	if (r.count == 0)
		say_answer(a, "it talks to no other GPU");
}

/* The question that is open, if one is. */
static void
say_question(struct answer *a, const struct state *s)
{
	char text[STATE_MESSAGE_SIZE + 64];

	if (s->question.kind != QUESTION_NONE) {
		typing_question(s, text, sizeof text);
		say_answer(a, "%s (an empty line, or another command, is Esc)", text);
	} else if (s->prompt.kind != PROMPT_NONE) {
		typing_label(s, text, sizeof text);
		say_answer(a, "%s%s (an empty line leaves it)", text, s->prompt.line.text);
	}
}

/* Whether a line is of the ten entries from `first` on; a heading, as the entry below it. */
static bool
is_told(const struct rows *rows, size_t i, int first)
{
	while (i < rows->count && rows->row[i].item < 0)
		i++;
	return i == rows->count || (rows->row[i].item >= first && rows->row[i].item < first + ENTRIES);
}

/* The list that is open, ten entries at once: they have their numbers. When it is the one that was
 * open before, its selected entry alone: that one was switched. */
static void
say_list(FILE *out, const struct state *s, const char *open)
{
	const struct list_type *type = s->lists[s->list.kind];
	char title[SAY_SIZE];
	const int first = s->list.first_line; /* entry, as nothing scrolls here */
	struct rows rows;
	bool again;

	list_title(s, title, sizeof title);
	again = text_equal(title, open);
	if (!again)
		put_text(out, title);
	list_rows(&rows, s, LINE_COLUMNS);
	for (size_t i = 0; i < rows.count; i++) {
		const struct row *row = &rows.row[i];

		if (again ? row->item != s->list.item : !is_told(&rows, i, first))
			continue;
		if (row->item >= 0 && (i == 0 || row[-1].item != row->item))
			out_part(out, "%d. ", row->item + 1);
		put_text(out, row->text + strspn(row->text, " "));
	}
	if (!again && rows.items > first + ENTRIES)
		out_line(out, "%d more entries: more", rows.items - first - ENTRIES);
	if (rows.items > 0 && type->accept != NULL && !again)
		put_text(out, "a number takes that entry");
	rows_free(&rows);
}

static void
say_field(struct answer *a, enum field_id f, const struct plan *p)
{
	char text[SAY_SIZE], range[256], source[128], unit[32];

	edit_describe(f, p, text, sizeof text);
	field_range(f, range, sizeof range);
	field_source_text(f, p, source, sizeof source);
	field_unit(f, p, unit, sizeof unit);
	say_answer(a, "%s%s%s, %s: %s%s%s", text, unit[0] != '\0' ? " " : "", unit, source, field_table[f].help,
	    range[0] != '\0' ? "; " : "", range);
}

/* How things stood before a line. */
struct before {
	size_t now, count, dropped; /* of the history: tells whether the plan is another one */
	struct summary summary;
	struct diag_list diags;
	enum field_id field;
	int64_t cursor;
	char list[SAY_SIZE];        /* title of the list that was open, "" without one */
};

static bool
was_there(const struct diag_list *list, const struct diag *d)
{
	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->item[i].message, d->message))
			return true;
	return false;
}

/* Diagnostics and numbers that a change of the plan changed. */
static void
say_change(struct answer *a, const struct state *s, const struct before *was)
{
	const struct diag_list *diags = &s->estimate->diags;
	const struct summary now = summary_of(s->estimate);
	char delta[256];

	summary_delta(&was->summary, &now, delta, sizeof delta);
	if (s->message[0] == '\0') /* else that was said */
		say_answer(a, "%s%s%s", undo_entry(&s->undo, s->undo.now)->what, delta[0] != '\0' ? ": " : "",
		    delta);
	else if (delta[0] != '\0')
		say_answer(a, "%s", delta);
	if (delta[0] == '\0')
		say_numbers(a, s);
	for (size_t i = 0; i < diags->count; i++) {
		const struct diag *d = &diags->item[i];

		if (d->severity == SEVERITY_ERROR ||
		    (d->severity == SEVERITY_WARNING && !was_there(&was->diags, d)))
			say_diag(a, d);
	}
	if (s->estimate->legal && diag_count(&was->diags, SEVERITY_ERROR) > 0)
		say_answer(a, "no errors any more");
}

static void
say_result(struct answer *a, const struct state *s, const struct before *was)
{
	const bool changed = was->now != s->undo.now || was->count != s->undo.count ||
	    was->dropped != s->undo.dropped;
	char text[SAY_SIZE];

	if (s->message[0] != '\0')
		say_answer(a, "%s%s", s->message_role == ROLE_ERROR ? "error: " : "", s->message);
	if (s->prompt.error[0] != '\0' &&
	    (s->prompt.kind != PROMPT_NONE || s->question.kind != QUESTION_NONE))
		say_answer(a, "error: %s", s->prompt.error);
	if (changed)
		say_change(a, s, was);
	if (s->list.kind != LIST_NONE && s->prompt.kind == PROMPT_NONE && s->question.kind == QUESTION_NONE)
		say_list(a->out, s, was->list);
	else
		say_question(a, s);
	if (a->lines > 0 || s->list.kind != LIST_NONE)
		return;
	if (s->form.field != was->field)
		say_field(a, s->form.field, &s->plan);
	else if (s->map.cursor != was->cursor)
		say_answer(a, "rank %lld", (long long)s->map.cursor);
	else { /* the stage, traffic or number that is selected now */
		text[0] = '\0';
		if (pane_type(s, s->focus)->line != NULL)
			pane_type(s, s->focus)->line(s, text, sizeof text);
		say_answer(a, "%s", text[0] != '\0' ? text : "done");
	}
}

/* "tp 8", "tp=8", "tp +", "tp", "+": fields without the word "set". False when it is none of
 * these. */
static bool
use_field(struct state *s, const char *text, struct answer *a, unsigned *flags)
{
	size_t n = strcspn(text, " \t=");
	const char *value = text + n;
	char name[96];
	enum field_id f = s->form.field;

	value += strspn(value, " \t=");
	text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, text);
	if (text_equal(text, "+") || text_equal(text, "-")) {
		value = text;
	} else {
		if (command_find(name) != NULL || (f = field_find(name)) == FIELD_NONE)
			return false;
		s->form.field = f;
	}
	s->message[0] = '\0';
	if (value[0] == '\0')
		say_field(a, f, &s->plan);
	else if (text_equal(value, "+") || text_equal(value, "-"))
		*flags = app_act(s, edit_step(s, value[0] == '+' ? 1 : -1));
	else {
		*flags = app_command(s, TEXT_OF(LINE_SIZE + 8, "set %s", text));
	}
	return true;
}

/* The answer to what was asked. */
static unsigned
answer_question(struct state *s, const char *text)
{
	if (s->question.kind != QUESTION_NONE)
		return app_key(s, text[0] != '\0' ? (unsigned char)text[0] : INPUT_ESCAPE);
	if (text[0] == '\0')
		return app_key(s, INPUT_ESCAPE);
	line_start(&s->prompt.line, text, false);
	return app_key(s, INPUT_ENTER);
}

/* Entry n of the list that is open, counted from 1. */
static unsigned
take_entry(struct state *s, int64_t n, struct answer *a)
{
	struct rows rows;

	list_rows(&rows, s, LINE_COLUMNS);
	if (n < 1 || n > rows.items)
		say_answer(a, "error: there is no entry %lld", (long long)n);
	else
		s->list.item = (int)n - 1;
	rows_free(&rows);
	s->message[0] = '\0';
	return a->lines > 0 ? 0 : app_act(s, list_more(s));
}

static void
say_command(struct answer *a, const struct command *c)
{
	say_answer(a, "%s%s%s: %s", c->name, c->argument[0] != '\0' ? " " : "", c->argument, c->help);
}

/* The screen's list is about keys. */
static void
say_commands(struct answer *a, struct state *s)
{
	const int first = s->commands_told;
	int n = 0;

	if (first == 0) {
		say_answer(a, "FIELD VALUE: set a field; FIELD + or FIELD -: its next or previous legal value; "
		    "FIELD: what it is");
		say_answer(a, "a number: take that entry of the list above; more: its next ten; an empty line: the "
		    "summary; map: who talks to whom, of the GPU that go leads to");
	}
	for (size_t i = 0; i < command_count; i++) {
		if (command_table[i].contexts == CONTEXT_LIST)
			continue;
		if (n >= first && n < first + ENTRIES)
			say_command(a, &command_table[i]);
		n++;
	}
	s->commands_told = first + ENTRIES < n ? first + ENTRIES : 0;
	if (s->commands_told > 0)
		say_answer(a, "%d more commands: more; help NAME tells of one", n - s->commands_told);
}

static unsigned
run_command(struct state *s, const char *text, struct answer *a)
{
	const char *name = text[0] == '?' ? text + 1 : strncmp(text, "help ", 5) == 0 ? text + 5 : "";
	const struct command *about = command_find(name + strspn(name, " "));
	unsigned flags = 0;
	char help[LINE_SIZE];

	list_leave(s);
	s->list.filter[0] = '\0';
	s->message[0] = '\0';
	if (!text_equal(text, "more"))
		s->commands_told = 0;
	if (text_equal(text, "?") || text_equal(text, "help") || s->commands_told > 0) {
		say_commands(a, s);
		return 0;
	}
	if (about != NULL) {
		say_command(a, about);
		return 0;
	}
	if (text_equal(text, "map")) {
		say_map(a, s);
		return 0;
	}
	if (text[0] == '?') {
		text_put(help, sizeof help, "help %s", name + strspn(name, " "));
		text = help;
	}
	if (!use_field(s, text, a, &flags))
		flags = app_command(s, text);
	if (s->prompt.kind == PROMPT_FILTER) /* the list says it all, and numbers choose from it */
		prompt_end(s);
	if ((flags & (EVENT_SUSPEND | EVENT_SHELL)) != 0)
		say_answer(a, "error: this is for the screen");
	return flags;
}

/* Errors are told with their fixes. */
static void
find_fixes(struct state *s)
{
	if (!s->estimate->legal)
		state_advise(s);
}

void
linear_begin(struct state *s, FILE *out)
{
	struct answer a = { .out = out };

	s->in_lines = true;
	find_fixes(s);
	put_text(out, "shardplan in lines: ? lists the commands, FIELD VALUE sets a field (tp 8), "
	    "FIELD + and FIELD - step it, an empty line repeats this summary, quit leaves");
	say_summary(&a, s);
	if (s->message[0] != '\0' && s->question.kind == QUESTION_NONE)
		say_answer(&a, "%s", s->message);
	say_question(&a, s);
}

/* Without the blanks around it. False where it is too long. */
static bool
trim(const char *text, char *line, size_t size)
{
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL)
		n--;
	text_put(line, size, "%.*s", n < size ? (int)n : 0, text);
	return n < size;
}

bool
linear_line(struct state *s, const char *text, FILE *out)
{
	struct answer a = { .out = out };
	char line[LINE_SIZE];
	struct before was = {
		.now = s->undo.now, .count = s->undo.count, .dropped = s->undo.dropped,
		.summary = summary_of(s->estimate), .diags = s->estimate->diags,
		.field = s->form.field, .cursor = s->map.cursor,
	};
	unsigned flags;
	int64_t n;
	bool asked;

	if (!trim(text, line, sizeof line)) {
		say_answer(&a, "error: the line is longer than %zu bytes", sizeof line - 1);
		return true;
	}
	/* A script does not know what is asked; questions are answered by a letter. */
	if (s->question.kind != QUESTION_NONE && line[0] != '\0' && line[1] != '\0')
		app_key(s, INPUT_ESCAPE);
	asked = s->question.kind != QUESTION_NONE || s->prompt.kind != PROMPT_NONE;
	if (s->list.kind != LIST_NONE)
		list_title(s, was.list, sizeof was.list);
	if (!asked && line[0] == '\0') {
		list_leave(s);
		say_summary(&a, s);
		return true;
	}
	if (!asked && s->list.kind != LIST_NONE && text_equal(line, "more")) {
		s->list.first_line += ENTRIES;
		say_list(out, s, "");
		return true;
	}
	if (asked)
		flags = answer_question(s, line);
	else if (s->list.kind != LIST_NONE && text_to_int(line, &n))
		flags = take_entry(s, n, &a);
	else {
		was.list[0] = '\0'; /* asked for again, it is told again */
		flags = run_command(s, line + strspn(line, ":"), &a);
	}
	if ((flags & EVENT_QUIT) != 0) {
		if (s->message[0] != '\0') /* "saved plan.cfg" */
			say_answer(&a, "%s", s->message);
		return false;
	}
	while (s->list.kind == LIST_SEARCH && search_view_look(s)) /* lines tell of the end alone */
		poll(NULL, 0, SEARCH_VIEW_MS);
	find_fixes(s);
	say_result(&a, s, &was);
	return true;
}
