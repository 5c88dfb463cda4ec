/* What one may choose: fixes of errors, entries of the catalogue, fields. */

#include <string.h>

#include "core/base/text.h"
#include "ui/list/views.h"
#include "ui/state/edit.h"
#include "ui/state/prompt.h"

enum {
	INDENT = 4,
	VALUE_COLUMNS = 16,  /* of the list of fields, */
	PATH_FROM = 70,      /* which has room for their paths from here on, */
	HELP_FROM = 90,      /* and for their help */
	TITLE_FROM = 96,     /* of the catalogue, for whole titles */
};

unsigned
diags_open(struct state *s)
{
	state_advise(s);
	list_open(s, LIST_DIAGS);
	return 0;
}

static void
diags_rows(struct rows *rows, const struct state *s)
{
	const struct diag_list *diags = &s->estimate->diags;
	static const enum role role[] = { ROLE_ERROR, ROLE_WARNING, ROLE_TEXT };
	char text[DIAG_MESSAGE_SIZE + DIAG_FIX_SIZE + 128], fix[EDIT_FIX_SIZE];

	for (size_t i = 0; i < diags->count; i++) {
		const struct diag *d = &diags->item[i];
		int item = rows->items;

		text_put(text, sizeof text, "%s: %s", severity_name(d->severity), d->message);
		if (!rows_passes(rows, text))
			continue;
		rows->items++;
		rows_wrapped(rows, item, (int)i, role[d->severity], 0, text);
		if (d->fix_field != FIELD_NONE) {
			edit_fix_text(d, fix, sizeof fix);
			text_put(text, sizeof text, "Enter: %s", fix);
			rows_wrapped(rows, item, (int)i, ROLE_KEY, INDENT, text);
		}
		text_put(text, sizeof text, "%s%s%s%s%s",
		    d->field != FIELD_NONE ? field_table[d->field].path : "", d->field != FIELD_NONE ?
		    "  " : "", d->reason != NULL ? d->reason : "", d->source != NULL ? "  " : "",
		    d->source != NULL ? d->source : "");
		rows_wrapped(rows, item, (int)i, ROLE_DIM, INDENT, text);
	}
	if (diags->dropped > 0)
		rows_item(rows, -1, ROLE_DIM, "and %zu more", diags->dropped);
	if (diags->count == 0)
		rows_item(rows, -1, ROLE_GOOD, "no errors, no warnings");
}

static unsigned
diags_accept(struct state *s, int target)
{
	const struct diag_list *diags = &s->estimate->diags;
	const struct diag *d;
	bool leads = true; /* to a field */

	if (target < 0 || (size_t)target >= diags->count)
		return 0;
	d = &diags->item[target];
	if (d->fix_field == FIELD_NONE && d->field != FIELD_NONE &&
	    field_applies(d->field, &s->plan))
		s->form.field = d->field;
	else if (d->fix_field == FIELD_NONE)
		leads = false;
	if (leads)
		list_leave(s);
	return edit_take_fix(s, d);
}

/* In a list of ways out the selected one; else that list, for a plan that does not run; where
 * nothing mends it, or it runs, the fix that is nearest, else the search alone in that list. A plan
 * that runs has as the user set it what a warning is about: the fix is shown, and Enter takes it. */
unsigned
diags_fix(struct state *s)
{
	const struct diag *d;
	size_t at;

	if (s->list.kind == LIST_DIAGS || s->list.kind == LIST_MENDS)
		return list_accept(s);
	if (state_is_bad(s) && mends_open(s))
		return 0;
	d = edit_fixable(s);
	if (d == NULL && state_is_bad(s))
		list_open(s, LIST_MENDS);
	if (d == NULL)
		return 0;
	if (d->severity == SEVERITY_ERROR || d->fix_field == FIELD_NONE ||
	    field_same(d->fix_field, &s->plan, &s->saved))
		return edit_take_fix(s, d);
	at = (size_t)(d - s->estimate->diags.item);
	diags_open(s);
	list_select(s, (int)at);
	state_say(s, ROLE_DIM, "%s is as you set it: Enter changes it, Esc keeps it",
	    field_table[d->fix_field].label);
	return 0;
}

/* Names a choice of the catalogue: model.preset and cluster.gpu. */
static bool
is_entry(enum field_id f)
{
	return f == FIELD_PRESET || f == FIELD_GPU;
}

unsigned
fields_edit(struct state *s)
{
	if (is_entry(s->form.field))
		list_open(s, LIST_CATALOG);
	else
		edit_open(s, s->form.field, NULL);
	return 0;
}

unsigned
fields_toggle(struct state *s)
{
	const enum field_id f = s->form.field;
	const enum field_type type = field_table[f].type;
	char err[STATE_MESSAGE_SIZE], name[64];
	struct plan next = s->plan;
	int64_t v = field_int(f, &next);

	if (type != FIELD_BOOL && type != FIELD_CHOICE)
		return fields_edit(s);
	if (type == FIELD_BOOL)
		v = v == 0;
	else if (!field_choice(f, ++v, name, sizeof name))
		v = 0;
	if (!field_put_int(f, &next, v, err, sizeof err)) {
		state_say(s, ROLE_ERROR, "%s", err);
		return 0;
	}
	return edit_take(s, f, &next);
}

static const struct catalog_list *
entries(const struct state *s)
{
	return s->list.fills == FIELD_PRESET ? &s->catalog->models : &s->catalog->gpus;
}

