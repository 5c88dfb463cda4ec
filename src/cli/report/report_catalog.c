/* `fields`, `models`, `gpus` and `clusters`: what plans are made of. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/model/params.h"
#include "core/plan/catalog.h"
#include "core/plan/field.h"
#include "core/plan/since.h"
#include "file/import/import.h"
#include "out/out.h"

static const char *const type_name[] = { "integer", "number", "boolean", "name", "text" };
static const char *const modes_name[] = { "", "train", "serve", "both" };

static void
json_one_field(struct jsonout *j, enum field_id id, const struct plan *defaults)
{
	const struct field *f = &field_table[id];
	char range[512], name[64];

	jsonout_object(j, NULL);
	jsonout_text(j, "path", f->path);
	jsonout_text(j, "type", type_name[f->type]);
	jsonout_text(j, "unit", f->unit);
	field_range(id, range, sizeof range);
	jsonout_text(j, "range", range);
	if (f->type == FIELD_INT || f->type == FIELD_REAL) {
		jsonout_count(j, "least", f->zero ? 0 : f->least);
		jsonout_count(j, "most", f->most);
	}
	if (f->type == FIELD_CHOICE) {
		jsonout_list_row(j, "names");
		for (int64_t i = 0; field_choice(id, i, name, sizeof name); i++)
			jsonout_text(j, NULL, name);
		jsonout_close(j);
	}
	json_field(j, "default", id, defaults);
	jsonout_text(j, "mode", modes_name[f->modes]);
	field_section(id, name, sizeof name);
	jsonout_text(j, "section", name);
	jsonout_text(j, "option", f->flag);
	jsonout_text(j, "short", field_abbreviation(id));
	jsonout_text(j, "meaning", f->help);
	jsonout_text(j, "since", since_version(f->path));
	jsonout_close(j);
}

/* All fields, or the one that is asked for. */
static int
json_fields(const struct plan *defaults, enum field_id only)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_list(&j, "fields");
	for (int i = 0; i < FIELD_COUNT; i++)
		if (only == FIELD_COUNT || only == (enum field_id)i)
			json_one_field(&j, (enum field_id)i, defaults);
	jsonout_close(&j);
	jsonout_close(&j);
	return STATUS_OK;
}

/* "one of a, b, c"; before somebody's eyes "12 names" where a column has no room for them. */
static void
put_range(enum field_id f, char *range, size_t size)
{
	enum { COLUMN = 30 };
	char name[PLAN_ID_SIZE];
	int64_t names = 0;

	field_range(f, range, size);
	if (strlen(range) <= COLUMN || field_table[f].type != FIELD_CHOICE || !isatty(STDOUT_FILENO))
		return;
	while (field_choice(f, names, name, sizeof name))
		names++;
	text_put(range, size, "%" PRId64 " names", names);
}

static int
list_fields(const struct plan *defaults)
{
	struct table t;
	char range[512];

	table_init(&t, 7);
	table_row(&t, (const char *[]){ "path", "type", "unit", "range", "default", "mode",
	    "meaning" });
	for (int i = 0; i < FIELD_COUNT; i++) {
		const struct field *f = &field_table[i];

		put_range((enum field_id)i, range, sizeof range);
		table_row(&t, (const char *[]){ f->path, type_name[f->type], f->unit, range,
		    FIELD_SHOWN((enum field_id)i, defaults), modes_name[f->modes], f->help });
	}
	return table_print(&t) ? STATUS_OK : STATUS_ERROR;
}

void
report_field(enum field_id id)
{
	const struct field *f = &field_table[id];
	const char *brief = field_abbreviation(id);
	char range[512];

	field_range(id, range, sizeof range);
	out_line(stdout, "%s", f->help);
	out_line(stdout, "    %s%s%s, %s", type_name[f->type], f->unit[0] != '\0' ? " of " : "", f->unit,
	    range);
	out_line(stdout, "    counts in %s",
	    f->modes == MODES_BOTH ? "both modes" : modes_name[f->modes]);
	if (f->flag != NULL)
		out_line(stdout, "    option --%s", f->flag);
	if (brief != NULL)
		out_line(stdout, "    also called %s", brief);
	out_line(stdout, "    since %s", since_version(f->path));
}

