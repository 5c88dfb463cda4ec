#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "ui/command.h"
#include "ui/rows.h"
#include "ui/why.h"

enum { INDENT = 4 };

static const struct {
	const char *name;
	const char *kind[MAP_COLORS_MAX];
} preset_table[] = {
	{ "DP", { "dp" } }, { "TP", { "tp" } }, { "PP", { "pp" } }, { "CP", { "cp" } },
	{ "DP+TP", { "dp", "tp" } }, { "DP+PP", { "dp", "pp" } },
	/* With CP, gradients are reduced over both: the groups shown are dp_cp. */
	{ "DP+TP+PP", { "dp", "tp", "pp" } }, { "CP+DP", { "cp", "dp_cp" } },
	{ "CP+DP+TP", { "cp", "dp_cp", "tp" } }, { "CP+DP+PP", { "cp", "dp_cp", "pp" } },
	{ "CP+DP+TP+PP", { "cp", "dp_cp", "tp", "pp" } },
};

const char *
rows_preset(int i)
{
	return i < (int)(sizeof preset_table / sizeof *preset_table) ? preset_table[i].name : NULL;
}

/* Names of the same dimension in other frameworks' layouts. */
static const char *
kind_in(const struct layout *l, const char *name)
{
	static const char *const other[][5] = {
		{ "dp", "data", "dp_shard", NULL, NULL },
		{ "dp_cp", "loss", "dp", "data", NULL },
		{ "tp", "model", NULL, NULL, NULL },
		{ "pp", "pipe", NULL, NULL, NULL },
		{ "cp", "pcp", "sequence_parallel", NULL, NULL },
	};

	if (layout_kind(l, name) >= 0)
		return name;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (text_equal(other[i][0], name))
			for (int j = 1; j < 5 && other[i][j] != NULL; j++)
				if (layout_kind(l, other[i][j]) >= 0)
					return other[i][j];
	return NULL;
}

int
rows_preset_kinds(int i, const struct layout *l, const char *name[MAP_COLORS_MAX])
{
	int n = 0;

	for (int j = 0; j < MAP_COLORS_MAX && preset_table[i].kind[j] != NULL; j++) {
		const char *kind = kind_in(l, preset_table[i].kind[j]);

		if (kind != NULL)
			name[n++] = kind;
	}
	return n;
}

static char
lower(char ch)
{
	return ch >= 'A' && ch <= 'Z' ? (char)(ch - 'A' + 'a') : ch;
}

static bool
contains(const char *text, const char *word, size_t n)
{
	for (; *text != '\0'; text++) {
		size_t i = 0;

		while (i < n && lower(text[i]) == lower(word[i]))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

bool
rows_passes(const struct rows *rows, const char *text)
{
	const char *word = rows->filter;

	while (*(word += strspn(word, " ")) != '\0') {
		size_t n = strcspn(word, " ");

		if (!contains(text, word, n))
			return false;
		word += n;
	}
	return true;
}

static void
add_line(struct rows *rows, int item, int target, enum role role, int indent, const char *text,
    size_t n)
{
	struct row *row;

	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity * 2 + 64;

		row = realloc(rows->row, capacity * sizeof *row);
		if (row == NULL)
			return;
		rows->row = row;
		rows->capacity = capacity;
	}
	row = &rows->row[rows->count++];
	*row = (struct row){ .item = item, .target = target, .role = role };
	text_put(row->text, sizeof row->text, "%*s%.*s", indent, "", (int)n, text);
}

/* How many bytes of the text go on a line of w columns, cut between words. */
static size_t
line_length(const char *text, int w)
{
	size_t fits = 0, at = 0, columns = 0, most = w > 8 ? (size_t)w : 8;

	if (most > ROW_TEXT_SIZE - INDENT - 4)
		most = ROW_TEXT_SIZE - INDENT - 4;
	while (text[at] != '\0' && at < ROW_TEXT_SIZE - INDENT - 4) {
		if (((unsigned char)text[at] & 0xc0) != 0x80 && columns++ == most)
			return fits > 0 ? fits : at;
		at++;
		if (text[at] == ' ' || text[at] == '\0')
			fits = at;
	}
	return at;
}

void
rows_wrapped(struct rows *rows, int item, int target, enum role role, int indent, const char *text)
{
	bool first = true;

	do {
		int in = first ? indent : indent + INDENT;
		size_t n = line_length(text, rows->width - in);

		add_line(rows, item, target, role, in, text, n);
		text += n;
		text += strspn(text, " ");
		first = false;
	} while (*text != '\0');
}

void
rows_item(struct rows *rows, int target, enum role role, const char *text)
{
	if (rows_passes(rows, text))
		rows_wrapped(rows, rows->items++, target, role, 0, text);
}

void
rows_heading(struct rows *rows, const char *text)
{
	if (rows->filter[0] == '\0')
		add_line(rows, -1, -1, ROLE_TITLE, 0, text, strlen(text));
}

static void
rows_help(struct rows *rows)
{
	static const char *const places[] = {
		"Everywhere", "In the plan", "On the map", "On numbers", "In lists"
	};
	static const unsigned contexts[] = {
		CONTEXT_PANES, CONTEXT_FORM, CONTEXT_MAP, CONTEXT_MEMORY, CONTEXT_LIST
	};
	char keys[64], line[ROW_TEXT_SIZE], name[64];

	for (size_t place = 0; place < 5; place++) {
		rows_heading(rows, places[place]);
		for (size_t i = 0; i < command_count; i++) {
			const struct command *c = &command_table[i];
			bool everywhere = (c->contexts & CONTEXT_PANES) == CONTEXT_PANES ||
			    c->contexts == 0;

			if (place == 0 ? !everywhere : everywhere || (c->contexts & contexts[place]) == 0)
				continue;
			command_keys(c, keys, sizeof keys);
			text_put(name, sizeof name, c->argument[0] != '\0' ? "%s %s" : "%s", c->name,
			    c->argument);
			text_put(line, sizeof line, "%-16s :%-18s %s", keys, name, c->help);
			rows_item(rows, (int)i, ROLE_TEXT, line);
		}
	}
	rows_heading(rows, "While typing");
	rows_item(rows, -1, ROLE_TEXT, "Enter            takes it, Esc cancels, Tab completes files, "
	    "commands and fields");
	rows_item(rows, -1, ROLE_TEXT, "Left Right Home End Backspace Delete Ctrl-A Ctrl-E Ctrl-U "
	    "Ctrl-K Ctrl-W edit");
	rows_heading(rows, "Marks");
	rows_item(rows, -1, ROLE_TEXT, "*  you set this field (the others come from the catalogue, "
	    "a default or a rule)");
	rows_item(rows, -1, ROLE_TEXT, "!  an error or a warning is about this field");
	rows_item(rows, -1, ROLE_TEXT, ">  selected; on the map >13< is the GPU under the cursor, "
	    "[12] or *tp a peer of it");
}

static void
rows_diags(struct rows *rows, const struct diag_list *diags)
{
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

static void
rows_catalog(struct rows *rows, const struct state *s)
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
		if (rows_passes(rows, text))
			add_line(rows, rows->items++, (int)i, ROLE_TEXT, 0, text, strlen(text));
	}
}