static void
catalog_title(const struct state *s, char *buf, size_t size)
{
	text_add(buf, size, "%s", s->list.fills == FIELD_PRESET ? "models" : "GPUs");
}

static void
catalog_rows(struct rows *rows, const struct state *s)
{
	const bool models = s->list.fills == FIELD_PRESET;
	const struct catalog_list *list = entries(s);
	const char *now = field_text(s->list.fills, &s->plan);
	char text[ROW_TEXT_SIZE];
	size_t untitled;

	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *e = &list->entry[i];
		const struct plan *v = &e->values;

		text_put(text, sizeof text, "%c %-26s ", text_equal(e->id, now) ? '*' : ' ', e->id);
		if (models)
			text_add(text, sizeof text, "%7.1fB  %3lld layers  hidden %-5lld",
			    (double)e->total_params / 1e9, (long long)v->model.layers,
			    (long long)v->model.hidden_size);
		else
			text_add(text, sizeof text, "%6.1f GiB  %5.0f TFLOP/s  NVLink %4.0f GB/s",
			    v->cluster.memory_gib, v->cluster.bf16_tflops, v->cluster.nvlink_gbps);
		untitled = strlen(text);
		text_add(text, sizeof text, "  %s", e->title);
		if (!rows_passes(rows, text))
			continue;
		if (rows->width < TITLE_FROM) /* it would be cut, and the name says as much */
			text[untitled] = '\0';
		rows_shown(rows, (int)i, ROLE_TEXT, text);
	}
}

/* At what is chosen now. */
static int
catalog_begin(const struct state *s)
{
	const struct catalog_list *list = entries(s);

	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->entry[i].id, field_text(s->list.fills, &s->plan)))
			return (int)i;
	return -1;
}

static unsigned
catalog_accept(struct state *s, int target)
{
	const struct catalog_list *list = entries(s);
	char err[STATE_MESSAGE_SIZE];
	unsigned flags = 0;

	if (target < 0 || (size_t)target >= list->count)
		return 0;
	list_leave(s);
	if (!edit_put(s, s->list.fills, list->entry[target].id, &flags, err, sizeof err))
		state_say(s, ROLE_ERROR, "%s", err);
	return flags;
}

enum match
fields_match(enum field_id f, const char *typed)
{
	const struct field *row = &field_table[f];
	const char *const names[] = { field_abbreviation(f), row->flag, row->label, field_key(f) };
	enum match match = MATCH_NONE;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const enum match here = match_name(names[i], typed);

		match = here < match ? here : match;
	}
	return match;
}

/* By a name that is like the filter, or by anything about it that has its words. */
static bool
field_passes(const struct rows *rows, enum field_id f, const char *value)
{
	const struct field *row = &field_table[f];

	return rows->loose ? fields_match(f, rows->filter) < MATCH_NONE : rows_finds(rows,
	    (const char *const[]){ row->label, value, field_short(f), row->path, row->help, NULL });
}

static void
add_field(struct rows *rows, enum field_id f, const char *value)
{
	char shown[ROW_TEXT_SIZE], cell[80];

	rows_column(value, VALUE_COLUMNS, cell, sizeof cell);
	text_put(shown, sizeof shown, "%-18s %s", field_table[f].label, cell);
	if (rows->width >= PATH_FROM)
		text_add(shown, sizeof shown, " %-34s %s", field_table[f].path,
		    rows->width >= HELP_FROM ? field_table[f].help : "");
	rows_shown(rows, (int)f, ROLE_TEXT, shown);
}

/* What the plan has no use for answers no better than by a part of its name. */
static int
field_rank(enum field_id f, const struct state *s, const char *typed)
{
	const enum match match = fields_match(f, typed);
	const bool used = field_in_use(f, &s->plan) || match == MATCH_NAMED || match > MATCH_PART;

	return 2 * (int)(used ? match : MATCH_PART) + (field_table[f].flag == NULL);
}

/* The best answers first, of each those that most plans need. */
static void
fields_rows(struct rows *rows, const struct state *s)
{
	const bool ranked = rows->filter[0] != '\0';
	char value[64];

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!field_applies(f, &s->plan))
			continue;
		field_format(f, &s->plan, value, sizeof value);
		if (ranked && !field_passes(rows, f, value))
			continue;
		rows->rank = ranked ? field_rank(f, s, rows->filter) : 0;
		add_field(rows, f, value);
	}
	rows_sort(rows);
}

unsigned
fields_open(struct state *s, const char *argument)
{
	list_open(s, LIST_FIELDS);
	text_put(s->list.filter, sizeof s->list.filter, "%s", argument);
	prompt_begin(s, PROMPT_FILTER, s->list.filter, false);
	return 0;
}

static unsigned
fields_accept(struct state *s, int target)
{
	if (target < 0)
		return 0;
	s->form.field = (enum field_id)target;
	state_focus(s, PANE_FORM);
	list_leave(s);
	return 0;
}

const struct list_type diags_list = { .title = "errors, warnings and hints", .rows = diags_rows,
	.accept = diags_accept };
const struct list_type catalog_list = { .title = "", .add_title = catalog_title,
	.rows = catalog_rows, .begin = catalog_begin, .accept = catalog_accept, .wide = true, .types = true,
	.names = true };
const struct list_type fields_list = { .title = "fields", .rows = fields_rows,
	.accept = fields_accept, .wide = true, .types = true };
