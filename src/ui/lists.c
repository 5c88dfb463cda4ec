/* The lists that come from tables: commands, errors, catalogue entries, fields. */
#include <string.h>

#include "core/text.h"
#include "ui/actions.h"
#include "ui/command.h"
#include "ui/views.h"

enum {
	INDENT = 4,
	VALUE_COLUMNS = 16,  /* of the list of fields, */
	PATH_FROM = 70,      /* which has room for their paths from here on, */
	HELP_FROM = 90,      /* and for their help */
	KEYS_COLUMNS = 16, KEYS_WIDE = 18, /* of the help, */
	NAME_COLUMNS = 18, NAME_WIDE = 21, /* which is wider, so that all is in line, */
	WIDE_FROM = 96,      /* from here on */
	HANG_FROM = 60,      /* and has room beside its columns for more lines from here on */
};

/* Keys that the user gave a meaning of their own, or took it from. */
static void
own_keys_rows(struct rows *rows, const struct state *s, int w)
{
	char line[ROW_TEXT_SIZE];

	if (s->settings.keys > 0)
		rows_heading(rows, "Your own keys");
	for (size_t i = 0; i < s->settings.keys; i++) {
		const struct settings_key *own = &s->settings.key[i];

		text_put(line, sizeof line, "%-*s %s%s", w, own->key,
		    own->command[0] != '\0' ? ":" : "means nothing", own->command);
		rows_item(rows, -1, ROLE_TEXT, line);
	}
}

void
help_rows(struct rows *rows, const struct state *s)
{
	static const char *const places[] = {
		"Everywhere", "In the plan", "On the map", "On the pipeline", "On numbers", "In lists"
	};
	static const unsigned contexts[] = {
		CONTEXT_PANES, CONTEXT_FORM, CONTEXT_MAP, CONTEXT_PIPELINE, CONTEXT_MEMORY,
		CONTEXT_LIST
	};
	const bool wide = rows->width >= WIDE_FROM;
	const int keys_w = wide ? KEYS_WIDE : KEYS_COLUMNS, name_w = wide ? NAME_WIDE : NAME_COLUMNS;
	const int hang = rows->hang;
	char keys[64], line[ROW_TEXT_SIZE], name[64];

	own_keys_rows(rows, s, keys_w);
	if (rows->width >= HANG_FROM)
		rows->hang = keys_w + name_w + 3;
	for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
		rows_heading(rows, places[place]);
		for (size_t i = 0; i < command_count; i++) {
			const struct command *c = &command_table[i];
			bool everywhere = (c->contexts & CONTEXT_PANES) == CONTEXT_PANES ||
			    c->contexts == 0;

			if (place == 0 ? !everywhere : everywhere || (c->contexts & contexts[place]) == 0)
				continue;
			command_keys_now(s, c, COMMAND_KEYS_MAX, keys, sizeof keys);
			text_put(name, sizeof name, c->argument[0] != '\0' ? "%s %s" : "%s", c->name,
			    c->argument);
			text_put(line, sizeof line, "%-*s :%-*s %s", keys_w, keys, name_w, name, c->help);
			rows_item(rows, (int)i, ROLE_TEXT, line);
		}
	}
	rows->hang = hang;
	rows_heading(rows, "While typing");
	rows_item(rows, -1, ROLE_TEXT, "Enter            takes it, Esc cancels, Tab and Shift-Tab "
	    "complete commands, fields, values and files");
	rows_item(rows, -1, ROLE_TEXT, "Up Down          after :, earlier lines that begin alike; "
	    "Ctrl-P Ctrl-N, all of them");
	rows_item(rows, -1, ROLE_TEXT, "Left Right Home End Backspace Delete Ctrl-A Ctrl-E Ctrl-U "
	    "Ctrl-K Ctrl-W edit");
	rows_heading(rows, "Marks");
	rows_item(rows, -1, ROLE_TEXT, "*  you set this field (the others come from the catalogue, "
	    "a default or a rule)");
	rows_item(rows, -1, ROLE_TEXT, "!  an error or a warning is about this field");
	rows_item(rows, -1, ROLE_TEXT, ">  selected; on the map >13< is the GPU under the cursor, "
	    "[12] or *tp a peer of it");
}

void
diags_rows(struct rows *rows, const struct state *s)
{
	const struct diag_list *diags = &s->estimate->diags;
	static const enum role role[] = { ROLE_ERROR, ROLE_WARNING, ROLE_TEXT };
	char text[DIAG_MESSAGE_SIZE + DIAG_FIX_SIZE + 128];

	for (size_t i = 0; i < diags->count; i++) {
		const struct diag *d = &diags->item[i];
		int item = rows->items;

		text_put(text, sizeof text, "%s: %s", severity_name(d->severity), d->message);
		if (!rows_passes(rows, text))
			continue;
		rows->items++;
		rows_wrapped(rows, item, (int)i, role[d->severity], 0, text);
		if (d->fix_field != FIELD_NONE) {
			text_put(text, sizeof text, "Enter: %s %s", field_table[d->fix_field].label,
			    d->fix_value);
			rows_wrapped(rows, item, (int)i, ROLE_KEY, INDENT, text);
		}
		text_put(text, sizeof text, "%s%s%s%s%s",
		    d->field != FIELD_NONE ? field_table[d->field].path : "", d->field != FIELD_NONE ?
		    "  " : "", d->reason != NULL ? d->reason : "", d->source != NULL ? "  " : "",
		    d->source != NULL ? d->source : "");
		rows_wrapped(rows, item, (int)i, ROLE_DIM, INDENT, text);
	}
	if (diags->dropped > 0) {
		text_put(text, sizeof text, "and %zu more", diags->dropped);
		rows_item(rows, -1, ROLE_DIM, text);
	}
	if (diags->count == 0)
		rows_item(rows, -1, ROLE_GOOD, "no errors, no warnings");
}