int
fields_run(const struct options *o)
{
	const char *name = o->operands > 0 ? o->operand[0] : NULL;
	const enum field_id id = name != NULL ? field_find(name) : FIELD_COUNT;
	const char *near = name != NULL ? field_near(name) : NULL;
	struct plan defaults;
	char value[PLAN_LAYOUT_SIZE];

	if (name != NULL && id == FIELD_COUNT && near != NULL)
		return usage_error("fields: there is no field '%s' (did you mean %s?)", name, near);
	if (name != NULL && id == FIELD_COUNT)
		return usage_error("fields: there is no field '%s' ('shardplan fields' lists them)", name);
	plan_defaults(&defaults);
	if (o->json)
		return json_fields(&defaults, id);
	if (name == NULL)
		return list_fields(&defaults);
	field_format(id, &defaults, value, sizeof value);
	out_line(stdout, "%s, %s%s", field_table[id].path,
	    value[0] != '\0' ? "by default " : "without a default", value);
	report_field(id);
	return STATUS_OK;
}

/* One entry and the values that it gives to the fields of its section. */
static void
json_entry(struct jsonout *j, const struct catalog_entry *entry, const char *section)
{
	char name[PLAN_ID_SIZE];

	jsonout_object(j, NULL);
	jsonout_text(j, "name", entry->id);
	jsonout_text(j, "title", entry->title);
	jsonout_text(j, "source", *entry->source != '\0' ? entry->source : NULL);
	if (entry->total_params > 0)
		jsonout_int(j, "parameters", entry->total_params);
	jsonout_list_row(j, "aliases");
	for (int64_t i = 0; catalog_alias(entry, i, name, sizeof name); i++)
		jsonout_text(j, NULL, name);
	jsonout_close(j);
	jsonout_object(j, section);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_is_of(f, section) && field_is_set(f, &entry->values))
			json_field(j, field_key(f), f, &entry->values);
	jsonout_close(j);
	jsonout_close(j);
}

/* One entry, as a section that can be pasted into a plan. */
static int
print_entry(const struct catalog_entry *entry, const char *section)
{
	char *text = planfile_section_text(&entry->values, section);

	if (text == NULL)
		return out_of_memory();
	out_line(stdout, "# %s", entry->title);
	if (*entry->source != '\0')
		out_line(stdout, "# source: %s", entry->source);
	out_text(stdout, text);
	free(text);
	return STATUS_OK;
}

/* The entry of that name, or NULL after a message. */
static const struct catalog_entry *
find_entry(const struct catalog_list *list, const char *what, const char *command,
    const char *name)
{
	const struct catalog_entry *entry = catalog_find(list, name);
	const char *near = catalog_near(list, name);

	if (entry == NULL && near != NULL)
		complain("there is no %s '%s' (did you mean %s?)", what, name, near);
	else if (entry == NULL)
		complain("there is no %s '%s' ('shardplan %s' lists them)", what, name, command);
	return entry;
}

/* "a,b": without blanks, so that a line's last word is all of them. */
static void
add_aliases(struct table *t, const struct catalog_entry *entry)
{
	char text[sizeof entry->aliases];

	text_put(text, sizeof text, "%s", entry->aliases);
	for (char *c = text; (c = strchr(c, '|')) != NULL;)
		*c = ',';
	table_cell(t, text);
}

/* What a column tells that is no field. */
enum { COLUMN_NAME = FIELD_COUNT + 1, COLUMN_PARAMETERS, COLUMN_TITLE, COLUMN_ALIASES };

enum { COLUMNS_MAX = 11 };

struct catalog_kind {
	const char *what, *command, *section;
	size_t list; /* offset in struct catalog */
	struct column {
		const char *head, *unit;
		int field; /* enum field_id, or one of the above */
	} column[COLUMNS_MAX + 1];
};