/* How well a field answers what was typed: its very name, a part of the name, or
 * something else about it. */
enum { NAMED, NAMED_PARTLY, MENTIONED, MATCHES };

static int
match_of(const struct rows *rows, enum field_id f)
{
	const char *label = field_table[f].label, *key = field_key(f);
	size_t n = strlen(rows->filter);

	if ((strlen(label) == n && contains(label, rows->filter, n)) ||
	    (strlen(key) == n && contains(key, rows->filter, n)))
		return NAMED;
	return contains(label, rows->filter, n) || contains(key, rows->filter, n) ? NAMED_PARTLY :
	    MENTIONED;
}

static void
rows_fields(struct rows *rows, const struct state *s)
{
	const bool ranked = rows->filter[0] != '\0';
	char text[ROW_TEXT_SIZE], value[64];

	for (int match = ranked ? NAMED : MATCHES - 1; match < MATCHES; match++)
		for (enum field_id f = 0; f < FIELD_COUNT; f++) {
			if (!field_in_mode(f, s->plan.mode) || (ranked && match_of(rows, f) != match))
				continue;
			field_format(f, &s->plan, value, sizeof value);
			text_put(text, sizeof text, "%-18s %-16s %-34s %s", field_table[f].label, value,
			    field_table[f].path, field_table[f].help);
			if (rows_passes(rows, text))
				add_line(rows, rows->items++, (int)f, ROLE_TEXT, 0, text, strlen(text));
		}
}

static void
rows_kinds(struct rows *rows, const struct state *s)
{
	const struct layout *l = &s->estimate->layout;
	const char *name[MAP_COLORS_MAX];
	char text[ROW_TEXT_SIZE];

	if (!s->estimate->laid_out) {
		rows_item(rows, -1, ROLE_DIM, "the layout refuses the plan, so there are no groups");
		return;
	}
	rows_heading(rows, "Groups (Space switches one on or off, up to four)");
	for (int k = 0; k < l->kinds; k++) {
		int at = -1;

		for (int i = 0; i < s->map.colors; i++)
			if (s->map.kind[i] == k)
				at = i;
		text_put(text, sizeof text, "[%c] %-14s %6lld groups of %lld", at >= 0 ? '1' + at : ' ',
		    l->kind[k].name, (long long)layout_group_count(l, k),
		    (long long)layout_group_size(l, k));
		rows_item(rows, k, layout_group_size(l, k) > 1 ? ROLE_TEXT : ROLE_DIM, text);
	}
	rows_heading(rows, "Ready-made");
	for (int i = 0; rows_preset(i) != NULL; i++) {
		int n = rows_preset_kinds(i, l, name);

		text_put(text, sizeof text, "    %-14s ", rows_preset(i));
		for (int j = 0; j < n; j++)
			text_add(text, sizeof text, j > 0 ? ", %s" : "%s", name[j]);
		rows_item(rows, l->kinds + i, ROLE_TEXT, text);
	}
}

void
rows_init(struct rows *rows, const struct state *s, int width)
{
	*rows = (struct rows){ .width = width, .filter = s->filter };
	switch (s->overlay) {
	case OVERLAY_HELP:
		rows_help(rows);
		break;
	case OVERLAY_DIAGS:
		rows_diags(rows, &s->estimate->diags);
		break;
	case OVERLAY_WHY:
		why_rows(rows, s);
		break;
	case OVERLAY_CATALOG:
		rows_catalog(rows, s);
		break;
	case OVERLAY_FIELDS:
		rows_fields(rows, s);
		break;
	case OVERLAY_KINDS:
		rows_kinds(rows, s);
		break;
	case OVERLAY_NONE:
		break;
	}
}

void
rows_free(struct rows *rows)
{
	free(rows->row);
	*rows = (struct rows){ 0 };
}

int
rows_target(const struct rows *rows, int item)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->row[i].item == item)
			return rows->row[i].target;
	return -1;
}