unsigned
diags_accept(struct state *s, int target)
{
	const struct diag_list *diags = &s->estimate->diags;
	const struct diag *d;
	bool leads = true; /* to a field */

	if (target < 0 || (size_t)target >= diags->count)
		return 0;
	d = &diags->item[target];
	if (d->fix_field == FIELD_NONE && d->field != FIELD_NONE &&
	    field_in_mode(d->field, s->plan.mode))
		s->form.field = d->field;
	else if (d->fix_field == FIELD_NONE)
		leads = false;
	if (leads)
		s->overlay = OVERLAY_NONE;
	return edit_take_fix(s, d);
}

void
catalog_title(const struct state *s, char *buf, size_t size)
{
	text_add(buf, size, "%s", s->overlay_field == FIELD_PRESET ? "models" : "GPUs");
}

void
catalog_rows(struct rows *rows, const struct state *s)
{
	const bool models = s->overlay_field == FIELD_PRESET;
	const struct catalog_list *list = models ? &s->catalog->models : &s->catalog->gpus;
	const char *now = field_text(s->overlay_field, &s->plan);
	char text[ROW_TEXT_SIZE];

	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *e = &list->entry[i];
		const struct plan *v = &e->values;

		text_put(text, sizeof text, "%c %-26s ", text_equal(e->id, now) ? '*' : ' ', e->id);
		if (models)
			text_add(text, sizeof text, "%7.1fB  %3lld layers  hidden %-5lld  %s",
			    (double)e->total_params / 1e9, (long long)v->model.layers,
			    (long long)v->model.hidden_size, e->title);
		else
			text_add(text, sizeof text, "%6.1f GiB  %5.0f TFLOP/s  NVLink %4.0f GB/s  %s",
			    v->cluster.memory_gib, v->cluster.bf16_tflops, v->cluster.nvlink_gbps, e->title);
		rows_line(rows, (int)i, ROLE_TEXT, text);
	}
}

unsigned
catalog_accept(struct state *s, int target)
{
	const bool models = s->overlay_field == FIELD_PRESET;
	const struct catalog_list *list = models ? &s->catalog->models : &s->catalog->gpus;
	char err[STATE_MESSAGE_SIZE];
	unsigned flags = 0;

	if (target < 0 || (size_t)target >= list->count)
		return 0;
	s->overlay = OVERLAY_NONE;
	if (!edit_put(s, s->overlay_field, list->entry[target].id, &flags, err, sizeof err))
		state_say(s, ROLE_ERROR, "%s", err);
	return flags;
}

/* How well a field answers what was typed: its very name, a part of the name (first of
 * those that most plans need), or something else about it. */
enum { NAMED, USUAL, NAMED_PARTLY, MENTIONED, MATCHES };

static int
match_of(const char *typed, enum field_id f)
{
	const char *label = field_table[f].label, *key = field_key(f);

	if (strcasecmp(label, typed) == 0 || strcasecmp(key, typed) == 0)
		return NAMED;
	if (strcasestr(label, typed) == NULL && strcasestr(key, typed) == NULL)
		return MENTIONED;
	return field_table[f].flag != NULL ? USUAL : NAMED_PARTLY;
}

void
fields_rows(struct rows *rows, const struct state *s)
{
	const bool ranked = rows->filter[0] != '\0';
	char text[ROW_TEXT_SIZE], shown[ROW_TEXT_SIZE], value[64], cell[80];

	for (int match = ranked ? NAMED : MATCHES - 1; match < MATCHES; match++)
		for (enum field_id f = 0; f < FIELD_COUNT; f++) {
			if (!field_in_mode(f, s->plan.mode) || (ranked && match_of(rows->filter, f) != match))
				continue;
			field_format(f, &s->plan, value, sizeof value);
			text_put(text, sizeof text, "%s %s %s %s", field_table[f].label, value,
			    field_table[f].path, field_table[f].help);
			if (!rows_passes(rows, text))
				continue;
			rows_column(value, VALUE_COLUMNS, cell, sizeof cell);
			text_put(shown, sizeof shown, "%-18s %s", field_table[f].label, cell);
			if (rows->width >= PATH_FROM)
				text_add(shown, sizeof shown, " %-34s %s", field_table[f].path,
				    rows->width >= HELP_FROM ? field_table[f].help : "");
			rows_shown(rows, (int)f, ROLE_TEXT, shown);
		}
}

unsigned
fields_accept(struct state *s, int target)
{
	if (target < 0)
		return 0;
	s->form.field = (enum field_id)target;
	state_focus(s, PANE_FORM);
	s->overlay = OVERLAY_NONE;
	return 0;
}
