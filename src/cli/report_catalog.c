/* `fields`, `models`, `gpus` and `clusters`: what plans are made of. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"
#include "cli/session.h"
#include "core/catalog.h"
#include "core/field.h"
#include "core/text.h"
#include "file/catalog_file.h"

int
fields_run(const struct options *o)
{
	static const char *const type[] = { "integer", "number", "boolean", "name", "text" };
	static const char *const modes[] = { "", "train", "serve", "both" };
	struct plan defaults;
	struct table t;
	char range[512], value[PLAN_LAYOUT_SIZE];

	(void)o;
	plan_defaults(&defaults);
	table_init(&t, 7);
	table_row(&t, (const char *[]){ "path", "type", "unit", "range", "default", "mode",
	    "meaning" });
	for (int i = 0; i < FIELD_COUNT; i++) {
		const struct field *f = &field_table[i];

		field_range((enum field_id)i, range, sizeof range);
		field_format((enum field_id)i, &defaults, value, sizeof value);
		table_row(&t, (const char *[]){ f->path, type[f->type], f->unit, range, value,
		    modes[f->modes], f->help });
	}
	return table_print(&t) ? STATUS_OK : STATUS_ERROR;
}

/* One entry, as a section that can be pasted into a plan. */
static int
print_entry(const struct catalog_list *list, const char *what, const char *command,
    const char *section, const char *name)
{
	const struct catalog_entry *entry = catalog_find(list, name);
	const char *near = catalog_near(list, name);
	char *text;

	if (entry == NULL) {
		if (near != NULL)
			complain("there is no %s '%s' (did you mean %s?)", what, name, near);
		else
			complain("there is no %s '%s' ('shardplan %s' lists them)", what, name, command);
		return STATUS_ERROR;
	}
	if ((text = planfile_section_text(&entry->values, section)) == NULL) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	printf("# %s\n", entry->title);
	if (*entry->source != '\0')
		printf("# source: %s\n", entry->source);
	fputs(text, stdout);
	free(text);
	return STATUS_OK;
}

static void
add_int(struct table *t, int64_t n)
{
	char text[32];

	text_put(text, sizeof text, "%" PRId64, n);
	table_cell(t, n != 0 ? text : "");
}

static void
add_real(struct table *t, double v)
{
	char text[32];

	text_put(text, sizeof text, "%.6g", v);
	table_cell(t, v > 0 || v < 0 ? text : "");
}

static void
models_rows(struct table *t, const struct catalog_list *list)
{
	char text[32];

	table_init(t, 8);
	table_row(t, (const char *[]){ "name", ">parameters", ">layers", ">hidden", ">heads",
	    ">experts", ">context", "title" });
	table_row(t, (const char *[]){ " ", "billion", " ", " ", " ", " ", "tokens", " " });
	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *e = &list->entry[i];
		const struct model *m = &e->values.model;

		table_cell(t, e->id);
		text_put(text, sizeof text, "%.2f", (double)e->total_params / 1e9);
		table_cell(t, e->total_params > 0 ? text : "");
		add_int(t, m->layers);
		add_int(t, m->hidden_size);
		add_int(t, m->attention_heads);
		add_int(t, m->experts);
		add_int(t, m->max_position);
		table_cell(t, e->title);
	}
}

static void
gpus_rows(struct table *t, const struct catalog_list *list)
{
	table_init(t, 7);
	table_row(t, (const char *[]){ "name", ">memory", ">bf16", ">fp8", ">HBM", ">NVLink",
	    "title" });
	table_row(t, (const char *[]){ " ", "GiB", "TFLOP/s", "TFLOP/s", "GB/s", "GB/s", " " });
	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *e = &list->entry[i];
		const struct cluster *c = &e->values.cluster;

		table_cell(t, e->id);
		add_real(t, c->memory_gib);
		add_real(t, c->bf16_tflops);
		add_real(t, c->fp8_tflops);
		add_real(t, c->hbm_gbps);
		add_real(t, c->nvlink_gbps);
		table_cell(t, e->title);
	}
}

static void
clusters_rows(struct table *t, const struct catalog_list *list)
{
	table_init(t, 8);
	table_row(t, (const char *[]){ "name", "gpu", ">nodes", ">GPUs", ">domain", ">NICs", ">NIC",
	    "title" });
	table_row(t, (const char *[]){ " ", " ", " ", "a node", "GPUs", "a node", "Gb/s", " " });
	for (size_t i = 0; i < list->count; i++) {
		const struct catalog_entry *e = &list->entry[i];
		const struct cluster *c = &e->values.cluster;

		table_cell(t, e->id);
		table_cell(t, c->gpu);
		add_int(t, c->nodes);
		add_int(t, c->gpus_per_node);
		add_int(t, c->nvlink_domain);
		add_int(t, c->nics_per_node);
		add_real(t, c->nic_gbps);
		table_cell(t, e->title);
	}
}

/* The list as a table, or the entry that the command line names. */
static int
print_list(const struct options *o, size_t which)
{
	static const struct {
		const char *what, *command, *section;
		void (*rows)(struct table *t, const struct catalog_list *list);
	} kind[] = {
		{ "model", "models", "model", models_rows },
		{ "GPU", "gpus", "cluster", gpus_rows },
		{ "cluster", "clusters", "cluster", clusters_rows },
	};
	const struct catalog_list *list;
	struct session s;
	struct table t;
	int status;

	if (!session_catalog(&s))
		return STATUS_ERROR;
	list = which == 0 ? &s.catalog.models : which == 1 ? &s.catalog.gpus : &s.catalog.clusters;
	if (o->operands > 0)
		status = print_entry(list, kind[which].what, kind[which].command, kind[which].section,
		    o->operand[0]);
	else {
		kind[which].rows(&t, list);
		status = table_print(&t) ? STATUS_OK : STATUS_ERROR;
	}
	session_close(&s);
	return status;
}

int
models_run(const struct options *o)
{
	return print_list(o, 0);
}

int
gpus_run(const struct options *o)
{
	return print_list(o, 1);
}

int
clusters_run(const struct options *o)
{
	return print_list(o, 2);
}