static const struct catalog_kind models = { "model", "models", "model",
	offsetof(struct catalog, models), {
		{ "name", " ", COLUMN_NAME }, { ">parameters", "billion", COLUMN_PARAMETERS },
		{ ">layers", " ", FIELD_LAYERS }, { ">hidden", " ", FIELD_HIDDEN_SIZE },
		{ ">heads", " ", FIELD_ATTENTION_HEADS }, { ">experts", " ", FIELD_EXPERTS },
		{ ">context", "tokens", FIELD_MAX_POSITION }, { "title", " ", COLUMN_TITLE },
		{ "aliases", " ", COLUMN_ALIASES } } };
static const struct catalog_kind gpus = { "GPU", "gpus", "cluster",
	offsetof(struct catalog, gpus), {
		{ "name", " ", COLUMN_NAME }, { "generation", " ", FIELD_GENERATION },
		{ ">memory", "GiB", FIELD_MEMORY_GIB }, { ">bf16", "TFLOP/s", FIELD_BF16_TFLOPS },
		{ ">fp8", "TFLOP/s", FIELD_FP8_TFLOPS }, { ">fp4", "TFLOP/s", FIELD_FP4_TFLOPS },
		{ ">HBM", "GB/s", FIELD_HBM_GBPS }, { "fabric", " ", FIELD_FABRIC },
		{ ">rate", "GB/s", FIELD_NVLINK_GBPS }, { "title", " ", COLUMN_TITLE },
		{ "aliases", " ", COLUMN_ALIASES } } };
static const struct catalog_kind clusters = { "cluster", "clusters", "cluster",
	offsetof(struct catalog, clusters), {
		{ "name", " ", COLUMN_NAME }, { "gpu", " ", FIELD_GPU }, { ">nodes", " ", FIELD_NODES },
		{ ">GPUs", "a node", FIELD_GPUS_PER_NODE }, { ">domain", "GPUs", FIELD_NVLINK_DOMAIN },
		{ ">NICs", "a node", FIELD_NICS_PER_NODE }, { ">NIC", "Gb/s", FIELD_NIC_GBPS },
		{ "title", " ", COLUMN_TITLE } } };

/* A field of an entry; nothing where it is 0, which stands for not known. */
static void
add_field(struct table *t, enum field_id f, const struct plan *p)
{
	char name[32];

	if (field_table[f].type == FIELD_TEXT)
		table_cell(t, field_text(f, p));
	else if (field_table[f].type == FIELD_CHOICE) {
		field_choice(f, field_int(f, p), name, sizeof name);
		table_cell(t, name);
	} else if (field_table[f].type == FIELD_INT && field_int(f, p) != 0)
		table_put(t, "%" PRId64, field_int(f, p));
	else if (field_table[f].type == FIELD_REAL && fabs(field_real(f, p)) > 0)
		table_put(t, "%.6g", field_real(f, p));
	else
		table_cell(t, "");
}

static void
add_entry(struct table *t, const struct column *column, const struct catalog_entry *e)
{
	if (column->field == COLUMN_NAME)
		table_cell(t, e->id);
	else if (column->field == COLUMN_TITLE)
		table_cell(t, e->title);
	else if (column->field == COLUMN_ALIASES)
		add_aliases(t, e);
	else if (column->field != COLUMN_PARAMETERS)
		add_field(t, (enum field_id)column->field, &e->values);
	else if (e->total_params > 0)
		table_put(t, "%.2f", (double)e->total_params / 1e9);
	else
		table_cell(t, "");
}

static bool
print_rows(const struct catalog_kind *kind, const struct catalog_list *list)
{
	const struct column *c;
	struct table t;
	size_t columns = 0;

	while (kind->column[columns].head != NULL)
		columns++;
	table_init(&t, columns);
	for (c = kind->column; c->head != NULL; c++)
		table_cell(&t, c->head);
	for (c = kind->column; c->head != NULL; c++)
		table_cell(&t, c->unit);
	for (size_t i = 0; i < list->count; i++)
		for (c = kind->column; c->head != NULL; c++)
			add_entry(&t, c, &list->entry[i]);
	return table_print(&t);
}

/* All entries, or one alone, under the name of the command. */
static void
json_list(const struct catalog_kind *kind, const struct catalog_list *list,
    const struct catalog_entry *only)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_list(&j, kind->command);
	for (size_t i = 0; i < list->count; i++)
		if (only == NULL || only == &list->entry[i])
			json_entry(&j, &list->entry[i], kind->section);
	jsonout_close(&j);
	jsonout_close(&j);
}

/* The list as a table, or the entry that the command line names. */
static int
print_list(const struct options *o, const struct catalog_kind *kind)
{
	const struct catalog_entry *entry = NULL;
	const struct catalog_list *list;
	struct session s;
	int status = STATUS_OK;

	if (!session_catalog(&s) || (kind == &clusters && !session_clusters(&s)))
		return STATUS_ERROR;
	list = (const struct catalog_list *)(const void *)((const char *)&s.catalog + kind->list);
	if (o->operands > 0 &&
	    (entry = find_entry(list, kind->what, kind->command, o->operand[0])) == NULL)
		status = STATUS_ERROR;
	else if (o->json)
		json_list(kind, list, entry);
	else if (entry != NULL)
		status = print_entry(entry, kind->section);
	else if (!print_rows(kind, list))
		status = STATUS_ERROR;
	session_close(&s);
	return status;
}

/* A name of the catalogue made of one that a checkpoint has. */
static void
make_id(char *id, size_t size, const char *name)
{
	text_put(id, size, "%s", *name != '\0' ? name : "my-model");
	for (char *c = id; *c != '\0'; c++)
		*c = isalnum((unsigned char)*c) || strchr("._+-", *c) != NULL ?
		    (char)tolower((unsigned char)*c) : '-';
}

/* A config.json as an entry for a catalogue file of the user's own. */
static int
print_imported(const struct options *o)
{
	struct file_errors errors = { 0 };
	struct session s;
	struct import im = { .catalog = &s.catalog, .plan = &s.plan, .errors = &errors };
	char id[PLAN_ID_SIZE], source[200], *text = NULL;
	bool read;

	if (o->json)
		return usage_error("models --from takes no --json");
	if (!session_catalog(&s))
		return STATUS_ERROR;
	read = import_file(&im, o->from, "huggingface") == IMPORT_DONE;
	notes_drop(&im.assumed, "model.preset = "); /* the entry is one of its own */
	notes_print("assumed", &im.assumed);
	if (!read)
		session_print_errors(&errors);
	import_free(&im);
	if (read) {
		const char *name = o->operands > 0 ? o->operand[0] : s.plan.name;

		make_id(id, sizeof id, name);
		show_path(source, sizeof source, o->from);
		s.plan.model.checkpoint_dtype = s.plan.serving.weight_dtype; /* its own, where it tells */
		field_mark(FIELD_CHECKPOINT_DTYPE, &s.plan, true);
		if (s.plan.serving.weight_group > 0)
			field_store_int(FIELD_CHECKPOINT_GROUP, &s.plan, s.plan.serving.weight_group);
		text = planfile_model_text(&s.plan, id, *name != '\0' ? name : id, source,
		    (int64_t)params_model(&s.plan, NULL).total);
		if (text == NULL)
			out_of_memory();
		else
			out_text(stdout, text);
	}
	free(text);
	session_close(&s);
	return text != NULL ? STATUS_OK : STATUS_ERROR;
}

int
models_run(const struct options *o)
{
	return o->from != NULL ? print_imported(o) : print_list(o, &models);
}

int
gpus_run(const struct options *o)
{
	return print_list(o, &gpus);
}

int
clusters_run(const struct options *o)
{
	return print_list(o, &clusters);
}
